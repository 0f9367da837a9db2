"""tf.make_template: a function whose variables are made by its first call, and found by those that follow."""

import functools

from flowray import _native
from flowray.tf import _language, _variable_scopes


class Template:
    """A function in a variable scope of its own."""

    def __init__(self, name, func, create_scope_now=False, unique_name=None, custom_getter=None):
        if name is None:
            raise ValueError("name cannot be None.")
        self._func, self._name, self._unique_name, self._custom_getter = func, name, unique_name, custom_getter
        self._scope = None
        self._is_first_call, self._has_variables = True, False
        if create_scope_now:
            with _variable_scopes.variable_scope(unique_name, name, custom_getter=custom_getter, auxiliary_name_scope=False) as scope:
                self._scope = scope

    def __call__(self, *arguments, **named):
        if self._scope is not None:
            with _variable_scopes.variable_scope(self._scope, reuse=not self._is_first_call):
                return self._call(arguments, named)
        with _variable_scopes.variable_scope(self._unique_name, self._name, custom_getter=self._custom_getter) as scope:
            self._scope = scope
            return self._call(arguments, named)

    def _call(self, arguments, named):
        if self._has_variables:
            before = len(_language.trainable_variables())
            result = self._func(*arguments, **named)
            made = _language.trainable_variables()[before:]
            if made:
                raise ValueError("Trainable variable created when calling a template after the first time, perhaps you used tf.Variable when "
                                 "you meant tf.get_variable: %s" % (made,))
            return result
        self._is_first_call = False
        try:
            result = self._func(*arguments, **named)
        except BaseException:
            self._is_first_call = True
            raise
        self._has_variables = True
        return result

    name = property(lambda self: self._name)
    func = property(lambda self: self._func)
    variable_scope = property(lambda self: self._scope)

    @property
    def variable_scope_name(self):
        """The scope's name with a slash at its end; None before there is one."""
        if self._scope is None:
            return None
        name = self._scope.name
        return name if not name or name[-1] == "/" else name + "/"

    def _variables_in(self, key):
        return _language.get_collection(key, self.variable_scope_name) if self._has_variables else []

    trainable_variables = property(lambda self: self._variables_in(_language.GraphKeys.TRAINABLE_VARIABLES))
    global_variables = property(lambda self: self._variables_in(_language.GraphKeys.GLOBAL_VARIABLES))
    local_variables = property(lambda self: self._variables_in(_language.GraphKeys.LOCAL_VARIABLES))
    variables = weights = property(lambda self: self.global_variables + self.local_variables)

    @property
    def non_trainable_variables(self):
        """Its global variables that are not trained."""
        trained = self.trainable_variables
        return [variable for variable in self.global_variables if variable not in trained]

    trainable_weights, non_trainable_weights = trainable_variables, non_trainable_variables


def make_template(name_, func_, create_scope_now_=False, unique_name_=None, custom_getter_=None, **kwargs):
    """A function whose variables, those of tf.get_variable, are made by its first call, and found by those that follow."""
    _native._refuse(_native.executing_eagerly(), "tf.make_template", "while eager execution is on")
    if kwargs:
        func_ = functools.partial(func_, **kwargs)
    return Template(name_, func_, create_scope_now=create_scope_now_, unique_name=unique_name_, custom_getter=custom_getter_)
