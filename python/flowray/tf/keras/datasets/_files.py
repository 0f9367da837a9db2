"""Where the files of datasets are."""

import os


def found(path, what):
    """A file by its path, or by its name in ~/.keras/datasets."""
    home = os.environ.get("KERAS_HOME") or os.path.join(os.path.expanduser("~"), ".keras")
    for place in (path, os.path.join(home, "datasets", path)):
        if os.path.exists(place):
            return place
    raise FileNotFoundError("%s: there is no file %s, here or in %s.\nNothing is fetched: put it there." % (
        what, path, os.path.join(home, "datasets")))
