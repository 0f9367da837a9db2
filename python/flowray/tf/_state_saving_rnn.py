"""tf.nn.static_state_saving_rnn: a recurrent network over parts of sequences, whose states somebody keeps between steps."""

from flowray import _native
from flowray.tf import _nest, _rnn


def static_state_saving_rnn(cell, inputs, state_saver, state_name, sequence_length=None, scope=None):
    """static_rnn from `state_saver.state(name)` on, whose last state `state_saver.save_state(name, state)` keeps before the last output
    is there. `state_name` is a name, or names in the structure of the cell's state."""
    size = cell.state_size
    is_nested = _nest.is_nested(size)
    if is_nested != _nest.is_nested(state_name):
        raise ValueError("Argument `state_name` should be the same type as `cell.state_size`. Received: state_name=%s, cell.state_size=%s." %
                         (state_name, size))
    names = _nest.flatten(state_name)
    if len(names) != len(_nest.flatten(size)):
        raise ValueError("Number of elements in argument `state_name` and `cell.state_size` are mismatched. Received state_name=%s with %d "
                         "elements and cell.state_size=%s with %d elements." % (state_name, len(names), size, len(_nest.flatten(size))))
    before = _nest.pack_sequence_as(size, [state_saver.state(name) for name in names])
    outputs, state = _rnn.static_rnn(cell, inputs, before, sequence_length=sequence_length, scope=scope)
    saved = [state_saver.save_state(name, part) for name, part in zip(names, _nest.flatten(state))]
    with _native.control_dependencies(saved):
        outputs[-1] = _nest.map_structure(_native.identity, outputs[-1])
        return outputs, _nest.map_structure(_native.identity, state)
