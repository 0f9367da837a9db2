// Models of classes of the program's: what their call() makes of the first batch.
#include <flowray/tf/keras/models.h>

#include "tf/build/call_scope.h"
#include "tf/keras/layer_names.h"
#include "tf/keras/model_state.h"
#include "tf/keras/optimizers.h"
#include "tf/keras/scores.h"

#include <fmt/format.h>

namespace flowray::tf::keras {

Model::Model(const std::string& class_name, const std::string& name)
    : Model(name.empty() ? next_name(default_graph(), snake_case(class_name)) : name,
            std::make_shared<State>()) {
  if (class_name.empty())
    throw ValueError("A model of one's own needs the name of its class.\nGive it to Model's constructor.");
  model_->own_class = class_name;
  model_->graph = home_graph();
}

void Model::track(std::shared_ptr<Layer> layer) {
  if (layer == nullptr)
    throw TypeError("The tracked layer must be an instance of class Layer. Received: a null pointer");
  if (model_->own_class.empty()) {
    throw TypeError(
        fmt::format("The layers of the model '{}' are those between its inputs and outputs.\n"
                    "track() is for a class of one's own, which gives its name to Model's "
                    "constructor.",
                    name()));
  }
  model_->layers.push_back(std::move(layer));
}

/// The names of losses and metrics are looked at now, all else where the outputs are known.
void Model::compile_later(const CompileOptions& options) {
  if (options.loss.has_value()) (void)loss_of(options.loss);
  for (const ScoreFunction& metric : options.metrics)
    (void)metric_of(metric, TensorShape::unknown_rank(), TensorShape::unknown_rank());
  CompileOptions later = options;
  model_->optimizer = optimizer_of(options.optimizer);
  later.optimizer = model_->optimizer;
  model_->compiled_later = std::move(later);
  model_->is_compiled = true;
}

void Model::make_ends(const std::vector<KerasTensor>& inputs) {
  const GraphScope in_graph(model_->graph.get());
  const std::vector<Tensor> outputs = apply(std::vector<Tensor>(inputs.begin(), inputs.end()));
  std::vector<KerasTensor> ends;
  const auto call = std::make_shared<LayerCall>();  // without a layer: the model would hold itself
  call->layer_name = name();
  call->outputs = outputs;
  for (size_t i = 0; i < outputs.size(); ++i) ends.emplace_back(outputs[i], call, i);
  model_->set_ends(inputs, std::move(ends));
  model_->output_names.clear();
  for (size_t i = 0; i < outputs.size(); ++i) model_->output_names.push_back(fmt::format("output_{}", i + 1));
  model_->is_deferred = true;
  model_->is_built = true;
  if (!model_->compiled_later.has_value()) return;
  const CompileOptions options = *std::exchange(model_->compiled_later, {});
  compile(options);
}

}  // namespace flowray::tf::keras
