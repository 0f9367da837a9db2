"""tf.resource_loader: files that lie beside the program's modules."""

import os as _os
import sys as _sys


def load_resource(path):
    """The bytes of a file by its path from the package's root."""
    with open(_os.path.join(get_root_dir_with_all_resources(), path), "rb") as file:
        return file.read()


def get_data_files_path():
    """The folder of the file that calls."""
    return _os.path.dirname(_sys._getframe(1).f_code.co_filename)


def get_root_dir_with_all_resources():
    """The folder of the file that calls."""
    return _os.path.dirname(_sys._getframe(1).f_code.co_filename)


def get_path_to_datafile(path):
    """The path of a file that lies beside the one that calls."""
    return _os.path.join(_os.path.dirname(_sys._getframe(1).f_code.co_filename), path)


def readahead_file_path(path, readahead="128M"):
    return path
