"""Tiles of large pictures for a network, and the picture from the tiles' answers."""

import numpy as np


def normalise(picture: np.ndarray) -> np.ndarray:
    """Floats between 0 and 1 from a picture of any number type, shape (H, W) or (H, W, C)."""
    if picture.ndim not in (2, 3):
        raise ValueError("a picture has two or three axes")
    if picture.dtype == np.uint8:
        return picture.astype(np.float32) / 255
    low, high = picture.min(), picture.max()
    if high == low:
        return np.zeros(picture.shape, dtype=np.float32)
    return ((picture - low) / (high - low)).astype(np.float32)


def pad_to(picture: np.ndarray, size: int) -> np.ndarray:
    """Pad a picture of shape (H, W, C) so that ``size`` divides its sides."""
    if size <= 0:
        raise ValueError("size must be positive")
    height, width = picture.shape[:2]
    return np.pad(picture, ((0, -height % size), (0, -width % size), (0, 0)), mode="edge")


def split(picture: np.ndarray, size: int = 8) -> np.ndarray:
    """Tiles of shape (count, size, size, C) of a picture of shape (H, W, C)."""
    padded = pad_to(picture, size)
    rows, columns = padded.shape[0] // size, padded.shape[1] // size
    tiles = padded.reshape(rows, size, columns, size, padded.shape[2])
    return tiles.swapaxes(1, 2).reshape(rows * columns, size, size, padded.shape[2])


def join(tiles: np.ndarray, height: int, width: int) -> np.ndarray:
    """The picture of the given size from its tiles, as :func:`split` made them."""
    size = tiles.shape[1]
    rows, columns = -(-height // size), -(-width // size)
    if len(tiles) != rows * columns:
        raise ValueError(f"{len(tiles)} tiles do not cover {height} x {width}")
    grid = tiles.reshape(rows, columns, size, size, -1).swapaxes(1, 2)
    return grid.reshape(rows * size, columns * size, -1)[:height, :width]
