#include <flowray/tf/keras/lambda_layer.h>

#include <flowray/tf/errors.h>

#include "tf/build/unset.h"
#include "tf/build/user_line.h"

#include <fmt/format.h>

#include <utility>

namespace flowray::tf::keras::layers {

Lambda::Lambda(const FunctionOf<Tensor>& function, const LambdaOptions& options, Where where)
    : Layer("Lambda", {.name = options.name, .input_shape = options.input_shape}),
      takes_one_(true),
      function_([function](const std::vector<Tensor>& inputs) { return function(inputs[0]); }) {
  const ErrorLine errors(where);
  if (!function.has_value()) throw TypeError("The argument 'function' is none.");
}

Lambda::Lambda(OfInputs function, const LambdaOptions& options, Where where)
    : Layer("Lambda", {.name = options.name, .input_shape = options.input_shape}),
      function_(std::move(function)) {
  const ErrorLine errors(where);
  if (function_ == nullptr) throw TypeError("The argument 'function' is none.");
}

Config Lambda::get_config() const {
  throw errors::UnimplementedError(fmt::format(
      "The function of the layer '{}' is the program's, which no file can hold.\nGive the layer a "
      "class of its own, whose get_config says what it was made of, and name it in "
      "CustomObjects.layers when the file is read.",
      name()));
}

void Lambda::build_for(const std::vector<TensorShape>& input_shapes) {
  if (!takes_one_ || input_shapes.size() == 1) return;
  throw ValueError(fmt::format(
      "The function of the layer '{}' takes one tensor, but was given {}.\nOne of several takes a "
      "std::vector<tf::Tensor>.",
      name(), input_shapes.size()));
}

std::vector<Tensor> Lambda::call_for(const std::vector<Tensor>& inputs, bool /*training*/) {
  const LinesOfTheirOwn lines(inputs[0].node()->graph());
  return {returned(function_(inputs), "function")};
}

}  // namespace flowray::tf::keras::layers
