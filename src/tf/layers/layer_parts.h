#pragma once
/// What layers have in common: their arguments, and their variables.

#include <flowray/tf/layers.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/variable_scope.h>

#include "graph/graph.h"
#include "tf/build/call_scope.h"
#include "tf/build/unset.h"
#include "tf/layers/layer_variables.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace flowray::tf::layers {

std::string in_capitals(std::string text);
/// The numbers as Python writes a tuple.
std::string text_of(const std::vector<int64_t>& numbers);
/// One size for each dimension, of one number or of as many. All must be at least `least`;
/// ValueError otherwise.
std::vector<int64_t> sizes_of(const std::vector<int64_t>& sizes, size_t dimensions, const char* argument,
                              int64_t least);
/// Whether images are [N,C,..], and not [N,..,C]. Throws ValueError for another word.
bool is_channels_first(const std::string& data_format);
/// "VALID" or "SAME", of lines also "CAUSAL". Throws ValueError for another word.
std::string padding_word(const std::string& padding, bool is_of_lines = false);

Tensor as_tensor(const Input& inputs);
/// Whether a `training` that is known while the graph is built is true, as Python has it: a text that is not
/// empty is. Nothing where the step decides.
std::optional<bool> known_truth(const Input& training);
/// How errors call a layer: as the program does, else by what it is and a number.
std::string name_in_errors(const Tensor& inputs, const std::string& name, const char* kind);
enum class Rank { kExactly, kAtLeast };
/// Throws ValueError for inputs of another rank, where it is known.
void check_rank(const Tensor& inputs, const std::string& layer, Rank how, int rank);

/// One of the variables that inputs are multiplied by.
struct Kernel {
  const char* name;
  TensorShape shape;
  Initializer initializer;
  Regularizer regularizer;
  Constraint constraint;
};

/// What dense and convolutions have in common: kernels, a bias, an activation. `multiply` gets the
/// kernels' variables. Inside of the call's CallScope.
template <class Options, class Multiply>
Tensor layer_of_kernels(const char* default_name, const Tensor& inputs, const std::vector<Kernel>& kernels,
                        int64_t units, const char* format, const Options& options, const Multiply& multiply) {
  const bool reuses = options.reuse.mode() == Reuse::Mode::kYes || options.reuse.mode() == Reuse::Mode::kAuto;
  const std::string name = options.name.empty() && reuses ? default_name : options.name;
  const LayerScope scope(name, default_name, options.reuse);
  const DType dtype = base_dtype(inputs.dtype());
  std::vector<Variable> variables;
  for (const Kernel& kernel : kernels) {
    variables.push_back(layer_variable(kernel.name, kernel.shape,
                                       {.dtype = dtype,
                                        .initializer = kernel.initializer,
                                        .regularizer = kernel.regularizer,
                                        .trainable = options.trainable,
                                        .constraint = kernel.constraint}));
  }
  Variable bias;
  if (options.use_bias) {
    const Initializer initializer =
        options.bias_initializer.has_value() ? options.bias_initializer : zeros_initializer();
    bias = layer_variable("bias", {units},
                          {.dtype = dtype,
                           .initializer = initializer,
                           .regularizer = options.bias_regularizer,
                           .trainable = options.trainable,
                           .constraint = options.bias_constraint});
  }
  Tensor result = multiply(variables);
  if (options.use_bias) result = nn::bias_add(result, bias, {.data_format = format});
  if (options.activation.has_value()) result = returned(options.activation(result), "activation");
  if (options.activity_regularizer.has_value()) add_activity_loss(options.activity_regularizer, result);
  return result;
}

/// The same of one kernel.
template <class Options, class Multiply>
Tensor layer_of(const char* default_name, const Tensor& inputs, const TensorShape& kernel_shape,
                int64_t units, const char* format, const Options& options, const Multiply& multiply) {
  const std::vector<Kernel> kernels = {{"kernel", kernel_shape, options.kernel_initializer,
                                        options.kernel_regularizer, options.kernel_constraint}};
  return layer_of_kernels(
      default_name, inputs, kernels, units, format, options,
      [&](const std::vector<Variable>& variables) { return multiply(variables.front()); });
}

/// The same for kernels whose last dimension is that of the results.
template <class Options, class Multiply>
Tensor layer(const char* default_name, const Tensor& inputs, const TensorShape& kernel_shape,
             const char* format, const Options& options, const Multiply& multiply) {
  return layer_of(default_name, inputs, kernel_shape, kernel_shape.dim(-1), format, options, multiply);
}

}  // namespace flowray::tf::layers
