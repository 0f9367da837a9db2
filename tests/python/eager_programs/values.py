# Eager execution: values, operators, control flow, printing.
import numpy as np
import tensorflow.compat.v1 as tf

tf.enable_eager_execution()
print(tf.executing_eagerly())
x = tf.constant([[1., 2.], [3., 4.]])
print(x)
print(repr(x))
print(x.numpy(), x.shape, x.dtype, len(x), x.ndim)
print(x + x, x * 2, 1 / x, x @ x, -x, abs(-x), x ** 2, sep="\n")
print(tf.constant(3), repr(tf.constant(3)), repr(tf.constant(2.5)), repr(tf.constant(True)))
print(tf.constant("text"), repr(tf.constant("text")), repr(tf.constant(["a", "bc"])))
print(int(tf.constant(7)), float(tf.constant(1.5)), bool(tf.constant(0)), [10, 20, 30][tf.constant(1)])
print("%d and %.2f" % (tf.constant(3), tf.constant(2.345)), "{:.3f}".format(tf.constant(0.5)))
for row in x:
    print(row.numpy())
print(x[0], x[:, 1].numpy(), x[-1, -1].numpy())
print(np.asarray(x) * 10, np.mean(x))
if tf.reduce_sum(x) > 5:
    print("more than five")
n, steps = tf.constant(27), 0
while n.numpy() != 1:
    n = n // 2 if int(n % 2) == 0 else 3 * n + 1
    steps += 1
print(steps)
print(tf.matmul(x, [[1.], [1.]]).numpy().tolist(), tf.reduce_mean(x, axis=0).numpy(), tf.argmax(x, 1).numpy())
print(tf.reshape(x, [-1]).numpy(), tf.transpose(x).numpy().tolist(), tf.concat([x, x], 0).shape, tf.stack([x, x]).shape)
print(tf.nn.softmax(x).numpy().round(5).tolist(), tf.cast(x, tf.int32).numpy().tolist())
print(tf.where(x > 2).numpy().tolist(), tf.boolean_mask(x, x > 2).numpy(), tf.unique([1, 1, 2])[0].numpy())
print(tf.range(5).numpy(), tf.zeros([2, 3]).numpy().tolist(), tf.one_hot([0, 2], 3).numpy().tolist(), tf.linspace(0., 1., 3).numpy())
print(tf.cond(tf.constant(True), lambda: 1 + tf.constant(1), lambda: tf.constant(0)).numpy())
print([v.numpy() for v in tf.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s + i), [tf.constant(0), tf.constant(0)])])
print(tf.map_fn(lambda v: v * v, tf.constant([1., 2., 3.])).numpy())
print(tf.strings.join(["a", "b"], "-").numpy(), tf.strings.length("abc").numpy())
try:
    x.eval()
except NotImplementedError as error:
    print("NotImplementedError", str(error).splitlines()[0][:60])
for wrong in (lambda: tf.constant([1., 2.]) + tf.constant([1., 2., 3.]), lambda: tf.matmul(x, tf.zeros([3, 3])),
              lambda: tf.add(x, tf.constant(1)), lambda: tf.reshape(x, [3])):
    try:
        wrong()
    except tf.errors.InvalidArgumentError as error:
        text = error.message
        text = text[text.index("}} ") + 3:] if text.startswith("{{") else text
        print("InvalidArgumentError", text.split(" [Op")[0])
try:
    tf.placeholder(tf.float32)
except RuntimeError as error:
    print("RuntimeError", error)
v = tf.Variable([1., 2.], name="v")
print(v, v.name, v.dtype, v.shape, v.numpy())
v.assign([3., 4.])
v.assign_add([1., 1.])
print(v.numpy(), (v * 2).numpy(), v[0].numpy(), v.read_value().numpy(), float(v[1]))
v.assign_sub(v)
print(v.numpy())
with tf.Graph().as_default():
    print(tf.executing_eagerly())
    y = tf.constant(1.) + 2.
    with tf.Session() as sess:
        print(sess.run(y))
print(tf.executing_eagerly())


# Values of variables for numpy, and what a constraint makes of them.
v = tf.Variable([3.0, -4.0], constraint=lambda value: tf.clip_by_value(value, -1.0, 2.0))
print(np.asarray(v).tolist(), np.asarray(v, np.float64).dtype, np.array(v).tolist(), (np.ones(2) + np.asarray(v)).tolist(), np.sum(v))
print(v.constraint is not None, tf.Variable(1.0).constraint)
optimizer = tf.train.GradientDescentOptimizer(0.5)
optimizer.minimize(lambda: tf.reduce_sum(v * v))
print(v.numpy().tolist())
w = tf.Variable([0.5, 1.0], constraint=tf.keras.constraints.NonNeg())
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(w * [1.0, -3.0])
tf.keras.optimizers.SGD(1.0).apply_gradients([(tape.gradient(loss, w), w)])
print(w.numpy().tolist())
