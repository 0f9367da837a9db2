"""tf.data: sources, transformations and iterators."""

from programs import program
from tensorflow_v1 import np, tf


@program
def dataset_sources():
    tf.data.Dataset.from_tensors(tf.constant([1.0, 2.0]))
    tf.data.Dataset.from_tensors((1, [2.0, 3.0]))
    tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4], [5, 6]])
    tf.data.Dataset.from_tensor_slices((np.zeros([3, 2], np.float32), np.array([1, 2, 3])))
    tf.data.Dataset.from_tensor_slices(tf.placeholder(tf.float32, [None, 4], name="rows"))
    tf.data.Dataset.range(5)
    tf.data.Dataset.range(1, 5)
    tf.data.Dataset.range(1, 10, 3)


@program
def dataset_files():
    tf.data.TextLineDataset("a.txt")
    tf.data.TextLineDataset(["a.txt", "b.txt"], compression_type="GZIP", buffer_size=1024)
    tf.data.TextLineDataset(tf.placeholder(tf.string, [None], name="files"))
    tf.data.TFRecordDataset("a.tfrecord")
    tf.data.TFRecordDataset(["a.tfrecord", "b.tfrecord"], compression_type="ZLIB", buffer_size=4096)
    tf.data.FixedLengthRecordDataset("a.bin", 16)
    tf.data.FixedLengthRecordDataset(["a.bin"], 16, header_bytes=4, footer_bytes=2, buffer_size=100)


@program
def dataset_batches():
    d = tf.data.Dataset.range(10)
    d.batch(4)
    d.batch(4, drop_remainder=True)
    d.batch(tf.placeholder(tf.int64, [], name="size"))
    d.batch(2).batch(3)
    d.padded_batch(4, padded_shapes=[])
    pairs = tf.data.Dataset.from_tensor_slices(([[1.0, 2.0]], [b"a"]))
    pairs.padded_batch(2, padded_shapes=([None], []), drop_remainder=True)
    pairs.padded_batch(2, padded_shapes=([3], []), padding_values=(-1.0, b"-"))
    d.batch(2).unbatch()
    d.window(3)
    d.window(3, shift=1, stride=2, drop_remainder=True)


@program
def dataset_orders():
    d = tf.data.Dataset.range(10)
    d.shuffle(5)
    d.shuffle(5, seed=3)
    d.shuffle(5, seed=3, reshuffle_each_iteration=False)
    d.repeat()
    d.repeat(3)
    d.take(3)
    d.skip(2)
    d.shard(3, 1)
    d.cache()
    d.cache("there")
    d.prefetch(2)
    d.concatenate(tf.data.Dataset.range(3))
    tf.data.Dataset.zip((d, d.take(4)))
    tf.data.Dataset.zip({"a": d, "b": (d, d)})
    d.enumerate(5)


@program
def dataset_shuffles_of_a_seeded_graph():
    tf.set_random_seed(7)
    d = tf.data.Dataset.range(10)
    d.shuffle(5)
    d.shuffle(5, seed=3)


@program
def dataset_functions():
    k = tf.constant(3, tf.int64)
    d = tf.data.Dataset.range(10)
    d.map(lambda x: x * k)
    d.map(lambda x: (x, tf.cast(x, tf.float32)), num_parallel_calls=2)
    d.map(lambda x: x, num_parallel_calls=tf.data.AUTOTUNE, deterministic=False)
    d.filter(lambda x: x > 3)
    d.flat_map(lambda x: tf.data.Dataset.from_tensors(x).repeat(x))
    d.interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(2), cycle_length=3, block_length=2)
    d.interleave(lambda x: tf.data.Dataset.from_tensors(x), cycle_length=2, num_parallel_calls=2)
    d.take_while(lambda x: x < 4)
    tf.data.Dataset.from_tensor_slices({"a": [1, 2], "b": [3.0, 4.0]}).map(lambda e: e["b"])
    d.apply(lambda dataset: dataset.take(1))


@program
def dataset_iterators():
    d = tf.data.Dataset.from_tensor_slices(([1.0, 2.0], [1, 2])).batch(2)
    it = tf.data.make_one_shot_iterator(d)
    it.get_next()
    it.get_next(name="again")
    it = tf.data.make_initializable_iterator(d, shared_name="shared")
    it.get_next()
    it = tf.data.Iterator.from_structure((tf.float32, tf.int32), ([None], [None]))
    it.make_initializer(d)
    it.make_initializer(d, name="other")
    it.get_next()
    it.string_handle()
    handle = tf.placeholder(tf.string, [], name="handle")
    it = tf.data.Iterator.from_string_handle(handle, d.output_types, d.output_shapes)
    it.get_next()
    it.string_handle("text")


@program
def dataset_in_scopes():
    with tf.name_scope("input"):
        d = tf.data.Dataset.range(5).map(lambda x: x + 1).batch(2)
        it = tf.data.make_initializable_iterator(d)
        with tf.device("/cpu:0"):
            x = it.get_next()
    tf.negative(x)


@program
def dataset_states():
    d = tf.data.Dataset.range(10)
    d.reduce(tf.constant(0, tf.int64), lambda total, x: total + x)
    d.reduce((tf.constant(0, tf.int64), tf.constant(0)), lambda state, x: (state[0] + x, state[1] + 1))
    pairs = tf.data.Dataset.from_tensor_slices(([1.0, 2.0], [3.0, 4.0]))
    pairs.reduce(0.0, lambda total, element: total + element[0] * element[1])
    d.reduce(tf.constant([], tf.int64), lambda seen, x: tf.concat([seen, [x]], 0))
    d.scan(tf.constant(0, tf.int64), lambda total, x: (total + x, total * x))
    d.scan((np.int64(1), 2.0), lambda state, x: ((state[0] * x, state[1]), state))
    d.unique()
    tf.data.Dataset.from_tensors((1, [2.0, 3.0])).get_single_element()


@program
def dataset_groups():
    d = tf.data.Dataset.range(10)
    d.group_by_window(lambda x: x % 3, lambda key, group: group.batch(4), window_size=4)
    d.group_by_window(lambda x: x % 3, lambda key, group: group.batch(4), window_size_func=lambda key: key + 1)
    pairs = tf.data.Dataset.from_tensor_slices(([1, 2], [3.0, 4.0]))
    pairs.group_by_window(lambda x, y: tf.cast(x, tf.int64), lambda key, group: group.map(lambda x, y: (key, y)), window_size=2)


@program
def dataset_choices():
    three, five = tf.data.Dataset.range(3), tf.data.Dataset.range(5)
    sample, choose = tf.data.experimental.sample_from_datasets, tf.data.experimental.choose_from_datasets
    tf.data.experimental.RandomDataset()
    sample([three, five])
    sample([three, five], [0.25, 0.75], seed=3)
    sample([three, five], tf.constant([0.5, 0.5]), seed=3, stop_on_empty_dataset=True)
    sample([three, five], tf.data.Dataset.from_tensors([0.5, 0.5]).repeat(), seed=3)
    choose([three, five], tf.data.Dataset.range(2).repeat())
    choose([three, five], three, stop_on_empty_dataset=True)
    three.apply(tf.data.experimental.map_and_batch(lambda x: x * x, 2))
    three.apply(tf.data.experimental.map_and_batch(lambda x: x, 2, num_parallel_calls=3, drop_remainder=True))


@program
def dataset_lists_of_files():
    tf.data.Dataset.list_files("*.txt", shuffle=False)
    tf.data.Dataset.list_files("*.txt", seed=3)
    tf.data.Dataset.list_files(["a*.txt", "b*.txt"])


@program
def dataset_csv():
    csv = tf.data.experimental.CsvDataset
    csv("a.csv", [tf.float32, 5, "none"])
    csv(["a.csv", "b.csv"], [tf.string, tf.constant([2.5])], compression_type="GZIP", buffer_size=1000, header=True, field_delim=";",
        use_quote_delim=False, na_value="NA", select_cols=[0, 3])
    tf.data.Dataset.range(3).ignore_errors()
    tf.data.Dataset.range(3).apply(tf.data.experimental.ignore_errors(log_warning=True))
