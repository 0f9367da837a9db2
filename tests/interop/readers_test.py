"""Readers that take their files from a queue, as in TensorFlow's local session."""

import os
import tempfile
import threading
import unittest

from queue_client_test import what_happens
from tensorflow_client import ServerTest, tf


class ReadersTest(ServerTest):
    def test_every_kind(self):
        with tempfile.TemporaryDirectory() as folder:
            names = [os.path.join(folder, name) for name in ("a", "empty", "b")]
            for name, text in zip(names, (b"one\ntwo\r\nthree", b"", b"four\nfive\n")):
                with open(name, "wb") as file:
                    file.write(text)
            records = os.path.join(folder, "records")
            with tf.io.TFRecordWriter(records) as writer:
                for record in (b"x", b"", b"zz" * 100):
                    writer.write(record)
            readers = [(tf.WholeFileReader(), names), (tf.TextLineReader(), names), (tf.TextLineReader(skip_header_lines=1), names),
                       (tf.FixedLengthRecordReader(3, header_bytes=1, hop_bytes=2), names[::2]), (tf.TFRecordReader(), [records]), (tf.IdentityReader(), names),
                       (tf.TextLineReader(), [names[0], folder + "/none", names[2]])]
            for reader, files in readers:
                queue = tf.FIFOQueue(10, tf.string, shapes=[[]])
                put, close = queue.enqueue_many([files]), queue.close()
                get, some, made, done = reader.read(queue), reader.read_up_to(queue, 2), reader.num_records_produced(), reader.num_work_units_completed()

                def program(session):
                    session.run(put)
                    session.run(close)
                    seen = [str(what_happens(lambda: session.run(some)))]
                    for _ in range(9):
                        seen.append(str(what_happens(lambda: session.run(get))))
                    return [entry.replace(str(queue.queue_ref.op.name), "q") for entry in seen] + [int(session.run(made)), int(session.run(done))]

                with self.subTest(type(reader).__name__):
                    self.assertEqual(*self.both(program))

    def test_who_reads_waits_for_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a")
            with open(path, "w", encoding="ascii") as file:
                file.write("line\n")
            queue = tf.FIFOQueue(10, tf.string, shapes=[[]])
            value = tf.TextLineReader().read(queue)[1]
            put = queue.enqueue(path)
            started = tf.FIFOQueue(1, tf.int32, shapes=[[]])
            value_of_started = [value, started.enqueue(1)]
            wait_for_started = started.dequeue()
            with self.session() as session:
                got = []
                threads = [threading.Thread(target=lambda: got.append(what_happens(lambda: session.run(value)))) for _ in range(2)]
                for thread in threads:
                    thread.start()
                session.run(put)
                session.run(put)
                for thread in threads:
                    thread.join(30)
                self.assertEqual(got, [b"line", b"line"])
                last = threading.Thread(target=lambda: got.append(what_happens(lambda: session.run(value_of_started))))
                last.start()
                session.run(wait_for_started)
            last.join(30)
            self.assertEqual(got[2][0], "CancelledError")

    def test_the_pipeline_of_old_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "data.csv")
            with open(path, "w", encoding="ascii") as file:
                file.writelines(f"{i},{i * i}\n" for i in range(10))
            files = tf.train.string_input_producer([path], num_epochs=1, shuffle=False)
            _, line = tf.TextLineReader().read(files)
            x, y = tf.decode_csv(line, [[0], [0]])
            batch = tf.train.batch([x, y], batch_size=4, allow_smaller_final_batch=True)
            with self.session() as session:
                session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
                coordinator = tf.train.Coordinator()
                threads = tf.train.start_queue_runners(session, coordinator)
                batches = [session.run(batch)[1].tolist() for _ in range(3)]
                self.assertIsInstance(self.raised(lambda: session.run(batch)), tf.errors.OutOfRangeError)
                coordinator.request_stop()
                coordinator.join(threads)
            self.assertEqual(batches, [[0, 1, 4, 9], [16, 25, 36, 49], [64, 81]])


if __name__ == "__main__":
    unittest.main()
