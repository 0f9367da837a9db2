"""tf.train.SyncReplicasOptimizer: replicas whose gradients are averaged before the variables change."""

import sys as _sys
import time as _time

from flowray import _native
from flowray.tf import _coordinator
from flowray.tf import _language
from flowray.tf import _session_run_hooks as _hooks
from flowray.tf._session_manager import SessionManager as _SessionManager

_WORDS_EVERY_S, _LOOK_EVERY_S = 10, 1


class _ChiefQueueRunner(_coordinator.QueueRunner):
    """Its thread waits for gradients that nobody may give any more: the end of the coordinator ends its step."""

    _optimizer = None  # set where it drops replicas, and so runs the step itself

    def create_threads(self, sess, coord=None, daemon=False, start=False):
        self._cancellation = _native.StepCancellation()
        return super().create_threads(sess, coord, daemon, start)

    def _step(self, sess, op):
        if self._optimizer is not None:
            return lambda: self._optimizer._run_chief_step(sess, self._cancellation)
        options = _language.RunOptions(_cancellation=self._cancellation)
        return lambda: sess.run(op, options=options)

    def _cancel_when_stopped(self, sess, coord):
        coord.wait_for_stop()
        self._cancellation.cancel()
        super()._cancel_when_stopped(sess, coord)


class SyncReplicasOptimizer(_native.train.SyncReplicasBase):
    """Averages the gradients of `replicas_to_aggregate` replicas and applies them by `opt`, once for each step of all.

    Each replica runs what minimize() gives; the chief also runs what get_chief_queue_runner() fills, and get_init_tokens_op() once.
    make_session_run_hook() does that in a MonitoredTrainingSession. Gradients of an earlier step are dropped. With `drop_after_secs`,
    which TensorFlow's does not have, a step goes on after so many seconds with the gradients that are there, one at least; tokens
    that nobody takes any more go to the others, which give more than one gradient to a step then. 0: a replica that died may be
    waited for without end.
    """

    def __init__(self, opt, replicas_to_aggregate, total_num_replicas=None, variable_averages=None, variables_to_average=None,
                 use_locking=False, name="sync_replicas", drop_after_secs=0.0):
        self._opt, self._averages, self._drops = opt, variable_averages, drop_after_secs > 0
        super().__init__(opt, replicas_to_aggregate, total_num_replicas, variable_averages, variables_to_average, use_locking, name,
                         drop_after_secs)

    def get_chief_queue_runner(self):
        """The thread that applies the gradients."""
        queue, step, close, cancel = self._chief_queue()
        runner = _ChiefQueueRunner(queue, [step], close, cancel)
        runner._optimizer = self if self._drops else None
        return runner

    def make_session_run_hook(self, is_chief, num_tokens=-1):
        """What a MonitoredTrainingSession needs of this, in the chief or in another replica."""
        return _SyncReplicasOptimizerHook(self, is_chief, num_tokens)


class _SyncReplicasOptimizerHook(_hooks.SessionRunHook):
    def __init__(self, optimizer, is_chief, num_tokens):
        self._optimizer, self._is_chief, self._num_tokens = optimizer, is_chief, num_tokens
        self._next_word = None  # when it is said that a step waits; None: none does

    def begin(self):
        optimizer = self._optimizer
        self._init_op = optimizer.chief_init_op if self._is_chief else optimizer.local_step_init_op
        self._ready_op = optimizer.ready_for_local_init_op
        self._runner = optimizer.get_chief_queue_runner() if self._is_chief else None
        self._tokens_op = optimizer.get_init_tokens_op(self._num_tokens) if self._is_chief else None

    def after_create_session(self, session, coord):
        against = _SessionManager._missing(session, self._ready_op)
        if against:
            raise RuntimeError("Init operations did not make model ready for SyncReplicasOptimizer local_init. Init op: %s, error: %s"
                               % (self._init_op.name, against))
        session.run(self._init_op)
        if self._tokens_op is not None:
            session.run(self._tokens_op)
        if self._runner is not None:
            self._runner.create_threads(session, coord=coord, daemon=True, start=True)
        self._next_word = None  # a step of the session before was not over
        if not session.sess_str:  # a session on a server says it by itself
            _coordinator.LooperThread.loop(coord, _LOOK_EVERY_S, self._say_who_is_waited_for)

    def before_run(self, run_context):
        self._next_word = _time.monotonic() + _WORDS_EVERY_S

    def after_run(self, run_context, run_values):
        self._next_word = None

    def _say_who_is_waited_for(self):
        next_word = self._next_word
        if next_word is not None and _time.monotonic() >= next_word:
            self._next_word = _time.monotonic() + _WORDS_EVERY_S
            print("flowray: still waiting for the step's token: the chief gives it when all replicas have given their gradients. "
                  "operation_timeout_in_ms of the session says how long, the chief's drop_after_secs which replicas are not waited for",
                  file=_sys.stderr, flush=True)
