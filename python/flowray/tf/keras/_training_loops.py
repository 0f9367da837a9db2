"""fit, evaluate and predict over what gives batches one by one: datasets, generators and Sequences. Arrays go through the language's loop."""

import collections as _collections
import concurrent.futures as _futures
import random as _random
import time as _time
import weakref as _weakref

import numpy as _np

from flowray import tf as _tf
from flowray.tf import _nest
from flowray.tf.keras import backend as _backend
from flowray.tf.keras import callbacks as _callbacks
from flowray.tf.keras import utils as _utils


def is_stream(value):
    """Whether it gives batches one by one."""
    return is_dataset(value) or isinstance(value, _utils.Sequence) or hasattr(value, "__next__") or hasattr(value, "get_next")


def is_dataset(value):
    return hasattr(value, "make_one_shot_iterator") or hasattr(value, "output_shapes") and hasattr(value, "batch")


_iterators = _weakref.WeakKeyDictionary()  # {dataset: [(iterator, its next element)]}, those that nobody walks with
_next_elements = _weakref.WeakKeyDictionary()  # {iterator of the program's: its next element}
_cardinalities = _weakref.WeakKeyDictionary()  # {dataset of a graph: how many elements it has}


def _refuse_endless(dataset, graph, argument):
    """Where all of it would be walked through. Variables get no first values here: what is refused has begun no session of the model's."""
    if _tf.executing_eagerly():
        if int(dataset.cardinality()) == _tf.data.INFINITE_CARDINALITY:
            raise ValueError("When providing an infinite dataset, you must specify the number of steps to run (if you did not intend to create "
                             "an infinite dataset, make sure to not call `repeat()` on the dataset).")
        return
    with graph.as_default():
        if dataset not in _cardinalities:
            _cardinalities[dataset] = dataset.cardinality()
        try:
            cardinality = _backend.bare_session_of_models(graph).run(_cardinalities[dataset])
        except _tf.errors.FailedPreconditionError:  # it is made of a variable without a value
            return
        if cardinality == _tf.data.INFINITE_CARDINALITY:
            raise ValueError("When passing an infinitely repeating dataset, you must specify the `%s` argument." % argument)


def _batches_of_dataset(dataset, graph):
    """Its elements as arrays, once through it, in the session of the graph's models. The graph gets an iterator the first time only. No scope
    stays open while the program has one of them."""
    if _tf.executing_eagerly():
        for element in dataset:
            yield _nest.map_structure(lambda value: value.numpy(), element)
        return
    free = _iterators.setdefault(dataset, [])
    with graph.as_default():
        if free:
            iterator, get_next = free.pop()
        else:
            iterator = dataset.make_initializable_iterator()
            get_next = iterator.get_next()
        session = _backend.session_of_models(graph)
    try:
        session.run(iterator.initializer)
        while True:
            try:
                batch = session.run(get_next)
            except _tf.errors.OutOfRangeError:
                return
            yield batch
    finally:
        free.append((iterator, get_next))


class MadeInThreads(_utils.Sequence):
    """A Sequence whose batches are made in threads, and come in their order; so many of them ahead of the one that is taken."""

    def __init__(self, source, workers, max_queue_size):
        self.source, self.workers, self.max_queue_size = source, workers, max(max_queue_size, 1)

    def __len__(self):
        return len(self.source)

    def __getitem__(self, index):
        return self.source[index]

    def on_epoch_end(self):
        self.source.on_epoch_end()

    def in_order(self, order):
        pool, ahead = _futures.ThreadPoolExecutor(self.workers), _collections.deque()
        try:
            for number in order:
                ahead.append(pool.submit(self.source.__getitem__, number))
                if len(ahead) > self.max_queue_size:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


class _Stream:
    """Batches, epoch after epoch."""

    def __init__(self, source, steps, what, shuffle=False, graph=None, epochs=1):
        self.source, self.what, self.shuffle, self.graph, self.epochs = source, what, shuffle, graph, epochs
        self.is_sequence = isinstance(source, _utils.Sequence)
        self.steps = len(source) if self.is_sequence and steps is None else steps
        if self.steps is None and hasattr(source, "__next__"):
            raise ValueError("Please specify the number of steps via the `steps_per_epoch`, `validation_steps` or `steps` argument: a "
                             "generator has no end here.")
        if self.steps is None and is_dataset(source):
            _refuse_endless(source, graph, what)
        self._current = None

    def _begun(self):
        if self.is_sequence:
            return self._of_sequence()
        if hasattr(self.source, "get_next"):
            return self._of_iterator(self.source)
        if is_dataset(self.source):
            return _batches_of_dataset(self.source, self.graph)
        return iter(self.source)

    def _of_iterator(self, iterator):
        get_next = _next_elements.get(iterator)
        if get_next is None:
            get_next = _next_elements[iterator] = iterator.get_next()
        session = _backend.session_of_models(_nest.flatten(get_next)[0].graph)
        while True:
            try:
                batch = session.run(get_next)
            except _tf.errors.OutOfRangeError:
                return
            yield batch

    def _of_sequence(self):
        order = list(range(len(self.source)))
        if self.shuffle:
            _random.shuffle(order)
        if isinstance(self.source, MadeInThreads):
            yield from self.source.in_order(order)
            return
        for number in order:
            yield self.source[number]

    def epoch(self):
        """The batches of the next epoch: so many steps where that was said, else all that there are."""
        begins_anew = self.is_sequence or not hasattr(self.source, "__next__") and (
            self.steps is None or self.what != "steps_per_epoch" and is_dataset(self.source))
        if self._current is None or begins_anew:
            self._current = self._begun()
        taken = 0
        while self.steps is None or taken < self.steps:
            try:
                batch = next(self._current)
            except StopIteration:
                if self.is_sequence and self.steps is not None and len(self.source):
                    self._current = self._begun()
                    continue
                if self.steps is not None:
                    is_validation = self.what == "validation_steps"
                    _tf.logging.warning("Your dataset%s ran out of data; interrupting training. Make sure that your %s can generate at "
                                        "least `%s * epochs` batches (in this case, %d batches). You may need to use the repeat() function "
                                        "when building your dataset." % (" iterator" if is_validation else "",
                                                                         "iterator" if is_validation else "dataset",
                                                                         self.what, self.steps * self.epochs))
                    self.ended = True
                return
            taken += 1
            yield batch
        if self.is_sequence:
            self._current.close()  # no thread makes a batch while on_epoch_end() changes them

    ended = False

    def on_epoch_end(self):
        if self.is_sequence:
            self.source.on_epoch_end()


def parts_of(batch, what="fit"):
    """(x, y, sample_weight) of what a generator or dataset gives. To predict, a list is the inputs of a model that has several."""
    if not isinstance(batch, tuple if what == "predict" else (tuple, list)):
        return batch, None, None
    if len(batch) > 3:
        raise ValueError("Output of generator should be a tuple `(x, y, sample_weight)` or `(x, y)`. Found: %s" % (batch,))
    return (*batch, None, None)[:3]


class _Means:
    """Of batches: the metrics are those of elements, the losses of several outputs those of steps; so is the whole loss, but for arrays and in
    the training with generators, as tf.keras has them."""

    def __init__(self, names, of_steps, running=()):
        self.names, self.of_steps, self.running = list(names), set(of_steps), set(running)
        self.sums, self.counts = _np.zeros(len(self.names)), _np.zeros(len(self.names))

    def add(self, scores, counts):
        for i, (score, count) in enumerate(zip(scores, counts)):
            if i in self.running:  # no mean: it takes the place of the one before
                self.sums[i], self.counts[i] = score, 1.0
                continue
            count = 1.0 if i in self.of_steps else count
            if count > 0:
                self.sums[i] += score * count
                self.counts[i] += count

    def values(self):
        return [float(total / (count or 1.0)) for total, count in zip(self.sums, self.counts)]

    def logs(self, prefix=""):
        return {prefix + name: value for name, value in zip(self.names, self.values())}


def _means_of(model, of_elements=False):
    return _Means(model.metrics_names, range(1 if of_elements else 0, 1 + model._num_losses), model._running)


def _size_of(x):
    return len(_nest.flatten(x)[0])


def evaluated(model, stream, callbacks=None):
    means = None
    for step, batch in enumerate(stream.epoch()):
        x, y, weights = parts_of(batch)
        of_batch = {"batch": step, "size": 1 if is_dataset(stream.source) else _size_of(x)}
        if callbacks is not None:
            callbacks.on_test_batch_begin(step, dict(of_batch))
        scores, counts = model._step_of(x, y, weights, None, False, begins=means is None)
        means = means or _means_of(model, of_elements=getattr(stream.source, "are_arrays", False))
        means.add(scores, counts)
        if callbacks is not None:
            callbacks.on_test_batch_end(step, {**of_batch, **means.logs(), "loss": float(scores[0])})
            if model.stop_training:
                break
    if means is None:
        raise ValueError("Empty training data.\nThe dataset or generator gives no batch.")
    return means


def validated(model, stream, callbacks):
    """The logs of a validation, of which callbacks hear as evaluate()'s do."""
    callbacks.on_test_begin({})
    logs = evaluated(model, stream, callbacks).logs("val_")
    callbacks.on_test_end({})
    return logs


def fit(model, x, epochs, verbose, callbacks, validation, shuffle, class_weight, initial_epoch, steps_per_epoch, validation_steps,
        validation_freq, write):
    """`validation`: None, or a function that gives the logs of it, and takes callbacks."""
    stream = _Stream(x, steps_per_epoch, "steps_per_epoch", shuffle, model._own_graph, epochs)
    history = _callbacks.History()
    watchers = [*(callbacks or ()), history]
    model._stop_anew()
    params = {"batch_size": None, "epochs": epochs, "steps": stream.steps, "samples": None, "verbose": verbose,
              "do_validation": validation is not None, "metrics": model._metrics_of_fit(validation)}
    if getattr(x, "are_arrays", False):
        params.update(batch_size=x.batch_size, steps=None, samples=x.size)
    for callback in watchers:
        callback.set_params(params)
        callback.set_model(model)
    every = _callbacks._All(watchers)
    every.on_train_begin({})
    for epoch in range(initial_epoch, epochs):
        if model.stop_training or stream.ended:
            break
        if verbose > 0 and epochs > 1:
            write("Epoch %d/%d\n" % (epoch + 1, epochs))
        begun = _time.monotonic()
        every.on_epoch_begin(epoch, {})
        bar = _utils.Progbar(stream.steps, verbose=verbose if verbose == 1 else 0)
        bar._sets_values = True  # they are means already
        means, step = None, 0
        for batch in stream.epoch():
            inputs, y, weights = parts_of(batch)
            of_batch = {"batch": step, "size": 1 if is_dataset(x) else _size_of(inputs)}
            every.on_batch_begin(step, dict(of_batch))
            scores, counts = model._step_of(inputs, y, weights, class_weight, True, begins=means is None)
            means = means or _means_of(model, of_elements=not is_dataset(x))
            means.add(scores, counts)
            step += 1
            every.on_batch_end(step - 1, {**of_batch, **means.logs(), "loss": float(scores[0])})
            if verbose == 1 and (stream.steps is None or step < stream.steps):
                bar.update(step, list(means.logs().items()), finalize=False)
            if model.stop_training:
                break
        if means is None:
            if stream.ended and epoch > initial_epoch:
                break  # the epoch before had the last batch
            raise ValueError("Empty training data.\nThe dataset or generator gives no batch.")
        if stream.steps is None:
            stream.steps = None if stream.is_sequence else stream.steps
        logs = means.logs()
        if validation is not None and _validates(validation_freq, epoch) and not (model.stop_training or stream.ended):
            logs.update(validation(every))
        every.on_epoch_end(epoch, logs)
        if verbose == 1:
            bar.target = step
            bar.update(step, list(logs.items()), finalize=True)
        elif verbose == 2:
            seconds = _time.monotonic() - begun
            told = "".join(_utils.told(name, value) for name, value in logs.items())
            write("%d/%d - %.0fs%s - %.0fms/epoch - %.0fms/step\n" % (step, step, seconds, told, seconds * 1e3, seconds * 1e3 / step))
        stream.on_epoch_end()
    every.on_train_end({})
    model.history = history
    return history


def _validates(validation_freq, epoch):
    """Whether validation follows this epoch, whose number counts from 0."""
    if hasattr(validation_freq, "__index__"):
        if validation_freq < 1:
            raise ValueError("`validation_freq` can not be less than 1.")
        return (epoch + 1) % validation_freq == 0
    return epoch + 1 in validation_freq


def stream_of(model, source, steps, what, shuffle=False):
    return _Stream(source, steps, what, shuffle, model._own_graph)


def _told_of(model, source, steps, callbacks, metrics):
    """All callbacks, which know what they will hear of; None where there are none."""
    if not callbacks:
        return None
    is_arrays = getattr(source, "are_arrays", False)
    params = {"batch_size": source.batch_size if is_arrays else None, "epochs": 1, "steps": steps, "samples": source.size if is_arrays else None,
              "verbose": 0, "do_validation": False, "metrics": metrics}
    for callback in callbacks:
        callback.set_params(params)
        callback.set_model(model)
    model._stop_anew()
    return _callbacks._All(callbacks)


def evaluate(model, source, steps, callbacks=None):
    every = _told_of(model, source, steps, callbacks, list(model.metrics_names))
    if every is not None:
        every.on_test_begin({})
    values = evaluated(model, stream_of(model, source, steps, "steps"), every).values()
    if every is not None:
        every.on_test_end({})
    return values


def predict(model, source, steps, callbacks=None):
    parts = []
    every = _told_of(model, source, steps, callbacks, [])
    if every is not None:
        every.on_predict_begin({})
    for step, batch in enumerate(stream_of(model, source, steps, "steps").epoch()):
        x = parts_of(batch, "predict")[0]
        of_batch = {"batch": step, "size": 1 if is_dataset(source) else _size_of(x)}
        if every is not None:
            every.on_predict_batch_begin(step, dict(of_batch))
        made = model.predict_on_batch(x)
        if every is not None:
            every.on_predict_batch_end(step, {**of_batch, "outputs": made if isinstance(made, list) else [made]})
        parts.append(made)
    if every is not None:
        every.on_predict_end({})
    if not parts:
        raise ValueError("There were no batches to predict for: the dataset or generator is empty.")
    if isinstance(parts[0], list):
        return [_np.concatenate(of_output) for of_output in zip(*parts)]
    return _np.concatenate(parts)
