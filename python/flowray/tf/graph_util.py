"""tf.graph_util."""

from flowray import _native
from flowray.tf import _graph_defs, _messages, import_graph_def  # noqa: F401
from flowray.tf._graph_defs import GraphDef


def _names(names, word):
    if isinstance(names, str):
        raise TypeError("%s must be an iterable of strings, but got type %s." % (word, type(names)))
    return list(names)


def convert_variables_to_constants(sess, input_graph_def, output_node_names, variable_names_whitelist=None,
                                   variable_names_blacklist=None):
    """What the outputs need of a graph, with the variables' values in it as constants: those of the whitelist, or all, but for those of the
    blacklist."""
    input_graph_def = _graph_defs.written(input_graph_def)
    frozen = GraphDef.of(_native._with_constants(sess, input_graph_def, list(output_node_names)))
    if variable_names_whitelist is None and not variable_names_blacklist:
        return frozen
    of_names = {node.name: node for node in _messages._read(input_graph_def.SerializeToString()) if node.op in ("Variable", "VariableV2")}
    kept = []
    for node in frozen.node:
        stays = node.op == "Const" and node.name in of_names and (
            variable_names_whitelist is not None and node.name not in variable_names_whitelist or node.name in (variable_names_blacklist or ()))
        kept.append(of_names[node.name] if stays else node)
    return GraphDef(versions=frozen.versions, node=kept)


def extract_sub_graph(graph_def, dest_nodes):
    """What the nodes need of a graph."""
    if not isinstance(graph_def, _native.GraphDef):
        raise TypeError("graph_def must be a graph_pb2.GraphDef proto, but got type %s." % type(graph_def))
    return GraphDef.of(_native._extract_sub_graph(_graph_defs.written(graph_def), _names(dest_nodes, "dest_nodes")))


def tensor_shape_from_node_def_name(graph, input_name):
    """The shape of a tensor by its name, or by that of its node."""
    return graph.get_tensor_by_name(input_name if ":" in input_name else input_name + ":0").shape


def _only_pass_on(nodes, protected_nodes):
    """{name of a node that a graph for inference does without: its input}."""
    waited_for = {name[1:] for node in nodes for name in node.input if name.startswith("^")}
    beside = {name.decode()[5:] for node in nodes if "_class" in node.attr for name in node.attr["_class"].list.s if name.startswith(b"loc:@")}
    return {node.name: node.input[0] for node in nodes
            if node.op in ("CheckNumerics", "Identity", "StopGradient") and len(node.input) == 1 and node.name not in protected_nodes
            and node.name not in waited_for and node.name not in beside}


def remove_training_nodes(input_graph, protected_nodes=None):
    """The graph without Identity, CheckNumerics and StopGradient, where nothing waits for them."""
    nodes = _messages._read(input_graph.SerializeToString())
    passed = _only_pass_on(nodes, set(protected_nodes or ()))

    def source(name):
        while name.removesuffix(":0") in passed:
            name = passed[name.removesuffix(":0")]
        return name
    kept = [node for node in nodes if node.name not in passed]
    for node in kept:
        node.input[:] = [source(name) for name in node.input]
    return GraphDef(node=kept)


def must_run_on_cpu(node, pin_variables_on_cpu=False):
    """Whether TensorFlow runs the Operation, or the node of a GraphDef, on CPUs only: constants that are text or int32, casts from int32 and
    stitches of them; with pin_variables_on_cpu reference variables, too."""
    if isinstance(node, _native.Operation):
        node = node.node_def
    assert isinstance(node, _messages.NodeDef)
    of_dtype = {"Const": ("dtype", ("string", "int32")), "Cast": ("SrcT", ("int32",)), "DynamicStitch": ("T", ("int32",)),
                "ParallelDynamicStitch": ("T", ("int32",))}
    if node.op in of_dtype:
        attribute, names = of_dtype[node.op]
        return _native.as_dtype(node.attr[attribute].type).name in names
    return bool(pin_variables_on_cpu) and node.op in ("Variable", "VariableV2")
