"""Where TensorFlow keeps what programs should not, but do import."""
