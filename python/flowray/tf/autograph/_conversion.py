"""Python functions as functions whose `if`, `while` and `for` ask first what they are about: statements on tensors become those of a graph. A
function's source is rewritten statement by statement into calls of _operators.py; what is not about tensors does what it did. Branches and loop
bodies become functions on the way, and where that would be seen (_Refusals says where) the whole function is left as it is.

Python's own ast does it: the trees of the Pythons that the package runs with (3.10 and later) differ in nothing that is looked at here."""

import __future__ as _future
import ast as _ast
import copy as _copy
import dis as _dis
import functools as _functools
import inspect as _inspect
import os as _os
import sys as _sys
import sysconfig as _sysconfig
import types as _types
import weakref as _weakref

from flowray.tf.autograph import _operators

_converted = _weakref.WeakKeyDictionary()  # by functions' code: (code, names of its cells), or why there is none
_OUTSIDE = {"flowray", "tensorflow", "numpy", "scipy", "h5py", "pandas", *_sys.stdlib_module_names} - {"__main__"}
_INSTALLED = tuple({_os.path.join(_sysconfig.get_path(name), "") for name in ("stdlib", "platstdlib", "purelib", "platlib")}
                   | {_os.path.join(_os.path.dirname(_os.path.dirname(_os.path.dirname(_os.path.abspath(__file__)))), "")})
_MOST_COPIES, _DEEPEST = 15, 40


class ConversionError(Exception):
    """A function's source cannot be had, or has what is not converted."""


def is_convertible(function):
    """Whether it is a function of the program's that may have statements on tensors."""
    if isinstance(function, _types.MethodType):
        function = function.__func__
    if not isinstance(function, _types.FunctionType) or getattr(function, "_is_not_converted", False):
        return False
    if str(function.__module__ or "").partition(".")[0] in _OUTSIDE or function.__code__.co_name == "<lambda>":
        return False
    file = function.__code__.co_filename  # a decorator's function says that it is of the module of the decorated one
    if file.startswith(_INSTALLED) or "site-packages" in file or "dist-packages" in file:
        return False
    return not function.__code__.co_flags & (_inspect.CO_GENERATOR | _inspect.CO_COROUTINE | _inspect.CO_ASYNC_GENERATOR)


def convert(function):
    """The function with statements that may be a graph's; raises ConversionError."""
    if isinstance(function, _types.MethodType):
        return _types.MethodType(convert(function.__func__), function.__self__)
    found = _converted.get(function.__code__)
    if found is None:
        try:
            found = _made_anew(function)
        except Exception as error:  # noqa: B902: whatever goes wrong here, the function as it is goes right
            found = str(error) if isinstance(error, ConversionError) else "%s: %s" % (type(error).__name__, error)
        _converted[function.__code__] = found
    if isinstance(found, str):
        raise ConversionError(found)
    code, names = found
    cells = {"ag__": _types.CellType(_operators), **dict(zip(function.__code__.co_freevars, function.__closure__ or ()))}
    made = _types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__, tuple(cells[name] for name in names))
    made.__kwdefaults__ = function.__kwdefaults__
    _functools.update_wrapper(made, function)
    del made.__wrapped__
    if "__wrapped__" in function.__dict__:
        made.__wrapped__ = function.__wrapped__
    made._is_not_converted = True  # it is already
    return made


def source_of(function):
    """The converted function as text."""
    function = getattr(function, "__func__", function)
    try:
        return _ast.unparse(_tree_of(function))
    except (RecursionError, SyntaxError, ValueError) as error:
        raise ConversionError("%s: %s" % (type(error).__name__, error)) from error


def _tree_of(function):
    try:
        source = _inspect.getsource(function.__code__)
        indented = source[:1] in (" ", "\t")
        tree = _ast.parse("if 1:\n" + source if indented else source)  # not dedented: strings over several lines are to stay what they are
    except (OSError, TypeError, SyntaxError, IndentationError) as error:
        raise ConversionError("the source of %s cannot be read: %s" % (function.__qualname__, error)) from error
    defined = (tree.body[0].body if indented else tree.body)[0]
    if not isinstance(defined, _ast.FunctionDef):
        raise ConversionError("%s is not a function that is defined by `def`" % function.__qualname__)
    if getattr(defined, "type_params", None):
        raise ConversionError("%s has type parameters" % function.__qualname__)
    defined.decorator_list = []
    _ast.increment_lineno(tree, function.__code__.co_firstlineno - (2 if indented else 1))
    _Refusals(function, defined).look()
    if _told_apart(_compiled(function, _copy.deepcopy(defined))) != _told_apart(function.__code__):
        raise ConversionError("%s is not what its source says: the file has changed, or something else has rewritten it" % function.__qualname__)
    return _Function(defined).converted()


def _told_apart(code):
    """What two codes have in common that do the same; where they stand does not count."""
    consts = [_told_apart(one) if isinstance(one, _types.CodeType) else
              (type(one).__name__, sorted(map(repr, one)) if isinstance(one, frozenset) else repr(one)) for one in code.co_consts]
    return (_instructions(code), code.co_names, code.co_varnames, code.co_cellvars, code.co_freevars, code.co_argcount, code.co_kwonlyargcount,
            code.co_posonlyargcount, consts)


def _instructions(code):
    """What a code does: but for what depends on whether the compiler saw that a name is a module's, and for where jumps lead."""
    one_name = {"LOAD_METHOD": "LOAD_ATTR", "CALL_METHOD": "CALL_FUNCTION"}
    return [(one_name.get(one.opname, one.opname),
             None if one.opcode in _dis.hasjrel or one.opcode in _dis.hasjabs or isinstance(one.argval, (_types.CodeType, frozenset)) else repr(one.argval))
            for one in _dis.get_instructions(code) if one.opname not in ("PUSH_NULL", "PRECALL", "CACHE", "NOP", "EXTENDED_ARG")]


def _compiled(function, defined):
    """The code of a `def` in the place of the function's: with its free names, and not seeing its own name as one of them."""
    defined.name = "ag__made"
    factory = _ast.parse("def _factory(%s):\n    pass" % ", ".join(["ag__", *function.__code__.co_freevars])).body[0]
    factory.body = [defined]
    module = _ast.fix_missing_locations(_ast.Module([factory], []))
    flags = function.__code__.co_flags & _future.annotations.compiler_flag
    outer = compile(module, function.__code__.co_filename, "exec", flags, dont_inherit=True).co_consts
    inner = next(one for one in outer if isinstance(one, _types.CodeType))
    return next(one for one in inner.co_consts if isinstance(one, _types.CodeType) and one.co_name == defined.name)


def _made_anew(function):
    code = _compiled(function, _tree_of(function))
    names = {"co_name": function.__code__.co_name}
    if hasattr(code, "co_qualname"):
        names["co_qualname"] = function.__code__.co_qualname
    if set(code.co_freevars) - {"ag__", *function.__code__.co_freevars}:
        raise ConversionError("%s would see other names" % function.__qualname__)
    return code.replace(**names), code.co_freevars


# ---- what is left as it is

_NESTED = (_ast.FunctionDef, _ast.AsyncFunctionDef, _ast.Lambda, _ast.ClassDef)
_LOOPS = (_ast.For, _ast.While)
_NEVER = {name: told for name, told in (
    ("NamedExpr", "`:=`"), ("Await", "`await`"), ("Yield", "`yield`"), ("YieldFrom", "`yield`"), ("AsyncFunctionDef", "`async`"),
    ("AsyncFor", "`async`"), ("AsyncWith", "`async`"), ("Match", "`match`"), ("TryStar", "`except*`"), ("TypeAlias", "`type`"))}
_OF_FRAMES = {"super", "__class__", "locals", "vars", "dir", "eval", "exec", "_getframe", "currentframe"}
_HARMLESS = {"name_scope", "variable_scope", "device", "control_dependencies", "colocate_with", "GradientTape", "stop_recording", "as_default",
             "gradient_override_map", "init_scope"}  # that let errors through


class _Refusals:
    """Raises ConversionError for a function that would do something else when its branches and loop bodies are functions."""

    def __init__(self, function, node):
        self.function, self.node = function, node
        self.captured = _captured(function.__code__)

    def refuse(self, node, told):
        raise ConversionError("%s, line %s: %s" % (self.function.__qualname__, getattr(node, "lineno", "?"), told))

    def look(self):
        for node in _ast.walk(self.node):
            if type(node).__name__ in _NEVER:
                self.refuse(node, _NEVER[type(node).__name__])
            for name in _identifiers(node):
                if name.startswith("ag__"):
                    self.refuse(node, "the name %s" % name)
                if name.startswith("__") and not name.endswith("__"):
                    self.refuse(node, "the private name %s" % name)
                if name in _OF_FRAMES and (isinstance(node, _ast.Name) or isinstance(node, _ast.Attribute) and name in ("_getframe", "currentframe")):
                    self.refuse(node, "`%s`, which sees the function that it is called in" % name)
        if "__class__" in self.function.__code__.co_freevars:
            self.refuse(self.node, "`super` or `__class__`")
        self.block(self.node.body, ())

    def block(self, statements, around, is_final=False):
        for statement in statements:
            self.statement(statement, around, statement is statements[-1], is_final)

    def statement(self, node, around, is_last, is_final):
        """`around`: the statements that it is in, from the outside."""
        if isinstance(node, (_ast.Global, _ast.Nonlocal)):
            self.refuse(node, "`global` or `nonlocal`")
        if isinstance(node, _NESTED):
            return
        if isinstance(node, _ast.Return):
            self.look_at_return(node, around, is_last, is_final)
        elif isinstance(node, (_ast.Break, _ast.Continue)):
            for one in reversed(around):
                if isinstance(one, _LOOPS):
                    break
                if isinstance(one, _ast.Try) or isinstance(one, _ast.With) and not _is_harmless(one):
                    self.refuse(node, "`break` or `continue` in `try` or `with`")
        elif isinstance(node, (_ast.If, *_LOOPS)):
            self.look_at_rewritten(node, around)
        inside = (*around, node)
        for name in ("body", "orelse"):
            if isinstance(getattr(node, name, None), list):
                self.block(getattr(node, name), inside)
        self.block(getattr(node, "finalbody", ()), inside, is_final=True)
        for handler in getattr(node, "handlers", ()):
            self.block(handler.body, inside)

    def look_at_return(self, node, around, is_last, is_final):
        if not any(isinstance(one, (_ast.With, _ast.Try)) for one in around):
            return
        if not isinstance(around[-1], (_ast.With, _ast.Try)) or not is_last or is_final:
            self.refuse(node, "`return` in `with` or `try` that is not the last statement of its block")
        if any(isinstance(one, _LOOPS) for one in around) or _Function.returns_in_loops(self.node.body):
            self.refuse(node, "`return` in `with` or `try` beside one in a loop")

    def look_at_rewritten(self, node, around):
        if isinstance(node, _LOOPS) and node.orelse:
            self.refuse(node, "a loop with `else`")
        parts = [*([node.target] if isinstance(node, _ast.For) else []), *node.body, *node.orelse]
        assigned = set(_names_of(parts).assigned)
        seen = sorted(assigned & self.captured)
        if seen:
            self.refuse(node, "`%s` is assigned in `if`, `for` or `while`, and used in a function, class or generator in it" % seen[0])
        for part in parts:
            for one in _own(part):
                if isinstance(one, _ast.Name) and isinstance(one.ctx, _ast.Del) or isinstance(one, _ast.ExceptHandler) and one.name:
                    self.refuse(one, "a name that goes away in `if`, `for` or `while`")
        for one in around:  # what has been assigned before an error would be lost
            if isinstance(one, _ast.Try):
                self.refuse(node, "`if`, `for` or `while` in `try`")
            if isinstance(one, _ast.With) and assigned and not _is_harmless(one):
                self.refuse(node, "`if`, `for` or `while` in a `with` that may swallow errors")


def _captured(code):
    """The names of a function that live on in functions, classes and generators in it. Comprehensions are over when they have been computed."""
    names = set()
    for one in code.co_consts:
        if isinstance(one, _types.CodeType):
            names |= _captured(one) & set(one.co_freevars) if one.co_name in ("<listcomp>", "<setcomp>", "<dictcomp>") else set(one.co_freevars)
    return names


def _identifiers(node):
    for name in ("id", "attr", "arg", "name", "asname"):
        value = getattr(node, name, None)
        if isinstance(value, str):
            yield from value.split(".")


def _own(node):
    """The nodes of a piece but those of functions and classes in it."""
    yield node
    if not isinstance(node, _NESTED):
        for one in _ast.iter_child_nodes(node):
            yield from _own(one)


def _is_harmless(node):
    """Whether a `with` surely lets errors through."""
    calls = [item.context_expr.func for item in node.items if isinstance(item.context_expr, _ast.Call)]
    return len(calls) == len(node.items) and all(getattr(call, "attr", getattr(call, "id", None)) in _HARMLESS for call in calls)


# ---- what names a piece of source assigns

class _Names(_ast.NodeVisitor):
    def __init__(self):
        self.assigned = {}

    def visit_Name(self, node):
        if not isinstance(node.ctx, _ast.Load):
            self.assigned[node.id] = True

    def visit_FunctionDef(self, node):
        self.assigned[node.name] = True

    visit_ClassDef = visit_FunctionDef

    def visit_Lambda(self, node):
        pass

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_Lambda

    def visit_ExceptHandler(self, node):
        if node.name:
            self.assigned[node.name] = True
        self.generic_visit(node)

    def visit_Import(self, node):
        for alias in node.names:
            self.assigned[alias.asname or alias.name.partition(".")[0]] = True

    visit_ImportFrom = visit_Import


def _names_of(nodes):
    names = _Names()
    for node in nodes:
        names.visit(node)
    return names


# ---- returns, breaks and continues as values

def _has(statements, kinds, into_loops=True):
    for statement in statements:
        if isinstance(statement, kinds):
            return True
        if isinstance(statement, (_ast.FunctionDef, _ast.ClassDef, _ast.AsyncFunctionDef)):
            continue
        if isinstance(statement, (_ast.For, _ast.While)) and not into_loops:
            if _has(statement.orelse, kinds, into_loops):
                return True
            continue
        for block in _blocks(statement):
            if _has(block, kinds, into_loops):
                return True
    return False


def _blocks(statement):
    blocks = [getattr(statement, name) for name in ("body", "orelse", "finalbody") if isinstance(getattr(statement, name, None), list)]
    return blocks + [handler.body for handler in getattr(statement, "handlers", ())] + [case.body for case in getattr(statement, "cases", ())]


def _ends(statements):
    """Whether a block surely ends in a return or an error."""
    if not statements:
        return False
    last = statements[-1]
    if isinstance(last, (_ast.Return, _ast.Raise)):
        return True
    return isinstance(last, _ast.If) and _ends(last.body) and _ends(last.orelse)


def _code(text, **nodes):
    """Statements of a text, with nodes in place of names."""
    class Filler(_ast.NodeTransformer):
        def visit_Name(self, node):
            return nodes[node.id] if node.id in nodes else node
    return [Filler().visit(statement) for statement in _ast.parse(text).body]


def _expression(text, **nodes):
    return _code(text, **nodes)[0].value


def _at(statements, where):
    for statement in statements:
        for node in _ast.walk(statement):
            if isinstance(node, (_ast.stmt, _ast.expr)) and not hasattr(node, "lineno"):
                _ast.copy_location(node, where)
    return statements


class _Function:
    """One `def` on its way."""

    def __init__(self, node):
        self.node, self.count, self.copies = node, 0, 0

    def fresh(self, word):
        self.count += 1
        return "ag__%s_%d" % (word, self.count)

    def converted(self):
        names = list(_names_of(self.node.body).assigned)
        body = self.with_returns_last(self.node.body)
        if self.returns_in_loops(body):
            body = self.with_flag(body)
        body = _Statements(self).block(body) or [_ast.Pass()]
        # Names stay the function's own that only its branches assign now.
        own = _at(_code("if 0:\n    %s = None" % " = ".join(names)), self.node) if names else []
        self.node.body = own + body
        return _ast.fix_missing_locations(self.node)

    # What follows an `if` of which a branch returns goes into the other branch: so that all returns are the last of their blocks. Where neither
    # branch surely ends, into both.
    def with_returns_last(self, statements, depth=0):
        if depth > _DEEPEST:
            raise ConversionError("%s has too many returns" % self.node.name)
        made = []
        for number, statement in enumerate(statements):
            made.append(statement)
            if isinstance(statement, (_ast.Return, _ast.Raise)):
                return made
            if isinstance(statement, _ast.If) and _has([statement], _ast.Return, into_loops=False):
                rest, body, orelse = statements[number + 1:], statement.body, statement.orelse
                if rest and not _ends(body) and not _ends(orelse):
                    self.copies += 1
                    if self.copies > _MOST_COPIES:
                        raise ConversionError("%s has too many returns" % self.node.name)
                    body, orelse = body + _copy.deepcopy(rest), orelse + rest
                elif rest and not _ends(orelse):
                    orelse = orelse + rest
                elif rest and not _ends(body):
                    body = body + rest
                statement.body, statement.orelse = self.with_returns_last(body, depth + 1), self.with_returns_last(orelse, depth + 1)
                return made
        return made

    @staticmethod
    def returns_in_loops(statements):
        return any(_has(loop.body, _ast.Return) for statement in statements for loop in _ast.walk(statement)
                   if isinstance(loop, (_ast.For, _ast.While)))

    def with_flag(self, statements):
        """Returns in loops as breaks that a flag remembers."""
        class Lowered(_ast.NodeTransformer):
            def visit_FunctionDef(self, node):
                return node

            visit_Lambda = visit_ClassDef = visit_FunctionDef

            def visit_Return(self, node):
                value = node.value or _ast.Constant(None)
                return _at(_code("ag__returns = True\nag__value = VALUE", VALUE=value), node) + ([_ast.copy_location(_ast.Break(), node)]
                                                                                                 if self.depth else [])
            depth = 0

            def _loop(self, node):
                self.depth += 1
                node.body = [made for one in node.body for made in _as_list(self.visit(one))]
                self.depth -= 1
                behind = [_ast.copy_location(_ast.Break(), node)] if self.depth else []
                if behind:
                    return [node, _ast.copy_location(_ast.If(_ast.Name("ag__returns", _ast.Load()), behind, []), node)]
                return node

            visit_For = visit_While = _loop
        lowered = [made for one in statements for made in _as_list(Lowered().visit(one))]
        lowered = self.guarded_by_flag(lowered)
        return _at(_code("ag__returns = False\nag__value = None"), statements[0]) + lowered + _at(_code("return ag__value"), statements[-1])

    def guarded_by_flag(self, statements):
        made = []
        for number, statement in enumerate(statements):
            if isinstance(statement, _ast.If):
                statement.body, statement.orelse = self.guarded_by_flag(statement.body), self.guarded_by_flag(statement.orelse)
            made.append(statement)
            rest = statements[number + 1:]
            names = _names_of([statement])
            if rest and not isinstance(statement, _ast.Assign) and "ag__returns" in names.assigned:
                guard = _ast.If(_ast.UnaryOp(_ast.Not(), _ast.Name("ag__returns", _ast.Load())), self.guarded_by_flag(rest), [])
                return made + [_ast.copy_location(guard, rest[0])]
        return made


def _as_list(node):
    return node if isinstance(node, list) else [node] if node is not None else []


class _Statements:
    """Rewrites the statements of a function."""

    def __init__(self, function):
        self.function, self.expressions, self.depth = function, _Expressions(), 0

    def block(self, statements):
        self.depth += 1
        if self.depth > _DEEPEST:  # each level is two calls deep when it runs
            raise ConversionError("%s has too many statements in each other" % self.function.node.name)
        made = []
        for statement in statements:
            made += self.statement(statement)
        self.depth -= 1
        return made

    def statement(self, node):
        if isinstance(node, (_ast.FunctionDef, _ast.ClassDef)):
            return [node]  # converted where it is called
        if isinstance(node, _ast.If):
            return _at(self.branches(node), node)
        if isinstance(node, _ast.While):
            return _at(self.while_loop(node), node)
        if isinstance(node, _ast.For):
            return _at(self.for_loop(node), node)
        if isinstance(node, _ast.Assert):
            message = _later(node.msg) if node.msg is not None else _ast.Constant(None)
            return _at(_code("if __debug__:\n    ag__.assert_(TEST, MESSAGE)", TEST=self.expressions.visit(node.test), MESSAGE=message), node)
        if isinstance(node, (_ast.With, _ast.Try)):
            for name in ("body", "orelse", "finalbody"):
                if getattr(node, name, None):
                    setattr(node, name, self.block(getattr(node, name)))
            for handler in getattr(node, "handlers", ()):
                handler.type = self.expressions.visit(handler.type) if handler.type is not None else None
                handler.body = self.block(handler.body)
            for item in getattr(node, "items", ()):
                item.context_expr = self.expressions.visit(item.context_expr)
            return [node]
        return [self.expressions.visit(node)]

    def _function(self, word, parameters, names, body, result):
        """(name, definition) of a function that takes `parameters` and what `names` stand for."""
        name = self.function.fresh(word)
        made = _ast.parse("def %s(%s):\n    pass" % (name, ", ".join([*parameters, *names]))).body[0]
        made.body = self._without_undefined(names) + ([*body, _ast.Return(result)] if result is not None else body)
        made.body = made.body or [_ast.Pass()]
        return name, made

    @staticmethod
    def _without_undefined(names):
        """Statements after which names that stand for nothing are as if they had never been assigned."""
        return [one for name in names for one in _code("if ag__.is_undefined(%s):\n    del %s" % (name, name))]

    @staticmethod
    def _values(names):
        """What the names stand for now, those that stand for nothing too."""
        values = [_expression("ag__.value_of(lambda: NAME, WORD)", NAME=_ast.Name(name, _ast.Load()), WORD=_ast.Constant(name)) for name in names]
        return _ast.Tuple(values, _ast.Load())

    @staticmethod
    def _tuple(names, context):
        return _ast.Tuple([_ast.Name(name, context()) for name in names], context())

    def _assigned(self, call, names):
        if not names:
            return [_ast.Expr(call)]
        return [_ast.Assign([self._tuple(names, _ast.Store)], call), *self._without_undefined(names)]

    def branches(self, node):
        test = self.expressions.visit(node.test)
        does_return = _has(node.body + node.orelse, _ast.Return, into_loops=False)
        names = list(_names_of(node.body + node.orelse).assigned)
        body, orelse = self.block(node.body), self.block(node.orelse)
        first, yes = self._function("then", [], names, body, None if does_return else self._values(names))
        second, no = self._function("else", [], names, orelse, None if does_return else self._values(names))
        call = _expression("ag__.if_(TEST, %s, %s, VALUES, NAMES)" % (first, second), TEST=test, VALUES=self._values(names),
                           NAMES=_ast.Constant(None if does_return else tuple(names)))
        if does_return:
            return [yes, no, _ast.Return(call)]
        return [yes, no, *self._assigned(call, names)]

    def _loop_body(self, statements):
        """(statements without break and continue, the name of what says that the loop ends or None)."""
        skips = self.function.fresh("continues") if _has(statements, _ast.Continue, into_loops=False) else None
        ends = self.function.fresh("ends") if _has(statements, _ast.Break, into_loops=False) else None
        if skips or ends:
            statements = self._lowered(statements, skips, ends)
        begin = _code("%s = False" % skips) if skips else []
        return begin + statements, ends

    def _lowered(self, statements, skips, ends):
        made = []
        for number, statement in enumerate(statements):
            if isinstance(statement, (_ast.Break, _ast.Continue)):
                return made + _at(_code("%s = True" % (ends if isinstance(statement, _ast.Break) else skips)), statement)
            rest = statements[number + 1:]
            if not _has([statement], (_ast.Break, _ast.Continue), into_loops=False):
                made.append(statement)
                continue
            if isinstance(statement, _ast.If):
                statement.body, statement.orelse = self._lowered(statement.body, skips, ends), self._lowered(statement.orelse, skips, ends)
            else:  # a `with`; _Refusals says why
                statement.body = self._lowered(statement.body, skips, ends)
            made.append(statement)
            if rest:
                flags = [name for name in (skips, ends) if name]
                test = _expression("not (%s)" % " or ".join(flags))
                made.append(_ast.copy_location(_ast.If(test, self._lowered(rest, skips, ends), []), rest[0]))
            return made
        return made

    def while_loop(self, node):
        statements, ends = self._loop_body(node.body)
        test = node.test
        if ends:
            test = _ast.BoolOp(_ast.And(), [_expression("not %s" % ends), test])
        names = list(_names_of(statements).assigned)
        tested, test_function = self._function("test", [], names, [], self.expressions.visit(test))
        bodied, body_function = self._function("body", [], names, self.block(statements), self._values(names))
        call = _expression("ag__.while_(%s, %s, VALUES, NAMES)" % (tested, bodied), VALUES=self._values(names), NAMES=_ast.Constant(tuple(names)))
        begin = _code("%s = False" % ends) if ends else []
        return [*begin, test_function, body_function, *self._assigned(call, names)]

    def for_loop(self, node):
        statements, ends = self._loop_body(node.body)
        names = list({**_names_of([node.target]).assigned, **_names_of(statements).assigned})
        item = self.function.fresh("item")
        target = _ast.Assign([node.target], _ast.Name(item, _ast.Load()))
        bodied, body_function = self._function("body", [item], names, [target, *self.block(statements)], self._values(names))
        goes_on, test_function = self._function("test", [], names, [], _expression("ag__.not_(%s)" % ends) if ends else _ast.Constant(True))
        call = _expression("ag__.for_(OVER, %s, %s, VALUES, NAMES)" % (goes_on if ends else None, bodied), OVER=self.expressions.visit(node.iter),
                           VALUES=self._values(names), NAMES=_ast.Constant(tuple(names)))
        begin = _code("%s = False" % ends) if ends else []
        return [*begin, *([test_function] if ends else []), body_function, *self._assigned(call, names)]


def _no_arguments():
    return _ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])


def _later(node):
    return _ast.Lambda(_no_arguments(), node)


class _Expressions(_ast.NodeTransformer):
    """Rewrites what stands in statements: and, or, not, comparisons, `a if b else c`, and calls."""

    def visit_FunctionDef(self, node):
        return node

    visit_ClassDef = visit_AsyncFunctionDef = visit_FunctionDef

    def visit_BoolOp(self, node):
        return self._all(node, [self.visit(value) for value in node.values], "and_" if isinstance(node.op, _ast.And) else "or_")

    @staticmethod
    def _all(node, values, word):
        made = values[-1]
        for value in reversed(values[:-1]):
            made = _expression("ag__.%s(A, B)" % word, A=_later(value), B=_later(made))
        return _ast.copy_location(made, node)

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        return _ast.copy_location(_expression("ag__.not_(A)", A=node.operand), node) if isinstance(node.op, _ast.Not) else node

    def visit_Compare(self, node):
        self.generic_visit(node)
        if len(node.ops) == 1 or not all(isinstance(one, (_ast.Name, _ast.Constant)) for one in node.comparators[:-1]):
            return node  # what stands in the middle is computed once
        parts, left = [], node.left
        for op, right in zip(node.ops, node.comparators):
            parts.append(_ast.copy_location(_ast.Compare(left, [op], [right]), node))
            left = _copy.deepcopy(right)
        return self._all(node, parts, "and_")

    def visit_IfExp(self, node):
        self.generic_visit(node)
        return _ast.copy_location(_expression("ag__.if_expression(T, A, B)", T=node.test, A=_later(node.body), B=_later(node.orelse)), node)

    def visit_Call(self, node):
        self.generic_visit(node)
        if isinstance(node.func, _ast.Name) and node.func.id == "globals":
            return node
        node.func = _ast.copy_location(_expression("ag__.called(F)", F=node.func), node.func)
        return node
