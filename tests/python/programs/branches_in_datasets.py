"""Branches and loops in the functions of datasets, which use what was made outside of them; datasets made of branches; switches in loops."""

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
D = tf.data.Dataset


def show(name, make, one_shot=False):
    with tf.Graph().as_default(), tf.Session() as session:
        try:
            dataset = make()
            iterator = tf.data.make_one_shot_iterator(dataset) if one_shot else tf.data.make_initializable_iterator(dataset)
            element = iterator.get_next()
            session.run([tf.tables_initializer()] + ([] if one_shot else [iterator.initializer]))
            found = []
            while True:
                try:
                    found.append(session.run(element).tolist())
                except tf.errors.OutOfRangeError:
                    break
            print(name, found)
        except (ValueError, tf.errors.OpError) as error:
            print(name, type(error).__name__)


def ten():
    return tf.constant(10, tf.int64)


def table():
    keys = tf.constant(["a", "b"])
    return tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, tf.constant([1, 2], tf.int64)), -1)


def branch_of_a_capture():
    c = ten() * 1
    return D.range(3).map(lambda x: tf.cond(x > 1, lambda: c, lambda: c + 1))


def branch_of_a_constant():
    return D.range(3).map(lambda x: tf.cond(x > 1, lambda: tf.constant(1, tf.int64), lambda: x))


def branch_and_after():
    c = ten() * 1
    return D.range(3).map(lambda x: tf.cond(x > 1, lambda: c, lambda: x) + c)


def branch_of_a_table():
    t = table()
    return D.range(3).map(lambda x: tf.cond(x > 1, lambda: t.size(), lambda: t.lookup(tf.constant("b"))) + t.size())


def cases():
    c = ten() * 1
    return D.range(3).map(lambda x: tf.case([(tf.equal(x, 0), lambda: c // 5), (tf.equal(x, 1), lambda: c + 2)], default=lambda: c))


def filtered():
    limit = ten() // 5
    return D.range(5).filter(lambda x: tf.cond(x > limit, lambda: tf.constant(True), lambda: limit > 5))


def looped():
    step = ten() // 5
    return D.range(3).map(lambda x: tf.while_loop(lambda i: i < 9, lambda i: i + step, [x]))


def mapped_inside():
    t = table()
    return D.from_tensor_slices([["a", "b"], ["b", "c"]]).map(lambda words: tf.map_fn(t.lookup, words, dtype=tf.int64))


def folded():
    scale = ten()
    return D.range(3).map(lambda x: tf.foldl(lambda a, y: a * 2 + y * scale, tf.stack([x, x + 1])))


def flat():
    c = ten() * 1
    return D.range(3).flat_map(lambda x: D.range(tf.cond(x > 1, lambda: c // 5, lambda: x)))


def switches():
    c = ten() * 1
    return D.range(4).map(lambda x: tf.switch_case(tf.cast(x, tf.int32), [lambda: c, lambda: c + 1, lambda: tf.constant(2, tf.int64)]))


def waits_for_an_argument():
    def seven(x):
        with tf.control_dependencies([x]):
            return tf.identity(tf.constant(7))
    return D.range(2).map(seven)


for make in (branch_of_a_capture, branch_of_a_constant, branch_and_after, branch_of_a_table, cases, filtered, looped, mapped_inside, folded,
             flat, switches, waits_for_an_argument):
    show(make.__name__, make)
show("one shot", lambda: D.range(3).map(lambda x: tf.cond(x > 1, lambda: x, lambda: x + 5)), one_shot=True)
show("one shot of a false branch", lambda: D.from_tensors(tf.cond(tf.constant(False), lambda: 4, lambda: 5)), one_shot=True)
with tf.Graph().as_default(), tf.Session() as session:
    print(session.run(tf.map_fn(lambda y: tf.switch_case(y, [lambda: y, lambda: y + 2, lambda: y * 9]), tf.constant([0, 1, 2, 3]))))
    print(session.run(tf.while_loop(lambda i: i < 5, lambda i: tf.switch_case(i % 2, [lambda: i + 1, lambda: i + 2]), [0])))
