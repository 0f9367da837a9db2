"""Random numbers that a seed of two numbers decides alone: tf.random.stateless_*, by the ops of TensorFlow 1, whose numbers are those of the
newer ones."""

from flowray import tf as _tf


def _check(alg):
    if alg not in ("auto_select", "philox"):
        raise NotImplementedError("tf.random.stateless_* has the algorithm 'philox' only today, and got %r" % (alg,))


def _shape(shape):
    return _tf.convert_to_tensor(shape, dtype=_tf.int32 if not hasattr(shape, "dtype") else None, name="shape")


def stateless_uniform(shape, seed, minval=0, maxval=None, dtype=_tf.float32, name=None, alg="auto_select"):
    """Numbers from `minval` to below `maxval` (of floats 1 if left out; of integers, which have to be given both, int32 or int64)."""
    _check(alg)
    dtype = _tf.as_dtype(dtype)
    if maxval is None:
        if dtype.is_integer:
            raise ValueError("Must specify maxval for integer dtype %r" % dtype)
        maxval = 1
    with _tf.name_scope(name, "stateless_random_uniform", [shape, seed, minval, maxval]) as scope:
        shape = _shape(shape)
        minval = _tf.convert_to_tensor(minval, dtype=dtype, name="min")
        maxval = _tf.convert_to_tensor(maxval, dtype=dtype, name="max")
        if dtype.is_integer:
            return _tf.raw_ops.StatelessRandomUniformInt(shape=shape, seed=seed, minval=minval, maxval=maxval, name=scope)
        numbers = _tf.raw_ops.StatelessRandomUniform(shape=shape, seed=seed, dtype=dtype)
        return _tf.add(numbers * (maxval - minval), minval, name=scope)


def _normal(op, default_name, shape, seed, mean, stddev, dtype, name):
    with _tf.name_scope(name, default_name, [shape, seed, mean, stddev]) as scope:
        shape = _shape(shape)
        mean = _tf.convert_to_tensor(mean, dtype=dtype, name="mean")
        stddev = _tf.convert_to_tensor(stddev, dtype=dtype, name="stddev")
        return _tf.add(op(shape=shape, seed=seed, dtype=dtype) * stddev, mean, name=scope)


def stateless_normal(shape, seed, mean=0.0, stddev=1.0, dtype=_tf.float32, name=None, alg="auto_select"):
    """Numbers of a normal distribution."""
    _check(alg)
    return _normal(_tf.raw_ops.StatelessRandomNormal, "stateless_random_normal", shape, seed, mean, stddev, dtype, name)


def stateless_truncated_normal(shape, seed, mean=0.0, stddev=1.0, dtype=_tf.float32, name=None, alg="auto_select"):
    """Numbers of a normal distribution that lie within two standard deviations."""
    _check(alg)
    return _normal(_tf.raw_ops.StatelessTruncatedNormal, "stateless_truncated_normal", shape, seed, mean, stddev, dtype, name)
