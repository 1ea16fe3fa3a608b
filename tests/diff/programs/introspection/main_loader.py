import os

print(__loader__.name, os.path.basename(__loader__.path), __loader__.path == __file__, __loader__.is_package("__main__"))
print(__loader__.get_source("__main__").splitlines()[0])
print(__loader__.get_filename("__main__") == __file__, __loader__.get_code("__main__").co_name)
