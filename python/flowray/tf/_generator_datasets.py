"""tf.data.Dataset.from_generator: each walk calls the generator of the program, in the process where the session is."""

import itertools as _itertools
import threading as _threading

import numpy as _np

from flowray import _native
from flowray.tf import _elements, _python_functions, _sparse_components
from flowray.tf._shape import TensorShape
from flowray.tf._sparse import SparseTensorSpec, SparseTensorValue


class _Walks:
    """The generators that walks are in, by number."""

    def __init__(self, make):
        self._make, self._numbers, self._walks, self._lock = make, _itertools.count(), {}, _threading.Lock()

    def begin(self, *args):
        walk = iter(self._make(*args))
        with self._lock:
            number = next(self._numbers)
            self._walks[number] = walk
        return _np.int64(number)

    def next(self, number):
        return next(self._walks[int(number)])

    def end(self, number):
        with self._lock:
            self._walks.pop(int(number), None)
        return _np.int64(0)


def _signature(output_types, output_shapes, output_signature):
    """The structure, and for each component its dtype and shape."""
    from flowray.tf._datasets import _shapes
    if output_signature is not None and (output_types is not None or output_shapes is not None):
        raise TypeError("The `output_types` and `output_shapes` arguments can not be used with the `output_signature` argument.")
    if output_signature is not None:
        specs = _elements.flatten(output_signature)
        return output_signature, [spec.dtype for spec in specs], [spec.shape for spec in specs]
    if output_types is None:
        raise TypeError("Either `output_types` or `output_signature` must be specified.")
    types = [_native.as_dtype(dtype) for dtype in _elements.flatten(output_types)]
    shapes = [TensorShape(None)] * len(types) if output_shapes is None else _shapes(output_types, output_shapes)
    return output_types, types, shapes


def _array(value, dtype, shape):
    try:
        array = _np.array(value, dtype.as_numpy_dtype)
    except (TypeError, ValueError) as error:
        raise TypeError("`generator` yielded an element that could not be converted to the expected type. The expected type was %s, but "
                        "the yielded element was %s." % (dtype.name, value)) from error
    if not shape.is_compatible_with(array.shape):
        raise TypeError("`generator` yielded an element of shape %s where an element of shape %s was expected."
                        % (array.shape, shape))
    return array


def _sparse_arrays(value, spec):
    """Indices, values and shape of a SparseTensorValue."""
    if not isinstance(value, SparseTensorValue):
        raise TypeError("`generator` yielded an element that could not be converted to the expected type. The expected type was %r, but "
                        "the yielded element was %s." % (spec, value))
    rank, int64 = spec.shape.ndims, _native.as_dtype("int64")
    parts = ((value.indices, int64, [None, rank]), (value.values, spec.dtype, [None]), (value.dense_shape, int64, [rank]))
    return [_array(part, dtype, TensorShape(shape)) for part, dtype, shape in parts]


class _Carried:
    """What of an element NumPy's arrays carry: of a sparse tensor three."""

    def __init__(self, specs, types, shapes):
        self._specs = [(spec if isinstance(spec, SparseTensorSpec) else None, dtype, shape) for spec, dtype, shape in zip(specs, types, shapes)]
        int64 = _native.as_dtype("int64")
        self.types = [part for spec, dtype, _ in self._specs for part in ([dtype] if spec is None else [int64, dtype, int64])]

    def arrays(self, values):
        return [part for value, (spec, dtype, shape) in zip(values, self._specs)
                for part in ([_array(value, dtype, shape)] if spec is None else _sparse_arrays(value, spec))]

    def components(self, tensors):
        tensors, components = iter(tensors), []
        for spec, _, shape in self._specs:
            if spec is None:
                components.append(next(tensors))
                components[-1].set_shape(shape)
                continue
            indices, values, dense_shape = (next(tensors) for _ in range(3))
            for part, known in ((indices, [None, spec.shape.ndims]), (values, [None]), (dense_shape, [spec.shape.ndims])):
                part.set_shape(known)
            components.append(_sparse_components.serialized(_native.SparseTensor(indices, values, dense_shape)))
        return components


def from_generator(dataset_class, generator, output_types, output_shapes, args, output_signature, name):
    """Dataset.from_generator."""
    if not callable(generator):
        raise TypeError("`generator` must be a Python callable.")
    structure, types, shapes = _signature(output_types, output_shapes, output_signature)
    carried = _Carried(_elements.flatten(structure), types, shapes)
    walks = _Walks(generator)
    int64 = _native.as_dtype("int64")
    args = () if args is None else tuple(_native.convert_to_tensor(arg) for arg in args)

    def next_arrays(number):
        element = walks.next(number)
        try:
            values = _elements.flatten_up_to(structure, element)
        except (KeyError, ValueError) as error:
            raise TypeError("`generator` yielded an element that did not match the expected structure. The expected structure was %s, but "
                            "the yielded element was %s." % (structure, element)) from error
        return carried.arrays(values)

    def begin(_):
        return [_scalar(_python_functions.py_func(walks.begin, args, int64))]

    def each(state):
        return carried.components(_python_functions.py_func(next_arrays, state, carried.types))

    def end(state):
        return [_scalar(_python_functions.py_func(walks.end, state, int64))]
    return dataset_class(_native._generator_dataset(begin, each, end, name), _elements.kinds_of(structure))


def _scalar(tensor):
    tensor.set_shape([])
    return tensor
