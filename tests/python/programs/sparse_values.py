"""Sparse tensors that are fed, put in order, added, multiplied, reduced and trained."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def show(name, value):
    if isinstance(value, tf.SparseTensorValue):
        print(name, value.indices.tolist(), np.round(value.values, 4).tolist() if value.values.dtype.kind == "f" else value.values.tolist(),
              value.dense_shape.tolist())
    else:
        array = np.asarray(value)
        print(name, np.round(array, 4).tolist() if array.dtype.kind == "f" else array.tolist())


with tf.Graph().as_default(), tf.Session() as session:
    sp = tf.sparse_placeholder(tf.float32, [3, 4], name="sp")
    fed = tf.SparseTensorValue(np.array([[2, 1], [0, 3], [0, 0]]), np.array([1.0, 2.0, -3.0], np.float32), np.array([3, 4]))
    ordered = tf.sparse_reorder(sp)
    feeds = {sp: fed}
    other = tf.SparseTensor([[0, 0], [1, 2]], [3.0, 4.0], [3, 4])
    dense = tf.constant(np.arange(12, dtype=np.float32).reshape(3, 4))
    steps = {
        "ordered": ordered,
        "reshaped": tf.sparse_reshape(ordered, [2, -1]),
        "turned": tf.sparse_transpose(ordered),
        "sum": tf.sparse_add(ordered, other),
        "sum_above": tf.sparse_add(ordered, other, threshold=0.5),
        "greatest": tf.sparse_maximum(ordered, other),
        "joined": tf.sparse_concat(1, [ordered, other]),
        "wide": tf.sparse_concat(0, [ordered, tf.sparse_reshape(other, [2, 6])], expand_nonconcat_dim=True),
        "corner": tf.sparse_slice(ordered, [0, 0], [2, 3]),
        "filled": tf.sparse_fill_empty_rows(ordered, 9.0)[0],
        "empty": tf.sparse_fill_empty_rows(ordered, 9.0)[1],
        "kept": tf.sparse_retain(ordered, ordered.values > 0),
        "small": tf.sparse_reset_shape(ordered),
        "softmax": tf.sparse_softmax(ordered),
        "times": ordered * dense,
        "over": ordered / (dense + 1),
        "expanded": tf.sparse.expand_dims(ordered, 1),
        "rows": tf.sparse_reduce_sum(ordered, 1),
        "columns": tf.sparse.reduce_sum(ordered, 0, keepdims=True),
        "most": tf.sparse_reduce_max(ordered, 1),
        "some_rows": tf.sparse_reduce_sum_sparse(ordered, 1),
        "dense": tf.sparse_tensor_to_dense(ordered, default_value=-1.0),
        "with_dense": tf.sparse.add(ordered, dense),
        "product": tf.sparse_tensor_dense_matmul(ordered, dense, adjoint_b=True),
        "back": tf.sparse.from_dense(dense),
        "identity": tf.sparse.eye(2, 3),
        "doubled": tf.square(ordered),
        "cast": tf.cast(ordered, tf.int32),
    }
    for name, value in session.run(steps, feeds).items():
        show(name, value)
    show("by_tuple", session.run(tf.sparse_tensor_to_dense(ordered), {sp: (fed.indices, fed.values, fed.dense_shape)}))
    show("evaluated", ordered.eval(feeds))
    for part in session.run(tf.sparse_split(sp_input=ordered, num_split=3, axis=1), feeds):
        show("part", part)
    show("indicator", session.run(tf.sparse_to_indicator(tf.SparseTensor([[0, 0], [1, 0]], tf.constant([2, 0], tf.int64), [2, 1]), 4)))
    for name, function in [("both", tf.sets.intersection), ("either", tf.sets.union), ("less", tf.sets.difference)]:
        show(name, session.run(function(tf.constant([[1, 2, 2], [4, 5, 6]]), tf.constant([[2, 9], [6, 4]]))))
    show("size", session.run(tf.sets.size(tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [7, 7, 8], [3, 2]))))

with tf.Graph().as_default(), tf.Session() as session:
    table = tf.Variable(np.arange(12, dtype=np.float32).reshape(6, 2) / 10)
    parts = [tf.Variable(np.arange(6, dtype=np.float32).reshape(3, 2) + 10 * i) for i in range(2)]
    ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0], [3, 0]], tf.constant([1, 3, 5, -1], tf.int64), [4, 2])
    weights = tf.SparseTensor(ids.indices, [1.0, 2.0, 0.5, 1.0], [4, 2])
    first = tf.SparseTensor(ids.indices[:3], ids.values[:3], [2, 2])
    loss = tf.reduce_sum(tf.square(tf.nn.embedding_lookup_sparse(table, first, None, combiner="mean")))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    session.run(tf.global_variables_initializer())
    for combiner in ("sum", "mean", "sqrtn"):
        show(combiner, session.run(tf.nn.safe_embedding_lookup_sparse(table, ids, combiner=combiner)))
        show(combiner + "_weighted", session.run(tf.nn.safe_embedding_lookup_sparse(table, ids, weights, combiner=combiner, default_id=2)))
    for strategy in ("mod", "div"):
        show(strategy, session.run(tf.nn.embedding_lookup(parts, [5, 0, 3, 2], partition_strategy=strategy)))
    show("short", session.run(tf.nn.embedding_lookup(parts, [5, 0], max_norm=1.0)))
    for _ in range(3):
        session.run(train)
    show("trained", session.run(table))
