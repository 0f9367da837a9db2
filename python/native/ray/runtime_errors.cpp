#include "native/ray/runtime_errors.h"

#include <flowray/ray/backend.h>
#include <flowray/ray/errors.h>

#include "native/convert/released_lock.h"
#include "ray/calls/no_runtime.h"
#include "ray/values/value.h"

#include <unistd.h>

#include <string>

namespace flowray::python {
namespace {

nb::object exception_of(ray::ErrorKind kind, const ray::RemoteFailure& failure) {
  return python_object("flowray.ray.exceptions", "_exception")(
      static_cast<int>(kind), str_of(failure.class_name), str_of(failure.message), str_of(failure.function),
      failure.pid, str_of(failure.stack), nb::bytes(failure.pickled.data(), failure.pickled.size()));
}

void set_exception(const nb::object& exception) { PyErr_SetObject(exception.type().ptr(), exception.ptr()); }

void set_exception(ray::ErrorKind kind, const Error& error) {
  ray::RemoteFailure failure;
  failure.message = error.message();
  set_exception(exception_of(kind, failure));
}

void translate(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const ray::RayTaskException& error) {
    set_exception(exception_of(ray::ErrorKind::kTask, error.failure()));
  } catch (const ray::RayActorException& error) {
    set_exception(ray::ErrorKind::kActor, error);
  } catch (const ray::RayWorkerException& error) {
    set_exception(ray::ErrorKind::kWorker, error);
  } catch (const ray::UnreconstructableException& error) {
    set_exception(ray::ErrorKind::kUnreconstructable, error);
  } catch (const ray::RayFunctionNotFound& error) {
    set_exception(ray::ErrorKind::kFunctionNotFound, error);
  } catch (const ray::RayTimeoutException& error) {
    set_exception(ray::ErrorKind::kTimeout, error);
  } catch (const ray::ObjectStoreFullException& error) {
    set_exception(ray::ErrorKind::kObjectStoreFull, error);
  } catch (const ray::TaskCancelledException& error) {
    set_exception(ray::ErrorKind::kTaskCancelled, error);
  } catch (const ray::NoRuntimeException& error) {
    set_exception(python_object("flowray.ray.exceptions", "_no_runtime")(error.is_of_parent()));
  } catch (const ray::RayException& error) {
    set_exception(ray::ErrorKind::kOther, error);
  }
}

}  // namespace

void raise_error_value(const ray::internal::ValueView& value) {
  const ray::DecodedError error = ray::decode_error(value);
  set_exception(exception_of(error.kind, error.failure));
  nb::raise_python_error();
}

void raise_timeout() {
  ray::RemoteFailure failure;
  failure.message =
      "Get timed out: some object(s) not ready.\nThey may still come: get them again, or with a longer "
      "timeout.";
  set_exception(exception_of(ray::ErrorKind::kTimeout, failure));
  nb::raise_python_error();
}

ray::RemoteFailure remote_failure(nb::handle exception, nb::handle function_name) {
  ray::RemoteFailure failure;
  failure.pid = getpid();
  failure.function = nb::str(function_name).c_str();
  failure.stack = "  " + failure.function + " (process " + std::to_string(failure.pid) + ")";
  try {
    const nb::object told = python_object("flowray.ray._worker", "describe")(exception, function_name);
    failure.class_name = as_text(told[0]);
    failure.message = as_text(told[1]);
    failure.pickled = bytes_of(told[2]);
    failure.stack += "\n" + as_text(told[3]);
  } catch (nb::python_error& second) {  // an exception that cannot even be described
    const bool hears_of_cancel = second.matches(PyExc_KeyboardInterrupt) &&
                                 without_lock([] { return ray::internal::backend().is_cancelled(); });
    if (hears_of_cancel) throw;
    failure.class_name = nb::type_name(exception.type()).c_str();
    failure.message = "(telling of it failed: " + std::string(second.what()) + ")";
  }
  return failure;
}

void bind_runtime_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      translate(thrown);
    } catch (nb::python_error& raised) {
      raised.restore();
    }
  });
}

}  // namespace flowray::python
