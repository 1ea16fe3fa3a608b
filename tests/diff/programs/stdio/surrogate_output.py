print("fine so far", flush=True)
print("\ud83d")
