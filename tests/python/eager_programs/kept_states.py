# Layers over time that keep their states between batches, and layers without a loop.
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tf.enable_eager_execution()
layers = tf.keras.layers
constant = tf.keras.initializers.Constant
def told(values):
    return [round(float(value), 4) + 0.0 for value in np.asarray(values).reshape(-1)[:8]]
x = (np.arange(12).reshape(2, 3, 2) * 37 % 11 / 11.0).astype("float32")
model = tf.keras.Sequential([layers.GRU(2, stateful=True, kernel_initializer=constant(0.3), recurrent_initializer=constant(-0.2), batch_input_shape=(2, 3, 2)),
                             layers.Dense(1, kernel_initializer=constant(0.4))])
print(told(model.predict(x, verbose=0)), told(model.predict(x, verbose=0)), told(model(tf.constant(x))), told(model(tf.constant(x))))
model.reset_states()
print(told(model(tf.constant(x))), told(model.predict(x, verbose=0)))
model.compile("sgd", "mse")
model.reset_states()
print([told(v) for v in model.fit(x, np.ones((2, 1)), batch_size=2, epochs=3, verbose=0, shuffle=False).history.values()])
rnn = layers.SimpleRNN(2, stateful=True, kernel_initializer=constant(0.3), recurrent_initializer=constant(-0.2))
print(told(rnn(tf.constant(x))), told(rnn(tf.constant(x))))
rnn.reset_states()
print(told(rnn(tf.constant(x))), told(rnn.states[0]))
unrolled = layers.LSTM(2, unroll=True, kernel_initializer=constant(0.3), recurrent_initializer=constant(-0.2))
print(told(unrolled(tf.constant(x))))
