"""tf.keras.preprocessing.image.ImageDataGenerator: batches of images, each changed by chance. The numbers that numpy draws are those that
tf.keras draws, in the same order, so after the same np.random.seed the batches are the same."""

import warnings as _warnings

import numpy as _np

from flowray.tf.keras import backend as _backend
from flowray.tf.keras.preprocessing import _transforms
from flowray.tf.keras.preprocessing._batches import Iterator, save_images
from flowray.tf.keras.preprocessing._image_files import DataFrameIterator, DirectoryIterator


class NumpyArrayIterator(Iterator):
    """Batches of an array of images, with what belongs to them."""

    def __init__(self, x, y, image_data_generator, batch_size=32, shuffle=False, sample_weight=None, seed=None, save_to_dir=None, save_prefix="",
                 save_format="png", subset=None, dtype="float32"):
        x, others = (x[0], [_np.asarray(one) for one in x[1]]) if isinstance(x, (tuple, list)) and not isinstance(x, _np.ndarray) else (x, [])
        for one in others:
            if len(one) != len(x):
                raise ValueError("All of the arrays in `x` should have the same length. Found a pair with: len(x[0]) = %s, len(x[?]) = %s"
                                 % (len(x), len(one)))
        for what, name, part in (("`y` (labels)", "y", y), ("`sample_weight`", "sample_weight", sample_weight)):
            if part is not None and len(x) != len(part):
                raise ValueError("`x` (images tensor) and %s should have the same length. Found: x.shape = %s, %s.shape = %s" % (
                    what, _np.asarray(x).shape, name, _np.asarray(part).shape))
        part = self._part(subset, len(x), y, image_data_generator._validation_split)
        self.x, self.x_misc = _np.asarray(x, dtype=dtype)[part], [one[part] for one in others]
        if self.x.ndim != 4:
            raise ValueError("Input data in `NumpyArrayIterator` should have rank 4. You passed an array with shape", self.x.shape)
        _warn_of_channels(self.x.shape, "NumpyArrayIterator is set to use the data format convention \"channels_last\" (channels on axis 3)")
        self.y = None if y is None else _np.asarray(y)[part]
        self.sample_weight = None if sample_weight is None else _np.asarray(sample_weight)[part]
        self.image_data_generator, self.dtype, self.saving = image_data_generator, dtype, (save_to_dir, save_prefix, save_format)
        super().__init__(len(self.x), batch_size, shuffle, seed)

    @staticmethod
    def _part(subset, count, y, validation_split):
        if subset is None:
            return slice(None)
        if subset not in ("training", "validation"):
            raise ValueError("Invalid subset name: %s ; expected \"training\" or \"validation\"." % subset)
        split = int(count * validation_split)
        if y is not None and not _np.array_equal(_np.unique(_np.asarray(y)[:split]), _np.unique(_np.asarray(y)[split:])):
            raise ValueError("Training and validation subsets have different number of classes after the split. If your numpy arrays are sorted "
                             "by the label, you might want to shuffle them.")
        return slice(split) if subset == "validation" else slice(split, None)

    def _get_batches_of_transformed_samples(self, index_array):
        batch = _np.zeros((len(index_array), *self.x.shape[1:]), dtype=self.dtype)
        for i, number in enumerate(index_array):
            batch[i] = self.image_data_generator._changed(self.x[number].astype(self.dtype))
        save_images(batch, index_array, self.saving, 10 ** 4)
        x = [batch, *(one[index_array] for one in self.x_misc)] if self.x_misc else batch
        if self.y is None:
            return x
        return (x, self.y[index_array]) if self.sample_weight is None else (x, self.y[index_array], self.sample_weight[index_array])


def _warn_of_channels(shape, what):
    if shape[3] not in (1, 3, 4):
        _warnings.warn("%s, i.e. expected either 1, 3, or 4 channels on axis 3. However, it was passed an array with shape %s (%s channels)."
                       % (what, shape, shape[3]))


class ImageDataGenerator:
    """Changes images by chance: turns, moves, shears, zooms and flips them; and normalises them."""

    def __init__(self, featurewise_center=False, samplewise_center=False, featurewise_std_normalization=False,
                 samplewise_std_normalization=False, zca_whitening=False, zca_epsilon=1e-6, rotation_range=0, width_shift_range=0.0,
                 height_shift_range=0.0, brightness_range=None, shear_range=0.0, zoom_range=0.0, channel_shift_range=0.0, fill_mode="nearest",
                 cval=0.0, horizontal_flip=False, vertical_flip=False, rescale=None, preprocessing_function=None, data_format=None,
                 validation_split=0.0, interpolation_order=1, dtype=None):
        data_format = _backend.image_data_format() if data_format is None else data_format
        if data_format != "channels_last":
            raise NotImplementedError("ImageDataGenerator(data_format=%r) is not there yet: 'channels_last'" % (data_format,))
        _transforms.check_ways(fill_mode, interpolation_order)
        self.featurewise_center, self.samplewise_center = featurewise_center, samplewise_center
        self.featurewise_std_normalization, self.samplewise_std_normalization = featurewise_std_normalization, samplewise_std_normalization
        self.zca_whitening, self.zca_epsilon = zca_whitening, zca_epsilon
        self.rotation_range, self.width_shift_range, self.height_shift_range = rotation_range, width_shift_range, height_shift_range
        self.shear_range, self.channel_shift_range, self.fill_mode, self.cval = shear_range, channel_shift_range, fill_mode, cval
        self.horizontal_flip, self.vertical_flip, self.rescale = horizontal_flip, vertical_flip, rescale
        self.preprocessing_function, self.interpolation_order = preprocessing_function, interpolation_order
        self.dtype = "float32" if dtype is None else dtype
        self.data_format, self.row_axis, self.col_axis, self.channel_axis = "channels_last", 1, 2, 3
        if validation_split and not 0 < validation_split < 1:
            raise ValueError("`validation_split` must be strictly between 0 and 1.  Received: %s" % validation_split)
        self._validation_split = validation_split
        self.zoom_range = self._checked_zoom(zoom_range)
        self.brightness_range = self._checked_brightness(brightness_range)
        self.mean, self.std, self.zca_whitening_matrix = None, None, None
        self._settle_normalisation()

    @staticmethod
    def _checked_zoom(zoom_range):
        if isinstance(zoom_range, (float, int)):
            return [1 - zoom_range, 1 + zoom_range]
        if len(zoom_range) == 2 and all(isinstance(value, (float, int)) for value in zoom_range):
            return [zoom_range[0], zoom_range[1]]
        raise ValueError("`zoom_range` should be a float or a tuple or list of two floats. Received: %s" % (zoom_range,))

    @staticmethod
    def _checked_brightness(brightness_range):
        if brightness_range is not None and (not isinstance(brightness_range, (tuple, list)) or len(brightness_range) != 2):
            raise ValueError("`brightness_range should be tuple or list of two floats. Received: %s" % (brightness_range,))
        return brightness_range

    def _settle_normalisation(self):
        """What needs something else has it."""
        if self.zca_whitening:
            if not self.featurewise_center:
                self.featurewise_center = True
                _warnings.warn("This ImageDataGenerator specifies `zca_whitening`, which overrides setting of `featurewise_center`.")
            if self.featurewise_std_normalization:
                self.featurewise_std_normalization = False
                _warnings.warn("This ImageDataGenerator specifies `zca_whitening` which overrides setting of`featurewise_std_normalization`.")
        for kind in ("featurewise", "samplewise"):
            if getattr(self, kind + "_std_normalization") and not getattr(self, kind + "_center"):
                setattr(self, kind + "_center", True)
                _warnings.warn("This ImageDataGenerator specifies `%s_std_normalization`, which overrides setting of `%s_center`." % (kind, kind))

    # ---- batches

    def flow(self, x, y=None, batch_size=32, shuffle=True, sample_weight=None, seed=None, save_to_dir=None, save_prefix="", save_format="png",
             subset=None):
        """Batches of an array of images."""
        return NumpyArrayIterator(x, y, self, batch_size=batch_size, shuffle=shuffle, sample_weight=sample_weight, seed=seed,
                                  save_to_dir=save_to_dir, save_prefix=save_prefix, save_format=save_format, subset=subset, dtype=self.dtype)

    def flow_from_directory(self, directory, target_size=(256, 256), color_mode="rgb", classes=None, class_mode="categorical", batch_size=32,
                            shuffle=True, seed=None, save_to_dir=None, save_prefix="", save_format="png", follow_links=False, subset=None,
                            interpolation="nearest"):
        """Batches of the images in a folder's folders, each of which is a class. Files are read by PIL."""
        return DirectoryIterator(directory, self, target_size=target_size, color_mode=color_mode, classes=classes, class_mode=class_mode,
                                 batch_size=batch_size, shuffle=shuffle, seed=seed, save_to_dir=save_to_dir, save_prefix=save_prefix,
                                 save_format=save_format, follow_links=follow_links, subset=subset, interpolation=interpolation,
                                 dtype=self.dtype)

    def flow_from_dataframe(self, dataframe, directory=None, x_col="filename", y_col="class", weight_col=None, target_size=(256, 256),
                            color_mode="rgb", classes=None, class_mode="categorical", batch_size=32, shuffle=True, seed=None, save_to_dir=None,
                            save_prefix="", save_format="png", subset=None, interpolation="nearest", validate_filenames=True):
        """Batches of the images that a column of a table names, with what other columns say of them."""
        if class_mode == "other":
            _warnings.warn("`class_mode` \"other\" is deprecated, please use `class_mode` \"raw\".", DeprecationWarning)
            class_mode = "raw"
        return DataFrameIterator(dataframe, directory, self, x_col=x_col, y_col=y_col, weight_col=weight_col, target_size=target_size,
                                 color_mode=color_mode, classes=classes, class_mode=class_mode, batch_size=batch_size, shuffle=shuffle,
                                 seed=seed, save_to_dir=save_to_dir, save_prefix=save_prefix, save_format=save_format, subset=subset,
                                 interpolation=interpolation, dtype=self.dtype, validate_filenames=validate_filenames)

    def _part_of_files(self, subset):
        if subset is None:
            return None
        if subset not in ("training", "validation"):
            raise ValueError("Invalid subset name: %s;expected \"training\" or \"validation\"" % subset)
        return (0, self._validation_split) if subset == "validation" else (self._validation_split, 1)

    # ---- one image

    def _changed(self, x):
        return self.standardize(self.apply_transform(x, self.get_random_transform(x.shape)))

    def standardize(self, x):
        """A batch or an image, normalised. It is changed in place."""
        if self.preprocessing_function:
            x = self.preprocessing_function(x)
        if self.rescale:
            x *= self.rescale
        if self.samplewise_center:
            x -= _np.mean(x, keepdims=True)
        if self.samplewise_std_normalization:
            x /= _np.std(x, keepdims=True) + 1e-6
        for wanted, known, name in ((self.featurewise_center, self.mean, "featurewise_center"),
                                    (self.featurewise_std_normalization, self.std, "featurewise_std_normalization"),
                                    (self.zca_whitening, self.zca_whitening_matrix, "zca_whitening")):
            if wanted and known is None:
                _warnings.warn("This ImageDataGenerator specifies `%s`, but it hasn't been fit on any training data. Fit it first by calling "
                               "`.fit(numpy_data)`." % name)
        if self.featurewise_center and self.mean is not None:
            x -= self.mean
        if self.featurewise_std_normalization and self.std is not None:
            x /= self.std + 1e-6
        if self.zca_whitening and self.zca_whitening_matrix is not None:
            x = _np.dot(x.reshape(-1, self.zca_whitening_matrix.shape[0]), self.zca_whitening_matrix).reshape(x.shape)
        return x

    @staticmethod
    def _moved_by(range_, size):
        if not range_:
            return 0
        try:  # of a list one of its numbers, up or down
            by = _np.random.choice(range_)
            by *= _np.random.choice([-1, 1])
        except ValueError:
            by = _np.random.uniform(-range_, range_)
        return by * size if _np.max(range_) < 1 else by

    def get_random_transform(self, img_shape, seed=None):
        """What is done to an image of this shape, by chance."""
        if seed is not None:
            _np.random.seed(seed)
        theta = _np.random.uniform(-self.rotation_range, self.rotation_range) if self.rotation_range else 0
        tx = self._moved_by(self.height_shift_range, img_shape[0])
        ty = self._moved_by(self.width_shift_range, img_shape[1])
        shear = _np.random.uniform(-self.shear_range, self.shear_range) if self.shear_range else 0
        zx, zy = (1, 1) if self.zoom_range[0] == 1 and self.zoom_range[1] == 1 else _np.random.uniform(*self.zoom_range, 2)
        flip_horizontal = (_np.random.random() < 0.5) * self.horizontal_flip
        flip_vertical = (_np.random.random() < 0.5) * self.vertical_flip
        intensity = _np.random.uniform(-self.channel_shift_range, self.channel_shift_range) if self.channel_shift_range != 0 else None
        brightness = _np.random.uniform(*self.brightness_range) if self.brightness_range is not None else None
        return {"theta": theta, "tx": tx, "ty": ty, "shear": shear, "zx": zx, "zy": zy, "flip_horizontal": flip_horizontal,
                "flip_vertical": flip_vertical, "channel_shift_intensity": intensity, "brightness": brightness}

    def apply_transform(self, x, transform_parameters):
        """An image, changed as get_random_transform says."""
        get = transform_parameters.get
        x = _transforms.apply_affine_transform(x, get("theta", 0), get("tx", 0), get("ty", 0), get("shear", 0), get("zx", 1), get("zy", 1),
                                               row_axis=0, col_axis=1, channel_axis=2, fill_mode=self.fill_mode, cval=self.cval,
                                               order=self.interpolation_order)
        if get("channel_shift_intensity") is not None:
            x = _transforms.apply_channel_shift(x, get("channel_shift_intensity"), 2)
        if get("flip_horizontal", False):
            x = x[:, ::-1]
        if get("flip_vertical", False):
            x = x[::-1]
        if get("brightness") is not None:
            x = _transforms.apply_brightness_shift(x, get("brightness"), False)
        return x

    def random_transform(self, x, seed=None):
        """An image, changed by chance."""
        return self.apply_transform(x, self.get_random_transform(x.shape, seed))

    def fit(self, x, augment=False, rounds=1, seed=None):
        """Looks at images, for what featurewise_center and its kin need of all of them."""
        x = _np.array(x, dtype=self.dtype)
        if x.ndim != 4:
            raise ValueError("Input to `.fit()` should have rank 4. Got array with shape: " + str(x.shape))
        _warn_of_channels(x.shape, "Expected input to be images (as Numpy array) following the data format convention \"channels_last\" (channels "
                                   "on axis 3)")
        if seed is not None:
            _np.random.seed(seed)
        if self.rescale:
            x *= self.rescale
        if augment:
            x = _np.stack([self.random_transform(one) for _ in range(rounds) for one in x])
        if self.featurewise_center:
            self.mean = _np.mean(x, axis=(0, 1, 2)).reshape(1, 1, -1)
            x -= self.mean
        if self.featurewise_std_normalization:
            self.std = _np.std(x, axis=(0, 1, 2)).reshape(1, 1, -1)
            x /= self.std + 1e-6
        if self.zca_whitening:
            count = len(x)
            _, sizes, directions = _np.linalg.svd(x.reshape(count, -1), full_matrices=False)
            scales = _np.sqrt(count) / (sizes + self.zca_epsilon)
            self.zca_whitening_matrix = (directions.T * scales) @ directions
