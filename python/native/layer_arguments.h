#pragma once
/// Arguments that layers of several kinds have.

#include <flowray/tf/init_ops.h>
#include <flowray/tf/layers.h>

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace flowray::python {

/// None, a word, or a function of the program's.
tf::layers::Activation activation_of(nb::handle object);
/// None, a word, an initializer, or a function of the program's.
tf::Initializer layer_initializer(nb::handle object);

}  // namespace flowray::python
