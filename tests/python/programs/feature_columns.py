"""Columns of features: numbers, ranges, categories by list, file, hash and number, crossed, weighted, embedded; two models over them."""

import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
fc = tf.feature_column
features = {
    "price": [[1.0], [4.5], [10.0]],
    "size": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]],
    "color": [["red"], ["blue"], ["green"]],
    "shape": [["round", ""], ["square", "round"], ["flat", "square"]],
    "city": [["Berlin"], ["Paris"], ["Oslo"]],
    "grade": [[2], [0], [1]],
}


def show(name, value):
    print(name, np.round(np.asarray(value), 4).tolist())


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "shapes.txt")
    with open(path, "w") as words:
        words.write("round\nsquare\n")
    price = fc.numeric_column("price")
    scaled = fc.numeric_column("size", shape=2, normalizer_fn=lambda x: x / 2.0)
    ranges = fc.bucketized_column(price, [2.0, 5.0])
    color = fc.categorical_column_with_vocabulary_list("color", ["red", "blue"], num_oov_buckets=1)
    shape = fc.categorical_column_with_vocabulary_file("shape", path)
    city = fc.categorical_column_with_hash_bucket("city", 5)
    grade = fc.categorical_column_with_identity("grade", 3)
    crossed = fc.crossed_column(["color", "city"], 7)
    crossed_ranges = fc.crossed_column([ranges, grade], 6)
    weighted = fc.weighted_categorical_column(shape, "weight")
    with tf.Graph().as_default(), tf.Session() as session:
        tensors = {key: tf.constant(value) for key, value in features.items()}
        tensors["weight"] = tf.SparseTensor([[0, 0], [1, 0], [1, 1], [2, 0], [2, 1]], [1.0, 2.0, 0.5, 1.0, 3.0], [3, 2])
        dense = [price, scaled, ranges, fc.indicator_column(color), fc.indicator_column(shape), fc.indicator_column(grade),
                 fc.indicator_column(crossed), fc.indicator_column(crossed_ranges)]
        layer = fc.input_layer(tensors, dense)
        embedded = fc.input_layer(tensors, [fc.embedding_column(color, 2, initializer=tf.constant_initializer(0.5)),
                                            fc.embedding_column(city, 3, combiner="sum", initializer=tf.ones_initializer())])
        shared = fc.shared_embedding_columns([color, fc.categorical_column_with_vocabulary_list("shape", ["flat", "round"], num_oov_buckets=1)],
                                             2, initializer=tf.ones_initializer())
        both = fc.input_layer(tensors, shared)
        variables = {}
        linear = fc.linear_model(tensors, [price, ranges, color, city, crossed, grade], cols_to_vars=variables)
        loss = tf.reduce_mean(tf.square(linear - [[1.0], [2.0], [0.5]]))
        train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        show("layer", session.run(layer))
        show("embedded", session.run(embedded))
        show("shared", session.run(both))
        print(sorted(variable.name for variable in tf.global_variables()))
        print(sorted(getattr(column, "name", column) for column in variables))
        for _ in range(20):
            session.run(train)
        show("linear", session.run(linear))
        show("loss", session.run(loss))
    spec = fc.make_parse_example_spec([price, scaled, ranges, color, weighted, grade, crossed])
    for key in sorted(spec):
        print(key, type(spec[key]).__name__, getattr(spec[key], "shape", None), spec[key].dtype.name)
for wrong in (lambda: fc.bucketized_column(price, [2.0, 1.0]), lambda: fc.categorical_column_with_vocabulary_list("color", ["a", "a"]),
              lambda: fc.crossed_column(["color"], 5), lambda: fc.embedding_column(color, 0), lambda: fc.numeric_column("price", shape=[0]),
              lambda: fc.categorical_column_with_identity("grade", 0), lambda: fc.input_layer(features, [color])):
    try:
        wrong()
    except (TypeError, ValueError) as error:
        print(type(error).__name__)
