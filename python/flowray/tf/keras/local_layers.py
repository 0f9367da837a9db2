"""Layers of tf.keras.layers that look at neighbours: convolutions in memory cells, convolutions without shared weights, transposed ones over volumes."""

from flowray import _native
from flowray import tf as _tf
from flowray.tf.keras import activations, constraints, initializers, regularizers
from flowray.tf.keras.cells import KeptStates, _over_time
from flowray.tf.keras._backend_layers import turned_activation, turned_bias
from flowray.tf.keras._layer_options import data_format_of, settled_data_format
from flowray.tf.keras.own_layers import Layer, _Convolution, _checked_padding, _sizes


def _length(size, kernel, stride, padding):
    """How many places a window has."""
    if size is None:
        return None
    return -(-size // stride) if padding == "same" else -(-(size - kernel + 1) // stride)


class Conv3DTranspose(_Convolution):
    """The gradient of a convolution over volumes as a layer."""

    def __init__(self, filters, kernel_size, strides=(1, 1, 1), padding="valid", output_padding=None, data_format=None, dilation_rate=(1, 1, 1),
                 activation=None, use_bias=True, kernel_initializer="glorot_uniform", bias_initializer="zeros", kernel_regularizer=None,
                 bias_regularizer=None, kernel_constraint=None, bias_constraint=None, **options):
        super().__init__(filters, kernel_size, 3, strides, padding, data_format, dilation_rate, activation, use_bias, kernel_initializer,
                         bias_initializer, kernel_regularizer, bias_regularizer, kernel_constraint, bias_constraint, **options)
        if set(self.dilation_rate) != {1} or output_padding is not None:
            raise NotImplementedError("Conv3DTranspose(dilation_rate=, output_padding=) is not there yet: leave it out")

    def build(self, input_shape):
        self.kernel = self.add_weight(name="kernel", shape=(*self.kernel_size, self.filters, self._channels(input_shape)),
                                      initializer=self.kernel_initializer, regularizer=self.kernel_regularizer,
                                      constraint=self.kernel_constraint)
        self._add_bias()
        super().build(input_shape)

    def call(self, inputs):
        given, dynamic = inputs.shape.as_list(), _tf.shape(inputs)
        sizes = [dynamic[0]]
        static = [given[0]]
        for axis, (kernel, stride) in enumerate(zip(self.kernel_size, self.strides)):
            added = max(kernel - stride, 0) if self.padding == "valid" else 0
            known = given[axis + 1]
            static.append(None if known is None else known * stride + added)
            sizes.append(static[-1] if known is not None else dynamic[axis + 1] * stride + added)
        made = _tf.nn.conv3d_transpose(inputs, self.kernel, _tf.stack([*sizes, self.filters]), [1, *self.strides, 1], self.padding.upper())
        made.set_shape([*static, self.filters])
        return self._finished(made)

    def get_config(self):
        config = {**super().get_config(), "output_padding": None}
        del config["dilation_rate"]
        return config

    @classmethod
    def from_config(cls, config):
        return cls(**{name: value for name, value in config.items() if name != "groups"})


Convolution3DTranspose = Conv3DTranspose


class _LocallyConnected(Layer):
    _rank = 0

    def __init__(self, filters, kernel_size, strides, padding, data_format, activation, use_bias, kernel_initializer, bias_initializer,
                 kernel_regularizer, bias_regularizer, kernel_constraint, bias_constraint, implementation, **options):
        super().__init__(**options)
        name = type(self).__name__
        if padding.lower() != "valid" and implementation == 1:
            raise ValueError("Invalid border mode for %s (only \"valid\" is supported if implementation is 1): %s" % (name, padding))
        if implementation != 1:
            raise NotImplementedError("%s(implementation=%r) is not there yet: leave it out" % (name, implementation))
        self.data_format = settled_data_format(self, data_format)
        self.filters, self.padding, self.implementation = filters, _checked_padding(padding), implementation
        self.kernel_size, self.strides = _sizes(kernel_size, self._rank, "kernel_size"), _sizes(strides, self._rank, "strides")
        self.activation, self.use_bias = activations.get(activation), use_bias
        self.kernel_initializer, self.bias_initializer = initializers.get(kernel_initializer), initializers.get(bias_initializer)
        self.kernel_regularizer, self.bias_regularizer = regularizers.get(kernel_regularizer), regularizers.get(bias_regularizer)
        self.kernel_constraint, self.bias_constraint = constraints.get(kernel_constraint), constraints.get(bias_constraint)

    def build(self, input_shape):
        *sizes, channels = _tf.TensorShape(input_shape).as_list()[1:]
        if None in (*sizes, channels):
            raise ValueError("The spatial dimensions of the inputs to a %s layer should be fully-defined, but layer received an inputs shape %s"
                             % (type(self).__name__, tuple(_tf.TensorShape(input_shape).as_list())))
        self._places = [_length(size, kernel, stride, "valid") for size, kernel, stride in zip(sizes, self.kernel_size, self.strides)]
        features = channels
        for kernel in self.kernel_size:
            features *= kernel
        count = 1
        for places in self._places:
            count *= places
        self.kernel = self.add_weight(name="kernel", shape=(count, features, self.filters), initializer=self.kernel_initializer,
                                      regularizer=self.kernel_regularizer, constraint=self.kernel_constraint)
        self.bias = self.add_weight(name="bias", shape=(*self._places, self.filters), initializer=self.bias_initializer,
                                    regularizer=self.bias_regularizer, constraint=self.bias_constraint) if self.use_bias else None
        super().build(input_shape)

    def _patches(self, inputs):
        """[places, batch, features]: what each window sees, row by row; channel by channel where those are first."""
        windows = [()]
        for places, stride, kernel in zip(self._places, self.strides, self.kernel_size):
            windows = [(*window, slice(place * stride, place * stride + kernel)) for window in windows for place in range(places)]
        features = int(self.kernel.shape.as_list()[1])
        order = [0, self._rank + 1, *range(1, self._rank + 1)] if self.data_format == "channels_first" else None

        def seen(window):
            elements = inputs[(slice(None), *window)]
            return _tf.reshape(elements if order is None else _tf.transpose(elements, order), [-1, features])
        return _tf.stack([seen(window) for window in windows], axis=0)

    def call(self, inputs):
        made = _tf.transpose(_tf.matmul(self._patches(inputs), self.kernel), [1, 0, 2])
        made = _tf.reshape(made, [-1, *self._places, self.filters])
        return turned_activation(self.data_format, self.activation)(made + turned_bias(self.data_format, self.bias) if self.use_bias else made)

    def get_config(self):
        return {**super().get_config(), "filters": self.filters, "kernel_size": self.kernel_size, "strides": self.strides,
                "padding": self.padding, "data_format": self.data_format, "activation": activations.serialize(self.activation),
                "use_bias": self.use_bias, "kernel_initializer": initializers.serialize(self.kernel_initializer),
                "bias_initializer": initializers.serialize(self.bias_initializer),
                "kernel_regularizer": regularizers.serialize(self.kernel_regularizer),
                "bias_regularizer": regularizers.serialize(self.bias_regularizer), "activity_regularizer": None,
                "kernel_constraint": constraints.serialize(self.kernel_constraint),
                "bias_constraint": constraints.serialize(self.bias_constraint), "implementation": self.implementation}


class LocallyConnected1D(_LocallyConnected):
    """A convolution over sequences with weights of its own at each place."""

    _rank = 1

    def __init__(self, filters, kernel_size, strides=1, padding="valid", data_format=None, activation=None, use_bias=True,
                 kernel_initializer="glorot_uniform", bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None,
                 activity_regularizer=None, kernel_constraint=None, bias_constraint=None, implementation=1, **options):
        super().__init__(filters, kernel_size, strides, padding, data_format, activation, use_bias, kernel_initializer, bias_initializer,
                         kernel_regularizer, bias_regularizer, kernel_constraint, bias_constraint, implementation,
                         activity_regularizer=activity_regularizer, **options)


class LocallyConnected2D(_LocallyConnected):
    """The same over images."""

    _rank = 2

    def __init__(self, filters, kernel_size, strides=(1, 1), padding="valid", data_format=None, activation=None, use_bias=True,
                 kernel_initializer="glorot_uniform", bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None,
                 activity_regularizer=None, kernel_constraint=None, bias_constraint=None, implementation=1, **options):
        super().__init__(filters, kernel_size, strides, padding, data_format, activation, use_bias, kernel_initializer, bias_initializer,
                         kernel_regularizer, bias_regularizer, kernel_constraint, bias_constraint, implementation,
                         activity_regularizer=activity_regularizer, **options)


class ConvLSTM2D(Layer):
    """Long short-term memory over sequences of images, whose products are convolutions."""

    def __init__(self, filters, kernel_size, strides=(1, 1), padding="valid", data_format=None, dilation_rate=(1, 1), activation="tanh",
                 recurrent_activation="hard_sigmoid", use_bias=True, kernel_initializer="glorot_uniform", recurrent_initializer="orthogonal",
                 bias_initializer="zeros", unit_forget_bias=True, kernel_regularizer=None, recurrent_regularizer=None, bias_regularizer=None,
                 activity_regularizer=None, kernel_constraint=None, recurrent_constraint=None, bias_constraint=None, return_sequences=False,
                 return_state=False, go_backwards=False, stateful=False, dropout=0.0, recurrent_dropout=0.0, name=None, **options):
        if dropout or recurrent_dropout:
            raise NotImplementedError("ConvLSTM2D(dropout=, recurrent_dropout=) is not there yet: leave them out")
        if name is None:
            name = _native.keras._next_name("conv_lstm2d")
        super().__init__(name=name, activity_regularizer=activity_regularizer, **options)
        self.data_format = data_format_of(data_format)
        self.filters, self.kernel_size, self.strides = filters, _sizes(kernel_size, 2, "kernel_size"), _sizes(strides, 2, "strides")
        self.padding, self.dilation_rate = _checked_padding(padding), _sizes(dilation_rate, 2, "dilation_rate")
        self.activation, self.recurrent_activation = activations.get(activation), activations.get(recurrent_activation)
        self.use_bias, self.unit_forget_bias = use_bias, unit_forget_bias
        self.kernel_initializer, self.recurrent_initializer = initializers.get(kernel_initializer), initializers.get(recurrent_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer, self.recurrent_regularizer = regularizers.get(kernel_regularizer), regularizers.get(recurrent_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint, self.recurrent_constraint = constraints.get(kernel_constraint), constraints.get(recurrent_constraint)
        self.bias_constraint = constraints.get(bias_constraint)
        self.return_sequences, self.return_state, self.go_backwards = return_sequences, return_state, go_backwards
        self.supports_masking, self.stateful, self.time_major, self._kept = True, stateful, False, KeptStates()

    states = property(lambda self: list(self._kept.variables) or [None, None])

    def reset_states(self, states=None):
        """Gives the states that it keeps between batches these values; zeros where none are given."""
        if not self.stateful:
            raise AttributeError("Layer must be stateful.")
        self._kept.reset(self, states)

    def _first_bias(self, shape, dtype=None, partition_info=None):
        return _tf.concat([self.bias_initializer([self.filters], dtype=dtype), _tf.ones([self.filters]),
                           self.bias_initializer([2 * self.filters], dtype=dtype)], axis=0)

    def build(self, input_shape):
        channels, width = _tf.TensorShape(input_shape).as_list()[2 if self.data_format == "channels_first" else -1], 4 * self.filters
        self.kernel = self.add_weight(name="kernel", shape=(*self.kernel_size, channels, width), initializer=self.kernel_initializer,
                                      regularizer=self.kernel_regularizer, constraint=self.kernel_constraint)
        self.recurrent_kernel = self.add_weight(name="recurrent_kernel", shape=(*self.kernel_size, self.filters, width),
                                                initializer=self.recurrent_initializer, regularizer=self.recurrent_regularizer,
                                                constraint=self.recurrent_constraint)
        self.bias = self.add_weight(name="bias", shape=(width,), initializer=self._first_bias if self.unit_forget_bias else self.bias_initializer,
                                    regularizer=self.bias_regularizer, constraint=self.bias_constraint) if self.use_bias else None
        super().build(input_shape)

    def _first_states(self, inputs):
        sizes = [_length(known, kernel + (kernel - 1) * (rate - 1), stride, self.padding) for known, kernel, stride, rate in
                 zip(inputs.shape.as_list()[2:4], self.kernel_size, self.strides, self.dilation_rate)]
        if None in sizes:
            raise ValueError("ConvLSTM2D needs images whose size is known, not %s" % (inputs.shape,))
        zeros = _tf.zeros([_tf.shape(inputs)[0], *sizes, self.filters])
        zeros.set_shape([inputs.shape.as_list()[0], *sizes, self.filters])
        return [zeros, zeros]

    def _step(self, inputs, states):
        h, c = states
        x = _tf.nn.convolution(inputs, self.kernel, self.padding.upper(), strides=self.strides, dilation_rate=self.dilation_rate)
        if self.use_bias:
            x = x + self.bias
        i, f, new, o = _tf.split(x + _tf.nn.convolution(h, self.recurrent_kernel, "SAME", strides=[1, 1]), 4, axis=-1)
        c = self.recurrent_activation(f) * c + self.recurrent_activation(i) * self.activation(new)
        h = self.recurrent_activation(o) * self.activation(c)
        return h, [h, c]

    def _channels_last(self, x):
        """What a program has, as it is computed with: channels are the last dimension but two, or the last one."""
        rank = x.shape.ndims
        return _tf.transpose(x, [*range(rank - 3), rank - 2, rank - 1, rank - 3]) if self.data_format == "channels_first" else x

    def _as_given(self, x):
        """The other way round."""
        rank = x.shape.ndims
        return _tf.transpose(x, [*range(rank - 3), rank - 1, rank - 3, rank - 2]) if self.data_format == "channels_first" else x

    def call(self, inputs, mask=None, initial_state=None):
        inputs = self._channels_last(inputs)
        states = [self._as_given(state) for state in self._first_states(inputs)] if initial_state is None else list(initial_state)
        if self.stateful and initial_state is None:
            states = self._kept.begun(self, inputs, [_tf.TensorShape(state.shape.as_list()[1:]) for state in states])
        last, outputs, states = _over_time(self._step, inputs, [self._channels_last(state) for state in states], mask, self.go_backwards, False)
        made, states = self._as_given(outputs if self.return_sequences else last), [self._as_given(state) for state in states]
        if self.stateful:
            made = self._kept.with_last(made, states)
        return [made, *states] if self.return_state else made

    def get_config(self):
        config = {**super().get_config(), "filters": self.filters, "kernel_size": self.kernel_size, "strides": self.strides,
                  "padding": self.padding, "data_format": self.data_format, "dilation_rate": self.dilation_rate,
                  "activation": activations.serialize(self.activation), "recurrent_activation": activations.serialize(self.recurrent_activation),
                  "use_bias": self.use_bias, "unit_forget_bias": self.unit_forget_bias, "activity_regularizer": None, "dropout": 0.0,
                  "recurrent_dropout": 0.0, "return_sequences": self.return_sequences, "return_state": self.return_state,
                  "go_backwards": self.go_backwards, "stateful": self.stateful, "unroll": False, "time_major": False}
        for name in ("kernel", "recurrent", "bias"):
            config[name + "_initializer"] = initializers.serialize(getattr(self, name + "_initializer"))
            config[name + "_regularizer"] = regularizers.serialize(getattr(self, name + "_regularizer"))
            config[name + "_constraint"] = constraints.serialize(getattr(self, name + "_constraint"))
        return config

    @classmethod
    def from_config(cls, config):
        return cls(**{name: value for name, value in config.items() if name not in ("unroll", "time_major")})
