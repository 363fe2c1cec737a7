import subprocess

CHILD = subprocess.Popen(["/bin/sleep", "60"])
