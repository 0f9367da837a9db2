"""Functions of graphs: function.Defun and what chooses among some."""

from programs import program
from tensorflow_v1 import function, tf


def floats(shape, name="x"):
    return tf.placeholder(tf.float32, shape, name=name)


@program
def defun_of_one_value():
    @function.Defun(tf.float32, func_name="Cube")
    def cube(x):
        return x * x * x

    x = floats([2])
    cube(x)
    cube(cube(x, name="inner"))


@program
def defun_of_two_values():
    @function.Defun(tf.float32, tf.float32, func_name="SumAndDifference", out_names=["sum", "difference"])
    def both(x, y):
        return x + y, x - y

    a, b = both(floats([2]), 1.0)
    tf.multiply(a, b)


@program
def defun_that_captures():
    w = floats([2], "w")

    @function.Defun(tf.float32, func_name="Scaled")
    def scaled(x):
        return x * w

    x = floats([2])
    tf.gradients(scaled(x), [x, w])


@program
def defun_with_a_shape_function():
    @function.Defun(tf.float32, func_name="Doubled", shape_func=lambda op: [op.inputs[0].shape])
    def doubled(x):
        return x * 2.0

    doubled(floats([2, 3]))


@program
def defun_gradient():
    @function.Defun(tf.float32, tf.float32, func_name="Product")
    def product(x, y):
        return tf.tanh(x) * y

    x, y = floats([2]), floats([2], "y")
    tf.gradients(product(x, y), [x, y])


@program
def defun_gradient_of_one_of_two_values():
    @function.Defun(tf.float32, func_name="TwoValues")
    def two(x):
        return tf.exp(x), tf.cast(x, tf.int32), tf.sin(x)

    x = floats([2])
    tf.gradients(two(x)[2], x)


@program
def defun_with_a_python_gradient():
    def gradient(op, grad):
        return grad * 2.0 * op.inputs[0]

    @function.Defun(tf.float32, func_name="OwnSquare", python_grad_func=gradient)
    def square(x):
        return tf.square(x)

    x = floats([2])
    tf.gradients(square(x), x)


@program
def defun_with_a_gradient_function():
    @function.Defun(tf.float32, tf.float32, func_name="ExpGradient")
    def gradient(x, dy):
        return dy * tf.exp(x)

    @function.Defun(tf.float32, func_name="OwnExp", grad_func=gradient)
    def exponential(x):
        return tf.exp(x)

    x = floats([2])
    tf.gradients(exponential(x), x)


@program
def defun_that_calls_another():
    @function.Defun(tf.float32, func_name="Inner")
    def inner(x):
        return tf.square(x)

    @function.Defun(tf.float32, func_name="Outer")
    def outer(x):
        return inner(x) + 1.0

    x = floats([2])
    tf.gradients(outer(x), x)


@program
def switch_case_of_three():
    i, x = tf.placeholder(tf.int32, [], name="i"), floats([2])
    tf.switch_case(i, [lambda: x, lambda: x * 2.0, lambda: tf.exp(x)])


@program
def switch_case_with_a_default():
    i, x, y = tf.placeholder(tf.int32, [], name="i"), floats([2]), floats([3], "y")
    tf.switch_case(i, [lambda: x, lambda: y], default=lambda: tf.concat([y, x], 0), name="chosen")
