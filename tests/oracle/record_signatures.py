#!/usr/bin/env python3
"""Records the signatures of ops that golden/ops.tsv leaves out, in its form, as tests/golden/ops_beyond_the_list.tsv, and the
minimums of all ops' attributes, which ops.tsv does not tell, as tests/golden/op_minimums.tsv.

ops.tsv came with the project and lists the ops of known programs; what is registered beyond it is listed here, checked
against the real TensorFlow like the rest.
"""

import os
import sys

from tensorflow.python.framework import op_def_registry

from tensorflow_v1 import GOLDEN, tf, write_if_changed

OPS = ["DisableCopyOnRead", "MaxPoolGradGradV2", "Rank", "StackCloseV2", "TensorArrayCloseV3", "TensorArrayConcatV3",
       "TensorArraySizeV3", "TensorArraySplitV3", "AccumulateNV2", "ClipByValue", "FakeParam", "StatelessCase", "TensorListConcat", "TensorListConcatLists",
       "ResourceCountUpTo", "ResourceGatherNd", "SetSize", "SparseAddGrad", "SparseReduceMax", "SparseReduceMaxSparse",
       "SparseReduceSumSparse", "SparseSliceGrad", "SparseSparseMaximum", "SparseSparseMinimum",
       "TensorListScatter", "TensorListScatterIntoExistingList", "TensorListSplit", "ToBool", "EditDistance", "StringStrip", "UnravelIndex",
       "SerializeTensor", "ParseTensor", "SerializeSparse", "SerializeManySparse", "DeserializeSparse", "DeserializeManySparse", "AddSparseToTensorsMap", "AddManySparseToTensorsMap", "TakeManySparseFromTensorsMap", "SparseCrossV2", "SparseCrossHashed", "DenseCountSparseOutput", "SparseCountSparseOutput",
       "RaggedCountSparseOutput", "SparseBincount", "RaggedBincount", "SparseMatMul", "QuantizeAndDequantizeV4Grad",
       "DrawBoundingBoxes", "EncodeJpegVariableQuality", "ExtractGlimpse", "NonMaxSuppressionWithOverlaps",
       "CSVDataset", "CSVDatasetV2", "IgnoreErrorsDataset", "AnonymousMemoryCache", "AnonymousSeedGenerator", "DummyMemoryCache", "DummySeedGenerator", "OptionsDataset", "DatasetCardinality", "DeserializeIterator",
       "BesselI0", "BesselI1", "BesselJ0", "BesselJ1", "BesselK0", "BesselK0e", "BesselK1", "BesselK1e", "BesselY0", "BesselY1", "_Arg", "_HostRecv", "_HostSend", "_Recv", "_Send"]
KINDS = {"type": "type", "int": "int", "float": "float", "bool": "bool", "string": "string", "shape": "shape",
         "tensor": "tensor", "func": "func"}


def argument(arg):
    if arg.type_list_attr:
        kind = f"[{arg.type_list_attr}]"
    else:
        kind = arg.type_attr or tf.as_dtype(arg.type).name
    number = arg.number_attr + "*" if arg.number_attr else ""
    return f"{arg.name}:{'ref ' if arg.is_ref else ''}{number}{kind}"


def default_of(attr):
    """"=3", as ops.tsv writes what an attribute is where nothing is said; "" where something must be."""
    if not attr.HasField("default_value"):
        return ""
    value = attr.default_value
    if attr.type == "shape" and value.shape.unknown_rank:
        return "=unknown"
    if attr.type.startswith("list("):
        items = [*value.list.i, *value.list.f, *value.list.b]
        if len(items) != sum(len(field[1]) for field in value.list.ListFields()):
            sys.exit(f"{attr.name}: such defaults are not written yet")
        return "=[" + ",".join(map(str, items)) + "]"
    texts = {"bool": lambda: str(value.b).lower(), "string": lambda: f'"{value.s.decode()}"', "int": lambda: str(value.i),
             "float": lambda: str(value.f), "type": lambda: tf.as_dtype(value.type).name}
    if attr.type not in texts:
        sys.exit(f"{attr.name}: such defaults are not written yet")
    return "=" + texts[attr.type]()


def attribute(attr):
    kind = attr.type[5:-1] if attr.type.startswith("list(") else attr.type
    text = f"list({KINDS[kind]})" if attr.type != kind else KINDS[kind]
    allowed = ",".join([tf.as_dtype(dtype).name for dtype in attr.allowed_values.list.type] + [s.decode() for s in attr.allowed_values.list.s])
    return f"{attr.name}:{text}{default_of(attr)}" + (f"{{[{allowed}]}}" if allowed else "")


def row(name):
    op = op_def_registry.get(name)
    columns = [name, ", ".join(map(argument, op.input_arg)), ", ".join(map(argument, op.output_arg)),
               "; ".join(map(attribute, op.attr)), "stateful" if op.is_stateful else ""]
    return "\t".join(columns)


def names_of_all():
    with open(os.path.join(GOLDEN, "ops.tsv"), encoding="utf-8") as lines:
        return sorted({line.split("\t")[0] for line in list(lines)[1:]} | set(OPS))


def minimums():
    """A list of at least nothing is any list."""
    for name in names_of_all():
        for attr in op_def_registry.get(name).attr:
            if attr.has_minimum and not (attr.type.startswith("list(") and attr.minimum == 0):
                yield f"{name}\t{attr.name}\t{attr.minimum}\n"


if __name__ == "__main__":
    path = os.path.join(GOLDEN, "op_minimums.tsv")
    if write_if_changed(path, "op\tattribute\tminimum of an int, or of the length of a list\n" + "".join(minimums())):
        print("op_minimums.tsv")
    header = "op\tinputs\toutputs\tattributes (name:type=default{allowed})\tstateful\n"
    path = os.path.join(GOLDEN, "ops_beyond_the_list.tsv")
    if write_if_changed(path, header + "".join(row(name) + "\n" for name in OPS)):
        print("ops_beyond_the_list.tsv")
