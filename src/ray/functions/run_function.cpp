#include "ray/functions/run_function.h"

#include <cxxabi.h>

#include "ray/functions/function_registry.h"
#include "ray/functions/python_functions.h"
#include "ray/values/value.h"

namespace flowray::ray {

using internal::FunctionEntry;
using internal::ValueView;

namespace {

FunctionFinder function_finder = nullptr;

const FunctionEntry* find_function(FunctionId function) {
  const FunctionEntry* entry = registered_functions().find(function);
  return entry == nullptr && function_finder != nullptr ? function_finder(function) : entry;
}

void set_error(std::span<Encoder> results, ErrorKind kind, const RemoteFailure& failure) {
  for (Encoder& result : results) encode_error(result, kind, failure);
}

void make_actor(const FunctionEntry& factory, Arguments& arguments, ActorObject& actor) {
  // Whoever calls a factory as a method would take the object from the methods that run.
  if (actor) throw RayException("'" + factory.name + "' makes an actor, and this process has one.");
  void* object = factory.make(factory, arguments);
  if (object == nullptr) throw RayException("The actor's factory returned no object.");
  actor = ActorObject(factory, object);
}

const ValueView* first_error(const ValueView& values, std::span<const ValueView> references) {
  if (values.is_error) return &values;
  for (const ValueView& reference : references) {
    if (reference.is_error) return &reference;
  }
  return nullptr;
}

/// The actor's object as one of the method's class.
void* object_for(const FunctionEntry& method, const ActorObject& actor) {
  if (!actor) throw RayActorException("The actor has no object: its factory failed or has not run.");
  void* object = registered_functions().upcast(actor.object(), actor.factory().class_hash, method.class_hash);
  if (object == nullptr) {
    throw RayActorException("'" + method.name + "' is a method of another class than the actor, which is a " +
                            actor.factory().class_name + ". Has GetActor been asked for the right class?");
  }
  return object;
}

void run(const FunctionEntry& entry, const ValueView& values, std::span<const ValueView> references,
         ActorObject& actor, std::span<Encoder> results) {
  Arguments arguments(values, references);
  if (entry.kind == FunctionEntry::Kind::kFactory) {
    make_actor(entry, arguments, actor);
    for (Encoder& result : results) result.write_nil();
    return;
  }
  void* object = entry.kind == FunctionEntry::Kind::kMethod ? object_for(entry, actor) : nullptr;
  entry.invoke(entry, arguments, object, results);
}

}  // namespace

namespace internal {

std::unique_ptr<LaterAnswer> later_answer() { return backend().answer_later(); }

void require_stream(const FunctionEntry& entry) {
  if (backend().current_call().is_stream) return;
  throw RayException("'" + entry.name +
                     "' returns a Generator and was called for one value. Call it by Task(...) of C++, or in "
                     "Python with num_returns=\"streaming\".");
}

void give_values(const FunctionEntry& entry, std::unique_ptr<GivenValues> values) {
  if (backend().keep_values(values)) return;
  const CurrentCall call = backend().current_call();
  for (uint64_t given = 0;;) {
    const EncoderLease value;
    if (!values->next(*value)) return;
    backend().give_item(call, given, *value);
    backend().wait_to_give(call, ++given);
    if (backend().is_cancelled())
      throw TaskCancelledException("Task: " + entry.name + " was cancelled. It gave a value.");
  }
}

void send_answer(const FunctionEntry& entry, LaterAnswer& answer, const std::exception_ptr& error) {
  if (error == nullptr) return answer.send(true);
  try {
    std::rethrow_exception(error);
  } catch (const ActorExit&) {
    return answer.exit_actor();
  } catch (...) {
    for (Encoder& result : answer.results()) {
      result.clear();
      encode_current_exception(result, entry.name);
    }
  }
  answer.send(false);
}

}  // namespace internal

void set_function_finder(FunctionFinder finder) { function_finder = finder; }

bool run_function(FunctionId function, const ValueView& values, std::span<const ValueView> references,
                  ActorObject& actor, std::span<Encoder> results) {
  for (Encoder& result : results) result.clear();
  const FunctionEntry* entry = find_function(function);
  if (entry == nullptr) {
    RemoteFailure failure;
    failure.message = python_call_of(function)
                          ? "Function not found: it is one of Python's, and this process has no Python.\n"
                            "Without local_mode, an interpreter runs it: RayConfig::python_interpreter."
                          : "The worker has no function of the id " + internal::id_text(function.value) +
                                "; is it registered by RAY_REMOTE in this program, outside of main?";
    set_error(results, ErrorKind::kFunctionNotFound, failure);
    return false;
  }
  try {
    if (const ValueView* failed = first_error(values, references)) {
      const DecodedError error = decode_error(*failed);
      set_error(results, error.kind, error.failure);
      return false;
    }
    run(*entry, values, references, actor, results);
    return true;
  } catch (const abi::__forced_unwind&) {
    throw;  // the thread is being ended
  } catch (const internal::ActorExit&) {
    throw;
  } catch (...) {
    for (Encoder& result : results) encode_current_exception(result, entry->name);
    return false;
  }
}

}  // namespace flowray::ray
