"""Queues whose components have names: elements are dicts."""
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
queue = tf.FIFOQueue(5, [tf.int32, tf.float32], shapes=[[], [2]], names=["i", "f"], name="named")
print(queue.names, queue.dtypes, [shape.as_list() for shape in queue.shapes], queue.name)
one = queue.enqueue({"f": [1.0, 2.0], "i": 1})
two = queue.enqueue_many({"i": [2, 3], "f": [[3.0, 4.0], [5.0, 6.0]]})
element, several = queue.dequeue(), queue.dequeue_many(1)
print(sorted(element), element["f"].shape, several["f"].shape)
for wrong in ([1, [1.0, 2.0]], {"i": 1}, {"i": 1, "f": [1.0, 2.0], "g": 3}):
    try:
        queue.enqueue(wrong)
    except ValueError as error:
        print(error)
plain = tf.FIFOQueue(5, tf.int32)
print(plain.names, plain.shapes)
for attempt in (lambda: plain.enqueue({"i": 1}), lambda: tf.FIFOQueue(5, [tf.int32], names=["a", "b"])):
    try:
        attempt()
    except ValueError as error:
        print(error)
shuffled = tf.RandomShuffleQueue(9, 0, [tf.int32], [[]], names=["n"], seed=3)
padded = tf.PaddingFIFOQueue(9, [tf.int32], [[None]], names=["row"])
sorted_queue = tf.PriorityQueue(9, [tf.string], [[]])
with tf.Session() as sess:
    sess.run(one)
    sess.run(two)
    print(sorted(sess.run(element).items()))
    print(sess.run(several)["f"], sess.run(queue.dequeue_up_to(1))["i"], sess.run(queue.size()))
    sess.run(shuffled.enqueue_many({"n": [1, 2, 3, 4]}))
    print(sess.run(shuffled.dequeue_many(4)))
    sess.run(padded.enqueue({"row": [1]}))
    sess.run(padded.enqueue({"row": [2, 3]}))
    print(sess.run(padded.dequeue_many(2)))
    sess.run(sorted_queue.enqueue_many([[3, 1], ["c", "a"]]))
    print(sess.run(sorted_queue.dequeue()))
shape = tf.TensorShape([None, 3])
print(shape.as_proto().dim[0].size, tf.TensorShape(shape.as_proto()), tf.TensorShape(tf.TensorShape(None).as_proto()))
