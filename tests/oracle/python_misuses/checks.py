"""tf.assert_* of what does not hold, and functions of arrays with arguments that they cannot work with."""

from python_misuses import misuses_of
from tensorflow_v1 import tf


def floats(shape=(2, 3), name="x"):
    return tf.placeholder(tf.float32, shape, name=name)


misuses_of(
    "assert",
    equal=lambda: tf.assert_equal([1, 2], [1, 3]),
    equal_message=lambda: tf.assert_equal([1, 2], [1, 3], message="Bad"),
    equal_data=lambda: tf.assert_equal(1, 2, data=["shown", 3]),
    equal_dtypes=lambda: tf.assert_equal(floats(), tf.constant([1, 2, 3])),
    equal_shapes=lambda: tf.assert_equal(floats(), floats((4, 3))),
    none_equal=lambda: tf.assert_none_equal([1, 2], [3, 2]),
    less=lambda: tf.assert_less(2.0, 1.0),
    less_equal=lambda: tf.assert_less_equal(2, 1),
    greater=lambda: tf.assert_greater(1, 1),
    greater_equal=lambda: tf.assert_greater_equal(0, 1),
    positive=lambda: tf.assert_positive([1, 0]),
    positive_message=lambda: tf.assert_positive([1, 0], message="Bad"),
    negative=lambda: tf.assert_negative([0.0]),
    non_negative=lambda: tf.assert_non_negative(-1),
    non_positive=lambda: tf.assert_non_positive(1),
    none=lambda: tf.assert_equal(None, 1),
    rank=lambda: tf.assert_rank(floats(), 1),
    rank_message=lambda: tf.assert_rank(floats(), 1, message="Bad"),
    rank_no_scalar=lambda: tf.assert_rank(floats(), [1, 2]),
    rank_float=lambda: tf.assert_rank(floats(), 1.0),
    rank_at_least=lambda: tf.assert_rank_at_least(floats(), 3),
    rank_in=lambda: tf.assert_rank_in(floats(), [0, 1]),
    scalar=lambda: tf.assert_scalar([1, 2]),
    scalar_message=lambda: tf.assert_scalar(floats(), message="Bad"),
    integer=lambda: tf.assert_integer(floats()),
    type=lambda: tf.assert_type(floats(), tf.int32),
    type_message=lambda: tf.assert_type(floats(), tf.int32, message="Bad"),
    same_dtype=lambda: tf.assert_same_float_dtype([floats(), tf.constant(1)]),
    same_dtype_given=lambda: tf.assert_same_float_dtype([floats()], tf.float64),
    same_dtype_int=lambda: tf.assert_same_float_dtype([tf.constant(1)]),
    iterable_text=lambda: tf.assert_proper_iterable("abc"),
    iterable_number=lambda: tf.assert_proper_iterable(1),
    near_ints=lambda: tf.assert_near([1, 2], [1, 2]),
    no_arguments=lambda: tf.assert_equal(),
    unknown_argument=lambda: tf.assert_equal(1, 1, nothing=2),
)

misuses_of(
    "arrays",
    mask_scalar=lambda: tf.boolean_mask(floats(), True),
    mask_shape=lambda: tf.boolean_mask(floats(), [True, False, True]),
    mask_of_any_rank=lambda: tf.boolean_mask(floats(), tf.placeholder(tf.bool)),
    sequence_maxlen_vector=lambda: tf.sequence_mask([1, 2], [3]),
    meshgrid_indexing=lambda: tf.meshgrid([1], [2], indexing="ab"),
    meshgrid_unknown_argument=lambda: tf.meshgrid([1], [2], nothing=True),
    sort_direction=lambda: tf.sort([1, 2], direction="UP"),
    sort_axis_too_large=lambda: tf.sort([1, 2], axis=2),
    eye_fraction=lambda: tf.eye(2.5),
    eye_none=lambda: tf.eye(None),
    variance_int=lambda: tf.math.reduce_variance([1, 2]),
    scalar_mul_vector=lambda: tf.scalar_mul([1.0, 2.0], floats()),
    accumulate_nothing=lambda: tf.accumulate_n([]),
    accumulate_shapes=lambda: tf.accumulate_n([floats(), floats((4, 3))]),
    einsum_output_twice=lambda: tf.einsum("ij->ii", floats()),
    einsum_unknown_output=lambda: tf.einsum("ij->ik", floats()),
    einsum_too_few=lambda: tf.einsum("ij,jk->ik", floats()),
    einsum_characters=lambda: tf.einsum("i?->i", floats()),
    einsum_ellipses=lambda: tf.einsum("...i->......", floats()),
    einsum_zero=lambda: tf.einsum("...0->...", floats()),
    norm_order=lambda: tf.norm(floats(), ord=0),
    norm_word=lambda: tf.norm(floats(), ord="nuclear"),
    norm_fro_of_vector=lambda: tf.norm(floats(), ord="fro", axis=0),
    norm_same_axes=lambda: tf.norm(floats(), axis=[1, 1]),
    norm_three_axes=lambda: tf.norm(floats(), axis=[0, 1, 2]),
    norm_matrix_order=lambda: tf.norm(floats(), ord=3, axis=[0, 1]),
    norm_both_keepdims=lambda: tf.norm(floats(), keepdims=True, keep_dims=True),
    adjoint_of_vector=lambda: tf.linalg.adjoint([1.0, 2.0]),
    matvec_shapes=lambda: tf.linalg.matvec(floats(), [1.0, 2.0]),
    batch_gather_of_any_rank=lambda: tf.batch_gather(floats(), tf.placeholder(tf.int32)),
)


def in_python():
    misuses_of(
        "tensor_in_python",
        condition=lambda: bool(tf.constant(True)),
        condition_of_comparison=lambda: 1 if floats() > 0 else 2,
        loop=lambda: [x for x in tf.placeholder(tf.float32, [3])],
        conjunction=lambda: tf.constant(True) and tf.constant(False),
    )


in_python()
