"""Models in sessions and graphs of the program's."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import rounded

layers = tf.keras.layers
backend = tf.keras.backend
with tf.Graph().as_default(), tf.Session() as session:
    model = tf.keras.Sequential([layers.Dense(1, input_shape=(2,), kernel_initializer="ones")])
    backend.set_session(session)
    session.run(tf.global_variables_initializer())
    x = tf.placeholder(tf.float32, (None, 2))
    outputs = model(x)
    print(session.run(outputs, {x: np.ones((1, 2))}).tolist(), [variable.name for variable in tf.trainable_variables()], backend.get_session() is session)
    loss = tf.reduce_mean(tf.square(outputs - 1.0))
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    for _ in range(2):
        session.run(step, {x: np.ones((1, 2))})
    print(rounded(model.get_weights()), rounded(model.predict(np.ones((1, 2)))))
    tf.train.Saver().save(session, "./of_session")
    print(sorted(name for name, _ in tf.train.list_variables("./of_session")))
