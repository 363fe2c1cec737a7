import numpy as np

from brightness import luminance

if __name__ == "__main__":
    colour = np.zeros((4, 6, 3), dtype=np.uint8)
    grey = np.full((4, 6), 7, dtype=np.uint8)
    print(luminance(colour).mean(), luminance(grey).mean())
