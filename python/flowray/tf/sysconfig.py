"""tf.sysconfig: how the package was built."""

import collections as _collections
import os as _os

from flowray.tf._switches import CXX11_ABI_FLAG, CXX_VERSION, MONOLITHIC_BUILD  # noqa: F401


def _no_ops_of_programs(function):
    raise NotImplementedError("tf.sysconfig.%s() is not there: ops that are written for TensorFlow cannot be compiled for Flowray\n"
                              "tf.py_func makes an operation of a function of Python's." % function)


def get_lib():
    """The folder of the package."""
    return _os.path.dirname(_os.path.dirname(_os.path.abspath(__file__)))


def get_build_info():
    """{what: whether it was built for it}."""
    return _collections.OrderedDict((name, False) for name in ("is_cuda_build", "is_rocm_build", "is_tensorrt_build"))


def get_include():
    """Raises NotImplementedError: there are no headers of TensorFlow's."""
    _no_ops_of_programs("get_include")


def get_compile_flags():
    """Raises NotImplementedError: there are no headers of TensorFlow's."""
    _no_ops_of_programs("get_compile_flags")


def get_link_flags():
    """Raises NotImplementedError: there is no library of TensorFlow's."""
    _no_ops_of_programs("get_link_flags")
