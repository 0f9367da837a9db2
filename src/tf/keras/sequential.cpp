#include <flowray/tf/array.h>
#include <flowray/tf/keras/models.h>

#include "tf/build/call_scope.h"
#include "tf/build/unset.h"
#include "tf/keras/layer_names.h"
#include "tf/keras/model_state.h"

#include <fmt/format.h>

#include <optional>

namespace flowray::tf::keras {
namespace {

/// The shape of an element, where the layer knows it: the one it was given, or that of a model inside.
std::optional<TensorShape> known_input_shape(const Layer& layer) {
  if (layer.input_shape().has_value()) return layer.input_shape();
  const auto* const model = dynamic_cast<const Model*>(&layer);
  if (model == nullptr || model->inputs().size() != 1) return {};
  return TensorShape(model->inputs()[0].shape().dims().subspan(1));
}

}  // namespace

Sequential::Sequential() : Sequential(next_name(default_graph(), "sequential")) {}

Sequential::Sequential(const std::string& name) : Model(name, std::make_shared<State>()) {
  model_->graph = home_graph();
  model_->is_sequential = true;
}

Sequential::Sequential(const Model& model) : Model(model) {
  if (!model_->is_sequential)
    throw TypeError(fmt::format("The model '{}' is not one of layers one after the other.", name()));
}

void Sequential::add(std::shared_ptr<Layer> layer, Where where) {
  const UserLine line(*model_->graph.get(), where);
  if (layer == nullptr)
    throw TypeError("The added layer must be an instance of class Layer. Received: a null pointer");
  for (const std::shared_ptr<Layer>& known : model_->layers) {
    if (known->name() != layer->name()) continue;
    throw ValueError(
        fmt::format("All layers added to a Sequential model should have unique names. Name \"{}\" is already "
                    "the name of a "
                    "layer in this model. Update the `name` argument to pass a unique name.",
                    layer->name()));
  }
  check_ends_are_open("add");
  model_->forget_steps();
  model_->layers.push_back(std::move(layer));
  Layer& last = *model_->layers.back();
  if (model_->is_built) {
    const GraphScope in_graph(model_->graph.get());
    model_->set_ends(model_->input_ends, {last(model_->output_ends[0])});
    model_->output_names = {last.name()};
  } else if (model_->given_input.has_value()) {
    build(model_->given_input->first);
  } else if (const auto shape = known_input_shape(last); model_->layers.size() == 1 && shape.has_value()) {
    build(TensorShape{-1}.concatenate(*shape));
  }
}

void Sequential::check_ends_are_open(const char* what) const {
  if (model_->beside_outputs.empty()) return;
  throw errors::UnimplementedError(
      fmt::format("Sequential.{} behind add_loss or add_metric is not there: the layers first, then what is "
                  "added to them.",
                  what));
}

void Sequential::pop(Where where) {
  const UserLine line(*model_->graph.get(), where);
  if (model_->layers.empty()) throw TypeError("There are no layers in the model.");
  check_ends_are_open("pop");
  model_->forget_steps();
  model_->layers.pop_back();
  if (model_->layers.empty()) {
    model_->set_ends({}, {});
    model_->output_names.clear();
    model_->given_input.reset();
    model_->is_built = model_->is_deferred = false;
  } else if (model_->is_built) {
    const std::shared_ptr<const LayerCall> last = model_->output_ends[0].call();
    model_->set_ends(model_->input_ends, {last->inputs[0]});
    model_->output_names = {model_->layers.back()->name()};
  }
}

void Sequential::build(std::initializer_list<int64_t> input_shape, Where where) {
  const UserLine line(*model_->graph.get(), where);
  build(TensorShape(std::vector<int64_t>(input_shape)));
}

void Sequential::build(const TensorShape& input_shape) { build_named(input_shape, /*has_scope=*/false); }

void Sequential::build_named(const TensorShape& input_shape, bool has_scope) {
  const CallScope call(*model_->graph.get(), Where());
  if (model_->layers.empty())
    throw ValueError("A Sequential model without layers cannot be built.\nAdd one first.");
  if (model_->is_built) return;
  if (!input_shape.has_rank() || input_shape.rank() == 0)
    throw ValueError("build: the inputs' shape must be known, the batch in front: {-1, 32}");
  const std::shared_ptr<Layer>& first = model_->layers.front();
  const bool is_deferred = !model_->given_input.has_value() && !known_input_shape(*first).has_value();
  const InputOptions options = model_->given_input.has_value()
                                   ? model_->given_input->second
                                   : InputOptions{.name = is_deferred ? "" : first->name() + "_input"};
  const KerasTensor input = Input(TensorShape(input_shape.dims().subspan(1)), options);
  std::optional<NameScopeGuard> scope;
  if (is_deferred && has_scope) scope.emplace(model_->graph.get(), name());
  KerasTensor output = input;
  for (const std::shared_ptr<Layer>& layer : model_->layers) output = (*layer)(output);
  model_->set_ends({input}, {output});
  model_->output_names = {model_->layers.back()->name()};
  model_->is_deferred = is_deferred;
  model_->is_built = true;
}

}  // namespace flowray::tf::keras
