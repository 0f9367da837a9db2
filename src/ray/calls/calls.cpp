// The parts of Task, Actor, ObjectRef, Get and Wait that need no template.

#include <flowray/ray/actor.h>
#include <flowray/ray/runtime.h>
#include <flowray/ray/task.h>

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>

#include "ray/functions/function_name.h"
#include "ray/functions/function_registry.h"
#include "ray/transport/call_spec.h"

namespace flowray::ray {

const internal::ValueView& Arguments::reference(uint32_t index) const {
  if (index >= references_.size()) {
    throw errors::DataLossError("A call's arguments cannot be read: they name reference " +
                                std::to_string(index) + " of " + std::to_string(references_.size()) + ".");
  }
  return references_[index];
}

void ExitActor() {
  internal::Backend* const backend = internal::backend_or_null();
  if (backend == nullptr || !backend->current_actor().id) {
    throw RayException(
        "ExitActor() was called in a process that is not an actor's; it ends the actor whose method calls "
        "it. "
        "Kill() ends another one.");
  }
  throw internal::ActorExit();
}

bool WasCurrentActorRestarted() {
  internal::Backend* const backend = internal::backend_or_null();
  return backend != nullptr && backend->current_actor().restarts > 0;
}

std::string GetNamespace() { return internal::backend().ray_namespace(); }

std::vector<std::string> GetGpuIds() { return internal::backend().gpu_ids(); }

bool IsCancelled() {
  internal::Backend* const backend = internal::backend_or_null();
  return backend != nullptr && backend->is_cancelled();
}

namespace internal {

std::string id_text(uint64_t id) {
  if (id == 0) return {};
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(id));
  return text;
}

uint64_t id_of_text(const std::string& text) {
  uint64_t id = 0;
  const char* const end = text.data() + text.size();
  if (text.empty()) return 0;
  const auto read = std::from_chars(text.data(), end, id, 16);
  if (text.size() != 16 || read.ec != std::errc() || read.ptr != end)
    throw RayException("'" + text.substr(0, 60) + "' is not an ID: these have 16 hexadecimal digits.");
  return id;
}

ObjectHandle* handle_of_text(const std::string& text) {
  const ObjectId object{id_of_text(text)};
  if (!object) return nullptr;
  ObjectHandle* const handle = backend().find_object(object);
  if (handle != nullptr) return handle;
  throw RayException("There is no object " + text +
                     " that this process knows by its ID. In workers an ObjectRef comes as an argument, or "
                     "inside of one.");
}

ObjectHandle* require_handle(const AnyRef& ref) {
  if (ref.handle() == nullptr) {
    throw RayException(
        "The ObjectRef refers to nothing: it was made without a value. Use one that Put or Remote returned.");
  }
  return ref.handle();
}

Deadline deadline_after(int timeout_ms) {
  if (timeout_ms == -1) return std::nullopt;
  if (timeout_ms < 0) {
    throw RayException("timeout_ms is " + std::to_string(timeout_ms) +
                       "; it must be a number of milliseconds, 0 not to wait, or -1 to wait without end.");
  }
  return std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
}

ValueView get_value(const AnyRef& ref, Deadline deadline, int timeout_ms) {
  const ObjectId object = require_handle(ref)->id();
  std::optional<ValueView> value = backend().get(object, deadline);
  if (!value) {
    throw RayTimeoutException("Get timed out: object " + id_text(object.value) + " was not there after " +
                              std::to_string(timeout_ms) +
                              " ms. It may still come; Get it again, or with a longer timeout_ms.");
  }
  if (value->is_error) throw_error_value(*value);
  return std::move(*value);
}

std::vector<bool> wait_for(const std::vector<ObjectId>& objects, int num_objects, int timeout_ms) {
  if (num_objects < 1 || static_cast<size_t>(num_objects) > objects.size()) {
    throw RayException("Wait: num_objects is " + std::to_string(num_objects) +
                       "; it must be at least 1 and at most the number of " + "objects, " +
                       std::to_string(objects.size()) + ".");
  }
  std::vector<bool> ready = backend().wait(objects, num_objects, deadline_after(timeout_ms));
  int left = num_objects;
  for (size_t i = 0; i < ready.size(); ++i) {
    if (ready[i] && left-- <= 0) ready[i] = false;
  }
  return ready;
}

ObjectHandle* take_next(const AnyRef& stream, int timeout_ms) {
  const ObjectId object = require_handle(stream)->id();
  ObjectHandle* taken = nullptr;
  if (backend().next_item(object, &taken, deadline_after(timeout_ms)) == NextItem::kNotYet) {
    throw RayTimeoutException("Next timed out: the next value of the generator " + id_text(object.value) +
                              " was not there after " + std::to_string(timeout_ms) +
                              " ms. It may still come; ask again, or with a longer timeout_ms.");
  }
  return taken;
}

bool is_next_there(const AnyRef& stream) {
  return backend().next_item(require_handle(stream)->id(), nullptr, deadline_after(0)) != NextItem::kNotYet;
}

void cancel_stream(const AnyRef& stream, bool force, bool recursive) {
  backend().cancel(require_handle(stream)->id(), force, recursive);
}

void set_deadline(CallOptions& call, int deadline_ms) {
  if (deadline_ms < 1) {
    throw RayException("SetDeadline(" + std::to_string(deadline_ms) + ") of '" +
                       std::string(call.function_name) + "': expected a number of milliseconds, at least 1.");
  }
  call.deadline_ms = deadline_ms;
}

void set_backpressure(CallOptions& call, int num_objects) {
  if (num_objects < 1 && num_objects != -1) {
    throw RayException("SetGeneratorBackpressure(" + std::to_string(num_objects) + ") of '" +
                       std::string(call.function_name) +
                       "': expected a number above 0, or -1 for any number.");
  }
  call.most_ahead = num_objects < 0 ? 0 : num_objects;
}

namespace {

std::string readable(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), std::free);
  return status == 0 ? name.get() : type.name();
}

[[noreturn]] void throw_cannot_pass(const ArgumentPlace& place, const std::string& why) {
  const std::string_view name = place.call.function_name;
  throw ValueError(fmt::format("Argument {} of {} for {} cannot be passed: {}.", place.index + 1, place.count,
                               name.empty() ? "a function" : fmt::format("'{}'", name), why));
}

std::string not_in_range(const NumberType& to) {
  return fmt::format("is not in [{}, {}], what the parameter's type, {}, holds", to.lowest, to.highest,
                     readable(to.type));
}

}  // namespace

void throw_does_not_fit(const ArgumentPlace& place, const NumberType& to, int64_t number) {
  throw_cannot_pass(place, fmt::format("the integer {} {}", number, not_in_range(to)));
}
void throw_does_not_fit(const ArgumentPlace& place, const NumberType& to, uint64_t number) {
  throw_cannot_pass(place, fmt::format("the integer {} {}", number, not_in_range(to)));
}
void throw_does_not_fit(const ArgumentPlace& place, const NumberType& to, double number) {
  if (!to.is_integer) {
    throw_cannot_pass(place, fmt::format("the number {} is larger than what the parameter's type, {}, holds",
                                         number, readable(to.type)));
  }
  if (!std::isfinite(number) || number != std::trunc(number)) {
    throw_cannot_pass(place, fmt::format("{} is not an integer, and the parameter's type is {}", number,
                                         readable(to.type)));
  }
  throw_cannot_pass(place, fmt::format("the number {} {}", number, not_in_range(to)));
}

void add_resource(CallOptions& call, std::string name, double amount) {
  const std::string given = "'" + name + "' = " + std::to_string(amount);
  if (name.empty() || !(amount > 0)) {
    throw RayException("Resource values should be positive, and have a name. Given: " + given + ".");
  }
  if (name.size() > kMostNameBytes / 16 || name.find('\0') != std::string::npos) {
    throw RayException("A resource's name has at most " + std::to_string(kMostNameBytes / 16) +
                       " letters, none of them a zero byte. Given: " + given.substr(0, 60) + "...");
  }
  if (amount > 1 && amount != std::floor(amount)) {
    throw RayException("A resource value above 1 should be an integer. Given: " + given + ".");
  }
  std::erase_if(call.resources, [&](const auto& set_before) { return set_before.first == name; });
  call.resources.emplace_back(std::move(name), amount);
}

namespace {

/// What can be done of what was asked.
void require_supported(const CallOptions& call, const char* retries) {
  if (call.name.size() > kMostNameBytes) {
    throw RayException("SetName: the name '" + call.name.substr(0, 60) + "...' for '" +
                       std::string(call.function_name) + "' has " + std::to_string(call.name.size()) +
                       " bytes; at most " + std::to_string(kMostNameBytes) + " are possible.");
  }
  if (call.num_returns < 0 || static_cast<uint32_t>(call.num_returns) > kMostReturns) {
    throw RayException("NumReturns: '" + std::string(call.function_name) + "' is asked for " +
                       std::to_string(call.num_returns) + " references; at most " +
                       std::to_string(kMostReturns) + " are possible. Return a container as one value.");
  }
  if (call.max_retries < -1) {
    throw RayException(std::string(retries) + "(" + std::to_string(call.max_retries) +
                       "): expected a number of times, or -1 for always.");
  }
}

}  // namespace

void check_resource_of_call(std::string name, double amount) {
  CallOptions scratch;
  const std::string given = name;
  add_resource(scratch, std::move(name), amount);
  static std::once_flag is_told;
  std::call_once(is_told, [&] {
    fmt::print(
        stderr,
        "flowray: SetResource('{}') of an actor's call: it takes nothing, and uses what its actor has. "
        "Actor(f).SetResource says what that is.\n",
        given);
  });
}

namespace {

[[noreturn]] void throw_not_registered(const CallOptions& call, const std::type_info& type) {
  // A pointer to a virtual member function holds an odd number, its place in the class's table; any other
  // may begin at any address.
  const bool is_member = type.name()[0] == 'M';
  const bool is_virtual = is_member && reinterpret_cast<uintptr_t>(call.address) % 2 != 0;
  std::string name = is_virtual ? std::string() : function_name_at(call.address);
  if (name.empty()) {  // the program has no table of symbols, or the function is virtual
    name = "it is a " + readable(type);
  } else {
    name = "'" + name + "' was not registered";
  }
  throw RayFunctionNotFound(
      "Function not found: " + name +
      ".\nUse RAY_REMOTE to register it, at namespace scope in a file of this program.");
}

}  // namespace

void fill_function(CallOptions& call, const FunctionKey& key, const std::type_info& type) {
  const FunctionEntry* const entry = find_function(key);
  call.address = entry == nullptr ? reinterpret_cast<const void*>(key.pointer[0]) : nullptr;
  if (entry == nullptr) throw_not_registered(call, type);
  call.function = entry->id;
  call.function_name = entry->name;
  call.class_name = entry->class_name;
}

void throw_wrong_num_returns(const FunctionEntry& entry, size_t asked, size_t has) {
  throw RayException("'" + entry.name + "' was called for " + std::to_string(asked) +
                     " results, and it returns " + std::to_string(has) +
                     ". Are both sides the same program?");
}

void submit(const CallOptions& call, const std::type_info& type, Encoder& arguments,
            std::span<ObjectHandle*> returns) {
  if (!call.function) throw_not_registered(call, type);
  require_supported(call, "SetMaxRetries");
  backend().submit(call, arguments, returns);
}

ActorId create_actor(const CallOptions& call, const std::type_info& type, Encoder& arguments) {
  if (!call.function) throw_not_registered(call, type);
  require_supported(call, "SetMaxRestarts");
  if (call.max_concurrency < 1 && call.max_concurrency != CallOptions::kUnset) {
    throw RayException("max_concurrency must be >= 1; SetMaxConcurrency(" +
                       std::to_string(call.max_concurrency) + ") was asked for '" +
                       std::string(call.function_name) + "'.");
  }
  if (call.max_task_retries.value_or(0) < -1) {
    throw RayException("SetMaxTaskRetries(" + std::to_string(*call.max_task_retries) +
                       "): expected a number of times, or -1 for always.");
  }
  if (call.is_in_thread && !call.environment.empty()) {
    throw RayException("SetRuntimeEnv and SetIsolation(Isolation::kThread) were asked for '" +
                       std::string(call.function_name) +
                       "'. An actor in a thread has the program's environment: give it a process of its own "
                       "(Isolation::kProcess), or set the variables in the program.");
  }
  const FunctionEntry* const factory = registered_functions().find(call.function);
  if (factory == nullptr || !registered_functions().has_coroutines(factory->class_hash))
    return backend().create_actor(call, arguments);
  // As Ray's actors with coroutines: one thread begins all calls, and goes on with those that have waited.
  constexpr int kMostCoroutines = 1000;
  CallOptions async = call;
  async.answers_later = true;
  if (async.max_concurrency == CallOptions::kUnset) async.max_concurrency = kMostCoroutines;
  return backend().create_actor(async, arguments);
}

std::string checked_group_name(std::string name) {
  if (!name.empty() && name.size() <= kMostGroupNameBytes && name.find('\0') == std::string::npos)
    return name;
  throw RayException("A concurrency group has a name of 1 to " + std::to_string(kMostGroupNameBytes) +
                     " bytes, none of them zero. Given: '" + name.substr(0, 60) + "'.");
}

void add_concurrency_group(CallOptions& actor, const std::string& name, int max_concurrency,
                           const std::vector<FunctionKey>& methods) {
  std::vector<ConcurrencyGroup> groups = read_groups(actor.concurrency_groups);
  if (std::ranges::find(groups, name, &ConcurrencyGroup::name) != groups.end())
    throw RayException("The concurrency group '" + name + "' is declared twice.");
  if (max_concurrency < 1) {
    throw RayException("max_concurrency must be >= 1; " + std::to_string(max_concurrency) +
                       " was asked for the concurrency group '" + name + "'.");
  }
  ConcurrencyGroup group{checked_group_name(name), static_cast<uint32_t>(max_concurrency), {}};
  for (const FunctionKey& method : methods) {
    const FunctionEntry* const entry = find_function(method);
    if (entry == nullptr) {
      throw RayFunctionNotFound("Function not found: a method of the concurrency group '" + name +
                                "'.\nUse RAY_REMOTE to register it, at namespace scope in a file of this "
                                "program.");
    }
    for (const ConcurrencyGroup& other : groups) {
      if (std::ranges::find(other.methods, entry->id) == other.methods.end()) continue;
      throw RayException("'" + entry->name + "' is a method of two concurrency groups, '" + other.name +
                         "' and '" + name + "'.");
    }
    group.methods.push_back(entry->id);
  }
  groups.push_back(std::move(group));
  std::string text = groups_text(groups);
  if (text.size() > kMostGroupsBytes) {
    throw RayException("The concurrency groups of '" + std::string(actor.function_name) + "' take " +
                       std::to_string(text.size()) + " bytes; at most " + std::to_string(kMostGroupsBytes) +
                       " are possible.");
  }
  actor.concurrency_groups = std::move(text);
}

ActorId require_actor(ActorId actor) {
  if (!actor) {
    throw RayException(
        "The ActorHandle is of no actor: it was made without one. Use what Actor(...).Remote or GetActor "
        "returned.");
  }
  return actor;
}

std::string name_in_namespace(const std::string& name, const std::string& ray_namespace) {
  return ray_namespace.empty() ? name : ray_namespace + "/" + name;
}

}  // namespace internal
}  // namespace flowray::ray
