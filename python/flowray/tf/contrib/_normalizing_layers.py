"""Layers of tf.contrib.layers that normalize: their variables are of the model, and stand in a scope of their own."""

from flowray import tf as _tf
from flowray.tf.contrib._arg_scope import add_arg_scope
from flowray.tf.contrib._end_points import collect_named_outputs
from flowray.tf.contrib._model_variables import add_model_variable, model_variable, with_collections

_UPDATES = _tf.GraphKeys.UPDATE_OPS


def _own_scope(scope, default):
    """(name below the scope that is open, full name) of the layer's scope."""
    with _tf.variable_scope(scope, default) as own:
        pass
    outer = _tf.get_variable_scope().name
    return own.name[len(outer) + 1:] if outer else own.name, own.name


def _moved_updates(num_before, updates_collections, outputs):
    """The updates go into the collections that are wanted; where those are none, the outputs wait for them."""
    if updates_collections is _UPDATES or updates_collections == _UPDATES:
        return outputs
    everything = _tf.get_collection(_UPDATES)
    updates = everything[num_before:]
    _tf.get_default_graph().clear_collection(_UPDATES)
    for update in everything[:num_before]:
        _tf.add_to_collection(_UPDATES, update)
    if updates_collections is not None:
        for update in updates:
            _tf.add_to_collections(updates_collections, update)
        return outputs
    with _tf.control_dependencies(updates):
        return _tf.identity(outputs)


def _keep_variables(own, variables_collections):
    for variable in _tf.get_collection(_tf.GraphKeys.GLOBAL_VARIABLES, own + "/"):
        add_model_variable(variable)
        for collection in with_collections(variables_collections, variable.op.name.rpartition("/")[2]) or ():
            if variable not in _tf.get_collection(collection):
                _tf.add_to_collection(collection, variable)


def _make_variables(own, inputs, axis, wanted, initializers, regularizers, trainable, reuse):
    """In the order of TensorFlow's, where it does not leave them to tf.layers."""
    first = {"beta": _tf.zeros_initializer(), "gamma": _tf.ones_initializer(), "moving_mean": _tf.zeros_initializer(),
             "moving_variance": _tf.ones_initializer()}
    with _tf.variable_scope(own, reuse=reuse, auxiliary_name_scope=False):
        for name, initializer in first.items():
            if wanted.get(name, True):
                _tf.get_variable(name, [inputs.shape[axis].value], inputs.dtype.base_dtype, initializers.get(name, initializer),
                                 regularizer=regularizers.get(name), trainable=trainable and name in wanted)


def _refuse(batch_weights, zero_debias_moving_mean, adjustment):
    for word, given in (("batch_weights", batch_weights), ("zero_debias_moving_mean", zero_debias_moving_mean or None), ("adjustment", adjustment)):
        if given is not None:
            raise NotImplementedError("tf.contrib.layers.batch_norm(%s=) is not there: leave it out, or normalize by tf.nn.batch_normalization" % word)


@add_arg_scope
def batch_norm(inputs, decay=0.999, center=True, scale=False, epsilon=0.001, activation_fn=None, param_initializers=None, param_regularizers=None,
               updates_collections=_UPDATES, is_training=True, reuse=None, variables_collections=None, outputs_collections=None, trainable=True,
               batch_weights=None, fused=None, data_format="NHWC", zero_debias_moving_mean=False, scope=None, renorm=False, renorm_clipping=None,
               renorm_decay=0.99, adjustment=None):
    """Normalizes each channel over the batch, while training, or by the means of batches so far."""
    _refuse(batch_weights, zero_debias_moving_mean, adjustment)
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    inputs = _tf.convert_to_tensor(inputs)
    elsewhere = updates_collections != _UPDATES
    if elsewhere and renorm:
        raise ValueError("renorm is not supported with batch_weights, updates_collections or zero_debias_moving_mean")
    made, regularizers = param_initializers or {}, param_regularizers or {}
    name, own = _own_scope(scope, "BatchNorm")
    num_before = len(_tf.get_collection(_UPDATES))
    as_images = fused is not False and not renorm and inputs.shape.ndims == 2
    if as_images or elsewhere:
        _make_variables(name, inputs, 1 if data_format == "NCHW" else -1, {"beta": center, "gamma": scale}, made, regularizers, trainable, reuse)
        reuse = True
    outputs = _tf.layers.batch_normalization(
        inputs if not as_images else inputs[:, None, None], axis=1 if data_format == "NCHW" and not as_images else -1, momentum=decay, epsilon=epsilon, center=center, scale=scale,
        beta_initializer=made.get("beta", _tf.zeros_initializer()), gamma_initializer=made.get("gamma", _tf.ones_initializer()),
        moving_mean_initializer=made.get("moving_mean", _tf.zeros_initializer()),
        moving_variance_initializer=made.get("moving_variance", _tf.ones_initializer()), beta_regularizer=regularizers.get("beta"),
        gamma_regularizer=regularizers.get("gamma"), training=is_training, trainable=trainable, name=name, reuse=reuse, renorm=renorm,
        renorm_clipping=renorm_clipping, renorm_momentum=renorm_decay, fused=fused)
    outputs = _tf.reshape(outputs, _tf.shape(inputs)) if as_images else outputs
    outputs.set_shape(inputs.shape)
    outputs = _moved_updates(num_before, updates_collections, outputs)
    _keep_variables(own, variables_collections)
    if activation_fn is not None:
        outputs = activation_fn(outputs)
    return collect_named_outputs(outputs_collections, own, outputs)


def _parameter(name, wanted, shape, dtype, initializer, variables_collections, trainable):
    if not wanted:
        return None
    return model_variable(name, shape=shape, dtype=dtype, initializer=initializer, collections=with_collections(variables_collections, name),
                          trainable=trainable)


@add_arg_scope
def layer_norm(inputs, center=True, scale=True, activation_fn=None, reuse=None, variables_collections=None, outputs_collections=None, trainable=True,
               begin_norm_axis=1, begin_params_axis=-1, scope=None):
    """Normalizes each element over its dimensions from begin_norm_axis on; beta and gamma are of those from begin_params_axis on."""
    inputs = _tf.convert_to_tensor(inputs)
    with _tf.variable_scope(scope, "LayerNorm", [inputs], reuse=reuse) as own:
        rank = inputs.shape.ndims
        if rank is None:
            raise ValueError("Inputs %s has undefined rank." % inputs.name)
        begin_norm_axis += rank if begin_norm_axis < 0 else 0
        if begin_params_axis >= rank or begin_norm_axis >= rank:
            raise ValueError("begin_params_axis (%d) and begin_norm_axis (%d) must be < rank(inputs) (%d)" % (begin_params_axis, begin_norm_axis, rank))
        shape = inputs.shape[begin_params_axis:]
        if not shape.is_fully_defined():
            raise ValueError("Inputs %s: shape(inputs)[%s:] is not fully defined: %s" % (inputs.name, begin_params_axis, inputs.shape))
        dtype = inputs.dtype.base_dtype
        beta = _parameter("beta", center, shape, dtype, _tf.zeros_initializer(), variables_collections, trainable)
        gamma = _parameter("gamma", scale, shape, dtype, _tf.ones_initializer(), variables_collections, trainable)
        mean, variance = _tf.nn.moments(inputs, list(range(begin_norm_axis, rank)), keep_dims=True)
        outputs = _tf.nn.batch_normalization(inputs, mean, variance, beta, gamma, 1e-3 if dtype == _tf.float16 else 1e-12)
        outputs.set_shape(inputs.shape)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, own.name, outputs)


@add_arg_scope
def unit_norm(inputs, dim, epsilon=1e-7, scope=None):
    """Of length 1 along the dimension."""
    with _tf.variable_scope(scope, "UnitNorm", [inputs]):
        if inputs.shape.ndims is None:
            raise ValueError("The input rank must be known.")
        if dim < 0 or dim >= inputs.shape.ndims:
            raise ValueError("dim must be positive but smaller than the input rank.")
        return inputs / _tf.sqrt(epsilon + _tf.reduce_sum(_tf.square(inputs), dim, True))
