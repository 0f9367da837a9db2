"""tf.cond, tf.case and tf.while_loop: structures of values around the language's functions, which take and give flat lists."""

from flowray import _native
from flowray import tf as _tf
from flowray.tf import _composites, _nest


class _Branch:
    """A function of the program, and the structure of what it gave."""

    def __init__(self, name, function, strict):
        if not callable(function):
            raise TypeError(f"'{name}' must be callable.")
        self.function, self.result = function, None
        self._name, self.strict = name, strict

    def __call__(self):
        self.result = self.function()
        if self.result is None:
            raise ValueError(f"'{self._name}' must have a return value.")
        flat = _composites.expanded(_nest.flatten(self.result))
        if not self.strict and isinstance(self.result, (list, tuple)) and len(self.result) == 1:
            self.result = self.result[0]
        return flat

    def packed(self, tensors):
        """What it gave, of other tensors."""
        return _nest.pack_sequence_as(self.result, _composites.collected(_nest.flatten(self.result), tensors))


def _result_of_one(branch):
    """What the branch gives while operations run at once: itself, whatever it is."""
    result = branch.function()
    if not branch.strict and isinstance(result, (list, tuple)) and len(result) == 1:
        return result[0]
    return result


def cond(pred, true_fn=None, false_fn=None, strict=False, name=None, fn1=None, fn2=None):
    """What `true_fn` gives where `pred` is true, else what `false_fn` does."""
    functions = []
    for argument, function, old, old_one in (("true_fn", true_fn, "fn1", fn1), ("false_fn", false_fn, "fn2", fn2)):
        if function is not None and old_one is not None:
            raise TypeError(f"cond(): '{argument}' and '{old}' may not be set simultaneously.")
        if function is None and old_one is None:
            raise TypeError(f"cond(): '{argument}' argument required")
        functions.append(_Branch(argument, old_one if function is None else function, strict))
    yes, no = functions
    if _tf.executing_eagerly():
        return _result_of_one(yes if bool(pred) else no)

    def checked():
        flat = no()
        try:
            _nest.assert_same_structure(yes.result, no.result)
        except (TypeError, ValueError) as error:
            message, *rest = str(error).split("\n", 1)
            raise type(error)("\n".join([message, "'true_fn' and 'false_fn' must return the same structure.", *rest])) from None
        try:
            _composites.assert_same_kinds(yes.result, no.result)
        except ValueError as error:
            raise ValueError("Incompatible return values of 'true_fn' and 'false_fn': %s" % error) from None
        return flat
    return yes.packed(_native._cond(pred, yes, checked, name))


def _case_of_one(pred, branch, exclusive, name):
    """No branch is built: the function is called under the assertion that it is the one, and what it gives is the result."""
    given = []

    def call():
        given.append(branch.function())
        return []
    _native._case([(pred, call)], None, exclusive, name)
    return given[0]


def _case_of_values(pairs, default, exclusive):
    """case() while operations run at once: only the function that is chosen is called."""
    chosen = [function for pred, function in pairs if bool(pred)]
    if exclusive and len(chosen) > 1:
        raise _tf.errors.InvalidArgumentError(None, None, "Input error: exclusive=True: more than 1 conditions (%d) evaluated as True:" % len(chosen))
    if not chosen and default is None:
        raise _tf.errors.InvalidArgumentError(None, None, "None of the conditions evaluated as True. Conditions: %d of them" % len(pairs))
    return (chosen[0] if chosen else default)()


def case(pred_fn_pairs, default=None, exclusive=False, strict=False, name="case"):
    """What the first function gives whose predicate is true, else what `default` does."""
    if not isinstance(pred_fn_pairs, (list, tuple, dict)):
        raise TypeError(f"'pred_fn_pairs' must be a list, tuple, or dict. Received: {type(pred_fn_pairs)}")
    if isinstance(pred_fn_pairs, dict):
        pairs = list(pred_fn_pairs.items())
        if type(pred_fn_pairs).__name__ != "OrderedDict":
            pairs.sort(key=lambda pair: pair[0].name)
    else:
        pairs = pred_fn_pairs
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'pred_fn_pairs' must be a 2-tuple. Received {pair}.")
        if not isinstance(pair[0], _native.Tensor):
            raise TypeError(f"pred must be a Tensor, got: {pair[0]}")
    if _tf.executing_eagerly():
        return _case_of_values(pairs, default, exclusive)
    branches = [(pred, _Branch(f"fn for pred {pred.name}", function, strict)) for pred, function in pairs]
    last = None if default is None else _Branch("default", default, strict)
    if len(branches) == 1 and last is None:
        return _case_of_one(*branches[0], exclusive, name)
    return branches[0][1].packed(_native._case(branches, last, exclusive, name))


def _branches_in_order(branch_fns, default):
    if not isinstance(branch_fns, (list, tuple, dict)):
        raise TypeError(f"'branch_fns' must be a list, tuple, or dict. Received {type(branch_fns)}")
    if isinstance(branch_fns, dict):
        branch_fns = sorted(branch_fns.items(), key=lambda pair: pair[0])
    if not branch_fns:
        raise ValueError("Must provide at least one item in 'branch_fns'. Received []")
    if all(callable(function) for function in branch_fns):
        branch_fns = list(enumerate(branch_fns))
    for pair in branch_fns:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'branch_fns' must be a 2-tuple. Received {pair}.")
        if not isinstance(pair[0], int):
            raise TypeError(f"key must be a Python `int`, got {type(pair[0])}")
        if not callable(pair[1]):
            raise TypeError(f"fn for key {pair[0]} must be callable.")
    if sorted(key for key, _ in branch_fns) != list(range(len(branch_fns))):
        raise ValueError("branch indices must form contiguous range of [0 to {}) but found {{{}}}".format(
            len(branch_fns), ",".join(map(str, sorted(key for key, _ in branch_fns)))))
    if default is not None and not callable(default):
        raise TypeError("'default' must be callable.")
    functions = [function for _, function in sorted(branch_fns, key=lambda pair: pair[0])]
    return functions if default is None else functions + [default]


def switch_case(branch_index, branch_fns, default=None, name="switch_case"):
    """What function number `branch_index` gives; where there is none, what `default` or else the last one does."""
    functions = _branches_in_order(branch_fns, default)
    if not isinstance(branch_index, _native.Tensor):
        raise TypeError(f"'branch_index' must be a Tensor, got {type(branch_index)}")
    branches = [_Branch(f"branch_fns[{i}]", function, True) for i, function in enumerate(functions)]

    def checked(branch):
        def call():
            flat = branch()
            if branch is not branches[0]:
                _nest.assert_same_structure(branches[0].result, branch.result)
                _composites.assert_same_kinds(branches[0].result, branch.result)
            return flat
        return call
    results = _native._switch_case(branch_index, [checked(branch) for branch in branches], name)
    if branch_index.__class__ is _native.Tensor and _native.executing_eagerly():
        return next(branch for branch in branches if branch.result is not None).packed(results)
    return branches[0].packed(results)


def while_loop(cond, body, loop_vars, shape_invariants=None, parallel_iterations=10, back_prop=True, swap_memory=False,
               name=None, maximum_iterations=None, return_same_structure=False):
    """The variables after the last iteration: `body` gives them anew as long as `cond` holds."""
    for argument, function in (("cond", cond), ("body", body)):
        if not callable(function):
            raise TypeError(f"'{argument}' must be callable.")
    if not loop_vars:
        raise ValueError("'loop_vars' must be provided.")
    given, first = [], _nest.flatten(loop_vars)
    invariants = [None] * len(first) if shape_invariants is None else _nest.flatten(shape_invariants)
    if len(invariants) != len(first):
        raise ValueError("There are %d loop_vars and %d shape_invariants; there must be as many." % (len(first), len(invariants)))
    makers = [_composites.in_loop(value, invariant) for value, invariant in zip(first, invariants)]

    def packed_like_first(tensors):
        parts_of_each = _composites.grouped(first, tensors)
        return _nest.pack_sequence_as(loop_vars, [make(parts) for make, parts in zip(makers, parts_of_each)])

    def goes_on(tensors):
        return cond(*packed_like_first(tensors))

    def next_values(tensors):
        packed = packed_like_first(tensors)
        result = body(*packed)
        if not _nest.is_nested(result):
            result = [result]
        _nest.assert_same_structure(list(packed), list(result))
        _composites.assert_same_kinds(list(packed), list(result))
        given.append(result)
        return _composites.expanded(_nest.flatten(result))
    shapes = _shapes_in_loop(first, invariants, shape_invariants is not None)
    results = _native._while_loop(goes_on, next_values, _composites.expanded(first), shapes, parallel_iterations, back_prop,
                                  swap_memory, name, maximum_iterations)
    packed = _nest.pack_sequence_as(given[0], _composites.collected(_nest.flatten(given[0]), results))
    return packed[0] if len(results) == 1 and not return_same_structure else packed


def _shapes_in_loop(variables, invariants, are_given):
    """A shape for each tensor of the variables; None where all keep their own."""
    if are_given:
        return [shape for value, invariant in zip(variables, invariants) for shape in _composites.invariant_shapes(value, invariant)]
    if not any(map(_composites.is_composite, variables)):
        return None
    return [shape for value in variables for shape in _composites.own_shapes(value)]
