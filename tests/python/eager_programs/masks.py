# Masks of values: layers that say which times count, and those that look at it.
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.enable_eager_execution()
layers = tf.keras.layers
constant = tf.keras.initializers.Constant


def told(values):
    return [round(float(value), 4) + 0.0 for value in np.asarray(values).reshape(-1)[:8]]


x = (np.arange(24).reshape(2, 4, 3) * 37 % 11 / 11.0).astype("float32")
x[0, 2:], x[1, 1] = 0, 0
words = np.array([[1, 2, 0, 0], [3, 0, 1, 2]])

masking = layers.Masking(0.0)
masked = masking(tf.constant(x))
print(masked._keras_mask.numpy().tolist(), masking.compute_mask(tf.constant(x)).numpy().tolist())
embedding = layers.Embedding(5, 3, mask_zero=True, embeddings_initializer=constant(0.5))
embedded = embedding(tf.constant(words))
print(embedded._keras_mask.numpy().tolist(), embedding.compute_mask(words).numpy().tolist())
print(layers.Embedding(5, 3)(tf.constant(words)).shape.as_list(), layers.Embedding(5, 3).compute_mask(words))


def recurrent(cls, **options):
    return cls(2, kernel_initializer=constant(0.3), recurrent_initializer=constant(-0.2), **options)


for cls in (layers.SimpleRNN, layers.LSTM, layers.GRU):
    for options in ({}, {"return_sequences": True}, {"go_backwards": True}):
        made = recurrent(cls, **options)(masked)
        print(cls.__name__, options, told(made), getattr(made, "_keras_mask", None) is not None)
    print(told(recurrent(cls)(tf.constant(x), mask=tf.constant(np.array([[True, True, False, False], [True, False, True, True]])))))
print(told(layers.Bidirectional(recurrent(layers.LSTM))(embedded)))
print(told(layers.GlobalAveragePooling1D()(masked)), told(layers.TimeDistributed(layers.Dense(1, kernel_initializer=constant(0.2)))(masked)))

model = tf.keras.Sequential([layers.Embedding(5, 3, mask_zero=True, embeddings_initializer=constant(0.5)), recurrent(layers.LSTM),
                             layers.Dense(1, kernel_initializer=constant(0.4))])
print(told(model(tf.constant(words))), told(model.predict(words, verbose=0)))
model.compile("sgd", "mse")
print([told(values) for values in model.fit(words, np.ones((2, 1)), epochs=2, verbose=0, shuffle=False).history.values()], told(model(tf.constant(words))))


class Reader(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.embedding = layers.Embedding(5, 3, mask_zero=True, embeddings_initializer=constant(0.5))
        self.rnn = recurrent(layers.GRU, return_sequences=True)
        self.dense = layers.Dense(1, kernel_initializer=constant(0.4))

    def call(self, inputs):
        h = self.embedding(inputs)
        return self.dense(self.rnn(h, mask=self.embedding.compute_mask(inputs)))


reader = Reader()
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(tf.square(reader(tf.constant(words)) - 1.0))
gradients = tape.gradient(loss, reader.trainable_variables)
print(told(loss), [told(gradient.values if hasattr(gradient, "values") else gradient) for gradient in gradients])


@tf.function
def read(inputs):
    return reader(inputs)


print(told(read(tf.constant(words))), told(reader(tf.constant(words))))


class Halves(layers.Layer):
    def call(self, inputs, mask=None):
        return inputs if mask is None else inputs * tf.cast(mask, tf.float32)[..., tf.newaxis] * 0.5

    def compute_mask(self, inputs, mask=None):
        return mask


halves = Halves()
print(told(halves(masked)), told(halves(tf.constant(x))), told(recurrent(layers.SimpleRNN)(halves(masked))))
for _ in range(3):
    masked = masking(masked * 1.0)
print(masked._keras_mask.numpy().tolist())
