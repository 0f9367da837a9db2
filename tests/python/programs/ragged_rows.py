"""Rows of different lengths: made, looked at, put together, reduced, turned into dense and sparse tensors; gradients through them."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def show(name, value):
    if hasattr(value, "to_list"):
        print(name, value.to_list())
    elif isinstance(value, tf.SparseTensorValue):
        print(name, value.indices.tolist(), value.values.tolist(), value.dense_shape.tolist())
    else:
        array = np.asarray(value)
        print(name, np.round(array, 4).tolist() if array.dtype.kind == "f" else array.tolist())


with tf.Graph().as_default(), tf.Session() as session:
    rows = tf.ragged.constant([[3, 1, 4], [], [1, 5], [9]])
    floats = tf.ragged.constant([[1.0, 2.0], [3.0]])
    deep = tf.ragged.constant([[[1, 2], [3]], [], [[4, 5, 6]]])
    steps = {
        "rows": rows,
        "splits": tf.RaggedTensor.from_row_splits([1, 2, 3], [0, 2, 2, 3]),
        "lengths": tf.RaggedTensor.from_row_lengths([1, 2, 3], [1, 0, 2]),
        "starts": tf.RaggedTensor.from_row_starts([1, 2, 3], [0, 1]),
        "limits": tf.RaggedTensor.from_row_limits([1, 2, 3], [2, 3]),
        "ids": tf.RaggedTensor.from_value_rowids([1, 2, 3], [0, 0, 2], nrows=4),
        "uniform": tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2),
        "row_lengths": rows.row_lengths(),
        "value_rowids": rows.value_rowids(),
        "nrows": rows.nrows(),
        "bounding": deep.bounding_shape(),
        "dense": rows.to_tensor(),
        "filled": rows.to_tensor(default_value=-1, shape=[None, 2]),
        "deep_dense": deep.to_tensor(),
        "sparse": rows.to_sparse(),
        "from_sparse": tf.RaggedTensor.from_sparse(rows.to_sparse()),
        "unpadded": tf.RaggedTensor.from_tensor([[1, 2, 0], [3, 0, 0]], padding=0),
        "cut": tf.RaggedTensor.from_tensor([[1, 2, 3], [4, 5, 6]], lengths=[1, 2]),
        "row": rows[0],
        "last": rows[-1],
        "some": rows[1:3],
        "begin_of_each": rows[:, :1],
        "doubled": rows * 2,
        "added": floats + floats,
        "mapped": tf.ragged.map_flat_values(tf.square, floats),
        "above": rows > 2,
        "sum": tf.reduce_sum(rows, axis=1),
        "columns": tf.reduce_sum(rows, axis=0),
        "all": tf.reduce_sum(rows),
        "mean": tf.reduce_mean(floats, axis=1),
        "max": tf.reduce_max(floats, axis=1),
        "deep_sum": tf.reduce_sum(deep, axis=2),
        "joined": tf.concat([rows, rows], axis=0),
        "beside": tf.concat([rows, rows], axis=1),
        "stacked": tf.stack([rows, rows]),
        "gathered": tf.gather(rows, [2, 0]),
        "expanded": tf.expand_dims(floats, axis=0),
        "range": tf.ragged.range([2, 0, 5], [5, 0, 7]),
        "masked": tf.ragged.boolean_mask(rows, rows > 2),
        "segment_ids": tf.ragged.row_splits_to_segment_ids(rows.row_splits),
        "words": tf.strings.split(["a b", "c"], result_type="RaggedTensor"),
    }
    for name, value in steps.items():
        show(name, session.run(value))
    values = tf.placeholder(tf.float32, [3])
    fed = tf.RaggedTensor.from_row_lengths(values, [2, 1])
    slope = tf.convert_to_tensor(tf.gradients(fed.to_tensor() * [[1.0, 2.0], [3.0, 4.0]], values)[0])
    show("slope", session.run(slope, {values: [1.0, 2.0, 3.0]}))
    print(rows.shape.as_list(), deep.ragged_rank, rows.dtype.name)
