"""Functions that are found by their names: programs, misuses."""


class NamedFunctions(dict):
    """`kind` is what they are, in the plural: "programs"."""

    def __init__(self, kind):
        super().__init__()
        self.kind = kind

    def add(self, function):
        """As a decorator: adds `function`, which takes nothing, under its own name."""
        if function.__name__ in self:
            raise ValueError(f"two {self.kind} are called {function.__name__}: rename one")
        self[function.__name__] = function
        return function
