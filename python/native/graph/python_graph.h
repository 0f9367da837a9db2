#pragma once
/// What Python's handles of graphs, sessions and scopes need from each other.

#include <flowray/tf/graph.h>
#include <flowray/tf/session.h>

#include "graph/graph.h"

#include <nanobind/nanobind.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace nb = nanobind;

namespace flowray::python {

/// What Python's `with` opens and closes: guards of the language end in the reverse order of their making.
class Scope {
 public:
  /// Kinds of scopes that have to end in the reverse order of their beginning; kAny:
  /// TensorFlow does not look.
  enum class Kind { kAny, kDependencies, kDevice, kVariables, kGraph, kSession };
  /// `open` makes the guard and what `as` names.
  using Open = std::function<std::pair<std::shared_ptr<void>, nb::object>()>;
  /// `same`: what scopes of one thing have in common, of which one may end for another; null: they are apart.
  explicit Scope(Open open, Kind kind = Kind::kAny, const void* same = nullptr)
      : open_(std::move(open)), kind_(kind), same_(same) {}
  Scope(const Scope&) = default;
  Scope(Scope&&) noexcept = default;
  Scope& operator=(const Scope&) = default;
  Scope& operator=(Scope&&) noexcept = default;
  ~Scope();

  nb::object enter();
  /// Throws in TensorFlow's words where one that was opened later is still open; it stays open, too.
  void exit();
  /// Whether scopes have to end in order; true unless the program sets it.
  bool enforce_nesting = true;

 private:
  struct Entered {
    std::shared_ptr<void> guard;
    uintptr_t number;
  };
  /// The numbers of those of a kind that are open in this thread.
  static std::vector<uintptr_t>& open_now(Kind kind);

  Open open_;
  Kind kind_;
  const void* same_;
  std::vector<Entered> entered_;
};

/// A guard that cannot be moved, made where it is asked for.
template <class Make>
auto guard_of(Make make) {
  struct Holder {
    explicit Holder(Make& from) : guard(from()) {}
    decltype(make()) guard;
  };
  return std::make_shared<Holder>(make);
}

/// The scope of a guard that `open` makes; `as` names nothing.
template <class Open>
Scope scope_of(Open open, Scope::Kind kind = Scope::Kind::kAny) {
  return Scope([open] { return std::pair<std::shared_ptr<void>, nb::object>(guard_of(open), nb::none()); },
               kind);
}

/// What can be waited for: an Operation, a Tensor, a Variable.
tf::Dependency as_dependency(nb::handle object);

/// Python's tf.Session: the language's, and the scopes in which it is the default one.
class PythonSession;

/// The guard that makes `graph` the default one.
std::shared_ptr<void> make_default(const tf::Graph& graph);

/// The session of this thread's innermost `with`; an invalid object if there is none.
nb::object default_session();

/// The text of an exception, with the line that made the node in Python's form.
std::string with_origin(const std::string& message);

/// Raises the Python exception for a step's error; `graph` may be null.
[[noreturn]] void raise_op_error(const errors::OpError& error, const tf::Graph* graph);

}  // namespace flowray::python
