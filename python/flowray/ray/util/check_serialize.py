"""ray.util.check_serialize: what keeps a value from being sent."""

from flowray.ray import _culprits

__all__ = ["FailureTuple", "inspect_serializability"]


class FailureTuple:
    """What does not pickle.

    Attributes:
        obj: it.
        path: how it is reached from the value.
        parent: what holds it; the value itself where that does not pickle.
    """

    def __init__(self, obj, path, parent):
        self.obj, self.path, self.parent = obj, path, parent

    def __repr__(self):
        return "FailTuple(%s, obj=%r, parent=%r)" % (self.path, self.obj, self.parent)


def inspect_serializability(base_obj, name=None, depth=3, print_file=None):
    """(whether a value can be sent to other processes, a set of the first part of it that cannot, as a FailureTuple).

    Prints the way to that part, too.

    Args:
        base_obj: the value.
        name: what it is called in what is printed.
        depth: through so many parts of parts it looks.
        print_file: where to print; standard output unless given.
    """
    name = name or _culprits.name_of(base_obj)
    if _culprits.pickles(base_obj):
        print("%s can be sent to other processes." % name, file=print_file)
        return True, set()
    path, culprit, parent = _culprits.find(base_obj, name, depth)
    print("%s cannot be sent to other processes.\nWhat cannot be sent is %s: %s" % (name, path, _culprits.shown(culprit)), file=print_file)
    return False, {FailureTuple(culprit, path, parent)}
