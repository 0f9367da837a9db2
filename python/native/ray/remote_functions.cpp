/// Running Python's functions and methods where calls arrive.
///
/// The arguments of a call are a list: the key of a function or class, or the name of a method, or the
/// "module:name" of a function or class that C++ calls; a dict of what it was given beside its arguments, if
/// that is something; how many arguments stand by their place; these; the names and values of the others; and
/// behind a key a reference to the pickled function or class, which is read when the key is new here.

#include "native/ray/remote_functions.h"

#include "native/convert/released_lock.h"
#include "native/ray/codec.h"
#include "native/ray/output_name.h"
#include "native/ray/runtime_errors.h"
#include "native/ray/waiting.h"

#include "ray/functions/python_functions.h"
#include "ray/functions/run_function.h"
#include "ray/values/value.h"
#include "ray/worker/call_environment.h"

#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace flowray::python {
namespace {

using ray::Arguments;
using ray::Encoder;
using ray::internal::FunctionEntry;
using ray::internal::PythonCall;

bool has_begun = false;  // under the interpreter's lock

/// Before the first call of a worker: what the fork of the driver has brought along, and should not have.
void begin_worker() {
  if (has_begun) return;
  has_begun = true;
  if (!is_worker()) return;
  begin_output();
  python_object("flowray.ray._worker", "begin")();
}

/// What the runtime has said by CUDA_VISIBLE_DEVICES of the GPUs of the call that begins: os.environ, which
/// Python reads once, has to know. Calls without GPUs behind such calls find what there was before, so that
/// only these and the first one cost anything.
void see_gpus() {
  static bool has_seen = false;  // under the lock
  static bool had_gpus = false;
  if (!is_worker()) return;
  const bool has_gpus = !ray::internal::backend().gpu_ids().empty();
  if (has_seen && !has_gpus && !had_gpus) return;
  has_seen = true;
  had_gpus = has_gpus;
  const char* const value = std::getenv("CUDA_VISIBLE_DEVICES");
  python_object("flowray.ray._worker",
                "see_gpus")(value == nullptr ? nb::none() : nb::object(nb::str(value)));
}

/// The same of variables that RuntimeEnv gives a call.
void see_environment() {
  for (const auto& [name, value] : ray::CallEnvironment::take_changes()) {
    python_object("flowray.ray._worker", "see_variable")(
        nb::str(name.c_str()), value ? nb::object(nb::str(value->c_str())) : nb::none());
  }
}

struct ReadCall {
  nb::object arguments;
  nb::dict named;
  nb::object terms = nb::none();  // what it was given beside its arguments
  bool is_dynamic = false;        // it returns all that its generator gives
  nb::object unread;              // what an argument has raised that could not be unpickled
};

/// The next argument. One that cannot be unpickled is told of when it is known what is called.
nb::object read_argument(Arguments& in, ReadCall& call) {
  try {
    return in.next<Value>().object;
  } catch (nb::python_error& error) {
    if (!error.matches(python_object("flowray.ray.exceptions", "RaySystemError"))) throw;
    if (!call.unread.is_valid()) {
      call.unread = nb::borrow(error.value());
      call.unread.attr("is_of_argument") = true;
    }
    return nb::none();
  }
}

void require_arguments(const ReadCall& call) {
  if (!call.unread.is_valid()) return;
  PyErr_SetObject(call.unread.type().ptr(), call.unread.ptr());
  nb::raise_python_error();
}

/// One of the terms that a call was given; None where it was not.
nb::object term(const nb::object& terms, const char* name) {
  PyObject* const found = terms.is_none() ? nullptr : PyDict_GetItemString(terms.ptr(), name);
  return found == nullptr ? nb::none() : nb::borrow(found);
}

bool has_threads = false;  // the actor that this process is; under the lock
bool has_terms = false;    // under the lock; most tasks have none

/// What the task that runs was given, or what the actor was that this process is: flowray.ray._worker.terms.
void set_terms(const nb::object& terms) {
  if (terms.is_none() && !has_terms) return;
  has_terms = !terms.is_none();
  has_threads = as_bool(nb::object(python_object("flowray.ray._worker", "set_terms")(terms)));
}

/// In local mode calls run amid the program, or amid other calls:
/// what these were given holds again at the end.
class CallersTerms {
 public:
  CallersTerms() : had_threads_(has_threads), had_terms_(has_terms) {
    if (!is_worker()) kept_ = python_object("flowray.ray._worker", "terms_here")();
  }
  ~CallersTerms() {
    if (kept_.is_none()) return;
    has_threads = had_threads_;
    has_terms = had_terms_;
    try {
      python_object("flowray.ray._worker", "give_back_terms")(kept_);
    } catch (nb::python_error& error) {
      error.discard_as_unraisable("a call has ended");
    }
  }
  CallersTerms(const CallersTerms&) = delete;
  CallersTerms& operator=(const CallersTerms&) = delete;
  bool are_kept() const { return !kept_.is_none(); }

 private:
  const bool had_threads_;
  const bool had_terms_;
  nb::object kept_ = nb::none();
};

uint64_t own_actor() { return ray::internal::backend().current_actor().id.value; }

/// `count`: of what is left of the list, but for the reference to a function.
ReadCall read_call(Arguments& in, size_t count, bool has_function) {
  nb::object first = in.next<Value>().object;
  const bool has_terms = PyDict_Check(first.ptr()) != 0;
  if (has_function) set_terms(has_terms ? first : nb::none());
  ReadCall call;
  if (has_terms) {
    --count;
    call.terms = first;
    call.is_dynamic = !term(first, "dynamic").is_none();
  }
  const auto num_placed = has_terms ? in.next<uint64_t>() : static_cast<uint64_t>(as_int(first));
  if (num_placed > count)
    throw errors::DataLossError("A call's arguments cannot be read: too few are there.");
  call.arguments = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(num_placed)));
  for (uint64_t i = 0; i < num_placed; ++i) {
    nb::object argument = read_argument(in, call);
    PyTuple_SetItem(call.arguments.ptr(), static_cast<Py_ssize_t>(i), argument.release().ptr());
  }
  for (uint64_t left = count - num_placed; left > 1; left -= 2) {
    const auto name = in.next<std::string>();
    call.named[nb::str(name.data(), name.size())] = read_argument(in, call);
  }
  return call;
}

/// The function or class of a key; its reference comes next where it is not known here.
nb::object function_of(const nb::object& key, Arguments& in) {
  const nb::dict known = nb::borrow<nb::dict>(python_object("flowray.ray._worker", "functions"));
  if (known.contains(key)) return nb::borrow(known[key]);
  if (PyUnicode_Check(key.ptr())) return python_object("flowray.ray._worker", "load_by_name")(key);
  const nb::object ref = nb::cast(in.next<Ref>());
  return python_object("flowray.ray._worker", "load")(key, ref);
}

nb::object call_object(const nb::object& function, const ReadCall& call) {
  require_arguments(call);
  PyObject* const result = PyObject_Call(function.ptr(), call.arguments.ptr(), call.named.ptr());
  if (result == nullptr) nb::raise_python_error();
  return nb::steal(result);
}

/// Gives the values of a call that is to be a generator until it ends.
nb::object given(const nb::object& value, const ReadCall& call, const nb::object& name) {
  if (call.is_dynamic) return python_object("flowray.ray._worker", "all_given")(value, name);
  if (!ray::internal::backend().current_call().is_stream) return value;
  return python_object("flowray.ray._worker", "give")(
      value, python_object("flowray._native", "_ray").attr("current_call")());
}

void write_results(const nb::object& value, std::span<Encoder> results) {
  if (results.size() == 1) return encode_value(results[0], value);
  const nb::object items = python_object("flowray.ray._worker", "several")(value, results.size());
  for (size_t i = 0; i < results.size(); ++i) encode_value(results[i], nb::object(items[i]));
}

/// What a thread runs, while it does; for get_runtime_context().
class Running {
 public:
  Running(const nb::object& name, const ReadCall& call)
      : name_(name), call_(call), outer_(std::exchange(here_, this)) {}
  ~Running() { here_ = outer_; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  static nb::object name() { return here_ == nullptr ? nb::none() : here_->name_; }
  /// The name that the caller gave the call, or None.
  static nb::object task_name() { return here_ == nullptr ? nb::none() : term(here_->call_.terms, "task"); }

 private:
  static inline thread_local const Running* here_ = nullptr;
  const nb::object& name_;
  const ReadCall& call_;
  const Running* outer_;
};

void flush_output() {
  const nb::object flush = python_object("flowray.ray._worker", "flush");
  flush();
}

/// An exception that was raised because the call is cancelled is not the function's own.
void throw_if_cancelled(const nb::python_error& error, const nb::object& name) {
  const bool is_of_cancel = error.matches(PyExc_KeyboardInterrupt) ||
                            error.matches(python_object("flowray.ray.exceptions", "TaskCancelledError"));
  if (!is_of_cancel || !without_lock([] { return ray::internal::backend().is_cancelled(); })) return;
  throw ray::TaskCancelledException("Task: " + std::string(nb::str(name).c_str()) +
                                    " was cancelled. It ran.");
}

/// The call's option names exceptions for which it is run again, and this one is not among them.
bool forgoes_retries(const nb::handle error, const nb::object& terms) {
  const nb::object kinds = term(terms, "retry_exceptions");
  return !kinds.is_none() && PyErr_GivenExceptionMatches(error.ptr(), kinds.ptr()) == 0;
}

/// What a task prints is shown with the name that the call was given, or its function's.
void name_output_of_task(const nb::object& name, const nb::object& terms) {
  static PyObject* last = nullptr;  // a function's name that is told already; kept, and under the lock
  const nb::object given = term(terms, "task");
  if ((given.is_none() && name.ptr() == last) || !is_worker()) return;
  Py_XDECREF(std::exchange(last, given.is_none() ? nb::object(name).release().ptr() : nullptr));
  if (!given.is_none()) return name_output(as_text(given));
  const std::string shown = as_text(name);  // "outer.<locals>.inner"
  name_output(std::string_view(shown).substr(shown.rfind('.') + 1));
}

/// An actor of a class that says how it is shown is shown so.
void name_output_of_actor(const nb::object& made) {
  if (!is_worker()) return;
  const nb::object shown = python_object("flowray.ray._worker", "shown_name")(made);
  if (!shown.is_none()) name_output_for_good(as_text(shown));
}

/// The program's own sys.exit() ends the process; in local mode, where that is the driver's, it is an error
/// like others.
void leave_if_asked(const nb::python_error& error) {
  if (error.matches(PyExc_SystemExit) && is_worker())
    python_object("flowray.ray._worker", "leave")(nb::borrow(error.value()));
}

/// What Python raised in a call becomes what the caller gets.
[[noreturn]] void hand_on(nb::python_error& error, const nb::object& name, const ReadCall& call) {
  leave_if_asked(error);
  throw_if_cancelled(error, name);
  if (forgoes_retries(error.value(), call.terms)) ray::internal::backend().fail_for_good();
  throw ray::RayTaskException(remote_failure(nb::borrow(error.value()), name));
}

/// Calls `function` with the lock, which reads `call` first;
/// what Python raises there becomes what the caller gets.
template <class Function>
void run_in_python(const nb::object& name, const ReadCall& call, const Function& function) {
  const Running running(name, call);
  try {
    function();
    flush_output();
  } catch (nb::python_error& error) {
    try {
      hand_on(error, name, call);
    } catch (const nb::python_error& heard) {  // of the cancellation, while the error was looked at
      throw_if_cancelled(heard, name);
      throw;
    }
  }
}

void run_task(const FunctionEntry&, Arguments& in, void*, std::span<Encoder> results) {
  const nb::gil_scoped_acquire lock;
  const CallersTerms callers;
  nb::object name = nb::str("a function");
  ReadCall call;
  run_in_python(name, call, [&] {
    begin_worker();
    const size_t count = in.count();
    const nb::object key = in.next<Value>().object;
    call = read_call(in, count - (PyUnicode_Check(key.ptr()) != 0 ? 2 : 3), true);
    see_gpus();
    see_environment();
    const nb::object function = function_of(key, in);
    name = python_object("flowray.ray._worker", "name_of")(function);
    name_output_of_task(name, call.terms);
    write_results(given(call_object(function, call), call, name), results);
  });
}

void* make_object(const FunctionEntry&, Arguments& in) {
  const nb::gil_scoped_acquire lock;
  const CallersTerms callers;
  nb::object made;
  nb::object name = nb::str("an actor");
  ReadCall call;
  run_in_python(name, call, [&] {
    begin_worker();
    const size_t count = in.count();
    const nb::object key = in.next<Value>().object;
    call = read_call(in, count - (PyUnicode_Check(key.ptr()) != 0 ? 2 : 3), true);
    see_gpus();
    see_environment();
    if (callers.are_kept())
      python_object("flowray.ray._worker", "set_terms_of_actor")(own_actor(), call.terms);
    if (const nb::object of_class = term(call.terms, "class"); !of_class.is_none())
      name = nb::str((as_text(of_class) + ".__init__").c_str());
    const nb::object type = function_of(key, in);
    name = python_object("flowray.ray._worker", "name_of_constructor")(type);
    made = call_object(type, call);
    name_output_of_actor(made);
  });
  return made.release().ptr();
}

/// In threads of the runtime's: what Python keeps for a thread (threading.local, contexts) lasts from one of
/// its calls to the next.
void keep_thread_state() {
  static thread_local bool is_kept = false;
  if (std::exchange(is_kept, true)) return;
  PyGILState_Ensure();  // once more than it is released
}

/// Calls of methods that run now; under the lock. The one that ends the actor waits for the others.
int running_calls = 0;
bool is_any_waiting = false;

void one_call_has_ended() noexcept {
  --running_calls;
  if (!is_any_waiting) return;
  try {
    python_object("flowray.ray._worker", "one_has_ended")();
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("a call has ended");
  }
}

/// The answer of a method that goes on in the actor's event loop, or runs beside others in threads: sent
/// before the call counts as ended, so that the actor's end, which waits for that, does not overtake it.
class Answer {
 public:
  Answer(const nb::object& name, const nb::object& terms)
      : answer_(ray::internal::backend().answer_later()), name_(name), terms_(terms) {
    ++running_calls;
  }

  void send(const nb::object& value) {
    try {
      write_results(value, answer_->results());
    } catch (nb::python_error& error) {
      return fail(nb::borrow(error.value()));
    } catch (const std::exception& error) {
      for (Encoder& result : answer_->results()) {
        result.clear();
        ray::encode_error(result, ray::ErrorKind::kOther, {.message = error.what()});
      }
      return finish(false);
    }
    finish(true);
  }
  void fail(const nb::object& exception) {
    if (forgoes_retries(exception, terms_)) answer_->fail_for_good();
    const ray::RemoteFailure failure = remote_failure(exception, name_);
    for (Encoder& result : answer_->results()) {
      result.clear();
      ray::encode_error(result, ray::ErrorKind::kTask, failure);
    }
    finish(false);
  }
  void cancel() {
    const std::string message = "Task: " + std::string(nb::str(name_).c_str()) + " was cancelled. It ran.";
    for (Encoder& result : answer_->results()) {
      result.clear();
      ray::encode_error(result, ray::ErrorKind::kTaskCancelled, {.message = message});
    }
    finish(false);
  }
  /// `told` is called in a thread of the runtime's.
  void when_cancelled(const nb::object& told) {
    const std::shared_ptr<PyObject> kept(nb::borrow(told).release().ptr(), [](PyObject* object) {
      const nb::gil_scoped_acquire lock;
      Py_DECREF(object);
    });
    without_lock([&] {
      answer_->when_cancelled([kept] {
        const nb::gil_scoped_acquire lock;
        nb::borrow(kept.get())();
      });
    });
  }

 private:
  void finish(bool succeeded) {
    flush_output();
    without_lock([&] {
      answer_->send(succeeded);
      answer_.reset();
    });
    one_call_has_ended();
  }

  std::unique_ptr<ray::internal::LaterAnswer> answer_;
  nb::object name_;
  nb::object terms_;
};

/// Whether the class has coroutines, so that all of its methods run in one event loop. Under the lock.
bool runs_in_loop(nb::handle type) {
  static PyObject* last = nullptr;  // never freed: a process has one actor, in local mode some
  static bool last_does = false;
  if (type.ptr() == last) return last_does;
  last = nb::borrow(type).release().ptr();
  last_does = as_bool(nb::object(python_object("flowray.ray._coroutines", "has_coroutines")(type)));
  return last_does;
}

void destroy_object(void* object) {
  const nb::gil_scoped_acquire lock;
  Py_DECREF(static_cast<PyObject*>(object));
}

/// All classes have __ray_terminate__ and the like.
nb::object method_of(const nb::handle self, const std::string& method) {
  if (!method.starts_with("__ray_")) return self.attr(method.c_str());
  return python_object("flowray.ray._worker", "method_of_all")(self, str_of(method));
}

void begin_in_loop(const nb::object& function, const ReadCall& call, const nb::object& name) {
  const nb::object answer = nb::cast(Answer(name, call.terms));
  try {
    python_object("flowray.ray._event_loop", "begin")(function, call.arguments, call.named, answer, name,
                                                      term(call.terms, "task"), call.is_dynamic);
  } catch (nb::python_error& error) {
    nb::cast<Answer&>(answer).fail(nb::borrow(error.value()));
  }
}

void call_beside_others(const nb::object& function, const ReadCall& call, const nb::object& name) {
  Answer answer(name, call.terms);
  try {
    answer.send(given(call_object(function, call), call, name));
  } catch (nb::python_error& error) {
    leave_if_asked(error);
    answer.fail(nb::borrow(error.value()));
  }
}

void run_method(const FunctionEntry&, Arguments& in, void* object, std::span<Encoder> results) {
  const nb::gil_scoped_acquire lock;
  keep_thread_state();
  const CallersTerms callers;
  const nb::handle self = static_cast<PyObject*>(object);
  nb::object name = nb::str("a method");
  ReadCall call;
  run_in_python(name, call, [&] {
    const size_t count = in.count();
    const auto method = in.next<std::string>();
    name = nb::str((std::string(nb::type_name(self.type()).c_str()) + "." + method).c_str());
    call = read_call(in, count - 2, false);
    if (callers.are_kept()) set_terms(python_object("flowray.ray._worker", "terms_of_actor")(own_actor()));
    const nb::object function = method_of(self, method);
    require_arguments(call);
    if (runs_in_loop(self.type())) return begin_in_loop(function, call, name);
    if (has_threads) return call_beside_others(function, call, name);
    write_results(given(call_object(function, call), call, name), results);
  });
}

constexpr uint64_t kClassHash = 0x50794F626A656374;  // "PyObject": all actors of Python are of one class

FunctionEntry make_entry(PythonCall kind) {
  FunctionEntry entry;
  entry.class_hash = kClassHash;
  switch (kind) {
    case PythonCall::kTask:
      entry.name = "a function of Python's";
      entry.invoke = run_task;
      break;
    case PythonCall::kMakeActor:
      entry.kind = FunctionEntry::Kind::kFactory;
      entry.name = "a class of Python's";
      entry.make = make_object;
      entry.destroy = destroy_object;
      break;
    case PythonCall::kMethod:
      entry.kind = FunctionEntry::Kind::kMethod;
      entry.name = "a method of Python's";
      entry.invoke = run_method;
      break;
  }
  return entry;
}

const FunctionEntry* entry_of(ray::FunctionId function) {
  static const auto* entries = new std::array<FunctionEntry, 3>{
      make_entry(PythonCall::kTask), make_entry(PythonCall::kMakeActor), make_entry(PythonCall::kMethod)};
  const std::optional<PythonCall> call = ray::python_call_of(function);
  return call ? &(*entries)[static_cast<size_t>(*call)] : nullptr;
}

}  // namespace

void find_functions() { ray::set_function_finder(entry_of); }

void forget_worker() { has_begun = false; }

void bind_remote_functions(nb::module_& m) {
  nb::class_<Answer>(m, "Answer")
      .def("send", &Answer::send, nb::arg().none())
      .def("fail", &Answer::fail)
      .def("cancel", &Answer::cancel)
      .def("when_cancelled", &Answer::when_cancelled);
  m.def("num_running", [] { return running_calls; });
  m.def("tell_of_ends", [](Flag wanted) { is_any_waiting = wanted; });
  m.def("running", [] { return Running::name(); });
  m.def("running_task_name", [] { return Running::task_name(); });
}

}  // namespace flowray::python
