"""tf.keras.datasets: data from files that are there; nothing is fetched."""

from flowray.tf.keras.datasets import fashion_mnist, mnist  # noqa: F401
