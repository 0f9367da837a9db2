"""ray.util.serialization: how objects of a class are pickled."""

from flowray.ray._pickling import deregister_serializer, register_serializer

__all__ = ["deregister_serializer", "register_serializer"]
