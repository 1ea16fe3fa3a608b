__builtins__ = {}
print("the frame keeps its builtins")
