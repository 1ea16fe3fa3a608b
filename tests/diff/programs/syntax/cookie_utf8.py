# -*- coding: utf-8 -*-
print("größer", len("größer"))
