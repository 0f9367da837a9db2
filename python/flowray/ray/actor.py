"""ray.actor: the classes of actors."""

from flowray.ray._actor import ActorClass, ActorHandle, ActorMethod, exit_actor

__all__ = ["ActorClass", "ActorHandle", "ActorMethod", "exit_actor"]
