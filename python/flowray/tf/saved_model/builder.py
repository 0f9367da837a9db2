"""tf.saved_model.builder."""

import os

from flowray import _native
from flowray.tf import Operation
from flowray.tf.saved_model import constants


class SavedModelBuilder:
    """Writes a model into the folder `export_dir`, which is made, or empty: add_meta_graph_and_variables first, add_meta_graph for
    further graphs of the same variables, save at the end."""

    def __init__(self, export_dir):
        self._builder = _native.saved_model._Builder(os.fspath(export_dir))

    def _add(self, sess, tags, signature_def_map, assets_collection, legacy_init_op, clear_devices, main_op, strip_default_attrs, saver):
        _native._refuse(strip_default_attrs or None, "tf.saved_model.Builder", "strip_default_attrs")
        main_op = main_op if main_op is not None else legacy_init_op
        if main_op is not None and not isinstance(main_op, Operation):
            raise TypeError("Expected %s to be an Operation but got type %s instead." % (main_op, type(main_op)))
        self._builder.add(sess, [str(tag) for tag in tags], signature_def_map or {}, list(assets_collection or ()), bool(clear_devices),
                          main_op, saver)
        if main_op is not None:
            _native.get_default_graph().add_to_collection(constants.MAIN_OP_KEY, main_op)

    def add_meta_graph_and_variables(self, sess, tags, signature_def_map=None, assets_collection=None, legacy_init_op=None,
                                     clear_devices=False, main_op=None, strip_default_attrs=False, saver=None):
        """Adds the default graph, and its variables as `sess` has them."""
        if not isinstance(sess, _native.BaseSession):
            raise TypeError("'sess' must be a Session; %s" % (sess,))
        self._add(sess, tags, signature_def_map, assets_collection, legacy_init_op, clear_devices, main_op, strip_default_attrs, saver)

    def add_meta_graph(self, tags, signature_def_map=None, assets_collection=None, legacy_init_op=None, clear_devices=False, main_op=None,
                       strip_default_attrs=False, saver=None):
        """Adds the default graph; its variables are those that were saved."""
        self._add(None, tags, signature_def_map, assets_collection, legacy_init_op, clear_devices, main_op, strip_default_attrs, saver)

    def save(self, as_text=False):
        """Writes saved_model.pb; gives its path as bytes."""
        _native._refuse(as_text or None, "tf.saved_model.Builder.save", "as_text")
        return self._builder.save().encode()
