"""tf.test.TestCase: unittest's with sessions, and with assertions about arrays, tensors and errors."""

import contextlib
import math
import random
import re
import tempfile
import threading
import unittest

import numpy as np

from flowray import _native
from flowray.tf import errors
from flowray.tf._language import ConfigProto, Session

SEED = 87654321  # of each test's graph, as in TensorFlow


class _CheckedThread:
    """A thread whose error is its test's."""

    def __init__(self, test, target, args=None, kwargs=None):
        self._test, self._target, self._args, self._kwargs = test, target, args or (), kwargs or {}
        self._thread = threading.Thread(target=self._run)
        self._exception, self._is_joined = None, False

    def _run(self):
        try:
            self._target(*self._args, **self._kwargs)
        except Exception as error:  # noqa: BLE001: join() raises it
            self._exception = error

    def start(self):
        self._thread.start()

    def join(self):
        self._is_joined = True
        self._thread.join()
        if self._exception is not None:
            self._test.fail("Error in checkedThread: %s" % self._exception)

    def is_alive(self):
        return self._thread.is_alive()

    def check_termination(self):
        if not self._is_joined:
            self._test.fail("A checked thread was not joined.")


class _Sessions(unittest.TestCase):
    """The graph and the sessions of a test."""

    _cached, _temp_dir = None, None

    def setUp(self):
        super().setUp()
        self._close_cached()
        self._threads = []
        random.seed(SEED)
        np.random.seed(SEED)
        _native.reset_default_graph()
        _native.set_random_seed(SEED)

    def tearDown(self):
        threads, self._threads = self.__dict__.get("_threads", []), []
        for thread in threads:
            thread.check_termination()
        self._close_cached()
        super().tearDown()

    def _close_cached(self):
        if self._cached is not None:
            self._cached[0].close()
            self._cached = None

    def get_temp_dir(self):
        """A folder of this test's."""
        if self._temp_dir is None:
            from flowray.tf.test import get_temp_dir
            self._temp_dir = tempfile.mkdtemp(dir=get_temp_dir())
        return self._temp_dir

    @contextlib.contextmanager
    def _as_default(self, session, use_gpu):
        with session.graph.as_default(), session.as_default():
            if use_gpu:
                yield session
            else:
                with _native._device("/device:CPU:0"):
                    yield session

    @contextlib.contextmanager
    def session(self, graph=None, config=None, use_gpu=True, force_gpu=False):
        """A new session, which is the default one meanwhile."""
        with Session(graph=graph, config=config or ConfigProto()) as session, self._as_default(session, use_gpu):
            yield session

    def _cached_session(self, graph, config, force_gpu, is_strict):
        if self._cached is None:
            self._cached = (Session(graph=graph, config=config or ConfigProto()), graph, config, force_gpu)
            return self._cached[0]
        session, *made_with = self._cached
        for what, given, known in zip(("graph", "config", "value of force_gpu"), (graph, config, force_gpu), made_with):
            if is_strict and given is not known:
                raise ValueError("The %s used to get the cached session is different than the one that was used to create the session. "
                                 "Maybe create a new session with self.session()" % what)
        return session

    @contextlib.contextmanager
    def cached_session(self, graph=None, config=None, use_gpu=True, force_gpu=False):
        """The test's one session, which is the default one meanwhile."""
        with self._as_default(self._cached_session(graph, config, force_gpu, True), use_gpu) as session:
            yield session

    @contextlib.contextmanager
    def test_session(self, graph=None, config=None, use_gpu=True, force_gpu=False):
        """The test's one session, or a new one on a graph that is given."""
        if graph is None:
            with self._as_default(self._cached_session(graph, config, force_gpu, False), use_gpu) as session:
                yield session
        else:
            with self.session(graph, config, use_gpu, force_gpu) as session:
                yield session

    test_session.__test__ = False  # no test, though its name begins like one's

    def evaluate(self, tensors):
        """Their values by the default session, or by the test's."""
        session = _native.get_default_session()
        if session is not None:
            return session.run(tensors)
        with self.test_session() as session:
            return session.run(tensors)

    def checkedThread(self, target, args=None, kwargs=None):  # noqa: N802: TensorFlow's names, all of these
        """A thread that must be joined and whose error fails the test."""
        thread = _CheckedThread(self, target, args, kwargs)
        self._threads.append(thread)
        return thread


def _message(msg):
    return "" if not msg else "\n" + (msg if isinstance(msg, str) else str(msg))


class _ArrayAssertions(_Sessions):
    """Arrays, and tensors by their values."""

    def _array(self, value):
        if isinstance(value, (np.ndarray, np.generic)):
            return np.asarray(value)
        if isinstance(value, (_native.Tensor, _native.Variable)):
            return np.asarray(self.evaluate(value))
        if isinstance(value, (list, tuple)) and any(isinstance(item, (_native.Tensor, _native.Variable)) for item in value):
            return np.asarray([self._array(item) for item in value])
        return np.array(value)

    def _arrays(self, first, second):
        """Both, of one step where both are tensors."""
        if all(isinstance(value, (_native.Tensor, _native.Variable)) for value in (first, second)):
            first, second = self.evaluate([first, second])
        return self._array(first), self._array(second)

    def _check_shapes(self, first, second, msg):
        if first.shape != second.shape:
            shown = "" if first.ndim > 3 and first.size > 1000 else "\nContents: %r and %r." % (first, second)
            self.fail("Shape mismatch: expected %s, got %s.%s%s" % (first.shape, second.shape, shown, _message(msg)))

    def _all_close(self, first, second, rtol, atol, path, msg):
        if hasattr(first, "_asdict"):
            first = first._asdict()
        if hasattr(second, "_asdict"):
            second = second._asdict()
        where = "" if not path else "\nIn the place %s of the structures." % path
        if isinstance(first, dict) != isinstance(second, dict):
            self.fail("Can't compare dict to non-dict, %s vs %s.%s" % (type(first), type(second), _message(msg)))
        if isinstance(first, dict):
            self.assertCountEqual(first, second, "mismatched keys%s" % _message(msg))
            for key in first:
                self._all_close(first[key], second[key], rtol, atol, "%s[%s]" % (path, key), msg)
            return
        if isinstance(first, (list, tuple)) and isinstance(second, (list, tuple)) and self._is_ragged(first, second):
            self.assertEqual(len(first), len(second), "Mismatched length%s%s" % (where, _message(msg)))
            for i, (one, other) in enumerate(zip(first, second)):
                self._all_close(one, other, rtol, atol, "%s[%d]" % (path, i), msg)
            return
        one, other = self._arrays(first, second)
        self._check_shapes(one, other, where + _message(msg))
        if not np.allclose(one, other, rtol=rtol, atol=atol):
            np.testing.assert_allclose(one, other, rtol=rtol, atol=atol, equal_nan=False, err_msg=where + _message(msg))

    def _is_ragged(self, first, second):
        """Whether they are structures, and no arrays as Python writes them."""
        for value in (first, second):
            if any(isinstance(item, (dict, _native.Tensor, _native.Variable)) or hasattr(item, "_asdict") for item in value):
                return True
            try:
                if np.array(value).dtype == object:
                    return True
            except ValueError:  # lists of several lengths
                return True
        return False

    def assertAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None):  # noqa: N802
        """|a - b| <= atol + rtol * |b| for each element, in structures, too."""
        self._all_close(a, b, rtol, atol, "", msg)

    def assertAllCloseAccordingToType(self, a, b, rtol=1e-6, atol=1e-6, float_rtol=1e-6, float_atol=1e-6, half_rtol=1e-3,  # noqa: N802
                                      half_atol=1e-3, bfloat16_rtol=1e-2, bfloat16_atol=1e-2, msg=None):
        """assertAllClose with the tolerances of the dtype that has the fewest digits."""
        a, b = self._arrays(a, b)
        for name, its_rtol, its_atol in (("float32", float_rtol, float_atol), ("complex64", float_rtol, float_atol),
                                         ("float16", half_rtol, half_atol), ("bfloat16", bfloat16_rtol, bfloat16_atol)):
            if name in (a.dtype.name, b.dtype.name):
                rtol, atol = max(rtol, its_rtol), max(atol, its_atol)
        self.assertAllClose(a, b, rtol, atol, msg)

    def assertNotAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None):  # noqa: N802
        try:
            self.assertAllClose(a, b, rtol, atol)
        except AssertionError:
            return
        raise AssertionError("The two values are close at all elements.%s" % _message(msg))

    def assertAllEqual(self, a, b, msg=None):  # noqa: N802
        """Of equal shapes and elements; NaN equals NaN."""
        a, b = self._arrays(a, b)
        self._check_shapes(a, b, msg)
        same = a == b
        if a.dtype.kind in "fc" and b.dtype.kind in "fc":
            same = np.logical_or(same, np.logical_and(np.isnan(a), np.isnan(b)))
        if not np.all(same):
            if a.dtype.kind in "biufc" and b.dtype.kind in "biufc":
                np.testing.assert_array_equal(a, b, err_msg=_message(msg))
            self.fail("Arrays are not equal: %r and %r%s" % (a, b, _message(msg)))

    def assertNotAllEqual(self, a, b, msg=None):  # noqa: N802
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        raise AssertionError("The two values are equal at all elements.%s" % _message(msg))

    def _every(self, a, holds, words):
        array = self._array(a)
        if not np.all(holds(array)):
            self.fail("%s: %r" % (words, array))

    def assertAllGreater(self, a, comparison_target):  # noqa: N802
        self._every(a, lambda array: array > comparison_target, "Not all are greater than %s" % (comparison_target,))

    def assertAllGreaterEqual(self, a, comparison_target):  # noqa: N802
        self._every(a, lambda array: array >= comparison_target, "Not all are at least %s" % (comparison_target,))

    def assertAllLess(self, a, comparison_target):  # noqa: N802
        self._every(a, lambda array: array < comparison_target, "Not all are less than %s" % (comparison_target,))

    def assertAllLessEqual(self, a, comparison_target):  # noqa: N802
        self._every(a, lambda array: array <= comparison_target, "Not all are at most %s" % (comparison_target,))

    def assertAllInRange(self, target, lower_bound, upper_bound, open_lower_bound=False, open_upper_bound=False):  # noqa: N802
        array = self._array(target)
        if array.dtype.kind not in "iuf":
            raise AssertionError("The value of %s does not have an ordered numeric type, instead it has type: %s" % (target, array.dtype))
        below = array <= lower_bound if open_lower_bound else array < lower_bound
        above = array >= upper_bound if open_upper_bound else array > upper_bound
        if np.any(below | above | np.isnan(array)):
            self.fail("Not all are in the range %s%s, %s%s: %r" % ("(" if open_lower_bound else "[", lower_bound, upper_bound,
                                                                  ")" if open_upper_bound else "]", array))

    def assertAllInSet(self, target, expected_set):  # noqa: N802
        others = sorted(set(self._array(target).ravel().tolist()) - set(expected_set), key=repr)
        if others:
            raise AssertionError("%d unique element(s) are not in the set %s: %s" % (len(others), expected_set, others))

    def assertDTypeEqual(self, target, expected_dtype):  # noqa: N802
        dtype = target.dtype.base_dtype if hasattr(target.dtype, "base_dtype") else np.asarray(self._array(target)).dtype
        self.assertEqual(_native.as_dtype(dtype), _native.as_dtype(expected_dtype))

    def assertShapeEqual(self, input_a, input_b, msg=None):  # noqa: N802
        """Of arrays, and of tensors' shapes as the graph has them."""
        def sizes(value):
            return value.shape.as_list() if hasattr(value.shape, "as_list") else list(value.shape)
        for value in (input_a, input_b):
            if not isinstance(value, (np.ndarray, np.generic, _native.Tensor, _native.Variable)):
                raise TypeError("The input should be an instance of np.ndarray or of tf.Tensor")
        self.assertEqual(sizes(input_a), sizes(input_b), msg)

    def assertNear(self, f1, f2, err, msg=None):  # noqa: N802
        self.assertTrue(f1 == f2 or math.fabs(f1 - f2) <= err, "%f != %f +/- %f%s" % (f1, f2, err, " (%s)" % msg if msg else ""))

    def assertArrayNear(self, farray1, farray2, err, msg=None):  # noqa: N802
        self.assertEqual(len(farray1), len(farray2), msg)
        for f1, f2 in zip(farray1, farray2):
            self.assertNear(float(f1), float(f2), err, msg)

    def assertNDArrayNear(self, ndarray1, ndarray2, err, msg=None):  # noqa: N802
        """The norm of their difference is less than `err`."""
        distance = np.linalg.norm(np.asarray(ndarray1) - np.asarray(ndarray2))
        self.assertTrue(distance < err, "ndarrays are %s apart, not less than %s%s" % (distance, err, _message(msg)))


class TestCase(_ArrayAssertions):
    """A test of what builds graphs: each has a fresh default graph with a seed."""

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(self, exception_type, expected_err_re_or_predicate):  # noqa: N802
        """An exception of the type whose text, with what it says of its operation, matches."""
        try:
            yield
        except exception_type as error:
            if callable(expected_err_re_or_predicate):
                matches = expected_err_re_or_predicate(error)
            else:
                text = str(error)
                op = getattr(error, "op", None)
                if op is not None:
                    text += "\nCaused by op: %s" % op.name
                matches = re.search(expected_err_re_or_predicate, text) is not None
            if not matches:
                raise AssertionError("Exception of type %s: %s does not match %s" % (type(error), error, expected_err_re_or_predicate)) \
                    from error
            return
        self.fail("%s not raised" % getattr(exception_type, "__name__", exception_type))

    def assertRaisesOpError(self, expected_err_re_or_predicate):  # noqa: N802
        return self.assertRaisesWithPredicateMatch(errors.OpError, expected_err_re_or_predicate)

    def assertRaisesIncompatibleShapesError(self, exception_type=errors.InvalidArgumentError):  # noqa: N802
        return self.assertRaisesWithPredicateMatch(exception_type, r"Incompatible shapes|Dimensions must be equal|required broadcastable")

    def assertDeviceEqual(self, device1, device2, msg=None):  # noqa: N802
        """Names of devices, however they are written."""
        from flowray.tf._specs import DeviceSpec

        def canonical(device):
            return DeviceSpec.from_string(device if isinstance(device, str) else device.to_string()).to_string()
        self.assertEqual(canonical(device1), canonical(device2), "Devices %s and %s are not equal. %s" % (device1, device2, msg or ""))

    def assertProtoEquals(self, expected_message_maybe_ascii, message, msg=None, relative_tolerance=None):  # noqa: N802
        """A message, or its text, equals another one."""
        if relative_tolerance is not None:
            raise NotImplementedError("assertProtoEquals(relative_tolerance=) is not there: compare the numbers by assertAllClose")
        expected = expected_message_maybe_ascii
        if isinstance(expected, (str, bytes)):
            text = expected.decode() if isinstance(expected, bytes) else expected
            self.assertEqual(text.split(), str(message).split(), msg)
        else:
            self.assertIs(type(expected), type(message), msg)
            self.assertEqual(str(expected), str(message), msg)

    assertProtoEqualsVersion = assertProtoEquals

    # What TensorFlow's has of absl's.

    assertItemsEqual = unittest.TestCase.assertCountEqual

    def assertStartsWith(self, actual, expected_start, msg=None):  # noqa: N802
        if not actual.startswith(expected_start):
            self.fail("%r does not start with %r%s" % (actual, expected_start, _message(msg)))

    def assertEndsWith(self, actual, expected_end, msg=None):  # noqa: N802
        if not actual.endswith(expected_end):
            self.fail("%r does not end with %r%s" % (actual, expected_end, _message(msg)))

    def assertEmpty(self, container, msg=None):  # noqa: N802
        if len(container):
            self.fail("%r has length of %d.%s" % (container, len(container), _message(msg)))

    def assertNotEmpty(self, container, msg=None):  # noqa: N802
        if not len(container):
            self.fail("%r has length of 0.%s" % (container, _message(msg)))

    def assertLen(self, container, expected_len, msg=None):  # noqa: N802
        if len(container) != expected_len:
            self.fail("%r has length of %d, expected %d.%s" % (container, len(container), expected_len, _message(msg)))

    def assertBetween(self, value, minv, maxv, msg=None):  # noqa: N802
        if not minv <= value <= maxv:
            self.fail("%r unexpectedly not between %r and %r%s" % (value, minv, maxv, _message(msg)))

    def assertSameElements(self, expected_seq, actual_seq, msg=None):  # noqa: N802
        """The same values, however often each."""
        self.assertEqual(set(expected_seq), set(actual_seq), msg)

    def assertContainsSubset(self, expected_subset, actual_set, msg=None):  # noqa: N802
        missing = set(expected_subset) - set(actual_set)
        if missing:
            self.fail("Missing elements %s%s" % (missing, _message(msg)))

    def assertSequenceAlmostEqual(self, expected_seq, actual_seq, places=None, msg=None, delta=None):  # noqa: N802
        self.assertEqual(len(expected_seq), len(actual_seq), msg)
        for expected, actual in zip(expected_seq, actual_seq):
            self.assertAlmostEqual(expected, actual, places, msg, delta)

    def assertRegexMatch(self, actual_str, regexes, message=None):  # noqa: N802
        if not any(re.search(regex, actual_str) for regex in ([regexes] if isinstance(regexes, str) else regexes)):
            self.fail("%r does not match any of %r%s" % (actual_str, regexes, _message(message)))

    # Python 2's names, which Python 3.12 has no more.

    assertRaisesRegexp = unittest.TestCase.assertRaisesRegex
    assertRegexpMatches, assertNotRegexpMatches = unittest.TestCase.assertRegex, unittest.TestCase.assertNotRegex
    assertEquals, assertNotEquals, assert_ = unittest.TestCase.assertEqual, unittest.TestCase.assertNotEqual, unittest.TestCase.assertTrue
    assertAlmostEquals = unittest.TestCase.assertAlmostEqual
