"""tf.keras.preprocessing: sequences and text as arrays."""

from flowray.tf.keras.preprocessing import image, sequence, text  # noqa: F401
