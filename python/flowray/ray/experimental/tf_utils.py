"""The weights of a network: taken out of its session, and put back."""

import sys

from flowray import _native

__all__ = ["TensorFlowVariables"]


def _is_monitored(sess):
    sessions = sys.modules.get("flowray.tf._monitored_session")
    return sessions is not None and isinstance(sess, sessions._HookedSession)


class TensorFlowVariables:
    """Gets and sets the weights of a network.

    The variables are those among the graph's global variables from which `output` can be reached, in the order of their making, then
    `input_variables`. Weights go by the variables' names: two networks in one graph have different ones (Variable, Variable_2), so give
    each network a graph of its own, or use get_flat and set_flat.

    It adds a placeholder and an assignment for each variable to the graph, once; later calls add nothing.

    Args:
        output: a Tensor or Operation that is computed from the variables, a loss as a rule, or a list of them.
        sess: the session of the weights; set_session gives one later. A monitored session will do: its hooks do not run then. It makes
            its graph final, which refuses what is added, so this is made before it and given it by set_session.
        input_variables: further variables.
    """

    def __init__(self, output, sess=None, input_variables=None):
        self._native = _native._ray.TensorFlowVariables(output, None, input_variables)
        self.set_session(sess)
        self.variables = self._native.variables()
        self.placeholders = self._native.placeholders()
        self.assignment_nodes = self._native.assignment_nodes()

    def set_session(self, sess):
        """Sets the session that is used from now on."""
        if sess is not None and not isinstance(sess, _native.BaseSession) and not _is_monitored(sess):
            raise TypeError("sess is %r; it must be a tf.Session, or a monitored one" % (sess,))
        self.sess = sess
        self._native.set_session(None if _is_monitored(sess) else sess)

    def _of_session(self):
        if _is_monitored(self.sess):  # which may have lost its session, and made another one, or closed it
            if self.sess._session is None:
                raise RuntimeError("Session is already closed.")
            self._native.set_session(self.sess._session)
        return self._native

    def get_flat_size(self):
        """The number of elements of all variables together."""
        return self._native.get_flat_size()

    def get_flat(self):
        """All elements, one after the other, in an array of one dimension."""
        return self._of_session().get_flat()

    def set_flat(self, new_weights):
        """Sets all variables from an array of get_flat_size() elements."""
        self._of_session().set_flat(new_weights)

    def get_weights(self):
        """{name: value} of all variables."""
        return self._of_session().get_weights()

    def set_weights(self, new_weights):
        """Sets those variables that the dict names, at least one; other names are ignored."""
        self._of_session().set_weights(new_weights)
