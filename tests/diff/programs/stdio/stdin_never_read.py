# stdin: "nobody reads this\n"
print("fine")
