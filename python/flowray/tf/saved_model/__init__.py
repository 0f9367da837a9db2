"""tf.saved_model: a graph, its variables and what it computes for others in one folder, as TensorFlow and TensorFlow Serving read it."""

from flowray.tf import GraphKeys, get_collection
from flowray.tf.saved_model import (builder, constants, loader, main_op, signature_constants, signature_def_utils, tag_constants,  # noqa: F401
                                    utils)
from flowray.tf.saved_model.builder import SavedModelBuilder as Builder
from flowray.tf.saved_model.constants import *  # noqa: F403
from flowray.tf.saved_model.loader import load, maybe_saved_model_directory  # noqa: F401
from flowray.tf.saved_model.main_op import main_op_with_restore  # noqa: F401
from flowray.tf.saved_model.signature_constants import *  # noqa: F403
from flowray.tf.saved_model.signature_def_utils import (build_signature_def, classification_signature_def, is_valid_signature,  # noqa: F401
                                                        predict_signature_def, regression_signature_def)
from flowray.tf.saved_model.tag_constants import GPU, SERVING, TPU, TRAINING  # noqa: F401
from flowray.tf.saved_model.utils import build_tensor_info, get_tensor_from_tensor_info  # noqa: F401

contains_saved_model = maybe_saved_model_directory


def simple_save(session, export_dir, inputs, outputs, legacy_init_op=None):
    """A model for serving: the default graph, the session's variables, and a signature of these tensors by name."""
    signature = predict_signature_def(inputs, outputs)
    model = Builder(export_dir)
    model.add_meta_graph_and_variables(session, [SERVING], {signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY: signature},
                                       assets_collection=get_collection(GraphKeys.ASSET_FILEPATHS), main_op=legacy_init_op,
                                       clear_devices=True)
    model.save()
