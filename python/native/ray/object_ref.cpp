/// ObjectRef, and getting, putting and waiting for values.

#include "native/convert/released_lock.h"
#include "native/ray/codec.h"
#include "native/ray/runtime_errors.h"
#include "native/ray/waiting.h"

#include <flowray/ray/runtime.h>

#include "ray/values/value.h"
#include "ray/worker/worker_backend.h"

#include <nanobind/stl/string.h>

#include <cmath>
#include <string>

namespace flowray::python {
namespace {

using ray::internal::Deadline;
using ray::internal::ValueView;
using Clock = std::chrono::steady_clock;

/// The deadline for a timeout; None: none.
Deadline deadline_of(nb::handle timeout) {
  if (timeout.is_none()) return std::nullopt;
  const double seconds = as_float(timeout);
  if (seconds == -1) return std::nullopt;  // as in Ray
  if (std::isnan(seconds) || seconds < 0) {
    throw ValueError("timeout is " + std::string(nb::repr(timeout).c_str()) +
                     "; it must not be negative, but for -1, which waits without end");
  }
  if (seconds > 1e9) return std::nullopt;
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// How long a driver waits before it looks whether ^C was pressed.
constexpr std::chrono::milliseconds kSlice{50};

/// The end of the next part of a wait. Workers ignore ^C.
Deadline slice_of(Deadline deadline) {
  if (is_worker()) return deadline;
  const auto end = Clock::now() + kSlice;
  return deadline && *deadline < end ? *deadline : end;
}

bool is_over(Deadline deadline) { return deadline && Clock::now() >= *deadline; }

void heed_signals() {
  if (PyErr_CheckSignals() != 0) nb::raise_python_error();
}

/// The object. Raises Ray's error for a reference to nothing.
ray::ObjectId object_of(const Ref& ref) {
  if (ref.handle() != nullptr) return ref.object();
  throw ValueError(
      "An application is trying to access a Ray object whose owner is unknown(NIL_ID).\nThe ObjectRef is "
      "nil: "
      "take one that ray.put or remote returned.");
}

ValueView wait_for_value(const Ref& ref, Deadline deadline) {
  const ray::ObjectId object = object_of(ref);
  while (true) {
    std::optional<ValueView> value =
        without_lock([&] { return ray::internal::backend().get(object, slice_of(deadline)); });
    if (value) return std::move(*value);
    heed_signals();
    if (is_over(deadline)) raise_timeout();
  }
}

nb::object get_value(const Ref& ref, nb::handle timeout) {
  const ValueView value = wait_for_value(ref, deadline_of(timeout));
  if (value.is_error) raise_error_value(value);
  return decode_view(value);
}

nb::object get_values(nb::list refs, nb::handle timeout) {
  const Deadline deadline = deadline_of(timeout);
  std::vector<ray::ObjectId> objects;
  for (nb::handle ref : refs) objects.push_back(object_of(nb::cast<const Ref&>(ref)));
  const ray::internal::Expected expected(objects);
  nb::list values;
  for (nb::handle ref : refs) {
    const ValueView value = wait_for_value(nb::cast<const Ref&>(ref), deadline);
    if (value.is_error) raise_error_value(value);
    values.append(decode_view(value));
  }
  return values;
}

/// Which of `refs` are there, at most `num_returns`.
std::vector<bool> wait_until_ready(const std::vector<ray::ObjectId>& objects, int num_returns,
                                   Deadline deadline) {
  while (true) {
    std::vector<bool> ready =
        without_lock([&] { return ray::internal::backend().wait(objects, num_returns, slice_of(deadline)); });
    if (std::ranges::count(ready, true) >= num_returns || is_over(deadline)) return ready;
    heed_signals();
  }
}

nb::object wait(nb::list refs, Integer num_returns, nb::handle timeout) {
  const Deadline deadline = deadline_of(timeout);
  std::vector<ray::ObjectId> objects;
  for (nb::handle ref : refs) objects.push_back(object_of(nb::cast<const Ref&>(ref)));
  int left = static_cast<int>(num_returns);
  const std::vector<bool> is_ready = wait_until_ready(objects, left, deadline);
  nb::list ready;
  nb::list unready;
  size_t i = 0;
  for (nb::handle ref : refs) {
    const bool taken = is_ready[i++] && left > 0;
    if (taken) --left;
    (taken ? ready : unready).append(ref);
  }
  return nb::make_tuple(ready, unready);
}

/// The reference to the next value of a call that gives them one by one; None where there is none yet, False
/// behind the last one.
nb::object next_item(const Ref& stream, nb::handle timeout) {
  using ray::internal::NextItem;
  const Deadline deadline = deadline_of(timeout);
  const ray::ObjectId object = ray::internal::require_handle(stream)->id();
  while (true) {
    ray::internal::ObjectHandle* taken = nullptr;
    const NextItem next =
        without_lock([&] { return ray::internal::backend().next_item(object, &taken, slice_of(deadline)); });
    if (next == NextItem::kItem) return nb::cast(Ref(taken));
    if (next == NextItem::kEnd) return nb::bool_(false);
    heed_signals();
    if (is_over(deadline)) return nb::none();
  }
}

/// Whether next_item would return at once.
bool is_next_there(const Ref& stream, nb::handle timeout) {
  using ray::internal::NextItem;
  const Deadline deadline = deadline_of(timeout);
  const ray::ObjectId object = ray::internal::require_handle(stream)->id();
  while (true) {
    const NextItem next =
        without_lock([&] { return ray::internal::backend().next_item(object, nullptr, slice_of(deadline)); });
    if (next != NextItem::kNotYet) return true;
    heed_signals();
    if (is_over(deadline)) return false;
  }
}

Ref put(nb::handle value) {
  ray::internal::EncoderLease encoder;
  encode_value(*encoder, value);
  return Ref(without_lock([&] { return ray::internal::backend().put(*encoder); }));
}

/// A reference whose `get` raises what the function of that name has raised.
Ref put_error(nb::handle exception, nb::handle function_name) {
  const ray::RemoteFailure failure = remote_failure(exception, function_name);
  ray::internal::EncoderLease encoder;
  ray::encode_error(*encoder, ray::ErrorKind::kTask, failure);
  return Ref(without_lock([&] { return ray::internal::backend().put(*encoder); }));
}

/// What the nil reference has as its number.
constexpr uint64_t kNilNumber = ~uint64_t{0};

std::string hex_of(const Ref& ref) {
  return ray::internal::id_text(ref.handle() == nullptr ? kNilNumber : ref.object().value);
}

/// The reference with that number, which this runtime has to know.
Ref ref_of_hex(nb::handle text) {
  constexpr size_t kDigits = 2 * sizeof(uint64_t);
  const std::string digits = PyBytes_Check(text.ptr()) != 0 ? bytes_of(text) : as_text(text);
  if (digits.size() != kDigits || digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) {
    throw ValueError("hex_id needs to have " + std::to_string(kDigits) + " hexadecimal digits, got " +
                     std::string(nb::repr(text).c_str()));
  }
  const uint64_t number = std::stoull(digits, nullptr, 16);
  if (number == kNilNumber) return {};
  return Ref(ray::internal::handle_of_text(ray::internal::id_text(number)));
}

Ref ref_of_binary(nb::handle binary) {
  if (PyBytes_Check(binary.ptr()) == 0) {
    throw TypeError("Unsupported type: " + std::string(nb::repr(binary.type()).c_str()) + ", expected bytes");
  }
  if (nb::len(binary) != sizeof(uint64_t)) {
    throw ValueError("ID string needs to have length " + std::to_string(sizeof(uint64_t)) + ", got " +
                     std::to_string(nb::len(binary)));
  }
  return ref_of_hex(binary.attr("hex")());
}

}  // namespace

nb::object value_of(const Ref& ref) { return get_value(ref, nb::none()); }

bool is_worker() { return dynamic_cast<ray::WorkerBackend*>(ray::internal::backend_or_null()) != nullptr; }

void bind_references(nb::module_& m) {
  nb::class_<Ref>(m, "ObjectRef", nb::is_weak_referenceable(),
                  "A value in the object store, or the result of a call that still runs. The value is freed "
                  "after the last reference to it, in whatever process that is.")
      .def("__init__", [](Ref* self, nb::handle binary) { new (self) Ref(ref_of_binary(binary)); })
      .def_static(
          "nil", [] { return Ref(); }, "A reference to nothing.")
      .def_static("from_hex", &ref_of_hex, "hex_id"_a,
                  "The reference with that number, in the program that has made it and holds it still.")
      .def_static("from_binary", &ref_of_binary, "id_bytes"_a, "The same of the number as bytes.")
      .def_static(
          "size", [] { return sizeof(uint64_t); }, "How many bytes the number has.")
      .def(
          "is_nil", [](const Ref& self) { return self.handle() == nullptr; }, "Whether it refers to nothing.")
      .def("hex", &hex_of, "Its number, in hexadecimal digits.")
      .def(
          "binary",
          [](nb::object self) {
            return nb::handle(reinterpret_cast<PyObject*>(&PyBytes_Type)).attr("fromhex")(self.attr("hex")());
          },
          "Its number, as bytes.")
      .def(
          "job_id", [](nb::handle) { return python_object("flowray.ray._ids", "job_id")(); },
          "The program's, as a JobID.")
      .def(
          "call_site", [](nb::handle) { return ""; }, "Where it was made: that is not recorded.")
      .def("__getattr__",
           [](nb::handle, nb::handle name) {
             return python_object("flowray.ray._futures", "refuse_attribute")(name);
           })
      .def("__eq__",
           [](const Ref& self, nb::handle other) {
             const Ref* const ref = as_ref(other);
             return ref != nullptr && ref->object() == self.object();
           })
      .def("__ne__",
           [](const Ref& self, nb::handle other) {
             const Ref* const ref = as_ref(other);
             return ref == nullptr || ref->object() != self.object();
           })
      .def("__hash__", [](const Ref& self) { return std::hash<ray::ObjectId>()(self.object()); })
      .def("__repr__", [](const Ref& self) { return "ObjectRef(" + hex_of(self) + ")"; })
      .def("_repr_html_",
           [](nb::object self) { return python_object("flowray.ray._futures", "as_html")(self); })
      .def("__copy__", [](nb::object self) { return self; })
      .def("__deepcopy__", [](nb::object self, nb::handle) { return self; })
      .def("__reduce_ex__",
           [](nb::object self, nb::handle) {
             return python_object("flowray.ray._pickling", "reduce_ref")(self);
           })
      .def(
          "future", [](nb::object self) { return python_object("flowray.ray._futures", "future")(self); },
          "A concurrent.futures.Future of the value.")
      .def(
          "as_future",
          [](nb::object self) { return python_object("flowray.ray._futures", "as_future")(self); },
          "An asyncio.Future of the value, of the running loop.")
      .def("__await__",
           [](nb::object self) { return python_object("flowray.ray._futures", "wait_for")(self); });
  m.def("get_value", &get_value, "ref"_a, "timeout"_a);
  m.def("get_values", &get_values, "refs"_a, "timeout"_a);
  m.def("wait", &wait, "refs"_a, "num_returns"_a, "timeout"_a);
  m.def("put", &put, "value"_a);
  m.def("put_error", &put_error, "exception"_a, "function_name"_a);
  m.def("next_item", &next_item, "stream"_a, "timeout"_a);
  m.def("is_next_there", &is_next_there, "stream"_a, "timeout"_a);
}

}  // namespace flowray::python
