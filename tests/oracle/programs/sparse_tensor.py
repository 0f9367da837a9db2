"""Sparse tensors: made, fed, put in order and shape, added, multiplied, reduced; gradients through them; sets."""

from programs import program
from tensorflow_v1 import tf


def matrix(name="sp", shape=(3, 4), dtype=tf.float32):
    return tf.sparse_placeholder(dtype, shape, name=name)


def constant_matrix():
    return tf.SparseTensor([[0, 1], [2, 3]], [1.0, 2.0], [3, 4])


@program
def sparse_tensors_made():
    constant_matrix()
    tf.SparseTensor(indices=tf.placeholder(tf.int64, [None, 2]), values=tf.placeholder(tf.string, [None]), dense_shape=[2, 2])
    tf.sparse_placeholder(tf.float32)
    tf.sparse_placeholder(tf.int64, [None, 5])
    tf.sparse_placeholder(tf.float32, name="of_any_shape")
    tf.sparse.placeholder(tf.string, [2, None], name="words")


@program
def sparse_to_dense_and_back():
    sp = matrix()
    tf.sparse_tensor_to_dense(sp)
    tf.sparse.to_dense(sp, default_value=-1.0, validate_indices=False, name="named")
    tf.sparse.from_dense(tf.placeholder(tf.float32, [2, 3], name="dense"))
    tf.sparse.from_dense(tf.placeholder(tf.float32, [None, 3], name="other"), name="back")
    tf.sparse.eye(3)
    tf.sparse.eye(3, 4, dtype=tf.int32, name="wide")


@program
def sparse_indicators():
    ids = matrix("ids", (2, None), tf.int64)
    tf.sparse_to_indicator(ids, 10)
    tf.sparse_to_indicator(matrix("small", (2, None), tf.int32), 10, name="named")
    tf.sparse_merge(ids, matrix("weights", (2, None)), 10)
    tf.sparse_merge(ids, matrix("other", (2, None)), 10, name="merged", already_sorted=True)


@program
def sparse_order_and_shape():
    sp = matrix()
    tf.sparse_reorder(sp)
    tf.sparse.reorder(tf.sparse_placeholder(tf.float32, name="any"), name="named")
    tf.sparse_reshape(sp, [2, -1])
    tf.sparse.reshape(constant_matrix(), [12], name="flat")
    tf.sparse_reset_shape(sp)
    tf.sparse.reset_shape(constant_matrix(), [4, 5])
    tf.sparse.reset_shape(tf.sparse_placeholder(tf.float32, [None, 4], name="open"), [4, 5])


@program
def sparse_transposed():
    tf.sparse_transpose(matrix())
    tf.sparse.transpose(constant_matrix(), [1, 0], name="named")
    tf.sparse.transpose(tf.sparse_placeholder(tf.float32, name="any"))
    tf.sparse.expand_dims(matrix("other"))
    tf.sparse.expand_dims(matrix("third"), 0, name="rows")


@program
def sparse_joined_and_cut():
    a, b = matrix("a"), matrix("b", (3, 2))
    tf.sparse_concat(1, [a, b])
    tf.sparse.concat(axis=1, sp_inputs=[constant_matrix(), constant_matrix()], name="named")
    tf.sparse_concat(0, [a, b], expand_nonconcat_dim=True)
    tf.sparse_concat(-1, [a, matrix("c")], expand_nonconcat_dim=True)
    tf.sparse_split(sp_input=a, num_split=2, axis=1)
    tf.sparse.split(sp_input=a, num_split=2, axis=0, name="halves")
    tf.sparse_slice(a, [0, 1], [2, 2])
    tf.sparse.slice(a, [0, 0], [1, 1], name="corner")


@program
def sparse_rows_kept_and_filled():
    sp = matrix()
    tf.sparse_retain(sp, tf.placeholder(tf.bool, [None], name="keep"))
    tf.sparse.retain(constant_matrix(), [True, False])
    tf.sparse_fill_empty_rows(sp, 7.0)
    tf.sparse.fill_empty_rows(matrix("words", (2, None), tf.string), "none", name="named")


@program
def sparse_sums():
    a, b = matrix("a"), matrix("b")
    tf.sparse_add(a, b)
    tf.sparse_add(constant_matrix(), constant_matrix(), threshold=0.5)
    tf.sparse.add(a, tf.placeholder(tf.float32, [3, 4], name="dense"))
    tf.sparse.add(tf.ones([3, 4]), a)
    tf.sparse_maximum(a, b)
    tf.sparse.minimum(a, b, name="least")


@program
def sparse_products():
    sp = matrix()
    dense = tf.placeholder(tf.float32, [4, 2], name="dense")
    tf.sparse_tensor_dense_matmul(sp, dense)
    tf.sparse.matmul(sp, tf.placeholder(tf.float32, [2, 4], name="other"), adjoint_b=True, name="named")
    tf.sparse.sparse_dense_matmul(tf.placeholder(tf.float32, [2, 3], name="left"), sp)
    sp * tf.placeholder(tf.float32, [4], name="row")
    sp / 2.0
    matrix("numbers", (3, 4), tf.int32) / tf.placeholder(tf.int32, [4], name="divisors")


@program
def sparse_reductions():
    sp = matrix()
    tf.sparse_reduce_sum(sp)
    tf.sparse_reduce_sum(sp, 1)
    tf.sparse.reduce_sum(sp, axis=[0], keepdims=True)
    tf.sparse_reduce_max(sp, [0, 1])
    tf.sparse.reduce_max(tf.sparse_placeholder(tf.float32, name="any"))
    tf.sparse_reduce_sum_sparse(sp, 0)
    tf.sparse.reduce_max_sparse(sp, 1, keepdims=True)
    tf.sparse_softmax(sp)
    tf.sparse.softmax(sp, name="named")


@program
def sparse_gradients_of_products():
    v = tf.placeholder(tf.float32, [2], name="v")
    w = tf.placeholder(tf.float32, [4, 2], name="w")
    sp = tf.SparseTensor([[0, 1], [2, 3]], v, [3, 4])
    y = tf.sparse_tensor_dense_matmul(sp, w)
    tf.gradients(y, [v, w])


@program
def sparse_gradients_of_order():
    v = tf.placeholder(tf.float32, [2], name="v")
    sp = tf.SparseTensor([[2, 1], [0, 3]], v, [3, 4])
    tf.gradients(tf.sparse_reorder(sp).values, v)
    tf.gradients(tf.sparse_slice(sp, [0, 0], [2, 4]).values, v, name="of_slice")
    filled, _ = tf.sparse_fill_empty_rows(sp, 0.0)
    tf.gradients(filled.values, v, name="of_filled")


@program
def sparse_gradients_of_reordered_placeholder():
    v = tf.placeholder(tf.float32, [None], name="v")
    sp = tf.SparseTensor(tf.placeholder(tf.int64, [None, 2], name="i"), v, tf.placeholder(tf.int64, [2], name="s"))
    tf.gradients(tf.sparse_reorder(sp).values, v)


@program
def sparse_gradients_of_sums():
    v = tf.placeholder(tf.float32, [2], name="v")
    dense = tf.placeholder(tf.float32, [3, 4], name="dense")
    sp = tf.SparseTensor([[0, 1], [2, 3]], v, [3, 4])
    tf.gradients(tf.sparse_add(sp, constant_matrix()).values, v, name="of_two")
    tf.gradients(tf.sparse_add(sp, dense), [v, dense], name="of_dense")
    tf.gradients(tf.sparse_tensor_to_dense(sp), v, name="of_all")


@program
def sparse_gradients_of_rows():
    v = tf.placeholder(tf.float32, [2], name="v")
    sp = tf.SparseTensor([[0, 1], [2, 3]], v, [3, 4])
    tf.gradients(tf.sparse_softmax(sp).values, v, name="of_softmax")
    tf.gradients(tf.sparse_reduce_sum(sp, 1), v, name="of_sum")


@program
def sparse_gradients_of_elements():
    v = tf.placeholder(tf.float32, [2], name="v")
    dense = tf.placeholder(tf.float32, [4], name="dense")
    sp = tf.SparseTensor([[0, 1], [2, 3]], v, [3, 4])
    tf.gradients((sp * dense).values, [v, dense], name="of_product")
    tf.gradients((sp / dense).values, [v, dense], name="of_quotient")


@program
def sets_of_rows():
    a = tf.placeholder(tf.int32, [2, 3], name="a")
    b = tf.placeholder(tf.int32, [2, 4], name="b")
    sp = matrix("sp", (2, None), tf.int32)
    tf.sets.intersection(a, b)
    tf.sets.set_intersection(a, sp)
    tf.sets.difference(a, b)
    tf.sets.difference(a, b, aminusb=False)
    tf.sets.difference(sp, a, validate_indices=False)
    tf.sets.union(a, [[1], [2]])
    tf.sets.set_union(sp, sp)
    tf.sets.size(sp)


def tables(*shapes):
    return [tf.Variable(tf.ones(shape), name="table_%d" % i) for i, shape in enumerate(shapes)]


@program
def embeddings_of_parts():
    ids = tf.placeholder(tf.int32, [2, 3], name="ids")
    parts = tables([3, 2], [3, 2], [2, 2])
    tf.nn.embedding_lookup(parts, ids)
    tf.nn.embedding_lookup(parts, ids, partition_strategy="div", name="named")
    tf.nn.embedding_lookup(parts[0], ids, max_norm=1.0)
    tf.nn.embedding_lookup(parts, tf.placeholder(tf.int64, [None], name="long"), max_norm=2.0)


@program
def embeddings_of_parts_of_unknown_size():
    ids = tf.placeholder(tf.int32, [None], name="ids")
    parts = [tf.placeholder(tf.float32, [None, 4], name="a"), tf.placeholder(tf.float32, [None, 4], name="b")]
    tf.nn.embedding_lookup(parts, ids, partition_strategy="div")


@program
def embeddings_of_sparse_ids():
    ids = matrix("ids", (None, None), tf.int64)
    weights = matrix("weights", (None, None))
    table, = tables([6, 2])
    tf.nn.embedding_lookup_sparse(table, ids, None)
    tf.nn.embedding_lookup_sparse(table, ids, None, combiner="sqrtn", max_norm=1.0)
    tf.nn.embedding_lookup_sparse(table, ids, weights, combiner="sum", name="named")
    tf.nn.embedding_lookup_sparse(table, ids, weights, combiner="mean")
    tf.nn.embedding_lookup_sparse([table, table], ids, weights, combiner="sqrtn", partition_strategy="div")


@program
def embeddings_of_safe_ids():
    ids = matrix("ids", (None, None), tf.int64)
    weights = matrix("weights", (None, None))
    table, = tables([6, 2])
    tf.nn.safe_embedding_lookup_sparse(table, ids)
    tf.nn.safe_embedding_lookup_sparse(table, ids, weights, combiner="sqrtn", default_id=3, name="named")
    tf.nn.safe_embedding_lookup_sparse(table, matrix("three", (2, 3, None), tf.int64), combiner="sum")


@program
def embeddings_of_sparse_ids_trained():
    ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.placeholder(tf.int64, [3], name="ids"), [2, 2])
    table, = tables([6, 2])
    tf.gradients(tf.nn.embedding_lookup_sparse(table, ids, tf.SparseTensor(ids.indices, [1.0, 2.0, 3.0], [2, 2]), combiner="mean"), table)
