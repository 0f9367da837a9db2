"""tensorflow.python.util.tf_should_use: a mark of results that are to be used. Nothing watches them here."""


def should_use_result(fn=None, warn_in_eager=False, error_in_function=False):
    return fn if fn is not None else lambda function: function
