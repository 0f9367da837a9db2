#include <flowray/tf/keras/layers.h>

#include "tf/build/call_scope.h"
#include "tf/build/unset.h"
#include "tf/keras/layer_names.h"

#include <fmt/format.h>

namespace flowray::tf::keras {

Layer::Layer(const std::string& class_name, const LayerOptions& options)
    : name_(options.name.empty() ? next_name(default_graph(), snake_case(class_name)) : options.name),
      trainable_(options.trainable),
      input_shape_(options.input_shape) {}

void Layer::build(const TensorShape&) {}

Tensor Layer::operator()(const Tensor& inputs, bool training, Input::Where where) {
  const ErrorLine errors(where);
  graph::Graph& graph = node_of(inputs, "inputs").graph();
  const CallScope in_call(graph, where);
  const NameScopeGuard scope = name_scope(name_);
  if (!built_) {
    scope_ = scope.path();
    const LinesOfTheirOwn lines(graph);
    build(inputs.shape());
    built_ = true;
  }
  for (const Variable& weight : weights()) {
    if (weight.graph().get() == &graph) continue;
    throw ValueError(
        fmt::format("{} must be from the same graph as the layer '{}'.\nA layer belongs to the graph in "
                    "which it was called first.",
                    inputs.name(), name_));
  }
  updates_.clear();
  const LinesOfTheirOwn lines(graph);
  const Tensor result = returned(call(inputs, training), "call");
  output_shape_ = result.shape();
  return result;
}

Variable Layer::add_weight(const std::string& name, const TensorShape& shape, const WeightOptions& options,
                           Input::Where where) {
  const ErrorLine errors(where);
  if (!shape.is_fully_defined()) {
    throw ValueError(
        fmt::format("The shape {} of the weight '{}' of layer '{}' is not known.\nGive the model inputs of "
                    "known size, or an "
                    "input_shape.",
                    shape.to_tuple_string(), name, name_));
  }
  const VariableOptions made{.trainable = options.trainable && trainable_, .name = name};
  const Initializer& initializer = options.initializer;
  const Variable weight = initializer.value().has_value()
                              ? Variable(*initializer.value(), made)
                              : Variable([&] { return initializer(shape, float32); }, made);
  (options.trainable ? trainable_weights_ : non_trainable_weights_).push_back(weight);
  return weight;
}

std::vector<Variable> Layer::trainable_weights() const {
  return trainable_ ? trainable_weights_ : std::vector<Variable>();
}

std::vector<Variable> Layer::non_trainable_weights() const {
  std::vector<Variable> result = trainable_ ? std::vector<Variable>() : trainable_weights_;
  result.insert(result.end(), non_trainable_weights_.begin(), non_trainable_weights_.end());
  return result;
}

std::vector<Variable> Layer::weights() const {
  std::vector<Variable> result = trainable_weights_;
  result.insert(result.end(), non_trainable_weights_.begin(), non_trainable_weights_.end());
  return result;
}

int64_t Layer::count_params(Input::Where where) const {
  const ErrorLine errors(where);
  if (!built_) {
    throw ValueError(
        fmt::format("You tried to call `count_params` on layer {}, but the layer isn't built. You can build "
                    "it manually via: "
                    "`{}.build(batch_input_shape)`.",
                    name_, name_));
  }
  int64_t count = 0;
  for (const Variable& weight : weights()) count += weight.shape().num_elements();
  return count;
}

}  // namespace flowray::tf::keras
