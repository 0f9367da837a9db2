"""The data sets that come as pickles, of files made here."""
import importlib
import json
import os
import pickle
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
datasets = tf.keras.datasets
folder = tempfile.mkdtemp()
os.makedirs(os.path.join(folder, "cifar-10-batches-py"), exist_ok=True)
os.makedirs(os.path.join(folder, "cifar-100-python"), exist_ok=True)


def texts(count, first):
    made = np.empty(count, dtype=object)
    made[:] = [[(first + i * j) % 9 + 1 for j in range(2 + i % 4)] for i in range(count)]
    return made


np.savez(os.path.join(folder, "imdb.npz"), x_train=texts(8, 1), y_train=np.arange(8) % 2, x_test=texts(5, 2), y_test=np.arange(5) % 2)
np.savez(os.path.join(folder, "reuters.npz"), x=texts(10, 3), y=np.arange(10))
np.savez(os.path.join(folder, "boston_housing.npz"), x=np.arange(20.0).reshape(10, 2), y=np.arange(10.0))
for name in ("imdb", "reuters"):
    with open(os.path.join(folder, name + "_word_index.json"), "w") as file:
        json.dump({"the": 1, "film": 2}, file)
for name, start in [("data_batch_%d" % i, i) for i in range(1, 6)] + [("test_batch", 7)]:
    with open(os.path.join(folder, "cifar-10-batches-py", name), "wb") as file:
        pickle.dump({b"data": np.full((10000, 3072), start, np.uint8), b"labels": [start % 10] * 10000}, file, protocol=2)
for name in ("train", "test"):
    with open(os.path.join(folder, "cifar-100-python", name), "wb") as file:
        pickle.dump({b"data": np.arange(6144, dtype=np.int64).reshape(2, 3072).astype(np.uint8), b"fine_labels": [5, 77], b"coarse_labels": [1, 19]}, file, protocol=2)
if "flowray" not in datasets.imdb.load_data.__module__:  # tf_keras would look at sums of the files that it fetches
    for name in ("imdb", "reuters", "boston_housing", "cifar10", "cifar100"):
        importlib.import_module("tf_keras.src.datasets." + name).get_file = lambda path, *args, **options: os.path.join(folder, path)
else:
    os.makedirs(os.path.join(folder, "datasets"), exist_ok=True)
    for name in os.listdir(folder):
        if name != "datasets":
            os.replace(os.path.join(folder, name), os.path.join(folder, "datasets", name))
    os.environ["KERAS_HOME"] = folder


def told(parts):
    return [[(part.tolist() if part.dtype != object else [list(map(int, one)) for one in part]) for part in pair] for pair in parts]


for options in ({}, {"num_words": 8}, {"num_words": 7, "skip_top": 5, "oov_char": None}, {"maxlen": 5, "seed": 3}, {"start_char": None, "index_from": 1}):
    print(options, told(datasets.imdb.load_data(**options)))
    print(told(datasets.reuters.load_data(test_split=0.3, **options)))
print(told(datasets.boston_housing.load_data(test_split=0.25)), datasets.imdb.get_word_index(), datasets.reuters.get_word_index())
(x, y), (x_test, y_test) = datasets.cifar10.load_data()
print(x.shape, x.dtype, y.shape, y.dtype, x[::10000, 0, 0, 0].tolist(), y[::10000, 0].tolist(), x_test.shape, y_test.dtype, y_test[0].tolist())
for mode in ("fine", "coarse"):
    (x, y), (x_test, y_test) = datasets.cifar100.load_data(mode)
    print(x.shape, x.dtype, x[1, 2, 3].tolist(), y.tolist(), y.dtype, y_test.tolist())
try:
    datasets.cifar100.load_data("middle")
except ValueError as error:
    print(error)
try:
    datasets.imdb.load_data(maxlen=1)
except ValueError as error:
    print(error)
