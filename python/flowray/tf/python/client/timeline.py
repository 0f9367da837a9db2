"""tensorflow.python.client.timeline: what a step did, as a trace."""

from flowray._native import Timeline

__all__ = ["Timeline"]
