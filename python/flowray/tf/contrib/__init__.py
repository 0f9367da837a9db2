"""tf.contrib: the names that programs of TensorFlow 1 use most."""

from types import SimpleNamespace as _Namespace

from flowray import _native
from flowray.tf.examples.tutorials.mnist import input_data as _input_data


def xavier_initializer(uniform=True, seed=None, dtype=None):
    make = _native.glorot_uniform_initializer if uniform else _native.glorot_normal_initializer
    return make(seed)


def _variance_scaling_initializer(factor=2.0, mode="FAN_IN", uniform=False, seed=None, dtype=None):
    distribution = "uniform" if uniform else "truncated_normal"
    return _native.variance_scaling_initializer(factor, mode.lower(), distribution, seed)


layers = _Namespace(
    xavier_initializer=xavier_initializer, xavier_initializer_conv2d=xavier_initializer,
    variance_scaling_initializer=_variance_scaling_initializer)
framework = _Namespace(get_or_create_global_step=_native.train.get_or_create_global_step)
learn = _Namespace(datasets=_Namespace(mnist=_input_data, load_dataset=lambda name: _input_data.read_data_sets(name)))
