"""A script."""
import json

import nonexistent_library

THRESHOLD = 3
if THRESHOLD > 2:
    print("over")

if __name__ == "__main__":
    values = [1, 2]
    if values:
        print(values[5])
