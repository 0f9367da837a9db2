#include "ray/functions/python_functions.h"

#include <flowray/ray/errors.h>

#include <set>

#include "core/guarded.h"
#include "ray/functions/function_registry.h"

namespace flowray::ray {
namespace {

// An id of Python's: these bits, some of the key, and the kind.
constexpr uint64_t kMark = 0xA7C0'0000'0000'0000;
constexpr uint64_t kMarkBits = 0xFFF0'0000'0000'0000;
constexpr uint64_t kKindBits = 3;
constexpr uint64_t kNumKinds = 3;

/// A text that messages name as long as the program runs.
std::string_view name_that_stays(const std::string& name) {
  static auto* const names = new Guarded<std::set<std::string>>();
  return *names->lock()->insert(name).first;
}

}  // namespace

FunctionId python_function_id(internal::PythonCall kind, uint64_t key) {
  return {kMark | ((key << 2) & ~kMarkBits) | static_cast<uint64_t>(kind)};
}

std::optional<internal::PythonCall> python_call_of(FunctionId function) {
  const uint64_t kind = function.value & kKindBits;
  if ((function.value & kMarkBits) != kMark || kind >= kNumKinds) return std::nullopt;
  return static_cast<internal::PythonCall>(kind);
}

namespace internal {

std::string name_in_module(const std::string& module, const std::string& name) {
  if (module.empty() || name.empty()) {
    throw RayException(
        "A function or class of Python's is called by its module and its name. Given: module '" + module +
        "', name '" + name + "'.");
  }
  return module + ":" + name;
}

void fill_python_function(CallOptions& call, PythonCall kind, const std::string& name) {
  if (name.empty()) throw RayException("PyActorMethod: the method has no name.");
  call.function = python_function_id(kind, FunctionRegistry::id_of(name).value);
  call.function_name = name_that_stays(name);
}

void throw_no_java(const std::string& name) {
  throw RayException("'" + name +
                     "' is Java's, and workers run C++ and Python. Call a function that RAY_REMOTE names, or "
                     "PyFunction.");
}

PyActorCreator::PyActorCreator(const PyActorClass& type)
    : ActorSetters<PyActorCreator>(CallOptions()), name_(name_in_module(type.module_name, type.class_name)) {
  if (type.function_name != "__init__") {
    throw RayException(
        "PyActorClass: '" + type.function_name + "' was to make an object of '" + name_ +
        "', and only __init__ does. Call a class method that makes one in a function: PyFunction.");
  }
  fill_python_function(call_, PythonCall::kMakeActor, name_);
  call_.class_name = name_that_stays(type.class_name);
}

}  // namespace internal

std::optional<ActorHandleXlang> GetActor(const std::string& name, const std::string& ray_namespace) {
  if (name.empty()) return std::nullopt;
  const ActorId actor = internal::backend().find_actor(internal::name_in_namespace(name, ray_namespace));
  return actor ? std::optional(ActorHandleXlang(actor)) : std::nullopt;
}

}  // namespace flowray::ray
