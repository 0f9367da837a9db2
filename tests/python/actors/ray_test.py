"""flowray.ray: tasks, actors, values and errors in one runtime."""

import re
import sys
import threading
import unittest

import numpy as np

from flowray import ray, tf


class OwnError(Exception):
    def __init__(self, number, text):
        super().__init__(number, text)
        self.number = number


class Counter:
    def __init__(self, start=0):
        self.value = start

    def add(self, x):
        self.value += x
        return self.value

    def fail(self):
        raise OwnError(7, "no")

    def pid(self):
        import os
        return os.getpid()

    @ray.method(num_returns=2)
    def two(self):
        return 1, 2


class Leaving:
    def __init__(self, code=None):
        if code is not None:
            sys.exit(code)

    def leave(self, code):
        sys.exit(code)

    def is_made_again(self):
        return ray.get_runtime_context().was_current_actor_reconstructed


class LeavingInLoop(Leaving):
    async def nothing(self):
        pass


LEAVING = ((Leaving, {}), (Leaving, {"max_concurrency": 2}), (LeavingInLoop, {}))


class RayTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        ray.init(num_cpus=2)

    @classmethod
    def tearDownClass(cls):
        ray.shutdown()


class ValuesTest(RayTest):
    def there_and_back(self, value):
        @ray.remote
        def same(given):
            return given

        self.assertEqual(type(ray.get(ray.put(value))), type(value))
        return ray.get(ray.put(value)), ray.get(same.remote(value))

    def test_plain_values_come_back_as_they_were(self):
        for value in (None, True, 0, -1, 2**40, -2**63, 2**63, 2**200, 1.5, float("inf"), "", "text", "\0 and \u00fc", "\udc80", b"\0bytes",
                      [], [1, [2.0, "three"]], (), (1, (2,)), {}, {"a": 1, 2: [3]}, {(1, 2): None}, {1, 2}, frozenset([3]), 1 + 2j,
                      bytearray(b"x"), slice(1, 2), Ellipsis, range(3), np.float32(0.5), np.int64(7), np.bool_(True), np.str_("s"),
                      np.datetime64("2020-01-01")):
            with self.subTest(value=value):
                for back in self.there_and_back(value):
                    self.assertEqual(back, value)
                    self.assertIs(type(back), type(value))

    def test_arrays_of_all_kinds_come_back(self):
        for dtype in ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64",
                      "complex64", "complex128", "U3", "S2", "O", ">i4", "M8[s]", [("a", "i4"), ("b", "f8")]):
            for shape in ((), (0,), (3,), (2, 0, 3), (2, 3)):
                array = np.zeros(shape, dtype)
                with self.subTest(dtype=dtype, shape=shape):
                    for back in self.there_and_back(array):
                        self.assertEqual((back.dtype, back.shape), (array.dtype, shape))
                        np.testing.assert_array_equal(back, array)

    def test_large_arrays_are_read_where_they_lie(self):
        array = np.arange(1_000_000, dtype=np.int64)
        ref = ray.put({"weights": [array], "more": (1, array[:10])})
        one, other = ray.get(ref), ray.get(ref)
        np.testing.assert_array_equal(one["weights"][0], array)
        self.assertFalse(one["weights"][0].flags.writeable)
        self.assertEqual(one["weights"][0].ctypes.data, other["weights"][0].ctypes.data)
        self.assertEqual(one["weights"][0].ctypes.data % 64, 0)
        with self.assertRaises(ValueError):
            one["weights"][0][0] = 1

    def test_what_a_session_fetches_may_be_written_to_in_workers_too(self):
        @ray.remote
        class Fetcher:
            def __init__(self):
                with tf.Graph().as_default() as graph:
                    self.x = tf.placeholder(tf.float32, [1 << 18])
                    self.y = self.x + 1.0
                self.session = tf.Session(graph=graph)

            def write_to(self, count):
                for number in range(count):
                    fetched = self.session.run(self.y, {self.x: np.full(1 << 18, number, np.float32)})
                    ref = ray.put(fetched)
                    fetched[7] = -1
                    self.kept = ray.get(ref)[7], fetched[7]
                return self.kept

        self.assertEqual(ray.get(Fetcher.remote().write_to.remote(4)), (4.0, -1.0))

    def test_a_view_keeps_its_value_alive(self):
        ref = ray.put(np.full(1_000_000, 3.0))
        view = ray.get(ref)[10:20]
        del ref
        others = [ray.put(np.full(1_000_000, 4.0)) for _ in range(5)]
        self.assertEqual(view.tolist(), [3.0] * 10)
        del others

    def test_arrays_of_another_layout_come_back(self):
        array = np.arange(24.0).reshape(2, 3, 4)
        for view in (array.T, array[:, ::2], array[::-1], np.asfortranarray(array), array[1]):
            for back in self.there_and_back(view):
                np.testing.assert_array_equal(back, view)

    def test_large_arrays_inside_of_objects_are_read_where_they_lie(self):
        class Holder:
            def __init__(self, weights):
                self.weights = weights

        ref = ray.put(Holder(np.arange(1_000_000.0)))
        one, other = ray.get(ref), ray.get(ref)
        self.assertIsNot(one, other)
        self.assertEqual(one.weights.ctypes.data, other.weights.ctypes.data)
        self.assertFalse(one.weights.flags.writeable)
        del ref, other
        others = [ray.put(np.full(1_000_000, 4.0)) for _ in range(5)]
        self.assertEqual(one.weights[-1], 999_999.0)
        del others

    def test_objects_of_the_program_come_back(self):
        class Local:
            def __init__(self, x):
                self.x = x

        back = ray.get(ray.put(Local([1, np.ones(100_000)])))
        self.assertEqual((back.x[0], back.x[1].sum()), (1, 100_000))
        self.assertEqual(ray.get(ray.put(lambda x: x + 1))(2), 3)

    def test_a_list_in_itself_comes_back(self):
        value = [1]
        value.append(value)
        table = {"list": value}
        table["itself"] = table
        for back in self.there_and_back(value):
            self.assertIs(back[1], back)
        for back in self.there_and_back(table):
            self.assertIs(back["itself"], back)
            self.assertIs(back["list"][1], back["list"])

    def test_many_small_values(self):
        refs = [ray.put(i) for i in range(10_000)]
        self.assertEqual(ray.get(refs), list(range(10_000)))

    def test_many_objects(self):
        class Item:
            def __init__(self, number):
                self.number = number

        @ray.remote
        def numbers(*refs):
            return [item.number for item in refs]

        refs = [ray.put(Item(i)) for i in range(10_000)]
        self.assertEqual([item.number for item in ray.get(refs)], list(range(10_000)))
        self.assertEqual(ray.get(numbers.remote(*refs)), list(range(10_000)))
        self.assertEqual(sum(item.number for item in ray.get(ray.put([Item(i) for i in range(10_000)]))), 49_995_000)

    def test_what_belongs_to_a_graph_is_refused(self):
        with tf.Graph().as_default() as graph:
            x = tf.constant(1.0)
            v = tf.Variable(1.0)
            with tf.Session() as sess:
                for value in (graph, x, v, sess, x.op, [x], {"a": {"b": sess}}):
                    with self.assertRaisesRegex(TypeError, r"cannot send a tf\.\w+ to another process(.|\n)*send its weights"):
                        ray.put(value)

            @ray.remote
            def f():
                return x

            with self.assertRaisesRegex(TypeError, r"cannot send a tf\.Tensor(.|\n)*variable 'x' that it closes over"):
                f.remote()

    def test_what_belongs_to_a_graph_is_refused_as_an_argument_and_as_a_result(self):
        told = r"cannot send a tf\.(Graph|Tensor|Session|Variable) to another process(.|\n)*send its weights"

        @ray.remote
        def take(*values, **more):
            return None

        @ray.remote
        class Network:
            def __init__(self, *values):
                self.graph = tf.get_default_graph()
                self.loss = 2.0 * tf.Variable(1.0)
                self.sess = tf.Session()

            def take(self, *values, **more):
                return None

            def part(self, name):
                return getattr(self, name)

            def parts(self):
                return {"one": [self.loss]}

        network = Network.remote()
        with tf.Graph().as_default() as graph, tf.Session() as sess:
            for value in (graph, sess, tf.constant(1.0), tf.Variable(1.0)):
                for call in (take.remote, Network.remote, network.take.remote):
                    with self.assertRaisesRegex(TypeError, told):
                        call(value)
                    with self.assertRaisesRegex(TypeError, told):
                        call(1, [value])
                for call in (take.remote, network.take.remote):
                    with self.assertRaisesRegex(TypeError, told):
                        call(name=value)
        for ref in (network.part.remote("graph"), network.part.remote("loss"), network.part.remote("sess"), network.parts.remote()):
            with self.assertRaisesRegex(TypeError, told) as caught:
                ray.get(ref)
            self.assertIsInstance(caught.exception, ray.exceptions.RayTaskError)
        self.assertIsNone(ray.get(network.take.remote(1)))

    def test_what_belongs_to_a_graph_by_its_parts_is_refused(self):
        with tf.Graph().as_default():
            x, v = tf.constant([1.0]), tf.Variable([1.0])
            with tf.Session() as sess:
                for name, value in {
                        "tf.train.Saver": tf.train.Saver(), "tf.train.Optimizer": tf.train.AdamOptimizer(), "tf.QueueBase": tf.FIFOQueue(3, [tf.float32]),
                        "tf.data.Dataset": tf.data.Dataset.range(3).batch(2), "tf.TensorArray": tf.TensorArray(tf.float32, 3),
                        "tf.data.Iterator": tf.data.Dataset.range(3).make_one_shot_iterator(), "tf.IndexedSlices": tf.IndexedSlices(x, x),
                        "tf.Session's callable": sess.make_callable(x), "tf.nn.rnn_cell.RNNCell": tf.nn.rnn_cell.LSTMCell(3),
                        "ray.experimental.TensorFlowVariables": ray.experimental.TensorFlowVariables(v * x, sess),
                        "tf.VariableScope": tf.get_variable_scope(), "tf.keras.Model": tf.keras.models.Sequential(),
                        "tf.train.ExponentialMovingAverage": tf.train.ExponentialMovingAverage(0.9)}.items():
                    weights = "model.get_weights" if "keras" in name else r"TensorFlowVariables\(loss, sess\).get_weights"
                    for sent in (value, {"a": [value]}):
                        with self.assertRaisesRegex(TypeError, r"(?s)cannot send a %s to another process.*send its weights: .*%s"
                                                               % (re.escape(name), weights)):
                            ray.put(sent)

    def test_the_way_to_what_does_not_pickle_is_told(self):
        lock = threading.Lock()

        class Holder:
            pass

        holder = Holder()
        holder.parts = {"deep": [1, lock]}
        with self.assertRaisesRegex(TypeError, r"(?s)cannot pickle '_thread.lock'.*Holder\.parts\['deep'\]\[1\]"):
            ray.put(holder)

    def test_references_are_equal_and_hashed_by_what_they_refer_to(self):
        @ray.remote
        def same(refs, key):
            return refs[0] == key["ref"], hash(refs[0]) == hash(key["ref"]), {refs[0]: 1}[key["ref"]], ray.get(refs[0])

        one, other = ray.put(np.arange(3)), ray.put(np.arange(3))
        back = ray.get(ray.put({"refs": [one]}))["refs"][0]
        self.assertEqual((back == one, hash(back) == hash(one), one == other, one != other, len({one, other, back})), (True, True, False, True, 2))
        self.assertEqual({one: "one", other: "other"}[back], "one")
        equal, hashed, found, value = ray.get(same.remote([one], {"ref": one}))
        self.assertEqual((equal, hashed, found, value.tolist()), (True, True, 1, [0, 1, 2]))

    def test_put_refuses_a_reference(self):
        with self.assertRaisesRegex(TypeError, "Calling 'put' on an ray.ObjectRef is not allowed"):
            ray.put(ray.put(1))


class TasksTest(RayTest):
    def test_arguments_by_place_and_by_name(self):
        @ray.remote
        def f(a, b=2, *rest, c=3, **more):
            return a, b, rest, c, more

        self.assertEqual(ray.get(f.remote(1)), (1, 2, (), 3, {}))
        self.assertEqual(ray.get(f.remote(1, 4, 5, c=6, d=7)), (1, 4, (5,), 6, {"d": 7}))
        self.assertEqual(ray.get(f.remote(ray.put(1), b=ray.put("x"), d=ray.put(None))), (1, "x", (), 3, {"d": None}))

    def test_references_inside_of_arguments_stay(self):
        @ray.remote
        def f(refs, more):
            return ray.get(refs) + [ray.get(more["ref"])]

        self.assertEqual(ray.get(f.remote([ray.put(1), ray.put(2)], {"ref": ray.put(3)})), [1, 2, 3])

    def test_references_inside_of_pickled_values_are_counted(self):
        class Holder:
            def __init__(self, ref):
                self.ref = ref

        @ray.remote
        def hold(value):
            return Holder(ray.put(value))

        holder = ray.get(hold.remote(np.arange(100_000)))
        self.assertEqual(ray.get(holder.ref)[-1], 99_999)

    def test_several_returns(self):
        @ray.remote(num_return_vals=2)
        def f():
            return 1, [2]

        one, two = f.remote()
        self.assertEqual(ray.get([one, two]), [1, [2]])
        self.assertEqual(ray.get(f.options(num_returns=1).remote()), (1, [2]))
        self.assertIsNone(f.options(num_returns=0).remote())
        with self.assertRaisesRegex(ValueError, r"Task returned 2 objects, but num_returns=3\."):
            ray.get(f.options(num_returns=3).remote()[0])

    def test_a_function_that_calls_itself(self):
        @ray.remote
        def fibonacci(n):
            if n < 2:
                return n
            return sum(ray.get([fibonacci.remote(n - 1), fibonacci.remote(n - 2)]))

        self.assertEqual(ray.get(fibonacci.remote(6)), 8)

    def test_a_function_that_calls_another(self):
        @ray.remote
        def inner(x):
            return x + 1

        @ray.remote
        def outer(x):
            return ray.get(inner.remote(x)) * 10

        self.assertEqual(ray.get([outer.remote(i) for i in range(5)]), [10, 20, 30, 40, 50])

    def test_closures_and_globals(self):
        offset = np.full(3, 2.0)

        @ray.remote
        def f(x):
            return (np.asarray(x) + offset).tolist()

        self.assertEqual(ray.get(f.remote([1, 2, 3])), [3.0, 4.0, 5.0])

    def test_workers_draw_different_random_numbers(self):
        @ray.remote
        def draw():
            import os
            import time
            end = time.monotonic() + 0.05
            while time.monotonic() < end:  # so that both workers get some
                pass
            return os.getpid(), np.random.rand(3).tolist()

        drawn = ray.get([draw.remote() for _ in range(6)])
        self.assertEqual(len({tuple(numbers) for _, numbers in drawn}), 6)

    def test_wait_tells_those_that_are_there(self):
        @ray.remote
        def f(x):
            return x

        refs = [f.remote(i) for i in range(4)]
        ready, unready = ray.wait(refs, num_returns=4)
        self.assertEqual((ready, unready), (refs, []))
        ready, unready = ray.wait(refs, num_returns=2)
        self.assertEqual((ready, unready), (refs[:2], refs[2:]))
        self.assertEqual(ray.wait(refs, 2, 10.0), (refs[:2], refs[2:]))
        self.assertEqual(ray.wait(object_refs=refs, num_returns=4), (refs, []))
        self.assertEqual(ray.wait(object_ids=refs, num_returns=4, fetch_local=False), (refs, []))
        self.assertEqual((ray.get(object_ids=refs), ray.get(object_ids=refs[1], timeout=10), ray.get(tuple(refs))), ([0, 1, 2, 3], 1, [0, 1, 2, 3]))
        self.assertEqual(ray.wait([]), ([], []))

        @ray.remote
        class Gate:
            def wait(self):
                import time
                time.sleep(100)

        closed = Gate.remote().wait.remote()
        self.assertEqual(ray.wait([closed, refs[0]], timeout=0), ([refs[0]], [closed]))
        self.assertEqual(ray.wait([closed], timeout=0.01), ([], [closed]))
        with self.assertRaises(ray.exceptions.GetTimeoutError):
            ray.get(closed, timeout=0.01)
        with self.assertRaises(TimeoutError):
            ray.get([refs[0], closed], timeout=0)

    def test_what_wait_and_get_refuse(self):
        ref = ray.put(1)
        for call, kind, text in (
                (lambda: ray.wait(ref), TypeError, "expected a list of ray.ObjectRef or ray.ObjectRefGenerator, got a single"),
                (lambda: ray.wait([1]), TypeError, "got list containing"),
                (lambda: ray.wait([ref, ref]), ValueError, "Wait requires a list of unique ray_waitables."),
                (lambda: ray.wait([ref], num_returns=2), ValueError, "num_returns cannot be greater"),
                (lambda: ray.wait([ref], num_returns=0), ValueError, "Invalid number of objects to return 0."),
                (lambda: ray.wait([ref], object_ids=[ref]), TypeError, "names of one argument"),
                (lambda: ray.get(ref, object_ids=[ref]), TypeError, "names of one argument"),
                (lambda: ray.get(), TypeError, "missing 1 required positional argument: 'object_refs'"),
                (lambda: ray.get(None), ValueError, "Invalid type of object refs"),
                (lambda: ray.get(1), ValueError, "Invalid type of object refs"),
                (lambda: ray.get([1]), TypeError, "Attempting to call `get` on the value 1, which is not an ray.ObjectRef"),
                (lambda: ray.get(ref, timeout=-2), ValueError, "must not be negative")):
            with self.assertRaisesRegex(kind, text):
                call()

    def test_remote_functions_are_not_called_directly(self):
        @ray.remote
        def f():
            """What it does."""

        with self.assertRaisesRegex(TypeError, r"Remote functions cannot be called directly\. Instead of running '.*f\(\)', try '.*f\.remote"):
            f()
        self.assertEqual((f.__name__, f.__doc__), ("f", "What it does."))

    def test_wrong_options_are_refused(self):
        with self.assertRaisesRegex(ValueError, r"Invalid option keyword colour for remote functions\. Valid ones are .*\nIt was given to the task 'f'"):
            ray.remote(colour="red")(f_for_options)
        with self.assertRaisesRegex(NotImplementedError, "runtime_env"):
            ray.remote(runtime_env={"pip": []})(f_for_options)
        for option, value in (("tensor_transport", "nccl"), ("_num_objects_per_yield", 2)):
            with self.assertRaisesRegex(NotImplementedError, option):
                ray.remote(**{option: value})(f_for_options)
        with self.assertRaisesRegex(ValueError, "it must be a PlacementGroup"):
            ray.remote(placement_group=object())(f_for_options)
        with self.assertRaisesRegex(ValueError, "The keyword 'num_returns' only accepts None, 0 or a positive integer.*"
                                                "\nthe task 'f' was given -1"):
            ray.remote(num_returns=-1)(f_for_options)
        with self.assertRaisesRegex(ValueError, "Invalid option keyword num_returns for actors"):
            ray.remote(num_returns=2)(Counter)
        with self.assertRaisesRegex(AssertionError, "Unexpected keyword argument to @ray.method: 'colour'"):
            ray.method(colour="red")
        with self.assertRaisesRegex(TypeError, "must be applied to either a function or a class"):
            ray.remote(num_returns=1)(3)

    def test_values_of_options_are_refused_in_the_words_of_ray(self):
        infinity = "only accepts None, 0, -1 or a positive integer, where -1 represents infinity."
        for function, options, kind, text in (  # recorded with Ray 2.60, whose classes and first sentences these are
                (f_for_options, {"max_retries": -2}, ValueError, "The keyword 'max_retries' " + infinity),
                (Counter, {"max_restarts": -2}, ValueError, "The keyword 'max_restarts' " + infinity),
                (Counter, {"max_task_retries": -2}, ValueError, "The keyword 'max_task_retries' " + infinity),
                (Counter, {"max_pending_calls": -3}, ValueError, "The keyword 'max_pending_calls' " + infinity),
                (f_for_options, {"max_retries": "a"}, TypeError, "The type of keyword 'max_retries' must be "
                 "(<class 'int'>, <class 'NoneType'>), but received type <class 'str'>"),
                (Counter, {"max_restarts": 1.5}, TypeError, "The type of keyword 'max_restarts' must be "
                 "(<class 'int'>, <class 'NoneType'>), but received type <class 'float'>"),
                (Counter, {"max_concurrency": "a"}, TypeError, "The type of keyword 'max_concurrency' must be "
                 "(<class 'int'>, <class 'NoneType'>), but received type <class 'str'>"),
                (f_for_options, {"name": 3}, TypeError, "The type of keyword 'name' must be "
                 "(<class 'str'>, <class 'NoneType'>), but received type <class 'int'>"),
                (Counter, {"namespace": 3}, TypeError, "The type of keyword 'namespace' must be "
                 "(<class 'str'>, <class 'NoneType'>), but received type <class 'int'>"),
                (Counter, {"get_if_exists": True}, ValueError, "The actor name must be specified to use `get_if_exists`.")):
            for make in (lambda: ray.remote(**options)(function), lambda: ray.remote(function).options(**options)):  # noqa: B023
                with self.assertRaises(kind) as caught:
                    make()
                self.assertEqual((type(caught.exception), str(caught.exception).splitlines()[0]), (kind, text))
        named = ray.remote(name="named")(Counter)
        self.assertTrue(ray.get(named.options(get_if_exists=True).remote().__ray_ready__.remote()))


def f_for_options():
    return 1


f_for_options.__name__ = "f"


class ErrorsTest(RayTest):
    def test_an_error_is_of_its_own_class_and_of_rays(self):
        @ray.remote
        def f():
            raise KeyError("missing")

        with self.assertRaises(KeyError) as caught:
            ray.get(f.remote())
        self.assertIsInstance(caught.exception, ray.exceptions.RayTaskError)
        self.assertEqual(type(caught.exception).__name__, "RayTaskError(KeyError)")
        self.assertEqual(caught.exception.cause.args, ("missing",))
        text = str(caught.exception)
        self.assertRegex(text, r"(?s)^ray::ErrorsTest\..*f\(\) \(pid=\d+\)\n  File \".*ray_test.py\", line \d+, in f\n"
                               r"    raise KeyError\(\"missing\"\)\nKeyError: 'missing'$")

    def test_what_an_error_holds_comes_along(self):
        counter = ray.remote(Counter).remote()
        with self.assertRaises(OwnError) as caught:
            ray.get(counter.fail.remote())
        self.assertEqual((caught.exception.cause.args), (7, "no"))

    def test_an_error_goes_through_calls_that_depend_on_it(self):
        @ray.remote
        def f(x):
            return 1 / x

        @ray.remote
        def g(x):
            return x

        @ray.remote
        def h():
            return ray.get(f.remote(0))

        with self.assertRaises(ZeroDivisionError):
            ray.get(g.remote(f.remote(0)))
        with self.assertRaises(ZeroDivisionError) as caught:
            ray.get(h.remote())
        self.assertIn("in h", str(caught.exception))
        self.assertIn("return 1 / x", str(caught.exception))
        with self.assertRaises(ZeroDivisionError):
            ray.get([ray.put(1), f.remote(0)])

    def test_an_error_that_does_not_pickle_is_told_in_words(self):
        @ray.remote
        def f():
            class Odd(Exception):
                def __reduce__(self):
                    raise RuntimeError("never")
            raise Odd("what it says")

        with self.assertRaises(ray.exceptions.RayTaskError) as caught:
            ray.get(f.remote())
        self.assertIsNone(caught.exception.cause)
        self.assertIn("what it says", str(caught.exception))

    def test_an_error_of_tensorflow_is_one(self):
        @ray.remote
        def f():
            x = tf.placeholder(tf.float32, [2])
            with tf.Session() as sess:
                return sess.run(x)

        with self.assertRaises(tf.errors.InvalidArgumentError) as caught:
            ray.get(f.remote())
        self.assertIn("You must feed a value for placeholder tensor", str(caught.exception))

    def test_a_result_that_does_not_pickle_is_an_error_of_the_call(self):
        @ray.remote
        def f():
            import threading
            return {"a": threading.Lock()}

        with self.assertRaisesRegex(TypeError, "cannot pickle"):
            ray.get(f.remote())

    def test_what_would_end_the_driver_does_not(self):
        @ray.remote
        def f(kind):
            raise kind

        with self.assertRaises(ray.exceptions.RayTaskError) as caught:
            ray.get(f.remote(KeyboardInterrupt))
        self.assertIsInstance(caught.exception.cause, KeyboardInterrupt)

    def test_an_error_has_its_cause_as_argument(self):
        @ray.remote
        def f():
            raise ValueError("q", 3)

        with self.assertRaises(ValueError) as caught:
            ray.get(f.remote())
        self.assertEqual([(type(one), one.args) for one in caught.exception.args], [(ValueError, ("q", 3))])
        self.assertEqual(repr(caught.exception), "RayTaskError(ValueError)(ValueError('q', 3))")

    def test_an_exception_that_cannot_be_shown_is_found_by_its_class(self):
        class Unshown(ValueError):
            def __str__(self):
                raise KeyError("no")

        @ray.remote
        def f():
            raise Unshown("q")

        with self.assertRaisesRegex(ray.exceptions.RayTaskError, "<exception str\\(\\) failed>") as caught:
            ray.get(f.remote())
        self.assertIsInstance(caught.exception, ValueError)

    def test_a_result_that_cannot_be_sent_names_nothing_of_ours(self):
        @ray.remote
        def f():
            import threading
            return threading.Lock()

        with self.assertRaisesRegex(TypeError, "cannot pickle") as caught:
            ray.get(f.remote())
        self.assertNotIn("_pickling.py", str(caught.exception))

    def test_sys_exit_ends_a_task_s_process(self):
        @ray.remote
        def leave(code):
            sys.exit(code)

        for code, status in ((0, 0), (None, 1), (3, 3), ("why", 1)):
            with self.subTest(code=code), self.assertRaisesRegex(ray.exceptions.WorkerCrashedError, "exited with status %d" % status):
                ray.get(leave.options(max_retries=0).remote(code))

    def test_sys_exit_with_zero_ends_an_actor_for_good(self):
        for kind, options in LEAVING:
            actor = ray.remote(kind).options(max_restarts=1, **options).remote()
            with self.subTest(kind=kind.__name__, **options):
                for method, arguments in ((actor.leave, (0,)), (actor.is_made_again, ())):
                    with self.assertRaises(ray.exceptions.ActorDiedError):
                        ray.get(method.remote(*arguments))

    def test_sys_exit_with_another_code_lets_an_actor_be_made_again(self):
        for kind, options in LEAVING:
            actor = ray.remote(kind).options(max_restarts=1, **options).remote()
            with self.subTest(kind=kind.__name__, **options):
                with self.assertRaises(ray.exceptions.RayActorError):
                    ray.get(actor.leave.remote(3))
                self.assertTrue(ray.get(actor.is_made_again.remote()))

    def test_sys_exit_in_a_constructor(self):
        for code in (0, 3):
            with self.subTest(code=code), self.assertRaises(ray.exceptions.ActorDiedError):
                ray.get(ray.remote(Leaving).remote(code).is_made_again.remote())

    def test_decorators_that_are_given_what_they_do_not_take(self):
        for make in (ray.remote, lambda: ray.remote(3), lambda: ray.remote(len, 1), lambda: ray.remote(len, num_cpus=1)):
            with self.assertRaisesRegex(AssertionError, "The @ray.remote decorator must be applied either with no arguments and no parentheses"):
                make()
        with self.assertRaisesRegex(AssertionError, "The @ray.method decorator must be applied using no arguments or at least one"):
            ray.method(3)

    def test_what_is_no_exception_but_a_base_exception_is_found_by_its_class(self):
        class Stop(BaseException):
            pass

        @ray.remote
        def f():
            raise Stop("now")

        with self.assertRaises(Stop) as caught:
            ray.get(f.remote())
        self.assertIsInstance(caught.exception, ray.exceptions.RayTaskError)

    @unittest.skipIf(sys.version_info < (3, 11), "Python 3.11 has groups")
    def test_a_group_of_exceptions_is_found_by_its_class_and_has_its_parts(self):
        @ray.remote
        def f():
            raise ExceptionGroup("two", [ValueError("a"), TypeError("b")])  # noqa: F821

        with self.assertRaises(ExceptionGroup) as caught:  # noqa: F821
            ray.get(f.remote())
        self.assertIsInstance(caught.exception, ray.exceptions.RayTaskError)
        self.assertEqual([type(part) for part in caught.exception.exceptions], [ValueError, TypeError])

    def test_names_and_namespaces_of_actors_are_texts(self):
        for options, kind in (({"name": ""}, ValueError), ({"name": "a", "namespace": ""}, ValueError), ({"name": "a", "namespace": 3}, TypeError)):
            with self.assertRaises(kind):
                ray.remote(Counter).options(**options).remote(1)

    def test_a_task_whose_process_dies(self):
        @ray.remote(max_retries=0)
        def f():
            import os
            os._exit(3)

        with self.assertRaisesRegex(ray.exceptions.WorkerCrashedError, "exited with status 3"):
            ray.get(f.remote())


class ActorsTest(RayTest):
    def test_calls_run_in_order_in_one_process(self):
        counter = ray.remote(Counter).remote(10)
        self.assertEqual(ray.get([counter.add.remote(i) for i in range(5)]), [10, 11, 13, 16, 20])
        self.assertEqual(len(set(ray.get([counter.pid.remote() for _ in range(3)]))), 1)

    def test_several_returns_of_a_method(self):
        counter = ray.remote(Counter).remote()
        self.assertEqual(ray.get(counter.two.remote()), [1, 2])
        self.assertEqual(ray.get(counter.two.options(num_returns=1).remote()), (1, 2))

    def test_handles_travel(self):
        counter = ray.remote(Counter).remote(1)

        @ray.remote
        def add(counters, x):
            return ray.get(counters["one"].add.remote(x))

        self.assertEqual(ray.get([add.remote({"one": counter}, 2), counter.add.remote(0)])[0], 3)

    def test_an_actor_makes_an_actor(self):
        @ray.remote
        class Maker:
            def make(self):
                self.counter = ray.remote(Counter).remote(5)
                return self.counter

        maker = Maker.remote()
        self.assertEqual(ray.get(ray.get(maker.make.remote()).add.remote(1)), 6)

    def test_an_actor_ends_with_its_last_handle_once_its_calls_are_done(self):
        counter = ray.remote(Counter).remote(1)
        pid = ray.get(counter.pid.remote())
        refs = [counter.add.remote(1) for _ in range(100)]
        del counter
        self.assertEqual(ray.get(refs), list(range(2, 102)))
        self.wait_for_end(pid)
        self.assertEqual(ray.get(ray.remote(Counter).remote(5).add.remote(1)), 6)

    def test_lists_that_another_thread_changes_meanwhile(self):
        import sys

        @ray.remote(max_concurrency=2)
        class Gate:
            def __init__(self):
                self.is_open = threading.Event()

            def pass_it(self, value):
                self.is_open.wait(60)
                return value

            def open(self):
                self.is_open.set()

        def is_in_its_last_line(function, thread):
            frame = sys._current_frames()[thread]
            code = function.__code__
            return frame.f_code is code and frame.f_lineno == max(line for _, _, line in code.co_lines() if line)

        for function, expected in ((ray.get, lambda refs: [1, 2, 3]), (lambda refs: ray.wait(refs, num_returns=3), lambda refs: (refs, []))):
            gate = Gate.remote()
            refs = [gate.pass_it.remote(1), ray.put(2), ray.put(3)]
            given = list(refs)

            def change(main=threading.get_ident(), given=given, gate=gate):
                while not any(is_in_its_last_line(one, main) for one in (ray.get, ray.wait)):
                    pass
                given[1:] = [ray.put(4), ray.put(5), ray.put(6), ray.put(7)]
                gate.open.remote()

            thread = threading.Thread(target=change)
            thread.start()
            self.assertEqual(function(given), expected(refs))
            thread.join()

    def test_an_actor_whose_handle_was_sent_stays(self):
        @ray.remote
        class Keeper:
            def keep(self, handles):
                self.handle = handles[0]

            def add(self, x):
                return ray.get(self.handle.add.remote(x))

        keeper, counter = Keeper.remote(), ray.remote(Counter).remote(1)
        ray.get(keeper.keep.remote([counter]))
        del counter
        self.assertEqual(ray.get(keeper.add.remote(1)), 2)

    def test_an_actor_that_is_told_to_end(self):
        counter = ray.remote(Counter).options(max_restarts=5).remote(1)
        pid = ray.get(counter.pid.remote())
        ref = counter.add.remote(1)
        counter.__ray_terminate__.remote()
        self.assertEqual(ray.get(ref), 2)
        self.wait_for_end(pid)
        with self.assertRaises(ray.exceptions.RayActorError):
            ray.get(counter.add.remote(1))

        @ray.remote
        class Leaver:
            def leave(self):
                ray.actor.exit_actor()

        with self.assertRaises(ray.exceptions.RayActorError):
            ray.get(Leaver.remote().leave.remote())
        with self.assertRaisesRegex(TypeError, "non-actor"):
            ray.actor.exit_actor()

    def wait_for_end(self, pid):
        import os
        import time
        end = time.monotonic() + 60
        while os.path.exists("/proc/%d" % pid):
            self.assertLess(time.monotonic(), end, "the actor's process is still there")
            time.sleep(0.001)

    def test_a_constructor_and_methods_run_in_the_main_thread(self):
        class Threads:
            def __init__(self):
                self.local = threading.local()
                self.local.session = tf.Session()  # of the thread's default graph
                self.threads = [threading.get_ident()]
                self.total = tf.Variable(0.0)
                self.local.session.run(self.total.initializer)

            def work(self):
                self.threads.append(threading.get_ident())
                doubled = 2.0 * tf.assign_add(self.total, 1.0)
                return self.local.session.run(doubled), doubled.graph is self.total.graph

            def seen(self):
                return len(set(self.threads)), len(self.threads), self.threads[0] == threading.main_thread().ident

        @ray.remote
        def call(actor):
            return ray.get(actor.work.remote())

        actor = ray.remote(Threads).remote()
        done = [ray.get(actor.work.remote()), ray.get(call.remote(actor))]  # from a worker, too
        with_threads = []
        thread = threading.Thread(target=lambda: with_threads.append(ray.get(actor.work.remote())))
        thread.start()
        thread.join()
        self.assertEqual(done + with_threads, [(2.0, True), (4.0, True), (6.0, True)])
        self.assertEqual(ray.get(actor.seen.remote()), (1, 4, True))

    def test_named_actors_are_found(self):
        kind = ray.remote(Counter)
        one = kind.options(name="one").remote(3)
        self.assertEqual(ray.get(ray.get_actor("one").add.remote(1)), 4)
        self.assertEqual(kind.options(name="one", get_if_exists=True).remote(), one)
        with self.assertRaisesRegex(ValueError, "Failed to look up actor with name 'two'"):
            ray.get_actor("two")

    def test_an_actor_that_is_killed_in_a_call(self):
        @ray.remote
        class Sleeper:
            def started(self):
                return True

            def sleep(self):
                import time
                time.sleep(1000)

        sleeper = Sleeper.remote()
        ray.get(sleeper.started.remote())
        ref = sleeper.sleep.remote()
        ray.kill(sleeper)
        with self.assertRaisesRegex(ray.exceptions.RayActorError, "Sleeper"):
            ray.get(ref)

    def test_a_killed_actor_says_so(self):
        counter = ray.remote(Counter).remote()
        ray.get(counter.add.remote(1))
        ray.kill(counter)
        with self.assertRaisesRegex(ray.exceptions.RayActorError, "Counter"):
            ray.get(counter.add.remote(1))

    def test_a_constructor_that_raises_says_why(self):
        @ray.remote
        class Broken:
            def __init__(self):
                raise ValueError("cannot be made")

            def f(self):
                pass

        with self.assertRaisesRegex(ray.exceptions.RayActorError, "(?s)cannot be made"):
            ray.get(Broken.remote().f.remote())

    def test_an_actor_is_made_again(self):
        counter = ray.remote(Counter).options(max_restarts=1).remote(7)
        ray.get(counter.add.remote(1))
        ray.kill(counter, no_restart=False)
        self.assertEqual(ray.get(counter.add.remote(1)), 8)

    def test_special_methods_are_called_and_what_the_class_has_is_found(self):
        @ray.remote
        class Box:
            SIZE = 3

            def __len__(self):
                return self.SIZE

            def __getitem__(self, i):
                return 10 * i

            @staticmethod
            def double(x):
                return 2 * x

        box = Box.remote()
        self.assertEqual(ray.get([box.__len__.remote(), box.__getitem__.remote(2)]), [3, 20])
        self.assertEqual((Box.SIZE, Box.double(4)), (3, 8))
        with self.assertRaisesRegex(AttributeError, r"'ActorClass\(Box\)' object has no attribute 'no_such'"):
            Box.no_such

    def test_what_actors_refuse(self):
        kind = ray.remote(Counter)
        with self.assertRaisesRegex(TypeError, "Actors cannot be instantiated directly"):
            kind()
        handle = kind.remote()
        with self.assertRaisesRegex(TypeError, "Actor methods cannot be called directly"):
            handle.add(1)
        with self.assertRaisesRegex(AttributeError, "'ActorHandle' object has no attribute 'substract'\n.*'Counter'"):
            handle.substract
        with self.assertRaisesRegex(ray.actor.ActorClassInheritanceException, "Inheriting from actor classes is not currently supported"):
            class Derived(kind):
                pass
        with self.assertRaisesRegex(TypeError, "missing a required argument: 'x'"):
            handle.add.remote()

    def test_threads_of_the_driver_call(self):
        counter = ray.remote(Counter).remote()
        results = []

        def work():
            for _ in range(50):
                results.append(ray.get(counter.add.remote(1)))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(results), list(range(1, 201)))


class ContextTest(RayTest):
    def test_tasks_and_actors_know_what_they_are(self):
        @ray.remote
        class Teller:
            def tell(self):
                context = ray.get_runtime_context()
                return (context.get_actor_id(), context.get_actor_name(), context.get_task_name(), context.get_assigned_resources(),
                        context.current_actor, context.get_task_id(), context.was_current_actor_reconstructed)

        @ray.remote
        def tell():
            context = ray.get_runtime_context()
            return context.get_actor_id(), context.get_task_name(), context.get_assigned_resources(), context.get_worker_id()

        teller = Teller.options(name="teller", num_cpus=0.5).remote()
        actor_id, name, task, resources, handle, first, again = ray.get(teller.tell.remote())
        self.assertFalse(again)
        self.assertEqual(len({first, ray.get(teller.tell.remote())[5], None}), 3)
        self.assertEqual((actor_id, name, task, resources, handle), (teller._actor_id.hex(), "teller", "Teller.tell", {"CPU": 0.5}, teller))
        self.assertEqual(ray.get(Teller.remote().tell.remote())[1:4], ("", "Teller.tell", {}))
        ray.kill(teller)
        for options, told in (({}, ({"CPU": 1.0})), ({"num_cpus": 0}, {}), ({"num_cpus": 2, "name": "own"}, {"CPU": 2.0})):
            actor_id, task, resources, worker = ray.get(tell.options(**options).remote())
            self.assertEqual((actor_id, task.rpartition(".")[2], resources), (None, options.get("name", "tell"), told))
            self.assertNotEqual(worker, ray.get_runtime_context().get_worker_id())
        self.assertIsNone(ray.get_runtime_context().get_task_id())
        here = ray.get_runtime_context()
        self.assertEqual((here.get_actor_id(), here.get_actor_name(), here.get_task_name()), (None, None, None))
        with self.assertRaisesRegex(RuntimeError, r"This method is only available in an actor\."):
            here.current_actor
        with self.assertRaisesRegex(AssertionError, "only available when the process is a worker"):
            here.get_assigned_resources()

    def test_an_actor_that_leaves_is_not_made_again(self):
        @ray.remote(max_restarts=3)
        class Leaver:
            def leave(self):
                ray.actor.exit_actor()

            def ready(self):
                return True

        leaver = Leaver.remote()
        self.assertTrue(ray.get(leaver.ready.remote()))
        for call in (leaver.leave, leaver.ready):
            with self.assertRaises(ray.exceptions.RayActorError):
                ray.get(call.remote())


class NetworkTest(RayTest):
    """A session in an actor, and its weights."""

    def test_weights_travel(self):
        @ray.remote
        class Network:
            def __init__(self):
                x = tf.placeholder(tf.float32, [None])
                w = tf.Variable(tf.zeros([2]))
                self.loss = tf.reduce_sum(w) * tf.reduce_sum(x)
                self.sess = tf.Session()
                self.variables = ray.experimental.TensorFlowVariables(self.loss, self.sess)
                self.sess.run(tf.global_variables_initializer())
                self.x = x

            def set_weights(self, weights):
                self.variables.set_weights(weights)

            def get_weights(self):
                return self.variables.get_weights()

            def compute(self, x):
                return self.sess.run(self.loss, {self.x: x})

        with tf.Graph().as_default():
            tf.Variable(1.0)  # the driver's graph is not the workers'
            networks = [Network.remote() for _ in range(2)]
            weights = ray.get(networks[0].get_weights.remote())
        self.assertEqual({name: value.tolist() for name, value in weights.items()}, {"Variable": [0.0, 0.0]})
        ref = ray.put({"Variable": np.array([1.0, 2.0])})
        ray.get([network.set_weights.remote(ref) for network in networks])
        self.assertEqual(ray.get([network.compute.remote([1.0, 1.0]) for network in networks]), [6.0, 6.0])

    def test_variables_as_the_documents_describe_them(self):
        with tf.Graph().as_default(), tf.Session() as sess:
            a, b = tf.Variable([1.0, 2.0]), tf.Variable([[3.0]])
            variables = ray.experimental.tf_utils.TensorFlowVariables(tf.reduce_sum(a) + tf.reduce_sum(b))
            with self.assertRaisesRegex(AssertionError, "The session is not set. Set the session either by passing it into the "
                                                        "TensorFlowVariables constructor or by calling set_session"):
                variables.get_weights()
            variables.set_session(sess)
            self.assertIs(variables.sess, sess)
            sess.run(tf.global_variables_initializer())
            self.assertEqual((list(variables.variables), variables.placeholders["Variable"].name, variables.get_flat_size()),
                             (["Variable", "Variable_1"], "Placeholder_Variable:0", 3))
            self.assertEqual(variables.get_flat().tolist(), [1.0, 2.0, 3.0])
            variables.set_flat([4, 5, 6])
            self.assertEqual(sess.run([a, b])[1].tolist(), [[6.0]])
            sess.run(variables.assignment_nodes["Variable"], {variables.placeholders["Variable"]: [7, 8]})
            self.assertEqual(variables.get_weights()["Variable"].tolist(), [7.0, 8.0])
            with self.assertRaisesRegex(AssertionError, "No variables in the input matched those in the network"):
                variables.set_weights({"other": 1.0})
            with self.assertRaisesRegex(AssertionError, "Passed weight does not have the correct shape."):
                variables.set_flat([1.0])


class FuturesTest(RayTest):
    def test_variables_of_a_monitored_session(self):
        with tf.Graph().as_default():
            w = tf.Variable([1.0, 2.0], name="w")
            loss = tf.reduce_sum(w)
            variables = ray.experimental.TensorFlowVariables(loss)
            for sess in (loss, "a session"):
                with self.assertRaisesRegex(TypeError, "it must be a tf.Session, or a monitored one"):
                    variables.set_session(sess)
            with tf.train.MonitoredTrainingSession() as sess:
                with self.assertRaisesRegex(RuntimeError, "Graph is finalized and cannot be modified."):
                    ray.experimental.TensorFlowVariables(loss, sess)
                with self.assertRaisesRegex(AssertionError, "The session is not set."):
                    variables.get_flat()
                variables.set_session(sess)
                self.assertIs(variables.sess, sess)
                self.assertEqual(variables.get_flat().tolist(), [1.0, 2.0])
                variables.set_flat(np.array([3.0, 4.0]))
                self.assertEqual(sess.run(loss), 7.0)
                variables.set_weights({"w": np.array([5.0, 6.0])})
                self.assertEqual(variables.get_weights()["w"].tolist(), [5.0, 6.0])
            with self.assertRaisesRegex(RuntimeError, "Session is already closed."):
                variables.get_flat()
            with tf.train.SingularMonitoredSession() as sess:
                variables.set_session(sess)
                self.assertEqual(variables.get_flat().tolist(), [1.0, 2.0])

    def test_a_reference_is_awaited(self):
        import asyncio

        @ray.remote
        def f(x):
            return 10 // x

        async def work():
            values = [await f.remote(1), *await asyncio.gather(*[f.remote(x) for x in (2, 5)])]
            with self.assertRaises(ZeroDivisionError):
                await f.remote(0)
            return values

        self.assertEqual(asyncio.run(work()), [10, 5, 2])
        self.assertEqual(f.remote(5).future().result(), 2)


    def test_a_reference_is_a_future_of_a_loop(self):
        import asyncio

        @ray.remote
        def f(x):
            return 10 // x

        async def work():
            right, wrong = f.remote(2).as_future(), f.remote(0).as_future()
            told = []
            right.add_done_callback(lambda future: told.append(future.result()))
            self.assertIsInstance(right, asyncio.Future)
            self.assertIs(right.get_loop(), asyncio.get_running_loop())
            self.assertEqual(await asyncio.wait_for(right, 60), 5)
            with self.assertRaises(ZeroDivisionError):
                await wrong
            self.assertEqual((told, right.done(), type(wrong.exception()).__name__), ([5], True, "RayTaskError(ZeroDivisionError)"))
            return await ray.put("there").as_future()

        self.assertEqual(asyncio.run(work()), "there")


class UtilTest(RayTest):
    def test_a_pool_of_actors(self):
        @ray.remote
        class Doubler:
            def double(self, x):
                return 2 * x

        pool = ray.util.ActorPool([Doubler.remote(), Doubler.remote()])
        self.assertEqual(list(pool.map(lambda actor, x: actor.double.remote(x), range(5))), [0, 2, 4, 6, 8])
        self.assertEqual(sorted(pool.map_unordered(lambda actor, x: actor.double.remote(x), range(5))), [0, 2, 4, 6, 8])
        self.assertFalse(pool.has_next())

    def test_a_queue(self):
        from flowray.ray.util.queue import Empty, Full, Queue
        queue = Queue(maxsize=2)

        @ray.remote
        def put(queue, item):
            queue.put(item)

        ray.get([put.remote(queue, i) for i in range(2)])
        with self.assertRaises(Full):
            queue.put_nowait(3)
        self.assertEqual((sorted([queue.get(), queue.get()]), queue.empty()), ([0, 1], True))
        for call, kind, text in ((lambda: queue.put_nowait_batch(3), TypeError, "Argument 'items' must be an Iterable"),
                                 (lambda: queue.get_nowait_batch("3"), TypeError, "Argument 'num_items' must be an int"),
                                 (lambda: queue.get_nowait_batch(-1), ValueError, "'num_items' must be nonnegative")):
            with self.assertRaisesRegex(kind, text):
                call()
        with self.assertRaises(Empty):
            queue.get(timeout=0.01)
        queue.shutdown()
        with self.assertRaises(ray.exceptions.RayActorError):
            queue.size()

    def test_a_queue_that_is_shut_down_by_force(self):
        from flowray.ray.util.queue import Queue
        queue = Queue(actor_options={"max_concurrency": 2})
        stuck = queue.actor.__ray_call__.remote(lambda actor: threading.Event().wait())
        ray.get(queue.actor.qsize.remote())
        queue.shutdown(grace_period_s=0.01)
        with self.assertRaises(ray.exceptions.RayActorError):
            ray.get(stuck)
        other = Queue()
        other.shutdown(force=True)
        with self.assertRaises(ray.exceptions.RayActorError):
            other.size()


if __name__ == "__main__":
    unittest.main()
