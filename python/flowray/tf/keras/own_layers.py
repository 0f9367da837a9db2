"""Layers of tf.keras.layers that are written in Python, as a program's own would be."""

import base64 as _base64
import inspect as _inspect
import marshal as _marshal
import sys as _sys
import types as _types

from flowray import _native
from flowray import tf as _tf
from flowray.tf.keras import _custom_objects, activations, constraints, initializers, regularizers
from flowray.tf.keras import base_layer as _base_layer  # noqa: F401: gives Layer its methods
from flowray.tf.keras._backend_layers import turned_activation
from flowray.tf.keras._layer_options import layer_class, settled_data_format

Layer = _native.keras.Layer


@layer_class()
class Masking(_native.keras.Masking):
    """Times whose features are all `mask_value` do not count."""

    def __init__(self, mask_value=0.0, **options):
        super().__init__(mask_value=mask_value, **options)


class Lambda(Layer):
    """A function as a layer."""

    def __init__(self, function, output_shape=None, mask=None, arguments=None, **options):
        super().__init__(**options)
        self.function, self.arguments, self.mask, self._output_shape = function, dict(arguments or {}), mask, output_shape
        self._takes_mask = "mask" in _inspect.signature(function).parameters if callable(function) else False
        if mask is not None:
            self.supports_masking = True

    def call(self, inputs, mask=None, training=None):
        options = dict(self.arguments)
        parameters = _inspect.signature(self.function).parameters
        if "mask" in parameters:
            options["mask"] = mask
        if "training" in parameters:
            options["training"] = training
        return self.function(inputs, **options)

    def compute_mask(self, inputs, mask=None):
        if callable(self.mask):
            return self.mask(inputs, mask)
        return self.mask

    def get_config(self):
        function, kind, module = _function_config(self.function)
        config = {"function": function, "function_type": kind, "module": module}
        if self._output_shape is not None:
            shape, shape_kind, shape_module = _function_config(self._output_shape) if callable(self._output_shape) else (
                self._output_shape, "raw", None)
        else:
            shape, shape_kind, shape_module = None, "raw", None
        config.update(output_shape=shape, output_shape_type=shape_kind, output_shape_module=shape_module)
        if self.mask is not None:
            told, mask_kind, mask_module = _function_config(self.mask)
            config.update(mask=told, mask_type=mask_kind, mask_module=mask_module)
        config["arguments"] = self.arguments
        return {**super().get_config(), **config}

    @classmethod
    def from_config(cls, config):
        config = dict(config)
        function = _function_of(config.pop("function"), config.pop("function_type", "function"), config.pop("module", None))
        shape = config.pop("output_shape", None)
        kind, module = config.pop("output_shape_type", "raw"), config.pop("output_shape_module", None)
        if kind != "raw":
            shape = _function_of(shape, kind, module)
        if "mask" in config:
            config["mask"] = _function_of(config.pop("mask"), config.pop("mask_type", "function"), config.pop("mask_module", None))
        return cls(function, output_shape=shape, **config)


def _function_config(function):
    """(what tells of it, how, its module)"""
    if not callable(function):
        return function, "raw", None
    if isinstance(function, _types.LambdaType) and function.__name__ == "<lambda>":
        code = _base64.b64encode(_marshal.dumps(function.__code__)).decode("ascii")
        closure = tuple(cell.cell_contents for cell in function.__closure__) if function.__closure__ else None
        return (code + "\n", function.__defaults__, closure), "lambda", function.__module__
    return _custom_objects.get_registered_name(function), "function", function.__module__


def _function_of(told, kind, module):
    if kind == "function":
        if isinstance(told, dict):
            told = told["config"]
        function = _custom_objects.found(told)
        if function is None:
            raise ValueError("Unknown function in Lambda layer: '%s'. Please ensure you are using a `keras.utils.custom_object_scope` and that "
                             "this object is included in the scope." % told)
        return function
    if kind != "lambda":
        return told
    if isinstance(told, dict):
        told = (told["config"]["code"], told["config"]["defaults"], told["config"]["closure"])
    code, defaults, closure = told
    names = vars(_sys.modules.get(module) or _sys.modules["__main__"])
    cells = tuple(_types.CellType(value) for value in closure) if closure else None
    code = _marshal.loads(_base64.b64decode(code.encode("ascii")))
    return _types.FunctionType(code, names, "<lambda>", tuple(defaults) if defaults else None, cells)


class ActivityRegularization(Layer):
    """Adds l1 * sum(|x|) + l2 * sum(x^2) to the loss."""

    def __init__(self, l1=0.0, l2=0.0, **options):
        super().__init__(activity_regularizer=regularizers.L1L2(l1=l1, l2=l2), **options)
        self.supports_masking = True
        self.l1, self.l2 = l1, l2

    def call(self, inputs):
        return _tf.identity(inputs)

    def get_config(self):
        return {**super().get_config(), "l1": self.l1, "l2": self.l2}


class _Noise(Layer):
    def __init__(self, rate, seed=None, **options):
        super().__init__(**options)
        if not 0 <= rate <= 1:
            raise ValueError("Invalid value %s received for `rate`, expected a value between 0 and 1." % (rate,))
        self.supports_masking = True
        self.rate, self.seed = rate, seed

    def call(self, inputs, training=None):
        return self._noisy(inputs) if training and self._is_on() else _tf.identity(inputs)

    def _is_on(self):
        return 0 < self.rate < 1

    def get_config(self):
        return {**super().get_config(), "rate": self.rate, "seed": self.seed}


class GaussianDropout(_Noise):
    """In training each element is multiplied by a normal number of mean 1."""

    def _noisy(self, inputs):
        stddev = (self.rate / (1.0 - self.rate)) ** 0.5
        return inputs * _tf.random_normal(_tf.shape(inputs), mean=1.0, stddev=stddev, seed=self.seed)


class AlphaDropout(_Noise):
    """Dropout that keeps the mean and variance of selu's outputs. Source: Klambauer et al., 2017."""

    def __init__(self, rate, noise_shape=None, seed=None, **options):
        super().__init__(rate, seed, **options)
        self.noise_shape = noise_shape

    def _noisy(self, inputs):
        low = -1.7580993408473766
        shape = _tf.shape(inputs) if self.noise_shape is None else self.noise_shape
        kept = _tf.cast(_tf.random_uniform(shape, seed=self.seed) >= self.rate, inputs.dtype)
        scale = ((1.0 - self.rate) * (1.0 + self.rate * low ** 2)) ** -0.5
        return scale * (inputs * kept + low * (1.0 - kept)) - scale * low * self.rate

    def get_config(self):
        return {**super().get_config(), **({} if self.noise_shape is None else {"noise_shape": self.noise_shape})}


class SpatialDropout3D(_Noise):
    """Dropout of whole channels of volumes."""

    def __init__(self, rate, data_format=None, noise_shape=None, **options):
        if noise_shape is not None:
            raise ValueError("SpatialDropout3D takes no noise_shape: it drops whole channels")
        super().__init__(rate, **options)
        self.data_format = settled_data_format(self, data_format)

    def _noisy(self, inputs):
        shape = _tf.shape(inputs)
        return _tf.nn.dropout(inputs, rate=self.rate, noise_shape=[shape[0], 1, 1, 1, shape[4]])

    def get_config(self):
        return {**super().get_config(), "noise_shape": None}


def _sizes(value, count, what):
    sizes = (value,) * count if hasattr(value, "__index__") else tuple(value)
    if len(sizes) != count:
        raise ValueError("The `%s` argument must be a tuple of %d integers. Received: %s" % (what, count, value))
    return sizes


def _checked_padding(padding, known=("valid", "same")):
    padding = padding.lower()
    if padding not in known:
        raise ValueError("The `padding` argument must be a list/tuple or one of %s. Received: %s" % (set(known), padding))
    return padding


class _Convolution(Layer):
    """What the convolutions here have in common."""

    def __init__(self, filters, kernel_size, rank, strides, padding, data_format, dilation_rate, activation, use_bias, kernel_initializer,
                 bias_initializer, kernel_regularizer, bias_regularizer, kernel_constraint, bias_constraint, groups=1, **options):
        super().__init__(**options)
        self.data_format = settled_data_format(self, data_format)
        if groups != 1:
            raise NotImplementedError("%s(groups=%r) is not there yet: leave it out" % (type(self).__name__, groups))
        self.filters, self.kernel_size, self.strides = filters, _sizes(kernel_size, rank, "kernel_size"), _sizes(strides, rank, "strides")
        self.padding, self.dilation_rate, self.groups = _checked_padding(padding), _sizes(dilation_rate, rank, "dilation_rate"), groups
        self.activation, self.use_bias = activations.get(activation), use_bias
        self.kernel_initializer, self.bias_initializer = initializers.get(kernel_initializer), initializers.get(bias_initializer)
        self.kernel_regularizer, self.bias_regularizer = regularizers.get(kernel_regularizer), regularizers.get(bias_regularizer)
        self.kernel_constraint, self.bias_constraint = constraints.get(kernel_constraint), constraints.get(bias_constraint)

    def _channels(self, input_shape):
        channels = _tf.TensorShape(input_shape).as_list()[-1]
        if channels is None:
            raise ValueError("The channel dimension of the inputs should be defined. The input_shape received is %s." % (input_shape,))
        return channels

    def _add_bias(self):
        self.bias = self.add_weight(name="bias", shape=(self.filters,), initializer=self.bias_initializer, regularizer=self.bias_regularizer,
                                    constraint=self.bias_constraint) if self.use_bias else None

    def _finished(self, outputs):
        if self.use_bias:
            outputs = outputs + self.bias
        return turned_activation(self.data_format, self.activation)(outputs)

    def get_config(self):
        return {**super().get_config(), "filters": self.filters, "kernel_size": self.kernel_size, "strides": self.strides,
                "padding": self.padding, "data_format": self.data_format, "dilation_rate": self.dilation_rate, "groups": self.groups,
                "activation": activations.serialize(self.activation), "use_bias": self.use_bias,
                "kernel_initializer": initializers.serialize(self.kernel_initializer),
                "bias_initializer": initializers.serialize(self.bias_initializer),
                "kernel_regularizer": regularizers.serialize(self.kernel_regularizer),
                "bias_regularizer": regularizers.serialize(self.bias_regularizer), "activity_regularizer": None,
                "kernel_constraint": constraints.serialize(self.kernel_constraint),
                "bias_constraint": constraints.serialize(self.bias_constraint)}


class Conv3D(_Convolution):
    """A convolution over volumes [batch, depth, height, width, channels]."""

    def __init__(self, filters, kernel_size, strides=(1, 1, 1), padding="valid", data_format=None, dilation_rate=(1, 1, 1), groups=1,
                 activation=None, use_bias=True, kernel_initializer="glorot_uniform", bias_initializer="zeros", kernel_regularizer=None,
                 bias_regularizer=None, kernel_constraint=None, bias_constraint=None, **options):
        super().__init__(filters, kernel_size, 3, strides, padding, data_format, dilation_rate, activation, use_bias, kernel_initializer,
                         bias_initializer, kernel_regularizer, bias_regularizer, kernel_constraint, bias_constraint, groups, **options)
        if set(self.dilation_rate) != {1}:
            raise NotImplementedError("Conv3D(dilation_rate=%r) is not there yet: leave it out" % (dilation_rate,))

    def build(self, input_shape):
        self.kernel = self.add_weight(name="kernel", shape=(*self.kernel_size, self._channels(input_shape), self.filters),
                                      initializer=self.kernel_initializer, regularizer=self.kernel_regularizer,
                                      constraint=self.kernel_constraint)
        self._add_bias()
        super().build(input_shape)

    def call(self, inputs):
        return self._finished(_tf.nn.conv3d(inputs, self.kernel, strides=[1, *self.strides, 1], padding=self.padding.upper()))


class SeparableConv1D(_Convolution):
    """A convolution of each channel by itself, and one of size 1 over all of them."""

    def __init__(self, filters, kernel_size, strides=1, padding="valid", data_format=None, dilation_rate=1, depth_multiplier=1,
                 activation=None, use_bias=True, depthwise_initializer="glorot_uniform", pointwise_initializer="glorot_uniform",
                 bias_initializer="zeros", depthwise_regularizer=None, pointwise_regularizer=None, bias_regularizer=None,
                 depthwise_constraint=None, pointwise_constraint=None, bias_constraint=None, **options):
        super().__init__(filters, kernel_size, 1, strides, "valid" if padding == "causal" else padding, data_format, dilation_rate, activation,
                         use_bias, "glorot_uniform", bias_initializer, None, bias_regularizer, None, bias_constraint, **options)
        self.padding, self.depth_multiplier = padding, depth_multiplier
        self.depthwise_initializer, self.pointwise_initializer = initializers.get(depthwise_initializer), initializers.get(pointwise_initializer)
        self.depthwise_regularizer, self.pointwise_regularizer = regularizers.get(depthwise_regularizer), regularizers.get(pointwise_regularizer)
        self.depthwise_constraint, self.pointwise_constraint = constraints.get(depthwise_constraint), constraints.get(pointwise_constraint)

    def build(self, input_shape):
        channels = self._channels(input_shape)
        self.depthwise_kernel = self.add_weight(name="depthwise_kernel", shape=(*self.kernel_size, channels, self.depth_multiplier),
                                                initializer=self.depthwise_initializer, regularizer=self.depthwise_regularizer,
                                                constraint=self.depthwise_constraint)
        self.pointwise_kernel = self.add_weight(name="pointwise_kernel", shape=(1, channels * self.depth_multiplier, self.filters),
                                                initializer=self.pointwise_initializer, regularizer=self.pointwise_regularizer,
                                                constraint=self.pointwise_constraint)
        self._add_bias()
        super().build(input_shape)

    def call(self, inputs):
        padding = self.padding
        if padding == "causal":
            inputs, padding = _tf.pad(inputs, [[0, 0], [self.dilation_rate[0] * (self.kernel_size[0] - 1), 0], [0, 0]]), "valid"
        stride, rate = self.strides[0], self.dilation_rate[0]
        made = _tf.nn.separable_conv2d(_tf.expand_dims(inputs, 1), _tf.expand_dims(self.depthwise_kernel, 0),
                                       _tf.expand_dims(self.pointwise_kernel, 0), strides=[1, stride, stride, 1], padding=padding.upper(),
                                       rate=[1, rate])
        return self._finished(_tf.squeeze(made, [1]))

    def get_config(self):
        return {**super().get_config(), "depth_multiplier": self.depth_multiplier,
                "depthwise_initializer": initializers.serialize(self.depthwise_initializer),
                "pointwise_initializer": initializers.serialize(self.pointwise_initializer),
                "depthwise_regularizer": regularizers.serialize(self.depthwise_regularizer),
                "pointwise_regularizer": regularizers.serialize(self.pointwise_regularizer),
                "depthwise_constraint": constraints.serialize(self.depthwise_constraint),
                "pointwise_constraint": constraints.serialize(self.pointwise_constraint)}

    @classmethod
    def from_config(cls, config):
        names = ("groups", "kernel_initializer", "kernel_regularizer", "kernel_constraint")  # those of other convolutions
        return cls(**{name: value for name, value in config.items() if name not in names})


class _Pooling3D(Layer):
    _pool = None

    def __init__(self, pool_size=(2, 2, 2), strides=None, padding="valid", data_format=None, **options):
        super().__init__(**options)
        self.data_format = settled_data_format(self, data_format)
        self.pool_size = _sizes(pool_size, 3, "pool_size")
        self.strides = self.pool_size if strides is None else _sizes(strides, 3, "strides")
        self.padding = _checked_padding(padding)

    def call(self, inputs):
        return self._pool[0](inputs, ksize=[1, *self.pool_size, 1], strides=[1, *self.strides, 1], padding=self.padding.upper())

    def get_config(self):
        return {**super().get_config(), "pool_size": self.pool_size, "padding": self.padding, "strides": self.strides,
                "data_format": self.data_format}


class MaxPooling3D(_Pooling3D):
    """The greatest element of each window of volumes."""
    _pool = (_tf.nn.max_pool3d,)


class AveragePooling3D(_Pooling3D):
    """The mean of each window of volumes."""
    _pool = (_tf.nn.avg_pool3d,)


class _GlobalPooling3D(Layer):
    _reduce = None

    def __init__(self, data_format=None, keepdims=False, **options):
        super().__init__(**options)
        self.data_format = settled_data_format(self, data_format)
        self.keepdims = keepdims

    def call(self, inputs):
        return self._reduce[0](inputs, axis=[1, 2, 3], keepdims=self.keepdims)

    def get_config(self):
        return {**super().get_config(), "data_format": self.data_format, "keepdims": self.keepdims}


class GlobalMaxPooling3D(_GlobalPooling3D):
    """The greatest element of a volume."""
    _reduce = (_tf.reduce_max,)


class GlobalAveragePooling3D(_GlobalPooling3D):
    """The mean of a volume."""
    _reduce = (_tf.reduce_mean,)


def _three_pairs(value, what):
    if hasattr(value, "__index__"):
        return ((value, value),) * 3
    if len(value) != 3:
        raise ValueError("`%s` should have 3 elements. Found: %s." % (what, value))
    return tuple((one, one) if hasattr(one, "__index__") else tuple(one) for one in value)


class ZeroPadding3D(Layer):
    """Zeros around volumes."""

    def __init__(self, padding=(1, 1, 1), data_format=None, **options):
        super().__init__(**options)
        self.data_format = settled_data_format(self, data_format)
        self.padding = _three_pairs(padding, "padding")

    def call(self, inputs):
        return _tf.pad(inputs, [[0, 0], *map(list, self.padding), [0, 0]])

    def get_config(self):
        return {**super().get_config(), "padding": self.padding, "data_format": self.data_format}


class Cropping3D(Layer):
    """Volumes without what stands at their sides."""

    def __init__(self, cropping=((1, 1), (1, 1), (1, 1)), data_format=None, **options):
        super().__init__(**options)
        self.data_format = settled_data_format(self, data_format)
        self.cropping = _three_pairs(cropping, "cropping")

    def call(self, inputs):
        d, h, w = (slice(first, -last if last else None) for first, last in self.cropping)
        return inputs[:, d, h, w, :]

    def get_config(self):
        return {**super().get_config(), "cropping": self.cropping, "data_format": self.data_format}


class UpSampling3D(Layer):
    """Volumes of so many times their depth, height and width."""

    def __init__(self, size=(2, 2, 2), data_format=None, **options):
        super().__init__(**options)
        self.data_format = settled_data_format(self, data_format)
        self.size = _sizes(size, 3, "size")

    def call(self, inputs):
        for axis, times in enumerate(self.size, 1):
            inputs = _repeated(inputs, times, axis)
        return inputs

    def get_config(self):
        return {**super().get_config(), "size": self.size, "data_format": self.data_format}


def _repeated(x, times, axis):
    """Each slice along the axis so many times."""
    if times == 1:
        return x
    sizes = x.shape.as_list()
    wide = _tf.tile(_tf.expand_dims(x, axis + 1), [times if i == axis + 1 else 1 for i in range(len(sizes) + 1)])
    shape = _tf.shape(x)
    made = _tf.reshape(wide, [shape[i] * times if i == axis else shape[i] for i in range(len(sizes))])
    made.set_shape([size if i != axis or size is None else size * times for i, size in enumerate(sizes)])
    return made


class _DenseAttention(Layer):
    """Of queries, values and keys: [query, value] or [query, value, key]."""

    def __init__(self, dropout=0.0, causal=False, **options):
        super().__init__(**options)
        self.dropout, self.causal, self.supports_masking = dropout, causal, True

    def call(self, inputs, mask=None, training=None):
        if not isinstance(inputs, (list, tuple)) or len(inputs) not in (2, 3):
            raise ValueError("%s layer must be called on a list of inputs, namely [query, value] or [query, value, key]. Received: %s."
                             % (type(self).__name__, inputs))
        query, value = inputs[0], inputs[1]
        scores = self._scores(query, inputs[2] if len(inputs) > 2 else value)
        masks = mask or [None] * len(inputs)
        counts = None if masks[1] is None else _tf.expand_dims(masks[1], -2)
        if self.causal:
            shape = _tf.shape(scores)
            ones = _tf.ones([1, shape[1], shape[2]])
            lower = _tf.cast(_tf.matrix_band_part(ones, -1, 0), _tf.bool)
            counts = lower if counts is None else _tf.logical_and(counts, lower)
        if counts is not None:
            scores = scores - 1e9 * _tf.cast(_tf.logical_not(counts), scores.dtype)
        weights = _tf.nn.softmax(scores)
        if training and self.dropout > 0:
            weights = _tf.nn.dropout(weights, rate=self.dropout)
        made = _tf.matmul(weights, value)
        return made if masks[0] is None else made * _tf.expand_dims(_tf.cast(masks[0], made.dtype), -1)

    def compute_mask(self, inputs, mask=None):
        return None if mask is None else mask[0]

    def get_config(self):
        return {**super().get_config(), **({"causal": True} if self.causal else {}), "dropout": self.dropout}


class Attention(_DenseAttention):
    """Attention by products, or by tanh of sums where `score_mode` is "concat". Source: Luong et al., 2015."""

    def __init__(self, use_scale=False, score_mode="dot", **options):
        super().__init__(**options)
        if score_mode not in ("dot", "concat"):
            raise ValueError("Received: score_mode=%s. Acceptable values are: [\"dot\", \"concat\"]" % score_mode)
        self.use_scale, self.score_mode = use_scale, score_mode

    def build(self, input_shape):
        self.scale = self.add_weight(name="scale", shape=(), initializer="ones") if self.use_scale else None
        self.concat_score_weight = (self.add_weight(name="concat_score_weight", shape=(), initializer="ones")
                                    if self.score_mode == "concat" else None)
        super().build(input_shape)

    def _scores(self, query, key):
        if self.score_mode == "dot":
            scores = _tf.matmul(query, key, transpose_b=True)
            return scores if self.scale is None else scores * self.scale
        sums = _tf.expand_dims(query, -2) + _tf.expand_dims(key, -3)
        return self.concat_score_weight * _tf.reduce_sum(_tf.tanh(sums if self.scale is None else self.scale * sums), axis=-1)

    def get_config(self):
        return {**super().get_config(), "use_scale": self.use_scale, "score_mode": self.score_mode}


class AdditiveAttention(_DenseAttention):
    """Attention by tanh of sums. Source: Bahdanau et al., 2015."""

    def __init__(self, use_scale=True, **options):
        super().__init__(**options)
        self.use_scale = use_scale

    def build(self, input_shape):
        size = _tf.TensorShape(input_shape[1]).as_list()[-1]
        self.scale = self.add_weight(name="scale", shape=(size,), initializer="glorot_uniform") if self.use_scale else None
        super().build(input_shape)

    def _scores(self, query, key):
        made = _tf.tanh(_tf.expand_dims(query, -2) + _tf.expand_dims(key, -3))
        return _tf.reduce_sum(made if self.scale is None else made * self.scale, axis=-1)

    def get_config(self):
        return {**super().get_config(), "use_scale": self.use_scale}


MaxPool3D, AvgPool3D, GlobalMaxPool3D, GlobalAvgPool3D = MaxPooling3D, AveragePooling3D, GlobalMaxPooling3D, GlobalAveragePooling3D
Convolution3D, SeparableConvolution1D = Conv3D, SeparableConv1D
