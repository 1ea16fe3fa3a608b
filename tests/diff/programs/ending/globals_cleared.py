globals().clear()
