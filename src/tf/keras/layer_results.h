#pragma once
/// What layers do last: they add a bias, and call their activation.

#include <flowray/tf/keras/layers.h>
#include <flowray/tf/nn.h>

namespace flowray::tf::keras::layers {

inline Tensor activated(const keras::Activation& activation, const Tensor& x) {
  return activation.has_value() ? activation(x) : x;
}

/// As the options of a layer with weights say.
template <class Options>
Tensor finished(Tensor result, const Options& options, const Variable& bias) {
  if (options.use_bias) result = nn::bias_add(result, bias);
  return activated(options.activation, result);
}

}  // namespace flowray::tf::keras::layers
