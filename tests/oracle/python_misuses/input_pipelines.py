"""tf.train.batch and its siblings, with arguments that they cannot work with."""

from python_misuses import misuses_of
from tensorflow_v1 import tf


def x(shape=(3,), dtype=tf.float32):
    return tf.placeholder(dtype, shape)


misuses_of(
    "producers",
    of_scalar=lambda: tf.train.input_producer(1.0),
    of_unknown_shape=lambda: tf.train.input_producer(x(None)),
    of_other_shape=lambda: tf.train.input_producer(x([4, 2]), element_shape=[3]),
    never=lambda: tf.train.input_producer(x(), num_epochs=0),
    limited_never=lambda: tf.train.limit_epochs(x(), 0),
    limited_less=lambda: tf.train.limit_epochs(x(), num_epochs=-2),
    no_strings=lambda: tf.train.string_input_producer([]),
    numbers_for_strings=lambda: tf.train.string_input_producer([1, 2]),
    no_slices=lambda: tf.train.slice_input_producer([]),
)

for name in ("batch", "shuffle_batch"):
    more = {"capacity": 10, "min_after_dequeue": 5} if name == "shuffle_batch" else {}

    def batch(tensors, name=name, more=more, **named):
        return getattr(tf.train, name)(tensors, 2, **more, **named)

    def join(tensors, name=name, more=more, **named):
        return getattr(tf.train, name + "_join")(tensors, 2, **more, **named)

    def maybe(keep, name=name, more=more, **named):
        return getattr(tf.train, "maybe_" + name)([x()], keep_input=keep, batch_size=2, **more, **named)
    misuses_of(
        "pipeline_" + name,
        of_nothing=lambda batch=batch: batch([]),
        of_none=lambda batch=batch: batch(None),
        of_unknown_shape=lambda batch=batch: batch([x(None)]),
        of_scalars=lambda batch=batch: batch([x([])], enqueue_many=True),
        join_nothing=lambda join=join: join([]),
        join_other_types=lambda join=join: join([[x()], [x(dtype=tf.int32)]]),
        join_other_shapes=lambda join=join: join([[x()], [x([4])]]),
        join_of_unknown_shape=lambda join=join: join([[x()], [x(None)]]),
        keep_a_matrix=lambda maybe=maybe: maybe(x([2, 2], tf.bool), enqueue_many=True),
        keep_a_vector=lambda maybe=maybe: maybe(x([2], tf.bool)),
        keep_of_unknown_rank=lambda maybe=maybe: maybe(x(None, tf.bool)),
        keep_none=lambda maybe=maybe: maybe(None),
    )

misuses_of(
    "pipeline_room",
    too_small=lambda: tf.train.shuffle_batch([x()], 2, 10, 10),
)
