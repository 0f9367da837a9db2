#pragma once
/// Arguments that layers of several kinds have.

#include "native/convert/bind.h"

#include <flowray/tf/initializers.h>
#include <flowray/tf/layers.h>
#include <flowray/tf/variable_scope.h>

namespace flowray::python {

/// None, a word, or a function of the program's.
tf::layers::Activation activation_of(nb::handle object);
/// None, a word, an initializer, or a function of the program's.
tf::Initializer layer_initializer(nb::handle object);
/// None, or a function of a variable that gives a loss or None.
tf::Regularizer as_regularizer(nb::handle object);
/// True, False, 1, 0 or a tensor.
tf::Input training_of(nb::handle training);
tf::Reuse reuse_of(nb::handle reuse);

template <>
inline constexpr auto kFrom<tf::layers::Activation> = &activation_of;
template <>
inline constexpr auto kFrom<tf::Regularizer> = &as_regularizer;
template <>
inline constexpr auto kFrom<tf::Reuse> = &reuse_of;

}  // namespace flowray::python
