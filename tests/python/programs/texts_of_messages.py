"""Messages as texts: how numbers and bytes are written, and graphs that are read from text."""

import tensorflow.compat.v1 as tf

try:
    from google.protobuf import text_format
except ImportError:
    raise SystemExit(1) from None

tf.disable_v2_behavior()

floats = tf.train.Feature(float_list=tf.train.FloatList(value=[4.5, 9.0, 0.1, 1e10, 1 / 3, -2.5e-8, float("inf"), 16777217.0]))
print(str(floats))
print(tf.Summary(value=[tf.Summary.Value(tag="it's \"é\"\tnew\nline\\", simple_value=0.25)]))
print(tf.train.BytesList(value=[b"\t\n\r\x00\x7f\"'\\a\xff"]))
print(tf.HistogramProto(min=0.1, max=1e100, num=3.0, bucket=[1 / 3, 2.0]))
print(text_format.MessageToString(tf.train.Int64List(value=[1, 2]), as_one_line=True))

text = """
# a graph
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: 2 } } } } }
node { name: "y" op: "Neg" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
"""
graph_def = tf.GraphDef()
given = text_format.Merge(text, graph_def)
print(given is graph_def, [node.name for node in graph_def.node])
more = 'node { name: "z" op: "Neg" input: "y" attr { key: "T" value { type: DT_FLOAT } } } versions { producer: 100 }'
text_format.Merge(more.encode(), graph_def)
print([node.name for node in graph_def.node], graph_def.versions.producer)
tf.import_graph_def(graph_def, name="")
with tf.Session() as sess:
    print(sess.run("z:0", {"x:0": [1.0, 2.0]}), tf.get_default_graph().get_tensor_by_name("x:0").shape)
again = text_format.Parse(text_format.MessageToString(graph_def), tf.GraphDef())
print(again == graph_def)
print(text_format.Parse('value: 1 value: 0x10 value: -3', tf.train.Int64List()).value)
print(text_format.Parse(str(floats), tf.train.Feature()) == floats)
for text in ('nothing: 3', 'node { name: "x" '):
    try:
        text_format.Merge(text, tf.GraphDef())
    except text_format.ParseError as error:
        print("ParseError", isinstance(error, Exception))
