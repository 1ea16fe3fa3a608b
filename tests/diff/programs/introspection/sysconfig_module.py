import sys
import sysconfig

print(sysconfig.get_python_version(), sysconfig.get_platform(), sysconfig.get_path("stdlib"), sysconfig.get_config_var("EXT_SUFFIX"))
print(sysconfig.get_scheme_names(), sysconfig.is_python_build(), sysconfig.get_paths()["scripts"])
