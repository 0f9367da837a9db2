"""tf.saved_model.utils: tensors by their names."""

from flowray import _native
from flowray.tf import SparseTensor, executing_eagerly
from flowray.tf._messages import TensorInfo, TensorShapeProto


def _proto_of(shape):
    if shape.dims is None:
        return TensorShapeProto(unknown_rank=True)
    return TensorShapeProto(dim=[TensorShapeProto.Dim(size=-1 if size is None else size) for size in shape.as_list()])


def build_tensor_info(tensor):
    """How a tensor, or a sparse one, is found again: a TensorInfo message."""
    if executing_eagerly():
        raise RuntimeError("`build_tensor_info` is not supported in eager execution.")
    info = TensorInfo(dtype=_native.as_dtype(tensor.dtype).as_datatype_enum, tensor_shape=_proto_of(tensor.get_shape()))
    if isinstance(tensor, SparseTensor):
        info.coo_sparse.values_tensor_name = tensor.values.name
        info.coo_sparse.indices_tensor_name = tensor.indices.name
        info.coo_sparse.dense_shape_tensor_name = tensor.dense_shape.name
    else:
        info.name = tensor.name
    return info


def get_tensor_from_tensor_info(tensor_info, graph=None, import_scope=None):
    """The tensor, or the sparse one, that a TensorInfo message names."""
    graph = graph or _native.get_default_graph()

    def named(name):
        return graph.get_tensor_by_name(import_scope + "/" + name if import_scope else name)

    encoding = tensor_info.WhichOneof("encoding")
    if encoding == "name":
        return named(tensor_info.name)
    if encoding == "coo_sparse":
        names = tensor_info.coo_sparse
        return SparseTensor(named(names.indices_tensor_name), named(names.values_tensor_name), named(names.dense_shape_tensor_name))
    raise ValueError("Invalid TensorInfo.encoding: %s" % encoding)
