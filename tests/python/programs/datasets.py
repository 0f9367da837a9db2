"""tf.data: sources, transformations and iterators; what they give, and what they say to wrong arguments."""

import collections
import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
D = tf.data.Dataset
Point = collections.namedtuple("Point", "x y")


def show(title, dataset, most=20):
    iterator = tf.data.make_initializable_iterator(dataset)
    element = iterator.get_next()
    print(title, dataset.element_spec)
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        session.run(iterator.initializer)
        for _ in range(most):
            try:
                print("  ", plain(session.run(element)))
            except tf.errors.OutOfRangeError:
                print("   end")
                return


def plain(value):
    if isinstance(value, dict):
        return {key: plain(value[key]) for key in sorted(value)}
    if hasattr(value, "_fields"):
        return type(value)(*map(plain, value))
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return value.tolist() if hasattr(value, "tolist") else value


def refused(title, make):
    try:
        make()
        print(title, "accepted")
    except Exception as error:
        print(title, type(error).__name__, str(error).splitlines()[0])


d = D.range(7)
pairs = D.from_tensor_slices((np.arange(6, dtype=np.float32).reshape(3, 2), {"a": [1, 2, 3], "b": ["x", "y", "z"]}))
show("range", D.range(3, 10, 3))
show("tensors", D.from_tensors({"a": 1, "b": (2.0, [3, 4])}))
show("pairs", pairs)
show("points", D.from_tensor_slices(Point([1, 2], [3.0, 4.0])))
show("batch", d.batch(3))
show("batch of a dict", pairs.batch(2, drop_remainder=True))
show("padded", D.range(1, 4).map(lambda n: tf.fill([n], n)).padded_batch(2, [None]))
show("padded pairs", D.range(1, 4).map(lambda n: (tf.fill([n], n), n)).padded_batch(2, ([4], []), (np.int64(-1), np.int64(0))))
show("repeat, take, skip", d.repeat(2).skip(5).take(4))
show("repeat for ever", D.range(2).repeat(), most=5)
show("shard", d.shard(3, 1))
show("concatenate", D.range(2).concatenate(D.range(5, 7)))
show("zip", D.zip((D.range(3), {"a": D.range(10, 20)})))
show("enumerate", pairs.enumerate(start=5))
show("shuffle", d.shuffle(4, seed=11).repeat(2))
show("shuffle once", d.shuffle(7, seed=3, reshuffle_each_iteration=False).repeat(2))
show("cache and prefetch", d.cache().prefetch(2).take(2))
show("map", d.map(lambda x: (x, {"half": x / 2})).take(3))
show("map of a list", d.map(lambda x: [x, x + 1]).take(2))
show("map in parallel", d.map(lambda x: x * x, num_parallel_calls=2))
show("map of constants", d.map(lambda x: "always").take(2))
show("filter", d.filter(lambda x: tf.equal(x % 2, 0)))
show("filter of pairs", pairs.filter(lambda x, y: y["a"] > 1))
show("take_while", d.take_while(lambda x: x < 3))
show("flat_map", d.flat_map(lambda x: D.range(x)).take(8))
show("flat_map of slices", pairs.flat_map(lambda x, y: D.from_tensor_slices(x)))
show("interleave", D.range(1, 4).interleave(lambda x: D.from_tensors(x).repeat(3), cycle_length=2, block_length=2))
show("unbatch", pairs.batch(2).unbatch())
show("windows", d.window(3, shift=2, drop_remainder=True).flat_map(lambda w: w.batch(3)))
show("windows of pairs", D.zip((d, d)).window(2).flat_map(lambda a, b: D.zip((a, b.map(lambda x: -x)))).take(3))
show("apply", d.apply(lambda dataset: dataset.take(1)))
show("apply map_and_batch", d.apply(tf.data.experimental.map_and_batch(lambda x: x + 1, 3)))
show("apply unbatch", d.batch(2).apply(tf.data.experimental.unbatch()).take(2))

v = tf.get_variable("v", initializer=np.int64(100))
k = tf.constant(10, tf.int64)
show("captured", d.map(lambda x: x * k + v).take(2))
show("captured further out", d.flat_map(lambda x: D.range(2).map(lambda y: x * k + y)).take(4))
show("cond", d.map(lambda x: tf.cond(x > 3, lambda: x * 100, lambda: x)))
show("while", d.map(lambda x: tf.while_loop(lambda i: i < 5, lambda i: i + 2, [x])))
show("py_func", d.map(lambda x: tf.py_func(lambda a: a * 3, [x], tf.int64)).take(3))


def squares(n=3):
    for i in range(n):
        yield i, [float(i * i)] * (i + 1)


show("generator", D.from_generator(squares, (tf.int32, tf.float32), ([], [None])))
show("generator with arguments", D.from_generator(squares, (tf.int32, tf.float32), args=(2,)).repeat(2))
show("generator of one", D.from_generator(lambda: iter("abc"), tf.string, []))

with tempfile.TemporaryDirectory() as folder:
    for name, text in (("a.txt", "one\ntwo\n"), ("b.txt", "three")):
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    names = [os.path.join(folder, name) for name in ("a.txt", "b.txt")]
    show("lines", tf.data.TextLineDataset(names))
    show("lines of each", D.from_tensor_slices(names).flat_map(lambda name: tf.data.TextLineDataset(name).skip(1)))
    record = os.path.join(folder, "r.tfrecord")
    with tf.python_io.TFRecordWriter(record) as writer:
        for i in range(3):
            writer.write(tf.train.Example(features=tf.train.Features(feature={
                "n": tf.train.Feature(int64_list=tf.train.Int64List(value=[i]))})).SerializeToString())
    features = {"n": tf.FixedLenFeature([], tf.int64)}
    show("examples", tf.data.TFRecordDataset(record).map(lambda r: tf.parse_single_example(r, features)["n"]))
    show("fixed length", tf.data.FixedLengthRecordDataset(names[1], 2, header_bytes=1))

# Several datasets, one iterator.
train, test = D.range(3), D.range(10, 12)
iterator = tf.data.Iterator.from_structure(train.output_types, train.output_shapes)
n = iterator.get_next()
starts = [iterator.make_initializer(train), iterator.make_initializer(test)]
handle = tf.placeholder(tf.string, [])
fed = tf.data.Iterator.from_string_handle(handle, train.output_types, train.output_shapes).get_next()
ones, twos = train.make_one_shot_iterator(), test.repeat().make_one_shot_iterator()
with tf.Session() as session:
    for start in starts:
        session.run(start)
        print("reinitialized", session.run(n), session.run(n))
    handles = session.run([ones.string_handle(), twos.string_handle()])
    print("fed", [int(session.run(fed, {handle: handles[i]})) for i in (0, 1, 0, 1, 1, 0)])
    try:
        session.run(fed, {handle: handles[0]})
    except tf.errors.OutOfRangeError as error:
        print("end", "End of sequence" in str(error))

# A model that reads from its dataset.
x, y = D.from_tensor_slices((np.linspace(0, 1, 20, dtype=np.float32),
                             3 * np.linspace(0, 1, 20, dtype=np.float32) + 1)).repeat().batch(5).make_one_shot_iterator().get_next()
w, b = tf.get_variable("w", initializer=0.0), tf.get_variable("b", initializer=0.0)
train_step = tf.train.GradientDescentOptimizer(0.5).minimize(tf.reduce_mean(tf.square(w * x + b - y)))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(200):
        session.run(train_step)
    print("line", np.round(session.run([w, b]), 3).tolist())

print(d.output_types, d.output_shapes, d.output_classes.__name__)
print(pairs.output_types, [shape.as_list() for shape in (pairs.output_shapes[0], pairs.output_shapes[1]["a"])])
print(isinstance(tf.data.TextLineDataset("a"), tf.data.Dataset), tf.data.experimental.AUTOTUNE)
refused("scalars", lambda: D.from_tensor_slices(3))
refused("rows", lambda: D.from_tensor_slices(([1, 2], [1, 2, 3])))
refused("empty", lambda: D.from_tensor_slices({}))
refused("float size", lambda: d.batch(2.5))
refused("text", lambda: d.repeat("a"))
refused("dtypes", lambda: d.concatenate(D.from_tensors(1.0)))
refused("predicate", lambda: d.filter(lambda x: x))
refused("no function", lambda: d.map(3))
refused("scalars unbatched", lambda: d.unbatch())
refused("padded shape", lambda: pairs.map(lambda x, y: (x, y["a"])).padded_batch(2, ([None], [3])))
refused("padded rank", lambda: pairs.map(lambda x, y: (x, y["a"])).padded_batch(2, ([1], [])))
refused("padding value", lambda: pairs.map(lambda x, y: (x, y["a"])).padded_batch(2, ([2], []), ("a", 1)))
refused("one-shot initializer", lambda: d.make_one_shot_iterator().initializer)
refused("types", lambda: tf.data.Iterator.from_structure(tf.float32, []).make_initializer(d))
refused("shapes", lambda: tf.data.Iterator.from_structure(tf.int64, [3]).make_initializer(d))
refused("range", lambda: D.range(1, 2, 3, 4))
refused("zip of a number", lambda: D.zip(3))
refused("zip of a list", lambda: D.zip([d]))
refused("file names", lambda: tf.data.TextLineDataset(3))
refused("iteration", lambda: list(d))
refused("name", lambda: D.range(3, name="a b"))
refused("variable", lambda: d.map(lambda x: x + v).make_one_shot_iterator())
refused("placeholder", lambda: D.from_tensors(tf.placeholder(tf.float32, [], name="p")).make_one_shot_iterator())
refused("generator", lambda: D.from_generator(3, tf.int32))
refused("nothing", lambda: d.map(lambda x: None))

# ---- states, keys and threads
with tf.Session() as session:
    print("sum", session.run(d.reduce(np.int64(0), lambda total, x: total + x)))
    print("sums", plain(session.run(D.from_tensor_slices({"x": [1, 2, 3], "y": [2.0, 3.0, 4.0]}).reduce(
        {"n": 0, "sum": 0.0}, lambda state, element: {"n": state["n"] + element["x"], "sum": state["sum"] + element["y"]}))))
    print("two", plain(session.run(d.reduce((tf.constant(0, tf.int64), 1), lambda state, x: (state[0] + x, state[1] * 2)))))
    print("grown", plain(session.run(d.reduce(tf.constant([], tf.int64), lambda seen, x: tf.concat([seen, [x]], 0)))))
    print("single", plain(session.run(D.from_tensors({"a": 1, "b": 2.0}).get_single_element())))
show("scan", d.scan(np.int64(1), lambda state, x: (state + x, (state, x))))
show("scan of dicts", D.from_tensor_slices({"x": [1, 2]}).scan({"last": 0}, lambda s, e: ({"last": e["x"]}, {"before": s["last"]})))
show("groups", d.group_by_window(lambda x: x % 2, lambda key, group: group.batch(3), window_size=3))
show("groups by size", d.group_by_window(lambda x: x % 3, lambda key, group: group.batch(5).map(lambda v: (key, v)),
                                         window_size_func=lambda key: key + 1))
show("unique", D.from_tensor_slices([3, 1, 3, 2]).unique())
show("unique texts", D.from_tensor_slices(["a", "b", "a"]).unique())
show("at once", d.map(lambda x: x * x, num_parallel_calls=3).prefetch(2))
show("a generator ahead", D.from_generator(lambda: iter(range(5)), tf.int32, []).prefetch(3))
with tempfile.TemporaryDirectory() as folder:
    for name in "cab":
        open(os.path.join(folder, name + ".txt"), "w").close()
    pattern = os.path.join(folder, "*.txt")
    show("files", D.list_files(pattern, shuffle=False).map(lambda path: tf.strings.regex_replace(path, ".*/", "")))
    show("files by chance", D.list_files(pattern, seed=5).map(lambda path: tf.strings.regex_replace(path, ".*/", "")))
refused("state of another dtype", lambda: d.reduce(0, lambda total, x: tf.cast(x, tf.float32)))
refused("scan without output", lambda: d.scan(0, lambda state, x: state))
refused("scan of another dtype", lambda: d.scan(0, lambda state, x: (x, x)))
refused("group without size", lambda: d.group_by_window(lambda x: x, lambda key, group: group.batch(2)))
refused("group of a tensor", lambda: d.group_by_window(lambda x: x, lambda key, group: key, window_size=1))
refused("a key of two numbers", lambda: d.group_by_window(lambda x: tf.stack([x, x]), lambda key, group: group, window_size=1))
refused("unique floats", lambda: D.from_tensor_slices([1.0]).unique())
refused("no function", lambda: d.reduce(0, 3))
