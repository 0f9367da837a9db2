"""ray.runtime_env: what tasks and actors find around them."""

__all__ = ["RuntimeEnv"]


class RuntimeEnv(dict):
    """A dict of what tasks and actors find around them, for the option `runtime_env`.

    Args:
        env_vars: {name: value} of variables of the environment.
        others: fields of Ray's that have something installed, which is refused where they are used.
    """

    def __init__(self, *, env_vars=None, **others):
        super().__init__({name: value for name, value in {"env_vars": env_vars, **others}.items() if value is not None})


def env_vars_of(runtime_env, what):
    """{name: value} of its variables. Raises for all that it has beside these."""
    if runtime_env is None:
        return {}
    if not isinstance(runtime_env, dict):
        raise TypeError("The type of keyword 'runtime_env' must be (<class 'dict'>, <class 'NoneType'>), but received type %s" % type(runtime_env))
    for name, value in runtime_env.items():
        if name != "env_vars" and value is not None:
            raise NotImplementedError("The runtime_env of %s has %s=%r, which is not supported: workers are processes of this program, and "
                                      "find what it finds.\nInstall what they need beforehand; of runtime_env there is env_vars."
                                      % (what, name, value))
    env_vars = runtime_env.get("env_vars")
    if env_vars is None:
        return {}
    if not isinstance(env_vars, dict):
        raise TypeError("runtime_env['env_vars'] must be of type Dict[str, str], got %s" % type(env_vars))
    for name, value in env_vars.items():
        if not isinstance(name, str) or not isinstance(value, str):
            raise TypeError("runtime_env['env_vars'] must be of type Dict[str, str], but it has %r: %r" % (name, value))
        if not name or "=" in name or "\0" in name + value:
            raise ValueError("runtime_env['env_vars']: %r cannot be a variable's name, or %r its value" % (name, value))
    return env_vars
