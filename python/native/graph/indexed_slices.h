#pragma once
/// Gradients of gathering, as Python sees them.

#include <flowray/tf/indexed_slices.h>

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace flowray::python {

/// Rows, and the tensor whose gradient they are where there is one: given back to an optimizer it needs no
/// new node.
struct PythonSlices {
  tf::IndexedSlices slices;
  tf::Tensor dense;
};

/// A gradient: IndexedSlices where it is the sum of some, None for none.
nb::object give_gradient(const tf::Tensor& gradient);

/// The whole tensor.
tf::Tensor dense_of(const PythonSlices& slices);

}  // namespace flowray::python
