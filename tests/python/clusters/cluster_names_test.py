"""Where the tasks of a cluster are. Expectations are what TensorFlow 2.21's classes of these names give for the same configurations."""

import json
import os
import unittest
from unittest import mock

import numpy as np

from flowray import tf


def resolver_of(config, **arguments):
    with mock.patch.dict(os.environ, {"TF_CONFIG": json.dumps(config)}):
        resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver(**arguments)
        return resolver.cluster_spec().as_dict(), resolver.master(), resolver.task_type, resolver.task_id, resolver.rpc_layer, resolver.environment


class ClusterNamesTest(unittest.TestCase):
    def test_tf_config_says_where_tasks_are(self):
        cluster = {"ps": ["a:1"], "worker": ["b:2", "c:3"]}
        config = {"cluster": cluster, "task": {"type": "worker", "index": 1}, "rpc_layer": "grpc"}
        self.assertEqual(resolver_of(config), (cluster, "grpc://c:3", "worker", 1, "grpc", None))
        self.assertEqual(resolver_of(config, task_type="ps", task_id=0)[1], "grpc://a:1")
        self.assertEqual(resolver_of({}), ({}, "", None, None, None, None))
        self.assertEqual(resolver_of({"cluster": {"worker": ["b:2"]}}), ({"worker": ["b:2"]}, "", None, None, None, None))
        one_each = {"cluster": {"ps": ["p:1"], "worker": ["w:1"]}, "task": {"type": "ps", "index": 0}}
        self.assertEqual(resolver_of(one_each)[1], "p:1")
        with self.assertRaisesRegex(ValueError, "No task with index None in job 'chief'"):
            resolver_of({"cluster": {"worker": ["b:2"], "chief": ["c:1"]}, "task": {"type": "chief"}})

    def test_a_known_cluster_is_resolved(self):
        spec = tf.train.ClusterSpec({"worker": ["x:1", "y:2"]})
        resolver = tf.contrib.cluster_resolver.SimpleClusterResolver(spec, master="grpc://q:1", task_type="worker", task_id=0)
        self.assertEqual((resolver.master(), resolver.master("worker", 1)), ("grpc://q:1", "y:2"))
        self.assertEqual((resolver.cluster_spec(), resolver.task_type, resolver.task_id, resolver.environment), (spec, "worker", 0, ""))
        with self.assertRaisesRegex(TypeError, "cluster_spec must be a `tf.train.ClusterSpec`."):
            tf.distribute.cluster_resolver.SimpleClusterResolver({"a": ["b:1"]})

    def test_several_resolvers_are_one(self):
        names = tf.distribute.cluster_resolver
        spec = tf.train.ClusterSpec

        class Own(names.ClusterResolver):
            task_type, task_id = "evaluator", 5

            def cluster_spec(self):
                return spec({"worker": ["z:3"], "ps": {1: "q:2"}})

            def master(self, task_type=None, task_id=None, rpc_layer=None):
                return "own %s" % rpc_layer

        known = names.SimpleClusterResolver(spec({"worker": ["x:1", "y:2"], "ps": ["p:1"]}), master="m:1", task_type="worker", task_id=1)
        both = names.UnionResolver(known, Own())
        self.assertEqual(both.cluster_spec().as_dict(), {"worker": ["x:1", "y:2", "z:3"], "ps": ["p:1", "q:2"]})
        self.assertEqual((both.task_type, both.task_id, both.master(), both.master("worker", 2, "grpc")), ("worker", 1, "m:1", "grpc://z:3"))
        other = names.UnionResolver(Own(), known, task_type="chief", rpc_layer="grpc")
        self.assertEqual((other.task_type, other.task_id, other.master(rpc_layer="q"), other.rpc_layer), ("chief", 5, "own q", "grpc"))
        self.assertEqual(other.master("ps", 0), "grpc://p:1")
        with self.assertRaisesRegex(KeyError, "Duplicate keys detected when merging two ClusterSpecs: {1}"):
            names.UnionResolver(Own(), Own()).cluster_spec()
        with self.assertRaisesRegex(ValueError, "At least one ClusterResolver is required."):
            names.UnionResolver()
        with self.assertRaisesRegex(TypeError, "All arguments must be a sub-class of `ClusterResolver.`"):
            names.UnionResolver(spec({}))

    def test_a_cluster_is_a_message(self):
        spec = tf.train.ClusterSpec({"ps": ["a:1"], "worker": {1: "b:2"}})
        message = spec.as_cluster_def()
        # What TensorFlow's gives.
        self.assertEqual(message.SerializeToString(), b"\n\r\n\x02ps\x12\x07\x08\x00\x12\x03a:1\n\x11\n\x06worker\x12\x07\x08\x01\x12\x03b:2")
        self.assertEqual(tf.train.ClusterDef.FromString(message.SerializeToString()), message)
        self.assertEqual(message.job[1].tasks[1], "b:2")
        self.assertIn('name: "ps"\n  tasks {\n    key: 0\n    value: "a:1"\n  }\n', str(message))
        self.assertEqual(tf.train.ClusterSpec(message), spec)
        self.assertEqual(repr(spec), "ClusterSpec({'ps': ['a:1'], 'worker': {1: 'b:2'}})")

    def test_variables_go_to_the_least_loaded_task(self):
        tf.reset_default_graph()
        greedy = tf.contrib.training.GreedyLoadBalancingStrategy(2, tf.contrib.training.byte_size_load_fn)
        with tf.device(tf.train.replica_device_setter(ps_tasks=2, ps_strategy=greedy)):
            sizes = [100, 10, 10, 200, 5]
            variables = [tf.Variable(np.zeros(size, np.float32)) for size in sizes]
        # 400 bytes are on 0; 40, 80, then 880 on 1; then 0 again.
        self.assertEqual([variable.device for variable in variables], ["/job:ps/task:%d" % task for task in (0, 1, 1, 1, 0)])
        with self.assertRaisesRegex(ValueError, "must have a single output"):
            tf.contrib.training.byte_size_load_fn(tf.no_op())
        self.assertEqual(tf.contrib.training.byte_size_load_fn(tf.placeholder(tf.float64).op), 8)


if __name__ == "__main__":
    unittest.main()
