"""ray.job_config: what init opens for a program."""

import os as _os

__all__ = ["JobConfig"]


class JobConfig:
    """Names the shared libraries whose C++ functions and actors a program calls.

        ray.init(job_config=ray.job_config.JobConfig(code_search_path=["build/libfunctions.so"]))

    Args:
        code_search_path: files, or folders, of which all files *.so are meant; a list, or a text with ":" between them.
    """

    def __init__(self, code_search_path=None, **others):
        for name, value in others.items():
            if value:
                raise NotImplementedError("JobConfig(%s=%r) is not supported: a runtime is of one program, and its processes see what that "
                                          "sees" % (name, value))
        if isinstance(code_search_path, str):
            code_search_path = code_search_path.split(":")
        self.code_search_path = list(code_search_path or ())

    def _libraries(self):
        found = []
        for path in map(_os.path.abspath, self.code_search_path):
            if _os.path.isdir(path):
                found += [_os.path.join(path, name) for name in sorted(_os.listdir(path)) if name.endswith(".so")]
            else:
                found.append(path)
        return found
