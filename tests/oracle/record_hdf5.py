#!/usr/bin/env python3
"""Writes tests/golden/hdf5/*.h5 by h5py: files whose arrays lead out of them, or say more than they hold."""

import os

import h5py
import numpy as np

from tensorflow_v1 import GOLDEN

FOLDER = os.path.join(GOLDEN, "hdf5")


def made(name):
    return h5py.File(os.path.join(FOLDER, name + ".h5"), "w")


def main():
    os.makedirs(FOLDER, exist_ok=True)
    with made("external_storage") as file:
        file.create_dataset("w", (2,), "f4", external=[("/etc/hostname", 0, 8)])
    with made("external_link") as file:
        file["w"] = h5py.ExternalLink("external_storage.h5", "/w")
        file["g"] = h5py.ExternalLink("external_storage.h5", "/")
    with made("virtual") as file:
        layout = h5py.VirtualLayout((2,), "f4")
        layout[:] = h5py.VirtualSource("external_storage.h5", "w", (2,))
        file.create_virtual_dataset("w", layout)
    with made("without_numbers") as file:
        file.create_dataset("w", data=h5py.Empty("f4"))
    with made("huge") as file:
        file.create_dataset("w", (2 ** 20, 2 ** 20), "f4", chunks=(64, 64))
    with made("soft_link") as file:
        file.create_dataset("w", data=np.array([1.0, 2.0], np.float32))
        file["other"] = h5py.SoftLink("/w")


if __name__ == "__main__":
    main()
