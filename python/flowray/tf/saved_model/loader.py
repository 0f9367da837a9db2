"""tf.saved_model.loader."""

import os

from flowray import _native
from flowray.tf import _coordinator, errors
from flowray.tf._messages import MetaGraphDef


def maybe_saved_model_directory(export_dir):
    """Whether the folder has the file of a saved model."""
    return _native.saved_model._contains_saved_model(os.fspath(export_dir))


def load(sess, tags, export_dir, import_scope=None, clear_devices=False, **saver_kwargs):
    """Adds the graph with these tags to the session's, restores its variables and runs its main op; gives its MetaGraphDef."""
    for argument, given in saver_kwargs.items():
        _native._refuse(given, "tf.saved_model.load", argument)
    if not isinstance(sess, _native.BaseSession):
        raise TypeError("'sess' must be a Session; %s" % (sess,))
    graph = sess.graph
    # Of the nodes: another one than was asked for where that is taken.
    scope = graph.unique_name(import_scope, mark_as_used=False) if import_scope else None
    try:
        lists, message = _native.saved_model._load(sess, [str(tag) for tag in tags], os.fspath(export_dir), import_scope or "",
                                                   bool(clear_devices))
    except errors.NotFoundError as error:
        if not error.message.startswith("SavedModel file does not exist"):
            raise
        raise OSError(error.message) from None
    with graph.as_default():
        for key, names in lists.items():
            for name in names:
                graph.add_to_collection(key, graph.as_graph_element(name))
        _coordinator.add_runners_of_message(message, scope)
    return MetaGraphDef.FromString(message)
