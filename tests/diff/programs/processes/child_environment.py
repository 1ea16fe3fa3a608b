import os
import subprocess

os.environ["ADDED"] = "yes"
print(subprocess.check_output("echo $ADDED; unset _ ADDED PWD OLDPWD SHLVL; env | cut -d= -f1 | sort", shell=True, text=True))
