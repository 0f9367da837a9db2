"""tf.contrib.eager.metrics: means that are counted on, batch by batch, and tf.contrib.eager.Saver."""

from flowray import tf as _tf


class Metric:
    """A class of the program's has call(), which changes what it keeps, and result(); it makes its variables in build(), by add_variable."""

    def __init__(self, name=None):
        if not _tf.executing_eagerly():
            raise NotImplementedError("tf.contrib.eager.metrics are for eager execution: tf.metrics are those of graphs")
        self.name = name or type(self).__name__.lower()
        self._is_built, self._variables, self._first_values = False, [], []

    variables = property(lambda self: list(self._variables))

    def add_variable(self, name, shape=None, dtype=None, initializer=None):
        """A variable that init_variables() sets back."""
        make = initializer or _tf.zeros_initializer()
        variable = _tf.Variable(make(() if shape is None else shape, dtype=dtype or _tf.float32), trainable=False, name=name)
        self._variables.append(variable)
        self._first_values.append(variable.numpy())
        return variable

    def init_variables(self):
        """Begins anew."""
        for variable, value in zip(self._variables, self._first_values):
            variable.assign(value)

    def __call__(self, *args, **kwargs):
        if not self._is_built:
            self.build(*args, **kwargs)
            self._is_built = True
        return self.call(*args, **kwargs)

    def build(self, *args, **kwargs):
        pass

    def call(self, *args, **kwargs):
        raise NotImplementedError("Metrics must define a call() member function")

    def result(self):
        raise NotImplementedError("Metrics must define a result() member function")


class Mean(Metric):
    """The mean of all values, which may have weights."""

    def __init__(self, name=None, dtype="float64"):
        super().__init__(name)
        self.dtype = _tf.as_dtype(dtype)

    def build(self, *args, **kwargs):
        self.numer, self.denom = (self.add_variable(name, (), self.dtype) for name in ("numer", "denom"))

    def call(self, values, weights=None):
        values = _tf.convert_to_tensor(values)
        self._add(values, weights)
        return values if weights is None else (values, weights)

    def _add(self, values, weights):
        values = _tf.cast(values, self.dtype)
        if weights is None:
            self.denom.assign_add(_tf.cast(_tf.size(values), self.dtype))
        else:
            weights = _tf.cast(weights, self.dtype) * _tf.ones_like(values)
            self.denom.assign_add(_tf.reduce_sum(weights))
            values = values * weights
        self.numer.assign_add(_tf.reduce_sum(values))

    def result(self):
        """The mean of what has come since it began."""
        return self.numer / self.denom


class Accuracy(Mean):
    """How many predictions are what they should be."""

    def call(self, labels, predictions, weights=None):
        labels, predictions = _tf.convert_to_tensor(labels), _tf.convert_to_tensor(predictions)
        if labels.shape.as_list() != predictions.shape.as_list():
            raise ValueError("Shapes of labels and predictions are unequal: %s and %s" % (labels.shape, predictions.shape))
        self._add(self._matches(labels, predictions), weights)
        return (labels, predictions) if weights is None else (labels, predictions, weights)

    def _matches(self, labels, predictions):
        return _tf.equal(labels, _tf.cast(predictions, labels.dtype))


class CategoricalAccuracy(Accuracy):
    """... where both are a number for each class."""

    def _matches(self, labels, predictions):
        return _tf.equal(_tf.argmax(labels, axis=-1), _tf.argmax(predictions, axis=-1))


class BinaryAccuracy(Accuracy):
    """... where a prediction above `threshold` says 1."""

    def __init__(self, threshold, name=None, dtype="float64"):
        super().__init__(name, dtype)
        self.threshold = threshold

    def _matches(self, labels, predictions):
        return _tf.equal(_tf.cast(labels, _tf.bool), predictions > self.threshold)


class SparseAccuracy(Mean):
    """... where labels are numbers of classes, and predictions have a number for each class."""

    def call(self, labels, predictions, weights=None):
        labels = _tf.convert_to_tensor(labels)
        flat = _tf.squeeze(labels, -1) if labels.shape.ndims == len(predictions.shape) else labels
        self._add(_tf.equal(_tf.cast(flat, _tf.int64), _tf.argmax(predictions, axis=-1)), weights)
        return (labels, predictions) if weights is None else (labels, predictions, weights)


class Saver:
    """Writes variables into a checkpoint and reads them, by their names, without a session."""

    def __init__(self, var_list):
        self._saver = _tf.train.Saver(var_list)

    def save(self, file_prefix, global_step=None):
        """Gives the path that restore() takes."""
        return self._saver.save(None, file_prefix, global_step=global_step)

    def restore(self, file_prefix):
        """The variables get the values of the file."""
        self._saver.restore(None, file_prefix)
