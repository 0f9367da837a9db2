"""Losses and metrics of tensors that are made of a functional model's: the layers that stand for them in the model.

The steps of a model make its layers' nodes anew, so what a program has computed from their tensors is made anew, too: the nodes between
the model's tensors and the loss are copied, each time for the tensors of the step."""

from flowray import _native
from flowray import tf as _tf

_Layer = _native.keras.Layer


def _tensors_of(model):
    """{name: tensor} of all that the model's layers were called with and gave."""
    found = {}

    def visit(tensor):
        if tensor.name in found:
            return
        found[tensor.name] = tensor
        for one in tensor._history[3]:
            visit(one)
    for tensor in [*model._outputs, *model._inputs]:
        visit(tensor)
    return found


class _Between:
    """The nodes from some of a model's tensors to another one, in an order in which each stands behind what it takes."""

    def __init__(self, known, target):
        self.ends, self.names, self._depends, self._known = {}, [], {}, known
        self.target = target.name
        if target.name not in known:
            self._look(target.op)
        else:
            self.ends[target.name] = known[target.name]
        self.definition = _native._nodes_alone(target.graph.as_graph_def(), [op.name for op in self.names])
        # What has nothing to do with the model's inputs stays as it is.
        self.outer = {one.name: one for op in self.names for one in op.inputs
                      if one.name not in self.ends and not self._depends.get(one.op.name)}

    def _look(self, last):
        """Walks back without recursion: programs unroll loops."""
        waiting = [(last, False)]
        while waiting:
            op, is_done = waiting.pop()
            if op.name in self._depends:
                continue
            inputs = list(op.inputs)
            if not is_done:
                waiting.append((op, True))
                waiting += [(one.op, False) for one in inputs if one.name not in self._known and one.op.name not in self._depends]
                continue
            self._depends[op.name] = False
            for one in inputs:
                if one.name in self._known:
                    self.ends[one.name] = self._known[one.name]
                    self._depends[op.name] = True
                elif self._depends.get(one.op.name):
                    self._depends[op.name] = True
            if self._depends[op.name]:
                self.names.append(op)

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
        between = _Between(_tensors_of(model), value)
        if not between.ends:
            raise NotImplementedError("%s.%s of a tensor that is not made of the model's is not there yet" % (model.name, what))
        ends = list(between.ends.values())
        between.ends = list(between.ends)  # the tensors are held by the model
        return cls(between, *options)(ends if len(ends) > 1 else ends[0])
