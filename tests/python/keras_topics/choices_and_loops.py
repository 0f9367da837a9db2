"""backend: switch, in_train_phase, map_fn, foldl, foldr and rnn."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded

backend = tf.keras.backend
x = backend.constant([1.0, 2.0, 3.0])
print([backend.eval(one).tolist() for one in (backend.switch(backend.constant(True, dtype="bool"), lambda: x, lambda: -x), backend.switch(x > 1.5, x, -x), backend.in_train_phase(x, -x, training=True),
                                              backend.in_test_phase(x, -x, training=True), backend.map_fn(lambda one: one * one, x), backend.foldl(lambda a, b: a + b, x), backend.foldr(lambda a, b: 2 * a + b, x))])
step = lambda now, states: (now + states[0], [now + states[0]])
last, outputs, states = backend.rnn(step, backend.constant(numbers(2, 3, 2)), [backend.zeros((2, 2))])
print(rounded([backend.eval(one) for one in (last, outputs, states[0])]))
print(rounded(backend.eval(backend.rnn(step, backend.constant(numbers(1, 3, 2)), [backend.zeros((1, 2))], mask=backend.constant([[True, False, True]], dtype="bool"), go_backwards=True)[1])))
