"""tf.nn.raw_rnn: a recurrent network whose program decides in each step what comes in, what goes out and when it ends."""

from flowray import _native
from flowray import tf as _tf
from flowray.tf import _nest


def _check_cell(cell):
    wrong = [words for words, is_right in (("'output_size' property is missing", hasattr(cell, "output_size")),
                                           ("'state_size' property is missing", hasattr(cell, "state_size")),
                                           ("is not callable", callable(cell))) if not is_right]
    if wrong:
        raise TypeError("The argument 'cell' (%s) is not an RNNCell: %s." % (cell, ", ".join(wrong)))


def _batch_of(inputs):
    """The number of rows of all inputs, as a number where it is known."""
    rows = None
    for tensor in inputs:
        known = _tf.dimension_value(_tf.dimension_at_index(tensor.shape, 0))
        if known is not None and rows is not None and known != rows:
            raise ValueError("Dimensions %s and %s are not compatible" % (rows, known))
        rows = known if rows is None else rows
    return rows


class _Emitted:
    """What a step emits: of which shapes and dtypes, and arrays for it."""

    def __init__(self, emit_structure, cell, state, known_rows, rows):
        if emit_structure is not None:
            flat = _nest.flatten(emit_structure)
            sizes = [tensor.shape if tensor.shape.is_fully_defined() else _native.shape(tensor) for tensor in flat]
            dtypes = [tensor.dtype for tensor in flat]
        else:
            emit_structure = cell.output_size
            sizes = _nest.flatten(emit_structure)
            dtypes = [_nest.flatten(state)[0].dtype] * len(sizes)
        arrays = [_tf.TensorArray(dtype=dtype, dynamic_size=True, size=0, name="rnn_output_%d" % i,
                                  element_shape=_tf.TensorShape([known_rows]).concatenate(self._shape(size)))
                  for i, (dtype, size) in enumerate(zip(dtypes, sizes))]
        zeros = [_tf.zeros(self._with_rows(rows, size), dtype) for dtype, size in zip(dtypes, sizes)]
        self.arrays = _nest.pack_sequence_as(emit_structure, arrays)
        self.zeros = _nest.pack_sequence_as(emit_structure, zeros)

    @staticmethod
    def _shape(size):
        if isinstance(size, _native.Tensor):
            return _tf.TensorShape(None)
        return _tf.TensorShape(size if isinstance(size, (list, tuple)) or hasattr(size, "as_list") else [size])

    @classmethod
    def _with_rows(cls, rows, size):
        if isinstance(rows, _native.Tensor) or isinstance(size, _native.Tensor):
            of = size if isinstance(size, _native.Tensor) else _tf.constant(cls._shape(size).as_list(), _tf.int32)
            return _native.concat([_native.expand_dims(rows, 0) if isinstance(rows, _native.Tensor) else [rows], of], 0)
        return [rows] + cls._shape(size).as_list()


def _unless(finished, before, now):
    """What was before in rows that are finished, and what is now in the others; scalars and arrays are as now."""
    def choose(old, new):
        if isinstance(old, _tf.TensorArray) or old.shape.ndims == 0:
            return new
        with _tf.colocate_with(new):
            return _tf.where(finished, old, new)

    return _nest.map_structure(choose, before, now)


def raw_rnn(cell, loop_fn, parallel_iterations=None, swap_memory=False, scope=None):
    """Calls `loop_fn(time, cell_output, cell_state, loop_state)`, first with None for all but the time, for (finished, next_input,
    next_state, emitted, next_loop_state) until all rows are finished. Gives arrays of what was emitted, the last state, and the last
    state of the loop."""
    _check_cell(cell)
    if not callable(loop_fn):
        raise TypeError("Argument `loop_fn` must be a callable. Received: %s." % (loop_fn,))
    with _tf.variable_scope(scope or "rnn"):
        time = _tf.constant(0, dtype=_tf.int32)
        finished, next_input, state, emit_structure, first_loop_state = loop_fn(time, None, None, None)
        flat_input = _nest.flatten(next_input)
        loop_state = _tf.constant(0, dtype=_tf.int32) if first_loop_state is None else first_loop_state
        known_rows = _batch_of(flat_input)
        rows = _native.shape(flat_input[0])[0] if known_rows is None else known_rows
        _nest.assert_same_structure(state, cell.state_size)
        state = _nest.map_structure(_native.convert_to_tensor, state)
        emitted = _Emitted(emit_structure, cell, state, known_rows, rows)

        def step(time, finished, current_input, arrays, state, loop_state):
            output, cell_state = cell(current_input, state)
            _nest.assert_same_structure(state, cell_state)
            _nest.assert_same_structure(cell.output_size, output)
            next_time = time + 1
            now_finished, next_input, next_state, emit, next_loop_state = loop_fn(next_time, output, cell_state, loop_state)
            _nest.assert_same_structure(state, next_state)
            _nest.assert_same_structure(current_input, next_input)
            _nest.assert_same_structure(arrays, emit)
            emit = _unless(finished, emitted.zeros, emit)
            next_state = _unless(finished, state, next_state)
            arrays = _nest.map_structure(lambda array, value: array.write(time, value), arrays, emit)
            return (next_time, _tf.logical_or(finished, now_finished), next_input, arrays, next_state,
                    loop_state if next_loop_state is None else next_loop_state)

        returned = _tf.while_loop(lambda time, finished, *_: _tf.logical_not(_native.reduce_all(finished)), step,
                                  [time, finished, next_input, emitted.arrays, state, loop_state],
                                  parallel_iterations=parallel_iterations or 32, swap_memory=swap_memory)
        arrays, state, loop_state = returned[-3:]
        return arrays, state, None if first_loop_state is None else loop_state
