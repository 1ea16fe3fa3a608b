# stdin: "Ada\n36\n"
name = input("name? ")
age = int(input())
print(f"{name} is {age}")
input("one more? ")
