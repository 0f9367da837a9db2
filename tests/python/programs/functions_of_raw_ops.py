"""Ops that call functions of the graph, made by tf.raw_ops with what function.Defun gives: branches, loops, calls and datasets."""

import tensorflow.compat.v1 as tf
from tensorflow.python.framework import function
tf.disable_v2_behavior()


@function.Defun(tf.float32, func_name="double")
def double(x):
    return x * 2.0


@function.Defun(tf.float32, func_name="square")
def square(x):
    return x * x


@function.Defun(tf.float32, func_name="below")
def below(x):
    return x < 100.0


@function.Defun(tf.int64, func_name="plus_one")
def plus_one(x):
    return x + 1


@function.Defun(tf.int64, func_name="is_even")
def is_even(x):
    return tf.equal(x % 2, 0)


raw = tf.raw_ops
condition, branch = tf.placeholder(tf.bool, [], name="condition"), tf.placeholder(tf.int32, [], name="branch")
x = tf.constant(3.0, name="x")
chosen = raw.If(cond=condition, input=[x], Tout=[tf.float32], then_branch=double, else_branch=square, output_shapes=[[]], name="chosen")
print(chosen[0].name, chosen[0].op.type, chosen[0].shape)
pure = raw.StatelessIf(cond=condition, input=[x], Tout=[tf.float32], then_branch=double, else_branch=square)
case = raw.Case(branch_index=branch, input=[x], Tout=[tf.float32], branches=[double, square])
loop = raw.While(input=[x], cond=below, body=square)
calls = [raw.PartitionedCall(args=[x], Tout=[tf.float32], f=square), raw.StatefulPartitionedCall(args=[x], Tout=[tf.float32], f=double)]

of_numbers = dict(output_types=[tf.int64], output_shapes=[[]])
mapped = raw.MapDataset(input_dataset=tf.data.Dataset.range(6)._variant_tensor, other_arguments=[], f=plus_one, **of_numbers)
kept = raw.FilterDataset(input_dataset=mapped, other_arguments=[], predicate=is_even, **of_numbers)
iterator = raw.IteratorV2(shared_name="numbers", container="", **of_numbers)
begin, element = raw.MakeIterator(dataset=kept, iterator=iterator), raw.IteratorGetNext(iterator=iterator, **of_numbers)

with tf.Session() as session:
    for value in (True, False):
        print([float(one[0]) for one in session.run([chosen, pure], {condition: value})])
    for value in (0, 1, 5):
        print(float(session.run(case, {branch: value})[0]))
    print([float(one[0]) for one in session.run([loop, *calls])])
    session.run(begin)
    print([int(session.run(element)[0]) for _ in range(3)])

for function_given in (None, 3):
    try:
        raw.PartitionedCall(args=[x], Tout=[tf.float32], f=function_given)
    except TypeError as error:
        print(str(error).split("\n")[0])

with tf.Graph().as_default() as other:  # where the functions were not called
    called = raw.PartitionedCall(args=[tf.constant(4.0)], Tout=[tf.float32], f=square)
    of_two = raw.Case(branch_index=tf.constant(1), input=[tf.constant(5.0)], Tout=[tf.float32], branches=[square, double])
    print(sorted(one.signature.name for one in other.as_graph_def().library.function))
    with tf.Session() as session:
        print([float(one[0]) for one in session.run([called, of_two])])
