"""Losses and metrics of tensors that are made of a functional model's: the layers that stand for them in the model.

The steps of a model make its layers' nodes anew, so what a program has computed from their tensors is made anew, too: the nodes between
the model's tensors and the loss are copied, each time for the tensors of the step."""

from flowray import _native
from flowray import tf as _tf
from flowray.tf.keras import _operation_layers as _operations

_Layer = _native.keras.Layer


def _tensors_of(model, value):
    """{name: tensor} of all that the model's layers were called with and gave, and those of layers behind them that `value` comes from."""
    found, waiting = {}, [*model._outputs, *model._inputs]
    if isinstance(value, _native.keras.KerasTensor):
        waiting.append(value)
    while waiting:
        tensor = waiting.pop()
        if tensor.name not in found:
            found[tensor.name] = tensor
            waiting += tensor._history[3]
    return found


class _Between:
    """The nodes from some of a model's tensors to another one, in an order in which each stands behind what it takes."""

    def __init__(self, known, target):
        self.ends, self.target, self._known = {}, target.name, known
        ops = [] if target.name in known else self._between(target.op)
        if target.name in known:
            self.ends[target.name] = known[target.name]
        self.ops = [op for op, _ in ops]
        names = {op.name for op in self.ops}
        self.definition = _native._nodes_alone(target.graph.as_graph_def(), list(names))
        # What has nothing to do with the model's inputs stays as it is.
        self.outer = {one.name: one for _, inputs in ops for one in inputs if one.name not in self.ends and one.op.name not in names}

    def _between(self, last):
        """Those that depend on the model's tensors, with what they take."""
        ops = self._before(last)
        takers, waiting, found = {}, [], set()
        for op, inputs in ops:
            for one in inputs:
                if one.name in self._known:
                    self.ends[one.name] = self._known[one.name]
                    waiting.append(op.name)
                else:
                    takers.setdefault(one.op.name, []).append(op.name)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += takers.get(name, ())
        return [(op, inputs) for op, inputs in ops if op.name in found]

    def _before(self, last):
        """Walks back without recursion, for programs unroll loops. An op is marked when it is come to: in a loop of the graph it stands before
        itself."""
        ops, opened, waiting = [], set(), [(last, None)]
        while waiting:
            op, inputs = waiting.pop()
            if inputs is not None:
                ops.append((op, inputs))
            elif op.name not in opened:
                opened.add(op.name)
                inputs = list(op.inputs)
                waiting.append((op, inputs))
                waiting += [(one.op, None) for one in inputs if one.name not in self._known and one.op.name not in opened]
        return ops

    def goes_through_a_loop(self):
        return any(op.type in _operations.OF_LOOPS for op in self.ops)

    def made_anew(self, tensors):
        """The other tensor, made of these in place of the model's."""
        places = dict(zip(self.ends, tensors))
        if self.target in places:
            return places[self.target]
        made, = _tf.import_graph_def(self.definition, input_map={**self.outer, **places}, return_elements=[self.target], name="anew")
        return made


class _Added(_Layer):
    def __init__(self, between, **options):
        super().__init__(**options)
        self._between = between

    def get_config(self):
        raise NotImplementedError("%s: what was computed from tensors of a model has no config; save_weights keeps what was trained, and the "
                                  "program makes the model" % self.name)


class AddLoss(_Added):
    """A tensor that is added to the loss."""

    def call(self, inputs):
        value = self._between.made_anew(inputs if isinstance(inputs, list) else [inputs])
        self.add_loss(value if value.shape.ndims == 0 else _tf.reduce_mean(value))
        return value


class AddMetric(_Added):
    """A tensor whose mean is shown in the progress."""

    def __init__(self, between, metric_name, **options):
        super().__init__(between, **options)
        self._metric_name = metric_name

    def call(self, inputs):
        value = self._between.made_anew(inputs if isinstance(inputs, list) else [inputs])
        self.add_metric(value, name=self._metric_name)
        return value


def tensor_of(model, what, cls, value, *options):
    """What a layer of this class makes of the model's tensors that `value` was made of."""
    if not model._outputs:
        raise NotImplementedError("%s.%s is not there before the model is built: give its first layer an input_shape" % (model.name, what))
    if not isinstance(value, _native.Tensor):
        raise ValueError("Expected a symbolic Tensors or a callable for the loss value. Please wrap your loss computation in a zero argument "
                         "`lambda`." if cls is AddLoss else "Expected a symbolic tensor for the metric value, received: %s" % (value,))
    with value.graph.as_default():
        between = _Between(_tensors_of(model, value), value)
        if not between.ends:
            raise NotImplementedError("%s.%s of a tensor that is not made of the model's is not there yet" % (model.name, what))
        if between.goes_through_a_loop():
            raise NotImplementedError("%s.%s of a tensor that is made by a loop of the graph (tf.while_loop, tf.map_fn) is not there yet: make it "
                                      "in a Lambda layer, and add what that gives" % (model.name, what))
        ends = list(between.ends.values())
        between.ends = list(between.ends)  # the tensors are held by the model
        return cls(between, *options)(ends if len(ends) > 1 else ends[0])
