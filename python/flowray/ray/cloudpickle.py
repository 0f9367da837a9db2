"""ray.cloudpickle: the pickles of cloudpickle, by the name that programs for Ray import it by."""

from cloudpickle import CloudPickler, Pickler, dump, dumps, load, loads, register_pickle_by_value, unregister_pickle_by_value

__all__ = ["CloudPickler", "Pickler", "dump", "dumps", "load", "loads", "register_pickle_by_value", "unregister_pickle_by_value"]
