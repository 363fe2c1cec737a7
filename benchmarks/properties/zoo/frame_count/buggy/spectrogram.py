import numpy as np

from frames import frames


def spectrogram(signal):
    return np.abs(np.fft.rfft(frames(signal) * np.hanning(400), axis=1))


if __name__ == "__main__":
    print(spectrogram(np.zeros(16000)).shape)
    print(frames(np.zeros(100), size=20, hop=10).shape)
