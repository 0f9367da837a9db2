"""ImageDataGenerator: batches that chance changes, the same after the same seed; normalisation; images turned and moved; a model trained
with them. tf_keras needs SciPy and Pillow for it, so what it printed stands in image_batches.txt."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
image = tf.keras.preprocessing.image

x = (np.arange(7 * 4 * 5 * 3).reshape(7, 4, 5, 3) * 37 % 256).astype("float32")
y = np.arange(7) % 2


def shown(values):
    return [round(float(value), 3) + 0.0 for value in np.asarray(values).ravel()[::7][:10]]


for options in ({}, {"rescale": 1 / 255.0}, {"horizontal_flip": True, "vertical_flip": True}, {"channel_shift_range": 40.0},
                {"samplewise_center": True, "samplewise_std_normalization": True}, {"samplewise_std_normalization": True},
                {"featurewise_center": True, "featurewise_std_normalization": True, "rescale": 0.1}, {"zca_whitening": True, "zca_epsilon": 0.5},
                {"preprocessing_function": lambda one: one[::-1] * 2, "horizontal_flip": True}):
    generator = image.ImageDataGenerator(**options)
    if any(name.startswith(("feature", "zca")) for name in options):
        generator.fit(x, seed=1)
    np.random.seed(3)
    flow = generator.flow(x, y, batch_size=3)
    print(sorted(options), len(flow))
    for _ in range(4):
        images, labels = next(flow)
        print("  ", images.shape, images.dtype, labels.tolist(), shown(images))
    np.random.seed(4)
    print("  ", shown(generator.random_transform(x[0])), shown(generator.random_transform(x[1], seed=9)))

print("what is drawn")
generator = image.ImageDataGenerator(rotation_range=20, width_shift_range=0.2, height_shift_range=[1, 2, 3], shear_range=5.0, zoom_range=0.3,
                                     channel_shift_range=5.0, brightness_range=(0.5, 1.5), horizontal_flip=True, vertical_flip=True)
for seed in range(5):
    print({name: round(float(value), 5) for name, value in generator.get_random_transform((4, 5, 3), seed=seed).items()})
print({name: float(value) for name, value in image.ImageDataGenerator(width_shift_range=3).get_random_transform((4, 5, 3), seed=2).items()
       if value is not None})

print("parts")
generator = image.ImageDataGenerator(validation_split=0.3, horizontal_flip=True)
for subset in ("training", "validation"):
    flow = generator.flow(x, sample_weight=None, batch_size=2, subset=subset, shuffle=False, seed=5)
    print(subset, flow.n, len(flow), [shown(flow[i])[:4] for i in range(len(flow))])
flow = generator.flow(x, y, sample_weight=np.arange(7) / 7.0, batch_size=4, seed=11)
for _ in range(3):
    images, labels, weights = next(flow)
    print(shown(images)[:4], labels.tolist(), np.round(weights, 3).tolist())
flow = generator.flow((x, [np.arange(7) * 2]), y, batch_size=4, shuffle=False)
(images, other), labels = flow[1]
print(images.shape, other.tolist(), labels.tolist())

print("training")
model = tf.keras.Sequential([tf.keras.layers.Conv2D(2, 2, activation="relu", input_shape=(4, 5, 3)), tf.keras.layers.Flatten(),
                             tf.keras.layers.Dense(1, activation="sigmoid")])
model.compile("sgd", "binary_crossentropy")
model.set_weights([((np.arange(w.size).reshape(w.shape) * 7 % 5) - 2) / 10.0 for w in model.get_weights()])
generator = image.ImageDataGenerator(rescale=1 / 255.0, horizontal_flip=True)
np.random.seed(6)
history = model.fit_generator(generator.flow(x, y, batch_size=3, shuffle=False), epochs=3, verbose=0, shuffle=False)
print([round(float(value), 5) for value in history.history["loss"]])

for make in (lambda: image.ImageDataGenerator(zoom_range=(1, 2, 3)), lambda: image.ImageDataGenerator(brightness_range=0.5),
             lambda: image.ImageDataGenerator(validation_split=2), lambda: generator.flow(x, y[:3]), lambda: generator.flow(x[0]),
             lambda: generator.flow(x, subset="all"), lambda: flow[9]):
    try:
        make()
    except ValueError as error:
        print(" ".join(map(str, error.args)).partition("\n")[0])

print("turned and moved")
big = (np.arange(6 * 5 * 2).reshape(6, 5, 2) * 37 % 101).astype("float32")
for options in ({"theta": 30}, {"tx": 1.5, "ty": -0.5}, {"shear": 20}, {"zx": 0.5, "zy": 2.0}, {"theta": -75, "tx": 1, "shear": 5, "zx": 1.3}):
    for mode in ("nearest", "constant", "reflect", "wrap"):
        for order in (0, 1):
            made = image.apply_affine_transform(big, row_axis=0, col_axis=1, channel_axis=2, fill_mode=mode, cval=-3.0, order=order, **options)
            print(options, mode, order, made.dtype, shown(made))
made = image.apply_affine_transform(np.moveaxis(big, 2, 0), theta=30, row_axis=1, col_axis=2, channel_axis=0)
print(made.shape, shown(made))
column = np.arange(4, dtype="float32").reshape(4, 1, 1)
print([image.apply_affine_transform(column, ty=by, row_axis=0, col_axis=1, channel_axis=2, fill_mode="wrap").ravel().tolist()
       for by in (-7, -6, -3, -1.5, 0.5, 3, 4.25)])
bytes_ = (np.arange(12) * 37 % 256).astype("uint8").reshape(3, 4, 1)
for integers, options in ((bytes_, {"theta": 20}), (bytes_, {"tx": 0.5, "fill_mode": "constant", "cval": 300}),
                          (bytes_, {"tx": 2, "fill_mode": "constant", "cval": -7}), (bytes_.astype("int16") - 100, {"ty": 0.5})):
    print(image.apply_affine_transform(integers, row_axis=0, col_axis=1, channel_axis=2, **options).ravel().tolist())
for seed, random in enumerate((lambda: image.random_rotation(big, 40, 0, 1, 2), lambda: image.random_shift(big, 0.3, 0.4, 0, 1, 2),
                               lambda: image.random_shear(big, 30, 0, 1, 2), lambda: image.random_zoom(big, (0.5, 1.5), 0, 1, 2),
                               lambda: image.random_channel_shift(big, 30, 2))):
    np.random.seed(seed)
    print(seed, shown(random()))
for brightness in (0.3, 1.7):
    colors = big[:, :4, :1] * np.ones(3, "float32")
    print(shown(image.apply_brightness_shift(colors, brightness)), shown(image.apply_brightness_shift(colors, brightness, scale=False)),
          shown(image.apply_brightness_shift(colors * 5 - 90, brightness, scale=False)))
generator = image.ImageDataGenerator(rotation_range=20, width_shift_range=0.2, height_shift_range=0.2, shear_range=5.0, zoom_range=0.3,
                                     brightness_range=(0.5, 1.5), horizontal_flip=True, rescale=1 / 255.0)
np.random.seed(8)
for images, labels in (next(generator.flow(x, y, batch_size=4)) for _ in range(3)):
    print(labels.tolist(), shown(images))
