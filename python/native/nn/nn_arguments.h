#pragma once
/// Arguments and structs that functions of tf.nn share.

#include "native/convert/bind.h"

#include <flowray/tf/nn.h>

namespace flowray::python {

FLOWRAY_FIELDS(tf::nn::Moments, mean, variance)
FLOWRAY_FIELDS(tf::nn::MomentsOptions, keep_dims, name)
FLOWRAY_FIELDS(tf::nn::PoolOptions, ksize, strides, padding, data_format, name)

/// "SAME" or "VALID"; TypeError for what is not a string.
std::string padding_of(nb::handle padding);
/// The argument `padding`, which fills the field of that name.
Argument padding();

}  // namespace flowray::python
