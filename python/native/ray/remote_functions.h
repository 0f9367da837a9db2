#pragma once
/// How every call of Python's runs where it arrives. Functions are not registered: their ids tell what is to
/// be done, and the arguments which function it is.

#include <flowray/ray/ids.h>

namespace flowray::python {

enum class CallKind : uint64_t { kTask, kMakeActor, kMethod };

/// The id of a function, class or method that `key` stands for: the runtime counts calls by it.
ray::FunctionId function_id(CallKind kind, uint64_t key);

/// Before Init, and in an interpreter that forks workers.
void find_functions();
/// In a process that was forked: nothing has run here yet.
void forget_worker();

}  // namespace flowray::python
