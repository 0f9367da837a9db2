"""tf.keras.layers.InputSpec: what a layer expects of its inputs, and what the language's layers say of theirs."""

from flowray import _native
from flowray import tf as _tf
from flowray.tf import _nest


class InputSpec:
    """The dtype, shape, rank and sizes of some dimensions that an input must have; None where any will do."""

    def __init__(self, dtype=None, shape=None, ndim=None, max_ndim=None, min_ndim=None, axes=None, allow_last_axis_squeeze=False, name=None):
        self.dtype = None if dtype is None else _tf.as_dtype(dtype).name
        self.shape = None if shape is None else tuple(_tf.TensorShape(shape).as_list())
        self.ndim = ndim if self.shape is None else len(self.shape)
        self.max_ndim, self.min_ndim, self.name, self.allow_last_axis_squeeze = max_ndim, min_ndim, name, allow_last_axis_squeeze
        try:
            self.axes = {int(axis): size for axis, size in (axes or {}).items()}
        except (ValueError, TypeError):
            raise TypeError("Argument `axes` must be a dict with integer keys. Received: axes=%s" % (axes,)) from None
        most = self.ndim if self.ndim is not None else max_ndim
        if self.axes and most is not None and max(self.axes) > most - 1:
            raise ValueError("Axis %d is greater than the maximum allowed value: %d" % (max(self.axes), most - 1))

    def __repr__(self):
        told = [("dtype", self.dtype), ("shape", self.shape), ("ndim", self.ndim), ("max_ndim", self.max_ndim), ("min_ndim", self.min_ndim),
                ("axes", self.axes)]
        return "InputSpec(%s)" % ", ".join("%s=%s" % pair for pair in told if pair[1])

    def get_config(self):
        """The arguments that make such a spec."""
        return {name: getattr(self, name) for name in ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes")}

    @classmethod
    def from_config(cls, config):
        return cls(**config)

    def check(self, value, place, layer_name):
        """ValueError where the tensor is not so; `place`: its number among the layer's inputs."""
        if value.shape.ndims is None:
            return
        shape = value.shape.as_list()
        if self.allow_last_axis_squeeze and shape and shape[-1] == 1:
            shape = shape[:-1]
        what = "Input %d of layer \"%s\" is incompatible with the layer: " % (place, layer_name)
        full = ". Full shape received: %s" % (tuple(value.shape.as_list()),)
        if self.ndim is not None and not self.allow_last_axis_squeeze and len(shape) != self.ndim:
            raise ValueError("%sexpected ndim=%s, found ndim=%d%s" % (what, self.ndim, len(shape), full))
        if self.max_ndim is not None and len(shape) > self.max_ndim:
            raise ValueError("%sexpected max_ndim=%s, found ndim=%d" % (what, self.max_ndim, len(shape)))
        if self.min_ndim is not None and len(shape) < self.min_ndim:
            raise ValueError("%sexpected min_ndim=%s, found ndim=%d%s" % (what, self.min_ndim, len(shape), full))
        if self.dtype is not None and value.dtype.name != self.dtype:
            raise ValueError("%sexpected dtype=%s, found dtype=%s" % (what, self.dtype, value.dtype))
        for axis, size in self.axes.items():
            if size is not None and shape[axis] not in (size, None):
                raise ValueError("%sexpected axis %d of input shape to have value %s, but received input with shape %s"
                                 % (what, axis, size, tuple(value.shape.as_list())))
        for wanted, size in zip(self.shape or (), shape):
            if None not in (wanted, size) and wanted != size:
                raise ValueError("%sexpected shape=%s, found shape=%s" % (what, self.shape, tuple(value.shape.as_list())))


def check(specs, inputs, layer_name):
    """Each input by the spec in its place."""
    specs, inputs = _nest.flatten(specs), _nest.flatten(inputs)
    if len(specs) != len(inputs):
        raise ValueError("Layer \"%s\" expects %d input(s), but it received %d input tensors. Inputs received: %s"
                         % (layer_name, len(specs), len(inputs), inputs))
    for place, (spec, value) in enumerate(zip(specs, inputs)):
        if spec is not None:
            spec.check(value, place, layer_name)


# ---- what the language's layers expect

_RANKS = {"1D": 3, "2D": 4, "3D": 5}
_OF_ONE_RANK = ("Pooling", "Padding", "Cropping", "Spatial", "UpSampling")
_LAST_CHANNELS = {"Dense": 2, "Conv1D": 3, "Conv2D": 4, "Conv3D": 5, "DepthwiseConv2D": 4}  # the least rank; the last size is kept
_CHANNELS_ONCE_BUILT = {"Conv2DTranspose": 4, "Conv3DTranspose": 5, "SeparableConv1D": 3, "SeparableConv2D": 4}
_LOCAL = {"LocallyConnected1D": 3, "LocallyConnected2D": 4}


def _built_shape(layer):
    """Of the inputs that the layer was made for; None before."""
    shape = layer.__dict__.get("_build_input_shape")
    if shape is None and layer._calls:
        shape = layer.get_input_shape_at(0)
    return None if shape is None or isinstance(shape, list) else tuple(_tf.TensorShape(shape).as_list())


def of_layer(layer):
    """What a layer of the language's expects; None where anything will do."""
    name, shape = layer._class_name, _built_shape(layer)
    last = {-1: shape[-1]} if shape else None
    if shape and getattr(layer, "data_format", None) == "channels_first" and name != "Dense":
        axis = 1 if name in _LOCAL else 1 - len(shape)
        last = {axis: shape[1]}
    if name in _LAST_CHANNELS:
        return InputSpec(min_ndim=_LAST_CHANNELS[name], axes=last)
    if name in _CHANNELS_ONCE_BUILT:
        rank = _CHANNELS_ONCE_BUILT[name]
        return InputSpec(ndim=rank, axes=last) if shape else InputSpec(min_ndim=rank)
    if name in _LOCAL:
        return InputSpec(ndim=_LOCAL[name], axes=last)
    if name in ("SimpleRNN", "LSTM", "GRU"):
        return [InputSpec(shape=(None, None, shape[-1])) if shape else InputSpec(ndim=3)]
    if name == "Bidirectional":
        return [InputSpec(ndim=3)]
    if name == "TimeDistributed":
        return InputSpec(shape=(None, None, *shape[2:])) if shape else None
    if name == "BatchNormalization":
        return InputSpec(ndim=len(shape), axes={axis % len(shape): shape[axis] for axis in layer._axes}) if shape else None
    if name == "PReLU":
        return InputSpec(ndim=len(shape)) if shape else None
    if name == "Flatten":
        return InputSpec(min_ndim=1)
    if name == "Permute":
        return InputSpec(ndim=1 + len(layer.dims))
    if name == "RepeatVector":
        return InputSpec(ndim=2)
    if name != "UpSampling3D" and any(word in name for word in _OF_ONE_RANK) and name[-2:] in _RANKS:
        return InputSpec(ndim=_RANKS[name[-2:]])
    return None


def _spec_of(layer):
    if "_input_spec" in layer.__dict__:
        return layer.__dict__["_input_spec"]
    is_models = isinstance(layer, _native.keras.Model) or isinstance(layer, _native.keras.InputLayer)
    return None if is_models else of_layer(layer)


def _set_spec(layer, spec):
    if any(one is not None and not isinstance(one, InputSpec) for one in _nest.flatten(spec)):
        raise TypeError("Layer input_spec must be an instance of InputSpec. Got: %s" % (spec,))
    layer.__dict__["_input_spec"] = spec


_native.keras.Layer.input_spec = property(_spec_of, _set_spec)
