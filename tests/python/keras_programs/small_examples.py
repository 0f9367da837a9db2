"""What Keras' well-known examples do, on small data and anew: classifiers of digits, reviews and newswires, autoencoders, text that goes on,
siamese networks, addition, attention over stories, residual networks, transfer, adversaries."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
layers, K, Model, Sequential, Input = tf.keras.layers, tf.keras.backend, tf.keras.Model, tf.keras.Sequential, tf.keras.Input


def numbers(*shape):
    return ((np.arange(np.prod(shape), dtype=np.float64).reshape(shape) * 37 % 11) / 11.0).astype(np.float32)


def words(count, length, size):
    return (np.arange(count * length).reshape(count, length) * 7 % 31 + np.arange(count)[:, None]) % size


def with_weights(model):
    model.set_weights([((np.arange(w.size).reshape(w.shape) * 7 % 5) - 2) / 10.0 if w.ndim > 1 else w for w in model.get_weights()])
    return model


def rounded(values):
    return [round(float(value), 4) + 0.0 for value in np.asarray(values).ravel()]


def trained(name, model, x, y, epochs=2, **options):
    history = with_weights(model).fit(x, y, epochs=epochs, batch_size=4, shuffle=False, verbose=0, **options)
    print(name, model.count_params(), {key: rounded(values) for key, values in sorted(history.history.items())})
    print("  ", rounded(model.evaluate(x, y, verbose=0)))
    return model


images, flat, classes, digits = numbers(8, 10, 10, 1), numbers(8, 16), np.arange(8) % 3, tf.keras.utils.to_categorical(np.arange(8) % 3, 3)
reviews, opinions = tf.keras.preprocessing.sequence.pad_sequences([list(row[:6 + i]) for i, row in enumerate(words(8, 14, 20))], maxlen=12), np.arange(8) % 2
EXAMPLES = []


def example(function):
    EXAMPLES.append(function)


@example
def mnist_mlp():
    model = Sequential([layers.Dense(12, activation="relu", input_shape=(16,)), layers.Dropout(0.0), layers.Dense(12, activation="relu"),
                        layers.Dense(3, activation="softmax")])
    model.compile(loss="categorical_crossentropy", optimizer=tf.keras.optimizers.RMSprop(), metrics=["accuracy"])
    trained("mnist_mlp", model, flat, digits, validation_data=(flat, digits))


@example
def mnist_cnn():
    model = Sequential()
    model.add(layers.Conv2D(4, kernel_size=(3, 3), activation="relu", input_shape=(10, 10, 1)))
    model.add(layers.Conv2D(6, (3, 3), activation="relu"))
    model.add(layers.MaxPooling2D(pool_size=(2, 2)))
    model.add(layers.Flatten())
    model.add(layers.Dense(3, activation="softmax"))
    model.compile(loss=tf.keras.losses.categorical_crossentropy, optimizer=tf.keras.optimizers.Adagrad(0.05), metrics=["accuracy"])
    trained("mnist_cnn", model, images, digits)


@example
def imdb_lstm():
    model = Sequential([layers.Embedding(20, 6), layers.LSTM(5, dropout=0.0, recurrent_dropout=0.0), layers.Dense(1, activation="sigmoid")])
    model.compile(loss="binary_crossentropy", optimizer="adam", metrics=["accuracy"])
    model.build((None, 12))
    trained("imdb_lstm", model, reviews, opinions)


@example
def imdb_cnn():
    model = Sequential([layers.Embedding(20, 6, input_length=12), layers.Dropout(0.0), layers.Conv1D(5, 3, padding="valid", activation="relu", strides=1),
                        layers.GlobalMaxPooling1D(), layers.Dense(4), layers.Activation("relu"), layers.Dense(1), layers.Activation("sigmoid")])
    model.compile(loss="binary_crossentropy", optimizer="adam", metrics=["accuracy"])
    trained("imdb_cnn", model, reviews, opinions)


@example
def imdb_bidirectional():
    model = Sequential([layers.Embedding(20, 5, input_length=12, mask_zero=True), layers.Bidirectional(layers.LSTM(4)), layers.Dense(1, activation="sigmoid")])
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    trained("imdb_bidirectional", model, reviews, opinions)


@example
def imdb_cnn_lstm():
    model = Sequential([layers.Embedding(20, 5, input_length=12), layers.Conv1D(6, 3, activation="relu"), layers.MaxPooling1D(pool_size=2),
                        layers.LSTM(4), layers.Dense(1), layers.Activation("sigmoid")])
    model.compile(loss="binary_crossentropy", optimizer=tf.train.AdamOptimizer(0.01), metrics=["accuracy"])
    trained("imdb_cnn_lstm", model, reviews, opinions)


@example
def imdb_fasttext():
    model = Sequential([layers.Embedding(20, 4, input_length=12), layers.GlobalAveragePooling1D(), layers.Dense(1, activation="sigmoid")])
    model.compile(loss="binary_crossentropy", optimizer="sgd", metrics=["accuracy"])
    trained("imdb_fasttext", model, reviews, opinions)


@example
def reuters_mlp():
    tokenizer = tf.keras.preprocessing.text.Tokenizer(num_words=20)
    matrix = tokenizer.sequences_to_matrix([list(row) for row in reviews], mode="binary")
    model = Sequential([layers.Dense(8, input_shape=(20,)), layers.Activation("relu"), layers.Dropout(0.0), layers.Dense(3), layers.Activation("softmax")])
    model.compile(loss="sparse_categorical_crossentropy", optimizer="adam", metrics=["accuracy"])
    trained("reuters_mlp", model, matrix, classes, validation_split=0.25)


@example
def reuters_selu():
    model = Sequential([layers.Dense(6, activation="selu", kernel_initializer="lecun_normal", input_shape=(16,)), layers.AlphaDropout(0.0),
                        layers.Dense(3, activation="softmax")])
    model.compile("sgd", "categorical_crossentropy", metrics=["categorical_accuracy"])
    trained("reuters_selu", model, flat, digits)


@example
def siamese():
    base = Sequential([layers.Dense(8, activation="relu", input_shape=(16,)), layers.Dense(4, activation="relu")])
    left, right = Input((16,)), Input((16,))
    distance = layers.Lambda(lambda pair: K.sqrt(K.maximum(K.sum(K.square(pair[0] - pair[1]), axis=1, keepdims=True), K.epsilon())))([base(left), base(right)])
    model = Model([left, right], distance)

    def contrastive_loss(y_true, y_pred):
        return K.mean(y_true * K.square(y_pred) + (1 - y_true) * K.square(K.maximum(1 - y_pred, 0)))

    def accuracy(y_true, y_pred):
        return K.mean(K.equal(y_true, K.cast(y_pred < 0.5, y_true.dtype)))
    model.compile(loss=contrastive_loss, optimizer=tf.keras.optimizers.RMSprop(), metrics=[accuracy])
    trained("siamese", model, [flat, flat[::-1] * 0.5], opinions[:, None].astype(np.float32))


@example
def autoencoder():
    inputs = Input(shape=(16,))
    encoded = layers.Dense(4, activation="relu", activity_regularizer=tf.keras.regularizers.l1(1e-3))(layers.Dense(8, activation="relu")(inputs))
    decoded = layers.Dense(16, activation="sigmoid")(layers.Dense(8, activation="relu")(encoded))
    model, encoder = Model(inputs, decoded), Model(inputs, encoded)
    model.compile(optimizer=tf.train.AdagradOptimizer(0.1), loss="binary_crossentropy")
    trained("autoencoder", model, flat, flat)
    print("  ", rounded(encoder.predict(flat[:2])))


@example
def convolutional_autoencoder():
    inputs = Input(shape=(8, 8, 1))
    x = layers.MaxPooling2D((2, 2), padding="same")(layers.Conv2D(4, (3, 3), activation="relu", padding="same")(inputs))
    x = layers.UpSampling2D((2, 2))(layers.Conv2D(4, (3, 3), activation="relu", padding="same")(x))
    model = Model(inputs, layers.Conv2D(1, (3, 3), activation="sigmoid", padding="same")(x))
    model.compile("adam", "binary_crossentropy")
    x = numbers(6, 8, 8, 1)
    trained("convolutional_autoencoder", model, x * 0.5, x)


@example
def variational_autoencoder():
    inputs = Input((16,))
    h = layers.Dense(8, activation="relu")(inputs)
    mean, log_variance = layers.Dense(2, name="z_mean")(h), layers.Dense(2, name="z_log_var")(h)
    z = layers.Lambda(lambda args: args[0] + K.exp(0.5 * args[1]) * 0.5, output_shape=(2,), name="z")([mean, log_variance])
    encoder = Model(inputs, [mean, log_variance, z], name="encoder")
    latent = Input((2,), name="z_sampling")
    decoder = Model(latent, layers.Dense(16, activation="sigmoid")(layers.Dense(8, activation="relu")(latent)), name="decoder")

    class Divergence(layers.Layer):
        def call(self, inputs):
            mean, log_variance = inputs
            self.add_loss(-0.5 * tf.reduce_mean(tf.reduce_sum(1 + log_variance - tf.square(mean) - tf.exp(log_variance), axis=-1)))
            return mean
    outputs = decoder(encoder(inputs)[2])
    divergence = Divergence()(encoder(inputs)[:2])
    model = Model(inputs, [outputs, divergence])
    model.compile("adam", ["mse", lambda y_true, y_pred: 0.0 * tf.reduce_sum(y_pred, axis=-1)], loss_weights=[16.0, 1.0])
    with_weights(model)
    print("variational_autoencoder", [rounded(model.train_on_batch(flat, [flat, np.zeros((8, 2))])) for _ in range(3)])
    print("  ", rounded(decoder.predict(encoder.predict(flat)[2]))[:8])


@example
def addition():
    model = Sequential([layers.LSTM(6, input_shape=(5, 4)), layers.RepeatVector(3), layers.LSTM(6, return_sequences=True),
                        layers.TimeDistributed(layers.Dense(4, activation="softmax"))])
    model.compile(loss="categorical_crossentropy", optimizer="adam", metrics=["accuracy"])
    questions = tf.keras.utils.to_categorical(words(8, 5, 4), 4)
    trained("addition", model, questions, tf.keras.utils.to_categorical(words(8, 3, 4), 4))


@example
def text_generation():
    text = "to be or not to be that is the question whether tis nobler in the mind"
    letters = sorted(set(text))
    index = {letter: i for i, letter in enumerate(letters)}
    parts = [text[i:i + 6] for i in range(0, len(text) - 7, 3)]
    x = np.array([[[float(index[letter] == i) for i in range(len(letters))] for letter in part] for part in parts])
    y = np.array([[float(index[text[3 * n + 6]] == i) for i in range(len(letters))] for n in range(len(parts))])
    model = Sequential([layers.LSTM(8, input_shape=(6, len(letters))), layers.Dense(len(letters)), layers.Activation("softmax")])
    model.compile(loss="categorical_crossentropy", optimizer=tf.keras.optimizers.RMSprop(0.01))
    trained("text_generation", model, x, y)
    made = text[:6]
    for _ in range(10):
        seen = np.array([[[float(index[letter] == i) for i in range(len(letters))] for letter in made[-6:]]])
        made += letters[int(np.argmax(model.predict(seen)[0]))]
    print("  ", made)


@example
def memory_network():
    story, question = Input((8,)), Input((3,))
    m = Sequential([layers.Embedding(20, 6), layers.Dropout(0.0)])(story)
    c = Sequential([layers.Embedding(20, 3), layers.Dropout(0.0)])(story)
    u = Sequential([layers.Embedding(20, 6, input_length=3), layers.Dropout(0.0)])(question)
    match = layers.Activation("softmax")(layers.dot([m, u], axes=(2, 2)))
    response = layers.Permute((2, 1))(layers.add([match, c]))
    answer = layers.LSTM(5)(layers.concatenate([response, u]))
    model = Model([story, question], layers.Activation("softmax")(layers.Dense(20)(answer)))
    model.compile(optimizer="rmsprop", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    trained("memory_network", model, [words(8, 8, 20), words(8, 3, 20)], np.arange(8) % 20)


@example
def hierarchical():
    inputs = Input((6, 5, 1))
    rows = layers.TimeDistributed(layers.LSTM(4))(inputs)
    model = Model(inputs, layers.Dense(3, activation="softmax")(layers.LSTM(4)(rows)))
    model.compile(loss="categorical_crossentropy", optimizer="rmsprop", metrics=["accuracy"])
    trained("hierarchical", model, numbers(8, 6, 5, 1), digits)


@example
def identity_rnn():
    model = Sequential([layers.SimpleRNN(5, kernel_initializer=tf.keras.initializers.RandomNormal(stddev=0.001), activation="relu",
                                         recurrent_initializer=tf.keras.initializers.Identity(gain=1.0), input_shape=(9, 1)), layers.Dense(3), layers.Activation("softmax")])
    model.compile(loss="categorical_crossentropy", optimizer=tf.keras.optimizers.RMSprop(learning_rate=1e-3), metrics=["accuracy"])
    trained("identity_rnn", model, numbers(8, 9, 1), digits)


@example
def residual():
    inputs = Input((8, 8, 3))
    x = layers.Activation("relu")(layers.BatchNormalization()(layers.Conv2D(4, 3, padding="same", kernel_regularizer=tf.keras.regularizers.l2(1e-4))(inputs)))
    y = layers.BatchNormalization()(layers.Conv2D(4, 3, padding="same")(layers.Activation("relu")(layers.BatchNormalization()(layers.Conv2D(4, 3, padding="same")(x)))))
    x = layers.Activation("relu")(layers.add([x, y]))
    outputs = layers.Dense(3, activation="softmax", kernel_initializer="he_normal")(layers.Flatten()(layers.AveragePooling2D(pool_size=4)(x)))
    model = Model(inputs=inputs, outputs=outputs)
    model.compile(loss="categorical_crossentropy", optimizer=tf.keras.optimizers.SGD(0.05), metrics=["accuracy"])
    trained("residual", model, numbers(8, 8, 8, 3), digits)


@example
def transfer():
    features = [layers.Conv2D(4, 3, input_shape=(10, 10, 1)), layers.Activation("relu"), layers.MaxPooling2D(pool_size=2), layers.Flatten()]
    model = Sequential(features + [layers.Dense(6), layers.Activation("relu"), layers.Dense(3), layers.Activation("softmax")])
    model.compile(loss="categorical_crossentropy", optimizer="sgd", metrics=["accuracy"])
    trained("transfer", model, images, digits)
    before = model.get_weights()
    for layer in features:
        layer.trainable = False
    model.compile(loss="categorical_crossentropy", optimizer="sgd", metrics=["accuracy"])
    model.fit(images, digits, epochs=1, batch_size=4, shuffle=False, verbose=0)
    print("  ", [np.allclose(one, other) for one, other in zip(before, model.get_weights())], len(model.trainable_weights))


@example
def adversaries():
    generator = Sequential([layers.Dense(6, input_shape=(4,)), layers.LeakyReLU(0.2), layers.Dense(16, activation="tanh")], name="generator")
    discriminator = Sequential([layers.Dense(6, input_shape=(16,)), layers.LeakyReLU(0.2), layers.Dense(1, activation="sigmoid")], name="discriminator")
    discriminator.compile("sgd", "binary_crossentropy", metrics=["accuracy"])
    with_weights(discriminator)
    discriminator.trainable = False
    noise = Input((4,))
    both = Model(noise, discriminator(generator(noise)))
    both.compile("sgd", "binary_crossentropy")
    with_weights(generator)
    z, real = numbers(8, 4), np.ones((8, 1))
    for _ in range(2):
        made = generator.predict(z)
        d = discriminator.train_on_batch(np.concatenate([flat, made]), np.concatenate([real, 0 * real]))
        print("adversaries", rounded(d), round(float(both.train_on_batch(z, real)), 4))


@example
def sequence_to_sequence():
    inputs = Input((None, 4))
    _, h, c = layers.LSTM(5, return_state=True)(inputs)
    targets = Input((None, 3))
    decoder = layers.LSTM(5, return_sequences=True, return_state=True)
    out, _, _ = decoder(targets, initial_state=[h, c])
    model = Model([inputs, targets], layers.Dense(3, activation="softmax")(out))
    model.compile(optimizer="rmsprop", loss="categorical_crossentropy", metrics=["accuracy"])
    y = tf.keras.utils.to_categorical(words(8, 4, 3), 3)
    trained("sequence_to_sequence", model, [numbers(8, 5, 4), np.roll(y, 1, axis=1)], y)


@example
def skip_gram():
    target, context = Input((1,)), Input((1,))
    embedding = layers.Embedding(20, 4, input_length=1)
    similarity = layers.Flatten()(layers.dot([embedding(target), embedding(context)], axes=2))
    model = Model([target, context], layers.Dense(1, activation="sigmoid")(similarity))
    model.compile("adam", "binary_crossentropy", metrics=["acc"])
    trained("skip_gram", model, [words(8, 1, 20), words(8, 2, 20)[:, 1:]], opinions)


for run in EXAMPLES:
    with tf.Graph().as_default():
        run()
