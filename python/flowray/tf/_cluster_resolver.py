"""tf.distribute.cluster_resolver: where the tasks of a cluster are, as TF_CONFIG or the program says it."""

from flowray import _native


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


def _asked(name):
    return property(lambda self: getattr(self._resolver, name), lambda self, value: setattr(self._resolver, name, value))


class _Asks(ClusterResolver):
    """One of flowray/tf/cluster_resolver.h."""

    task_type, task_id, rpc_layer = _asked("task_type"), _asked("task_id"), _asked("rpc_layer")

    @property
    def environment(self):
        return self._resolver.environment

    def cluster_spec(self):
        """The addresses of all tasks."""
        return self._resolver.cluster_spec()

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        """Where sessions connect to: the address of a task, or what the class says."""
        return self._resolver.master(task_type, task_id, rpc_layer)


class SimpleClusterResolver(_Asks):
    """Of a ClusterSpec that is known. Without a task its master() is the `master` that was given."""

    def __init__(self, cluster_spec, master="", task_type=None, task_id=None, environment="", num_accelerators=None, rpc_layer=None):
        if not isinstance(cluster_spec, _native.train.ClusterSpec):
            raise TypeError("cluster_spec must be a `tf.train.ClusterSpec`.")
        if not isinstance(master, str):
            raise TypeError("master must be a string.")
        _native._refuse(num_accelerators, "tf.distribute.cluster_resolver.SimpleClusterResolver", "num_accelerators")
        self._resolver = _native.train._SimpleClusterResolver(cluster_spec, master, task_type, task_id, environment, rpc_layer)


class TFConfigClusterResolver(_Asks):
    """Of the environment variable TF_CONFIG, a JSON object with the keys cluster, task (type and index), rpc_layer, environment. Without
    a task its master() is this one's address, or "" where the cluster has one task at most."""

    def __init__(self, task_type=None, task_id=None, rpc_layer=None, environment=None):
        self._resolver = _native.train._TFConfigClusterResolver(task_type, task_id, rpc_layer, environment)


class UnionResolver(_Asks):
    """Of several resolvers as one. What is not said of this task, and its master() without a task, is as the first one says."""

    def __init__(self, *resolvers, rpc_layer=None, task_type=None, task_id=None):
        for resolver in resolvers:
            if not isinstance(resolver, ClusterResolver):
                raise TypeError("All arguments must be a sub-class of `ClusterResolver.`")
        self._resolver = _native.train._UnionResolver(resolvers, rpc_layer, task_type, task_id)


UnionClusterResolver = UnionResolver
