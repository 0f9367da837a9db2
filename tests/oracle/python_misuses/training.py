"""tf.train with arguments that it cannot work with: rates, optimizers, gradients, savers, devices."""

from python_misuses import misuses_of
from tensorflow_v1 import tf


def step(dtype=tf.int64):
    return tf.get_variable("step", [], dtype, tf.zeros_initializer(), trainable=False)


for name, function in {"exponential": "exponential_decay", "natural": "natural_exp_decay", "inverse": "inverse_time_decay"}.items():
    def rate(*arguments, function=function, **named):
        return getattr(tf.train, function)(*arguments, **named)
    misuses_of(
        "rate_" + name,
        step_none=lambda rate=rate: rate(0.1, None, 10, 0.5),
        learning_rate_none=lambda rate=rate: rate(None, step(), 10, 0.5),
        learning_rate_text=lambda rate=rate: rate("a", step(), 10, 0.5),
        learning_rate_int=lambda rate=rate: rate(1, step(), 10, 0.5),
        decay_steps_none=lambda rate=rate: rate(0.1, step(), None, 0.5),
        decay_rate_none=lambda rate=rate: rate(0.1, step(), 10, None),
        decay_rate_text=lambda rate=rate: rate(0.1, step(), 10, "a"),
        decay_steps_zero=lambda rate=rate: rate(0.1, step(), 0, 0.5),
        staircase_none=lambda rate=rate: rate(0.1, step(), 10, 0.5, staircase=None),
        staircase_number=lambda rate=rate: rate(0.1, step(), 10, 0.5, staircase=1),
        name_number=lambda rate=rate: rate(0.1, step(), 10, 0.5, name=5),
        step_number=lambda rate=rate: rate(0.1, 5, 10, 0.5),
        step_text=lambda rate=rate: rate(0.1, "a", 10, 0.5),
        too_few=lambda rate=rate: rate(0.1, 5),
    )

misuses_of(
    "rate_polynomial",
    step_none=lambda: tf.train.polynomial_decay(0.1, None, 10),
    learning_rate_none=lambda: tf.train.polynomial_decay(None, step(), 10),
    decay_steps_none=lambda: tf.train.polynomial_decay(0.1, step(), None),
    end_none=lambda: tf.train.polynomial_decay(0.1, step(), 10, None),
    power_none=lambda: tf.train.polynomial_decay(0.1, step(), 10, power=None),
    cycle_none=lambda: tf.train.polynomial_decay(0.1, step(), 10, cycle=None),
    cycle_number=lambda: tf.train.polynomial_decay(0.1, step(), 10, cycle=1),
    learning_rate_int=lambda: tf.train.polynomial_decay(1, step(), 10),
)

misuses_of(
    "rate_piecewise",
    too_few_values=lambda: tf.train.piecewise_constant(step(), [10, 20], [0.1, 0.2]),
    nothing=lambda: tf.train.piecewise_constant(step(), [], []),
    one_value=lambda: tf.train.piecewise_constant(step(), [], [0.1]),
    x_none=lambda: tf.train.piecewise_constant(None, [10], [0.1, 0.2]),
    boundaries_none=lambda: tf.train.piecewise_constant(step(), None, [0.1, 0.2]),
    values_none=lambda: tf.train.piecewise_constant(step(), [10], None),
    float_boundaries=lambda: tf.train.piecewise_constant(step(), [10.0], [0.1, 0.2]),
    values_of_other_dtypes=lambda: tf.train.piecewise_constant(step(), [10], [1, 0.2]),
    values_of_other_dtypes_2=lambda: tf.train.piecewise_constant(step(), [10], [0.1, 2]),
    boundary_tensor_of_other_dtype=lambda: tf.train.piecewise_constant(step(tf.int32), [tf.constant(1, tf.int64)], [0.1, 0.2]),
    int_boundaries_of_long_step=lambda: tf.train.piecewise_constant(step(), [10], [0.1, 0.2]),
    int_boundaries_of_float_x=lambda: tf.train.piecewise_constant(tf.constant(1.0), [10], [0.1, 0.2]),
    boundary_text=lambda: tf.train.piecewise_constant(step(), ["a"], [0.1, 0.2]),
    length_before_dtype=lambda: tf.train.piecewise_constant(step(), [10.0], [0.1, 0.2, 0.3]),
    name_number=lambda: tf.train.piecewise_constant(step(), [10], [0.1, 0.2], name=5),
)


def weight(**named):
    return tf.get_variable("w", initializer=[1.0, 2.0], **named)


def loss():
    return tf.reduce_sum(tf.square(weight()))


OPTIMIZERS = {"descent": lambda rate=0.1: tf.train.GradientDescentOptimizer(rate),
              "momentum": lambda rate=0.1: tf.train.MomentumOptimizer(rate, 0.9),
              "adam": lambda rate=0.1: tf.train.AdamOptimizer(rate),
              "adagrad": lambda rate=0.1: tf.train.AdagradOptimizer(rate),
              "rmsprop": lambda rate=0.1: tf.train.RMSPropOptimizer(rate)}
for name, make in OPTIMIZERS.items():
    misuses_of(
        "optimizer_" + name,
        rate_none=lambda make=make: make(None).minimize(loss()),
        rate_text=lambda make=make: make("fast").minimize(loss()),
        rate_list=lambda make=make: make([0.1, 0.2]).minimize(loss()),
        rate_vector=lambda make=make: make(tf.constant([0.1, 0.2])).minimize(loss()),
        rate_int=lambda make=make: make(1).minimize(loss()),
        rate_int_tensor=lambda make=make: make(tf.constant(1)).minimize(loss()),
        rate_double_tensor=lambda make=make: make(tf.constant(1.0, tf.float64)).minimize(loss()),
        loss_none=lambda make=make: make().minimize(None),
        loss_number=lambda make=make: make().minimize(1.0),
        loss_text=lambda make=make: make().minimize("loss"),
        loss_list=lambda make=make: make().minimize([loss()]),
    )


def descent():
    return tf.train.GradientDescentOptimizer(0.1)


def square_of(variable):
    return tf.reduce_sum(tf.square(variable))


def with_weight(function):
    w = weight()
    return function(w, square_of(w))


misuses_of(
    "minimize",
    var_list_none=lambda: descent().minimize(loss(), var_list=None),
    var_list_empty=lambda: descent().minimize(loss(), var_list=[]),
    var_list_text=lambda: descent().minimize(loss(), var_list="w"),
    var_list_number=lambda: descent().minimize(loss(), var_list=5),
    var_list_with_none=lambda: descent().minimize(loss(), var_list=[None]),
    var_list_tensor=lambda: descent().minimize(loss(), var_list=[tf.constant(1.0)]),
    global_step_number=lambda: descent().minimize(loss(), global_step=5),
    global_step_text=lambda: descent().minimize(loss(), global_step="step"),
    global_step_tensor=lambda: descent().minimize(loss(), global_step=tf.constant(0)),
    gate_wrong=lambda: descent().minimize(loss(), gate_gradients=7),
    gate_text=lambda: descent().minimize(loss(), gate_gradients="all"),
    gate_none=lambda: descent().minimize(loss(), gate_gradients=None),
    aggregation_wrong=lambda: descent().minimize(loss(), aggregation_method=7),
    grad_loss_text=lambda: descent().minimize(loss(), grad_loss="a"),
    grad_loss_shape=lambda: descent().minimize(loss(), grad_loss=[1.0, 2.0]),
    name_number=lambda: descent().minimize(loss(), name=5),
    int_loss=lambda: descent().minimize(tf.constant(1)),
    unconnected=lambda: with_weight(lambda w, _: descent().minimize(tf.constant(1.0))),
    no_variables=lambda: descent().minimize(tf.constant(1.0)),
    unknown_argument=lambda: descent().minimize(loss(), nothing=1),
    apply_none=lambda: descent().apply_gradients(None),
    apply_nothing=lambda: descent().apply_gradients([]),
    apply_number=lambda: descent().apply_gradients(5),
    apply_no_pairs=lambda: with_weight(lambda w, _: descent().apply_gradients([w])),
    apply_triples=lambda: with_weight(lambda w, _: descent().apply_gradients([(w, w, w)])),
    apply_none_gradient=lambda: with_weight(lambda w, _: descent().apply_gradients([(None, w)])),
    apply_text_gradient=lambda: with_weight(lambda w, _: descent().apply_gradients([("a", w)])),
    apply_array_gradient=lambda: with_weight(lambda w, _: descent().apply_gradients([([1.0, 1.0], w)])),
    apply_to_none=lambda: with_weight(lambda w, _: descent().apply_gradients([(tf.constant(1.0), None)])),
    apply_to_text=lambda: with_weight(lambda w, _: descent().apply_gradients([(tf.constant(1.0), "w")])),
    get_slot_none=lambda: with_weight(lambda w, _: descent().get_slot(w, None)),
    get_slot_of_none=lambda: descent().get_slot(None, "momentum"),
    use_locking_none=lambda: tf.train.GradientDescentOptimizer(0.1, use_locking=None).minimize(loss()),
    optimizer_name_none=lambda: tf.train.GradientDescentOptimizer(0.1, name=None).minimize(loss()),
    optimizer_name_empty=lambda: tf.train.AdamOptimizer(0.1, name=""),
    momentum_none=lambda: tf.train.MomentumOptimizer(0.1, None).minimize(loss()),
    momentum_missing=lambda: tf.train.MomentumOptimizer(0.1),
    adam_beta_none=lambda: tf.train.AdamOptimizer(0.1, beta1=None).minimize(loss()),
    adam_beta_text=lambda: tf.train.AdamOptimizer(0.1, beta1="a").minimize(loss()),
    adam_epsilon_none=lambda: tf.train.AdamOptimizer(0.1, epsilon=None).minimize(loss()),
    adagrad_accumulator_zero=lambda: tf.train.AdagradOptimizer(0.1, initial_accumulator_value=0.0).minimize(loss()),
    adagrad_accumulator_negative=lambda: tf.train.AdagradOptimizer(0.1, initial_accumulator_value=-1.0),
    adagrad_accumulator_none=lambda: tf.train.AdagradOptimizer(0.1, initial_accumulator_value=None),
    rmsprop_decay_none=lambda: tf.train.RMSPropOptimizer(0.1, decay=None).minimize(loss()),
)

misuses_of(
    "gradients",
    ys_none=lambda: with_weight(lambda w, y: tf.gradients(None, w)),
    xs_none=lambda: with_weight(lambda w, y: tf.gradients(y, None)),
    xs_with_none=lambda: with_weight(lambda w, y: tf.gradients(y, [w, None])),
    xs_text=lambda: with_weight(lambda w, y: tf.gradients(y, "w")),
    xs_number=lambda: with_weight(lambda w, y: tf.gradients(y, 5)),
    ys_empty=lambda: with_weight(lambda w, y: tf.gradients([], w)),
    xs_empty=lambda: with_weight(lambda w, y: tf.gradients(y, [])),
    grad_ys_length=lambda: with_weight(lambda w, y: tf.gradients(y, w, grad_ys=[1.0, 2.0])),
    grad_ys_dtype=lambda: with_weight(lambda w, y: tf.gradients(y, w, grad_ys=tf.constant(1))),
    grad_ys_text=lambda: with_weight(lambda w, y: tf.gradients(y, w, grad_ys="a")),
    aggregation_wrong=lambda: with_weight(lambda w, y: tf.gradients(y + y, w, aggregation_method=7)),
    stop_gradients_text=lambda: with_weight(lambda w, y: tf.gradients(y, w, stop_gradients="a")),
    unconnected_wrong=lambda: with_weight(lambda w, y: tf.gradients(y, w, unconnected_gradients="maybe")),
    unconnected_none=lambda: with_weight(lambda w, y: tf.gradients(y, w, unconnected_gradients=None)),
    name_none=lambda: with_weight(lambda w, y: tf.gradients(y, w, name=None)),
    name_number=lambda: with_weight(lambda w, y: tf.gradients(y, w, name=5)),
    int_y=lambda: tf.gradients(tf.constant(1), tf.constant(1.0)),
)
