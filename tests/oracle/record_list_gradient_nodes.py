#!/usr/bin/env python3
"""Records tests/golden/gradient_nodes/lists.txt: the nodes of the gradients of rows of variables, TensorArrays and lists of
tensors. record_gradient_nodes.py has the other families and tells the format.

Usage: record_list_gradient_nodes.py

The gradients that a TensorArray's ops are given are called `gradients/g`, ...: TensorFlow asks their names which
tf.gradients it was that they belong to.
"""

import os

from record_gradient_nodes import FOLDER, R, a, case_text
from tensorflow_v1 import tf, write_if_changed


def variable(shape, dtype=tf.float32):
    return R.VarHandleOp(dtype=dtype, shape=shape, name="v")


def rows_of_variable_cases():
    def rows(shape, indices, dtype=tf.int32):
        return lambda: R.ResourceGather(
            resource=variable(shape), indices=a(indices, dtype, "i"), dtype=tf.float32, name="y")

    return {
        "ResourceGather": rows([5, 3], [4]),
        "ResourceGather_vector": rows([5], [2, 2], tf.int64),
        "ResourceGather_unknown_indices": rows([5, 3], None),
        "ResourceGather_batch": rows([5, 3], [None]),
        "ResourceGather_unknown_rows": rows([None, 3], [4]),
        "ResourceGather_unknown": rows(None, [4]),
    }


def array_of(dtype=tf.float32):
    handle, flow = R.TensorArrayV3(size=tf.constant(3, name="size"), dtype=dtype, name="list")
    return handle, flow


def tensor_array_cases():
    def read():
        handle, flow = array_of()
        R.TensorArrayReadV3(handle=handle, index=a([], tf.int32, "i"), flow_in=flow, dtype=tf.float32, name="y")

    def write(shape):
        handle, flow = array_of()
        R.TensorArrayWriteV3(handle=handle, index=a([], tf.int32, "i"), value=a(shape), flow_in=flow, name="y")

    def gather():
        handle, flow = array_of()
        R.TensorArrayGatherV3(handle=handle, indices=a([None], tf.int32, "i"), flow_in=flow, dtype=tf.float32,
                              element_shape=[2], name="y")

    def scatter():
        handle, flow = array_of()
        R.TensorArrayScatterV3(handle=handle, indices=a([3], tf.int32, "i"), value=a([3, 2]), flow_in=flow, name="y")

    def concat():
        handle, flow = array_of(tf.float64)
        R.TensorArrayConcatV3(handle=handle, flow_in=flow, dtype=tf.float64, name="y")

    def split():
        handle, flow = array_of()
        R.TensorArraySplitV3(handle=handle, value=a([5, 2]), lengths=a([3], tf.int64, "n"), flow_in=flow, name="y")

    return {
        "TensorArrayReadV3": read,
        "TensorArrayWriteV3": lambda: write([2]),
        "TensorArrayWriteV3_unknown": lambda: write(None),
        "TensorArrayGatherV3": gather,
        "TensorArrayScatterV3": scatter,
        "TensorArrayConcatV3": concat,
        "TensorArraySplitV3": split,
    }


def list_of():
    return a([], tf.variant, "list")


def integers(values):
    return tf.constant(values, tf.int32, name="shape")


def changed_list_cases():
    cases = {
        "TensorListResize": lambda: R.TensorListResize(input_handle=list_of(), size=a([], tf.int32, "n"), name="y"),
        "TensorListPopBack": lambda: R.TensorListPopBack(
            input_handle=list_of(), element_shape=a(None, tf.int32, "shape"), element_dtype=tf.float32, name="y"),
        # Of a known shape TensorFlow forgets what is popped, unless the list's maker is in sight.
        "TensorListPushBack": lambda: R.TensorListPushBack(input_handle=list_of(), tensor=a(None), name="y"),
    }
    for key, shape in (("", [2]), ("_unknown", None), ("_batch", [None, 2])):
        for grows in (False, True):
            cases[f"TensorListSetItem{key}{'_grows' * grows}"] = lambda s=shape, g=grows: R.TensorListSetItem(
                input_handle=list_of(), index=a([], tf.int32, "i"), item=a(s), resize_if_index_out_of_bounds=g, name="y")
    return cases


def list_cases():
    cases = {}
    for key, shape in (("", [3, 2]), ("_vector", [3]), ("_batch", [None, 2])):
        cases["TensorListFromTensor" + key] = lambda s=shape: R.TensorListFromTensor(
            tensor=a(s), element_shape=integers(-1), name="y")
        cases["TensorListScatter" + key] = lambda s=shape: R.TensorListScatter(
            tensor=a(s), indices=a([None], tf.int32, "i"), element_shape=integers(-1), name="y")
        cases["TensorListScatterV2" + key] = lambda s=shape: R.TensorListScatterV2(
            tensor=a(s), indices=a([None], tf.int32, "i"), element_shape=integers(-1),
            num_elements=tf.constant(-1, name="n"), name="y")
        cases["TensorListScatterIntoExistingList" + key] = lambda s=shape: R.TensorListScatterIntoExistingList(
            input_handle=list_of(), tensor=a(s), indices=a([None], tf.int32, "i"), name="y")
        cases["TensorListSplit" + key] = lambda s=shape: R.TensorListSplit(
            tensor=a(s), element_shape=integers(-1), lengths=a([None], tf.int64, "n"), name="y")
    for key, shape, count in (("", [2], 3), ("_scalars", [], -1), ("_unknown", -1, -1), ("_partly_known", [-1, 2], -1)):
        cases["TensorListStack" + key] = lambda s=shape, n=count: R.TensorListStack(
            input_handle=list_of(), element_shape=integers(s), element_dtype=tf.float32, num_elements=n, name="y")
    cases["TensorListGetItem"] = lambda: R.TensorListGetItem(
        input_handle=list_of(), index=a([], tf.int32, "i"), element_shape=integers([2]), element_dtype=tf.float32, name="y")
    cases["TensorListGather"] = lambda: R.TensorListGather(
        input_handle=list_of(), indices=a([None], tf.int32, "i"), element_shape=integers([2]), element_dtype=tf.float32,
        name="y")
    cases["TensorListConcat"] = lambda: R.TensorListConcat(input_handle=list_of(), element_dtype=tf.float32, name="y")
    cases["TensorListConcatV2"] = lambda: R.TensorListConcatV2(
        input_handle=list_of(), element_shape=integers([-1, 2]), leading_dims=tf.constant([], tf.int64, name="dims"),
        element_dtype=tf.float32, name="y")
    return cases


def main():
    text = ""
    for cases, given in ((rows_of_variable_cases, "g"), (tensor_array_cases, "gradients/g"), (changed_list_cases, "g"),
                         (list_cases, "g")):
        text += "".join(case_text(title, build, given) for title, build in cases().items())
    if write_if_changed(os.path.join(FOLDER, "lists.txt"), text):
        print("lists")


if __name__ == "__main__":
    main()
