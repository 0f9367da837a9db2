"""tf.graph_util."""

from flowray import _native
from flowray.tf import import_graph_def  # noqa: F401


def convert_variables_to_constants(sess, input_graph_def, output_node_names, variable_names_whitelist=None,
                                   variable_names_blacklist=None):
    """What the outputs need of a graph, with the variables' values in it as constants."""
    for argument, given in {"variable_names_whitelist": variable_names_whitelist,
                            "variable_names_blacklist": variable_names_blacklist}.items():
        _native._refuse(given, "tf.graph_util.convert_variables_to_constants", argument)
    return _native._with_constants(sess, input_graph_def, list(output_node_names))


def extract_sub_graph(graph_def, dest_nodes):
    """What the nodes need of a graph."""
    return _native._extract_sub_graph(graph_def, list(dest_nodes))


