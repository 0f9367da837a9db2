"""tf.nn.rnn_cell and tf.nn.dynamic_rnn: structures of states around the language's cells, which take and give lists."""

import collections
import contextlib

from flowray import _native
from flowray.tf import _language, _nest, _variable_scopes

_native_nn = _native.nn

LSTMStateTuple = collections.namedtuple("LSTMStateTuple", ("c", "h"))


def _width(size):
    """A size as one number: [4] and TensorShape([4]) are 4."""
    if hasattr(size, "as_list"):
        size = size.as_list()
    return int(size[0] if isinstance(size, (list, tuple)) else size)


def _refuse_words(words):
    """Those that no cell has, of **kwargs."""
    for word in words:
        raise TypeError("('Keyword argument not understood:', %r)" % word)


class RNNCell:
    """What a recurrent network does in one step. Programs' own cells have `state_size`, `output_size` and
    `__call__(inputs, state)` or `call(inputs, state)`."""

    trainable, dtype = True, None

    def __init__(self, trainable=True, name=None, dtype=None, _reuse=None, **kwargs):
        _refuse_words(kwargs)
        self._own_name, self._own_scope, self._own_reuse = name, None, _reuse
        self.trainable, self.dtype = trainable, None if dtype is None else _native.as_dtype(dtype).name

    @property
    def state_size(self):
        raise NotImplementedError("Abstract method")

    @property
    def output_size(self):
        raise NotImplementedError("Abstract method")

    def call(self, inputs, state):
        raise NotImplementedError("Abstract method")

    def __call__(self, inputs, state, scope=None):
        opened = scope or getattr(self, "_own_scope", None)
        if opened is None:
            opened = getattr(self, "_own_name", None)
            default, reuse = _snake_case(type(self).__name__), getattr(self, "_own_reuse", None)
            words = {"name_or_scope": opened or default, "reuse": reuse} if reuse else {"name_or_scope": opened, "default_name": default}
            with _native.variable_scope(**words) as self._own_scope:
                return self.call(inputs, state)
        with _native.variable_scope(opened, reuse=None if scope else True):
            return self.call(inputs, state)

    def zero_state(self, batch_size, dtype):
        """A state of zeros."""
        return _nest.pack_sequence_as(self.state_size, self._language_cell.zeros(batch_size, dtype))

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        if inputs is not None:
            batch_size, dtype = _native.shape(inputs)[0], inputs.dtype
        return self.zero_state(batch_size, dtype)

    @property
    def _language_cell(self):
        return _native_nn._python_cell(_Adapter(self), type(self).__name__)


def _snake_case(name):
    return "".join("_" + c.lower() if c.isupper() and i and not name[i - 1].isupper() else c.lower() for i, c in enumerate(name))


class _Adapter:
    """A cell of the program's with flat states."""

    def __init__(self, cell):
        self._cell = cell

    def _step(self, inputs, state):
        output, new_state = self._cell(inputs, _nest.pack_sequence_as(self._cell.state_size, state))
        return output, _nest.flatten(new_state)

    def _sizes(self):
        return [_width(size) for size in _nest.flatten(self._cell.state_size)]

    def _output_size(self):
        return _width(self._cell.output_size)

    def _zeros(self, batch_size, dtype):
        own = getattr(type(self._cell), "zero_state", None)
        return None if own in (None, RNNCell.zero_state) else _nest.flatten(self._cell.zero_state(batch_size, dtype))


def _checked(cell, word="cell"):
    """The cell, or a TypeError that says what it lacks. One that lacks no more than zero_state has states of zeros here."""
    lacks = ["'%s' property is missing" % name for name in ("output_size", "state_size") if not hasattr(cell, name)]
    is_callable = callable(cell)
    if (lacks or not is_callable) and not (hasattr(cell, "zero_state") or hasattr(cell, "get_initial_state")):
        lacks.append("either 'zero_state' or 'get_initial_state' method is required")
    if not is_callable:
        lacks.append("is not callable")
    if lacks:
        raise TypeError("The argument %r (%s) is not an RNNCell: %s." % (word, cell, ", ".join(lacks)))
    return cell


def _language_cell(cell):
    return cell._language_cell if isinstance(cell, RNNCell) else _native_nn._python_cell(_Adapter(cell), type(cell).__name__)


def _untrainable(getter, *arguments, **options):
    return getter(*arguments, **dict(options, trainable=False))


class _CellOfLanguage(RNNCell):
    """One of the language's own cells."""

    _inner = None  # the language's

    def _made(self, inner, trainable=True, dtype=None, **words):
        """`words`: those that the class does not know."""
        _refuse_words(words)
        self._inner, self.trainable, self.dtype = inner, trainable, None if dtype is None else _native.as_dtype(dtype).name

    @property
    def _language_cell(self):
        if self.trainable and self.dtype is None:
            return self._inner
        return RNNCell._language_cell.fget(self)  # its steps go through _stepped

    def __call__(self, inputs, state, scope=None):
        if scope is None:
            return self._stepped(inputs, state)
        with _native.variable_scope(scope):
            return self._stepped(inputs, state)

    def _stepped(self, inputs, state):
        _nest.assert_same_structure(self.state_size, state)
        given = _native.convert_to_tensor(inputs).dtype.base_dtype.name
        if self.dtype not in (None, given):
            raise TypeError("Input 'b' of 'MatMul' Op has type %s that does not match type %s of argument 'a'.\nThe cell was made with dtype=%r."
                            % (self.dtype, given, self.dtype))
        with contextlib.nullcontext() if self.trainable else _variable_scopes.through(_untrainable):
            output, new_state = self._inner.step(inputs, _nest.flatten(state))
        return output, _nest.pack_sequence_as(self.state_size, new_state)

    @property
    def state_size(self):
        sizes = self._inner.sizes()
        return sizes[0] if len(sizes) == 1 else LSTMStateTuple(*sizes)

    @property
    def output_size(self):
        return self._inner.output_size()


class BasicRNNCell(_CellOfLanguage):
    """output = state = activation(W * input + U * state + b)."""

    def __init__(self, num_units, activation=None, reuse=None, name=None, dtype=None, **kwargs):
        self._made(_native_nn._basic_rnn_cell(num_units, activation, reuse, name), dtype=dtype, **kwargs)


class GRUCell(_CellOfLanguage):
    """Gated recurrent unit."""

    def __init__(self, num_units, activation=None, reuse=None, kernel_initializer=None, bias_initializer=None, name=None, dtype=None,
                 **kwargs):
        self._made(_native_nn._gru_cell(num_units, activation, reuse, kernel_initializer, bias_initializer, name), dtype=dtype, **kwargs)


class BasicLSTMCell(_CellOfLanguage):
    """Long short-term memory."""

    def __init__(self, num_units, forget_bias=1.0, state_is_tuple=True, activation=None, reuse=None, name=None, dtype=None, **kwargs):
        self._made(_native_nn._basic_lstm_cell(num_units, forget_bias, state_is_tuple, activation, reuse, name), dtype=dtype, **kwargs)


class LSTMCell(_CellOfLanguage):
    """Long short-term memory with peepholes, clipping and projection."""

    def __init__(self, num_units, use_peepholes=False, cell_clip=None, initializer=None, num_proj=None, proj_clip=None,
                 num_unit_shards=None, num_proj_shards=None, forget_bias=1.0, state_is_tuple=True, activation=None, reuse=None,
                 name=None, dtype=None, **kwargs):
        for word, shards in (("num_unit_shards", num_unit_shards), ("num_proj_shards", num_proj_shards)):
            if shards is not None:
                raise NotImplementedError("LSTMCell(%s=%r) is not there: call the cell in a tf.variable_scope with a partitioner" % (word, shards))
        self._made(_native_nn._lstm_cell(num_units, use_peepholes, cell_clip, initializer, num_proj, proj_clip, forget_bias, state_is_tuple,
                                         activation, reuse, name), dtype=dtype, **kwargs)


class MultiRNNCell(_CellOfLanguage):
    """Cells one on top of the other."""

    def __init__(self, cells, state_is_tuple=True):
        if not _nest.is_nested(cells):
            raise TypeError(f"cells must be a list or tuple, but saw: {cells}.")
        self._cells, self._state_is_tuple = list(cells), state_is_tuple
        self._inner = _native_nn._multi_rnn_cell([_language_cell(cell) for cell in cells], state_is_tuple)

    @property
    def state_size(self):
        sizes = [cell.state_size for cell in self._cells]
        return tuple(sizes) if self._state_is_tuple else sum(sizes)


def _drops_from(state):
    """What TensorFlow drops from where the program does not say: all but the c of LSTM cells."""
    return LSTMStateTuple(c=False, h=True) if isinstance(state, LSTMStateTuple) else True


def _kept_of(structure, visitor):
    """For each tensor of a state whether it is dropped from: False of the visitor holds for all of a part, True lets it look into that."""
    said = visitor(structure)
    if not _nest.is_nested(structure) or hasattr(structure, "as_list"):
        return bool(said)
    parts = said if _nest.is_nested(said) else [said] * len(structure)
    if len(parts) != len(structure):
        raise ValueError("dropout_state_filter_visitor must give a bool, or one for each part of the state: it gave %s for %s" % (said, structure))
    return [_kept_of(part, visitor if one is True else lambda _, one=one: one) if one else _nest.map_structure(lambda _: False, part)
            for part, one in zip(structure, parts)]


class DropoutWrapper(_CellOfLanguage):
    """Drops parts of what goes into a cell and comes out."""

    def __init__(self, cell, input_keep_prob=1.0, output_keep_prob=1.0, state_keep_prob=1.0, variational_recurrent=False,
                 input_size=None, dtype=None, seed=None, dropout_state_filter_visitor=None, **kwargs):
        _refuse_words(kwargs)
        if dropout_state_filter_visitor is not None and not callable(dropout_state_filter_visitor):
            raise TypeError("dropout_state_filter_visitor must be callable. Received: %s" % (dropout_state_filter_visitor,))
        if _nest.is_nested(input_size) and not hasattr(input_size, "as_list"):
            raise NotImplementedError("DropoutWrapper(input_size=%r) is of inputs that are one tensor: say how many columns it has" % (input_size,))

        def seed_of(part, number):
            if seed is None:
                return None
            import hashlib  # it opens OpenSSL, which takes longer than the rest of this package
            digest = hashlib.md5(f"{seed}{part}_{number}".encode()).hexdigest()
            return int(digest[:8], 16) & 0x7FFFFFFF
        inner = _language_cell(cell)
        states = [] if seed is None else [seed_of("state", number) for number in range(len(inner.sizes()))]
        self._cell = cell
        kept = _kept_of(cell.state_size, dropout_state_filter_visitor or _drops_from)
        self._inner = _native_nn._dropout_wrapper(
            inner, input_keep_prob, output_keep_prob, state_keep_prob, seed_of("input", 0), states, seed_of("output", 0), _nest.flatten(kept),
            bool(variational_recurrent), None if input_size is None else _width(input_size), dtype if variational_recurrent else None)

    @property
    def state_size(self):
        return self._cell.state_size


class _WrapperOfCell(RNNCell):
    """A cell whose state is that of another one."""

    def __init__(self, cell, **kwargs):
        _refuse_words(kwargs)
        self._cell = cell

    @property
    def state_size(self):
        return self._cell.state_size

    @property
    def output_size(self):
        return self._cell.output_size

    def _of_cell(self, inputs, state, scope):
        return self._cell(inputs, state, scope) if scope is not None else self._cell(inputs, state)

    def zero_state(self, batch_size, dtype):
        with _native.name_scope(type(self).__name__ + "ZeroState"):
            return self._cell.zero_state(batch_size, dtype)


class ResidualWrapper(_WrapperOfCell):
    """Adds a cell's inputs to its outputs."""

    def __init__(self, cell, residual_fn=None, **kwargs):
        super().__init__(cell, **kwargs)
        self._residual_fn = residual_fn

    def __call__(self, inputs, state, scope=None):
        output, new_state = self._of_cell(inputs, state, scope)
        return (self._residual_fn or _native.add)(inputs, output), new_state


class DeviceWrapper(_WrapperOfCell):
    """Runs a cell on a device."""

    def __init__(self, cell, device, **kwargs):
        super().__init__(cell, **kwargs)
        self._device = device

    def __call__(self, inputs, state, scope=None):
        with _language.device(self._device):
            return self._of_cell(inputs, state, scope)

    def zero_state(self, batch_size, dtype):
        with _language.device(self._device):
            return super().zero_state(batch_size, dtype)


def _scope_name(scope):
    return getattr(scope, "name", scope)


def _flat(state):
    return None if state is None else _nest.flatten(state)


def static_rnn(cell, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
    """The outputs of a copy of the cell for each of `inputs`, and the last state."""
    _checked(cell)
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(f"Argument `inputs` must be a sequence. Received: {inputs}")
    outputs, state = _native_nn._static_rnn(_language_cell(cell), inputs, sequence_length, _flat(initial_state), dtype,
                                            _scope_name(scope))
    return outputs, _nest.pack_sequence_as(cell.state_size, state)


def static_bidirectional_rnn(cell_fw, cell_bw, inputs, initial_state_fw=None, initial_state_bw=None, dtype=None,
                             sequence_length=None, scope=None):
    """(outputs of both next to each other, last state forwards, backwards)."""
    _checked(cell_fw, "cell_fw")
    _checked(cell_bw, "cell_bw")
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(f"Argument `inputs` must be a sequence. Received: {inputs}")
    outputs, forwards, backwards = _native_nn._static_bidirectional_rnn(
        _language_cell(cell_fw), _language_cell(cell_bw), inputs, sequence_length, _flat(initial_state_fw), _flat(initial_state_bw),
        dtype, _scope_name(scope))
    return outputs, _nest.pack_sequence_as(cell_fw.state_size, forwards), _nest.pack_sequence_as(cell_bw.state_size, backwards)


def dynamic_rnn(cell, inputs, sequence_length=None, initial_state=None, dtype=None, parallel_iterations=None, swap_memory=False,
                time_major=False, scope=None):
    """The outputs of a loop over time, and the last state."""
    _checked(cell)
    output, state = _native_nn._dynamic_rnn(_language_cell(cell), inputs, sequence_length, _flat(initial_state), dtype,
                                            parallel_iterations, swap_memory, time_major, _scope_name(scope))
    return output, _nest.pack_sequence_as(cell.state_size, state)


def bidirectional_dynamic_rnn(cell_fw, cell_bw, inputs, sequence_length=None, initial_state_fw=None, initial_state_bw=None, dtype=None,
                              parallel_iterations=None, swap_memory=False, time_major=False, scope=None):
    """((outputs forwards, backwards), (last state forwards, backwards))."""
    _checked(cell_fw, "cell_fw")
    _checked(cell_bw, "cell_bw")
    forwards, backwards = _native_nn._bidirectional_dynamic_rnn(
        _language_cell(cell_fw), _language_cell(cell_bw), inputs, sequence_length, _flat(initial_state_fw), _flat(initial_state_bw),
        dtype, parallel_iterations, swap_memory, time_major, _scope_name(scope))
    return ((forwards[0], backwards[0]), (_nest.pack_sequence_as(cell_fw.state_size, forwards[1]),
                                          _nest.pack_sequence_as(cell_bw.state_size, backwards[1])))
