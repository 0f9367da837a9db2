#pragma once
/// tf.layers: layers of networks with their variables, in a variable scope of their own.

#include <flowray/tf/function_of.h>
#include <flowray/tf/initializers.h>
#include <flowray/tf/input.h>
#include <flowray/tf/variable_scope.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::layers {

/// What is applied to a layer's result; empty: nothing. {.activation = tf::nn::relu}, or a lambda.
using Activation = FunctionOf<Tensor>;
/// "linear" (nothing), "softmax", "relu", "relu6", "elu", "selu", "tanh", "softplus", "softsign", "sigmoid",
/// "hard_sigmoid", "swish" or "exponential". Throws ValueError for another word.
Activation activation(std::string_view name, Input::Where where = Input::Where::current());

struct DenseOptions {
  /// What the result goes through; empty: nothing.
  Activation activation = {};
  /// Whether a bias for each channel is added; false before a normalization, which subtracts it again.
  bool use_bias = true;
  /// The first value of the kernel; empty: glorot_uniform.
  Initializer kernel_initializer = {};
  /// The first value of the bias; empty: zeros.
  Initializer bias_initializer = {};
  /// What they make is in the collection "regularization_losses".
  Regularizer kernel_regularizer = {};
  /// The same of the bias.
  Regularizer bias_regularizer = {};
  /// Of the layer's result; what it makes is divided by the size of the batch.
  Activation activity_regularizer = {};
  /// What optimizers put the kernel through after each update, such as a limit of its norm.
  Constraint kernel_constraint = {};
  /// The same of the bias.
  Constraint bias_constraint = {};
  /// Whether optimizers change the variables that are made; false keeps them as they are set, as for layers
  /// that were trained before.
  bool trainable = true;
  /// The variable scope; empty: "dense", made unique.
  std::string name = {};
  /// Whether the layer finds its variables, by its `name`, or makes them; left out: as the scope around.
  Reuse reuse = {};
};
/// activation(inputs * kernel + bias), inputs [..,IN] -> [..,units]. Throws ValueError for fewer than two
/// dimensions, for a last one that is not known and for less than no units, TypeError for inputs that are
/// no floats.
Tensor dense(const Input& inputs, int64_t units, const DenseOptions& options = {});

// ---- convolutions

/// Of conv1d, conv2d and conv3d.
struct ConvolutionOptions {
  /// One number for all spatial dimensions, or one for each: {vertical, horizontal}.
  std::vector<int64_t> strides = {1};
  /// "valid" or "same", in letters of any size; of conv1d also "causal": zeros before the first step, so
  /// that no result sees a later one.
  std::string padding = "valid";
  /// "channels_last", or "channels_first" for inputs [N,C,H,W], which no kernel of this engine runs.
  std::string data_format = "channels_last";
  /// One number or one for each spatial dimension; greater than 1: gaps between the kernel's elements; then
  /// strides must be 1.
  std::vector<int64_t> dilation_rate = {1};
  /// What the result goes through; empty: nothing.
  Activation activation = {};
  /// Whether a bias for each channel is added; false before a normalization, which subtracts it again.
  bool use_bias = true;
  /// Empty: glorot_uniform, and zeros for the bias.
  Initializer kernel_initializer = {};
  /// The first value of the bias; empty: zeros.
  Initializer bias_initializer = {};
  /// What they make is in the collection "regularization_losses".
  Regularizer kernel_regularizer = {};
  /// The same of the bias.
  Regularizer bias_regularizer = {};
  /// Of the layer's result; what it makes is divided by the size of the batch.
  Activation activity_regularizer = {};
  /// What optimizers put the kernel through after each update, such as a limit of its norm.
  Constraint kernel_constraint = {};
  /// The same of the bias.
  Constraint bias_constraint = {};
  /// Whether optimizers change the variables; false keeps them as they are set, as for layers that were
  /// trained before.
  bool trainable = true;
  /// The variable scope; empty: "conv2d" and its siblings, made unique.
  std::string name = {};
  /// Whether the layer finds its variables, by its `name`, or makes them; left out: as the scope around.
  Reuse reuse = {};
};
/// The options of conv2d by their first name.
using Conv2dOptions = ConvolutionOptions;
/// inputs [N,H,W,C] -> [N,H',W',filters]; `kernel_size` is one number or {height, width}. Throws ValueError
/// for sizes that are not positive and for an unknown padding or data format.
Tensor conv2d(const Input& inputs, int64_t filters, const std::vector<int64_t>& kernel_size,
              const Conv2dOptions& options = {});

/// Of conv2d_transpose and conv3d_transpose.
struct ConvolutionTransposeOptions {
  /// One number, or one for each spatial dimension: how many times larger the result is.
  std::vector<int64_t> strides = {1};
  /// "valid" or "same", in letters of any size.
  std::string padding = "valid";
  /// "channels_last", or "channels_first" for inputs [N,C,H,W], which no kernel of this engine runs.
  std::string data_format = "channels_last";
  /// What the result goes through; empty: nothing.
  Activation activation = {};
  /// Whether a bias for each channel is added; false before a normalization, which subtracts it again.
  bool use_bias = true;
  /// Of the kernel [kh,kw,filters,C], or [kd,kh,kw,filters,C]; empty: the scope's, else glorot_uniform.
  Initializer kernel_initializer = {};
  /// The first value of the bias; empty: zeros.
  Initializer bias_initializer = {};
  /// What it makes is in the collection "regularization_losses".
  Regularizer kernel_regularizer = {};
  /// The same of the bias.
  Regularizer bias_regularizer = {};
  /// Of the layer's result; what it makes is divided by the size of the batch.
  Activation activity_regularizer = {};
  /// What optimizers put the kernel through after each update, such as a limit of its norm.
  Constraint kernel_constraint = {};
  /// The same of the bias.
  Constraint bias_constraint = {};
  /// Whether optimizers change the variables that are made; false keeps them as they are set, as for layers
  /// that were trained before.
  bool trainable = true;
  /// The variable scope; empty: "conv2d_transpose" or "conv3d_transpose", made unique.
  std::string name = {};
  /// Whether the layer finds its variables, by its `name`, or makes them; left out: as the scope around.
  Reuse reuse = {};
};
/// The options of conv2d_transpose by their first name.
using Conv2dTransposeOptions = ConvolutionTransposeOptions;
/// The reverse of conv2d's shapes: inputs [N,h,w,C] -> [N,H,W,filters].
Tensor conv2d_transpose(const Input& inputs, int64_t filters, const std::vector<int64_t>& kernel_size,
                        const Conv2dTransposeOptions& options = {});
/// The reverse of conv3d's shapes: inputs [N,d,h,w,C] -> [N,D,H,W,filters].
Tensor conv3d_transpose(const Input& inputs, int64_t filters, const std::vector<int64_t>& kernel_size,
                        const ConvolutionTransposeOptions& options = {});

/// inputs [N,W,C] -> [N,W',filters].
Tensor conv1d(const Input& inputs, int64_t filters, const std::vector<int64_t>& kernel_size,
              const ConvolutionOptions& options = {});
/// inputs [N,D,H,W,C] -> [N,D',H',W',filters].
Tensor conv3d(const Input& inputs, int64_t filters, const std::vector<int64_t>& kernel_size,
              const ConvolutionOptions& options = {});

struct SeparableConvolutionOptions {
  /// One number, or {vertical, horizontal}.
  std::vector<int64_t> strides = {1};
  /// "valid" or "same", in letters of any size; of separable_conv1d also "causal", as of conv1d.
  std::string padding = "valid";
  /// "channels_last", or "channels_first" for inputs [N,C,H,W], which no kernel of this engine runs.
  std::string data_format = "channels_last";
  /// One number, or {vertical, horizontal}; greater than 1: gaps between the kernel's rows and columns; then
  /// strides must be 1.
  std::vector<int64_t> dilation_rate = {1};
  /// How many filters each channel has.
  int64_t depth_multiplier = 1;
  /// What the result goes through; empty: nothing.
  Activation activation = {};
  /// Whether a bias for each channel is added; false before a normalization, which subtracts it again.
  bool use_bias = true;
  /// Of each channel's own filters, [kh,kw,C,depth_multiplier] or [k,C,depth_multiplier]; empty: the
  /// scope's, else glorot_uniform.
  Initializer depthwise_initializer = {};
  /// Of the mixture, [1,1,C*depth_multiplier,filters] or [1,C*depth_multiplier,filters]; empty: the
  /// scope's, else glorot_uniform.
  Initializer pointwise_initializer = {};
  /// The first value of the bias; empty: zeros.
  Initializer bias_initializer = {};
  /// What it makes is in the collection "regularization_losses".
  Regularizer depthwise_regularizer = {};
  /// The same of the mixture.
  Regularizer pointwise_regularizer = {};
  /// The same of the bias.
  Regularizer bias_regularizer = {};
  /// Of the layer's result; what it makes is divided by the size of the batch.
  Activation activity_regularizer = {};
  /// What optimizers put the filters of each channel through after each update.
  Constraint depthwise_constraint = {};
  /// The same of the mixture.
  Constraint pointwise_constraint = {};
  /// The same of the bias.
  Constraint bias_constraint = {};
  /// Whether optimizers change the variables that are made; false keeps them as they are set, as for layers
  /// that were trained before.
  bool trainable = true;
  /// The variable scope; empty: "separable_conv2d" or "separable_conv1d", made unique.
  std::string name = {};
  /// Whether the layer finds its variables, by its `name`, or makes them; left out: as the scope around.
  Reuse reuse = {};
};
/// Each channel by filters of its own, then a mixture: inputs [N,H,W,C] -> [N,H',W',filters].
Tensor separable_conv2d(const Input& inputs, int64_t filters, const std::vector<int64_t>& kernel_size,
                        const SeparableConvolutionOptions& options = {});
/// The same of lines: inputs [N,W,C] -> [N,W',filters].
Tensor separable_conv1d(const Input& inputs, int64_t filters, const std::vector<int64_t>& kernel_size,
                        const SeparableConvolutionOptions& options = {});

// ---- pools

struct Pooling2dOptions {
  /// "valid" or "same", in letters of any size.
  std::string padding = "valid";
  /// As of conv2d.
  std::string data_format = "channels_last";
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// The greatest element of each window: inputs [N,H,W,C] -> [N,H',W',C]; sizes and strides are one number or
/// {vertical, horizontal}.
Tensor max_pooling2d(const Input& inputs, const std::vector<int64_t>& pool_size,
                     const std::vector<int64_t>& strides, const Pooling2dOptions& options = {});
/// The mean of each window: inputs [N,H,W,C] -> [N,H',W',C]; sizes and strides as of max_pooling2d.
Tensor average_pooling2d(const Input& inputs, const std::vector<int64_t>& pool_size,
                         const std::vector<int64_t>& strides, const Pooling2dOptions& options = {});

/// The greatest element of each window: inputs [N,W,C] -> [N,W',C]; sizes and strides are one number.
Tensor max_pooling1d(const Input& inputs, const std::vector<int64_t>& pool_size,
                     const std::vector<int64_t>& strides, const Pooling2dOptions& options = {});
/// The mean of each window: inputs [N,W,C] -> [N,W',C].
Tensor average_pooling1d(const Input& inputs, const std::vector<int64_t>& pool_size,
                         const std::vector<int64_t>& strides, const Pooling2dOptions& options = {});
/// The greatest element of each window: inputs [N,D,H,W,C]; sizes and strides are one number, or one for
/// each dimension.
Tensor max_pooling3d(const Input& inputs, const std::vector<int64_t>& pool_size,
                     const std::vector<int64_t>& strides, const Pooling2dOptions& options = {});
/// The mean of each window: inputs [N,D,H,W,C] -> [N,D',H',W',C].
Tensor average_pooling3d(const Input& inputs, const std::vector<int64_t>& pool_size,
                         const std::vector<int64_t>& strides, const Pooling2dOptions& options = {});

// ---- the rest

/// How far batch renormalization corrects: limits of r, the batch's deviation / the moving one, and of d, the
/// distance of the means in moving deviations; left out: none.
struct RenormClipping {
  /// The greatest r.
  std::optional<double> rmax = std::nullopt;
  /// The least r.
  std::optional<double> rmin = std::nullopt;
  /// The greatest distance of d from 0.
  std::optional<double> dmax = std::nullopt;
};

struct BatchNormalizationOptions {
  /// The dimension of the channels: the last one, or 1 of images [N,C,H,W].
  int64_t axis = -1;
  /// How slowly the moving averages follow.
  double momentum = 0.99;
  /// Added to the variance, so that nothing is divided by 0; above 0.
  double epsilon = 1e-3;
  /// Whether beta is added; false where the next layer is linear and adds a bias.
  bool center = true;
  /// Whether gamma is multiplied; false where the next layer scales anyway.
  bool scale = true;
  /// Of what is added, [channels]; empty: zeros.
  Initializer beta_initializer = {};
  /// Of what is multiplied, [channels]; empty: ones.
  Initializer gamma_initializer = {};
  /// Of the moving average of the mean; empty: zeros.
  Initializer moving_mean_initializer = {};
  /// Of the moving average of the variance; empty: ones.
  Initializer moving_variance_initializer = {};
  /// What it makes is in the collection "regularization_losses".
  Regularizer beta_regularizer = {};
  /// The same of gamma.
  Regularizer gamma_regularizer = {};
  /// What optimizers put beta through after each update.
  Constraint beta_constraint = {};
  /// The same of gamma.
  Constraint gamma_constraint = {};
  /// A bool, or a bool tensor that decides in each step: whether the batch's own mean and variance are
  /// taken, and the moving averages updated by the operations of the collection "update_ops".
  Input training = false;
  /// Whether optimizers change the variables that are made; false keeps them as they are set, as for layers
  /// that were trained before.
  bool trainable = true;
  /// The variable scope; empty: "batch_normalization", made unique.
  std::string name = {};
  /// Whether the layer finds its variables, by its `name`, or makes them; left out: as the scope around.
  Reuse reuse = {};
  /// Whether training normalizes with the moving numbers, corrected towards the batch's (Ioffe, 2017): for
  /// small batches. Adds the variables moving_stddev, renorm_mean and renorm_stddev.
  bool renorm = false;
  /// Of renorm; without it nothing may be given.
  RenormClipping renorm_clipping = {};
  /// How slowly renorm_mean and renorm_stddev follow.
  double renorm_momentum = 0.99;
  /// Whether the fused op is used where it takes the inputs, which is faster; false: images go through the
  /// ops of other inputs, too, whose moving variance is that of n elements and not of n - 1.
  bool fused = true;
  /// Numbers are taken over groups of so many elements of the batch, which it must divide; left out: over
  /// the batch. As TensorFlow 1 does it, each group has elements that lie apart: 0, B/n, 2B/n, ...
  std::optional<int64_t> virtual_batch_size = std::nullopt;
};
/// (inputs - mean) / sqrt(variance + epsilon) * gamma + beta for each channel, in the shape of the
/// inputs. Throws ValueError for inputs whose rank or number of channels is not known. float16 and
/// bfloat16 have variables of float32. Source: Ioffe and Szegedy, 2015.
///
/// The moving averages, which stand in for the batch's numbers when training is over, are updated by
/// operations that training has to wait for:
///
///     auto y = tf::layers::batch_normalization(x, {.training = training});
///     ...
///     auto update = tf::control_dependencies(tf::get_collection(tf::GraphKeys::UPDATE_OPS));
///     auto train = tf::train::GradientDescentOptimizer(0.1).minimize(loss);
Tensor batch_normalization(const Input& inputs, const BatchNormalizationOptions& options = {});

struct DropoutOptions {
  /// The part that is dropped while training, from 0 to less than 1.
  Input rate = 0.5;
  /// Shape of the random decisions, which are those of all elements along a dimension of size 1; None: the
  /// inputs' size.
  std::optional<TensorShape> noise_shape = std::nullopt;
  /// With the graph's seed it decides the numbers; left out: the graph's alone,
  /// or none that can be repeated.
  std::optional<int64_t> seed = std::nullopt;
  /// A bool, or a bool tensor that decides in each step.
  Input training = false;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// While training, elements dropped by chance become 0 and the others are divided by 1 - rate; else the
/// inputs. Throws ValueError for a rate outside of 0 to 1.
Tensor dropout(const Input& inputs, const DropoutOptions& options = {});

struct FlattenOptions {
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
  /// "channels_first": the channels of inputs [N,C,...] are moved behind the rest before.
  std::string data_format = "channels_last";
};
/// [N,...] -> [N,product of the others], [N] -> [N,1].
Tensor flatten(const Input& inputs, const FlattenOptions& options = {});

// ---- layers as objects

/// A layer whose calls share what the first one has made, as an object of tf.layers' classes does:
///
///     tf::layers::Shared hidden([](const tf::Input& x) { return tf::layers::dense(x, 10); });
///     auto y = hidden(x);
///     auto z = hidden(2 * x);  // the same variables, nodes "dense/MatMul_1", ...
///
/// The first layer of tf::layers inside of a call has the scope of the first call, name and all.
class Shared {
 public:
  /// Without function: for Call.
  Shared();
  explicit Shared(std::function<Tensor(const Input&)> layer);
  Tensor operator()(const Input& inputs) const;

  /// What layers have made in the first call, in their order.
  const std::vector<Variable>& variables() const;
  /// The variable scope of the first call; throws ValueError before it.
  std::string scope_name() const;
  /// Whether there was a call.
  bool built() const;

  /// While it lives, layers are those of a call of `shared`.
  class Call {
   public:
    /// Of a call of a function that takes more than one tensor, or gives something else.
    explicit Call(const Shared& shared);
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call();
    /// Opens the scope of the layer, for one that is not of tf::layers:
    /// get_variable finds or makes its variables.
    void open(const std::string& name, const std::string& default_name, Reuse reuse = {});

   private:
    struct State;
    std::unique_ptr<State> state_;
  };
  struct State;

 private:
  std::function<Tensor(const Input&)> layer_;
  std::shared_ptr<State> state_;
};

}  // namespace flowray::tf::layers

#pragma GCC visibility pop
