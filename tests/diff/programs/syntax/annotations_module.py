x: int = 5
y: "str"
print(__annotations__)
