"""Batches of a Sequence that threads make: they come in their order, are not made while the Sequence changes, and fail where they are taken."""

import threading
import unittest

import numpy as np

from flowray import tf

X = np.arange(24, dtype=np.float32).reshape(12, 2) * 5 % 7 / 7
Y = X[:, :1] - X[:, 1:]


class Batches(tf.keras.utils.Sequence):
    """Two rows in each; begins anew at another row after each epoch."""

    def __init__(self, meeting=None, broken=None):
        self.first, self.meeting, self.broken = 0, meeting, broken
        self.threads, self.had_threads_at_end = set(), []

    def __len__(self):
        return 6

    def __getitem__(self, index):
        self.threads.add(threading.current_thread())
        if self.meeting is not None:
            self.meeting.wait(60)
        if index == self.broken:
            raise ZeroDivisionError("batch %d" % index)
        rows = (np.arange(2) + 2 * index + self.first) % 12
        return X[rows], Y[rows]

    def on_epoch_end(self):
        self.had_threads_at_end.append(any(thread.is_alive() for thread in self.threads))
        self.first += 1


def made():
    tf.keras.backend.clear_session()
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,), kernel_initializer="ones")])
    model.compile("sgd", "mse", metrics=["mae"])
    return model


class WorkersTest(unittest.TestCase):
    def test_threads_make_the_same_batches_in_the_same_order(self):
        options = {"epochs": 3, "shuffle": False, "verbose": 0}
        one, many = Batches(), Batches(threading.Barrier(3))  # none of three batches is there before three threads make them
        expected = made().fit(one, validation_data=Batches(), **options).history
        model = made()
        history = model.fit(many, validation_data=Batches(), workers=3, max_queue_size=5, **options).history
        self.assertEqual(history, expected)
        self.assertEqual(one.threads, {threading.main_thread()})
        self.assertNotIn(threading.main_thread(), many.threads)
        self.assertEqual(model.evaluate(Batches(), workers=4), model.evaluate(Batches()))
        np.testing.assert_array_equal(model.predict_generator(Batches(threading.Barrier(2)), workers=2), model.predict(X))

    def test_no_thread_makes_batches_while_the_sequence_changes(self):
        batches = Batches()
        made().fit(batches, steps_per_epoch=2, epochs=5, workers=3, verbose=0)
        self.assertEqual(batches.had_threads_at_end, [False] * 5)

    def test_the_error_of_a_batch_is_that_of_fit(self):
        with self.assertRaisesRegex(ZeroDivisionError, "batch 4"):
            made().fit(Batches(broken=4), workers=2, verbose=0, shuffle=False)

    def test_what_makes_batches_is_told_where_it_is_not_what_was_asked_for(self):
        for source, steps, message in ((Batches(), None, "the batches of a Sequence are made in threads of this process"),
                                       (iter([(X, Y)]), 1, "the batches of a generator are made in the calling thread")):
            with self.assertLogs("tensorflow", "WARNING") as logs:
                made().fit(source, steps_per_epoch=steps, workers=2, use_multiprocessing=True, verbose=0)
            self.assertEqual(len(logs.output), 1)
            self.assertIn(message, logs.output[0])
        with self.assertNoLogs("tensorflow", "WARNING"):
            made().fit(X, Y, workers=2, use_multiprocessing=True, verbose=0)
            made().fit(Batches(), workers=2, verbose=0)


if __name__ == "__main__":
    unittest.main()
