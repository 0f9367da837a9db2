#pragma once
/// Parts of complex numbers: tf.real and its siblings. Real numbers are complex ones without an imaginary
/// part.

#include <flowray/tf/input.h>

#pragma GCC visibility push(default)

namespace flowray::tf {

/// The real part; of real numbers the tensor itself.
Tensor real(const Input& input, const NameOption& options = {});
/// The imaginary part; of real numbers zeros.
Tensor imag(const Input& input, const NameOption& options = {});
/// The conjugate; of real numbers the tensor itself. Throws TypeError for what is no number.
Tensor conj(const Input& x, const NameOption& options = {});
/// The angle to the positive real axis, in radians: 0 or pi for real numbers.
Tensor angle(const Input& input, const NameOption& options = {});

}  // namespace flowray::tf

#pragma GCC visibility pop
