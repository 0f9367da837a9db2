"""tf.keras.backend: functions on tensors by Keras' names."""

import numpy as _np

from flowray import _native
from flowray import tf as _tf
from flowray.tf.keras import activations as _activations
from flowray.tf.keras import base_layer as _base_layer
from flowray.tf.keras import losses as _losses
from flowray.tf.keras._backend_layers import (batch_normalization, conv1d, conv2d_transpose, conv3d, ctc_batch_cost, ctc_decode,
                                              ctc_label_dense_to_sparse, depthwise_conv2d, learning_phase_scope, local_conv1d, local_conv2d,
                                              manual_variable_initialization, name_scope, normalize_batch_in_training, pool3d, print_tensor,
                                              random_bernoulli, resize_images, resize_volumes, rnn, separable_conv2d, spatial_3d_padding,
                                              to_dense)
from flowray.tf.keras._backend_layers import of_images as _of_images
from flowray.tf.keras._backend_layers import turned_bias as _turned_bias

_settings = {"epsilon": 1e-7, "floatx": "float32", "image_data_format": "channels_last", "learning_phase": None}


def backend():
    """"tensorflow", whose graphs these are."""
    return "tensorflow"


def epsilon():
    """A small number."""
    return _settings["epsilon"]


def set_epsilon(value):
    """Another small number, for what calls epsilon()."""
    _settings["epsilon"] = value


def floatx():
    """The dtype of inputs and weights where nothing else is said: "float32", or what set_floatx() said."""
    return _settings["floatx"]


def set_floatx(value):
    """From now on inputs and weights are this where nothing else is said: "float32" or "float64"."""
    if value not in ("float16", "float32", "float64"):
        raise ValueError("Unknown `floatx` value: %s. Expected one of {'float64', 'float16', 'float32'}" % value)
    if value == "float16":
        raise NotImplementedError("set_floatx('float16') is not there: weights are float32 or float64")
    _native.keras._set_floatx(value)
    _settings["floatx"] = value


def image_data_format():
    """"channels_last", or "channels_first" where set_image_data_format() said so."""
    return _settings["image_data_format"]


def set_image_data_format(data_format):
    """Where images have their channels, for layers and functions from now on that are not told data_format=."""
    if data_format not in ("channels_last", "channels_first"):
        raise ValueError("Unknown `data_format`: %s. Expected one of {'channels_last', 'channels_first'}" % data_format)
    _settings["image_data_format"] = str(data_format)


def learning_phase():
    """1 in the calls of layers for training, else 0."""
    training = _base_layer.current_training()
    if training is None:
        training = _settings["learning_phase"]
    return int(bool(training))


def set_learning_phase(value):
    """What learning_phase() says outside of calls."""
    if value not in (0, 1):
        raise ValueError("Expected learning phase to be 0 or 1.")
    _settings["learning_phase"] = value


def in_train_phase(x, alt, training=None):
    """`x` in training, else `alt`; each may be a function."""
    training = learning_phase() if training is None else training
    if isinstance(training, _native.Tensor):
        return _tf.cond(_tf.cast(training, _tf.bool), x if callable(x) else lambda: x, alt if callable(alt) else lambda: alt)
    chosen = x if training in (1, True) else alt
    return chosen() if callable(chosen) else chosen


def in_test_phase(x, alt, training=None):
    """The other way round."""
    return in_train_phase(alt, x, training)


class _ModelsSession(_tf.Session):
    """The session that the models of a graph share."""

    def __init__(self, graph):
        _native.BaseSession.__init__(self, graph, is_of_models=True)


_kept = None  # the session that a program has asked for last, or given: it stays


def get_session(op_input_list=()):
    """The session that models run in, with first values for variables: the default one, else one that the models of the default graph share."""
    global _kept
    if _tf.executing_eagerly():
        raise RuntimeError("Cannot get session inside Tensorflow graph function.\nWhile operations run at once there are no sessions.")
    session, graph = _tf.get_default_session(), _tf.get_default_graph()
    if session is None:
        if _kept is None or _kept.graph is not graph:
            _kept = _ModelsSession(graph)
        session = _kept
    _native.keras._give_first_values(session.graph)
    return session


def bare_session_of_models(graph):
    """The default session where it is of this graph, else one that the models of the graph share."""
    session = _tf.get_default_session()
    return _ModelsSession(graph) if session is None or session.graph is not graph else session


def session_of_models(graph):
    """The same, with first values for variables."""
    session = bare_session_of_models(graph)
    _native.keras._give_first_values(graph)
    return session


def set_session(session):
    """From now on models of the session's graph run in it, where there is no default session; None: in one of their own."""
    global _kept
    if session is None:
        _native.keras._share_no_session(_tf.get_default_graph())
    else:
        session._share_with_models()
    _kept = session


def clear_session():
    """A new default graph, and names that count from the beginning."""
    global _kept
    _kept = None
    _tf.reset_default_graph()
    reset_uids()


def reset_uids():
    """get_uid() and the names of layers count from the beginning, in each graph."""
    _native.keras._reset_uids()


def get_uid(prefix=""):
    """The next number for a name, in the default graph."""
    return _native.keras._next_uid(prefix)


# ---- tensors and variables

def variable(value, dtype=None, name=None, constraint=None):
    """A variable with this first value."""
    value = _np.asarray(value, dtype) if not isinstance(value, _native.Tensor) else value
    if isinstance(value, _np.ndarray) and dtype is None and value.dtype == _np.float64:
        value = value.astype(floatx())
    return _tf.Variable(value, name=name, constraint=constraint)


def constant(value, dtype=None, shape=None, name=None):
    """A constant of floatx()."""
    return _tf.constant(value, dtype=dtype or floatx(), shape=shape, name=name or "Const")


def placeholder(shape=None, ndim=None, dtype=None, sparse=False, name=None, ragged=False):
    """A placeholder of floatx()."""
    if sparse or ragged:
        raise NotImplementedError("backend.placeholder(sparse=, ragged=) is not there yet")
    shape = [None] * ndim if shape is None and ndim else shape
    return _tf.placeholder(dtype or floatx(), shape, name=name)


def is_placeholder(x):
    """Whether a value is fed for it."""
    return isinstance(x, _native.Tensor) and x.op.type == "Placeholder"


def is_keras_tensor(x):
    """Whether it came through layers from tf.keras.Input on."""
    if not isinstance(x, (_native.Tensor, _native.Variable)):
        raise ValueError("Unexpectedly found an instance of type `%s`. Expected a symbolic tensor instance." % type(x))
    return isinstance(x, _native.keras.KerasTensor)


def is_sparse(tensor):
    """Whether it is a SparseTensor."""
    return isinstance(tensor, _tf.SparseTensor)


def shape(x):
    """The shape as a tensor."""
    return _tf.shape(x)


def int_shape(x):
    """The shape as a tuple, with None where a size is not known; None where the rank is not."""
    try:
        return tuple(x.shape.as_list())
    except (ValueError, AttributeError):
        return None


def ndim(x):
    """The number of dimensions."""
    return x.shape.ndims


def dtype(x):
    """The name of the dtype."""
    return x.dtype.base_dtype.name


def cast(x, dtype):
    """Elements of another dtype."""
    return _tf.cast(x, dtype)


def cast_to_floatx(x):
    """As floatx()."""
    return _tf.cast(x, floatx()) if isinstance(x, (_native.Tensor, _native.Variable)) else _np.asarray(x, floatx())


def eval(x):  # noqa: A001: Keras' name
    """The value of a tensor or variable."""
    if _tf.executing_eagerly():
        return x.numpy()
    x = _tf.convert_to_tensor(x)
    with x.graph.as_default():
        return get_session().run(x)  # which stays: the variables that x is made of have their values there


def get_value(x):
    """The value of a variable."""
    if not isinstance(x, _native.Variable):
        return eval(x)
    values, session = _native.keras._values_of([x])
    x._kept_session = session  # the models' one, in which it has its value: that stays as long as somebody has the variable
    return values[0]


def batch_get_value(tensors):
    """The values of variables."""
    return [get_value(tensor) for tensor in tensors]


def set_value(x, value):
    """Gives a variable a value."""
    x._kept_session = _native.keras._set_value(x, _np.asarray(value))


def batch_set_value(tuples):
    """Gives variables values: [(variable, value)]."""
    for x, value in tuples:
        set_value(x, value)


def zeros(shape, dtype=None, name=None):
    """Zeros, as a variable."""
    return _tf.Variable(_tf.zeros(shape, dtype or floatx()), name=name)


def ones(shape, dtype=None, name=None):
    """Ones, as a variable."""
    return _tf.Variable(_tf.ones(shape, dtype or floatx()), name=name)


def eye(size, dtype=None, name=None):
    """The identity matrix, as a variable."""
    return _tf.Variable(_tf.eye(size, dtype=dtype or floatx()), name=name)


def zeros_like(x, dtype=None, name=None):
    """Zeros of its shape."""
    return _tf.zeros_like(x, dtype=dtype, name=name)


def ones_like(x, dtype=None, name=None):
    """Ones of its shape."""
    return _tf.ones_like(x, dtype=dtype, name=name)


def identity(x, name=None):
    """x"""
    return _tf.identity(x, name=name)


def _seeded(seed):
    return _np.random.randint(10000000) if seed is None else seed


def random_uniform_variable(shape, low, high, dtype=None, name=None, seed=None):
    """A variable of numbers of an interval."""
    return _tf.Variable(_tf.random_uniform(shape, low, high, dtype=dtype or floatx(), seed=_seeded(seed)), name=name)


def random_normal_variable(shape, mean, scale, dtype=None, name=None, seed=None):
    """A variable of normal numbers."""
    return _tf.Variable(_tf.random_normal(shape, mean, scale, dtype=dtype or floatx(), seed=_seeded(seed)), name=name)


def random_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    """Normal numbers."""
    return _tf.random_normal(shape, mean=mean, stddev=stddev, dtype=dtype or floatx(), seed=_seeded(seed))


def random_uniform(shape, minval=0.0, maxval=1.0, dtype=None, seed=None):
    """Numbers of an interval."""
    return _tf.random_uniform(shape, minval=minval, maxval=maxval, dtype=dtype or floatx(), seed=_seeded(seed))


def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    """Normal numbers of at most two standard deviations."""
    return _tf.truncated_normal(shape, mean, stddev, dtype=dtype or floatx(), seed=_seeded(seed))


def random_binomial(shape, p=0.0, dtype=None, seed=None):
    """1 by the chance of p, else 0."""
    return _tf.cast(_tf.random_uniform(shape, dtype="float32", seed=_seeded(seed)) <= p, dtype or floatx())


def count_params(x):
    """The number of elements."""
    return int(_np.prod(x.shape.as_list()))


def update(x, new_x):
    """x = new_x"""
    return _tf.assign(x, new_x)


def update_add(x, increment):
    """x += increment"""
    return _tf.assign_add(x, increment)


def update_sub(x, decrement):
    """x -= decrement"""
    return _tf.assign_sub(x, decrement)


# ---- products and reductions

def dot(x, y):
    """Products, summed along the last dimension of x and the last but one of y."""
    if ndim(x) is not None and (ndim(x) > 2 or ndim(y) > 2):
        return _tf.tensordot(x, y, [[ndim(x) - 1], [ndim(y) - 2 if ndim(y) > 1 else 0]])
    return _tf.matmul(x, y)


def batch_dot(x, y, axes=None):
    """Products of the elements of two batches, summed along an axis of each."""
    if axes is None:
        axes = [1, 1] if ndim(y) == 2 else [ndim(x) - 1, ndim(y) - 2]
    axes = [axes, axes] if isinstance(axes, int) else list(axes)
    axes = [axis + ndim(one) if axis < 0 else axis for axis, one in zip(axes, (x, y))]
    if 0 in axes:
        raise ValueError("Cannot perform batch_dot over axis 0. If your inputs are not batched, add a dummy batch dimension.")
    first_rank, second_rank = ndim(x), ndim(y)
    x = _tf.expand_dims(x, 1) if first_rank == 2 else x
    axes[0] += 1 if first_rank == 2 else 0
    y = _tf.expand_dims(y, 2) if second_rank == 2 else y
    x = x if axes[0] == ndim(x) - 1 else _tf.transpose(x, [i for i in range(ndim(x)) if i != axes[0]] + [axes[0]])
    y = y if axes[1] == 1 else _tf.transpose(y, [0, axes[1]] + [i for i in range(1, ndim(y)) if i != axes[1]])
    if ndim(x) != 3 or ndim(y) != 3:
        raise NotImplementedError("backend.batch_dot of tensors of more than three dimensions is not there yet")
    made = _tf.matmul(x, y)
    if first_rank == 2:
        made = _tf.squeeze(made, 1)
    if second_rank == 2:
        made = _tf.squeeze(made, -1)
    return _tf.expand_dims(made, 1) if ndim(made) == 1 else made


def transpose(x):
    """Dimensions the other way round."""
    return _tf.transpose(x)


def gather(reference, indices):
    """Rows by number."""
    return _tf.gather(reference, indices)


def _reduced(function, casts=False):
    def reduced(x, axis=None, keepdims=False):
        x = _tf.convert_to_tensor(x)
        if casts and x.dtype.base_dtype == _tf.bool:
            x = _tf.cast(x, floatx())
        return function(x, axis=axis, keepdims=keepdims)
    return reduced


max, min, sum, prod = (_reduced(one) for one in (_tf.reduce_max, _tf.reduce_min, _tf.reduce_sum, _tf.reduce_prod))  # noqa: A001: Keras' names
mean, logsumexp = _reduced(_tf.reduce_mean, casts=True), _reduced(_tf.reduce_logsumexp)


def var(x, axis=None, keepdims=False):
    """The variance."""
    x = _tf.convert_to_tensor(x)
    x = _tf.cast(x, floatx()) if x.dtype.base_dtype == _tf.bool else x
    apart = x - _tf.reduce_mean(x, axis=axis, keepdims=True)
    return _tf.reduce_mean(_tf.square(apart), axis=axis, keepdims=keepdims)


def std(x, axis=None, keepdims=False):
    """The standard deviation."""
    return _tf.sqrt(var(x, axis, keepdims))


def any(x, axis=None, keepdims=False):  # noqa: A001
    """Whether one is true."""
    return _tf.reduce_any(_tf.cast(x, _tf.bool), axis=axis, keepdims=keepdims)


def all(x, axis=None, keepdims=False):  # noqa: A001
    """Whether all are true."""
    return _tf.reduce_all(_tf.cast(x, _tf.bool), axis=axis, keepdims=keepdims)


def cumsum(x, axis=0):
    """Sums of the elements until each."""
    return _tf.cumsum(x, axis=axis)


def cumprod(x, axis=0):
    """Products of the elements until each."""
    return _tf.cumprod(x, axis=axis)


def argmax(x, axis=-1):
    """Where the greatest stands."""
    return _tf.argmax(x, axis)


def argmin(x, axis=-1):
    """Where the least stands."""
    return _tf.argmin(x, axis)


# ---- element by element

square, abs, exp, log, round, sign, sin, cos = (  # noqa: A001
    _tf.square, _tf.abs, _tf.exp, _tf.log, _tf.round, _tf.sign, _tf.sin, _tf.cos)
equal, not_equal, greater, greater_equal, less, less_equal = (
    _tf.equal, _tf.not_equal, _tf.greater, _tf.greater_equal, _tf.less, _tf.less_equal)
maximum, minimum = _tf.maximum, _tf.minimum


def sqrt(x):
    """The root; 0 for what is below 0."""
    return _tf.sqrt(_tf.maximum(x, 0.0))


def pow(x, a):  # noqa: A001
    """x to the power of a."""
    return _tf.pow(x, a)


def clip(x, min_value, max_value):
    """x between the limits."""
    if isinstance(min_value, (int, float)) and isinstance(max_value, (int, float)) and max_value < min_value:
        max_value = min_value
    return _tf.clip_by_value(x, -_np.inf if min_value is None else min_value, _np.inf if max_value is None else max_value)


relu, elu, softmax, softplus, softsign, sigmoid, hard_sigmoid, tanh = (
    _activations.relu, _activations.elu, _activations.softmax, _activations.softplus, _activations.softsign, _activations.sigmoid,
    _activations.hard_sigmoid, _activations.tanh)


def dropout(x, level, noise_shape=None, seed=None):
    """Each element 0 by the chance of `level`."""
    return _tf.nn.dropout(x, rate=level, noise_shape=noise_shape, seed=_seeded(seed))


def l2_normalize(x, axis=None):
    """Vectors along an axis of length 1."""
    return _tf.nn.l2_normalize(x, axis=axis)


def in_top_k(predictions, targets, k):
    """Whether the target is among the k greatest."""
    return _tf.nn.in_top_k(predictions, targets, k)


def categorical_crossentropy(target, output, from_logits=False, axis=-1):
    """For each element of the batch."""
    if axis != -1:
        raise NotImplementedError("backend.categorical_crossentropy(axis=%r) is not there yet: leave it out" % axis)
    return _losses.CategoricalCrossentropy(from_logits).call(target, output)


def sparse_categorical_crossentropy(target, output, from_logits=False, axis=-1):
    """For each element of the batch."""
    if axis != -1:
        raise NotImplementedError("backend.sparse_categorical_crossentropy(axis=%r) is not there yet: leave it out" % axis)
    return _losses.SparseCategoricalCrossentropy(from_logits).call(target, output)


def binary_crossentropy(target, output, from_logits=False):
    """For each element."""
    if from_logits:
        return _tf.nn.sigmoid_cross_entropy_with_logits(labels=target, logits=output)
    output = _tf.clip_by_value(output, epsilon(), 1.0 - epsilon())
    return -(target * _tf.log(output + epsilon()) + (1 - target) * _tf.log(1 - output + epsilon()))


# ---- shapes

def reshape(x, shape):
    """Of another shape."""
    return _tf.reshape(x, shape)


def permute_dimensions(x, pattern):
    """Dimensions in another order."""
    return _tf.transpose(x, perm=pattern)


def concatenate(tensors, axis=-1):
    """Tensors one behind the other."""
    return _tf.concat(tensors, axis + ndim(tensors[0]) if axis < 0 else axis)


def stack(x, axis=0):
    """Tensors as rows of one."""
    return _tf.stack(x, axis=axis)


def expand_dims(x, axis=-1):
    """With a dimension of 1 more."""
    return _tf.expand_dims(x, axis)


def squeeze(x, axis):
    """Without a dimension of 1."""
    return _tf.squeeze(x, [axis])


def flatten(x):
    """As a vector."""
    return _tf.reshape(x, [-1])


def batch_flatten(x):
    """[batch, ...] as [batch, n]."""
    return _tf.reshape(x, [-1, int(_np.prod(x.shape.as_list()[1:]))] if None not in x.shape.as_list()[1:] else [_tf.shape(x)[0], -1])


def repeat(x, n):
    """[batch, features] as [batch, n, features]."""
    return _tf.tile(_tf.expand_dims(x, 1), [1, n, 1])


def repeat_elements(x, rep, axis):
    """Each slice along the axis so many times."""
    from flowray.tf.keras import own_layers
    return own_layers._repeated(x, rep, axis)


def tile(x, n):
    """So many times along each dimension."""
    return _tf.tile(x, [n] if isinstance(n, int) else n)


def reverse(x, axes):
    """The other way round along these dimensions."""
    return _tf.reverse(x, [axes] if isinstance(axes, int) else axes)


def arange(start, stop=None, step=1, dtype="int32"):
    """Numbers of a range."""
    start, stop = (0, start) if stop is None else (start, stop)
    return _tf.cast(_tf.range(start, stop, step), dtype)


def one_hot(indices, num_classes):
    """A vector for each number, with 1 in its place."""
    return _tf.one_hot(indices, num_classes, axis=-1)


def slice(x, start, size):  # noqa: A001
    """Part of a tensor."""
    return _tf.slice(x, start, size)


def temporal_padding(x, padding=(1, 1)):
    """Zeros around sequences."""
    return _tf.pad(x, [[0, 0], list(padding), [0, 0]])


@_of_images
def spatial_2d_padding(x, padding=((1, 1), (1, 1)), data_format=None):
    """Zeros around images."""
    return _tf.pad(x, [[0, 0], list(padding[0]), list(padding[1]), [0, 0]])


@_of_images
def conv2d(x, kernel, strides=(1, 1), padding="valid", data_format=None, dilation_rate=(1, 1)):
    """A convolution over images."""
    return _tf.nn.conv2d(x, kernel, strides=[1, *strides, 1], padding=padding.upper(), dilations=[1, *dilation_rate, 1])


@_of_images
def pool2d(x, pool_size, strides=(1, 1), padding="valid", data_format=None, pool_mode="max"):
    """The greatest element or the mean of each window."""
    pool = {"max": _tf.nn.max_pool, "avg": _tf.nn.avg_pool}.get(pool_mode)
    if pool is None:
        raise ValueError("Invalid pooling mode: %s" % pool_mode)
    return pool(x, ksize=[1, *pool_size, 1], strides=[1, *strides, 1], padding=padding.upper())


@_of_images
def bias_add(x, bias, data_format=None):
    """x + bias along the channels; a bias of one dimension less than x has its own for each place."""
    if ndim(bias) not in (1, ndim(x) - 1):
        raise ValueError("Unexpected bias dimensions %d, expect to be 1 or %d dimensions" % (ndim(bias), ndim(x) - 1))
    if ndim(bias) == 1:
        return _tf.nn.bias_add(x, bias)
    return x + _turned_bias(image_data_format() if data_format is None else data_format, bias)


# ---- control flow and gradients

def switch(condition, then_expression, else_expression):
    """The one where the condition holds, else the other."""
    if condition.dtype.base_dtype != _tf.bool:
        condition = _tf.cast(condition, "bool")
    if not ndim(condition):
        return _tf.cond(condition, then_expression if callable(then_expression) else lambda: then_expression,
                        else_expression if callable(else_expression) else lambda: else_expression)
    then = then_expression() if callable(then_expression) else then_expression
    other = else_expression() if callable(else_expression) else else_expression
    if ndim(condition) == ndim(then):
        return _tf.where(condition, then, other)
    more = ndim(then) - ndim(condition)
    condition = _tf.reshape(condition, _tf.concat([_tf.shape(condition), [1] * more], 0))
    sizes = _tf.where(_tf.equal(_tf.shape(condition), 1), _tf.shape(then), _tf.ones_like(_tf.shape(then)))
    return _tf.where(_tf.tile(condition, sizes), then, other)


def gradients(loss, variables):
    """d loss / d variable"""
    return _tf.gradients(loss, variables)


def stop_gradient(variables):
    """The same, as a constant for gradients."""
    return [_tf.stop_gradient(one) for one in variables] if isinstance(variables, (list, tuple)) else _tf.stop_gradient(variables)


def map_fn(fn, elems, name=None, dtype=None):
    """The function of each row."""
    return _tf.map_fn(fn, elems, name=name, dtype=dtype)


def foldl(fn, elems, initializer=None, name=None):
    """Rows folded from the left."""
    return _tf.foldl(fn, elems, initializer=initializer, name=name)


def foldr(fn, elems, initializer=None, name=None):
    """Rows folded from the right."""
    return _tf.foldr(fn, elems, initializer=initializer, name=name)


class _Function:
    """Values of tensors for values of others, in the session of the models of their graph."""

    def __init__(self, inputs, outputs, updates):
        self._inputs, self._is_list = list(inputs), isinstance(outputs, (list, tuple))
        self._outputs = list(outputs) if self._is_list else [outputs]
        with _tf.control_dependencies(self._outputs[:1]):  # the outputs have what the variables held before
            self._updates = [getattr(one, "op", one) if not isinstance(one, tuple) else _tf.assign(*one).op for one in updates or ()]
        if self._updates:
            with _tf.control_dependencies(self._updates):
                self._outputs = [_tf.identity(output) for output in self._outputs]

    def __call__(self, inputs):
        inputs = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
        fed = [one for one in zip(self._inputs, inputs) if not self._is_phase(*one)]
        outputs = [_tf.convert_to_tensor(output) for output in self._outputs]
        for output in outputs[:1]:
            with output.graph.as_default():
                get_session()  # which stays: what one call gives variables the next one finds
        values = _native.keras._run_in_models_session(outputs, [tensor for tensor, _ in fed], [_np.asarray(value) for _, value in fed])
        return values if self._is_list else values[0]

    @staticmethod
    def _is_phase(tensor, value):
        """Whether it is learning_phase(), a number here, which the outputs were made with."""
        if not isinstance(tensor, int):
            return False
        if int(value) != tensor:
            raise NotImplementedError("backend.function was made with the learning phase %d and is called with %d, which changes nothing "
                                      "in its outputs: make them of model(inputs, training=%s)" % (tensor, value, bool(value)))
        return True


def function(inputs, outputs, updates=None, name=None, **options):
    """A Python function that gives the outputs' values for those of the inputs."""
    if options:
        raise ValueError("Invalid argument \"%s\" passed to K.function with TensorFlow backend" % next(iter(options)))
    if _tf.executing_eagerly():
        raise NotImplementedError("backend.function is for graphs: call the layers on values instead")
    return _Function(inputs, outputs, updates)


def _name_functions():
    """Pickle finds a function by its name, and those that others made have none of this module's."""
    for name, value in globals().items():
        path = getattr(value, "__qualname__", "")
        if "<locals>" in path and "<lambda>" not in path and getattr(value, "__module__", None) == __name__:
            value.__name__ = value.__qualname__ = name


_name_functions()
