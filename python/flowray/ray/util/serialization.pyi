from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

def register_serializer(cls: type[T], *, serializer: Callable[[T], Any], deserializer: Callable[[Any], T]) -> None: ...
def deregister_serializer(cls: type) -> None: ...
