"""tf.test.compute_gradient: derivatives by the graph's gradients beside those by differences."""

from flowray import _native


def _sizes(shape):
    return [int(size) for size in (shape.as_list() if hasattr(shape, "as_list") else shape)]


class _Jacobian:
    """dy / dx of one x: a row for each element of x, a column for each of y. A complex element is two."""

    def __init__(self, session, x, x_shape, y, y_shape, value, feeds):
        import numpy
        self._np, self._session = numpy, session
        self._x, self._y, self._feeds = x, y, feeds
        self._x_shape, self._y_shape = x_shape, y_shape
        self._ones = _native.ones(y_shape, y.dtype)
        (self._gradient,) = _native.train.gradients(y, [x], [_native.identity(self._ones)])
        self.value = numpy.asarray(value, x.dtype.base_dtype.as_numpy_dtype)

    def _real(self, array):
        """Its elements in a row, real and imaginary parts next to each other."""
        flat = self._np.ascontiguousarray(array).ravel()
        return flat.view(flat.real.dtype) if self._np.iscomplexobj(flat) else flat

    def _filled(self, shape, dtype):
        return self._np.zeros(shape, dtype.base_dtype.as_numpy_dtype)

    def by_graph(self):
        np = self._np
        columns = []
        weights = self._filled(self._y_shape, self._y.dtype)
        for k in range(self._real(weights).size):
            weights = self._filled(self._y_shape, self._y.dtype)
            self._real(weights)[k] = 1
            fed = {self._x: self.value, self._ones: weights, **self._feeds}
            gradient = self._session.run(self._gradient, fed)
            if hasattr(gradient, "indices"):  # rows of it
                dense = np.zeros(self._x_shape, gradient.values.dtype)
                np.add.at(dense, gradient.indices, gradient.values)
                gradient = dense
            columns.append(self._real(gradient))
        return np.stack(columns, 1) if columns else np.zeros((self._real(self.value).size, 0), self.value.dtype)

    def by_differences(self, delta):
        rows = []
        for k in range(self._real(self.value).size):
            values = []
            for sign in (1, -1):
                moved = self._np.array(self.value)
                self._real(moved)[k] += sign * delta
                values.append(self._real(self._session.run(self._y, {self._x: moved, **self._feeds})))
            rows.append((values[0] - values[1]) / (2 * delta))
        return self._np.stack(rows) if rows else self._np.zeros((0, self._np.prod(self._y_shape, dtype=int)))


def compute_gradient(x, x_shape, y, y_shape, x_init_value=None, delta=1e-3, init_targets=None, extra_feed_dict=None):
    """(dy/dx by the graph's gradients, by differences), as matrices; of a list of x, a list of these. Runs in the default session."""
    import numpy
    session = _native.get_default_session()
    if session is None:
        raise ValueError("compute_gradient runs steps: no default session is registered")
    is_list = isinstance(x, (list, tuple))
    for target in [] if init_targets is None else init_targets if isinstance(init_targets, (list, tuple)) else [init_targets]:
        session.run(target)
    tensors, shapes = (list(x), [_sizes(shape) for shape in x_shape]) if is_list else ([x], [_sizes(x_shape)])
    values = [None] * len(tensors) if x_init_value is None else list(x_init_value) if is_list else [x_init_value]
    for i, (tensor, shape) in enumerate(zip(tensors, shapes)):
        if values[i] is None:
            values[i] = numpy.random.uniform(size=shape)
            if tensor.dtype.is_complex:
                values[i] = values[i] + 1j * numpy.random.uniform(size=shape)
    feeds = dict(extra_feed_dict or {})
    results = []
    for i, (tensor, shape) in enumerate(zip(tensors, shapes)):
        others = {other: value for j, (other, value) in enumerate(zip(tensors, values)) if j != i}
        jacobian = _Jacobian(session, tensor, shape, y, _sizes(y_shape), values[i], {**others, **feeds})
        results.append((jacobian.by_graph(), jacobian.by_differences(delta)))
    return results if is_list else results[0]


def compute_gradient_error(x, x_shape, y, y_shape, x_init_value=None, delta=1e-3, init_targets=None, extra_feed_dict=None):
    """The greatest difference of the two matrices of compute_gradient."""
    found = compute_gradient(x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict)
    pairs = found if isinstance(found, list) else [found]
    return max([0.0] + [abs(one - other).max() for one, other in pairs if one.size and other.size])
