#pragma once
/// How a Python program gets worker processes.

namespace flowray::python {

/// Before Init.
void prepare_processes();
/// What an interpreter that was started to fork workers does.
[[noreturn]] void become_template(int socket);

}  // namespace flowray::python
