#pragma once
/// Python objects that the language keeps.

#include <memory>
#include <utility>

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace flowray::python {

/// An object that a graph, a model or a step keeps: a function of the program, mostly. It may be copied and
/// let go of by threads that do not hold the interpreter's lock, as when a session ends that has the graph
/// last; it is used with the lock only.
class KeptObject {
 public:
  explicit KeptObject(nb::handle object);

  const nb::object& operator*() const { return *object_; }
  template <class... Arguments>
  nb::object operator()(Arguments&&... arguments) const {
    return (*object_)(std::forward<Arguments>(arguments)...);
  }

 private:
  std::shared_ptr<nb::object> object_;
};

}  // namespace flowray::python
