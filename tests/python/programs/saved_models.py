"""Models in folders: signatures, tags, files beside the graph, operations that are run at the end, and what is refused."""

import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
folder = tempfile.mkdtemp()


def told(error):
    return type(error).__name__, str(error).splitlines()[0].replace(folder, "FOLDER")


def shown(meta_graph):
    for key in sorted(meta_graph.signature_def):
        signature = meta_graph.signature_def[key]
        print(key, signature.method_name)
        for tensors in (signature.inputs, signature.outputs):
            for name in sorted(tensors):
                info = tensors[name]
                print("  ", name, info.name, info.dtype, [dim.size for dim in info.tensor_shape.dim], info.tensor_shape.unknown_rank)


# A model in a call, and back under the same and under another scope.
path = os.path.join(folder, "simple")
with tf.Graph().as_default(), tf.Session() as sess:
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    w = tf.get_variable("w", initializer=[[1.0], [2.0]])
    y = tf.matmul(x, w, name="y")
    sess.run(tf.global_variables_initializer())
    sess.run(w.assign([[3.0], [4.0]]))
    tf.saved_model.simple_save(sess, path, inputs={"x": x}, outputs={"y": y})
print(sorted(os.listdir(path)), sorted(os.listdir(os.path.join(path, "variables"))))
for scope in (None, "again"):
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        loaded = tf.saved_model.load(sess, [tf.saved_model.tag_constants.SERVING], path, import_scope=scope)
        shown(loaded)
        signature = loaded.signature_def[tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY]
        x, y = (tf.saved_model.utils.get_tensor_from_tensor_info(info, import_scope=scope)
                for info in (signature.inputs["x"], signature.outputs["y"]))
        print(x.name, y.name, sess.run(y, {x: [[1, 1], [0, 2]]}).tolist(), [v.name for v in tf.global_variables()])
        print(list(loaded.meta_info_def.tags))

# Several graphs of the same variables, by tags; a table whose file comes along.
words = os.path.join(folder, "words.txt")
with open(words, "w") as file:
    file.write("brain\nsalad\nsurgery\n")
path = os.path.join(folder, "two")
builder = tf.saved_model.builder.SavedModelBuilder(path)
with tf.Graph().as_default(), tf.Session() as sess:
    asset = tf.constant(words, name="vocabulary")
    tf.add_to_collection(tf.GraphKeys.ASSET_FILEPATHS, asset)
    table = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(asset, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64,
                                                                    tf.lookup.TextFileIndex.LINE_NUMBER), -1)
    keys = tf.placeholder(tf.string, [None], name="keys")
    places = table.lookup(keys, name="places")
    v = tf.get_variable("v", initializer=7.0)
    sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
    signature = tf.saved_model.build_signature_def({"keys": tf.saved_model.build_tensor_info(keys)},
                                                   {"places": tf.saved_model.build_tensor_info(places)}, "mine")
    builder.add_meta_graph_and_variables(sess, ["train"], {"look_up": signature},
                                         assets_collection=tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS), main_op=tf.tables_initializer())
with tf.Graph().as_default(), tf.Session() as sess:
    v = tf.get_variable("v", initializer=0.0)
    tf.multiply(v, 2.0, name="twice")
    builder.add_meta_graph(["serve", "gpu"])
print(builder.save().decode().replace(folder, "FOLDER"))
os.remove(words)
print(sorted(os.listdir(path)), os.listdir(os.path.join(path, "assets")))
with tf.Graph().as_default(), tf.Session() as sess:
    shown(tf.saved_model.loader.load(sess, ["train"], path))
    print(sess.run("places/LookupTableFindV2:0", {"keys:0": ["surgery", "none"]}).tolist(), sess.run("v:0"))
with tf.Graph().as_default(), tf.Session() as sess:
    tf.saved_model.loader.load(sess, ["gpu", "serve"], path)
    print(sess.run("twice:0"))

# A model without variables.
path = os.path.join(folder, "constant")
with tf.Graph().as_default(), tf.Session() as sess:
    a = tf.placeholder(tf.int32, name="a")
    tf.saved_model.simple_save(sess, path, {"a": a}, {"b": tf.add(a, 1, name="b")})
with tf.Graph().as_default(), tf.Session() as sess:
    shown(tf.saved_model.load(sess, ["serve"], path))
    print(sess.run("b:0", {"a:0": [1, 2]}).tolist())

# Signatures of other kinds.
with tf.Graph().as_default():
    examples, scores = tf.placeholder(tf.string, [None], name="examples"), tf.placeholder(tf.float32, [None, 3], name="scores")
    classes = tf.placeholder(tf.string, [None, 3], name="classes")
    utils = tf.saved_model.signature_def_utils
    for signature in (utils.regression_signature_def(examples, scores), utils.classification_signature_def(examples, classes, scores),
                      utils.classification_signature_def(examples, None, scores), utils.predict_signature_def({"s": scores}, {"c": classes})):
        print(signature.method_name, sorted(signature.inputs), sorted(signature.outputs), utils.is_valid_signature(signature))
    print(utils.is_valid_signature(utils.build_signature_def({}, {}, "tensorflow/serving/predict")), utils.is_valid_signature(None))
    for wrong in (lambda: utils.regression_signature_def(scores, scores), lambda: utils.regression_signature_def(None, scores),
                  lambda: utils.classification_signature_def(examples, None, None), lambda: utils.predict_signature_def({}, {"c": classes}),
                  lambda: utils.predict_signature_def({"s": scores}, None), lambda: utils.regression_signature_def(examples, classes)):
        try:
            wrong()
        except ValueError as error:
            print(*told(error))
    sparse = tf.saved_model.build_tensor_info(tf.sparse_placeholder(tf.float32, [2, 3], name="sparse"))
    print(sparse.WhichOneof("encoding"), sparse.coo_sparse.values_tensor_name, sparse.coo_sparse.indices_tensor_name,
          sparse.coo_sparse.dense_shape_tensor_name, sparse.dtype)
    print(tf.saved_model.get_tensor_from_tensor_info(sparse).dense_shape.name)

# What is refused.
path = os.path.join(folder, "refused")
builder = tf.saved_model.Builder(path)
with tf.Graph().as_default(), tf.Session() as sess:
    v = tf.get_variable("v", initializer=1.0)
    sess.run(v.initializer)
    nameless = tf.saved_model.build_signature_def({"x": type(sparse)(dtype=1)}, {}, "m")
    reserved = {"__saved_model_init_op": tf.saved_model.build_signature_def({}, {}, "m")}
    for wrong in (lambda: builder.add_meta_graph(["serve"]),
                  lambda: builder.add_meta_graph_and_variables(sess, ["serve"], reserved),
                  lambda: builder.add_meta_graph_and_variables(sess, ["serve"], main_op=v),
                  lambda: builder.add_meta_graph_and_variables(sess, ["serve"], {"s": nameless}),
                  lambda: builder.add_meta_graph_and_variables(sess, ["serve"], assets_collection=["text"]),
                  lambda: tf.saved_model.Builder(folder), lambda: tf.saved_model.load(sess, ["serve"], os.path.join(folder, "nowhere")),
                  lambda: tf.saved_model.load(sess, ["train", "gpu"], os.path.join(folder, "simple"))):
        try:
            wrong()
            print("nothing is refused")
        except (AssertionError, KeyError, TypeError, OSError, RuntimeError) as error:
            print(type(error).__name__, str(error).replace(folder, "FOLDER").split(":")[0][:50])
    builder.add_meta_graph_and_variables(sess, ["serve"])
    try:
        builder.add_meta_graph_and_variables(sess, ["serve"])
    except AssertionError as error:
        print(*told(error))
print(tf.saved_model.contains_saved_model(path), tf.saved_model.contains_saved_model(os.path.join(folder, "two")),
      tf.saved_model.loader.maybe_saved_model_directory(folder))
print(np.array_equal(tf.saved_model.SERVING, "serve"), tf.saved_model.VARIABLES_DIRECTORY, tf.saved_model.constants.SAVED_MODEL_FILENAME_PB)

# An asset that is not a file is passed over; what is beside it is written.
path = os.path.join(folder, "without")
with tf.Graph().as_default(), tf.Session() as sess:
    tf.add_to_collection(tf.GraphKeys.ASSET_FILEPATHS, tf.constant(os.path.join(folder, "no_such_file")))
    sess.run(tf.get_variable("v", initializer=7.0).initializer)
    builder = tf.saved_model.builder.SavedModelBuilder(path)
    builder.add_meta_graph_and_variables(sess, ["serve"], assets_collection=tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS))
    builder.save()
print(sorted(os.listdir(path)), os.listdir(os.path.join(path, "assets")))
