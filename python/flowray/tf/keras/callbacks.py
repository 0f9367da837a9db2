"""tf.keras.callbacks: what happens between the steps of Sequential.fit."""

import csv as _csv

import numpy as _np


class Callback:
    """Nothing, unless a class of the program's says otherwise."""

    def __init__(self):
        self.model = self.params = self.validation_data = None

    @property
    def _hears_batches(self):
        """Whether it does anything between the steps of an epoch."""
        names = ("on_batch_begin", "on_batch_end", "on_train_batch_begin", "on_train_batch_end")
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
        self.on_train_batch_begin(batch, logs)

    def on_batch_end(self, batch, logs=None):
        self.on_train_batch_end(batch, logs)

    def on_train_batch_begin(self, batch, logs=None):
        pass

    def on_train_batch_end(self, batch, logs=None):
        pass


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
                 on_train_end=None):
        super().__init__()
        for name, function in (("on_epoch_begin", on_epoch_begin), ("on_epoch_end", on_epoch_end), ("on_batch_begin", on_batch_begin),
                               ("on_batch_end", on_batch_end)):
            if function is not None:
                setattr(self, name, lambda number, logs=None, function=function: function(number, logs or {}))
        for name, function in (("on_train_begin", on_train_begin), ("on_train_end", on_train_end)):
            if function is not None:
                setattr(self, name, lambda logs=None, function=function: function(logs or {}))


class EarlyStopping(Callback):
    """Ends the training where a number no longer gets better."""

    def __init__(self, monitor="val_loss", min_delta=0, patience=0, verbose=0, mode="auto", baseline=None, restore_best_weights=False):
        super().__init__()
        if mode not in ("auto", "min", "max"):
            raise ValueError("EarlyStopping: mode is %r; it is 'auto', 'min' or 'max'" % mode)
        grows = mode == "max" or mode == "auto" and (monitor.endswith("acc") or monitor.endswith("accuracy") or monitor.endswith("auc"))
        self.monitor, self.patience, self.verbose, self.baseline = monitor, patience, verbose, baseline
        self.restore_best_weights, self.min_delta, self._sign = restore_best_weights, abs(min_delta), 1 if grows else -1

    def on_train_begin(self, logs=None):
        self.wait = self.stopped_epoch = 0
        self.best_weights = None
        self.best = -_np.inf * self._sign if self.baseline is None else self.baseline

    def on_epoch_end(self, epoch, logs=None):
        value = (logs or {}).get(self.monitor)
        if value is None:
            raise ValueError("EarlyStopping watches %r, but fit has %s" % (self.monitor, ", ".join(logs or {})))
        if (value - self.best) * self._sign > self.min_delta:
            self.best, self.wait = value, 0
            if self.restore_best_weights:
                self.best_weights = self.model.get_weights()
            return
        self.wait += 1
        if self.wait >= self.patience:
            self.stopped_epoch = epoch
            self.model.stop_training = True
            if self.best_weights is not None:
                self.model.set_weights(self.best_weights)

    def on_train_end(self, logs=None):
        if self.stopped_epoch > 0 and self.verbose > 0:
            print("Epoch %05d: early stopping" % (self.stopped_epoch + 1))


class CSVLogger(Callback):
    """Writes the numbers of each epoch as a line of a file."""

    def __init__(self, filename, separator=",", append=False):
        super().__init__()
        self.filename, self.separator, self.append, self._file, self._writer = filename, separator, append, None, None

    def on_train_begin(self, logs=None):
        self._file = open(self.filename, "a" if self.append else "w", newline="", encoding="utf-8")  # noqa: SIM115: until the end

    def on_epoch_end(self, epoch, logs=None):
        if self._writer is None:
            self._writer = _csv.writer(self._file, delimiter=self.separator)
            if self._file.tell() == 0:
                self._writer.writerow(["epoch", *sorted(logs)])
        self._writer.writerow([epoch, *(logs[name] for name in sorted(logs))])
        self._file.flush()

    def on_train_end(self, logs=None):
        self._file.close()
        self._file = self._writer = None
