print("with a BOM")
1/0
