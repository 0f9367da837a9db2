from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, TextIO, TypeVar, overload

from flowray.ray import ObjectRef, RemoteFunction
from flowray.ray.util import check_serialize as check_serialize, queue as queue, scheduling_strategies as scheduling_strategies
from flowray.ray.util.actor_pool import ActorPool as ActorPool
from flowray.ray.util.check_serialize import FailureTuple
from flowray.ray.util.placement_group import (PlacementGroup, get_current_placement_group as get_current_placement_group,
                                              get_placement_group as get_placement_group, placement_group as placement_group,
                                              placement_group_table as placement_group_table,
                                              remove_placement_group as remove_placement_group)

T = TypeVar("T")

@overload
def list_named_actors(all_namespaces: Literal[False] = False) -> list[str]: ...
@overload
def list_named_actors(all_namespaces: Literal[True]) -> list[dict[str, str]]: ...

# With yield_obj_refs=True references.
def as_completed(refs: Sequence[ObjectRef[T]], *, chunk_size: int = 10, yield_obj_refs: bool = False, **kwargs: Any) -> Iterator[T]: ...
def map_unordered(fn: RemoteFunction[T], items: Iterable[Any], *, backpressure_size: int | None = 100, chunk_size: int = 10,
                  yield_obj_refs: bool = False, **kwargs: Any) -> Iterator[T]: ...
def inspect_serializability(base_obj: Any, name: str | None = None, depth: int = 3,
                            print_file: TextIO | None = None) -> tuple[bool, set[FailureTuple]]: ...
