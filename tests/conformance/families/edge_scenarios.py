"""Small programs at the edges of what the ops of control flow, queues, files and datasets take."""

import gzip
import os
import tempfile
import zlib

import numpy as np
from families import scenario
from families.scenarios import RAW, dataset_steps, some, written
from tensorflow.python.framework import function
from tensorflow_client import tf

# What counts as true: numbers other than zero, strings of any letters, and arrays of any elements.
PREDICATES = ((tf.int32, 0), (tf.int32, -3), (tf.float32, 0.0), (tf.float32, 0.5), (tf.float64, np.nan), (tf.string, b""), (tf.string, b"x"), (tf.int64, 7),
              (tf.float32, []), (tf.bool, [False]), (tf.int32, [[0, 0]]), (tf.uint8, 0), (tf.string, [b""]))


def in_graph(body):
    body.add_to_graph(tf.get_default_graph())
    return body


@scenario("If", "StatelessIf")
def predicates_of_any_kind():
    @function.Defun(tf.float32, func_name="EdgeThen")
    def then(x):
        return x * 2

    @function.Defun(tf.float32, func_name="EdgeElse")
    def otherwise(x):
        return x - 1

    in_graph(then), in_graph(otherwise)
    x = tf.constant([1.0, 2.0])
    for op in (RAW.If, RAW.StatelessIf):
        for dtype, value in PREDICATES:
            pred = tf.placeholder(dtype)
            yield op(cond=pred, input=[x], Tout=[tf.float32], then_branch=then, else_branch=otherwise), {pred: value}


@scenario("While", "StatelessWhile")
def conditions_of_any_kind():
    for dtype, start in ((tf.int32, 3), (tf.float32, 2.0), (tf.int64, 0)):
        @function.Defun(dtype, tf.float32, func_name=f"EdgeCond{dtype.name}")
        def condition(i, x):
            return i

        @function.Defun(dtype, tf.float32, func_name=f"EdgeBody{dtype.name}")
        def body(i, x):
            return i - tf.ones([], i.dtype), x * 2

        in_graph(condition), in_graph(body)
        for op in (RAW.While, RAW.StatelessWhile):
            yield op(input=[tf.constant(start, dtype), tf.constant([1.0])], cond=condition, body=body), {}

    @function.Defun(tf.float32, func_name="EdgeCondVector")
    def some_left(x):
        return x

    @function.Defun(tf.float32, func_name="EdgeBodyVector")
    def one_less(x):
        return x[1:]

    in_graph(some_left), in_graph(one_less)
    x = tf.placeholder(tf.float32, [None])
    loop = RAW.While(input=[x], cond=some_left, body=one_less)
    for count in (3, 0):  # goes on while there are any
        yield loop, {x: np.zeros(count, np.float32)}


@scenario("Case")
def cases_of_functions():
    @function.Defun(tf.int32, func_name="EdgeSeven")
    def seven(x):
        return x + 7

    @function.Defun(tf.int32, func_name="EdgeFails")
    def fails(x):
        with tf.control_dependencies([tf.debugging.Assert(x > 100, ["it is", x])]):
            return tf.identity(x)

    in_graph(seven), in_graph(fails)
    index, x = tf.placeholder(tf.int32), tf.placeholder(tf.int32)
    y = RAW.Case(branch_index=index, input=[x], Tout=[tf.int32], branches=[seven, fails])
    for value, argument in ((0, 1), (1, 1), (1, 101), (2, 102), (-2147483648, 5), (0, [1, 2])):
        yield y, {index: value, x: argument}


@scenario("PartitionedCall", "StatefulPartitionedCall")
def calls_of_calls():
    @function.Defun(tf.int32, func_name="EdgeInner")
    def inner(x):
        return 7 // x

    in_graph(inner)

    @function.Defun(tf.int32, func_name="EdgeOuter")
    def outer(x):
        return RAW.PartitionedCall(args=[x], Tout=[tf.int32], f=inner)[0] + 1

    @function.Defun(tf.string, tf.float64, func_name="EdgeSame")
    def same(text, number):
        return text, number

    in_graph(outer), in_graph(same)
    x = tf.placeholder(tf.int32)
    for op in (RAW.PartitionedCall, RAW.StatefulPartitionedCall):
        called = op(args=[x], Tout=[tf.int32], f=outer)
        for value in (2, -2, 0, [1, 7]):
            yield called, {x: value}
        yield op(args=[tf.constant(["a", ""]), np.float64(np.inf)], Tout=[tf.string, tf.float64], f=same), {}


@scenario("Enter", "Exit", "NextIteration", "LoopCond", "Switch", "Merge")
def loops_at_their_ends():
    n = tf.placeholder(tf.int32, [])
    x = tf.placeholder(tf.float32, [None])
    one = tf.while_loop(lambda i, v: i < n, lambda i, v: (i + 1, v + tf.cast(i, tf.float32)), [0, x], parallel_iterations=1)
    many = tf.while_loop(lambda i, v: i < n, lambda i, v: (i + 1, v + tf.cast(i, tf.float32)), [0, x], parallel_iterations=32)
    for count in (-1, 0, 1, 100):
        yield [one, many], {n: count, x: [1.0, 2.0]}
    limited = tf.while_loop(lambda v: tf.reduce_sum(v) < 100, lambda v: v * 2, [x], maximum_iterations=3)
    yield limited, {x: [1.0, 2.0]}
    yield limited, {x: [60.0, 70.0]}
    checked = tf.while_loop(lambda i: i < 5, lambda i: tf.cond(tf.equal(i, n), lambda: 5 // (i - i), lambda: i + 1), [0])
    yield checked, {n: 9}
    yield checked, {n: 3}
    within = tf.cond(n > 0, lambda: tf.while_loop(lambda i: i < n, lambda i: i * 2 + 1, [1]), lambda: -n)
    for count in (20, 0, -4):
        yield within, {n: count}
    rows = tf.map_fn(lambda row: tf.scan(lambda a, b: a * 2 + b, row), tf.reshape(tf.range(6), [2, 3]))
    yield rows, {}
    y = tf.while_loop(lambda i, v: i < n, lambda i, v: (i + 1, tf.sin(v) * v), [0, x])[1]
    for count in (3, 0):
        yield tf.gradients(y, x)[0], {n: count, x: [0.5, 1.5]}


@scenario("StackV2", "StackPushV2", "StackPopV2", "StackCloseV2")
def stacks_at_their_ends():
    dtypes = (tf.float64, tf.int64, tf.complex64, tf.bool)
    for dtype in dtypes:
        stack = RAW.StackV2(max_size=np.int32(3), elem_type=dtype, stack_name=f"edge{dtype.name}")
        before = []
        for count in (1, 2, 0):
            with tf.control_dependencies(before):
                before = [RAW.StackPushV2(handle=stack, elem=tf.constant(some(dtype, count, 2)))]
        with tf.control_dependencies(before):
            top = RAW.StackPopV2(handle=stack, elem_type=dtype)
        with tf.control_dependencies([top]):
            below = RAW.StackPopV2(handle=stack, elem_type=dtype)
        yield [top, below], {}
        with tf.control_dependencies([below]):
            closed = RAW.StackCloseV2(handle=stack)
        yield closed, {}
    other = RAW.StackV2(max_size=-1, elem_type=tf.float32, stack_name="edge_other")
    yield RAW.StackPushV2(handle=other, elem=tf.constant([1, 2])), {}
    closed = RAW.StackCloseV2(handle=other)
    with tf.control_dependencies([closed]):
        yield RAW.StackPushV2(handle=other, elem=tf.constant([1.0])), {}


@scenario("PaddingFIFOQueueV2")
def padding_at_its_ends():
    queue = tf.PaddingFIFOQueue(4, [tf.string, tf.int32], [[None, None], []], shared_name="edge_padding")
    for shape in ((1, 3), (2, 0), (0, 2)):
        yield queue.enqueue([some(tf.string, *shape), shape[0]]), {}
    yield queue.size(), {}
    yield queue.dequeue_up_to(3), {}
    yield queue.enqueue_many([some(tf.string, 2, 1, 1), [7, 8]]), {}
    yield queue.close(), {}
    yield queue.dequeue_many(3), {}
    yield queue.dequeue_up_to(3), {}
    yield queue.dequeue_up_to(1), {}


@scenario("PriorityQueueV2")
def priority_at_its_ends():
    queue = tf.PriorityQueue(5, [tf.string], [[]], shared_name="edge_priority")
    keys = np.array([2**63 - 1, -2**63, 0, 0, -1], np.int64)
    yield queue.enqueue_many([keys, some(tf.string, 5)]), {}
    for _ in range(2):
        yield queue.dequeue(), {}
    yield queue.dequeue_up_to(2), {}
    yield queue.size(), {}
    yield queue.close(), {}
    yield queue.dequeue_many(2), {}
    yield queue.dequeue(), {}
    yield queue.enqueue([np.int64(1), b"late"]), {}


@scenario("RandomShuffleQueueV2")
def shuffling_at_its_ends():
    queue = tf.RandomShuffleQueue(6, 3, [tf.string, tf.float32], [[], [2]], seed=7, shared_name="edge_shuffling")
    yield queue.enqueue_many([some(tf.string, 5), some(tf.float32, 5, 2)]), {}
    yield queue.dequeue(), {}
    yield queue.dequeue_many(1), {}
    yield queue.size(), {}
    yield queue.enqueue([b"one", [7.0, 8.0]]), {}
    yield queue.close(), {}
    yield queue.dequeue_many(9), {}
    yield queue.dequeue_up_to(2), {}
    yield queue.dequeue_up_to(9), {}
    yield queue.dequeue_up_to(9), {}
    yield queue.is_closed(), {}


@scenario("TensorArrayGradV3", "TensorArrayWriteV3", "TensorArrayReadV3")
def gradients_of_arrays():
    x = tf.placeholder(tf.float64, [4, 2])

    def array(**options):
        return tf.TensorArray(tf.float64, 4, clear_after_read=False, **options)

    def written_twice_read():
        full = array().unstack(x)
        return full.read(1) * full.read(1) + full.read(3)

    def part_of_it():
        return array(element_shape=[2]).write(0, x[0]).write(1, x[2] * 3).write(2, x[1]).write(3, x[0]).gather([1, 3])

    def in_pieces():
        return array(infer_shape=False).split(x, [1, 2, 0, 1]).concat() ** 2

    def grown():
        return tf.TensorArray(tf.float64, 0, dynamic_size=True, clear_after_read=False).write(2, x[1]).write(0, x[0]).write(1, x[3]).stack() ** 3

    def scattered():
        return array().scatter([3, 1, 0, 2], x).stack() ** 2

    def in_a_loop():
        filled = tf.while_loop(lambda i, a: i < 4, lambda i, a: (i + 1, a.write(i, x[i] * x[3 - i])), [0, array()])[1]
        return filled.stack()

    for combine in (written_twice_read, part_of_it, in_pieces, grown, scattered, in_a_loop):
        y = combine()
        yield [y, tf.gradients(y, x)[0]], {x: some(tf.float64, 4, 2) / 3}
    full = array().unstack(x)
    for source in ("other", "gradients:0", ""):
        with tf.control_dependencies([full.flow]):
            given = full.grad(source)
        yield given.scatter([2, 2, 0], x[:3]).read(2), {x: some(tf.float64, 4, 2)}
    yield full.grad("more").size(), {x: some(tf.float64, 4, 2)}


@scenario("ReadFile", "WriteFile", "MatchingFiles")
def files_of_any_name():
    folder = tempfile.mkdtemp(prefix="conformance-")
    for name in ("a1.txt", "a2.txt", "b1.txt", "[x].txt", "empty", "deep/inner/c.txt", ".hidden"):
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        written(folder, name, b"" if name == "empty" else b"\0\xff" + name.encode())
    name, names, contents = tf.placeholder(tf.string), tf.placeholder(tf.string), tf.placeholder(tf.string)
    read, match, write = RAW.ReadFile(filename=name), RAW.MatchingFiles(pattern=names), RAW.WriteFile(filename=name, contents=contents)
    for path in ("empty", "a1.txt", "deep", "deep/../a1.txt", "none/x"):
        yield read, {name: os.path.join(folder, path)}
    yield read, {name: ""}
    yield read, {name: [os.path.join(folder, "empty")]}
    for pattern in ("a?.txt", "[ab]1.txt", "[^a]1.txt", "\\[x\\].txt", "*", "deep/*", "*/inner/c.txt", "deep/*/*", "none*", "none/*", "a1.txt", "{a,b}1.txt", "[a"):
        yield match, {names: os.path.join(folder, pattern)}
    yield match, {names: np.array([], object)}
    yield match, {names: np.array([[os.path.join(folder, "a*")]], object)}
    made = tempfile.mkdtemp(prefix="conformance-")
    for path, content in (("new1", b""), ("made/two/new2", b"x" * 5000), ("new1", b"over"), ("made", b"a folder")):
        yield write, {name: os.path.join(made, path), contents: content}
        yield read, {name: os.path.join(made, path)}
    yield write, {name: os.path.join(made, "many"), contents: [b"a", b"b"]}
    yield write, {name: [os.path.join(made, "many")], contents: b"a"}


@scenario("TextLineDataset", "TFRecordDataset", "FixedLengthRecordDatasetV2")
def compressed_and_damaged_files():
    folder = tempfile.mkdtemp(prefix="conformance-")
    text = b"one\r\ntwo\n\n" + b"long" * 400 + b"\nend"
    plain, packed, deflated = written(folder, "text", text), written(folder, "text.gz", gzip.compress(text)), written(folder, "text.z", zlib.compress(text))
    yield from dataset_steps(tf.data.TextLineDataset(packed, compression_type="GZIP"), 6)
    yield from dataset_steps(tf.data.TextLineDataset([deflated], compression_type="ZLIB", buffer_size=7), 6)
    yield from dataset_steps(tf.data.TextLineDataset([plain, written(folder, "nothing", b""), plain], buffer_size=3), 4)
    yield from dataset_steps(tf.data.TextLineDataset(os.path.join(folder, "none")), 1)
    yield from dataset_steps(tf.data.TextLineDataset(written(folder, "cut.gz", gzip.compress(text)[:-20]), compression_type="GZIP"), 6)
    yield from dataset_steps(tf.data.TextLineDataset(plain, compression_type="GZIP"), 1)
    records = os.path.join(folder, "records")
    for kind in ("", "GZIP", "ZLIB"):
        with tf.io.TFRecordWriter(records + kind, kind) as writer:
            for record in (b"first", b"", b"x" * 1000):
                writer.write(record)
        yield from dataset_steps(tf.data.TFRecordDataset([records + kind, records + kind], compression_type=kind, buffer_size=50), 4)
    with open(records, "rb") as file:
        whole = file.read()
    for name, content in (("cut", whole[:-5]), ("cut in a length", whole[:24]), ("bad length", whole[:8] + b"x" + whole[9:]), ("bad data", whole[:13] + b"x" + whole[14:])):
        yield from dataset_steps(tf.data.TFRecordDataset(written(folder, name, content)), 3)
    yield from dataset_steps(tf.data.FixedLengthRecordDataset([plain, plain], 400, 5, 10), 5)
    yield from dataset_steps(tf.data.FixedLengthRecordDataset(written(folder, "even.gz", gzip.compress(b"abcdefgh")), 3, 1, 1, compression_type="GZIP"), 3)
    yield from dataset_steps(tf.data.FixedLengthRecordDataset(written(folder, "uneven", b"abcdefgh"), 3), 3)
    yield from dataset_steps(tf.data.FixedLengthRecordDataset(written(folder, "short", b"ab"), 3, 1, 1), 1)


@scenario("InitializeTableFromTextFileV2")
def tables_of_columns():
    folder = tempfile.mkdtemp(prefix="conformance-")
    path = written(folder, "columns", b"a,1,0.5,x y\nb,-2,1e3,\nc,3,nan,z\n")
    for number, (key, key_index, value, value_index) in enumerate((
            (tf.string, 0, tf.int64, 1), (tf.string, 0, tf.float32, 2), (tf.string, 3, tf.string, 0), (tf.int64, 1, tf.string, 3), (tf.int64, -1, tf.string, 2),
            (tf.string, -2, tf.int64, -1), (tf.string, 0, tf.int64, 9), (tf.int64, 0, tf.int64, -1), (tf.string, 0, tf.int64, 3))):
        table = RAW.HashTableV2(key_dtype=key, value_dtype=value, shared_name=f"columns{number}")
        yield RAW.InitializeTableFromTextFileV2(table_handle=table, filename=path, key_index=key_index, value_index=value_index, delimiter=","), {}
        yield RAW.LookupTableExportV2(table_handle=table, Tkeys=key, Tvalues=value)[0][:0], {}
    for size, offset in ((2, 0), (9, 0), (3, 0), (-1, 1), (2, 1), (2, -1), (0, 0)):
        table = RAW.HashTableV2(key_dtype=tf.string, value_dtype=tf.int64, shared_name=f"lines{size}{offset}")
        yield RAW.InitializeTableFromTextFileV2(table_handle=table, filename=path, key_index=-2, value_index=-1, vocab_size=size, offset=offset), {}
        yield RAW.LookupTableFindV2(table_handle=table, keys=["b,-2,1e3,", "c,3,nan,z", "b"], default_value=np.int64(-9)), {}
    table = RAW.HashTableV2(key_dtype=tf.string, value_dtype=tf.int64, shared_name="of_nothing")
    yield RAW.InitializeTableFromTextFileV2(table_handle=table, filename=written(folder, "nothing", b""), key_index=-2, value_index=-1), {}
    yield RAW.LookupTableSizeV2(table_handle=table), {}


@scenario("SparseConditionalAccumulator", "SparseAccumulatorApplyGradient", "SparseAccumulatorTakeGradient")
def sparse_accumulators_at_their_ends():
    gradients = tf.SparseConditionalAccumulator(tf.float64, [4, None], reduction_type="SUM", shared_name="edge_sparse")
    indices, values, shape = tf.placeholder(tf.int64), tf.placeholder(tf.float64), tf.placeholder(tf.int64)
    apply = RAW.SparseAccumulatorApplyGradient(handle=gradients.accumulator_ref, local_step=np.int64(0), gradient_indices=indices, gradient_values=values,
                                               gradient_shape=shape, has_known_shape=True)
    take = RAW.SparseAccumulatorTakeGradient(handle=gradients.accumulator_ref, num_required=1, dtype=tf.float64)
    for rows, width, whole in (((3, 1), 2, (4, 2)), ((1, 1), 2, (4, 2)), ((0,), 3, (4, 3)), ((0,), 2, (5, 2)), ((0,), 2, (4,)), ((9,), 2, (4, 2)), ((0, 1), 2, ())):
        yield apply, {indices: rows, values: some(tf.float64, len(rows), width), shape: np.array(whole, np.int64)}
        yield RAW.AccumulatorNumAccumulated(handle=gradients.accumulator_ref), {}
    yield take, {}
    yield apply, {indices: [0, 1], values: some(tf.float64, 1, 2), shape: [4, 2]}
    yield apply, {indices: [[0]], values: some(tf.float64, 1, 2), shape: [4, 2]}


@scenario("ParseExampleV2", "ParseExample", "ParseSingleExample")
def examples_of_all_kinds():
    def example(**features):
        lists = {float: ("float_list", tf.train.FloatList), bytes: ("bytes_list", tf.train.BytesList), int: ("int64_list", tf.train.Int64List)}
        made = {}
        for name, value in features.items():
            field, kind = lists[type(value[0])] if value else lists[float]
            made[name] = tf.train.Feature(**{field: kind(value=value)})
        return tf.train.Example(features=tf.train.Features(feature=made)).SerializeToString()

    several = [example(a=[1.5, 2.5, 3.5, 4.5], b=[b"x", b""], c=[2**63 - 1], s=[0, 3]), example(a=[], c=[-2**63], s=[1]), example(a=[5.0, 6.0])]
    empty = tf.train.Example(features=tf.train.Features(feature={"a": tf.train.Feature()})).SerializeToString()
    fixed, var = tf.FixedLenFeature, tf.VarLenFeature
    wanted = (
        {"a": var(tf.float32), "b": var(tf.string), "c": var(tf.int64)},
        {"a": tf.FixedLenSequenceFeature([2], tf.float32, allow_missing=True)},
        {"a": tf.FixedLenSequenceFeature([], tf.float32, allow_missing=True, default_value=-1.0)},
        {"b": fixed([2], tf.string, default_value=[b"p", b"q"]), "c": fixed([1], tf.int64, default_value=[4])},
        {"b": tf.FixedLenSequenceFeature([3], tf.string, allow_missing=True)},
        {"c": fixed([], tf.float32, default_value=0.0)},
        {"a": var(tf.int64)},
        {"a": fixed([4], tf.float32)},
        {"r": tf.io.RaggedFeature(tf.float32, "a")},
        {"r": tf.io.RaggedFeature(tf.float32, "a", partitions=[tf.io.RaggedFeature.UniformRowLength(2)])},
    )
    serialized = tf.placeholder(tf.string, [None])
    for features in wanted:
        parsed = tf.io.parse_example(serialized, features)
        for batch in (several, several[:1], [empty], []):
            yield parsed, {serialized: np.array(batch, object)}
    parsed = tf.io.parse_example(serialized, wanted[0])
    for bad in (several[2][:-3], b"\x0a", b"zz", b"\x12\x00", several[2] + example(c=[8])):
        yield parsed, {serialized: np.array([several[2], bad], object)}
    one = tf.placeholder(tf.string, [])
    single = tf.io.parse_single_example(one, {"a": var(tf.float32), "c": fixed([], tf.int64, default_value=3)})
    for text in (several[0], several[2], b"", b"\x0a\x05"):
        yield single, {one: text}


@scenario("IteratorV2", "MakeIterator", "IteratorGetNext", "IteratorToStringHandle", "IteratorFromStringHandleV2")
def iterators_at_their_ends():
    structure = tf.data.Iterator.from_structure((tf.int64, tf.string), ([], [None]), shared_name="edge_structure")
    following = structure.get_next()
    pairs = tf.data.Dataset.range(2).map(lambda i: (i, tf.fill([i], "x")))
    others = tf.data.Dataset.from_tensors((np.int64(9), np.array([b"a", b"b"], object)))
    first, second = structure.make_initializer(pairs), structure.make_initializer(others)
    yield following, {}
    for initializer, count in ((first, 3), (second, 2), (first, 1), (second, 1)):
        yield initializer, {}
        for _ in range(count):
            yield following, {}
    handle = tf.placeholder(tf.string, [])
    by_handle = tf.data.Iterator.from_string_handle(handle, (tf.int64, tf.string), ([], [None]))
    yield by_handle.get_next(), {handle: b"nonsense"}
    limit = tf.placeholder(tf.int64, [])
    again = tf.data.make_initializable_iterator(tf.data.Dataset.range(limit).map(lambda i: 6 // (i + 1)), shared_name="edge_again")
    for value in (3, 0):
        yield again.initializer, {limit: value}
        for _ in range(4):
            yield again.get_next(), {}
