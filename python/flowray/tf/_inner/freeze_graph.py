"""tensorflow.python.tools.freeze_graph: a graph and a checkpoint as one graph of constants."""

from flowray import tf as _tf
from flowray.tf import _generated, _text_format


def _listed(names):
    return names.replace(" ", "").split(",") if names else None


def _graph_of_file(input_graph, input_binary):
    if not _tf.gfile.Exists(input_graph):
        raise IOError("Input graph file '%s' does not exist!" % input_graph)
    with _tf.gfile.GFile(input_graph, "rb" if input_binary else "r") as file:
        return _tf.GraphDef.FromString(file.read()) if input_binary else _tf.GraphDef.FromString(_text_format.graph_of_text(file.read()))


def _restore(sess, input_checkpoint):
    """The graph's variables that the checkpoint has."""
    reader, there = _tf.train.NewCheckpointReader(input_checkpoint), {}
    dtypes = reader.get_variable_to_dtype_map()
    for name in reader.get_variable_to_shape_map():
        try:
            there[name] = sess.graph.get_tensor_by_name(name + ":0")
        except KeyError:
            continue  # the global step and its like are not in every graph
        if there[name].dtype == _tf.resource:
            raise NotImplementedError("freeze_graph of resource variables is not there (%s): give input_saved_model_dir, or call "
                                      "tf.graph_util.convert_variables_to_constants in a session of the program's" % name)
    if not there:
        raise ValueError("No variables were found in this model. It is likely the model was frozen previously. You cannot freeze a graph twice.")
    for name, tensor in there.items():
        value = reader.get_tensor(name)
        place = _tf.placeholder(dtypes[name], value.shape)
        sess.run(_generated.Assign(tensor, place), {place: value})


def freeze_graph_with_def_protos(input_graph_def, input_saver_def, input_checkpoint, output_node_names, restore_op_name, filename_tensor_name,
                                 output_graph, clear_devices, initializer_nodes, variable_names_whitelist="", variable_names_denylist="",
                                 input_meta_graph_def=None, input_saved_model_dir=None, saved_model_tags=None, checkpoint_version=2):
    """Writes what `output_node_names` need, with values of the checkpoint as constants, to `output_graph`, and gives it. TensorFlow looks at the
    names of nodes that restore no more, either."""
    for word, given in (("input_saver_def", input_saver_def), ("input_meta_graph_def", input_meta_graph_def)):
        if given:
            raise NotImplementedError("freeze_graph(%s=) is not there: give the graph and the checkpoint" % word)
    if not input_saved_model_dir and not _tf.train.checkpoint_exists(input_checkpoint):
        raise ValueError("Input checkpoint '%s' doesn't exist!" % input_checkpoint)
    if not output_node_names:
        raise ValueError("You need to supply the name of a node to --output_node_names.")
    with _tf.Graph().as_default(), _tf.Session() as sess:
        if input_saved_model_dir:
            _tf.saved_model.loader.load(sess, saved_model_tags or [], input_saved_model_dir)
            input_graph_def = sess.graph.as_graph_def()
        if clear_devices:
            for node in input_graph_def.node:
                node.device = ""
        if not input_saved_model_dir:
            _tf.import_graph_def(input_graph_def, name="")
            _restore(sess, input_checkpoint)
            if initializer_nodes:
                sess.run(_listed(initializer_nodes))
        frozen = _tf.graph_util.convert_variables_to_constants(sess, input_graph_def, _listed(output_node_names), _listed(variable_names_whitelist),
                                                               _listed(variable_names_denylist))
    if output_graph:
        with _tf.gfile.GFile(output_graph, "wb") as file:
            file.write(frozen.SerializeToString())
    return frozen


def freeze_graph(input_graph, input_saver, input_binary, input_checkpoint, output_node_names, restore_op_name, filename_tensor_name, output_graph,
                 clear_devices, initializer_nodes, variable_names_whitelist="", variable_names_denylist="", input_meta_graph=None,
                 input_saved_model_dir=None, saved_model_tags="serve", checkpoint_version=2):
    """The same of files: `input_graph` is a GraphDef, in the text form unless `input_binary`."""
    graph_def = _graph_of_file(input_graph, input_binary) if input_graph and not input_saved_model_dir else None
    return freeze_graph_with_def_protos(graph_def, input_saver, input_checkpoint, output_node_names, restore_op_name, filename_tensor_name,
                                        output_graph, clear_devices, initializer_nodes, variable_names_whitelist, variable_names_denylist,
                                        input_meta_graph, input_saved_model_dir, _listed(saved_model_tags), checkpoint_version)
