#include <flowray/tf/initializers.h>
#include <flowray/tf/layers.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>

#include "tf/build/user_line.h"

#include <fmt/format.h>

#include <map>
#include <string_view>

namespace flowray::tf {
namespace {

using Unary = Tensor (*)(const Input&, const NameOption&);

/// max(0, min(1, 0.2 x + 0.5))
Tensor hard_sigmoid(const Tensor& x) { return clip_by_value(x * 0.2 + 0.5, 0.0, 1.0); }

}  // namespace

layers::Activation layers::activation(std::string_view name, Input::Where where) {
  const ErrorLine errors(where);
  static const std::map<std::string_view, Unary> kUnary = {
      {"relu", &nn::relu},         {"relu6", &nn::relu6}, {"elu", &nn::elu},
      {"selu", &nn::selu},         {"tanh", &tanh},       {"softplus", &nn::softplus},
      {"softsign", &nn::softsign}, {"sigmoid", &sigmoid}, {"exponential", &exp}};
  if (name == "linear") return [](const Tensor& x) { return x; };
  if (name == "softmax") return nn::softmax;
  if (name == "hard_sigmoid") return hard_sigmoid;
  if (name == "swish") return [](const Tensor& x) { return x * sigmoid(x); };
  if (const auto found = kUnary.find(name); found != kUnary.end()) return found->second;
  throw ValueError(
      fmt::format("Unknown activation function: '{}'. Known are linear, softmax, relu, relu6, elu, selu, "
                  "tanh, softplus, softsign, "
                  "sigmoid, hard_sigmoid, swish and exponential; any function of a tensor is one, too.",
                  name));
}

Initializer initializers::get(std::string_view name, Input::Where where) {
  const ErrorLine errors(where);
  constexpr double kSmall = 0.05;
  if (name == "zeros") return zeros_initializer();
  if (name == "ones") return ones_initializer();
  if (name == "uniform" || name == "random_uniform") return random_uniform_initializer();
  if (name == "normal" || name == "random_normal") return random_normal_initializer({.stddev = kSmall});
  if (name == "truncated_normal") return truncated_normal_initializer({.stddev = kSmall});
  if (name == "glorot_uniform") return glorot_uniform_initializer();
  if (name == "glorot_normal") return glorot_normal_initializer();
  if (name == "he_uniform") return he_uniform();
  if (name == "he_normal") return he_normal();
  if (name == "lecun_uniform") return lecun_uniform();
  if (name == "lecun_normal") return lecun_normal();
  if (name == "orthogonal") return orthogonal_initializer();
  throw ValueError(
      fmt::format("Unknown initializer: '{}'. Known are zeros, ones, random_uniform, random_normal, "
                  "truncated_normal, orthogonal, and glorot, he "
                  "and lecun with _uniform or _normal; any function of a shape and a dtype is one, too.",
                  name));
}

}  // namespace flowray::tf
