#pragma once
/// The error of a process without a runtime: a class of its own, so that Python's bindings can name Python's
/// calls in it.

#include <flowray/ray/errors.h>

namespace flowray::ray {

/// What internal::backend() throws where there is none.
class NoRuntimeException : public RayException {
 public:
  /// `is_of_parent`: there was one when this process was forked, which is its parent's.
  explicit NoRuntimeException(bool is_of_parent);
  bool is_of_parent() const noexcept { return is_of_parent_; }

 private:
  bool is_of_parent_;
};

}  // namespace flowray::ray
