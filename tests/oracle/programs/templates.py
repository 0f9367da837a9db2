"""Functions with variables of their own: tf.make_template. And custom getters of one call."""

from programs import program
from tensorflow_v1 import tf


def _scaled(x, by=1.0):
    return x * tf.get_variable("w", [2]) * by


@program
def template_called_twice():
    scaled = tf.make_template("scaled", _scaled)
    x = tf.placeholder(tf.float32, [2], name="x")
    scaled(x)
    scaled(x, by=2.0)
    tf.make_template("scaled", _scaled, by=3.0)(x)


@program
def template_whose_scope_is_made_at_once():
    scaled = tf.make_template("scaled", _scaled, create_scope_now_=True)
    other = tf.make_template("scaled", _scaled, create_scope_now_=True)
    x = tf.placeholder(tf.float32, [2], name="x")
    other(x)
    scaled(x)
    scaled(x)


@program
def template_with_a_unique_name():
    x = tf.placeholder(tf.float32, [2], name="x")
    with tf.variable_scope("net", use_resource=True):
        scaled = tf.make_template("ignored", _scaled, unique_name_="only")
        scaled(x)
    with tf.name_scope("elsewhere"):
        scaled(x)


@program
def template_with_a_custom_getter():
    def halved(getter, name, *arguments, **named):
        return getter(name + "_half", *arguments, **named) / 2.0

    scaled = tf.make_template("scaled", _scaled, custom_getter_=halved)
    x = tf.placeholder(tf.float32, [2], name="x")
    scaled(x)
    scaled(x)


@program
def custom_getter_of_one_call():
    def doubled(getter, *arguments, **named):
        return getter(*arguments, **named) * 2.0

    tf.get_variable("v", [2], custom_getter=doubled)
    with tf.variable_scope("scope", custom_getter=doubled, use_resource=True):
        tf.get_variable("v", [2])
        tf.get_variable("frozen", [2], trainable=False)
