"""Recurrent networks of tf.contrib.rnn that run in both directions, one on top of the other."""

import flowray.tf as _tf


def _check_cells(cells_fw, cells_bw, initial_states_fw, initial_states_bw):
    for word, cells in (("cells_fw", cells_fw), ("cells_bw", cells_bw)):
        if cells is None:
            raise ValueError("Must specify at least one %s cell for BidirectionalRNN." % word.replace("cells_", ""))
        if not isinstance(cells, list):
            raise ValueError("%s must be a list of RNNCells (one per layer)." % word)
    if len(cells_fw) != len(cells_bw):
        raise ValueError("Forward and Backward cells must have the same depth.")
    for word, states, cells in (("initial_states_fw", initial_states_fw, cells_fw), ("initial_states_bw", initial_states_bw, cells_bw)):
        if states is not None and (not isinstance(states, list) or len(states) != len(cells)):
            raise ValueError("%s must be a list of state tensors (one per layer)." % word)


def _layers(run, cells_fw, cells_bw, initial_states_fw, initial_states_bw, scope):
    """(what the last layer gives, the layers' last states forwards and backwards) of run(cell, cell, state, state) in scopes of their own."""
    _check_cells(cells_fw, cells_bw, initial_states_fw, initial_states_bw)
    states = ([], [])
    with _tf.variable_scope(scope or "stack_bidirectional_rnn"):
        for layer, cells in enumerate(zip(cells_fw, cells_bw)):
            first = [each[layer] if each else None for each in (initial_states_fw, initial_states_bw)]
            with _tf.variable_scope("cell_%d" % layer):
                outputs, last = run(*cells, *first)
            for kept, state in zip(states, last):
                kept.append(state)
    return outputs, tuple(states[0]), tuple(states[1])


def stack_bidirectional_dynamic_rnn(cells_fw, cells_bw, inputs, initial_states_fw=None, initial_states_bw=None, dtype=None,
                                    sequence_length=None, parallel_iterations=None, time_major=False, scope=None, swap_memory=False):
    """(outputs of both directions side by side, last states forwards, last states backwards): each layer reads what both directions of
    the layer below it gave. States are tuples with one a layer."""
    def run(forwards, backwards, first_fw, first_bw):
        nonlocal inputs
        outputs, last = _tf.nn.bidirectional_dynamic_rnn(
            forwards, backwards, inputs, sequence_length=sequence_length, initial_state_fw=first_fw, initial_state_bw=first_bw, dtype=dtype,
            parallel_iterations=parallel_iterations, swap_memory=swap_memory, time_major=time_major)
        inputs = _tf.concat(outputs, 2)
        return inputs, last
    return _layers(run, cells_fw, cells_bw, initial_states_fw, initial_states_bw, scope)


def stack_bidirectional_rnn(cells_fw, cells_bw, inputs, initial_states_fw=None, initial_states_bw=None, dtype=None, sequence_length=None,
                            scope=None):
    """stack_bidirectional_dynamic_rnn of a list with one tensor for each step."""
    def run(forwards, backwards, first_fw, first_bw):
        nonlocal inputs
        inputs, *last = _tf.nn.static_bidirectional_rnn(forwards, backwards, inputs, first_fw, first_bw, dtype, sequence_length)
        return inputs, last
    return _layers(run, cells_fw, cells_bw, initial_states_fw, initial_states_bw, scope)


def transpose_batch_time(x):
    """The first two dimensions change places; tensors of fewer are given back."""
    x = _tf.convert_to_tensor(x)
    if x.shape.ndims is None:
        return _tf.transpose(x, _tf.concat(([1, 0], _tf.range(2, _tf.rank(x))), 0))
    return x if x.shape.ndims < 2 else _tf.transpose(x, [1, 0, *range(2, x.shape.ndims)])
