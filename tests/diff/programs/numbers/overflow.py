try:
    2.0**10000
except OverflowError as e:
    print(e)
import math

try:
    math.exp(1000)
except OverflowError as e:
    print(e)
float(10**400)
