"""tf.distribute.cluster_resolver: where the tasks of a cluster are, as TF_CONFIG or the program says it."""

import json as _json
import os as _os

from flowray import _native


def _master_url(rpc_layer, address):
    return "%s://%s" % (rpc_layer, address) if rpc_layer else address


class ClusterResolver:
    """The base of all resolvers."""

    task_type = task_id = rpc_layer = None
    environment = ""

    def cluster_spec(self):
        """The addresses of all tasks."""
        raise NotImplementedError("cluster_spec is not implemented for %s" % type(self).__name__)

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        """Where sessions connect to."""
        raise NotImplementedError("master is not implemented for %s" % type(self).__name__)


class SimpleClusterResolver(ClusterResolver):
    """Of a ClusterSpec that is known."""

    def __init__(self, cluster_spec, master="", task_type=None, task_id=None, environment="", num_accelerators=None, rpc_layer=None):
        if not isinstance(cluster_spec, _native.train.ClusterSpec):
            raise TypeError("cluster_spec must be a `tf.train.ClusterSpec`.")
        if not isinstance(master, str):
            raise TypeError("master must be a string.")
        _native._refuse(num_accelerators, "tf.distribute.cluster_resolver.SimpleClusterResolver", "num_accelerators")
        self._cluster_spec, self._master = cluster_spec, master
        self.task_type, self.task_id, self.environment, self.rpc_layer = task_type, task_id, environment, rpc_layer

    def cluster_spec(self):
        return self._cluster_spec

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        """The address of a task; of none: the `master` that was given."""
        if task_type is not None and task_id is not None:
            return _master_url(rpc_layer or self.rpc_layer, self._cluster_spec.task_address(task_type, task_id))
        return _master_url(rpc_layer, self._master) if rpc_layer else self._master


class TFConfigClusterResolver(ClusterResolver):
    """Of the environment variable TF_CONFIG, a JSON object with the keys cluster, task (type and index), rpc_layer, environment."""

    def __init__(self, task_type=None, task_id=None, rpc_layer=None, environment=None):
        self._type, self._id, self._layer, self._environment = task_type, task_id, rpc_layer, environment

    @staticmethod
    def _config():
        return _json.loads(_os.environ.get("TF_CONFIG", "{}"))

    @property
    def task_type(self):
        if self._type is not None:
            return self._type
        kind = self._config().get("task", {}).get("type")
        return None if kind is None else str(kind)

    @task_type.setter
    def task_type(self, task_type):
        self._type = task_type

    @property
    def task_id(self):
        if self._id is not None:
            return self._id
        index = self._config().get("task", {}).get("index")
        return None if index is None else int(index)

    @task_id.setter
    def task_id(self, task_id):
        self._id = task_id

    @property
    def rpc_layer(self):
        return self._config().get("rpc_layer") if self._layer is None else self._layer

    @rpc_layer.setter
    def rpc_layer(self, rpc_layer):
        self._layer = rpc_layer

    @property
    def environment(self):
        return self._config().get("environment") if self._environment is None else self._environment

    def cluster_spec(self):
        return _native.train.ClusterSpec(self._config().get("cluster", {}))

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        """The address of a task, of this one where none is named; "" where the cluster has one task at most."""
        cluster = self.cluster_spec()
        if not cluster or (len(cluster.jobs) == 1 and len(cluster.job_tasks(cluster.jobs[0])) == 1):
            return ""
        task_type = self.task_type if task_type is None else task_type
        task_id = self.task_id if task_id is None else task_id
        if task_id is None:
            raise ValueError("No task with index None in job %r" % task_type)
        return _master_url(rpc_layer or self.rpc_layer, cluster.task_address(task_type, task_id))
