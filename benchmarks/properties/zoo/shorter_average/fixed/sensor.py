import numpy as np

from smooth import residuals

if __name__ == "__main__":
    signal = np.sin(np.linspace(0, 6, 50))
    for width in (1, 3, 5):
        print(np.abs(residuals(signal, width)).max())
