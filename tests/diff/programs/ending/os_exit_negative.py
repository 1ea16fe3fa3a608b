import os

os._exit(-2)
