"""tf.train.warm_start: variables that begin with the values of an earlier training."""

from flowray import _native
from flowray.tf import _language, _train
from flowray.tf import errors as _errors
from flowray.tf import logging as _logging


def _wanted(vars_to_warm_start):
    keys = _language.GraphKeys
    if isinstance(vars_to_warm_start, str):
        return _language.get_collection(keys.TRAINABLE_VARIABLES, vars_to_warm_start)
    if not isinstance(vars_to_warm_start, list):
        raise ValueError("`vars_to_warm_start must be a `list` or `str`.  Given type is %s" % type(vars_to_warm_start))
    if all(isinstance(name, str) for name in vars_to_warm_start):
        return [variable for name in vars_to_warm_start for variable in _language.get_collection(keys.GLOBAL_VARIABLES, name)]
    if all(isinstance(variable, _native.Variable) for variable in vars_to_warm_start):
        return vars_to_warm_start
    raise ValueError("If `vars_to_warm_start` is a list, it must be all `Variable` or all `str`.  Given types are %s" %
                     [type(variable) for variable in vars_to_warm_start])


def warm_start(ckpt_to_initialize_from, vars_to_warm_start=".*", var_name_to_vocab_info=None, var_name_to_prev_var_name=None):
    """Lets variables be initialised by values of a checkpoint: trainable ones whose names a pattern fits, ones of these names, or these.
    `var_name_to_prev_var_name` says what they are called there."""
    _native._refuse(var_name_to_vocab_info or None, "tf.train.warm_start", "var_name_to_vocab_info")
    if vars_to_warm_start is None:
        raise _errors.UnimplementedError(None, None, "tf.train.warm_start does not take vars_to_warm_start=None, for vocabularies alone\n"
                                         "Name the variables, or leave it out for all trainable ones.")
    _logging.info("Warm-starting from: %s", ckpt_to_initialize_from)
    variables = {variable.op.name: variable for variable in _wanted(vars_to_warm_start)}
    renamed = dict(var_name_to_prev_var_name or {})
    for name, variable in variables.items():
        # One by one: several of them may begin with the same values.
        _train.init_from_checkpoint(ckpt_to_initialize_from, {renamed.pop(name, name): variable})
    _logging.info("Warm-started %d variables.", len(variables))
    if renamed:
        raise ValueError("You provided the following variables in var_name_to_prev_var_name that were not used: %s.  Perhaps you misspelled "
                         "them?  Here is the list of viable variable names: %s" % (set(renamed), variables.keys()))
