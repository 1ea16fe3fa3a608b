import logging

logging.warning("%d args", "not a number")
print("goes on")
