#include "tf/keras/network.h"

#include <flowray/tf/array.h>

#include "tf/build/unset.h"
#include "tf/keras/masks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

namespace flowray::tf::keras {

/// Walks from the outputs to the inputs. Depths and the order of layers are those of tf.keras, because
/// get_weights() and files have the weights in that order.
class NetworkBuilder {
 public:
  NetworkBuilder(Network& network, const std::vector<KerasTensor>& inputs) : network_(network) {
    for (const KerasTensor& input : inputs) add_input(input);
  }

  void build(const std::vector<KerasTensor>& outputs, const std::vector<KerasTensor>& beside) {
    for (const KerasTensor& output : outputs) {
      visit(checked_output(output));
      network_.outputs_.emplace_back(numbers_.at(output.call().get()), output.index());
      add_output_name(output.call()->layer_name);
    }
    for (const LayerCall* input : inputs_) {
      if (!numbers_.contains(input)) {
        visit(*input);  // it leads to no output
        first_seen_[layer_key(*input)] = 0;
      }
      network_.inputs_.push_back(numbers_.at(input));
    }
    set_depths();
    sort_layers();
    const size_t between_ends = keys_.size();
    for (const KerasTensor& tensor : beside) visit(checked_output(tensor));
    for (size_t i = between_ends; i < keys_.size(); ++i) {
      std::vector<std::shared_ptr<Layer>>& layers = network_.layers_;
      const std::shared_ptr<Layer>& layer = network_.calls_[i].layer;
      if (std::ranges::find(layers, layer) == layers.end()) layers.push_back(layer);
    }
  }

 private:
  using LayerKey = const void*;
  /// The copies of a layer are one.
  static LayerKey layer_key(const LayerCall& call) { return call.layer_identity; }

  static std::string described(const Tensor& tensor) {
    return fmt::format("Tensor(\"{}\", shape={})", tensor.name(), tensor.shape().to_tuple_string());
  }

  void add_input(const KerasTensor& input) {
    if (!input.has_value()) throw_unset_argument("tf::keras::KerasTensor", "inputs");
    if (!input.call()->inputs.empty()) {
      throw ValueError(fmt::format(
          "Input tensors to a Functional model must come from `tf.keras.Input`. Received: {} (made "
          "by the layer '{}').",
          described(input), input.call()->layer_name));
    }
    if (std::ranges::find(inputs_, input.call().get()) != inputs_.end()) {
      throw ValueError(fmt::format(
          "The list of inputs passed to the model contains the same input multiple times. All inputs should "
          "only appear once.Received inputs={}",
          described(input)));
    }
    inputs_.push_back(input.call().get());
  }

  static const LayerCall& checked_output(const KerasTensor& output) {
    if (!output.has_value()) throw_unset_argument("tf::keras::KerasTensor", "outputs");
    return *output.call();
  }

  void add_output_name(const std::string& layer) {
    std::vector<std::string>& names = network_.output_names_;
    std::string name = layer;
    for (int i = 1; std::ranges::find(names, name) != names.end(); ++i) name = fmt::format("{}_{}", layer, i);
    names.push_back(name);
  }

  void visit(const LayerCall& call) {
    if (numbers_.contains(&call)) return;
    if (call.layer == nullptr) {
      throw ValueError(
          fmt::format("The layer '{}' of a functional model is not there any more.\nHold it by "
                      "std::make_shared, or override Layer::copy() in its class.",
                      call.layer_name));
    }
    first_seen_.try_emplace(layer_key(call), static_cast<int>(first_seen_.size()) + 1);
    if (call.inputs.empty() && std::ranges::find(inputs_, &call) == inputs_.end()) {
      throw ValueError(fmt::format(
          "Graph disconnected: cannot obtain value for tensor {} at layer \"{}\". The following "
          "previous layers were accessed without issue: [{}]\nIt is not among the inputs that the "
          "model was given.",
          described(call.outputs[0]), call.layer_name, fmt::join(seen_names_, ", ")));
    }
    const std::shared_ptr<Layer>& layer = layers_.try_emplace(layer_key(call), call.layer).first->second;
    NetworkCall made{.layer = layer,
                     .training = call.training,
                     .arguments = call.arguments,
                     .has_mask = call.has_mask,
                     .inputs = {},
                     .number = call.number};
    for (const KerasTensor& input : call.inputs) {
      visit(*input.call());
      made.inputs.emplace_back(numbers_.at(input.call().get()), input.index());
    }
    numbers_[&call] = network_.calls_.size();
    keys_.push_back(layer_key(call));
    seen_names_.push_back("'" + call.layer_name + "'");
    network_.calls_.push_back(std::move(made));
  }

  void set_depths() {
    for (size_t i = network_.calls_.size(); i-- > 0;) {
      NetworkCall& call = network_.calls_[i];
      int& of_layer = depths_[keys_[i]];
      call.depth = of_layer = std::max(call.depth, of_layer);
      for (const auto& [from, index] : call.inputs) {
        int& depth = network_.calls_[from].depth;
        depth = std::max(depth, call.depth + 1);
      }
    }
  }

  void sort_layers() {
    std::vector<size_t> order;  // the first call of each layer
    std::set<LayerKey> known;
    for (size_t i = 0; i < keys_.size(); ++i) {
      if (known.insert(keys_[i]).second) order.push_back(i);
    }
    std::ranges::stable_sort(order, {},
                             [&](size_t i) { return std::pair(-depths_[keys_[i]], first_seen_[keys_[i]]); });
    std::set<std::string> names;
    for (const size_t i : order) {
      const std::shared_ptr<Layer>& layer = network_.calls_[i].layer;
      network_.layers_.push_back(layer);
      if (names.insert(layer->name()).second) continue;
      throw ValueError(fmt::format(
          "The name \"{}\" is used 2 times in the model. All layer names should be unique.", layer->name()));
    }
  }

  Network& network_;
  std::vector<const LayerCall*> inputs_;
  std::map<const LayerCall*, size_t> numbers_;
  std::vector<LayerKey> keys_;                         // of each call
  std::map<LayerKey, std::shared_ptr<Layer>> layers_;  // one of the copies of each
  std::map<LayerKey, int> first_seen_;
  std::map<LayerKey, int> depths_;
  std::vector<std::string> seen_names_;
};

Network::Network(const std::vector<KerasTensor>& inputs, const std::vector<KerasTensor>& outputs,
                 const std::vector<KerasTensor>& beside) {
  NetworkBuilder(*this, inputs).build(outputs, beside);
}

std::vector<Tensor> Network::run(const std::vector<Tensor>& inputs, bool training) const {
  std::vector<std::vector<Tensor>> values(calls_.size());
  for (size_t i = 0; i < inputs_.size(); ++i) values[inputs_[i]] = {inputs[i]};
  for (size_t i = 0; i < calls_.size(); ++i) {
    const NetworkCall& call = calls_[i];
    if (call.inputs.empty()) continue;
    std::vector<Tensor> given;
    for (const auto& [from, index] : call.inputs) given.push_back(values[from][index]);
    if (call.has_mask) {
      const Tensor mask = given.back();
      given.pop_back();
      given[0] = masked(given[0], mask);
    }
    values[i] = call.layer->apply(given, call.training.value_or(training), Input::Where(), call.arguments);
  }
  std::vector<Tensor> outputs;
  for (const auto& [from, index] : outputs_) outputs.push_back(values[from][index]);
  return outputs;
}

std::vector<std::pair<size_t, size_t>> Network::inputs() const {
  std::vector<std::pair<size_t, size_t>> inputs;
  for (const size_t call : inputs_) inputs.emplace_back(call, 0);
  return inputs;
}

bool Network::is_a_chain() const {
  std::set<int> depths;
  std::set<const Layer*> layers;
  return std::ranges::all_of(calls_, [&](const NetworkCall& call) {
    return call.inputs.size() <= 1 && depths.insert(call.depth).second &&
           layers.insert(call.layer.get()).second;
  });
}

}  // namespace flowray::tf::keras
