# Tapes, optimizers, custom gradients.
import numpy as np
import tensorflow.compat.v1 as tf

tf.enable_eager_execution()
x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x
print(tape.gradient(y, x).numpy())
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = x * x
    z = y * y
print(tape.gradient(z, x).numpy(), tape.gradient(y, x).numpy(), tape.gradient(z, [x, y])[1].numpy())
del tape
with tf.GradientTape() as outer:
    outer.watch(x)
    with tf.GradientTape() as inner:
        inner.watch(x)
        y = x * x * x
    first = inner.gradient(y, x)
print(first.numpy(), outer.gradient(first, x).numpy())
w, b = tf.Variable(2.0, name="w"), tf.Variable(1.0, name="b")
frozen = tf.Variable(1.0, trainable=False)
with tf.GradientTape() as tape:
    loss = (w * 3.0 + b * frozen) ** 2
print([v.name for v in tape.watched_variables()])
print({k: g.numpy() for k, g in tape.gradient(loss, {"w": w, "b": b}).items()})
with tf.GradientTape() as tape:
    y = w * 2
print(tape.gradient(y, b))
with tf.GradientTape() as tape:
    y = w * 2
print(tape.gradient(y, b, unconnected_gradients=tf.UnconnectedGradients.ZERO).numpy())
v = tf.constant([1., 2., 3.])
with tf.GradientTape() as tape:
    tape.watch(v)
    u = v * v
print(tape.jacobian(u, v).numpy().tolist())
with tf.GradientTape() as tape:
    tape.watch(v)
    with tape.stop_recording():
        hidden = v * 100
    u = v * v + hidden
print(tape.gradient(u, v, output_gradients=tf.constant([1., 10., 100.])).numpy())
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x
tape.gradient(y, x)
try:
    tape.gradient(y, x)
except RuntimeError as error:
    print("RuntimeError", str(error)[:66])
try:
    tf.gradients(y, x)
except RuntimeError as error:
    print("RuntimeError", error)


@tf.custom_gradient
def log1pexp(x):
    e = tf.exp(x)
    return tf.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))


for at in (0., 100.):
    x = tf.constant(at)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = log1pexp(x * 2) * 3
    print(y.numpy(), tape.gradient(y, x).numpy())

xs = np.linspace(0, 1, 100).astype(np.float32)
ys = 0.1 * xs + 0.3
w, b = tf.Variable([-0.5]), tf.Variable([0.])
optimizer = tf.train.GradientDescentOptimizer(0.5)
for step in range(101):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(w * xs + b - ys))
    gradients = tape.gradient(loss, [w, b])
    optimizer.apply_gradients(zip(gradients, [w, b]))
    if step % 50 == 0:
        print(step, "%.5f" % loss.numpy(), w.numpy().round(4), b.numpy().round(4))
for make in (lambda: tf.train.AdamOptimizer(0.1), lambda: tf.train.MomentumOptimizer(0.1, 0.9), lambda: tf.train.AdagradOptimizer(0.1),
             lambda: tf.train.RMSPropOptimizer(0.1), lambda: tf.train.AdadeltaOptimizer(1.0), lambda: tf.train.FtrlOptimizer(0.1)):
    optimizer = make()
    w, b = tf.Variable(1.0), tf.Variable([2.0, 3.0])
    step = tf.Variable(0, trainable=False)
    for _ in range(3):
        optimizer.minimize(lambda: w * w + tf.reduce_sum(b * b), global_step=step)
    print(type(optimizer).__name__, w.numpy().round(4), b.numpy().round(4), step.numpy())
table = tf.Variable([[1., 1.], [2., 2.], [3., 3.]])
optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
for i in (0, 2, 0):
    optimizer.minimize(lambda: tf.reduce_sum(tf.gather(table, [i])))
print(table.numpy().round(5).tolist())
try:
    optimizer.minimize(w * w)
except RuntimeError as error:
    print("RuntimeError", error)

matrix = tf.constant([[1.0, 2.0], [3.0, 4.0], [-1.0, 0.5]])
with tf.GradientTape() as tape:
    tape.watch(matrix)
    rows = tf.stack([matrix[:, 0] * matrix[:, 1], tf.square(matrix[:, 0]), matrix[:, 1] * 3], axis=1)
print(tape.batch_jacobian(rows, matrix).numpy().tolist())
