from typing import Any, TextIO

class FailureTuple:
    obj: Any
    path: str
    parent: Any
    def __init__(self, obj: Any, path: str, parent: Any) -> None: ...

def inspect_serializability(base_obj: Any, name: str | None = None, depth: int = 3,
                            print_file: TextIO | None = None) -> tuple[bool, set[FailureTuple]]: ...
