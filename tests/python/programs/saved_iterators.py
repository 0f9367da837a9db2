"""Where iterators are in their datasets, in checkpoints: what comes after a restore, and what is refused."""

import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
FOLDER = tempfile.mkdtemp()


def shown(element):
    if isinstance(element, (tuple, bytes)):
        return element.decode() if isinstance(element, bytes) else [shown(part) for part in element]
    return element.tolist()


def words(error):
    """The words of an error without where it was, and without advice."""
    found = [line for line in str(error).replace("EagerPyFunc", "PyFunc").split("\n") if any(part in line for part in ("stateful", "ailed", "support", "Invalid", "restore"))]
    return "%s: %s" % (type(error).__name__, found[0].strip() if found else str(error).split("\n")[0])


def goes_on(name, dataset, taken=3, most=8):
    """Saves behind `taken` elements; what comes next comes again, in the same session and in a new one."""
    iterator = tf.data.make_initializable_iterator(dataset())
    element = iterator.get_next()
    saver = tf.train.Saver([tf.data.experimental.make_saveable_from_iterator(iterator)])

    def take(session, count):
        elements = []
        try:
            while len(elements) < count:
                elements.append(shown(session.run(element)))
        except tf.errors.OutOfRangeError:
            elements.append("end")
        return elements

    with tf.Session() as session:
        session.run(iterator.initializer)
        before = take(session, taken)
        path = saver.save(session, os.path.join(FOLDER, name), write_meta_graph=False)
        rest = take(session, most)
        saver.restore(session, path)
        again = take(session, most)
    with tf.Session() as session:
        session.run(iterator.initializer)
        saver.restore(session, path)
        print(name, before, rest, again == rest, take(session, most) == rest)


def walk_through_pipelines():
    ten = lambda: tf.data.Dataset.range(10)
    text, records = os.path.join(FOLDER, "a.txt"), os.path.join(FOLDER, "a.tfrecord")
    with open(text, "w") as file:
        file.write("one\ntwo\nthree\n\nfive")
    with tf.io.TFRecordWriter(records) as writer:
        for record in (b"a", b"bb", b"ccc"):
            writer.write(record)
    goes_on("range", ten)
    goes_on("tensors", lambda: tf.data.Dataset.from_tensors(([1, 2], 3)), taken=0)
    goes_on("slices", lambda: tf.data.Dataset.from_tensor_slices((np.arange(5), np.arange(5) * 0.5)))
    goes_on("map", lambda: ten().map(lambda x: x * x))
    goes_on("parallel_map", lambda: ten().map(lambda x: x * x, num_parallel_calls=3))
    goes_on("flat_map", lambda: ten().flat_map(lambda x: tf.data.Dataset.range(x)))
    goes_on("interleave", lambda: ten().interleave(lambda x: tf.data.Dataset.range(x, x + 3), cycle_length=3, block_length=2))
    goes_on("parallel_interleave", lambda: ten().interleave(lambda x: tf.data.Dataset.range(x, x + 3), cycle_length=3, block_length=2,
                                                            num_parallel_calls=2))
    goes_on("batch", lambda: ten().batch(3), taken=2)
    goes_on("padded_batch", lambda: ten().map(lambda x: tf.fill([x], x)).padded_batch(3), taken=2)
    goes_on("shuffle", lambda: ten().shuffle(4, seed=7))
    goes_on("shuffle_repeat", lambda: tf.data.Dataset.range(4).shuffle(3, seed=7).repeat(3), taken=5)
    goes_on("shuffle_same", lambda: tf.data.Dataset.range(4).shuffle(3, seed=7, reshuffle_each_iteration=False).repeat(3), taken=5)
    goes_on("repeat", lambda: tf.data.Dataset.range(3).repeat(), taken=4)
    goes_on("prefetch", lambda: ten().prefetch(3))
    goes_on("filter", lambda: ten().filter(lambda x: x % 2 > 0))
    goes_on("zip", lambda: tf.data.Dataset.zip((ten(), ten().batch(2))))
    goes_on("concatenate", lambda: tf.data.Dataset.range(2).concatenate(ten()))
    goes_on("cache", lambda: tf.data.Dataset.range(4).shuffle(4, seed=1).cache().repeat(2), taken=6)
    goes_on("cache_begins", lambda: tf.data.Dataset.range(4).cache().repeat(2), taken=2)
    goes_on("take_skip", lambda: ten().skip(2).take(6))
    goes_on("shard", lambda: ten().shard(3, 1), taken=1)
    goes_on("window", lambda: ten().window(3, shift=2).flat_map(lambda window: window))
    goes_on("unbatch", lambda: ten().batch(4).unbatch(), taken=6)
    goes_on("group", lambda: ten().apply(tf.data.experimental.group_by_window(lambda x: x % 3, lambda key, group: group.batch(2), 4)), taken=2)
    goes_on("scan", lambda: ten().scan(np.int64(1), lambda state, x: (state + x, state * 10 + x)))
    goes_on("take_while", lambda: ten().take_while(lambda x: x < 5))
    goes_on("unique", lambda: ten().map(lambda x: x // 2).unique())
    goes_on("enumerate", lambda: ten().enumerate(5))
    goes_on("text", lambda: tf.data.TextLineDataset([text, text]))
    goes_on("records", lambda: tf.data.TFRecordDataset([records, records]), taken=2)
    goes_on("fixed", lambda: tf.data.FixedLengthRecordDataset([text], 3, header_bytes=3, footer_bytes=1), taken=2)
    goes_on("dict", lambda: tf.data.Dataset.from_tensor_slices({"a": [1, 2, 3], "b": [4, 5, 6]}).map(lambda row: (row["a"], row["b"])), taken=1)


def save_with_variables():
    iterator = tf.data.Dataset.range(20).shuffle(5, seed=3).batch(2).make_initializable_iterator()
    element = iterator.get_next()
    step = tf.Variable(1, name="Step")
    saveable = tf.data.experimental.make_saveable_from_iterator(iterator)
    print(saveable.name, saveable.op.name, [(spec.name, spec.slice_spec, spec.dtype) for spec in saveable.specs])
    tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, saveable)
    print(tf.get_collection(tf.GraphKeys.SAVEABLE_OBJECTS)[0].name)
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run([iterator.initializer, step.initializer])
        print(session.run(element))
        path = saver.save(session, os.path.join(FOLDER, "all"))
        print([name for name, _ in tf.train.list_variables(path)], tf.train.load_checkpoint(path).get_variable_to_dtype_map()[
            saveable.name + "_STATE"])
        rest = [session.run(element).tolist() for _ in range(3)]
        saver.restore(session, path)
        print(rest == [session.run(element).tolist() for _ in range(3)])
    print([(node.name, node.op, list(node.input)) for node in tf.get_default_graph().as_graph_def().node if node.name.startswith("save/")])


def say_what_is_refused():
    def error_of(call):
        try:
            call()
            print("nothing is refused")
        except Exception as error:
            print(words(error))

    def save(dataset, policy=None):
        with tf.Graph().as_default(), tf.Session() as session:
            iterator = tf.data.make_initializable_iterator(dataset())
            element = iterator.get_next()
            saver = tf.train.Saver([tf.data.experimental.make_saveable_from_iterator(iterator, policy)])
            session.run(iterator.initializer)
            session.run(element)
            return saver.save(session, os.path.join(FOLDER, "refused"), write_meta_graph=False)

    generated = lambda: tf.data.Dataset.from_generator(lambda: iter(range(5)), tf.int64)
    error_of(lambda: save(generated))
    error_of(lambda: save(generated, "ignore"))
    error_of(lambda: save(lambda: tf.data.Dataset.range(5).map(lambda x: tf.random_uniform([]))))
    error_of(lambda: save(lambda: tf.data.Dataset.range(5).filter(lambda x: tf.random_uniform([]) >= 0)))
    error_of(lambda: save(lambda: tf.data.Dataset.range(5).map(lambda x: tf.cond(x > 9, lambda: tf.random_normal([]), lambda: 1.0))))
    error_of(lambda: save(lambda: tf.data.Dataset.range(5).map(lambda x: tf.random_uniform([])), "sometimes"))
    print(os.path.basename(save(lambda: tf.data.Dataset.range(5).map(lambda x: tf.random_uniform([])), "ignore")))

    iterator = tf.data.Dataset.range(5).make_initializable_iterator()
    other = tf.data.Dataset.from_tensor_slices([1, 2]).make_initializable_iterator()
    state = tf.raw_ops.SerializeIterator(resource_handle=iterator._iterator_resource)
    print(state)
    with tf.Session() as session:
        error_of(lambda: session.run(state.op))
        session.run(iterator.initializer)
        restores = tf.raw_ops.DeserializeIterator(resource_handle=other._iterator_resource, serialized=state)
        error_of(lambda: session.run(restores))
    error_of(lambda: tf.data.experimental.make_saveable_from_iterator(3))


def keep_in_checkpoints():
    iterator = tf.data.Dataset.range(20).shuffle(5, seed=3).make_initializable_iterator()
    element = iterator.get_next()
    step = tf.Variable(1)
    checkpoint = tf.train.Checkpoint(iterator=iterator, step=step)
    with tf.Session() as session:
        session.run([iterator.initializer, step.initializer])
        print(session.run(element))
        path = checkpoint.save(os.path.join(FOLDER, "objects"))
        print([name for name, _ in tf.train.list_variables(path)])
        rest = [session.run(element) for _ in range(3)]
        status = checkpoint.restore(path)
        status.assert_consumed().run_restore_ops()
        print(rest == [session.run(element) for _ in range(3)], session.run(step))


def keep_beside_a_model():
    """Without a session of the program: in that of Keras' models."""
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    iterator = tf.data.Dataset.range(9).shuffle(5, seed=3).make_initializable_iterator()
    element = iterator.get_next()
    checkpoint = tf.train.Checkpoint(model=model, iterator=iterator)
    try:
        checkpoint.save(os.path.join(FOLDER, "beside"))
    except tf.errors.FailedPreconditionError as error:
        print(words(error))
    session = tf.keras.backend.get_session()
    session.run(iterator.initializer)
    before = session.run(element)
    path = checkpoint.save(os.path.join(FOLDER, "beside"))
    rest = [session.run(element) for _ in range(3)]
    checkpoint.restore(path).assert_consumed().run_restore_ops()
    print(before, rest, rest == [session.run(element) for _ in range(3)])


for part in (walk_through_pipelines, save_with_variables, say_what_is_refused, keep_in_checkpoints):
    with tf.Graph().as_default():
        part()
keep_beside_a_model()
