import os

print(os.system("exit 7"), os.waitstatus_to_exitcode(os.system("exit 7")), flush=True)
os.system("echo from the shell; echo err >&2")
print(os.popen("echo popen").read())
