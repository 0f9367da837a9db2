"""Products of vectors and matrices, norms, traces, diagonals."""

from programs import program
from tensorflow_v1 import tf


@program
def products_of_letters():
    a = tf.placeholder(tf.float32, [2, 3], name="a")
    b = tf.placeholder(tf.float32, [None, 4], name="b")
    tf.einsum("ij,jk->ik", a, b)
    tf.einsum("ij,jk", a, b, name="named")
    tf.einsum("ij->ji", a)
    tf.einsum("ij,ij,kl->kl", a, a, b)
    tf.einsum("bij, bjk -> bik", tf.placeholder(tf.float32, [5, 2, 3], name="left"), tf.placeholder(tf.float32, [5, 3, 2], name="right"))
    tf.einsum("...ij,...jk->...ik", tf.placeholder(tf.float32, [5, 2, 3], name="l"), b)
    tf.einsum("ii->", tf.placeholder(tf.float32, [3, 3], name="square"))
    tf.linalg.einsum("i,i->", tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0]))
    c = tf.placeholder(tf.float32, [4, 5], name="c")
    tf.einsum("ij,jk,kl->il", a, b, c)
    tf.einsum("ij,jk,kl,lm->im", a, b, c, tf.placeholder(tf.float32, [5, 2], name="d"))
    tf.einsum("ab,cd,ef->abcdef", a, b, c)
    tf.einsum("ij,ij,ij->j", a, a, a)
    tf.einsum("...i,ij,...j->...", tf.placeholder(tf.float32, [7, 2], name="e"), a, tf.placeholder(tf.float32, [7, 3], name="f"))


@program
def traces_and_norms():
    x = tf.placeholder(tf.float32, [2, None, 4], name="x")
    tf.trace(x)
    tf.linalg.trace(x, name="named")
    tf.norm(x)
    tf.norm(x, ord=1, axis=1)
    tf.norm(x, ord=2, axis=-1, keepdims=True, name="length")
    tf.linalg.norm(x, ord="fro", axis=[0, 1])
    tf.norm(x, ord=float("inf"), axis=0)
    tf.norm(x, ord=3)
    tf.norm(x, ord=1, axis=[-2, -1])
    tf.norm(x, ord=float("inf"), axis=(0, 1), keepdims=True)


@program
def products_with_vectors():
    a = tf.placeholder(tf.float32, [2, 3], name="a")
    x = tf.placeholder(tf.float32, [3], name="x")
    tf.linalg.matvec(a, x)
    tf.linalg.matvec(a, tf.placeholder(tf.float32, [2], name="y"), transpose_a=True, name="named")
    tf.linalg.matvec([[1.0, 2.0]], [3.0, 4.0])
    tf.linalg.matvec(tf.placeholder(tf.float32, [None, 2, 3], name="many"), tf.placeholder(tf.float32, [None, 3], name="vectors"))


@program
def adjoints():
    tf.linalg.adjoint(tf.placeholder(tf.float32, [2, 3], name="x"))
    tf.linalg.adjoint(tf.placeholder(tf.complex64, [5, 2, 3], name="z"), name="named")
    tf.linalg.adjoint([[1.0, 2.0]])


@program
def normalized_tensors():
    x = tf.placeholder(tf.float32, [2, 3], name="x")
    tf.linalg.normalize(x)
    tf.linalg.normalize(x, ord=1, axis=0, name="named")
