"""tf.train.warm_start: variables that begin with the values of an earlier training, whose vocabularies may have been others."""

import os as _os
from collections import namedtuple as _namedtuple

from flowray import _native
from flowray import tf as _tf
from flowray.tf import _language, _train
from flowray.tf import logging as _logging


class VocabInfo(_namedtuple("VocabInfo", ["new_vocab", "new_vocab_size", "num_oov_buckets", "old_vocab", "old_vocab_size", "backup_initializer",
                                          "axis"])):
    """Which words the rows of a matrix stand for (the columns, if `axis` is 1): one in each line of a file, now and in the checkpoint. Rows of
    new words, and `num_oov_buckets` rows behind them, begin as `backup_initializer` says, as zeros if there is none."""

    def __new__(cls, new_vocab, new_vocab_size, num_oov_buckets, old_vocab, old_vocab_size=-1, backup_initializer=None, axis=0):
        if axis not in (0, 1):
            raise ValueError("The only supported values for the axis argument are 0 and 1.  Provided axis: %s" % (axis,))
        return super().__new__(cls, new_vocab, new_vocab_size, num_oov_buckets, old_vocab, old_vocab_size, backup_initializer, axis)


def _words(path, count):
    """The first `count` lines of a file; -1: all."""
    if not isinstance(path, (str, bytes)):
        raise TypeError("A VocabInfo has the name of its file as a string, not %r.\nGive str(path)." % (path,))
    with open(path, "rb") as file:
        lines = file.read().split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    if count >= 0 and len(lines) < count:
        raise ValueError("The vocabulary %s has %d entries, fewer than the %d that are wanted" % (path, len(lines), count))
    return lines if count < 0 else lines[:count]


def _old_places(info):
    """For each new word where the old vocabulary has it, None where it has not."""
    places = {}
    for place, word in enumerate(_words(info.old_vocab, info.old_vocab_size)):
        if places.setdefault(word, place) != place:
            raise _tf.errors.FailedPreconditionError(None, None, "HashTable has different value for same key. Key %s has %d and trying to add "
                                                     "value %d\nThe vocabulary %s has the word twice." % (
                                                         word.decode(errors="replace"), places[word], place, info.old_vocab))
    found, taken = [places.get(word) for word in _words(info.new_vocab, info.new_vocab_size)], {}
    for new, old in enumerate(found):
        if old is not None and taken.setdefault(old, new) != new:
            raise _tf.errors.UnimplementedError(None, None, "Old ID %d is mapped to both new ID %d and %d, which is not supported.\nThe vocabulary "
                                                "%s has a word twice." % (old, taken[old], new, info.new_vocab))
    return found


def _remapped(old, places, initializer, axis):
    """What `old` has at `places` along an axis, and between them new numbers in the order of a matrix's elements."""
    known, missing = [place for place in places if place is not None], places.count(None)
    kept = _tf.gather(old, _tf.constant(known, _tf.int64), axis=axis)
    if not missing:
        return kept
    others = _tf.shape(kept)[1 - axis]
    filling = _tf.reshape(initializer([missing * old.shape.as_list()[1 - axis], 1]), [missing, others] if axis == 0 else [others, missing])
    order, next_known, next_missing = [], 0, len(known)
    for place in places:
        order.append(next_missing if place is None else next_known)
        next_known, next_missing = next_known + (place is not None), next_missing + (place is None)
    return _tf.gather(_tf.concat([kept, filling], axis), _tf.constant(order, _tf.int64), axis=axis)


def _start_with_vocabulary(variable, checkpoint, tensor_name, info):
    """Gives a matrix of floats, or a part of one, an initializer of the rows or columns that its words had."""
    if not (info.new_vocab and info.new_vocab_size and info.old_vocab):
        raise ValueError("Invalid args: Must provide all of [current_vocab_path, current_vocab_size, prev_ckpt, prev_vocab_path}.")
    shape = variable.shape.as_list()
    if len(shape) != 2:
        raise ValueError("Expected 2-dim shape, but received: %s" % (shape,))
    if variable.dtype.base_dtype != _tf.float32:
        raise TypeError("Currently, only float32 is supported. Received dtype: %s" % variable.dtype.base_dtype)
    initializer = info.backup_initializer or _tf.zeros_initializer()
    if not callable(initializer):
        raise TypeError("initializer must be callable, instead of being %s of type %s." % (initializer, type(initializer)))
    part = variable._get_save_slice_info()
    first = part.var_offset[0] if part is not None else 0
    reader = _train.load_checkpoint(checkpoint)
    old_shape = reader.get_variable_to_shape_map().get(tensor_name)
    if old_shape is None:
        raise ValueError("Tensor %s is not found in %s checkpoint" % (tensor_name, checkpoint))
    old = _tf.raw_ops.RestoreV2(prefix=_train.checkpoint_path(checkpoint), tensor_names=[tensor_name], shape_and_slices=[""],
                                dtypes=[_tf.float32])[0]
    old.set_shape(old_shape)
    if info.axis == 0:
        words = _old_places(info)
        places = words[first:first + shape[0]]
        value = _remapped(old, places, initializer, 0)
        buckets, wide = shape[0] - len(places), shape[1]
        if buckets:
            value = _tf.concat([value, initializer([buckets, wide])], 0)
    else:
        value = _remapped(_tf.slice(old, [first, 0], [shape[0], old_shape[1]]), _old_places(info), initializer, 1)
        if info.num_oov_buckets:
            value = _tf.concat([value, initializer([shape[0], info.num_oov_buckets])], 1)
    _check_size(variable, info, first)
    value.set_shape(shape)
    _native._set_initial_value(variable, value)


def _check_size(variable, info, first):
    size, most = variable.shape.as_list()[info.axis] + (first if info.axis == 0 else 0), info.new_vocab_size + info.num_oov_buckets
    if info.axis == 1 and size != most:
        raise ValueError("Expected 2nd dim of shape to be new_col_vocab_size (%d) + num_col_oov_buckets (%d) = %d, but received shape: %s" %
                         (info.new_vocab_size, info.num_oov_buckets, most, variable.shape.as_list()))
    if size > most:
        raise ValueError("Trying to initialize %d additional rows after %d rows have already been initialized, which would exceed expected "
                         "total row count of new_row_vocab_size (%d) + num_row_oov_buckets (%d) = %d." %
                         (size - first, first, info.new_vocab_size, info.num_oov_buckets, most))


def _wanted(vars_to_warm_start):
    keys = _language.GraphKeys
    if isinstance(vars_to_warm_start, str) or vars_to_warm_start is None:
        return _language.get_collection(keys.TRAINABLE_VARIABLES, vars_to_warm_start)
    if not isinstance(vars_to_warm_start, list):
        raise ValueError("`vars_to_warm_start must be a `list` or `str`.  Given type is %s" % type(vars_to_warm_start))
    if all(isinstance(name, str) for name in vars_to_warm_start):
        return [variable for name in vars_to_warm_start for variable in _language.get_collection(keys.GLOBAL_VARIABLES, name)]
    if all(isinstance(variable, _native.Variable) for variable in vars_to_warm_start):
        return vars_to_warm_start
    raise ValueError("If `vars_to_warm_start` is a list, it must be all `Variable` or all `str`.  Given types are %s" %
                     [type(variable) for variable in vars_to_warm_start])


def _check_used(what, unused, variables):
    if unused:
        raise ValueError("You provided the following variables in %s that were not used: %s.  Perhaps you misspelled them?  Here is the list of "
                         "viable variable names: %s" % (what, set(unused), variables.keys()))


def warm_start(ckpt_to_initialize_from, vars_to_warm_start=".*", var_name_to_vocab_info=None, var_name_to_prev_var_name=None):
    """Lets variables be initialised by values of a checkpoint: trainable ones whose names a pattern fits, ones of these names, or these; with
    None only those that `var_name_to_vocab_info` has a VocabInfo for. `var_name_to_prev_var_name` says what they are called there."""
    ckpt_to_initialize_from = _os.fspath(ckpt_to_initialize_from)
    _logging.info("Warm-starting from: %s", ckpt_to_initialize_from)
    variables = {}
    for variable in _wanted(vars_to_warm_start):
        part = variable._get_save_slice_info()
        variables.setdefault(part.full_name if part is not None else variable.op.name, []).append(variable)
    renamed, vocabularies = dict(var_name_to_prev_var_name or {}), dict(var_name_to_vocab_info or {})
    started = 0
    for name, parts in variables.items():
        there, vocabulary = renamed.pop(name, name), vocabularies.pop(name, None)
        if vocabulary is not None:
            for part in parts:
                _start_with_vocabulary(part, ckpt_to_initialize_from, there, vocabulary)
        elif vars_to_warm_start:
            # One by one: several of them may begin with the same values.
            _train.init_from_checkpoint(ckpt_to_initialize_from, {there: parts[0] if len(parts) == 1 else parts})
        started += vocabulary is not None or bool(vars_to_warm_start)
    _logging.info("Warm-started %d variables.", started)
    _check_used("var_name_to_prev_var_name", renamed, variables)
    _check_used("var_name_to_vocab_info", vocabularies, variables)
