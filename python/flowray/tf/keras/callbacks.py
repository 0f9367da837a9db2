"""tf.keras.callbacks: what happens between the steps of Sequential.fit."""

import csv as _csv
import os as _os

import numpy as _np

from flowray import _native
from flowray import tf as _tf
from flowray.tf.keras import backend as _backend


class Callback:
    """Nothing, unless a class of the program's says otherwise."""

    def __init__(self):
        self.model = self.params = self.validation_data = None

    @property
    def _hears_batches(self):
        """Whether it does anything between the steps of an epoch."""
        names = ("on_batch_begin", "on_batch_end", "on_train_batch_begin", "on_train_batch_end")
        return any(name in vars(self) or getattr(type(self), name) is not getattr(Callback, name) for name in names)

    @property
    def _hears_tests(self):
        """Whether it does anything in evaluate() and the validations of fit()."""
        names = ("on_test_begin", "on_test_end", "on_test_batch_begin", "on_test_batch_end")
        return any(name in vars(self) or getattr(type(self), name) is not getattr(Callback, name) for name in names)

    def set_params(self, params):
        self.params = params

    def set_model(self, model):
        self.model = model

    def on_train_begin(self, logs=None):
        pass

    def on_train_end(self, logs=None):
        pass

    def on_epoch_begin(self, epoch, logs=None):
        pass

    def on_epoch_end(self, epoch, logs=None):
        pass

    def on_batch_begin(self, batch, logs=None):
        pass

    def on_batch_end(self, batch, logs=None):
        pass

    def on_train_batch_begin(self, batch, logs=None):
        self.on_batch_begin(batch, logs=logs)

    def on_train_batch_end(self, batch, logs=None):
        self.on_batch_end(batch, logs=logs)

    def on_test_begin(self, logs=None):
        pass

    def on_test_end(self, logs=None):
        pass

    def on_test_batch_begin(self, batch, logs=None):
        pass

    def on_test_batch_end(self, batch, logs=None):
        pass

    def on_predict_begin(self, logs=None):
        pass

    def on_predict_end(self, logs=None):
        pass

    def on_predict_batch_begin(self, batch, logs=None):
        pass

    def on_predict_batch_end(self, batch, logs=None):
        pass


class _All:
    """Tells several callbacks the same logs, so that one of them may add to what the next ones hear."""

    def __init__(self, callbacks):
        self._callbacks = list(callbacks)
        self._of_batches = [callback for callback in self._callbacks if getattr(callback, "_hears_batches", True)]
        self._hears_batches = bool(self._of_batches)
        self._hears_tests = any(getattr(callback, "_hears_tests", True) for callback in self._callbacks)

    def on_train_begin(self, logs=None):
        logs = {} if logs is None else logs
        for callback in self._callbacks:
            callback.on_train_begin(logs)

    def on_train_end(self, logs=None):
        logs = {} if logs is None else logs
        for callback in self._callbacks:
            callback.on_train_end(logs)

    def on_epoch_begin(self, epoch, logs=None):
        logs = {} if logs is None else logs
        for callback in self._callbacks:
            callback.on_epoch_begin(epoch, logs)

    def on_epoch_end(self, epoch, logs=None):
        logs = {} if logs is None else logs
        for callback in self._callbacks:
            callback.on_epoch_end(epoch, logs)

    def on_batch_begin(self, batch, logs=None):
        for callback in self._of_batches:
            callback.on_train_batch_begin(batch, logs)

    def on_batch_end(self, batch, logs=None):
        for callback in self._of_batches:
            callback.on_train_batch_end(batch, logs)

    def __getattr__(self, name):
        if not name.startswith(("on_test_", "on_predict_")):
            raise AttributeError(name)

        def tell(*args):
            args = args or ({},)
            for callback in self._callbacks:
                getattr(callback, name)(*args)
        return tell


class History(Callback):
    """What fit gives: the numbers of each epoch."""

    def __init__(self):
        super().__init__()
        self.history, self.epoch = {}, []

    def on_epoch_end(self, epoch, logs=None):
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)

    def __getstate__(self):
        return {"history": self.history, "epoch": self.epoch, "params": self.params}  # a model stays where it is

    def __setstate__(self, state):
        self.__init__()
        self.__dict__.update(state)


class LambdaCallback(Callback):
    """Calls functions."""

    def __init__(self, on_epoch_begin=None, on_epoch_end=None, on_batch_begin=None, on_batch_end=None, on_train_begin=None,
                 on_train_end=None, **functions):
        super().__init__()
        self.__dict__.update(functions)
        for name, function in (("on_epoch_begin", on_epoch_begin), ("on_epoch_end", on_epoch_end), ("on_batch_begin", on_batch_begin),
                               ("on_batch_end", on_batch_end)):
            if function is not None:
                setattr(self, name, lambda number, logs=None, function=function: function(number, logs or {}))
        for name, function in (("on_train_begin", on_train_begin), ("on_train_end", on_train_end)):
            if function is not None:
                setattr(self, name, lambda logs=None, function=function: function(logs or {}))


def _sign_of(monitor, mode, what, grows):
    """1 where greater numbers are better, else -1; `grows`: whether they are where `mode` does not say it."""
    if mode not in ("auto", "min", "max"):
        _tf.logging.warning("%s mode %s is unknown, fallback to auto mode.", what, mode)
        mode = "auto"
    return 1 if mode == "max" or mode == "auto" and grows else -1


class EarlyStopping(Callback):
    """Ends the training where a number no longer gets better."""

    def __init__(self, monitor="val_loss", min_delta=0, patience=0, verbose=0, mode="auto", baseline=None, restore_best_weights=False,
                 start_from_epoch=0):
        super().__init__()
        self._sign = _sign_of(monitor, mode, "EarlyStopping", monitor.endswith(("acc", "accuracy", "auc")))
        self.monitor, self.patience, self.verbose, self.baseline = monitor, patience, verbose, baseline
        self.restore_best_weights, self.min_delta, self.start_from_epoch = restore_best_weights, abs(min_delta) * self._sign, start_from_epoch
        self.wait = self.stopped_epoch = 0
        self.best_weights = None

    def on_train_begin(self, logs=None):
        self.wait = self.stopped_epoch = self.best_epoch = 0
        self.best_weights, self.best = None, -_np.inf * self._sign

    def on_epoch_end(self, epoch, logs=None):
        value = self.get_monitor_value(logs)
        if value is None or epoch < self.start_from_epoch:
            return
        if self.restore_best_weights and self.best_weights is None:  # those of the first epoch where none is better
            self._keep_weights(epoch)
        self.wait += 1
        if self._is_improvement(value, self.best):
            self.best = value
            self._keep_weights(epoch)
            if self.baseline is None or self._is_improvement(value, self.baseline):
                self.wait = 0
        elif self.wait >= self.patience and epoch > 0:
            self.stopped_epoch = epoch
            self.model.stop_training = True

    def on_train_end(self, logs=None):
        if self.stopped_epoch > 0 and self.verbose > 0:
            print("Epoch %d: early stopping" % (self.stopped_epoch + 1))
        if self.best_weights is not None:
            if self.verbose > 0:
                print("Restoring model weights from the end of the best epoch: %d." % (self.best_epoch + 1))
            self.model.set_weights(self.best_weights)

    def get_monitor_value(self, logs):
        """The number that it watches; None, with a warning, where there is no such one."""
        value = (logs or {}).get(self.monitor)
        if value is None:
            _tf.logging.warning("Early stopping conditioned on metric `%s` which is not available. Available metrics are: %s", self.monitor,
                                ",".join(logs or {}))
        return value

    def _keep_weights(self, epoch):
        if self.restore_best_weights:
            self.best_weights = self.model.get_weights()
        self.best_epoch = epoch

    def _is_improvement(self, value, other):
        return (_np.greater if self._sign > 0 else _np.less)(value - self.min_delta, other)


class CSVLogger(Callback):
    """Writes the numbers of each epoch as a line of a file. Its columns are those of the first line, and of a validation."""

    def __init__(self, filename, separator=",", append=False):
        super().__init__()
        self.filename, self.separator, self.append = filename, separator, append
        self.keys = self._file = self._writer = None

    def on_train_begin(self, logs=None):
        self._file = open(self.filename, "a" if self.append else "w", newline="", encoding="utf-8")  # noqa: SIM115: until the end

    def on_epoch_end(self, epoch, logs=None):
        logs = logs or {}
        if self.keys is None:
            self.keys = sorted(logs)
            if not any(name.startswith("val_") for name in self.keys):
                self.keys += ["val_" + name for name in self.keys]  # of an epoch to come
        if self._writer is None:
            self._writer = _csv.writer(self._file, delimiter=self.separator)
            if self._file.tell() == 0:
                self._writer.writerow(["epoch", *self.keys])
        self._writer.writerow([epoch, *(self._told(logs.get(name, "NA")) for name in self.keys)])
        self._file.flush()

    @staticmethod
    def _told(value):
        if isinstance(value, str) or not hasattr(value, "__iter__") or getattr(value, "ndim", 1) == 0:
            return value
        return "\"[%s]\"" % ", ".join(map(str, value))

    def on_train_end(self, logs=None):
        self._file.close()
        self._file = self._writer = None


class ModelCheckpoint(Callback):
    """Writes the weights behind each epoch, or behind those in which a number got better."""

    def __init__(self, filepath, monitor="val_loss", verbose=0, save_best_only=False, save_weights_only=False, mode="auto", save_freq="epoch",
                 period=1, initial_value_threshold=None):
        super().__init__()
        if save_freq != "epoch" and not hasattr(save_freq, "__index__"):
            raise ValueError("Unrecognized save_freq: %s. Expected save_freq are \"epoch\" or integer" % (save_freq,))
        self.save_weights_only, self.save_freq, self._batches, self._epoch = save_weights_only, save_freq, 0, 0
        self.filepath, self.monitor, self.verbose, self.save_best_only, self.period = filepath, monitor, verbose, save_best_only, period
        self._sign = _sign_of(monitor, mode, "ModelCheckpoint", "acc" in monitor or monitor.startswith("fmeasure"))
        self.best, self.epochs_since_last_save = -_np.inf * self._sign if initial_value_threshold is None else initial_value_threshold, 0

    @property
    def _hears_batches(self):
        return self.save_freq != "epoch"

    def on_epoch_begin(self, epoch, logs=None):
        self._epoch = epoch

    def on_train_batch_end(self, batch, logs=None):
        if self.save_freq == "epoch":
            return
        self._batches += 1
        if self._batches % self.save_freq == 0:
            self._write(self._epoch, logs)

    def on_epoch_end(self, epoch, logs=None):
        self.epochs_since_last_save += 1
        if self.save_freq != "epoch" or self.epochs_since_last_save < self.period:
            return
        self.epochs_since_last_save = 0
        self._write(epoch, logs)

    def _write(self, epoch, logs):
        try:
            path = str(self.filepath).format(epoch=epoch + 1, **(logs or {}))
        except KeyError as error:
            raise KeyError("Failed to format this callback filepath: \"%s\". Reason: %s" % (self.filepath, error)) from None
        folder = _os.path.dirname(path)
        if folder:
            _os.makedirs(folder, exist_ok=True)
        if self.save_best_only:
            value = (logs or {}).get(self.monitor)
            if value is None:
                _tf.logging.warning("Can save best model only with %s available, skipping.", self.monitor)
                return
            if not (_np.greater if self._sign > 0 else _np.less)(value, self.best):
                if self.verbose > 0:
                    print("\nEpoch %d: %s did not improve from %0.5f" % (epoch + 1, self.monitor, self.best))
                return
            if self.verbose > 0:
                print("\nEpoch %d: %s improved from %0.5f to %0.5f, saving model to %s" % (epoch + 1, self.monitor, self.best, value, path))
            self.best = value
        elif self.verbose > 0:
            print("\nEpoch %d: saving model to %s" % (epoch + 1, path))
        if self.save_weights_only:
            self.model.save_weights(path)
        else:
            self.model.save(path)


def _rate_of(model, what):
    optimizer = model.optimizer
    if not hasattr(optimizer, "lr"):
        raise ValueError("Optimizer must have a \"lr\" attribute.\n%s needs one of tf.keras.optimizers, by object or by name." % what)
    return _backend.get_value(optimizer.lr)


def _set_rate(model, rate):
    _backend.set_value(model.optimizer.lr, _backend.get_value(rate) if isinstance(rate, _native.Tensor) else rate)


class LearningRateScheduler(Callback):
    """Sets the learning rate of each epoch by a function of its number, and of the rate where it takes two."""

    def __init__(self, schedule, verbose=0):
        super().__init__()
        self.schedule, self.verbose = schedule, verbose

    def on_epoch_begin(self, epoch, logs=None):
        rate = _rate_of(self.model, "LearningRateScheduler")
        try:
            rate = self.schedule(epoch, float(rate))
        except TypeError:
            rate = self.schedule(epoch)  # an old one
        if not isinstance(rate, (_native.Tensor, float, _np.float32, _np.float64)):
            raise ValueError("The output of the \"schedule\" function should be float. Got: %s" % (rate,))
        if isinstance(rate, _native.Tensor) and not rate.dtype.is_floating:
            raise ValueError("The dtype of `lr` Tensor should be float. Got: %r" % (rate.dtype,))
        _set_rate(self.model, rate)
        if self.verbose > 0:
            print("\nEpoch {}: LearningRateScheduler setting learning rate to {}.".format(epoch + 1, rate))

    def on_epoch_end(self, epoch, logs=None):
        if logs is not None:
            logs["lr"] = _rate_of(self.model, "LearningRateScheduler")


class ReduceLROnPlateau(Callback):
    """Makes the learning rate smaller where a number no longer gets better."""

    def __init__(self, monitor="val_loss", factor=0.1, patience=10, verbose=0, mode="auto", min_delta=1e-4, cooldown=0, min_lr=0.0):
        super().__init__()
        if factor >= 1.0:
            raise ValueError("ReduceLROnPlateau does not support a factor >= 1.0. Got %s" % factor)
        self.monitor, self.factor, self.patience, self.verbose = monitor, factor, patience, verbose
        self.min_delta, self.cooldown, self.min_lr = min_delta, cooldown, min_lr
        self._sign = _sign_of(monitor, mode, "Learning rate reduction", "acc" in monitor)
        self._reset()

    def _reset(self):
        self.best, self.wait, self.cooldown_counter = -_np.inf * self._sign, 0, 0

    def on_train_begin(self, logs=None):
        self._reset()

    def on_epoch_end(self, epoch, logs=None):
        rate = _rate_of(self.model, "ReduceLROnPlateau")
        logs = {} if logs is None else logs
        logs["lr"] = rate
        value = logs.get(self.monitor)
        if value is None:
            _tf.logging.warning("Learning rate reduction is conditioned on metric `%s` which is not available. Available metrics are: %s",
                                self.monitor, ",".join(logs))
            return
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.wait = 0
        if (value - self.best) * self._sign > self.min_delta:
            self.best, self.wait = value, 0
        elif self.cooldown_counter <= 0:
            self.wait += 1
            if self.wait >= self.patience and rate > _np.float32(self.min_lr):
                less = max(rate * self.factor, self.min_lr)
                _set_rate(self.model, less)
                if self.verbose > 0:
                    print("\nEpoch {}: ReduceLROnPlateau reducing learning rate to {}.".format(epoch + 1, less))
                self.cooldown_counter, self.wait = self.cooldown, 0


class TerminateOnNaN(Callback):
    """Ends the training where the loss is NaN or infinite."""

    def on_train_batch_end(self, batch, logs=None):
        loss = (logs or {}).get("loss")
        if loss is not None and not _np.isfinite(loss):
            print("Batch %d: Invalid loss, terminating training" % batch)
            self.model.stop_training = True


class RemoteMonitor(Callback):
    """Not there: a program sends its numbers by a LambdaCallback."""

    def __init__(self, *unused, **options):
        super().__init__()
        raise NotImplementedError("RemoteMonitor is not there: send the numbers by a LambdaCallback")


class TensorBoard(Callback):
    """Writes the numbers of each epoch, and histograms of the weights, as events."""

    def __init__(self, log_dir="./logs", histogram_freq=0, batch_size=32, write_graph=True, write_grads=False, write_images=False,
                 embeddings_freq=0, embeddings_layer_names=None, embeddings_metadata=None, embeddings_data=None, update_freq="epoch",
                 profile_batch=0):
        super().__init__()
        for name, value in (("write_grads", write_grads), ("write_images", write_images), ("embeddings_freq", embeddings_freq),
                            ("embeddings_layer_names", embeddings_layer_names), ("embeddings_metadata", embeddings_metadata),
                            ("embeddings_data", embeddings_data), ("profile_batch", profile_batch)):
            if value:
                raise NotImplementedError("TensorBoard(%s=%r) is not there yet: leave it out" % (name, value))
        if update_freq not in ("epoch", "batch") and not hasattr(update_freq, "__index__"):
            raise ValueError("TensorBoard: update_freq is %r; it is 'epoch', 'batch' or a number of samples" % (update_freq,))
        self.log_dir, self.histogram_freq, self.batch_size, self.write_graph = str(log_dir), histogram_freq, batch_size, write_graph
        self.update_freq = 1 if update_freq == "batch" else update_freq
        self._seen = self._written = self._batches = 0

    @property
    def _hears_batches(self):
        return self.update_freq != "epoch"

    def on_train_begin(self, logs=None):
        from flowray import tf
        self.writer = tf.summary.FileWriter(self.log_dir, self.model._own_graph if self.write_graph else None)

    def _told(self, logs, step):
        from flowray import tf
        for name, value in logs.items():
            summary = tf.Summary()
            summary.value.add(tag=name, simple_value=float(value))
            self.writer.add_summary(summary, step)
        self.writer.flush()

    def on_train_batch_end(self, batch, logs=None):
        logs = dict(logs or {})
        self._seen += int(logs.pop("size", 1))
        logs.pop("batch", None)
        if self.update_freq != "epoch" and self._seen - self._written >= self.update_freq:
            self._told({"batch_" + name: value for name, value in logs.items()}, self._batches)
            self._written = self._seen
        self._batches += 1

    def on_epoch_end(self, epoch, logs=None):
        logs = {"epoch_" + name: value for name, value in (logs or {}).items() if name not in ("batch", "size", "num_steps")}
        step = epoch if self.update_freq == "epoch" else self._seen
        self._told(logs, step)
        if self.histogram_freq and epoch % self.histogram_freq == 0:
            self._tell_weights(epoch)

    def _tell_weights(self, epoch):
        from flowray import tf
        with tf.Graph().as_default(), tf.Session() as session:
            for weight, value in zip(self.model.weights, self.model.get_weights()):
                self.writer.add_summary(session.run(tf.summary.histogram(weight.name.replace(":", "_"), tf.constant(value))), epoch)
        self.writer.flush()

    def on_train_end(self, logs=None):
        self.writer.close()
