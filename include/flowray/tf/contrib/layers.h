#pragma once
/// tf.contrib.layers of TensorFlow 1.15: layers whose variables are called weights and biases,
/// and regularizers.

#include <flowray/tf/layers.h>
#include <flowray/tf/variable_scope.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::contrib::layers {

using tf::layers::Activation;

/// What fully_connected and conv2d have in common.
struct LayerOptions {
  /// Applied to the result; empty: nothing.
  Activation activation_fn = {};
  /// Applied before that, instead of adding biases.
  Activation normalizer_fn = {};
  /// Empty: glorot_uniform, which is called xavier there.
  Initializer weights_initializer = {};
  /// What it makes of the weights is in the collection "regularization_losses".
  Regularizer weights_regularizer = {};
  /// The first value of the biases; empty: zeros.
  Initializer biases_initializer = {};
  /// The same of the biases.
  Regularizer biases_regularizer = {};
  /// Whether there are biases; without effect where there is a normalizer_fn, which has its own; false for a
  /// linear map through the origin.
  bool has_biases = true;
  /// Whether the layer finds its variables, in its `scope`, or makes them; left out: as the scope around.
  Reuse reuse = {};
  /// Besides those of all variables and of the model's.
  std::vector<std::string> variables_collections = {};
  /// Whether optimizers change the variables that are made; false keeps them as they are set, as for layers
  /// that were trained before.
  bool trainable = true;
  /// The variable scope; empty: the layer's, made unique.
  std::string scope = {};
};
/// inputs [..,IN] -> [..,num_outputs] in the scope "fully_connected". Throws ValueError as tf::layers::dense.
Tensor fully_connected(const Input& inputs, int64_t num_outputs, const LayerOptions& options = {});

struct WindowOptions {
  /// One number, or {vertical, horizontal}.
  std::vector<int64_t> stride = {1};
  /// "VALID" or "SAME", in letters of any size.
  std::string padding = "SAME";
  /// "NHWC" (channels last) or "NCHW" (channels first).
  std::string data_format = "NHWC";
  /// Greater than 1: gaps between the kernel's rows and columns.
  std::vector<int64_t> rate = {1};
};
/// inputs [N,H,W,C] -> [N,H',W',num_outputs] in the scope "Conv".
Tensor conv2d(const Input& inputs, int64_t num_outputs, const std::vector<int64_t>& kernel_size,
              const WindowOptions& window = {}, const LayerOptions& options = {});
/// The greatest element of each window, in the scope "MaxPool2D": inputs [N,H,W,C] -> [N,H',W',C].
Tensor max_pool2d(const Input& inputs, const std::vector<int64_t>& kernel_size, const WindowOptions& window,
                  const std::string& scope = {});
/// The mean of each window, in the scope "AvgPool2D": inputs [N,H,W,C] -> [N,H',W',C].
Tensor avg_pool2d(const Input& inputs, const std::vector<int64_t>& kernel_size, const WindowOptions& window,
                  const std::string& scope = {});
/// [N,...] -> [N,product of the others], in the scope "Flatten".
Tensor flatten(const Input& inputs, const std::string& scope = {});

struct DropoutOptions {
  /// The probability to keep an element, above 0 to 1: a number or a scalar tensor.
  Input keep_prob = 0.5;
  /// Shape of the random decisions, broadcast to the inputs; left out: the inputs'.
  std::optional<TensorShape> noise_shape = std::nullopt;
  /// Whether elements are dropped: a bool, or a bool tensor that decides in each step.
  Input is_training = true;
  /// With the graph's seed it decides the numbers; left out: the graph's alone, or none that can be repeated.
  std::optional<int64_t> seed = std::nullopt;
  /// The name scope; empty: "Dropout", made unique.
  std::string scope = {};
};
/// While training, elements dropped by chance become 0 and the others are divided by keep_prob; else the
/// inputs. In the scope "Dropout".
Tensor dropout(const Input& inputs, const DropoutOptions& options = {});

/// A regularizer that looks at values alone, so that a tensor may be given to it as well as a variable. It is
/// a Regularizer: {.weights_regularizer = l2_regularizer(0.1)}.
class Penalty {
 public:
  /// Takes weights, gives their loss: a scalar.
  using Function = std::function<Tensor(const Tensor&)>;
  /// A function of a program's own; it gives a scalar.
  Penalty(Function function) : function_(std::move(function)) {}  // NOLINT: implicit
  /// The loss for these weights, a scalar; None where there is no regularizer.
  Tensor operator()(const Tensor& weights, Input::Where where = Input::Where::current()) const;
  /// The same for a variable's value.
  Tensor operator()(const Variable& weights, Input::Where where = Input::Where::current()) const;

 private:
  Function function_;
};
/// scale * sum of |weight|; no loss for a scale of 0. Throws ValueError for a scale less than 0.
Penalty l1_regularizer(double scale, const std::string& scope = {});
/// scale * half the sum of squares.
Penalty l2_regularizer(double scale, const std::string& scope = {});
/// The sum of both, of those whose scale is not 0.
Penalty l1_l2_regularizer(double scale_l1 = 1.0, double scale_l2 = 1.0, const std::string& scope = {});
/// The sum of what several make.
Penalty sum_regularizer(const std::vector<Penalty>& regularizers, const std::string& scope = {});
/// The sum of what a regularizer makes of several tensors, in "regularization_losses" too. Throws ValueError
/// for no weights.
Tensor apply_regularization(const Penalty& regularizer, const List<Tensor>& weights);

}  // namespace flowray::tf::contrib::layers

#pragma GCC visibility pop
