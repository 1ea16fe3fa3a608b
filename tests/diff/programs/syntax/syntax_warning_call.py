try:
    print("str" ())
except TypeError as e:
    print(e)
