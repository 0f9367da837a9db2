"""What a model of tf.keras shows of how it is trained."""

from flowray.tf.keras import metrics as _metrics


class NamedMetric:
    """A metric that is a mean over batches, of which the model's loops keep account: its value is in the logs and in what evaluate() gives."""

    def __init__(self, name):
        self.name = name

    def result(self):
        """Not there: see the logs of callbacks, or evaluate()."""
        raise NotImplementedError("The model keeps no value of the metric '%s': it is in the logs and in what evaluate() gives" % self.name)

    def reset_states(self):
        """Each epoch begins anew by itself."""


def metrics_of(model):
    """The metrics of a compiled model in the order of its scores; none before its outputs are known."""
    names = list(model.metrics_names)
    first = 1 + model._num_losses
    given = list(model._metrics_in_order)
    made = []
    for number, name in enumerate(names[first:]):
        metric = given[number] if number < len(given) else None
        made.append(metric if isinstance(metric, _metrics.Metric) else NamedMetric(name))
    return made
