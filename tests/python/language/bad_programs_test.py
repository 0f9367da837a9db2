"""A list of bad programs: each error has TensorFlow's class and first sentence (tensorflow.compat.v1 of 2.21 says them), names the node and
the line of the program that made it where a node is at fault, and leaves the graph as good as it was."""

import os
import sys
import threading
import unittest

import numpy as np

from flowray import tf


def message(*fields):
    """A message in protobuf's bytes, of (number, bytes or text) that are shorter than 128 bytes."""
    data = b""
    for number, value in fields:
        value = value.encode() if isinstance(value, str) else value
        data += bytes([number << 3 | 2, len(value)]) + value
    return data


FLOAT = message((5, message((1, "T"), (2, bytes([6 << 3, 1])))))  # a node's attribute T: DT_FLOAT


def floats(shape, name="x"):
    return tf.placeholder(tf.float32, shape, name=name)


class BadProgramsTest(unittest.TestCase):
    def setUp(self):
        scope = tf.Graph().as_default()
        self.graph = scope.__enter__()
        self.addCleanup(scope.__exit__, None, None, None)

    def check(self, kind, words, program, names_line=False, node=None):
        with self.assertRaises(kind) as caught:
            program()
        said = str(caught.exception)
        self.assertIn(words, said)
        if names_line:
            self.assertIn(os.path.basename(__file__), said)
        if node is not None:
            self.assertIn(node, said)
        if not self.graph.finalized:
            self.check_unharmed()

    def check_unharmed(self):
        """Names, scopes and steps are what they were before."""
        after = tf.add(tf.constant(1.0), 2.0, name="still_good")
        self.assertTrue(after.op.name.startswith("still_good"))
        self.assertEqual((after.op.control_inputs, after.device), ([], ""))
        with tf.Session(graph=self.graph) as session:
            self.assertEqual(session.run(after), 3.0)

    # ---- shapes that do not fit

    def test_product_of_matrices_that_do_not_fit(self):
        x = floats([2, 3])
        self.check(ValueError, "Dimensions must be equal, but are 3 and 2 for '{{node MatMul}} = MatMul[", lambda: tf.matmul(x, x),
                   names_line=True)

    def test_sum_of_shapes_that_do_not_fit(self):
        self.check(ValueError, "Dimensions must be equal, but are 2 and 3 for '{{node Add}} = AddV2[T=DT_FLOAT](zeros, zeros_1)' with input "
                               "shapes: [2], [3].", lambda: tf.add(tf.zeros([2]), tf.zeros([3])))

    def test_shapes_that_a_step_finds_not_to_fit(self):
        x = floats(None)
        y = tf.matmul(x, tf.zeros([2, 2]), name="bad")

        def run():
            with tf.Session() as session:
                session.run(y, {x: [[1, 2, 3]]})
        self.check(tf.errors.InvalidArgumentError, "Matrix size-incompatible: In[0]: [1,3], In[1]: [2,2]", run, names_line=True, node="bad")

    def test_a_fed_shape_that_does_not_fit(self):
        x = floats([2], "p")

        def run():
            with tf.Session() as session:
                session.run(x, {x: [1, 2, 3]})
        self.check(ValueError, "Cannot feed value of shape (3,) for Tensor p:0, which has shape (2,)", run)

    # ---- loops and branches

    def test_a_loop_that_changes_a_shape_unsaid(self):
        self.check(ValueError, "enters the loop with shape (1,), but has shape (2,) after one iteration. To allow the shape to vary across "
                               "iterations, use the `shape_invariants` argument of tf.while_loop",
                   lambda: tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, tf.concat([x, x], 0)), [0, tf.zeros([1])]))

    def test_a_loop_that_gives_fewer_values(self):
        self.check(ValueError, "The two structures don't have the same nested structure.",
                   lambda: tf.while_loop(lambda i, j: i < 3, lambda i, j: i + 1, [0, 0]))

    def test_a_loop_whose_function_raises(self):
        def body(i):
            with tf.name_scope("inner"), tf.control_dependencies([i]), tf.device("/cpu:0"):
                raise OSError("of the program")
        self.check(OSError, "of the program", lambda: tf.while_loop(lambda i: i < 3, body, [0]))

    def test_a_value_of_a_loop_used_outside(self):
        inside = []

        def body(i):
            inside.append(i * 2)
            return i + 1
        tf.while_loop(lambda i: i < 3, body, [0])
        self.check(ValueError, "Cannot use 'while/mul' as input to 'add' because 'while/mul' is in a while loop.", lambda: inside[0] + 1,
                   node="while/mul")

    def test_branches_of_other_dtypes(self):
        p = tf.placeholder(tf.bool, [])
        self.check(ValueError, "Outputs of 'true_fn' and 'false_fn' must have the same type(s). Received int32 from 'true_fn' and float32 "
                               "from 'false_fn'.", lambda: tf.cond(p, lambda: tf.constant(1), lambda: tf.constant(1.0)))

    # ---- graphs and scopes

    def test_tensors_of_two_graphs(self):
        with tf.Graph().as_default():
            other = tf.constant(1.0)
        self.check(ValueError, 'Tensor("Const:0", shape=(), dtype=float32) must be from the same graph as Tensor("Const:0", shape=(), '
                               "dtype=float32)", lambda: tf.add(other, tf.constant(2.0)))

    def test_a_graph_that_is_finalized(self):
        self.graph.finalize()
        self.check(RuntimeError, "Graph is finalized and cannot be modified.", lambda: tf.constant(1.0))

    def test_a_name_scope_that_ends_before_one_in_it(self):
        outer, inner = tf.name_scope("a"), tf.name_scope("b")
        outer.__enter__()
        inner.__enter__()
        outer.__exit__(None, None, None)
        self.assertEqual(tf.constant(1.0, name="x").op.name, "x")  # as TensorFlow has it
        inner.__exit__(None, None, None)
        self.assertEqual(tf.constant(1.0, name="y").op.name, "a/y")

    def out_of_order(self, kind, words, outer, inner, seen):
        """Closing the outer scope first is refused, and both stay open until they end in their order."""
        before = seen()
        outer.__enter__()
        inner.__enter__()
        inside = seen()
        with self.assertRaises(kind) as caught:
            outer.__exit__(None, None, None)
        self.assertIn(words, str(caught.exception))
        self.assertEqual(seen(), inside)
        inner.__exit__(None, None, None)
        outer.__exit__(None, None, None)
        self.assertEqual(seen(), before)
        self.check_unharmed()

    def test_control_dependencies_that_end_before_others_in_them(self):
        x, y = tf.constant(1.0, name="x"), tf.constant(2.0, name="y")
        self.out_of_order(AssertionError, "", tf.control_dependencies([x]), tf.control_dependencies([y]),
                          lambda: [op.name for op in tf.no_op().control_inputs])

    def test_a_device_scope_that_ends_before_one_in_it(self):
        self.out_of_order(RuntimeError, "Exiting device scope without proper scope nesting.", tf.device("/cpu:0"), tf.device("/job:a"),
                          lambda: tf.no_op().device)

    def test_a_variable_scope_that_ends_before_one_in_it(self):
        self.out_of_order(RuntimeError, "Improper nesting of variable_scope.", tf.variable_scope("a"), tf.variable_scope("b"),
                          lambda: tf.get_variable_scope().name)

    def test_a_variable_scope_that_another_thread_closes(self):
        def layers():
            with tf.variable_scope("a"):
                yield tf.get_variable_scope().name
        begun = layers()
        self.assertEqual(next(begun), "a")
        refused = []

        def close():
            with self.graph.as_default():
                try:
                    begun.close()
                except RuntimeError as error:
                    refused.append(str(error))
        thread = threading.Thread(target=close)
        thread.start()
        thread.join()
        self.assertEqual(refused, ["Improper nesting of variable_scope."])
        self.assertEqual(tf.get_variable_scope().name, "a")  # where it was opened

    def test_a_variable_scope_that_is_never_closed(self):
        # What is left of them goes in any order.
        scopes = [tf.variable_scope(name) for name in "abc"]
        for scope in scopes:
            scope.__enter__()
        del scope, scopes[0]
        scopes.clear()

    def test_a_default_graph_that_ends_before_one_in_it(self):
        self.out_of_order(AssertionError, "Nesting violated for default stack of <class 'tensorflow.python.framework.ops.Graph'> objects",
                          tf.Graph().as_default(), tf.Graph().as_default(), tf.get_default_graph)

    def test_a_default_session_that_ends_before_one_in_it(self):
        with tf.Session() as one, tf.Session() as two:
            self.out_of_order(AssertionError, "Nesting violated for default stack of <class 'tensorflow.python.client.session.Session'> "
                                              "objects", one.as_default(), two.as_default(), tf.get_default_session)

    def check_import(self, words, op, attrs, *inputs):
        """Of nodes that are called a, b, c, ..., with these inputs."""
        nodes = [message((1, name), (2, op), (3, given)) + attrs for name, given in zip("abc", inputs)]
        definition = tf.GraphDef.FromString(message(*[(1, node) for node in nodes]))
        self.check(ValueError, words, lambda: tf.import_graph_def(definition, name=""))
        self.assertNotIn("a", [node.name for node in self.graph.get_operations()])

    def test_a_graph_with_a_cycle(self):
        self.check_import("3 nodes in a cycle", "Identity", FLOAT, "c", "a", "b")

    def test_a_node_that_is_its_own_input(self):
        self.check_import("1 nodes in a cycle", "Identity", FLOAT, "a")

    def test_a_cycle_of_control_inputs(self):
        self.check_import("2 nodes in a cycle", "NoOp", b"", "^b", "^a")

    def test_a_variable_of_a_name_that_is_taken(self):
        tf.get_variable("v", [1])
        self.check(ValueError, "Variable v already exists, disallowed. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in VarScope? "
                               "Originally defined at:", lambda: tf.get_variable("v", [1]), names_line=True)

    def test_a_loss_that_depends_on_no_variable(self):
        tf.Variable(1.0)
        self.check(ValueError, "No gradients provided for any variable, check your graph for ops that do not support gradients",
                   lambda: tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1.0)))

    # ---- sessions

    def test_a_session_used_after_it_is_closed(self):
        one = tf.constant(1.0)
        session = tf.Session()
        session.close()
        self.check(RuntimeError, "Attempted to use a closed Session.", lambda: session.run(one))
        self.check(RuntimeError, "Attempted to use a closed Session.", lambda: session.make_callable(one)())

    def test_more_uses_of_a_session_after_it_is_closed(self):
        one = tf.constant(1.0)
        session = tf.Session()
        call = session.make_callable(one)
        session.close()
        session.close()
        self.check(RuntimeError, "Attempted to use a closed Session.", call)
        self.check(RuntimeError, "Attempted to use a closed Session.", lambda: one.eval(session=session))
        self.check(tf.errors.CancelledError, "Session has been closed.", session.list_devices)
        with session.as_default():
            self.check(RuntimeError, "Attempted to use a closed Session.", one.eval)

    def in_a_fork(self, program):
        """What a child process says of it."""
        reads, writes = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                said = repr(program())
            except Exception as error:
                said = "%s: %s" % (type(error).__name__, error)
            os.write(writes, said.encode())
            os._exit(0)
        os.close(writes)
        with os.fdopen(reads) as pipe:
            said = pipe.read()
        os.waitpid(child, 0)
        return said

    def test_a_session_used_in_a_fork(self):
        v = tf.get_variable("v", initializer=1.0)
        more = v.assign_add(1.0)
        with tf.Session() as session:
            session.run(v.initializer)
            # The child has variables of its own from there on.
            self.assertIn("2.0", self.in_a_fork(lambda: float(session.run(more))))
            self.assertEqual(session.run(v), 1.0)
        self.check_unharmed()

    def test_a_closed_session_used_in_a_fork(self):
        one = tf.constant(1.0)
        session = tf.Session()
        session.close()
        self.assertIn("RuntimeError: Attempted to use a closed Session.", self.in_a_fork(lambda: session.run(one)))

    def test_a_session_that_a_fork_closes(self):
        one = tf.constant(1.0)
        with tf.Session() as session:
            self.assertEqual(self.in_a_fork(session.close), "None")
            self.assertEqual(session.run(one), 1.0)

    def test_a_placeholder_that_nobody_feeds(self):
        p = floats([], "p")

        def run():
            with tf.Session() as session:
                session.run(p + 1.0)
        self.check(tf.errors.InvalidArgumentError, "You must feed a value for placeholder tensor 'p' with dtype float", run, names_line=True)

    def test_a_variable_without_a_value(self):
        v = tf.Variable(1.0, name="v")

        def run():
            with tf.Session() as session:
                session.run(v + 1.0)
        self.check(tf.errors.FailedPreconditionError, "Attempting to use uninitialized value v", run, names_line=True)

    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork")
    def test_a_session_in_a_forked_process_runs_or_says_why_not(self):
        y = tf.reduce_sum(tf.matmul(tf.ones([64, 64]), tf.ones([64, 64])))
        with tf.Session() as session:
            self.assertEqual(session.run(y), 64.0 ** 3)
            read, write = os.pipe()
            sys.stdout.flush()
            pid = os.fork()
            if pid == 0:
                try:
                    os.write(write, repr(float(session.run(y))).encode())
                except Exception as error:  # noqa: BLE001: told to the parent
                    os.write(write, ("error: %s" % error).encode())
                finally:
                    os._exit(0)
            os.close(write)
            said = os.read(read, 10000).decode()
            os.close(read)
            os.waitpid(pid, 0)
            self.assertTrue(said == "262144.0" or said.startswith("error: "), said)
            self.assertEqual(session.run(y), 64.0 ** 3)

    def test_a_reset_graph_under_an_interactive_session(self):
        session = tf.InteractiveSession(graph=self.graph)
        self.addCleanup(session.close)
        self.check(AssertionError, "Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared graph, exit the nesting "
                                   "and create a new graph.", tf.reset_default_graph)


class ResetUnderAnInteractiveSessionTest(unittest.TestCase):
    def test_the_thread_s_own_graph_is_reset_and_the_session_keeps_the_old_one(self):
        tf.reset_default_graph()
        before = tf.constant(1.0)
        session = tf.InteractiveSession()
        self.addCleanup(session.close)
        tf.reset_default_graph()
        after = tf.constant(2.0)
        self.assertIsNot(after.graph, before.graph)
        self.assertEqual(session.run(before), 1.0)
        with self.assertRaisesRegex(ValueError, "cannot be interpreted as a Tensor|is not an element of this graph"):
            session.run(after)
        with self.assertRaisesRegex(ValueError, "Cannot use the default session to evaluate tensor: the tensor's graph is different from the "
                                                "session's graph."):
            after.eval()


class VectorizedMapTest(unittest.TestCase):
    def run_it(self, function, *arrays, **options):
        with tf.Graph().as_default(), tf.Session() as session:
            given = [tf.constant(array) for array in arrays]
            return session.run(tf.vectorized_map(function, given[0] if len(given) == 1 else tuple(given), warn=False, **options))

    def test_rows_go_through_the_function(self):
        rows = np.arange(6, dtype=np.float32).reshape(3, 2)
        np.testing.assert_allclose(self.run_it(lambda row: tf.reduce_sum(row * row), rows), (rows ** 2).sum(1))

    def test_results_may_have_another_structure_and_dtype(self):
        rows = np.float32([[1, 2], [3, 4]])
        first, others = self.run_it(lambda row: (tf.cast(row[0], tf.int32), {"both": row * 2.0}), rows)
        self.assertEqual(first.tolist(), [1, 3])
        self.assertEqual(others["both"].tolist(), [[2.0, 4.0], [6.0, 8.0]])

    def test_one_row_stands_for_all(self):
        product = self.run_it(lambda pair: pair[0] * pair[1], np.float32([[1], [2], [3]]), np.float32([[10]]))
        self.assertEqual(product.tolist(), [[10.0], [20.0], [30.0]])

    def test_what_cannot_be_is_refused(self):
        with self.assertRaisesRegex(NotImplementedError, "fallback_to_while_loop=False"):
            self.run_it(tf.identity, np.float32([1]), fallback_to_while_loop=False)
        with self.assertRaisesRegex(ValueError, "must be equal, or 1"):
            self.run_it(lambda pair: pair[0], np.float32([1, 2]), np.float32([1, 2, 3]))


if __name__ == "__main__":
    unittest.main()
