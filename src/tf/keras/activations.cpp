#include <flowray/tf/keras/activations.h>
#include <flowray/tf/layers.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>

#include <map>

namespace flowray::tf::keras {

Activation::Activation(std::string_view name, Input::Where where)
    : FunctionOf<Tensor>(tf::layers::activation(name, where)), name_(name) {}

std::string Activation::name() const {
  if (!name_.empty()) return name_;
  if (!has_value()) return "linear";
  const auto pointer = [](auto function) { return FunctionOf<Tensor>(function).language_function(); };
  static const std::map<void (*)(), const char*> kNames = {{pointer(&nn::relu), "relu"},
                                                           {pointer(&nn::relu6), "relu6"},
                                                           {pointer(&nn::elu), "elu"},
                                                           {pointer(&nn::selu), "selu"},
                                                           {pointer(&tanh), "tanh"},
                                                           {pointer(&nn::softplus), "softplus"},
                                                           {pointer(&nn::softsign), "softsign"},
                                                           {pointer(&sigmoid), "sigmoid"},
                                                           {pointer(&exp), "exponential"},
                                                           {pointer(&nn::softmax), "softmax"}};
  const auto found = kNames.find(language_function());
  return found == kNames.end() ? std::string() : found->second;
}

}  // namespace flowray::tf::keras
