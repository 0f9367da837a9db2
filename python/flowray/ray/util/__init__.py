"""ray.util: what is made of tasks and actors."""

from flowray.ray.util.actor_pool import ActorPool

__all__ = ["ActorPool"]
