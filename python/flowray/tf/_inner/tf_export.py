"""tensorflow.python.util.tf_export: marks that have no effect here."""


class tf_export:  # noqa: N801: TensorFlow's name
    """What it decorates stays as it is."""

    def __init__(self, *names, **options):
        pass

    def __call__(self, decorated):
        return decorated

    def export_constant(self, module_name, name):
        pass


keras_export = estimator_export = tf_export
