"""tf.keras.datasets: data from files that are there; nothing is fetched."""

from flowray.tf.keras.datasets import boston_housing, cifar10, cifar100, fashion_mnist, imdb, mnist, reuters

__all__ = ["boston_housing", "cifar10", "cifar100", "fashion_mnist", "imdb", "mnist", "reuters"]
