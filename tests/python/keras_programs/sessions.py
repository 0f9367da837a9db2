"""The session of Keras' models: get_session, set_session, and the default one."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
layers, K = tf.keras.layers, tf.keras.backend
constant = tf.keras.initializers.Constant


def rounded(values):
    return [round(float(value), 4) + 0.0 for value in np.asarray(values).ravel()]


def made():
    model = tf.keras.Sequential([layers.Dense(2, kernel_initializer=constant(0.5), input_shape=(3,)), layers.Dense(1, kernel_initializer=constant(0.25))])
    model.compile("sgd", "mse")
    return model


x, y = np.arange(12.0).reshape(4, 3) / 10, np.arange(4.0).reshape(4, 1)

print("asked for")
model = made()
session = K.get_session()
print(session is K.get_session(), isinstance(session, tf.Session), session.graph is tf.get_default_graph())
print(rounded(session.run(model.output, {model.input: x})), rounded(session.run(model.weights[0])))
model.fit(x, y, epochs=2, shuffle=False, verbose=0)
print(rounded(K.get_session().run(model.weights)[0]), rounded(model.get_weights()[0]))
session.run(model.weights[0].assign(np.ones((3, 2))))
print(rounded(model.predict(x)))
other = tf.Variable([1.0, 2.0])
K.get_session().run(tf.variables_initializer([other]))
print(K.get_session().run(other).tolist(), rounded(K.get_value(model.weights[2])))

print("given")
K.clear_session()
mine = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
K.set_session(mine)
model = made()
print(K.get_session() is mine)
model.fit(x, y, epochs=2, shuffle=False, verbose=0)
print(rounded(mine.run(model.weights[0])), rounded(mine.run(model.output, {model.input: x})), rounded(model.predict(x)))
with tf.Session(graph=tf.get_default_graph()) as inner:
    print(K.get_session() is inner)
    inner.run(tf.global_variables_initializer())
    print(rounded(model.predict(x)))
print(rounded(model.predict(x)), K.get_session() is mine)

print("of a graph")
graph = tf.Graph()
with graph.as_default():
    session = tf.Session(graph=graph)
    K.set_session(session)
    with session.as_default():
        model = made()
        print(rounded(model.train_on_batch(x, y)), K.get_session() is session)
with graph.as_default(), session.as_default():
    print(rounded(model.predict(x)), rounded(session.run(model.output, {model.input: x})))
