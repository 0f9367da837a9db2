"""tf.saved_model.main_op: operations that are run when a model has been loaded."""

from flowray.tf import control_dependencies, global_variables_initializer, group, local_variables_initializer, tables_initializer


def main_op():
    """Initializes all variables, local ones, too, and tables."""
    return group(global_variables_initializer(), local_variables_initializer(), tables_initializer())


def main_op_with_restore(restore_op_name):
    """The same, and then the operation of that name."""
    with control_dependencies([main_op()]):
        return group(restore_op_name)
