#!/usr/bin/env python3
"""Records files that NumPy writes, as tests/golden/npy/. tests/files/npy_test.cpp and npz_test.cpp have the same values, as
has tests/tf/keras/datasets_test.cpp those of digits.npz.

Usage: record_npy.py        (needs NumPy only)
"""

import os
import shutil

import numpy as np

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "golden", "npy")

matrix = np.arange(6, dtype=np.float32).reshape(2, 3)
ARRAYS = {
    "matrix": matrix,
    "scalar": np.array(0.1),
    "half": np.array([1.5, -2], np.float16),
    "whole": np.array([[[2**40], [-1]]]),
    "bytes": np.array([0, 255], np.uint8),
    "bool": np.array([True, False]),
    "complex": np.array([1 + 2j], np.complex64),
    "empty": np.zeros((0, 3), np.int32),
    "strings": np.array([[b"a", b""], [b"longer", b"\x00x"]]),
    "texts": np.array(["a", "\u00fc\u20ac\U0001f600", ""]),
    "column_major": np.asfortranarray(matrix),
    "big_endian": matrix.astype(">f4"),
    "objects": np.array([b"a", None], object),
    "times": np.array(["2026-11-21"], "datetime64[D]"),
    "records": np.array([(1, 2.0)], [("a", "i4"), ("b", "f4")]),
}


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    for name, array in ARRAYS.items():
        np.save(f"{FOLDER}/{name}.npy", array)
    with open(f"{FOLDER}/version2.npy", "wb") as file:
        np.lib.format.write_array(file, matrix, version=(2, 0))
    np.savez(f"{FOLDER}/stored.npz", matrix=matrix, numbers=np.array([7, 8, 9]))
    np.savez_compressed(f"{FOLDER}/compressed.npz", matrix=matrix, strings=ARRAYS["strings"])
    images = np.zeros((3, 28, 28), np.uint8)
    images[2, 27, 27] = 255
    np.savez_compressed(f"{FOLDER}/digits.npz", x_train=images, y_train=np.array([5, 0, 9], np.uint8),
                        x_test=images[2:], y_test=np.array([7], np.uint8))


if __name__ == "__main__":
    main()
