"""Images that a table names, and batches that are written into a folder. Needs Pillow; tf.keras needs pandas and SciPy, too."""

import os
import tempfile
import warnings

import numpy as np
import tensorflow.compat.v1 as tf
from PIL import Image

try:
    from pandas import DataFrame
except ImportError:  # here any table will do
    DataFrame = dict
tf.disable_v2_behavior()
warnings.simplefilter("always")
warnings.showwarning = lambda message, *others: print("warning:", str(message).replace(folder, ""))
images = tf.keras.preprocessing.image
folder = tempfile.mkdtemp()
for number in range(6):
    pixels = (np.arange(48) * (number + 3) * 7 % 256).astype(np.uint8).reshape(4, 4, 3)
    Image.fromarray(pixels).save(os.path.join(folder, "%d.png" % number))
with open(os.path.join(folder, "notes.txt"), "w") as notes:
    notes.write("no image")
table = DataFrame({"filename": ["0.png", "1.png", "missing.png", "2.png", "notes.txt", "3.png", "4.png", "5.png"],
                      "class": ["b", "a", "a", "b", "a", "a", "b", "a"],
                      "tags": [["x"], ["y", "x"], ["x"], ["z"], ["x"], ["y"], ["x", "z"], ["w"]],
                      "size": [0.5, 1.5, 2.0, 2.5, 3.0, 3.5, 4.5, 5.5], "weight": [1, 2, 3, 4, 5, 6, 7, 8]})


def shown(value):
    if isinstance(value, (tuple, list)):
        return [shown(one) for one in value]
    if value.ndim == 4:
        return value.shape, value.dtype.name, [round(float(one.sum()), 3) for one in value]
    return value.dtype.name, value.tolist()


def show(title, generator=None, **options):
    print("--", title)
    generator = generator or images.ImageDataGenerator(rescale=1 / 255)
    np.random.seed(3)
    try:
        batches = generator.flow_from_dataframe(table, folder, target_size=(3, 4), batch_size=4, **options)
    except (TypeError, ValueError) as error:
        print(type(error).__name__, str(error).split("; expected")[0])
        return
    print(batches.samples, batches.filenames, len(batches), getattr(batches, "class_indices", None))
    for _ in range(len(batches)):
        print(shown(next(batches)))


show("classes", shuffle=False)
show("shuffled", seed=5)
show("weights", shuffle=False, weight_col="weight")
show("binary", shuffle=False, class_mode="binary")
show("sparse", shuffle=False, class_mode="sparse", color_mode="grayscale")
show("some classes", shuffle=False, classes=["b"])
show("several classes", shuffle=False, y_col="tags")
show("some of several classes", shuffle=False, y_col="tags", classes=["z", "x"])
show("numbers", shuffle=False, class_mode="raw", y_col="size")
show("rows of numbers", shuffle=False, class_mode="raw", y_col=["size", "weight"])
show("several outputs", shuffle=False, class_mode="multi_output", y_col=["size", "weight"])
show("images as truths", shuffle=False, class_mode="input")
show("images alone", shuffle=False, class_mode=None)
show("ignored classes", shuffle=False, class_mode=None, classes=["a"])
for subset in ("training", "validation"):
    show(subset, images.ImageDataGenerator(validation_split=0.4), shuffle=False, subset=subset)
show("unknown mode", class_mode="nothing")
show("numbers as classes", y_col="size")
show("numbers as two classes", y_col="size", class_mode="binary")
show("three classes as two", y_col="filename", class_mode="binary")
show("one class as two", classes=["a"], class_mode="binary")
show("one column for several outputs", class_mode="multi_output")
show("numbers as names", x_col="size")
show("words as weights", weight_col="class")
show("unknown part", subset="other")

print("-- written batches")
made = os.path.join(folder, "made")
os.mkdir(made)
np.random.seed(1)
x = (np.arange(96) % 50).reshape(2, 4, 4, 3)
next(images.ImageDataGenerator().flow(x, batch_size=2, shuffle=False, save_to_dir=made, save_prefix="of_array"))
next(images.ImageDataGenerator().flow_from_dataframe(table, folder, target_size=(4, 4), batch_size=2, shuffle=False, save_to_dir=made,
                                                     save_prefix="of_table", save_format="bmp"))
for name in sorted(os.listdir(made)):
    print(name, np.asarray(Image.open(os.path.join(made, name))).sum())
