"""Modules below tensorflow.python and tensorflow.core, in which TensorFlow keeps what its public names stand for and which programs
import nevertheless. Each is a view of what the package has: a name is looked for in some of its namespaces.

A line "MODULE: NAMESPACE ..." of the table says where the names of a module are, which are tried in turn: a dot is the top of tf, what
begins with _ a module of flowray.tf, and gen has the ops by TensorFlow's small names. NAME=NAMESPACE.ITS_NAME is a single one.
"""

import importlib
import types

TABLE = """
client.client_lib: . errors
client.device_lib: _inner.device_lib
client.session: .
client.timeline: _native
eager.context: _inner.context
framework.constant_op: .
framework.device: .
framework.device_spec: .
framework.dtypes: . dtypes
framework.errors: errors
framework.errors_impl: errors
framework.function: _defun
framework.graph_io: io train
framework.graph_util: graph_util
framework.graph_util_impl: graph_util
framework.importer: .
framework.indexed_slices: .
framework.ops: . _inner.ops
framework.random_seed: .
framework.sparse_tensor: .
framework.tensor: .
framework.tensor_shape: . _inner.tensor_shape
framework.tensor_spec: .
framework.tensor_util: _inner.tensor_util .
framework.test_util: _inner.test_util test
layers.convolutional: layers
layers.core: layers
layers.layers: layers
layers.normalization: layers
layers.pooling: layers
lib.io.file_io: _inner.file_io
lib.io.python_io: python_io
lib.io.tf_record: io python_io
ops.array_ops: . manip gen
ops.bitwise_ops: bitwise
ops.candidate_sampling_ops: nn random .
ops.check_ops: . debugging
ops.clip_ops: .
ops.confusion_matrix: .
ops.control_flow_assert: .
ops.control_flow_case: .
ops.control_flow_ops: . gen
ops.cond: .
ops.ctc_ops: nn
ops.data_flow_ops: .
ops.embedding_ops: nn
ops.functional_ops: .
ops.gradient_checker: test
ops.gradients: .
ops.gradients_impl: .
ops.histogram_ops: .
ops.image_ops: image
ops.image_ops_impl: image
ops.init_ops: . initializers _inner.init_ops
ops.io_ops: io .
ops.linalg.linalg: linalg .
ops.linalg.linalg_impl: linalg .
ops.linalg_ops: . linalg
ops.logging_ops: . summary
ops.losses.losses: losses
ops.losses.losses_impl: losses
ops.losses.util: losses
ops.manip_ops: manip
ops.map_fn: .
ops.math_ops: . math gen
ops.metrics: metrics
ops.metrics_impl: metrics
ops.nn: nn .
ops.nn_impl: nn .
ops.nn_ops: nn . gen
ops.numerics: . debugging
ops.parsing_ops: io .
ops.random_ops: . random
ops.resource_variable_ops: gen
ops.rnn: nn
ops.rnn_cell: nn.rnn_cell
ops.rnn_cell_impl: nn.rnn_cell
ops.script_ops: .
ops.signal.signal: signal
ops.sort_ops: .
ops.sparse_ops: sparse .
ops.special_math_ops: math .
ops.spectral_ops: signal .
ops.standard_ops: . math nn image io random
ops.state_ops: . gen
ops.stateless_random_ops: random .
ops.string_ops: strings . gen
ops.tensor_array_ops: .
ops.tensor_math_operator_overrides: .
ops.variable_scope: . _inner.variable_scope
ops.variables: . _inner.variables
ops.while_loop: .
platform.app: app
platform.flags: flags
platform.gfile: gfile
platform.googletest: _inner.googletest test
platform.resource_loader: resource_loader
platform.test: test
platform.tf_logging: logging _inner.tf_logging
pywrap_tensorflow: train _inner.pywrap_tensorflow
saved_model.builder: saved_model.builder
saved_model.builder_impl: saved_model.builder
saved_model.constants: saved_model.constants
saved_model.loader: saved_model.loader
saved_model.loader_impl: saved_model.loader
saved_model.main_op: saved_model.main_op
saved_model.main_op_impl: saved_model.main_op
saved_model.signature_constants: saved_model.signature_constants
saved_model.signature_def_utils: saved_model.signature_def_utils
saved_model.signature_def_utils_impl: saved_model.signature_def_utils
saved_model.tag_constants: saved_model.tag_constants
saved_model.simple_save: saved_model
saved_model.utils: saved_model.utils
saved_model.utils_impl: saved_model.utils
summary.summary: summary .
summary.summary_iterator: train
summary.writer.writer: summary
summary.writer.writer_cache: summary
tools.freeze_graph: _inner.freeze_graph
tools.inspect_checkpoint: _inner.inspect_checkpoint
training.adadelta: train
training.adagrad: train
training.adagrad_da: train
training.adam: train
training.basic_session_run_hooks: train
training.checkpoint_management: train
training.checkpoint_utils: train
training.coordinator: train
training.device_setter: train
training.ftrl: train
training.gradient_descent: train
training.input: train
training.learning_rate_decay: train
training.momentum: train
training.monitored_session: train
training.moving_averages: train _inner.moving_averages
training.optimizer: train
training.proximal_adagrad: train
training.proximal_gradient_descent: train
training.py_checkpoint_reader: train
training.queue_runner: train
training.queue_runner_impl: train
training.rmsprop: train
training.saver: train
training.server_lib: train
training.session_manager: train
training.session_run_hook: train
training.summary_io: summary train SummaryWriter=summary.FileWriter SummaryWriterCache=summary.FileWriterCache
training.supervisor: train
training.training: train
training.training_ops: gen
training.training_util: train
util.all_util: _inner.all_util
util.compat: compat
util.deprecation: _inner.deprecation
util.function_utils: _inner.function_utils
util.nest: _nest
util.tf_decorator: _inner.tf_decorator
util.tf_export: _inner.tf_export
util.tf_inspect: _inner.tf_inspect
util.tf_should_use: _inner.tf_should_use
"""
# Of which each op is a function by its small name.
GENERATED = ("array", "audio", "bitwise", "candidate_sampling", "control_flow", "ctc", "data_flow", "dataset", "functional", "image", "io",
             "linalg", "list", "logging", "lookup", "manip", "math", "nn", "parsing", "random", "resource_variable", "script", "set",
             "sparse", "spectral", "state", "stateless_random", "string", "summary", "training", "user")
# Messages by the file that describes them.
MESSAGES = {
    "example.example": "train.Example train.SequenceExample",
    "example.feature": "train.BytesList train.Feature train.FeatureList train.FeatureLists train.Features train.FloatList "
                       "train.Int64List",
    "framework.attr_value": "_messages.AttrValue",
    "framework.graph": "GraphDef _messages.NodeDef",
    "framework.node_def": "_messages.NodeDef",
    "framework.summary": "Summary HistogramProto",
    "framework.tensor": "_messages.TensorProto",
    "framework.tensor_shape": "_messages.TensorShapeProto",
    "framework.types": "",
    "protobuf.config": "ConfigProto GPUOptions GraphOptions OptimizerOptions RunMetadata RunOptions",
    "protobuf.rewriter_config": "_language.RewriterConfig",
    "util.event": "Event SessionLog _messages.TaggedRunMetadata",
}


def small_name(op):
    """TensorFlow's Python name of an op: MatMul is mat_mul, Conv2D conv2d, LRN lrn."""
    name = ""
    for i, letter in enumerate(op):
        begins = letter.isupper() and i > 0 and (op[i - 1].islower() or op[i + 1:i + 2].islower())
        name += "_" * begins + letter.lower()
    return name


_MISSING = object()
_made = {}


def _inside(namespace):
    """The module that a namespace of the table is."""
    from flowray import tf
    if namespace == ".":
        return tf
    if namespace == "_native":
        return tf._native
    if namespace.startswith("_"):
        return importlib.import_module("flowray.tf." + namespace)
    found = tf
    for part in namespace.split("."):
        found = getattr(found, part)
    return found


def _at(place):
    """What GraphDef, train.Example and _messages.NodeDef name."""
    namespace, _, name = place.rpartition(".")
    return getattr(_inside(namespace or "."), name)


def _op_by_small_name(name):
    from flowray.tf import raw_ops
    if "_ops_by_small_name" not in _made:
        _made["_ops_by_small_name"] = {small_name(op): op for op in dir(raw_ops) if op[0].isupper()}
    op = _made["_ops_by_small_name"].get(name)
    return _MISSING if op is None else getattr(raw_ops, op)


class View(types.ModuleType):
    """A module whose names are looked for when they are asked for."""

    def __init__(self, name, namespaces=(), own=None):
        super().__init__("tensorflow." + name)
        self.__dict__.update(_namespaces=namespaces, _own=own or {})

    def __getattr__(self, name):
        value = _MISSING if name.startswith("__") else self._found(name)
        if value is _MISSING:
            raise AttributeError("module %r has no attribute %r that Flowray has, too" % (self.__name__, name))
        setattr(self, name, value)
        return value

    def _found(self, name):
        if name in self._own:
            return _at(self._own[name])
        for namespace in self._namespaces:
            if namespace == "gen":
                value = _op_by_small_name(name)
            elif name.startswith("_") and not namespace.startswith("_inner."):
                continue
            else:
                value = getattr(_inside(namespace), name, _MISSING)
            if value is not _MISSING:
                return value
        return _MISSING


class Package(View):
    """A folder of them; a module that is not there is told as one."""

    def __init__(self, name):
        super().__init__(name)
        self.__path__ = []
        self.__dict__["_path"] = name

    def _found(self, name):
        try:
            return module("%s.%s" % (self._path, name))
        except ModuleNotFoundError:
            return _MISSING


def _rows():
    """{module's path: (namespaces, {name: place})} of all that is there."""
    rows = {}
    for line in TABLE.strip().splitlines():
        path, _, places = line.partition(":")
        own = dict(place.split("=") for place in places.split() if "=" in place)
        rows["python." + path] = [place for place in places.split() if "=" not in place], own
    for family in GENERATED:
        rows["python.ops.gen_%s_ops" % family] = ["gen"], {}
    for path, places in MESSAGES.items():
        rows["core.%s_pb2" % path] = [], {place.rpartition(".")[2]: place for place in places.split()}
    return rows


def _version2(path):
    from flowray import tf
    from flowray.tf._inner.v2 import Version2
    found = tf
    for part in filter(None, path.split(".")):
        found = getattr(found, part, None)
    if not isinstance(found, types.ModuleType):
        raise ModuleNotFoundError("Flowray has no tensorflow.compat.v2.%s" % path, name="tensorflow.compat.v2." + path)
    return Version2(path)


def module(path):
    """The module tensorflow.PATH, of tensorflow.python, core and compat.v2. ModuleNotFoundError where there is none."""
    if path not in _made and path.startswith("compat.v2"):
        _made[path] = _version2(path[len("compat.v2."):])
    if path not in _made:
        rows = _made.setdefault("_rows", None) or _rows()
        _made["_rows"] = rows
        inside = path + "."
        if path in rows:
            made = View(path, *rows[path])
            if path == "core.framework.types_pb2":
                made.__dict__.update(_types())
        elif any(known.startswith(inside) for known in rows):
            made = Package(path)
        else:
            raise ModuleNotFoundError("Flowray has no tensorflow.%s" % path, name="tensorflow." + path)
        if any(known.startswith(inside) for known in rows):
            made.__path__ = []
        _made[path] = made
    return _made[path]


def _types():
    """DT_FLOAT and its like."""
    from flowray import _native
    names = {"float32": "float", "float64": "double"}
    types_of = {}
    for name in _native.dtype_names():
        number = _native.as_dtype(name).as_datatype_enum
        types_of["DT_" + names.get(name, name).upper()] = number
        types_of["DT_%s_REF" % names.get(name, name).upper()] = number + 100
    return {"DT_INVALID": 0, **types_of}
