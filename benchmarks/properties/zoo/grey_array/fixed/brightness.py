import numpy as np

WEIGHTS = np.array([0.299, 0.587, 0.114])


def luminance(image: np.ndarray) -> np.ndarray:
    """Brightness of every pixel.

    Parameters
    ----------
    image : numpy.ndarray
        uint8, (height, width, 3) in colours or (height, width) in grey.

    Returns
    -------
    numpy.ndarray
        float, (height, width).
    """
    if image.ndim == 2:
        return image.astype(float)
    return image[:, :, :3] @ WEIGHTS
