"""tf.saved_model.signature_def_utils: what a graph computes, for programs that did not build it."""

from flowray import _native
from flowray.tf._messages import SignatureDef
from flowray.tf.saved_model import signature_constants as names
from flowray.tf.saved_model.utils import build_tensor_info

_STRING, _FLOAT = (_native.as_dtype(name).as_datatype_enum for name in ("string", "float32"))


def build_signature_def(inputs=None, outputs=None, method_name=None, defaults=None):
    """A SignatureDef message of TensorInfo messages by name."""
    _native._refuse(defaults, "tf.saved_model.build_signature_def", "defaults")
    signature = SignatureDef()
    for given, taken in ((inputs, signature.inputs), (outputs, signature.outputs)):
        for key, info in (given or {}).items():
            taken[key].CopyFrom(info)
    if method_name is not None:
        signature.method_name = method_name
    return signature


def predict_signature_def(inputs, outputs):
    """A signature of any tensors by name."""
    if not inputs:
        raise ValueError("Prediction `inputs` cannot be None or empty.")
    if not outputs:
        raise ValueError("Prediction `outputs` cannot be None or empty.")
    return build_signature_def({key: build_tensor_info(tensor) for key, tensor in inputs.items()},
                               {key: build_tensor_info(tensor) for key, tensor in outputs.items()}, names.PREDICT_METHOD_NAME)


def _examples(examples, kind, must):
    if examples is None:
        raise ValueError("%s `examples` cannot be None." % kind)
    if not isinstance(examples, _native.Tensor):
        raise ValueError("%s. Found `examples` of type %s." % (must, type(examples)))
    info = build_tensor_info(examples)
    if info.dtype != _STRING:
        raise ValueError("%s input tensors must be of type string. Found tensors with type %s." % (kind, info.dtype))
    return info


def regression_signature_def(examples, predictions):
    """A signature of float32 predictions for serialized tf.train.Examples."""
    inputs = {names.REGRESS_INPUTS: _examples(examples, "Regression", "Expected regression `examples` to be of type Tensor")}
    if predictions is None:
        raise ValueError("Regression `predictions` cannot be None.")
    output = build_tensor_info(predictions)
    if output.dtype != _FLOAT:
        raise ValueError("Regression output tensors must be of type float. Found tensors with type %s." % output.dtype)
    return build_signature_def(inputs, {names.REGRESS_OUTPUTS: output}, names.REGRESS_METHOD_NAME)


def classification_signature_def(examples, classes, scores):
    """A signature of classes (strings), their scores (float32) or both for serialized tf.train.Examples."""
    inputs = {names.CLASSIFY_INPUTS: _examples(examples, "Classification", "Classification `examples` must be a string Tensor")}
    if classes is None and scores is None:
        raise ValueError("Classification `classes` and `scores` cannot both be None.")
    outputs = {}
    if classes is not None:
        outputs[names.CLASSIFY_OUTPUT_CLASSES] = build_tensor_info(classes)
        if outputs[names.CLASSIFY_OUTPUT_CLASSES].dtype != _STRING:
            raise ValueError("Classification classes must be of type string Tensor. Found tensors of type %s."
                             % outputs[names.CLASSIFY_OUTPUT_CLASSES].dtype)
    if scores is not None:
        outputs[names.CLASSIFY_OUTPUT_SCORES] = build_tensor_info(scores)
        if outputs[names.CLASSIFY_OUTPUT_SCORES].dtype != _FLOAT:
            raise ValueError("Classification scores must be a float Tensor.")
    return build_signature_def(inputs, outputs, names.CLASSIFY_METHOD_NAME)


def is_valid_signature(signature_def):
    """Whether TensorFlow Serving would serve it."""
    if signature_def is None:
        return False
    inputs, outputs, method = signature_def.inputs, signature_def.outputs, signature_def.method_name
    if method == names.PREDICT_METHOD_NAME:
        return bool(len(inputs) and len(outputs))
    if method == names.REGRESS_METHOD_NAME:
        return set(inputs) == {names.REGRESS_INPUTS} and inputs[names.REGRESS_INPUTS].dtype == _STRING and \
            set(outputs) == {names.REGRESS_OUTPUTS} and outputs[names.REGRESS_OUTPUTS].dtype == _FLOAT
    if method == names.CLASSIFY_METHOD_NAME:
        kinds = {names.CLASSIFY_OUTPUT_CLASSES: _STRING, names.CLASSIFY_OUTPUT_SCORES: _FLOAT}
        return set(inputs) == {names.CLASSIFY_INPUTS} and inputs[names.CLASSIFY_INPUTS].dtype == _STRING and len(outputs) > 0 and \
            all(key in kinds and info.dtype == kinds[key] for key, info in outputs.items())
    return False
