"""Feature columns as a layer."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import refused

columns, layers = tf.feature_column, tf.keras.layers
age = columns.numeric_column("age")
word = columns.indicator_column(columns.categorical_column_with_vocabulary_list("word", ["x", "y"]))
place = columns.embedding_column(columns.categorical_column_with_identity("place", 3), 2, initializer=tf.ones_initializer())
layer = layers.DenseFeatures([age, word, place, columns.bucketized_column(age, [1.5])])
features = {"age": tf.constant([[1.0], [2.0]]), "word": tf.constant([["x"], ["y"]]), "place": tf.constant([[1], [0]])}
first, again = layer(features), layer(features)
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
    print(sess.run(first).tolist(), sess.run(again - first).max(), layer.name, [weight.name for weight in layer.weights], len(tf.global_variables()))
print([refused(attempt)[0] for attempt in (
    lambda: layers.DenseFeatures([columns.categorical_column_with_identity("place", 3)]), lambda: layers.DenseFeatures([]),
    lambda: layers.DenseFeatures([word])({"age": features["age"]}), lambda: layers.DenseFeatures([age])(features["age"]))])
inputs = [layers.Input([1], name="age"), layers.Input([1], name="place", dtype="int32")]
vectors = layers.DenseFeatures([age, place], name="features")({"age": inputs[0], "place": inputs[1]})
model = tf.keras.Model(inputs, layers.Dense(1, kernel_initializer="ones")(vectors))
model.compile("sgd", "mse")
x = [np.array([[1.0], [2.0]]), np.array([[0], [2]])]
print([weight.name for weight in model.weights], model.predict(x).tolist())
print(round(float(model.train_on_batch(x, np.zeros([2, 1]))), 3), model.predict(x).round(3).tolist(), model.get_weights()[0].round(4).tolist())
