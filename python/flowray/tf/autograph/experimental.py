"""tf.autograph.experimental."""


def do_not_convert(func=None):
    """A function that stays as it is."""
    from flowray.tf import autograph
    return autograph.do_not_convert(func)


def set_loop_options(parallel_iterations=None, swap_memory=None, maximum_iterations=None, shape_invariants=None):
    raise NotImplementedError("tf.autograph.experimental.set_loop_options is not there: write tf.while_loop with these arguments")
