# -*- coding: latin-1 -*-
print(ascii("größer"), len("größer"))
