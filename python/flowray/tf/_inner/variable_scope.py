"""What tensorflow.python.ops.variable_scope has beside the public names."""

from flowray.tf._variable_scopes import variable_op_scope  # noqa: F401
