import zipapp
import os
import subprocess
import sys

os.mkdir("app")
open("app/__main__.py", "w").write("print('from the zipapp')\n")
zipapp.create_archive("app", "app.pyz")
print(subprocess.check_output([sys.executable, "-I", "-S", "app.pyz"]))
