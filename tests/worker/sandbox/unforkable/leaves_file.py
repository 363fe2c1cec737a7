import os

FILE = os.open("/usr/bin/env", os.O_RDONLY)
