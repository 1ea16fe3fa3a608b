import subprocess

for call in (subprocess.run, subprocess.check_output):
    try:
        call(["sleep", "20"], timeout=0.1)
    except subprocess.TimeoutExpired as e:
        print(e.cmd, e.timeout < 1, e.output)
