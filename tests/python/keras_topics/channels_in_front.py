"""Layers whose images have their channels in front of height and width, those that tf_keras computes on CPUs."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, refused, rounded, settled, studied

layers = tf.keras.layers
FIRST = {"data_format": "channels_first"}
studied(lambda: layers.DepthwiseConv2D(2, depth_multiplier=2, **FIRST), 2, 2, 4, 5)
studied(lambda: layers.Conv2DTranspose(3, 2, strides=2, activation="softmax", **FIRST), 2, 2, 3, 2)
studied(lambda: layers.MaxPooling1D(2, **FIRST), 2, 3, 5)
studied(lambda: layers.AveragePooling1D(2, strides=1, padding="same", **FIRST), 2, 3, 5)
studied(lambda: layers.MaxPooling3D((1, 2, 2), **FIRST), 2, 2, 2, 4, 5)
studied(lambda: layers.AveragePooling3D(2, **FIRST), 2, 2, 2, 4, 5)
for dims in (1, 2, 3):
    for kind in ("Max", "Average"):
        make = getattr(layers, "Global%sPooling%dD" % (kind, dims))
        studied(lambda: make(**FIRST), 2, 3, *(4, 2, 3)[:dims])  # noqa: B023
        studied(lambda: make(keepdims=True, **FIRST), 2, 3, *(4, 2, 3)[:dims])  # noqa: B023
studied(lambda: layers.ZeroPadding2D(((1, 0), (0, 2)), **FIRST), 2, 3, 2, 2)
studied(lambda: layers.ZeroPadding3D((1, 0, 2), **FIRST), 2, 3, 2, 2, 1)
studied(lambda: layers.Cropping2D(((1, 0), (0, 2)), **FIRST), 2, 3, 3, 3)
studied(lambda: layers.Cropping3D((1, 0, 1), **FIRST), 2, 2, 3, 2, 3)
studied(lambda: layers.UpSampling2D((2, 3), **FIRST), 2, 3, 2, 2)
studied(lambda: layers.UpSampling2D(2, interpolation="bilinear", **FIRST), 2, 3, 2, 2)
studied(lambda: layers.UpSampling3D((1, 2, 3), **FIRST), 2, 3, 2, 2, 1)
studied(lambda: layers.Flatten(**FIRST), 2, 3, 2, 4)
studied(lambda: layers.SpatialDropout2D(0.0, **FIRST), 2, 3, 2, 4)
studied(lambda: layers.LocallyConnected1D(3, 2, **FIRST), 2, 2, 4)
studied(lambda: layers.LocallyConnected2D(2, (2, 1), **FIRST), 2, 2, 3, 3)
studied(lambda: layers.ConvLSTM2D(2, 2, **FIRST), 2, 3, 2, 3, 4)
studied(lambda: layers.ConvLSTM2D(2, 2, return_sequences=True, **FIRST), 2, 3, 2, 3, 4)

layer = layers.DepthwiseConv2D(2, name="depthwise", **FIRST)
kept = layer(tf.keras.Input((2, 4, 4)))
print(layer.data_format, layer.input_spec, layer.compute_output_shape((None, 2, 5, 6)).as_list())
for given in ((3, 4, 4), (2, 4)):
    print(refused(layer, tf.keras.Input(given)))
print(refused(layers.MaxPooling2D, 2, data_format="channels"))
print(layers.MaxPooling2D(2, data_format="Channels_First").data_format)

# A whole model, where the channels are in front everywhere.
model = settled(tf.keras.Sequential([
    layers.ZeroPadding2D(1, input_shape=(2, 4, 4), **FIRST), layers.DepthwiseConv2D(3, activation="relu", **FIRST),
    layers.Conv2DTranspose(2, 2, strides=2, **FIRST), layers.Flatten(**FIRST), layers.Dense(2)]))
model.summary()
model.compile("sgd", "mse")
print(rounded(model.fit(numbers(6, 2, 4, 4), numbers(6, 2), epochs=2, shuffle=False, verbose=0).history["loss"]))
again = tf.keras.models.model_from_json(model.to_json())
again.set_weights(model.get_weights())
print([layer.get_config().get("data_format") for layer in again.layers])
print(rounded(again.predict(numbers(1, 2, 4, 4)) - model.predict(numbers(1, 2, 4, 4))))

# What holds for all that are not told.
backend = tf.keras.backend
print(backend.image_data_format(), refused(backend.set_image_data_format, "channels"))
backend.set_image_data_format("channels_first")
print(backend.image_data_format(), [make().data_format for make in (
    layers.Flatten, layers.MaxPooling2D, layers.MaxPooling1D, layers.GlobalAveragePooling2D, layers.GlobalMaxPooling1D, layers.UpSampling2D,
    layers.UpSampling3D, layers.ZeroPadding2D, layers.Cropping3D)])
print([make(2, 1).data_format for make in (layers.Conv1D, layers.Conv2D, layers.Conv3D, layers.SeparableConv1D, layers.LocallyConnected2D)])
x, values = tf.constant(numbers(2, 3, 4, 4)), []
kernel = tf.constant(numbers(2, 2, 3, 2))
for made in (backend.conv2d(x, kernel), backend.pool2d(x, (2, 2)), backend.pool2d(x, (2, 2), pool_mode="avg", padding="same"),
             backend.spatial_2d_padding(x), backend.bias_add(x, tf.constant([1.0, 2.0, 3.0])), backend.bias_add(x, tf.ones([4, 4, 3])),
             backend.depthwise_conv2d(x, kernel, strides=(2, 2)), backend.separable_conv2d(x, kernel, tf.ones([1, 1, 6, 2])),
             backend.conv2d_transpose(x, tf.constant(numbers(2, 2, 2, 3)), (2, 2, 5, 5)), backend.resize_images(x, 2, 3, "channels_first"),
             backend.local_conv2d(x, tf.constant(numbers(9, 12, 2)), (2, 2), (1, 1), (3, 3))):
    print(made.shape.as_list(), rounded(backend.eval(made).ravel()[:4], 2), round(float(backend.eval(made).sum()), 1))
volumes = tf.constant(numbers(2, 2, 2, 3, 3))
for made in (backend.conv3d(volumes, tf.constant(numbers(1, 2, 2, 2, 2))), backend.pool3d(volumes, (1, 2, 2)), backend.spatial_3d_padding(volumes),
             backend.resize_volumes(volumes, 1, 2, 2, "channels_first")):
    print(made.shape.as_list(), rounded(backend.eval(made).ravel()[:4], 2), round(float(backend.eval(made).sum()), 1))
times = tf.constant(numbers(2, 3, 5))
for made in (backend.conv1d(times, tf.constant(numbers(2, 3, 2))), backend.local_conv1d(times, tf.constant(numbers(4, 6, 2)), (2,), (1,))):
    print(made.shape.as_list(), rounded(backend.eval(made).ravel()[:4], 2), round(float(backend.eval(made).sum()), 1))
image = tf.keras.preprocessing.image
print(image.img_to_array(numbers(2, 3, 1)).shape, image.img_to_array(numbers(2, 3)).shape)
preprocess = tf.keras.applications.imagenet_utils.preprocess_input
for mode in ("caffe", "tf", "torch"):
    print(rounded(preprocess(numbers(3, 2, 1) * 255, mode=mode), 2))
print(refused(backend.bias_add, x, tf.ones([2, 3])))
backend.set_image_data_format("channels_last")
