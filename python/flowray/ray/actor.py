"""ray.actor: the classes of actors."""

from flowray.ray._actor import ActorClass, ActorHandle, ActorMethod

__all__ = ["ActorClass", "ActorHandle", "ActorMethod"]
