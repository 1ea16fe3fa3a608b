# -*- coding: ascii -*-
x = "é"
print(x)
