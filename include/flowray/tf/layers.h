#pragma once
/// tf.layers: layers of networks with their variables, in a variable scope of their own.

#include <flowray/tf/init_ops.h>
#include <flowray/tf/input.h>
#include <flowray/tf/variable_scope.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::layers {

/// What is applied to a layer's result; empty: nothing.
using Activation = std::function<Tensor(const Tensor&)>;

struct DenseOptions {
  Activation activation = {};
  bool use_bias = true;
  /// Empty: glorot_uniform.
  Initializer kernel_initializer = {};
  /// Empty: zeros.
  Initializer bias_initializer = {};
  bool trainable = true;
  /// The variable scope; empty: "dense", made unique.
  std::string name = {};
  Reuse reuse = {};
};
/// activation(inputs * kernel + bias), inputs [N,IN] -> [N,units]. Throws ValueError where the last dimension
/// is not known, UnimplementedError for inputs of another rank than 2.
Tensor dense(const Input& inputs, int64_t units, const DenseOptions& options = {});

struct Conv2dOptions {
  /// One number, or {vertical, horizontal}.
  std::vector<int64_t> strides = {1, 1};
  /// "valid" or "same", in letters of any size.
  std::string padding = "valid";
  std::vector<int64_t> dilation_rate = {1, 1};
  Activation activation = {};
  bool use_bias = true;
  Initializer kernel_initializer = {};
  Initializer bias_initializer = {};
  bool trainable = true;
  std::string name = {};
  Reuse reuse = {};
};
/// inputs [N,H,W,C] -> [N,H',W',filters]; `kernel_size` is one number or {height, width}.
Tensor conv2d(const Input& inputs, int64_t filters, const std::vector<int64_t>& kernel_size,
              const Conv2dOptions& options = {});

struct Pooling2dOptions {
  std::string padding = "valid";
  std::string name = {};
};
/// inputs [N,H,W,C] -> [N,H',W',C]; sizes and strides are one number or {vertical, horizontal}.
Tensor max_pooling2d(const Input& inputs, const std::vector<int64_t>& pool_size,
                     const std::vector<int64_t>& strides, const Pooling2dOptions& options = {});
Tensor average_pooling2d(const Input& inputs, const std::vector<int64_t>& pool_size,
                         const std::vector<int64_t>& strides, const Pooling2dOptions& options = {});

struct DropoutOptions {
  /// The part that is dropped while training.
  Input rate = 0.5;
  std::optional<Input> noise_shape = std::nullopt;
  std::optional<int64_t> seed = std::nullopt;
  /// A bool, or a bool tensor that decides in each step.
  Input training = false;
  std::string name = {};
};
Tensor dropout(const Input& inputs, const DropoutOptions& options = {});

/// [N,...] -> [N,product of the others].
Tensor flatten(const Input& inputs, const NameOption& options = {});

}  // namespace flowray::tf::layers

#pragma GCC visibility pop
