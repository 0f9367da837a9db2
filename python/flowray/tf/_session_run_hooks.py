"""Hooks of tf.train.MonitoredSession: what happens before and after each of its steps."""

import os as _os
import time as _time
from collections import namedtuple as _namedtuple

from flowray import _native
from flowray.tf import _language
from flowray.tf._session_manager import Words as _Words


def _log():
    """tf.logging, imported late: Python's logging takes a part of the package's import."""
    from flowray.tf import logging
    return logging


SessionRunArgs = _namedtuple("SessionRunArgs", ["fetches", "feed_dict", "options"])
SessionRunArgs.__new__.__defaults__ = (None, None)
SessionRunValues = _namedtuple("SessionRunValues", ["results", "options", "run_metadata"])


class SessionRunContext:
    """What a hook learns of the step that it stands at."""

    def __init__(self, original_args, session):
        self._original_args, self._session, self._stop_requested = original_args, session, False

    @property
    def original_args(self):
        return self._original_args

    @property
    def session(self):
        return self._session

    @property
    def stop_requested(self):
        return self._stop_requested

    def request_stop(self):
        """After this step the session's should_stop() is true."""
        self._stop_requested = True


class SessionRunHook:
    """The base of all hooks, which do what they override."""

    def begin(self):
        """Once, while the graph may still be changed."""

    def after_create_session(self, session, coord):
        """When a session is made, and made again."""

    def before_run(self, run_context):
        """SessionRunArgs to be run along, or None."""
        return None

    def after_run(self, run_context, run_values):
        """With what before_run() asked for."""

    def end(self, session):
        """Once, where no error has ended the work."""


class NanLossDuringTrainingError(RuntimeError):
    def __str__(self):
        return "NaN loss during training."


class SecondOrStepTimer:
    """Tells when so many steps, or seconds, are over; the first time at once."""

    def __init__(self, every_secs=None, every_steps=None):
        if every_secs is None and every_steps is None:
            raise ValueError("Either every_secs or every_steps should be provided.")
        if every_secs is not None and every_steps is not None:
            raise ValueError("Can not provide both every_secs and every_steps.")
        self._every_secs, self._every_steps = every_secs, every_steps
        self.reset()

    def reset(self):
        self._last_step = self._last_time = None

    def last_triggered_step(self):
        return self._last_step

    def should_trigger_for_step(self, step):
        if self._last_step is None:
            return True
        if step == self._last_step:
            return False
        if self._every_secs is not None:
            return _time.monotonic() >= self._last_time + self._every_secs
        return step >= self._last_step + self._every_steps

    def update_last_triggered_step(self, step):
        """(seconds, steps) since the last time; (None, None) the first time."""
        now = _time.monotonic()
        passed = (None, None) if self._last_step is None else (now - self._last_time, step - self._last_step)
        self._last_step, self._last_time = step, now
        return passed


class FileWriterCache:
    """One writer for each folder, whoever writes there."""

    _writers = {}

    @staticmethod
    def get(logdir):
        writer = FileWriterCache._writers.get(logdir)
        if writer is None:
            writer = FileWriterCache._writers[logdir] = _native.summary.FileWriter(logdir, _native.get_default_graph())
        return writer

    @staticmethod
    def clear():
        """Closes them."""
        for writer in FileWriterCache._writers.values():
            writer.close()
        FileWriterCache._writers.clear()


def _global_step(hook, name=None):
    steps = _language.get_collection(_language.GraphKeys.GLOBAL_STEP)
    if not steps:
        raise RuntimeError("Global step should be created to use %s." % (name or type(hook).__name__))
    return steps[0]


class StopAtStepHook(SessionRunHook):
    """Ends after `num_steps` steps more, or at the global step `last_step`."""

    def __init__(self, num_steps=None, last_step=None):
        if num_steps is None and last_step is None:
            raise ValueError("One of num_steps or last_step must be specified.")
        if num_steps is not None and last_step is not None:
            raise ValueError("Only one of num_steps or last_step can be specified.")
        self._num_steps, self._last_step = num_steps, last_step

    def begin(self):
        self._step = _global_step(self)

    def after_create_session(self, session, coord):
        if self._last_step is None:
            self._last_step = int(session.run(self._step)) + self._num_steps

    def before_run(self, run_context):
        return SessionRunArgs(self._step)

    def after_run(self, run_context, run_values):
        if run_values.results + 1 >= self._last_step and int(run_context.session.run(self._step)) >= self._last_step:
            run_context.request_stop()


class CheckpointSaverListener:
    """What happens around the savings of a CheckpointSaverHook."""

    def begin(self):
        """Once, while the graph may still be changed."""

    def before_save(self, session, global_step_value):
        """Before each checkpoint."""

    def after_save(self, session, global_step_value):
        """After each; True ends the training."""

    def end(self, session, global_step_value):
        """Once, after the last one."""


class CheckpointSaverHook(SessionRunHook):
    """Saves every so many seconds or steps, at the begin and at the end."""

    def __init__(self, checkpoint_dir, save_secs=None, save_steps=None, saver=None, checkpoint_basename="model.ckpt",
                 scaffold=None, listeners=None, save_graph_def=True):
        _log().info("Create %s.", "CheckpointSaverHook")
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._saver, self._scaffold = saver, scaffold
        self._folder, self._path = checkpoint_dir, _os.path.join(checkpoint_dir, checkpoint_basename)
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._saves_graph, self._listeners = save_graph_def, list(listeners or [])

    def begin(self):
        self._step = _global_step(self)
        self._writer = FileWriterCache.get(self._folder)
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session, coord):
        _os.makedirs(self._folder, exist_ok=True)
        if self._saves_graph:
            _native.write_graph(session.graph.as_graph_def(add_shapes=True), self._folder, "graph.pbtxt", True)
        self._save(session, int(session.run(self._step)))

    def before_run(self, run_context):
        return SessionRunArgs(self._step)

    def after_run(self, run_context, run_values):
        if self._timer.should_trigger_for_step(run_values.results + 1):  # nobody knows yet who increased it when
            step = int(run_context.session.run(self._step))
            if self._timer.should_trigger_for_step(step) and self._save(run_context.session, step):
                run_context.request_stop()

    def end(self, session):
        step = int(session.run(self._step))
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _found_saver(self):
        """The saver that was given, the scaffold's, or the one that the session's scaffold has put into the graph's collection."""
        if self._saver is None:
            if self._scaffold is not None:
                return self._scaffold.saver
            savers = _language.get_collection(_language.GraphKeys.SAVERS)
            if len(savers) != 1:
                raise RuntimeError("%s in collection savers. %s" % (
                    ("More than one item", "Please indicate which one to use by passing it to the constructor.") if savers else
                    ("No items", "Please add a saver to the collection or provide a saver or scaffold.")))
            self._saver = savers[0]
        return self._saver

    def _save(self, session, step):
        """Whether a listener wants the end."""
        from flowray.tf._messages import SessionLog
        _log().info("Calling checkpoint listeners before saving checkpoint %d...", step)
        for listener in self._listeners:
            listener.before_save(session, step)
        _log().info("Saving checkpoints for %d into %s.", step, self._path)
        path = self._found_saver().save(session, self._path, global_step=step, write_meta_graph=self._saves_graph)
        self._timer.update_last_triggered_step(step)
        self._writer.add_session_log(SessionLog(status=SessionLog.CHECKPOINT, checkpoint_path=path), step)
        _log().info("Calling checkpoint listeners after saving checkpoint %d...", step)
        return any([self._wants_the_end(listener, session, step) for listener in self._listeners])

    @staticmethod
    def _wants_the_end(listener, session, step):
        wants = listener.after_save(session, step)
        if wants:
            _log().info("A CheckpointSaverListener requested that training be stopped. listener: %s", listener)
        return wants


class SummarySaverHook(SessionRunHook):
    """Writes summaries every so many steps or seconds."""

    def __init__(self, save_steps=None, save_secs=None, output_dir=None, summary_writer=None, scaffold=None, summary_op=None):
        if (scaffold is None) == (summary_op is None):
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        self._summary_op, self._scaffold = summary_op, scaffold
        self._writer, self._folder = summary_writer, output_dir
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self):
        if self._writer is None and self._folder:
            self._writer = FileWriterCache.get(self._folder)
        self._step = _global_step(self)
        self._next, self._asked = None, False

    def before_run(self, run_context):
        self._asked = self._next is None or self._timer.should_trigger_for_step(self._next)
        fetches = {"step": self._step}
        summary = self._summary_op if self._scaffold is None else self._scaffold.summary_op
        if self._asked and summary is not None:
            fetches["summary"] = summary
        return SessionRunArgs(fetches)

    def after_run(self, run_context, run_values):
        step = int(run_values.results["step"]) + 1
        if self._next is None or self._asked:
            step = int(run_context.session.run(self._step))
        if self._asked:
            self._timer.update_last_triggered_step(step)
            if self._writer is not None and "summary" in run_values.results:
                self._writer.add_summary(run_values.results["summary"], step)
        self._next = step + 1

    def end(self, session=None):
        if self._writer is not None:
            self._writer.flush()


class StepCounterHook(SessionRunHook):
    """Tells how many steps a second are done, in the log and as a summary."""

    def __init__(self, every_n_steps=100, every_n_secs=None, output_dir=None, summary_writer=None):
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError("exactly one of every_n_steps and every_n_secs should be provided.")
        self._timer = SecondOrStepTimer(every_steps=every_n_steps, every_secs=every_n_secs)
        self._writer, self._folder = summary_writer, output_dir

    def begin(self):
        if self._writer is None and self._folder:
            self._writer = FileWriterCache.get(self._folder)
        self._step = _global_step(self)

    def before_run(self, run_context):
        return SessionRunArgs(self._step)

    def after_run(self, run_context, run_values):
        if not self._timer.should_trigger_for_step(run_values.results + 1):
            return
        step = int(run_context.session.run(self._step))
        if self._timer.should_trigger_for_step(step):
            seconds, steps = self._timer.update_last_triggered_step(step)
            if seconds:
                self._tell(steps / seconds, step)

    def _tell(self, rate, step):
        from flowray.tf._messages import Summary
        _log().info("%s/sec: %g", self._step.op.name, rate)
        if self._writer is not None:
            self._writer.add_summary(Summary(value=[Summary.Value(tag=self._step.op.name + "/sec", simple_value=rate)]), step)


class LoggingTensorHook(SessionRunHook):
    """Tells tensors' values every so many steps or seconds, or at the end."""

    def __init__(self, tensors, every_n_iter=None, every_n_secs=None, at_end=False, formatter=None):
        only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not only_at_end and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError("either at_end and/or exactly one of every_n_iter and every_n_secs must be provided.")
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError("invalid every_n_iter=%s." % every_n_iter)
        if not isinstance(tensors, dict):
            tensors = {item if isinstance(item, str) else item.name: item for item in tensors}
        self._tensors, self._formatter, self._at_end = tensors, formatter, at_end
        self._timer = None if only_at_end else SecondOrStepTimer(every_secs=every_n_secs, every_steps=every_n_iter)

    def begin(self):
        graph = _native.get_default_graph()
        found = {tag: graph.as_graph_element(item) for tag, item in self._tensors.items()}
        self._found = {tag: item.outputs[0] if isinstance(item, _native.Operation) and len(item.outputs) == 1 else item
                       for tag, item in found.items()}  # the name of an operation is that of what it gives
        self._count, self._asked = 0, False

    def before_run(self, run_context):
        self._asked = self._timer is not None and self._timer.should_trigger_for_step(self._count)
        return SessionRunArgs(self._found) if self._asked else None

    def after_run(self, run_context, run_values):
        if self._asked:
            self._tell(run_values.results)
        self._count += 1

    def end(self, session):
        if self._at_end:
            self._tell(session.run(self._found))

    def _tell(self, values):
        seconds = self._timer.update_last_triggered_step(self._count)[0] if self._timer is not None else None
        if self._formatter:
            _log().info(self._formatter(values))
            return
        text = ", ".join("%s = %s" % (tag, values[tag]) for tag in self._tensors)
        _log().info(text if seconds is None else "%s (%.3f sec)" % (text, seconds))


class NanTensorHook(SessionRunHook):
    """Ends the work, or fails, when a loss becomes NaN."""

    def __init__(self, loss_tensor, fail_on_nan_loss=True):
        self._loss, self._fails = loss_tensor, fail_on_nan_loss

    def before_run(self, run_context):
        return SessionRunArgs(self._loss)

    def after_run(self, run_context, run_values):
        import numpy
        if not numpy.isnan(run_values.results).any():
            return
        _log().log(_log().ERROR if self._fails else _log().WARN, "Model diverged with loss = NaN.")
        if self._fails:
            raise NanLossDuringTrainingError
        run_context.request_stop()


class FinalOpsHook(SessionRunHook):
    """Runs something at the end; `final_ops_values` are its values."""

    def __init__(self, final_ops, final_ops_feed_dict=None):
        self._ops, self._feeds, self._values = final_ops, final_ops_feed_dict, None

    @property
    def final_ops_values(self):
        return self._values

    def end(self, session):
        if self._ops is not None:
            self._values = session.run(self._ops, feed_dict=self._feeds)


class FeedFnHook(SessionRunHook):
    """Feeds each step what a function gives."""

    def __init__(self, feed_fn):
        self.feed_fn = feed_fn

    def before_run(self, run_context):
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())


class GlobalStepWaiterHook(SessionRunHook):
    """Holds the first step until others have come to a global step: workers that begin one after the other. After `max_wait_secs`,
    which TensorFlow's does not have, it is a DeadlineExceededError of the step."""

    def __init__(self, wait_until_step, max_wait_secs=None):
        self._until, self._max_wait_secs, self._has_begun = wait_until_step, max_wait_secs, False

    def begin(self):
        self._step = _global_step(self, "_GlobalStepWaiterHook")

    def before_run(self, run_context):
        if self._has_begun or self._until <= 0:
            return None
        from flowray.tf import errors
        begin, words = _time.monotonic(), _Words()
        while True:
            step, now = int(run_context.session.run(self._step)), _time.monotonic()
            if step >= self._until:
                break
            if self._max_wait_secs is not None and now >= begin + self._max_wait_secs:
                raise errors.DeadlineExceededError(None, None, "The global step was %d after waiting %s secs for step %d.\nDo the other "
                                                   "workers train, and do they use the same parameter servers?"
                                                   % (step, self._max_wait_secs, self._until))
            words.say("Waiting for global step %d before starting training. Current step is %d." % (self._until, step))
            _time.sleep(0.1)
        self._has_begun = True
        return None


class ProfilerHook(SessionRunHook):
    """Traces a step every so many steps or seconds: timeline-STEP.json for ui.perfetto.dev, and for TensorBoard. `show_dataflow` and
    `show_memory` are those of Timeline.generate_chrome_trace_format()."""

    def __init__(self, save_steps=None, save_secs=None, output_dir="", show_dataflow=True, show_memory=False):
        _native._refuse(show_memory or None, "tf.train.ProfilerHook", "show_memory")
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._folder, self._dataflow = output_dir, show_dataflow

    def begin(self):
        self._writer = FileWriterCache.get(self._folder or ".")
        self._step, self._next, self._asked = _global_step(self), None, False

    def before_run(self, run_context):
        self._asked = self._next is not None and self._timer.should_trigger_for_step(self._next)
        options = _language.RunOptions(trace_level=_language.RunOptions.FULL_TRACE) if self._asked else None
        return SessionRunArgs(self._step, options=options)

    def after_run(self, run_context, run_values):
        step = int(run_values.results)
        if self._next is None:
            self._timer.update_last_triggered_step(step)  # the first step makes everything ready: it is not traced
        step += 1
        if self._asked:
            step = int(run_context.session.run(self._step))
            self._timer.update_last_triggered_step(step)
            trace = _native.Timeline(run_values.run_metadata.step_stats)
            text = trace.generate_chrome_trace_format(show_dataflow=self._dataflow)
            path = _os.path.join(self._folder, "timeline-%d.json" % step)
            _log().info("Saving timeline for %d into '%s'.", step, path)
            _native.train._write_file(path, text.encode())
            self._writer.add_run_metadata(run_values.run_metadata, "step_%d" % step)
        self._next = step + 1
