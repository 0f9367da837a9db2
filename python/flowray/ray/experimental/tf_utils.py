"""The weights of a network: taken out of its session, and put back."""

from flowray import _native

__all__ = ["TensorFlowVariables"]


class TensorFlowVariables:
    """Gets and sets the weights of a network.

    The variables are those among the graph's global variables from which `output` can be reached, in the order of their making, then
    `input_variables`. Weights go by the variables' names: two networks in one graph have different ones (Variable, Variable_2), so give
    each network a graph of its own, or use get_flat and set_flat.

    It adds a placeholder and an assignment for each variable to the graph, once; later calls add nothing.

    Args:
        output: a Tensor or Operation that is computed from the variables, a loss as a rule, or a list of them.
        sess: the session of the weights; set_session gives one later.
        input_variables: further variables.
    """

    def __init__(self, output, sess=None, input_variables=None):
        self._native = _native._ray.TensorFlowVariables(output, sess, input_variables)
        self.sess = sess
        self.variables = self._native.variables()
        self.placeholders = self._native.placeholders()
        self.assignment_nodes = self._native.assignment_nodes()

    def set_session(self, sess):
        """Sets the session that is used from now on."""
        self._native.set_session(sess)
        self.sess = sess

    def get_flat_size(self):
        """The number of elements of all variables together."""
        return self._native.get_flat_size()

    def get_flat(self):
        """All elements, one after the other, in an array of one dimension."""
        return self._native.get_flat()

    def set_flat(self, new_weights):
        """Sets all variables from an array of get_flat_size() elements."""
        self._native.set_flat(new_weights)

    def get_weights(self):
        """{name: value} of all variables."""
        return self._native.get_weights()

    def set_weights(self, new_weights):
        """Sets those variables that the dict names, at least one; other names are ignored."""
        self._native.set_weights(new_weights)
