"""What tf.keras' optimizers keep, over many steps and through files."""

import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

from flowray import tf

X = np.array([[1.0, 2.0], [3.0, 1.0], [0.5, -1.0]], np.float32)
Y = np.array([[1.0], [2.0], [-3.0]], np.float32)


def made(optimizer, metrics=None):
    tf.keras.backend.clear_session()
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,), kernel_initializer="ones")])
    model.compile(optimizer, "mse", metrics=metrics)
    return model


def train(model, steps):
    for _ in range(steps):
        model.train_on_batch(X, Y)
    return model.get_weights()


class NumberOfStepsTest(unittest.TestCase):
    def kept_steps(self, model):
        return int(tf.keras.backend.get_value(model.optimizer.iterations))

    def check_goes_on(self, beta_1, steps, save, load):
        def adam():
            return tf.keras.optimizers.Adam(0.01, beta_1=beta_1)
        unbroken = train(made(adam()), steps + 20)
        model = made(adam())
        train(model, steps)
        self.assertEqual(self.kept_steps(model), steps)
        with tempfile.TemporaryDirectory() as folder:
            save(model, str(Path(folder) / "kept"))
            model = load(str(Path(folder) / "kept"), adam)
            broken = train(model, 20)
        self.assertEqual(self.kept_steps(model), steps + 20)
        for value, other in zip(broken, unbroken):
            np.testing.assert_array_equal(value, other)

    def test_training_goes_on_from_a_checkpoint_as_if_it_was_unbroken(self):
        def load(path, adam):
            model = made(adam())
            model.load_weights(path)
            return model
        for beta_1, steps in ((0.9, 1000), (0.5, 200), (0.0, 30)):
            with self.subTest(beta_1=beta_1):
                self.check_goes_on(beta_1, steps, lambda model, path: model.save_weights(path), load)

    def test_training_goes_on_from_a_file_of_the_model(self):
        def load(path, adam):
            tf.keras.backend.clear_session()
            return tf.keras.models.load_model(path + ".h5")
        for beta_1, steps in ((0.9, 1000), (0.5, 200), (0.0, 30)):
            with self.subTest(beta_1=beta_1):
                self.check_goes_on(beta_1, steps, lambda model, path: model.save(path + ".h5"), load)

    def test_fit_counts_steps_with_and_without_callbacks_that_hear_of_batches(self):
        for optimizer in ("adam", "sgd"):
            model, heard = made(optimizer), []
            model.fit(X, Y, batch_size=2, epochs=3, verbose=0)
            self.assertEqual(self.kept_steps(model), 6)
            hears = tf.keras.callbacks.LambdaCallback(on_batch_end=lambda batch, logs: heard.append(self.kept_steps(model)))
            model.fit(X, Y, batch_size=2, epochs=1, verbose=0, callbacks=[hears])
            self.assertEqual(heard, [7, 8])
            model.fit(X, Y, batch_size=2, epochs=1, verbose=0, validation_data=(X, Y, np.ones(3)))
            self.assertEqual(self.kept_steps(model), 10)

    def test_a_rate_that_changes_is_seen_by_a_loop_of_the_programs_own(self):
        tf.keras.backend.clear_session()
        weight = tf.Variable([1.0, 2.0])
        optimizer = tf.keras.optimizers.SGD(0.1, momentum=0.5)
        train = optimizer.apply_gradients([(tf.ones([2]), weight)])
        moved, move = np.array([1.0, 2.0], np.float32), 0.0
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for rate in (0.1, 0.4, 0.2):
                optimizer.lr = rate
                session.run(train)
                move = 0.5 * move - rate
                moved += move
                np.testing.assert_allclose(session.run(weight), moved, rtol=1e-6, atol=1e-6)
            self.assertEqual(session.run(optimizer.iterations), 3)


class MetricsTest(unittest.TestCase):
    def setUp(self):
        tf.keras.backend.clear_session()

    def test_running_metrics_by_name_and_both_ways_to_validate(self):
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, activation="sigmoid", input_shape=(2,))])
        model.compile("sgd", "mse", metrics=["AUC", "Precision"])
        y = np.array([[1.0], [0.0], [1.0]])
        for _ in range(2):
            history = model.fit(X, y, epochs=2, verbose=0, validation_split=0.4, validation_data=(X[:2], np.ones((2, 1)))).history
        self.assertEqual(len(history["loss"]), 2)
        self.assertEqual([name for name in history if "auc" in name], ["auc", "val_auc"])
        self.assertEqual(history["val_auc"], [0.0, 0.0])  # all are so: of the others there is none

    def test_reset_states_of_metrics_made_of_metrics(self):
        class Both(tf.keras.metrics.Metric):
            def __init__(self):
                super().__init__("both")
                self.means = [tf.keras.metrics.Mean("one"), tf.keras.metrics.Mean("other")]

            def update_state(self, y_true, y_pred, sample_weight=None):
                for mean in self.means:
                    mean.update_state(y_pred)

            def result(self):
                return self.means[0].result() + self.means[1].result()
        both = Both()
        self.assertEqual(len(both.weights), 4)
        update, result = both.update_state([0.0], [2.0]), both.result()
        with tf.Session() as session:
            session.run([weight.initializer for weight in both.weights])
            session.run(update)
            self.assertEqual(session.run(result), 4.0)
            both.reset_states()
            self.assertEqual(session.run(result), 0.0)
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
        model.compile("sgd", "mse", metrics=[both])
        model.fit(X, Y, epochs=2, verbose=0)

    def value(self, metric, y_true, y_pred):
        update = metric.update_state(y_true, y_pred)
        result = metric.result()
        with tf.Session() as session:
            session.run([weight.initializer for weight in metric.weights])
            session.run(update)
            return float(session.run(result))

    def test_ranks_and_ranges(self):
        metrics = tf.keras.metrics
        column, row = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([1.0, 2.0, 3.0, 6.0])
        self.assertEqual(self.value(metrics.RootMeanSquaredError(), column, row), 1.0)
        self.assertEqual(self.value(metrics.MeanRelativeError(row), column, row), np.float32(1 / 12))
        self.assertEqual(self.value(metrics.MeanMetricWrapper(lambda a, b: tf.abs(a - b)), row, column), 0.5)
        for metric in (metrics.AUC(), metrics.Precision()):
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "predictions must be >= 0"):
                self.value(metric, [1.0], [-0.5])
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "predictions must be <= 1"):
                self.value(metric, [1.0], [1.5])
        for metric in (metrics.AUC(curve="roc", summation_method="Minoring"), metrics.AUC(curve="pr"), metrics.AUC(from_logits=True)):
            self.assertAlmostEqual(self.value(metric, [0.0, 1.0], [0.1, 0.9]), 1.0, 5)


class CheckpointFilesTest(unittest.TestCase):
    def test_a_file_that_names_nodes_that_are_none(self):
        from flowray.tf import _checkpoint, _object_graph as objects
        for change in (lambda graph: graph.nodes[0].children.add(node_id=7, local_name="v"),
                       lambda graph: graph.nodes[0].children.add(node_id=-1, local_name="v"),
                       lambda graph: graph.nodes[0].slot_variables.add(original_variable_node_id=0, slot_name="m", slot_variable_node_id=9)):
            graph = objects.TrackableObjectGraph()
            graph.nodes.add()
            change(graph)
            with tempfile.TemporaryDirectory() as folder:
                prefix = str(Path(folder) / "bad")
                _checkpoint._write_file(prefix, {objects.GRAPH_KEY: graph.SerializeToString()})
                with self.assertRaisesRegex(tf.errors.DataLossError, "names the node"):
                    tf.train.Checkpoint().restore(prefix)

    def test_nothing_waits_once_each_value_is_with_an_object(self):
        from flowray.tf import _object_graph as objects
        model = made("sgd")
        train(model, 1)
        with tempfile.TemporaryDirectory() as folder:
            model.save_weights(folder + "/kept")
            before = len(objects._waiting)
            model.load_weights(folder + "/kept")
            train(model, 1)
        self.assertLessEqual(len(objects._waiting), before)

    def test_removing_a_checkpoint_begins_with_its_index(self):
        from flowray.tf import _checkpoint
        with tempfile.TemporaryDirectory() as folder:
            names, removed = ["c-1.data-00000-of-00002", "c-1.data-00001-of-00002", "c-1.index"], []
            for name in [*names, "c-10.index"]:
                (Path(folder) / name).touch()

            def unlink(path):
                removed.append(Path(path).name)
                os.remove(path)
                raise FileNotFoundError(path)  # as if another process had removed it
            with mock.patch.object(_checkpoint._os, "unlink", unlink):
                _checkpoint._remove_files(str(Path(folder) / "c-1"))
            self.assertEqual((removed[0], sorted(removed)), ("c-1.index", names))
            self.assertEqual([path.name for path in Path(folder).iterdir()], ["c-10.index"])


class LayersBehindTest(unittest.TestCase):
    def test_all_tensors_on_the_way_know_whether_a_layer_is_behind_them(self):
        tf.keras.backend.clear_session()
        made = tf.keras.layers.Dense(2)(tf.keras.Input(shape=(2,)))
        graph = made.graph
        value = made
        for number in range(20):
            value = tf.tanh(value) * tf.sqrt(tf.constant([1.0 + number, 2.0]))
        loss = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * 2.0), [tf.constant(0), tf.reduce_sum(value)])[1]
        gradients = tf.gradients(loss, [made])
        before = {op.name for op in made.op.graph.get_operations() if op.name.startswith(("input", "dense"))} - {made.op.name}
        behind = {made.op.name}
        grown = True
        while grown:  # loops have edges that lead back
            grown = False
            for op in graph.get_operations():
                if op.name not in behind and op.name not in before and any(tensor.op.name in behind for tensor in op.inputs):
                    behind.add(op.name)
                    grown = True
        for op in graph.get_operations():
            for tensor in op.outputs:
                if tensor.op.name not in before | {made.op.name}:
                    self.assertEqual(type(tensor).__name__ == "DerivedTensor", op.name in behind, op.name)
        self.assertEqual(type(gradients[0]).__name__, "DerivedTensor")


class DatasetsTest(unittest.TestCase):
    """What fit and its kin leave in the graph, and where they run a dataset."""

    def setUp(self):
        self.model = made(tf.keras.optimizers.SGD(0.01))
        self.dataset = tf.data.Dataset.from_tensor_slices((X, Y)).batch(2)

    def num_operations(self):
        return len(tf.get_default_graph().get_operations())

    def test_the_graph_stays_as_it_is_behind_the_first_use(self):
        def use():
            self.model.fit(self.dataset, epochs=3, verbose=0, validation_data=self.dataset)
            self.model.evaluate(self.dataset, verbose=0)
            self.assertEqual(self.model.predict(self.dataset).shape, (3, 1))
        use()
        before = self.num_operations()
        use()
        self.assertEqual(self.num_operations(), before)
        tf.get_default_graph().finalize()
        use()

    def test_an_iterator_of_the_programs_gets_one_next_element(self):
        iterator = tf.data.Dataset.from_tensor_slices((X, Y)).batch(3).repeat().make_one_shot_iterator()
        self.model.fit(iterator, steps_per_epoch=2, epochs=2, verbose=0)
        before = self.num_operations()
        self.model.fit(iterator, steps_per_epoch=2, epochs=2, verbose=0)
        self.assertEqual(self.num_operations(), before)

    def test_training_and_validation_walk_each_for_itself(self):
        heard = []
        endless = self.dataset.repeat()
        self.model.compile(tf.keras.optimizers.SGD(0.0), "mse")  # the loss tells which batch it is of
        watch = tf.keras.callbacks.LambdaCallback(on_batch_end=lambda batch, logs: heard.append(logs["loss"]))
        self.model.fit(endless, steps_per_epoch=1, epochs=4, verbose=0, callbacks=[watch], validation_data=endless, validation_steps=1)
        first, second = heard[:2]
        self.assertNotEqual(first, second)
        self.assertEqual(heard, [first, second, first, second])  # it goes on where the epoch before ended

    def test_a_map_sees_variables_of_the_models_session(self):
        scale = tf.Variable(2.0)
        scaled = tf.data.Dataset.from_tensor_slices((X, Y)).map(lambda x, y: (x * scale, y)).batch(3)
        np.testing.assert_allclose(self.model.predict(scaled), 2 * X.sum(1, keepdims=True), rtol=1e-6)
        tf.keras.backend.set_value(scale, 3.0)
        np.testing.assert_allclose(self.model.predict(scaled), 3 * X.sum(1, keepdims=True), rtol=1e-6)

    def test_an_epoch_without_batches_is_none(self):
        history = self.model.fit(self.dataset, steps_per_epoch=1, epochs=5, verbose=0)  # which has two
        self.assertEqual(history.epoch, [0, 1])


if __name__ == "__main__":
    unittest.main()
