"""tf.saved_model.tag_constants: tags by which a graph of a model is asked for."""

SERVING = "serve"
TRAINING = "train"
EVAL = "eval"
GPU = "gpu"
TPU = "tpu"
