"""tf.contrib.crf: linear-chain conditional random fields, of [batch, time, tags] potentials and [tags, tags] transitions."""

import numpy as _np

import flowray.tf as _tf


def _times(inputs, from_step):
    """The steps from `from_step` on: [time, batch, tags] potentials, and which step each is."""
    inputs = _tf.convert_to_tensor(inputs)
    steps = _tf.range(from_step, _tf.shape(inputs)[1])
    return _tf.transpose(inputs[:, from_step:], [1, 0, 2]), steps


def _mask(sequence_lengths, length, dtype):
    return _tf.sequence_mask(sequence_lengths, length, dtype=dtype)


def crf_unary_score(tag_indices, sequence_lengths, inputs):
    """[batch]: the sum of the potentials of each sequence's tags."""
    inputs = _tf.convert_to_tensor(inputs)
    chosen = _tf.reduce_sum(inputs * _tf.one_hot(tag_indices, _tf.shape(inputs)[2], dtype=inputs.dtype), 2)
    return _tf.reduce_sum(chosen * _mask(sequence_lengths, _tf.shape(inputs)[1], inputs.dtype), 1)


def crf_binary_score(tag_indices, sequence_lengths, transition_params):
    """[batch]: the sum of the transitions from each tag to the next."""
    tag_indices, transition_params = _tf.convert_to_tensor(tag_indices), _tf.convert_to_tensor(transition_params)
    pairs = _tf.gather_nd(transition_params, _tf.stack([tag_indices[:, :-1], tag_indices[:, 1:]], axis=-1))
    lengths = _tf.maximum(_tf.cast(sequence_lengths, _tf.int32) - 1, 0)
    return _tf.reduce_sum(pairs * _mask(lengths, _tf.shape(tag_indices)[1] - 1, transition_params.dtype), 1)


def crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params):
    """[batch]: what the tags of each sequence score before normalisation; 0 for a sequence without steps."""
    return crf_unary_score(tag_indices, sequence_lengths, inputs) + crf_binary_score(tag_indices, sequence_lengths, transition_params)


def _log_norm(inputs, sequence_lengths, transition_params):
    inputs, transitions = _tf.convert_to_tensor(inputs), _tf.expand_dims(_tf.convert_to_tensor(transition_params), 0)
    lengths = _tf.cast(sequence_lengths, _tf.int32)

    def step(alphas, potentials_and_step):
        potentials, time = potentials_and_step
        following = _tf.reduce_logsumexp(_tf.expand_dims(alphas, 2) + transitions, 1) + potentials
        return _tf.where(time < lengths, following, alphas)  # of [batch]: rows are chosen
    alphas = _tf.foldl(step, _times(inputs, 1), initializer=inputs[:, 0])
    norm = _tf.reduce_logsumexp(alphas, 1)
    return _tf.where(lengths > 0, norm, _tf.zeros_like(norm))


def crf_log_norm(inputs, sequence_lengths, transition_params):
    """[batch]: the logarithm of the sum over all taggings of exp(score); 0 for a sequence without steps."""
    return _log_norm(inputs, sequence_lengths, transition_params)


def crf_multitag_sequence_score(inputs, tag_bitmap, sequence_lengths, transition_params):
    """[batch]: the logarithm of the sum of exp(score) over the taggings that a [batch, time, tags] bitmap allows."""
    inputs = _tf.convert_to_tensor(inputs)
    impossible = _tf.fill(_tf.shape(inputs), _tf.constant(float("-inf"), inputs.dtype))
    return _log_norm(_tf.where(_tf.cast(tag_bitmap, _tf.bool), inputs, impossible), sequence_lengths, transition_params)


def crf_log_likelihood(inputs, tag_indices, sequence_lengths, transition_params=None):
    """([batch] logarithms of the tags' probabilities, the transitions): a variable `transitions` where none are given."""
    inputs = _tf.convert_to_tensor(inputs)
    if transition_params is None:
        num_tags = inputs.shape[2].value
        transition_params = _tf.get_variable("transitions", [num_tags, num_tags])
    score = crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params)
    return score - crf_log_norm(inputs, sequence_lengths, transition_params), transition_params


def viterbi_decode(score, transition_params):
    """(the best tags, their score) of one [time, tags] array, by NumPy."""
    score, transitions = _np.asarray(score), _np.asarray(transition_params)
    best, came_from = score[0], []
    for potentials in score[1:]:
        paths = best[:, None] + transitions
        came_from.append(_np.argmax(paths, 0))
        best = potentials + _np.max(paths, 0)
    tags = [int(_np.argmax(best))]
    for pointers in reversed(came_from):
        tags.append(int(pointers[tags[-1]]))
    return tags[::-1], _np.max(best)


def crf_decode(potentials, transition_params, sequence_length):
    """([batch, time] int32 best tags, 0 after a sequence's end; [batch] their scores)."""
    potentials, transitions = _tf.convert_to_tensor(potentials), _tf.expand_dims(_tf.convert_to_tensor(transition_params), 0)
    lengths = _tf.cast(sequence_length, _tf.int32)
    shape = _tf.shape(potentials)
    stay = _tf.tile(_tf.expand_dims(_tf.range(shape[2]), 0), [shape[0], 1])  # after the end each tag comes from itself

    def forward(before, potentials_and_step):
        scores, time = before[0], potentials_and_step[1]
        paths = _tf.expand_dims(scores, 2) + transitions
        goes_on = _tf.logical_and(time > 0, time < lengths)  # step 0 is there so that no loop is empty
        return (_tf.where(goes_on, _tf.reduce_max(paths, 1) + potentials_and_step[0], scores),
                _tf.where(goes_on, _tf.cast(_tf.argmax(paths, 1), _tf.int32), stay))

    def backward(tags, pointers):
        return _tf.reduce_sum(pointers * _tf.one_hot(tags, shape[2], dtype=_tf.int32), 1)
    first = potentials[:, 0]
    _, came_from = _tf.scan(forward, _times(potentials, 0), initializer=(first, stay))
    best = _tf.foldl(lambda before, now: forward((before,), now)[0], _times(potentials, 1), initializer=first)
    last = _tf.cast(_tf.argmax(best, 1), _tf.int32)
    tags = _tf.concat([_tf.scan(backward, came_from, initializer=last, reverse=True)[1:], [last]], 0)
    return _tf.transpose(tags) * _tf.sequence_mask(lengths, shape[1], dtype=_tf.int32), _tf.reduce_max(best, 1)
