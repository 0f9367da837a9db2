"""ray.actor: the classes of actors."""

from flowray.ray._actor import ActorClass, ActorClassInheritanceException, ActorHandle, ActorMethod, exit_actor, method

__all__ = ["ActorClass", "ActorClassInheritanceException", "ActorHandle", "ActorMethod", "exit_actor", "method"]
