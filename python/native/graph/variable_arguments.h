#pragma once
/// Arguments that variables and their scopes have.

#include "native/layers/layer_arguments.h"

#include <flowray/tf/variable.h>

namespace flowray::python {

/// None, a device's name, or a function that gives one for an operation.
tf::CachingDevice as_caching_device(nb::handle object);
/// A function of an operation, or None.
nb::object caching_device_object(const tf::CachingDevice& device);
/// None, or a function of a variable that gives its next value.
tf::Constraint as_constraint(nb::handle object);
/// The function, or None.
nb::object constraint_object(const tf::Constraint& constraint);

template <>
inline constexpr auto kFrom<tf::CachingDevice> = &as_caching_device;

}  // namespace flowray::python
