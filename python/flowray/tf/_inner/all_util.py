"""tensorflow.python.util.all_util: which names of a module are public. It stays as it is."""


def remove_undocumented(module_name, allowed_exception_list=None, doc_string_modules=None):
    pass


def make_all(module_name, doc_string_modules=None):
    """The public names of a module that is imported."""
    import sys
    return [name for name in dir(sys.modules[module_name]) if not name.startswith("_")]
