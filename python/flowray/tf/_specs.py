"""tf.DeviceSpec and tf.TensorSpec: names of devices, and of what tensors are, as values."""

from flowray import _native
from flowray.tf._shape import TensorShape

_PARTS = ("job", "replica", "task", "device_type", "device_index")


class DeviceSpec:
    """The name of a device in its parts; None is left open."""

    def __init__(self, job=None, replica=None, task=None, device_type=None, device_index=None):
        self.job = None if job is None else str(job)
        self.replica = None if replica is None else int(replica)
        self.task = None if task is None else int(task)
        self.device_type = None if device_type is None else str(device_type).upper() if str(device_type) in ("cpu", "gpu") else str(device_type)
        self.device_index = None if device_index is None else int(device_index)

    @classmethod
    def from_string(cls, spec):
        """What "/job:ps/replica:0/task:0/device:CPU:0" and its like say."""
        return cls().parse_from_string(spec)

    def parse_from_string(self, spec):
        parts = dict.fromkeys(_PARTS)
        for piece in filter(None, spec.split("/")):
            key, *values = piece.split(":")
            if len(values) == 1 and key in ("job", "replica", "task"):
                parts[key] = values[0] if key == "job" else int(values[0])
            elif key.lower() in ("cpu", "gpu") and len(values) == 1:
                parts["device_type"], parts["device_index"] = key.upper(), None if values[0] == "*" else int(values[0])
            elif key == "device" and len(values) == 2:
                parts["device_type"], parts["device_index"] = values[0], None if values[1] == "*" else int(values[1])
            elif key:
                raise ValueError("Unknown attribute '%s' is encountered while parsing the device spec: '%s'." % (key, spec))
        DeviceSpec.__init__(self, **parts)
        return self

    def to_string(self):
        text = "".join("/%s:%s" % (part, getattr(self, part)) for part in ("job", "replica", "task") if getattr(self, part) is not None)
        if self.device_type is not None:
            text += "/device:%s:%s" % (self.device_type, "*" if self.device_index is None else self.device_index)
        return text

    def _merged(self, first, second):
        return {part: getattr(second, part) if getattr(first, part) is None else getattr(first, part) for part in _PARTS}

    def merge_from(self, dev):
        """Takes what `dev` says over what this one does."""
        DeviceSpec.__init__(self, **self._merged(dev, self))

    def make_merged_spec(self, dev):
        return type(self)(**self._merged(dev, self))

    def replace(self, **parts):
        return type(self)(**{**{part: getattr(self, part) for part in _PARTS}, **parts})

    def __eq__(self, other):
        return isinstance(other, DeviceSpec) and all(getattr(self, part) == getattr(other, part) for part in _PARTS)

    def __hash__(self):
        return hash(tuple(getattr(self, part) for part in _PARTS))

    def __repr__(self):
        return "<DeviceSpec(%s)>" % ", ".join("%s=%s" % (part, getattr(self, part)) for part in _PARTS)


class TensorSpec:
    """The shape and dtype of tensors, and a name for them."""

    def __init__(self, shape, dtype=_native.as_dtype("float32"), name=None):
        self._shape, self._dtype, self._name = TensorShape(shape), _native.as_dtype(dtype), name

    shape = property(lambda self: self._shape)
    dtype = property(lambda self: self._dtype)
    name = property(lambda self: self._name)

    @classmethod
    def from_tensor(cls, tensor, name=None):
        return cls(tensor.shape, tensor.dtype, name or tensor.op.name)

    @classmethod
    def from_spec(cls, spec, name=None):
        return cls(spec.shape, spec.dtype, name or spec.name)

    def is_compatible_with(self, spec_or_tensor):
        """Whether a tensor, or one of that spec, may be of this spec."""
        return self.dtype == spec_or_tensor.dtype.base_dtype and self.shape.is_compatible_with(spec_or_tensor.shape)

    def __eq__(self, other):
        return isinstance(other, TensorSpec) and repr(self) == repr(other)

    def __hash__(self):
        return hash(repr(self))

    def __repr__(self):
        return "TensorSpec(shape=%s, dtype=%r, name=%r)" % (self.shape, self.dtype, self.name)
