"""What a function of TensorFlow 1 makes of its arguments, learnt from the graphs of its calls in python_calls/: which op, in which
scope, and which argument is which input or attribute."""

import inspect

import python_calls
from listing import listing
from tensorflow_v1 import np, tf


# Arguments that may have one value only.
UNUSED = {"nn.max_pool_with_argmax": {"data_format"}}


class NotOneOp(Exception):
    """The function has code of its own: it makes several nodes, or different ones."""


def resolved(path):
    function = tf
    for part in path.split("."):
        function = getattr(function, part)
    return function


def given_arguments(call, values):
    """The arguments of a call by the names of its function's parameters."""
    captured = eval("capture" + call[call.index("("):], {"capture": lambda *a, **k: (a, k), "tf": tf, **values})
    return dict(inspect.signature(resolved(python_calls.endpoint(call))).bind(*captured[0], **captured[1]).arguments)


def plain(value):
    """An attribute's or a default's value, to be compared and written."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, tf.DType):
        return "dtype:" + value.base_dtype.name
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, type) and issubclass(value, np.generic):
        return "dtype:" + tf.as_dtype(value).name
    return value


def same(value, other):
    return type(value) is type(other) and value == other or isinstance(value, (int, float)) and isinstance(other, float) and \
        not isinstance(value, bool) and np.float32(value) == np.float32(other)


class Made:
    """The graph that a function makes of arguments: its one op that is not a constant."""

    def __init__(self, function, make_arguments, changes=lambda arguments: arguments):
        with tf.Graph().as_default() as graph:
            arguments = make_arguments()
            before = len(graph.get_operations())
            self.arguments = changes(arguments)
            self.result = function(**self.arguments)
            made = graph.get_operations()[before:]
        ops = [op for op in made if op.type != "Const"]
        if len(ops) != 1:
            raise NotOneOp("%d nodes" % len(ops))
        self.op = ops[0]
        self.listing = listing(graph)

    def tensors(self):
        """The arguments as the tensors that the op may have as inputs."""
        return {name: self.tensor(value) for name, value in self.arguments.items()}

    def results(self):
        """Which outputs it gives."""
        return [getattr(item, "value_index", None) for item in (self.result if isinstance(self.result, (list, tuple)) else [self.result])]

    @staticmethod
    def tensor(value):
        if isinstance(value, tf.Variable):
            return value._variable
        return [Made.tensor(item) for item in value] if isinstance(value, list) else value


class Face:
    def __init__(self, call, schema_of):
        self.function = resolved(python_calls.endpoint(call))
        self.parameters = inspect.signature(self.function).parameters
        if any(p.kind != p.POSITIONAL_OR_KEYWORD for p in self.parameters.values()) or "name" not in self.parameters:
            raise NotOneOp("its parameters")

        def arguments():
            return given_arguments(call, python_calls.make_arguments(tf, call))
        self.make_arguments = arguments
        self.made = Made(self.function, arguments)
        self.schema = schema_of(self.made.op.type)
        self.find_name(python_calls.endpoint(call))
        self.find_inputs()
        self.find_conversions(call)
        self.unused = UNUSED.get(python_calls.endpoint(call), set())
        self.find_attributes()
        self.find_aliases()
        self.find_results()

    def find_name(self, endpoint):
        given = Made(self.function, self.make_arguments, lambda arguments: {**arguments, "name": "given"}).op.name
        name = self.made.op.name
        if given == "given" and "/" not in name or endpoint in python_calls.WITH_LOST_NAMES:
            self.scope, self.node = "", name
        elif given.startswith("given/") and name.partition("/")[2] == given.partition("/")[2] != "given":
            self.scope, _, self.node = name.partition("/")
        else:
            raise NotOneOp("named %s and %s" % (name, given))

    def default(self, name):
        value = self.parameters[name].default
        return None if value is inspect.Parameter.empty else value

    def find_inputs(self):
        op, tensors = self.made.op, self.made.tensors()
        left, self.inputs = list(op.inputs), []
        for name, is_list, *_ in self.schema["inputs"]:
            if is_list:
                lists = [p for p, value in tensors.items() if isinstance(value, list) and len(value) and
                         all(a is b for a, b in zip(value, left)) and len(value) <= len(left)]
                if not lists:
                    raise NotOneOp("no list for the input " + name)
                self.inputs.append(lists[0])
                left = left[len(tensors[lists[0]]):]
                continue
            self.inputs.append(self.parameter_of(left.pop(0), tensors, name))

    def parameter_of(self, tensor, tensors, name):
        for parameter, value in tensors.items():
            if value is tensor:
                return parameter
        if tensor.op.type != "Const":
            raise NotOneOp("the input %s is %s" % (name, tensor.op.type))
        value = tf.make_ndarray(tensor.op.get_attr("value"))
        known = {**{p: self.default(p) for p in self.parameters}, **self.made.arguments}
        equal = [p for p, v in known.items() if v is not None and p != "name" and not isinstance(v, (tf.Tensor, tf.Variable, tf.DType)) and
                 np.array_equal(np.asarray(v), value)]
        if name in equal:
            return name
        if len(equal) != 1:
            raise NotOneOp("the input %s may be %s" % (name, equal))
        return equal[0]

    def find_conversions(self, call):
        """Which arguments the function itself makes tensors of, in its scope, and what it calls them."""
        self.names = {}
        if not self.scope or not python_calls.has_literals(call) or any(row[1] for row in self.schema["inputs"]):
            return

        def literals():
            return given_arguments(call, python_calls.make_arguments(tf, call, literal=True))
        made = Made(self.function, literals)
        for parameter, tensor in zip(self.inputs, made.op.inputs):
            path = tensor.op.name.split("/")
            if len(path) == 2:
                self.names[parameter] = path[1]

    def find_attributes(self):
        op = self.made.op
        inferred = set(self.schema["inferred"])
        attrs = {row[0]: plain(op.get_attr(row[0])) for row in self.schema["attrs"] if row[0] not in inferred and row[0][0] != "_"}
        defaults = {row[0]: row[4] for row in self.schema["attrs"] if row[3]}
        self.attrs, self.constants, self.seeds = {}, {}, False
        rest = [p for p in self.parameters if p not in self.inputs and p != "name" and p not in self.unused]
        if "seed" in rest and "seed2" in attrs and attrs["seed"] == 87654321:
            self.seeds = True
            rest.remove("seed")
            del attrs["seed"], attrs["seed2"]
        given = self.made.arguments
        for by_name, is_given in ((True, True), (False, True), (True, False)):
            for parameter in [p for p in rest if (p in given) == is_given]:
                fits = [a for a, v in attrs.items() if a not in self.attrs.values() and (a == parameter) == by_name and
                        (not is_given or same(plain(given[parameter]), v))]
                if len(fits) == 1:
                    self.attrs[parameter] = fits[0]
                    rest.remove(parameter)
        self.rest = rest
        for attr in set(attrs) - set(self.attrs.values()):
            if attr not in defaults or repr(attrs[attr]) != defaults[attr] and not self.is_default(attrs[attr], defaults[attr]):
                self.constants[attr] = attrs[attr]

    @staticmethod
    def is_default(value, text):
        if isinstance(value, float):
            return np.float32(value) == np.float32(float(text))
        return text in ("", "None")  # a list, a dtype or a shape: schemas do not say which

    def find_aliases(self):
        """Old names of arguments."""
        self.aliases = {}
        for old in list(self.rest):
            for new in [name for name in self.made.arguments if name != old]:
                def renamed(arguments, old=old, new=new):
                    return {old if name == new else name: value for name, value in arguments.items()}
                try:
                    if Made(self.function, self.make_arguments, renamed).listing == self.made.listing:
                        self.aliases[old] = new
                        self.rest.remove(old)
                        break
                except Exception:  # it is the name of something else
                    pass
        if self.rest:
            raise NotOneOp("of what are " + ", ".join(self.rest))

    def find_results(self):
        result, op = self.made.result, self.made.op
        self.outputs, self.fields = None, ""
        if result is op or len(op.outputs) == 1 and result is op.outputs[0]:
            return
        if not isinstance(result, (list, tuple)) or any(not any(item is output for output in op.outputs) for item in result):
            if isinstance(result, tf.Tensor) and result.op is op:
                self.outputs = result.value_index
                return
            raise NotOneOp("gives %s" % (result,))
        self.outputs = [item.value_index for item in result]
        if hasattr(result, "_fields"):
            self.fields = type(result).__name__ + ":" + " ".join(result._fields)

    def row(self):
        parameters = []
        for name, parameter in self.parameters.items():
            parameters.append([name] if parameter.default is parameter.empty else [name, plain(parameter.default)])
        row = {"parameters": parameters, "scope": self.scope, "node": self.node, "inputs": self.inputs, "attrs": self.attrs}
        for key in ("names", "constants", "aliases", "seeds", "outputs", "fields"):
            value = getattr(self, key)
            if value is not None and value is not False and value not in ({}, ""):
                row[key] = value
        return row


def learn(schemas, names_of):
    """(op, names, row) for each function of python_calls/ that is one op, and (endpoint, why) for the others."""
    def schema_of(op):
        if op not in schemas:
            raise NotOneOp("there is no op " + op)
        return schemas[op]
    by_endpoint = {}
    for _, call in python_calls.calls():
        by_endpoint.setdefault(python_calls.endpoint(call), []).append(call)
    learnt, others, functions = [], [], set()
    for endpoint, calls in by_endpoint.items():
        if resolved(endpoint) in functions:
            continue
        functions.add(resolved(endpoint))
        try:
            face = Face(calls[0], schema_of)
            for call in calls[1:]:
                made = Made(face.function, lambda call=call: given_arguments(call, python_calls.make_arguments(tf, call)))
                if made.op.type != face.made.op.type or made.results() != face.made.results():
                    raise NotOneOp("%s, or %s" % (face.made.op.type, made.op.type))
        except NotOneOp as reason:
            others.append((endpoint, str(reason)))
            continue
        learnt.append((face.made.op.type, sorted(set(names_of(face.function)) | {endpoint}), face.row()))
    return learnt, others
