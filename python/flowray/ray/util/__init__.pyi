from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, TextIO, TypeVar, overload

from flowray.ray import ObjectRef, RemoteFunction
from flowray.ray.util import (check_serialize as check_serialize, debug as debug, queue as queue, scheduling_strategies as scheduling_strategies,
                              serialization as serialization)
from flowray.ray.util.actor_pool import ActorPool as ActorPool
from flowray.ray.util.check_serialize import FailureTuple
from flowray.ray.util.debug import (disable_log_once_globally as disable_log_once_globally, enable_periodic_logging as enable_periodic_logging,
                                    log_once as log_once)
from flowray.ray.util.placement_group import (PlacementGroup, get_current_placement_group as get_current_placement_group,
                                              get_placement_group as get_placement_group, placement_group as placement_group,
                                              placement_group_table as placement_group_table,
                                              remove_placement_group as remove_placement_group)
from flowray.ray.util.serialization import deregister_serializer as deregister_serializer, register_serializer as register_serializer

T = TypeVar("T")

@overload
def list_named_actors(all_namespaces: Literal[False] = False) -> list[str]: ...
@overload
def list_named_actors(all_namespaces: Literal[True]) -> list[dict[str, str]]: ...

# With yield_obj_refs=True references.
def as_completed(refs: Sequence[ObjectRef[T]], *, chunk_size: int = 10, yield_obj_refs: bool = False, **kwargs: Any) -> Iterator[T]: ...
def map_unordered(fn: RemoteFunction[T], items: Iterable[Any], *, backpressure_size: int | None = 100, chunk_size: int = 10,
                  yield_obj_refs: bool = False, **kwargs: Any) -> Iterator[T]: ...
def get_node_ip_address() -> str: ...
def inspect_serializability(base_obj: Any, name: str | None = None, depth: int = 3,
                            print_file: TextIO | None = None) -> tuple[bool, set[FailureTuple]]: ...
