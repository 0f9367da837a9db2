"""tensorflow.python.tools.inspect_checkpoint: what is in a checkpoint, printed."""

import re as _re

from flowray import tf as _tf
from flowray.tf import errors as _errors


def _num_elements(shape):
    count = 1
    for dimension in shape:
        count *= dimension
    return count


def _num_parameters(shapes, count_exclude_pattern):
    if count_exclude_pattern:
        left_out = [name for name in shapes if _re.search(count_exclude_pattern, name)]
        print("# Excluding %d tensors (%d params) that match %s when counting." % (
            len(left_out), sum(_num_elements(shapes[name]) for name in left_out), count_exclude_pattern))
        shapes = {name: shape for name, shape in shapes.items() if name not in left_out}
    return sum(map(_num_elements, shapes.values()))


def print_tensors_in_checkpoint_file(file_name, tensor_name, all_tensors, all_tensor_names=False, count_exclude_pattern=""):
    """Prints the tensors, their names, one of them, or what the reader says of all."""
    try:
        reader = _tf.train.NewCheckpointReader(file_name)
    except _errors.OpError as error:
        print(error)
        return
    shapes, dtypes = reader.get_variable_to_shape_map(), reader.get_variable_to_dtype_map()
    if not all_tensors and not all_tensor_names and not tensor_name:
        print(reader.debug_string().decode("utf-8", errors="ignore"))
    elif not all_tensors and not all_tensor_names and not reader.has_tensor(tensor_name):
        print("Tensor %s not found in checkpoint" % tensor_name)
        return
    else:
        for name in sorted(shapes) if all_tensors or all_tensor_names else [tensor_name]:
            print("tensor: %s (%s) %s" % (name, dtypes[name].name, shapes[name]))
            if all_tensors or not all_tensor_names:
                print(reader.get_tensor(name))
    print("# Total number of params: %d" % _num_parameters(shapes, count_exclude_pattern))
