#pragma once
/// How every call of Python's runs where it arrives.

namespace flowray::python {

/// Before Init, and in an interpreter that forks workers.
void find_functions();
/// In a process that was forked: nothing has run here yet.
void forget_worker();

}  // namespace flowray::python
