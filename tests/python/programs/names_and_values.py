"""Names of modules and small values: files, devices, shapes, tensors as messages, dtypes, seeds."""

import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def said(function, *arguments, **options):
    """What a call gives, or the class and the words of its error without the folder's name."""
    try:
        return function(*arguments, **options)
    except Exception as error:
        return type(error).__name__, str(error).replace(folder, "FOLDER").splitlines()[0]


with tempfile.TemporaryDirectory() as folder:
    def path(*names):
        return os.path.join(folder, *names)

    tf.gfile.MakeDirs(path("a", "b"))
    with tf.gfile.GFile(path("x.txt"), "w") as file:
        file.write("one\ntwo\n")
    with tf.io.gfile.GFile(path("a", "y.bin"), "wb") as file:
        file.write(b"\x00\xff")
    file = tf.gfile.Open(path("x.txt"))
    print(file.size(), repr(file.readline()), file.tell(), repr(file.read()), file.seek(0), file.readlines(), file.mode)
    print(tf.gfile.GFile(path("a", "y.bin"), "rb").read(), [line for line in tf.gfile.GFile(path("x.txt"))])
    print(said(tf.gfile.GFile, path("x.txt"), "q"), said(tf.gfile.GFile(path("x.txt")).write, "z"), said(tf.gfile.GFile(path("no")).read))
    print(tf.gfile.Exists(path("x.txt")), tf.io.gfile.exists(path("no")), tf.gfile.IsDirectory(path("a")), tf.io.gfile.isdir(path("x.txt")))
    print([name.replace(folder, "FOLDER") for name in tf.gfile.Glob([path("*.txt"), path("a", "*")])])
    print(sorted(tf.io.gfile.listdir(folder)), tf.gfile.Stat(path("x.txt")).length, tf.io.gfile.stat(path("a")).is_directory)
    print(said(tf.gfile.Stat, path("no")), said(tf.gfile.Remove, path("no")), said(tf.gfile.Remove, path("a")))
    print(said(tf.gfile.Copy, path("x.txt"), path("a", "y.bin")), said(tf.gfile.Copy, path("x.txt"), path("z.txt")),
          said(tf.gfile.Copy, path("x.txt"), path("z.txt"), overwrite=True), said(tf.gfile.Copy, path("no"), path("q")))
    print(said(tf.gfile.Rename, path("x.txt"), path("z.txt")), said(tf.io.gfile.rename, path("x.txt"), path("z.txt"), overwrite=True))
    print(said(tf.gfile.ListDirectory, path("no")), said(tf.gfile.MkDir, path("n", "m")), said(tf.gfile.MkDir, path("a")))
    print([(top.replace(folder, "FOLDER"), folders, files) for top, folders, files in tf.gfile.Walk(folder)])
    print([top.replace(folder, "FOLDER") for top, _, _ in tf.io.gfile.walk(folder, topdown=False)])
    tf.gfile.DeleteRecursively(path("a"))
    print(sorted(os.listdir(folder)), said(tf.gfile.DeleteRecursively, path("a")), tf.io.gfile.join("a", "b"))

device = tf.DeviceSpec(job="worker", task=1, device_type="GPU", device_index=0)
print(device.to_string(), repr(device), device == tf.DeviceSpec.from_string(device.to_string()))
device.merge_from(tf.DeviceSpec.from_string("/job:ps/cpu:3"))
print(device.to_string(), said(tf.DeviceSpec.from_string, "/foo:1"), tf.DeviceSpec.from_string("/device:GPU:*").to_string())
with tf.device(tf.DeviceSpec(device_type="CPU", device_index=0).to_string()):
    print(tf.no_op().device)
spec = tf.TensorSpec([None, 2], tf.float32, "n")
print(spec, spec == tf.TensorSpec([None, 2], tf.float32, "n"), spec.is_compatible_with(tf.zeros([3, 2])), spec.is_compatible_with(tf.zeros([3])))

for values, options in [([[1, 2], [3, 4]], {}), ([1.5, 2], {"dtype": tf.float64}), ("abc", {}), (7, {"shape": [2, 3]}), ([True, False], {}),
                        ([1 + 2j], {}), ([1.5, 2.5], {"dtype": tf.float16}), (np.arange(3, dtype=np.int64), {}), ([b"x", b"yz"], {})]:
    proto = tf.make_tensor_proto(values, **options)
    print(proto.SerializeToString().hex(), tf.make_ndarray(proto).tolist(), tf.make_ndarray(proto).dtype)
print(said(tf.make_tensor_proto, [1, 2], shape=[3], verify_shape=True), said(tf.make_tensor_proto, [1, 2, 3], shape=[2]))
node = tf.constant([1.0, 2.0], name="held").op.node_def
print(tf.make_ndarray(node.attr["value"].tensor).tolist(), [dim.size for dim in node.attr["value"].tensor.tensor_shape.dim])

unknown = tf.placeholder(tf.float32, [None, 3])
print(tf.get_static_value(tf.constant([1, 2])), tf.get_static_value(unknown), tf.get_static_value(tf.shape(tf.zeros([2, 3]))),
      tf.get_static_value(5))
print(tf.dimension_value(unknown.shape[1]), tf.dimension_value(unknown.shape[0]), tf.dimension_at_index(unknown.shape, 1))
print(tf.broadcast_static_shape(unknown.shape, tf.TensorShape([4, 1])), tf.broadcast_static_shape(unknown.shape, tf.TensorShape([1, 3])),
      said(tf.broadcast_static_shape, tf.TensorShape([2]), tf.TensorShape([3])))
print(tf.is_numeric_tensor(unknown), tf.is_numeric_tensor(tf.constant("a")), tf.is_numeric_tensor(3))
print(tf.dtypes.float32 == tf.float32, tf.dtypes.half, tf.qint8 in tf.QUANTIZED_DTYPES, tf.float32 in tf.dtypes.QUANTIZED_DTYPES)
print(tf.AggregationMethod.EXPERIMENTAL_TREE, tf.VariableAggregation.MEAN.value, tf.VariableSynchronization.ON_READ.name,
      tf.UnconnectedGradients("zero"), tf.image.ResizeMethod.AREA)
print(tf.executing_eagerly_outside_functions(), tf.control_flow_v2_enabled(), tf.OpError is tf.errors.OpError)

print(tf.get_seed(None), tf.random.get_seed(5))
tf.set_random_seed(3)
print(tf.get_seed(None), tf.get_seed(None), tf.get_seed(5))


class Celsius:
    def __init__(self, degrees):
        self.degrees = degrees


tf.register_tensor_conversion_function(Celsius, lambda value, dtype=None, name=None, as_ref=False: tf.constant(value.degrees, name="degrees"))
warmer = tf.add(Celsius(20.5), 1.0)
print(warmer.op.inputs[0].op.type, said(tf.register_tensor_conversion_function, int, lambda value: value),
      said(tf.register_tensor_conversion_function, Celsius, 5))
with tf.Session() as sess:
    print(sess.run(warmer), sess.run(tf.stack([1.0, Celsius(2.0)])))
