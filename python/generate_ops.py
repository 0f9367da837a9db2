"""Writes Python's face of the ops: a function for each schema of the registry, with docstring, and stubs.

    python generate_ops.py PACKAGE_PARENT ENDPOINTS

PACKAGE_PARENT/flowray has the built module. ENDPOINTS says where TensorFlow 1's namespaces hold each op and in which order its
arguments stand (tests/oracle/record_python_names.py); the names and defaults of arguments are the schemas'. Its rows of faces are functions
of one op with arguments of their own. Where the package offers something else under a name, flowray/tf/_endpoints.py has to say so. A
function of the language goes before the op that is recorded under the same name, of which it is the composed form.
"""

import json
import keyword
import os
import runpy
import sys


def read_endpoints(path):
    ops, functions, faces = {}, {}, []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("#"):
                continue
            kind, name, endpoints, arguments = line.rstrip("\n").split("\t")
            if kind == "op":
                orders = ops.setdefault(name, {})
                orders.setdefault(arguments, []).extend(e for e in endpoints.split(",") if e)
            elif kind == "face":
                faces.append((name, endpoints.split(","), json.loads(arguments)))
            else:
                functions[name] = endpoints.split(",")
    return ops, functions, faces


def offered_once(functions, taken):
    """The functions' endpoints that are not in `taken`, which gets them. Where the language has a function of TensorFlow's by two names,
    the first has its endpoints. ValueError where two functions are offered under one name."""
    offered, seen, givers = {}, set(), {}
    for name in sorted(functions):
        names = [endpoint for endpoint in functions[name] if endpoint not in taken]
        if tuple(functions[name]) in seen or not names:
            continue
        seen.add(tuple(functions[name]))
        for endpoint in names:
            if givers.setdefault(endpoint, name) != name:
                raise ValueError("The endpoint tf.%s is offered twice: %s and %s" % (endpoint, givers[endpoint], name))
        offered[name] = names
    taken.update(givers)
    return offered


def python_name(name):
    return name + "_" if keyword.iskeyword(name) else name


def recorded_providers(ops, functions, faces):
    """{endpoint: what the rows of endpoints.tsv provide under it}: functions before ops, faces as "face of OP"."""
    recorded = {}
    for name, endpoints in functions.items():
        for endpoint in endpoints:
            recorded.setdefault(endpoint, []).append("_native." + name)
    for name, orders in ops.items():
        for endpoint in (endpoint for endpoints in orders.values() for endpoint in endpoints):
            recorded.setdefault(endpoint, []).append("_generated." + name)
    for name, endpoints, _ in faces:
        for endpoint in endpoints:
            recorded.setdefault(endpoint, []).append("face of " + name)
    for endpoint, providers in recorded.items():
        if sum(not provider.startswith("_native.") for provider in providers) > 1:
            raise ValueError("The endpoint tf.%s is offered twice in endpoints.tsv: %s" % (endpoint, " and ".join(providers)))
    return recorded


# What annotations say of an attribute of a kind. tf.bool is not a type.
_ANNOTATIONS = {"bool": "_bool", "DType": "Any", "TensorShape": "Any", "ndarray": "Any"}


class Function:
    """A Python function of one op. `order`: its arguments, of an input that has another name than in the schema "name=input"."""

    def __init__(self, schema, order, name=None):
        self.op = schema["name"]
        self.name = name or self.op
        self.names = {ours: theirs for theirs, _, ours in (argument.partition("=") for argument in order) if ours}
        order = [argument.partition("=")[2] or argument for argument in order]
        self.inputs = [row[0] for row in schema["inputs"]]
        self.attrs = [row for row in schema["attrs"] if row[0] not in schema["inferred"] and not row[0].startswith("_")]
        self.schema = schema
        # TensorFlow's API renames a few: what neither side knows of the other stands in the same order in both.
        schemas_names = self.inputs + [row[0] for row in self.attrs]
        theirs, ours = [a for a in order if a not in schemas_names], [n for n in schemas_names if n not in order]
        if len(theirs) == len(ours):
            self.names.update(zip(ours, theirs))
            order = [dict(zip(theirs, ours)).get(a, a) for a in order]
        required = self.inputs + [row[0] for row in self.attrs if not row[3]]
        optional = [row[0] for row in self.attrs if row[3]]
        known = [name for name in order if name in required or name in optional]
        rest = [name for name in required + optional if name not in known]
        names = known + rest
        self.arguments = [n for n in names if n in required] + [n for n in names if n in optional]

    def argument(self, name):
        return python_name(self.names.get(name, name))

    def default(self, name):
        for row in self.attrs:
            if row[0] == name and row[3]:
                return row[4] or "None"
        return None

    def signature(self, annotate=False):
        types = {row[0]: "list" if row[2] else row[1] for row in self.attrs}
        parts = []
        for name in self.arguments:
            text = self.argument(name)
            if annotate and name in types:
                text += ": " + _ANNOTATIONS.get(types[name], types[name])
            elif annotate:
                text += ": TensorLike"
            default = self.default(name)
            if default is not None:
                text += (" = " if annotate else "=") + ("..." if annotate else default)
            parts.append(text)
        return ", ".join(parts + ["name: str | None = ..." if annotate else "name=None"])

    def doc(self):
        inputs = ", ".join("%s: %s%s" % (row[0], "list of " if row[1] else "", row[3]) for row in self.schema["inputs"])
        outputs = ", ".join(("list of " if is_list else "") + name for name, is_list in self.schema["outputs"])
        lines = ["The op %s: (%s) -> %s." % (self.op, inputs, outputs or "an Operation")]
        for name, kind, is_list, _, default, allowed in self.attrs:
            values = " of " + ", ".join(allowed) if allowed else ""
            lines.append("    %s: %s%s%s%s" % (name, "list of " if is_list else "", kind, values,
                                               ", default " + default if default else ""))
        return "\n\n".join([lines[0], "\n".join(lines[1:])]) if len(lines) > 1 else lines[0]

    def source(self):
        inputs = "".join(self.argument(name) + ", " for name in self.inputs)
        attrs = ", ".join("%r: %s" % (row[0], self.argument(row[0])) for row in self.attrs)
        call = '_op("%s", name, (%s), {%s})' % (self.op, inputs, attrs)
        if len(self.schema["outputs"]) > 1:
            fields = " ".join(python_name(name) for name, _ in self.schema["outputs"])
            call = "_named(%r, %r, %s)" % (self.op, fields, call)
        return 'def %s(%s):\n    """%s"""\n    return %s\n' % (self.name, self.signature(), self.doc().replace("\\", "\\\\"), call)

    def stub(self, name=None):
        result = "Operation" if not self.schema["outputs"] else "Any"
        if len(self.schema["outputs"]) == 1:
            result = "list[Tensor]" if self.schema["outputs"][0][1] else "Tensor"
        return "def %s(%s) -> %s: ...\n" % (name or self.op, self.signature(annotate=True), result)


class Face:
    """A Python function that is one op in a scope, or by a name or with arguments of its own: a row of the table."""

    def __init__(self, schema, endpoints, row):
        self.schema, self.op, self.row = schema, schema["name"], row
        # The shortest name, so that what errors say of the function is what most programs call it.
        self.endpoint = min(endpoints, key=lambda endpoint: (len(endpoint), endpoint))
        self.name = "_" + self.endpoint.replace(".", "_")

    @staticmethod
    def literal(value):
        if isinstance(value, str) and value.startswith("dtype:"):
            return "_dtype(%r)" % value[len("dtype:"):]
        if isinstance(value, list):
            return "[" + ", ".join(Face.literal(item) for item in value) + "]"
        return "_float(%r)" % str(value) if isinstance(value, float) and value - value != 0 else repr(value)

    def signature(self, annotate=False):
        parts = []
        for name, *default in self.row["parameters"]:
            text = python_name(name)
            if annotate:
                text += ": str | None" if name == "name" else ": TensorLike" if name in self.row["inputs"] else ": Any"
            if default:
                text += (" = " if annotate else "=") + ("..." if annotate else self.literal(default[0]))
            parts.append(text)
        return ", ".join(parts)

    def doc(self):
        which = ", ".join("%s is its %s" % (ours, theirs) for ours, theirs in
                          [*zip(self.row["inputs"], (row[0] for row in self.schema["inputs"])), *self.row["attrs"].items()]
                          if ours != theirs)
        always = ", ".join("%s %s" % (key, value) for key, value in self.row.get("constants", {}).items()).replace("dtype:", "")
        return "tf.%s: the op %s%s%s." % (self.endpoint, self.op, ", " + which if which else "", " with " + always if always else "")

    def source(self):
        row = self.row
        lines = ["    %s = _one_of(%r, %s, %r, %s)" % (new, new, new, old, old) for old, new in row.get("aliases", {}).items()]
        inputs = "".join(python_name(name) + ", " for name in row["inputs"])
        attrs = ["%r: %s" % (theirs, python_name(ours)) for ours, theirs in row["attrs"].items()]
        attrs += ["%r: %s" % (key, self.literal(value)) for key, value in row.get("constants", {}).items()]
        call = "_scoped_op(%r, name, %r, %r, (%s), {%s}" % (self.op, row["scope"], row["node"], inputs, ", ".join(attrs))
        call += ", names=(%s)" % "".join("%r, " % row["names"].get(name, "") for name in row["inputs"]) if "names" in row else ""
        call += ", seed=(seed,)" if row.get("seeds") else ""
        call += ", outputs=%r" % (row["outputs"],) if "outputs" in row else ""
        call += ")"
        if "fields" in row:
            kind, _, fields = row["fields"].partition(":")
            call = "_named(%r, %r, %s)" % (kind, fields, call)
        return "\n".join(['def %s(%s):\n    """%s"""' % (self.name, self.signature(), self.doc()), *lines, "    return %s\n" % call])

    def stub(self, name):
        result = "Any" if "outputs" in self.row or len(self.schema["outputs"]) > 1 else "Tensor" if self.schema["outputs"] else "Operation"
        return "def %s(%s) -> %s: ...\n" % (name, self.signature(annotate=True), result)


HEAD = '''"""Written by python/generate_ops.py from the schemas of the ops."""

from collections import namedtuple as _namedtuple

from flowray._native import as_dtype as _dtype, op as _op, scoped_op as _scoped_op

_float = float
_types = {}


def _named(op, fields, outputs):
    if op not in _types:
        _types[op] = _namedtuple(op, fields)
    return _types[op]._make(outputs)


def _one_of(new, new_value, old, old_value):
    """The value of an argument that has an old name, too."""
    if old_value is None:
        return new_value
    if new_value is not None:
        raise ValueError("Cannot specify both '%s' and '%s'." % (old, new))
    return old_value

'''

STUB_HEAD = '''from builtins import bool as _bool
from typing import Any

from flowray._native import DType as DType, Graph as Graph, Operation as Operation, Tensor as Tensor, Variable as Variable

TensorLike = Any

'''


# What is above the ops: the package's own functions and classes, and its modules. The rest is Any.
TOP_STUBS = '''
from flowray.tf import app as app, errors as errors, flags as flags, gfile as gfile, logging as logging, math as math, nn as nn
from flowray.tf import raw_ops as raw_ops
from flowray.tf._language import *
from flowray.tf._shape import Dimension as Dimension, TensorShape as TensorShape

AUTO_REUSE: str
newaxis: None
'''
# Namespaces with stubs of their own, by the ops in them.
STUB_NAMESPACES = ("math", "nn")
OTHERS = "def __getattr__(name: str) -> Any: ...\n"


def native_stub(module):
    """The stub of the native module. Its functions give what they convert C++'s results to, which nanobind calls object."""
    from nanobind.stubgen import StubGen
    generator = StubGen(module, include_docstrings=False, include_private=True)
    generator.put(module)
    text = generator.get()
    for given in (" -> object", " -> object | None"):
        text = text.replace(given + ":", " -> Any:")
    return "from typing import Any\n" + text + "\n" + OTHERS


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main(parent, endpoints_path):
    sys.path.insert(0, parent)
    from flowray import _native
    ops, functions, faces = read_endpoints(endpoints_path)
    folder = os.path.join(parent, "flowray", "tf")
    source, stubs, table = [HEAD], [STUB_HEAD], []
    namespaces = {"": [STUB_HEAD, TOP_STUBS], **{name: [STUB_HEAD] for name in STUB_NAMESPACES}}
    schemas = {}
    package = runpy.run_path(os.path.join(folder, "_endpoints.py"))
    package["check_against"](recorded_providers(ops, functions, faces))
    rows = package["rows"]()
    taken = {endpoint for endpoint, _, _ in rows}
    offered = offered_once(functions, taken)

    def publish(function, endpoints):
        source.append(function.source())
        for endpoint in sorted(set(endpoints)):
            if endpoint not in taken:
                taken.add(endpoint)
                table.append("    %r: %s,\n" % (endpoint, function.name))
            namespace, _, name = endpoint.rpartition(".")
            if namespace in namespaces:
                namespaces[namespace].append(function.stub(python_name(name)))

    for schema in _native.op_schemas():
        schemas[schema["name"]] = schema
        orders = {tuple(a for a in arguments.split(",") if a): names for arguments, names in ops.get(schema["name"], {}).items()}
        # Its own face is the one whose arguments are named as in the schema; ops.tsv's order where there is none.
        own = next((order for order in orders if not any("=" in argument for argument in order)), ())
        functions_of_op = [(Function(schema, own), orders.get(own, []))]
        functions_of_op += [(Function(schema, order, "_" + names[0].replace(".", "_")), names) for order, names in orders.items()
                            if order != own and names]
        for function, endpoints in functions_of_op:
            publish(function, endpoints)
        stubs.append(functions_of_op[0][0].stub())
    for op, endpoints, row in faces:
        if op in schemas:
            publish(Face(schemas[op], endpoints, row), endpoints)
    source.append("# Where TensorFlow 1 has them.\nENDPOINTS = {\n" + "".join(table) + "}\n")
    source.append("# The functions of the native module: their names there, and in TensorFlow 1.\nFUNCTIONS = {\n" + "".join(
        "    %r: %r,\n" % (name, tuple(names)) for name, names in sorted(offered.items())) + "}\n")
    known = {"DType", "Graph", "Operation", "Tensor", "Variable"}
    native = {name: name for name in functions if "." not in name and name not in known}
    native.update((endpoint, name) for endpoint, module, name in rows if module == "_native" and "." not in endpoint)
    namespaces[""] += ["from flowray._native import %s as %s\n" % (name, endpoint) for endpoint, name in sorted(native.items())]
    for name in _native.dtype_names():
        namespaces[""].append("%s: DType\n%s_ref: DType\n" % (name, name))
    write(os.path.join(folder, "_generated.py"), "\n\n".join(source))
    write(os.path.join(folder, "raw_ops.py"),
          '"""tf.raw_ops: every op by its own name, with keyword arguments."""\n\nfrom flowray.tf._generated import *  # noqa: F401,F403\n')
    write(os.path.join(folder, "raw_ops.pyi"), "".join(stubs))
    for name, parts in namespaces.items():
        write(os.path.join(folder, (name or "__init__") + ".pyi"), "".join(parts + [OTHERS]))
    write(os.path.join(parent, "flowray", "_native.pyi"), native_stub(_native))
    write(os.path.join(parent, "flowray", "py.typed"), "")


if __name__ == "__main__":
    main(*sys.argv[1:])
