"""Batches of images in files: those of a folder's folders, and those that a table names. Files are read by PIL."""

import os as _os
import warnings as _warnings

import numpy as _np

from flowray.tf.keras.preprocessing._batches import Iterator, save_images

_ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".ppm", ".tif", ".tiff")
_BY_COLOR = {"rgb": 3, "rgba": 4, "grayscale": 1}
_OF_CLASSES = ("categorical", "binary", "sparse")


class _FilesIterator(Iterator):
    """What both have in common: `filepaths`, and `classes` or `targets` of each."""

    targets, sample_weight = None, None

    def _settle(self, image_data_generator, target_size, color_mode, class_mode, interpolation, dtype, saving):
        if color_mode not in _BY_COLOR:
            raise ValueError("Invalid color mode: %s; expected \"rgb\", \"rgba\", or \"grayscale\"." % color_mode)
        self.image_data_generator, self.target_size, self.color_mode = image_data_generator, tuple(target_size), color_mode
        self.image_shape, self.class_mode, self.interpolation = (*self.target_size, _BY_COLOR[color_mode]), class_mode, interpolation
        self.dtype, self.saving = dtype, saving

    def _get_batches_of_transformed_samples(self, index_array):
        from flowray.tf.keras.preprocessing.image import img_to_array, load_img
        batch = _np.zeros((len(index_array), *self.image_shape), dtype=self.dtype)
        paths = self.filepaths
        for i, number in enumerate(index_array):
            image = load_img(paths[number], color_mode=self.color_mode, target_size=self.target_size, interpolation=self.interpolation)
            batch[i] = self.image_data_generator._changed(img_to_array(image, "channels_last"))
            if hasattr(image, "close"):
                image.close()
        save_images(batch, index_array, self.saving, 10 ** 7)
        if self.class_mode is None:
            return batch
        truths = self._truths(batch, index_array)
        return (batch, truths) if self.sample_weight is None else (batch, truths, self.sample_weight[index_array])

    def _truths(self, batch, index_array):
        if self.class_mode == "input":
            return batch.copy()
        if self.class_mode == "multi_output":
            return [target[index_array] for target in self.targets]
        if self.class_mode == "raw":
            return self.targets[index_array]
        classes = [self.classes[number] for number in index_array]
        if self.class_mode != "categorical":
            return _np.array(classes, dtype=self.dtype)
        rows = _np.zeros((len(classes), len(self.class_indices)), dtype=self.dtype)
        for row, of_image in zip(rows, classes):
            row[of_image] = 1.0  # of one class, or of several
        return rows


class DirectoryIterator(_FilesIterator):
    """Batches of the images in a folder's folders, each of which is a class."""

    def __init__(self, directory, image_data_generator, target_size=(256, 256), color_mode="rgb", classes=None, class_mode="categorical",
                 batch_size=32, shuffle=True, seed=None, save_to_dir=None, save_prefix="", save_format="png", follow_links=False, subset=None,
                 interpolation="nearest", dtype="float32"):
        self._settle(image_data_generator, target_size, color_mode, class_mode, interpolation, dtype, (save_to_dir, save_prefix, save_format))
        if class_mode not in (*_OF_CLASSES, "input", None):
            raise ValueError("Invalid class_mode: %s; expected one of: 'categorical', 'binary', 'sparse', 'input', None" % class_mode)
        self.directory = directory
        classes = list(classes) if classes else sorted(name for name in _os.listdir(directory) if _os.path.isdir(_os.path.join(directory, name)))
        self.num_classes, self.class_indices = len(classes), {name: number for number, name in enumerate(classes)}
        split = image_data_generator._part_of_files(subset)
        self.filenames, numbers = [], []
        for name in classes:
            names = _images_in(_os.path.join(directory, name), follow_links)
            names = names[int(split[0] * len(names)):int(split[1] * len(names))] if split else names
            self.filenames += [_os.path.join(name, _os.path.relpath(path, _os.path.join(directory, name))) for path in names]
            numbers += [self.class_indices[name]] * len(names)
        self.classes = _np.array(numbers, dtype="int32")
        self.samples = len(self.filenames)
        print("Found %d images belonging to %d classes." % (self.samples, self.num_classes))
        super().__init__(self.samples, batch_size, shuffle, seed)

    labels = property(lambda self: self.classes)
    filepaths = property(lambda self: [_os.path.join(self.directory, name) for name in self.filenames])


def _images_in(folder, follow_links):
    found = []
    for root, _, names in sorted(_os.walk(folder, followlinks=follow_links), key=lambda one: one[0]):
        for name in sorted(names):
            if name.lower().endswith((".tif", ".tiff")):
                _warnings.warn("Using \".tiff\" files with multiple bands will cause distortion. Please verify your output.")
            if name.lower().endswith(_ENDINGS):
                found.append(_os.path.join(root, name))
    return found


class DataFrameIterator(_FilesIterator):
    """Batches of the images that a column of a table names, with what other columns say of them. The table is a data frame of pandas, or whatever
    gives a column by its name."""

    def __init__(self, dataframe, directory=None, image_data_generator=None, x_col="filename", y_col="class", weight_col=None,
                 target_size=(256, 256), color_mode="rgb", classes=None, class_mode="categorical", batch_size=32, shuffle=True, seed=None,
                 save_to_dir=None, save_prefix="", save_format="png", subset=None, interpolation="nearest", dtype="float32",
                 validate_filenames=True):
        self._settle(image_data_generator, target_size, color_mode, class_mode, interpolation, dtype, (save_to_dir, save_prefix, save_format))
        if class_mode not in (*_OF_CLASSES, "input", "multi_output", "raw", None):
            raise ValueError("Invalid class_mode: %s; expected one of: 'binary', 'categorical', 'input', 'multi_output', 'raw', 'sparse', None"
                             % class_mode)
        split = image_data_generator._part_of_files(subset)
        self.directory = directory or ""
        names, labels = _listed(dataframe[x_col]), self._checked_labels(dataframe, y_col, classes)
        if not all(isinstance(name, str) for name in names):
            raise TypeError("All values in column x_col=%s must be strings." % x_col)
        weights = None if weight_col is None else _checked_weights(dataframe[weight_col], weight_col)
        rows = self._kept_rows(names, x_col) if validate_filenames else list(range(len(names)))
        if class_mode in _OF_CLASSES:
            rows = self._settle_classes(rows, labels, classes)
        rows = rows[int(split[0] * len(rows)):int(split[1] * len(rows))] if split else rows
        self._take(rows, names, labels, weights)
        kind = "validated" if validate_filenames else "non-validated"
        print("Found %d %s image filenames%s." % (self.samples, kind, " belonging to %d classes" % len(self.class_indices)
                                                  if class_mode in _OF_CLASSES else ""))
        super().__init__(self.samples, batch_size, shuffle, seed)

    def _checked_labels(self, dataframe, y_col, classes):
        """The values of the column, or of several."""
        mode = self.class_mode
        if mode == "multi_output":
            if not isinstance(y_col, list):
                raise TypeError("If class_mode=\"%s\", y_col must be a list. Received %s." % (mode, type(y_col).__name__))
            return [_listed(dataframe[name]) for name in y_col]
        if mode == "raw":
            columns = [_np.asarray(dataframe[name]) for name in (y_col if isinstance(y_col, list) else [y_col])]
            return _np.stack(columns, axis=1) if isinstance(y_col, list) else columns[0]
        if classes and mode not in _OF_CLASSES:
            _warnings.warn("`classes` will be ignored given the class_mode=\"%s\"" % mode)
        if mode not in _OF_CLASSES:
            return None
        labels = _listed(dataframe[y_col])
        if mode != "categorical" and not all(isinstance(label, str) for label in labels):
            raise TypeError("If class_mode=\"%s\", y_col=\"%s\" column values must be strings." % (mode, y_col))
        if mode == "binary" and len(set(classes or labels)) != 2:
            raise ValueError("If class_mode=\"binary\" there must be 2 classes. %s" % (
                "%d class/es were given." % len(set(classes)) if classes else "Found %d classes." % len(set(labels))))
        if not all(isinstance(label, (str, list, tuple)) for label in labels):
            raise TypeError("If class_mode=\"%s\", y_col=\"%s\" column values must be type string, list or tuple." % (mode, y_col))
        return labels

    def _kept_rows(self, names, x_col):
        paths = [_os.path.join(self.directory, name) for name in names]
        rows = [row for row, path in enumerate(paths) if path.lower().endswith(_ENDINGS) and _os.path.isfile(path)]
        if len(rows) < len(names):
            _warnings.warn("Found %d invalid image filename(s) in x_col=\"%s\". These filename(s) will be ignored." % (
                len(names) - len(rows), x_col))
        return rows

    def _settle_classes(self, rows, labels, classes):
        """The rows that have a class that counts."""
        def of_row(row):
            return list(labels[row]) if isinstance(labels[row], (list, tuple)) else [labels[row]]
        known = list(dict.fromkeys(classes)) if classes else sorted({label for row in rows for label in of_row(row)})
        self.class_indices = {name: number for number, name in enumerate(known)}
        for row in rows:
            if isinstance(labels[row], (list, tuple)):
                labels[row] = [label for label in labels[row] if label in self.class_indices]
        return [row for row in rows if (labels[row] in self.class_indices if isinstance(labels[row], str) else labels[row])]

    def _take(self, rows, names, labels, weights):
        self.filenames, self.samples = [names[row] for row in rows], len(rows)
        if self.class_mode in _OF_CLASSES:
            self.classes = [self.class_indices[labels[row]] if isinstance(labels[row], str) else
                            [self.class_indices[label] for label in labels[row]] for row in rows]
        elif self.class_mode == "multi_output":
            self.targets = [_np.array([column[row] for row in rows]) for column in labels]
        elif self.class_mode == "raw":
            self.targets = labels[rows]
        self.sample_weight = None if weights is None else weights[rows]

    labels = property(lambda self: self.targets if self.class_mode in ("multi_output", "raw") else self.classes)
    filepaths = property(lambda self: [_os.path.join(self.directory, name) for name in self.filenames])


def _listed(column):
    return column.tolist() if hasattr(column, "tolist") else list(column)


def _checked_weights(column, name):
    weights = _np.asarray(column)
    if not _np.issubdtype(weights.dtype, _np.number):
        raise TypeError("Column weight_col=%s must be numeric." % name)
    return weights
