"""Elements of several datasets whose turn a dataset of numbers, or chance, decides; and mapped batches."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
D = tf.data.Dataset
experimental = tf.data.experimental


def show(name, build, most=40):
    """How many elements there are, the elements, and the nodes."""
    with tf.Graph().as_default() as graph:
        try:
            dataset = build()
        except (TypeError, ValueError) as error:
            print(name, type(error).__name__, str(error).split("\n")[0])
            return
        print(name, [(node.name, node.op) for node in graph.as_graph_def().node])
        iterator = tf.data.make_initializable_iterator(dataset)
        element, elements = iterator.get_next(), []
        with tf.Session() as session:
            count = session.run(experimental.cardinality(dataset))
            session.run(iterator.initializer)
            try:
                while len(elements) < most:
                    elements.append(session.run(element))
            except tf.errors.OutOfRangeError:
                elements.append("end")
            except tf.errors.InvalidArgumentError:
                elements.append("no such dataset")
        print(name, count, [value.tolist() if hasattr(value, "tolist") else value for value in elements], dataset.element_spec)


three, five, ten = (lambda: D.range(3)), (lambda: D.range(10, 15)), (lambda: D.range(20, 30))
turns = lambda: D.range(2).repeat()
show("weights", lambda: D.sample_from_datasets([three(), five(), ten()], [0.25, 0.5, 0.25], seed=3))
show("doubles", lambda: D.sample_from_datasets([three().repeat(), five().repeat()], np.array([0.25, 0.75]), seed=3))
show("alike", lambda: experimental.sample_from_datasets([three(), five()], seed=3).repeat(2))
show("stops", lambda: D.sample_from_datasets([three(), five()], seed=5, stop_on_empty_dataset=True))
show("a zero", lambda: D.sample_from_datasets([three(), five()], [0.0, 1.0]))
show("zeros", lambda: D.sample_from_datasets([three(), five()], [0.0, 0.0]))
show("one", lambda: D.sample_from_datasets([three()]))
show("tensor", lambda: D.sample_from_datasets([three(), five()], tf.constant([0.3, 0.7], tf.float64), seed=9))
show("each", lambda: D.sample_from_datasets([three(), five()], D.from_tensor_slices([[1.0, 0.0], [0.0, 1.0]]).repeat(2), seed=9))
show("integers", lambda: D.sample_from_datasets([three(), five()], [1, 2]))
show("too many", lambda: D.sample_from_datasets([three()], [0.5, 0.5]))
show("too many in a tensor", lambda: D.sample_from_datasets([three()], tf.constant([0.5, 0.5])))
show("none", lambda: D.sample_from_datasets([]))
show("turns", lambda: D.choose_from_datasets([three(), five()], turns()))
show("turns to the end", lambda: experimental.choose_from_datasets([three(), five()], turns()))
show("three turns", lambda: D.choose_from_datasets([three(), five()], D.from_tensor_slices(np.int64([1, 0, 1]))))
show("no such turn", lambda: D.choose_from_datasets([three(), five()], D.range(3)))
show("of int32", lambda: D.choose_from_datasets([three(), five()], D.from_tensors(1)))
show("of a list", lambda: D.choose_from_datasets([three(), five()], [1]))
show("other kinds", lambda: D.choose_from_datasets([three(), D.from_tensors((1, 2))], D.range(2)))
show("other dtypes", lambda: D.choose_from_datasets([three(), D.from_tensors(1.0)], D.range(2)))
show("other shapes", lambda: D.choose_from_datasets([D.from_tensors([1, 2]), D.from_tensors([1, 2, 3])], D.range(2)))
show("dicts", lambda: D.choose_from_datasets([D.from_tensors({"a": 1}), D.from_tensors({"a": 2})], D.range(2)))
show("endless", lambda: D.choose_from_datasets([three().repeat(), five()], D.range(2)))
show("random", lambda: D.random(seed=4).take(3).repeat(2))
show("old random", lambda: experimental.RandomDataset(4).take(3))
show("batches", lambda: D.range(7).apply(experimental.map_and_batch(lambda x: x * x, 3)))
show("batches ahead", lambda: D.range(7).apply(experimental.map_and_batch(lambda x: x * x, 3, num_parallel_batches=2, drop_remainder=True)))
show("a size that is fed", lambda: D.range(7).apply(experimental.map_and_batch(lambda x: x * x, tf.constant(2, tf.int64), num_parallel_calls=2)))
show("no function", lambda: D.range(7).apply(experimental.map_and_batch(3, 3)))
show("a range is a tuple", lambda: D.range(2).map(lambda x: range(3)))
