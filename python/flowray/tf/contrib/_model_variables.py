"""tf.contrib.framework's variables of models: made, found and restored."""

from flowray import tf as _tf
from flowray.tf.contrib._arg_scope import add_arg_scope

_KEYS = _tf.GraphKeys


@add_arg_scope
def variable(name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=True, collections=None, caching_device=None, device=None,
             partitioner=None, custom_getter=None, use_resource=None):
    """tf.get_variable on `device`."""
    collections = list(collections if collections is not None else [_KEYS.GLOBAL_VARIABLES])
    if _KEYS.GLOBAL_VARIABLES not in collections and _KEYS.LOCAL_VARIABLES not in collections:
        collections.append(_KEYS.GLOBAL_VARIABLES)
    options = {"custom_getter": custom_getter} if custom_getter is not None else {}
    with _tf.device(device or ""):
        return _tf.get_variable(name, shape=shape, dtype=dtype or _tf.float32, initializer=initializer, regularizer=regularizer, trainable=trainable,
                                collections=list(dict.fromkeys(collections)), caching_device=caching_device, partitioner=partitioner,
                                use_resource=use_resource, **options)


@add_arg_scope
def model_variable(name, shape=None, dtype=_tf.float32, initializer=None, regularizer=None, trainable=True, collections=None, caching_device=None,
                   device=None, partitioner=None, custom_getter=None, use_resource=None):
    """One that is of the model: get_model_variables gives it."""
    collections = [*(collections or []), _KEYS.GLOBAL_VARIABLES, _KEYS.MODEL_VARIABLES]
    return variable(name, shape, dtype, initializer, regularizer, trainable, collections, caching_device, device, partitioner, custom_getter,
                    use_resource)


def add_model_variable(var):
    if var not in _tf.get_collection(_KEYS.MODEL_VARIABLES):
        _tf.add_to_collection(_KEYS.MODEL_VARIABLES, var)


def get_variables(scope=None, suffix=None, collection=_KEYS.GLOBAL_VARIABLES):
    """Variables whose names begin with `scope` and end with `suffix`."""
    scope = getattr(scope, "name", scope)
    if suffix is not None:
        suffix = suffix if ":" in suffix else suffix + ":"
        scope = (scope or "") + ".*" + suffix
    return _tf.get_collection(collection, scope)


def get_trainable_variables(scope=None, suffix=None):
    return get_variables(scope, suffix, _KEYS.TRAINABLE_VARIABLES)


def get_model_variables(scope=None, suffix=None):
    return get_variables(scope, suffix, _KEYS.MODEL_VARIABLES)


def get_local_variables(scope=None, suffix=None):
    return get_variables(scope, suffix, _KEYS.LOCAL_VARIABLES)


def get_variables_by_suffix(suffix, scope=None):
    return get_variables(scope, suffix)


def get_variables_by_name(given_name, scope=None):
    """Variables of this name in any scope."""
    return get_variables(scope, "/" + given_name + ":|^" + given_name + ":")


def get_unique_variable(var_op_name):
    """The one of this name."""
    found = [each for each in get_variables(var_op_name) if each.op.name == var_op_name]
    if not found:
        raise ValueError("Couldn't find variable %s" % var_op_name)
    return found[0]


def _of_scopes(word, scopes):
    if not isinstance(scopes, (list, tuple)):
        raise TypeError("%s is provided but is not a list or a tuple." % word)
    return [each for scope in scopes for each in get_variables(scope)]


def get_variables_to_restore(include=None, exclude=None):
    """Those of the scopes of `include`, or all, but for those of the scopes of `exclude`."""
    wanted = get_variables() if include is None else _of_scopes("include", include)
    unwanted = {each.name for each in _of_scopes("exclude", exclude)} if exclude is not None else ()
    return [each for each in wanted if each.name not in unwanted]



def filter_variables(var_list, include_patterns=None, exclude_patterns=None, reg_search=True):
    """Those whose names have one of the patterns, and none of the others."""
    import re
    find = re.search if reg_search else re.match
    found = list(var_list)
    if include_patterns is not None:
        found = [each for each in found if any(find(pattern, each.op.name) for pattern in include_patterns)]
    if exclude_patterns is not None:
        found = [each for each in found if not any(find(pattern, each.op.name) for pattern in exclude_patterns)]
    return found


def _placed(names_to_values):
    """An operation that assigns the values, and what it is fed."""
    feeds, steps = {}, []
    for name, value in names_to_values.items():
        var = get_unique_variable(name)
        place = _tf.placeholder(var.dtype.base_dtype, var.shape)
        feeds[place] = value.reshape(var.shape.as_list())
        steps.append(var.assign(place))
    return _tf.group(*steps), feeds


def assign_from_values(var_names_to_values):
    """(operation that assigns the values, what it is fed)."""
    return _placed(var_names_to_values)


def assign_from_values_fn(var_names_to_values):
    """A function of a session that assigns the values."""
    step, feeds = _placed(var_names_to_values)
    return lambda session: session.run(step, feeds)


def assign_from_checkpoint(model_path, var_list, ignore_missing_vars=False):
    """(operation that assigns what the checkpoint has for these variables, what it is fed)."""
    named = dict(var_list) if isinstance(var_list, dict) else {each.op.name: each for each in var_list}
    reader = _tf.train.NewCheckpointReader(model_path)
    values = {}
    for name, var in named.items():
        if reader.has_tensor(name):
            values[var.op.name] = reader.get_tensor(name)
        elif not ignore_missing_vars:
            raise ValueError("Checkpoint is missing variable [%s]" % name)
        else:
            _tf.logging.warning("Checkpoint is missing variable [%s]", name)
    return _placed(values)


def assign_from_checkpoint_fn(model_path, var_list, ignore_missing_vars=False, reshape_variables=False):
    """A function of a session that restores these variables, or None where the checkpoint has none of them."""
    named = dict(var_list) if isinstance(var_list, dict) else {each.op.name: each for each in var_list}
    if not named:
        raise ValueError("var_list cannot be empty")
    if ignore_missing_vars:
        reader = _tf.train.NewCheckpointReader(model_path)
        missing = [name for name in named if not reader.has_tensor(name)]
        for name in missing:
            _tf.logging.warning("Variable %s missing in checkpoint %s", name, model_path)
        named = {name: var for name, var in named.items() if name not in missing}
    if not named:
        _tf.logging.warning("No Variables to restore")
        return None
    saver = _tf.train.Saver(named, reshape=reshape_variables)
    return lambda session: saver.restore(session, model_path)


def with_collections(variables_collections, name):
    """The collections of a variable of a layer: the same for all, or those of its name."""
    if isinstance(variables_collections, dict):
        return variables_collections.get(name)
    return variables_collections


