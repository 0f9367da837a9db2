"""Sentences of several lengths: padded batches, their masks, and the mean vector of each."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

SENTENCES = ["the cat sat", "a dog", "on the mat the cat slept", "dogs bark", "the end"]
WORDS = sorted({word for sentence in SENTENCES for word in sentence.split()})


def ids(sentence):
    words = tf.string_split([sentence]).values
    return {"ids": tf.cast(tf.strings.to_hash_bucket_fast(words, len(WORDS)) + 1, tf.int32), "length": tf.size(words), "text": sentence}


shapes = {"ids": [None], "length": [], "text": []}
batches = tf.data.Dataset.from_tensor_slices(SENTENCES).map(ids).padded_batch(2, shapes)
wide = tf.data.Dataset.from_tensor_slices(SENTENCES).map(ids).padded_batch(
    3, {"ids": [7], "length": [], "text": []}, padding_values={"ids": -1, "length": 0, "text": ""}, drop_remainder=True)
print(batches.output_types, {key: str(value) for key, value in sorted(batches.output_shapes.items())})

iterator = tf.data.make_initializable_iterator(batches)
batch = iterator.get_next()
vectors = tf.constant(np.arange(3 * (len(WORDS) + 1)).reshape(-1, 3) % 5, tf.float32)
mask = tf.sequence_mask(batch["length"], tf.shape(batch["ids"])[1], tf.float32)
mean = tf.reduce_sum(tf.nn.embedding_lookup(vectors, batch["ids"]) * mask[:, :, None], 1) / tf.reduce_sum(mask, 1, keepdims=True)
rows = tf.data.make_initializable_iterator(wide)
row = rows.get_next()
with tf.Session() as sess:
    sess.run([iterator.initializer, rows.initializer])
    while True:
        try:
            texts, numbers, masks, means = sess.run([batch["text"], batch["ids"], mask, mean])
        except tf.errors.OutOfRangeError:
            break
        print(texts.tolist(), numbers.tolist(), masks.tolist(), np.round(means, 3).tolist())
    print(sess.run(row)["ids"].tolist())
    try:
        sess.run(row)
    except tf.errors.OutOfRangeError:
        print("no second batch of three")

too_long = tf.data.Dataset.from_tensor_slices([2, 5]).map(lambda n: tf.range(n)).padded_batch(2, [4])
element = tf.data.make_one_shot_iterator(too_long).get_next()
with tf.Session() as sess:
    try:
        sess.run(element)
    except tf.errors.DataLossError as error:
        print(type(error).__name__)
