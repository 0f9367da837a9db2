// Layers that have others inside.
#include <flowray/tf/array.h>
#include <flowray/tf/keras/recurrent_layers.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>

#include "core/checked_size.h"
#include "tf/build/call_scope.h"
#include "tf/keras/layer_config.h"

#include <fmt/format.h>

#include <utility>

namespace flowray::tf::keras::layers {
namespace {

template <class Get>
auto of_all_layers(const std::vector<std::shared_ptr<Layer>>& layers, const Get& get) {
  decltype(get(*layers[0])) all;
  for (const std::shared_ptr<Layer>& layer : layers) {
    const auto own = get(*layer);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

}  // namespace

Wrapper::Wrapper(const std::string& class_name, const LayerOptions& options,
                 std::vector<std::shared_ptr<Layer>> inner)
    : Layer(class_name, options), inner_(std::move(inner)) {}

void Wrapper::set_trainable(bool trainable) {
  Layer::set_trainable(trainable);
  for (const std::shared_ptr<Layer>& layer : inner_) layer->set_trainable(trainable);
}

std::vector<Variable> Wrapper::weights() const {
  std::vector<Variable> all = trainable_weights();
  const std::vector<Variable> others = non_trainable_weights();
  all.insert(all.end(), others.begin(), others.end());
  return all;
}
std::vector<Variable> Wrapper::trainable_weights() const {
  return of_all_layers(inner_, [](const Layer& layer) { return layer.trainable_weights(); });
}
std::vector<Variable> Wrapper::non_trainable_weights() const {
  return of_all_layers(inner_, [](const Layer& layer) { return layer.non_trainable_weights(); });
}
std::vector<Operation> Wrapper::updates() const {
  return of_all_layers(inner_, [](const Layer& layer) { return layer.updates(); });
}
void Wrapper::clear_updates() {
  for (const std::shared_ptr<Layer>& layer : inner_) layer->clear_updates();
}

std::vector<Tensor> Wrapper::losses() const {
  return of_all_layers(inner_, [](const Layer& layer) { return layer.losses(); });
}
std::vector<std::pair<Variable, FunctionOf<Tensor>>> Wrapper::constraints() const {
  return of_all_layers(inner_, [](const Layer& layer) { return layer.constraints(); });
}

std::vector<Variable> Wrapper::states() const {
  return of_all_layers(inner_, [](const Layer& layer) { return layer.states(); });
}

// ---- Bidirectional

namespace {

/// The config of a layer inside, by the name of the one that it was made like.
Config told_without(const std::string& beginning, const Layer& layer) {
  Config config = layer.get_config();
  const std::string& name = config.at("name").text();
  if (name.starts_with(beginning)) config.set("name", name.substr(beginning.size()));
  return Config::items({{"class_name", layer.class_name()}, {"config", config}});
}

std::shared_ptr<Recurrent> recurrent_in(const Config& told, const ConfigReader& reader) {
  auto layer = std::dynamic_pointer_cast<Recurrent>(layer_of_config(told, reader.own()));
  if (layer != nullptr) return layer;
  throw errors::UnimplementedError(
      fmt::format("The layer '{}' of the config is Bidirectional of a {}: it takes SimpleRNN, LSTM and GRU.",
                  reader.layer(), told.at("class_name").text()));
}

/// Throws ValueError where they could not stand side by side.
void check_directions(const Recurrent& forward, const Recurrent& backward, Input::Where where) {
  const auto text = [](bool value) { return value ? "True" : "False"; };
  const ErrorLine line(where);
  if (forward.go_backwards() == backward.go_backwards()) {
    throw ValueError(
        fmt::format("Forward layer and backward layer should have different `go_backwards` value."
                    "forward_layer.go_backwards = {},backward_layer.go_backwards = {}",
                    text(forward.go_backwards()), text(backward.go_backwards())));
  }
  const auto check = [&](const char* name, bool first, bool second) {
    if (first == second) return;
    throw ValueError(
        fmt::format("Forward layer and backward layer are expected to have the same value for attribute "
                    "\"{}\", got \"{}\" "
                    "for forward layer and \"{}\" for backward layer",
                    name, text(first), text(second)));
  };
  check("stateful", forward.stateful(), backward.stateful());
  check("return_sequences", forward.return_sequences(), backward.return_sequences());
  check("return_state", forward.return_state(), backward.return_state());
}

std::shared_ptr<Recurrent> backward_of(const Recurrent& layer, const BidirectionalOptions& options) {
  if (options.backward_layer == nullptr)
    return layer.like_it("backward_" + layer.name(), !layer.go_backwards());
  const Recurrent& given = *options.backward_layer;
  return given.like_it("backward_" + given.name(), given.go_backwards());
}

}  // namespace

Bidirectional::Bidirectional(const Recurrent& layer, const BidirectionalOptions& options, Where where)
    : Wrapper("Bidirectional", {.name = options.name, .input_shape = options.input_shape},
              {layer.like_it("forward_" + layer.name(), layer.go_backwards()), backward_of(layer, options)}),
      return_sequences_(layer.return_sequences()),
      merge_mode_(options.merge_mode),
      has_backward_layer_(options.backward_layer != nullptr) {
  support_masking();
  if (options.backward_layer != nullptr) check_directions(layer, *options.backward_layer, where);
  for (const char* known : {"sum", "mul", "ave", "concat", ""}) {
    if (merge_mode_ == known) return;
  }
  const ErrorLine line(where);
  throw ValueError(
      fmt::format("Invalid merge mode. Received: {}. Merge mode should be one of "
                  "{{\"sum\", \"mul\", \"ave\", \"concat\", None}}",
                  merge_mode_));
}

Config Bidirectional::get_config() const {
  Config config = Layer::get_config();
  config.set("layer", told_without("forward_", *inner()[0]));
  config.set("merge_mode", merge_mode_.empty() ? Config() : Config(merge_mode_));
  if (has_backward_layer_) config.set("backward_layer", told_without("backward_", *inner()[1]));
  return config;
}

std::vector<Tensor> Bidirectional::call_for(const std::vector<Tensor>& inputs, bool training) {
  const size_t num_states = inputs.size() - 1;
  if (num_states % 2 != 0) {
    throw ValueError(
        "When passing `initial_state` to a Bidirectional RNN, the state should be a list containing the "
        "states "
        "of the underlying RNNs.");
  }
  std::vector<std::vector<Tensor>> outputs;
  for (size_t i = 0; i < 2; ++i) {
    std::vector<Tensor> given = {inputs[0]};
    const auto first = inputs.begin() + 1 + static_cast<ptrdiff_t>(i * num_states / 2);
    given.insert(given.end(), first, first + static_cast<ptrdiff_t>(num_states / 2));
    outputs.push_back(inner()[i]->apply(given, training, Where()));
  }
  const Tensor forward = outputs[0][0];
  const Tensor backward = return_sequences_ ? reverse(outputs[1][0], {1}) : outputs[1][0];
  std::vector<Tensor> result;
  if (merge_mode_ == "concat") result = {concat({forward, backward}, -1)};
  if (merge_mode_ == "sum") result = {forward + backward};
  if (merge_mode_ == "mul") result = {forward * backward};
  if (merge_mode_ == "ave") result = {(forward + backward) / 2.0};
  if (merge_mode_.empty()) result = {forward, backward};
  for (const std::vector<Tensor>& of_one : outputs)
    result.insert(result.end(), of_one.begin() + 1, of_one.end());
  return result;
}

std::vector<Tensor> Bidirectional::compute_mask(const std::vector<Tensor>&,
                                                const std::vector<Tensor>& masks) {
  if (!return_sequences_) return {};
  return std::vector<Tensor>(merge_mode_.empty() ? 2 : 1, masks[0]);
}

// ---- TimeDistributed

TimeDistributed::TimeDistributed(std::shared_ptr<Layer> layer, const TimeDistributedOptions& options,
                                 Where where)
    : Wrapper("TimeDistributed", {.name = options.name, .input_shape = options.input_shape},
              {std::move(layer)}) {
  support_masking();
  if (inner()[0] != nullptr) return;
  const ErrorLine line(where);
  throw ValueError(
      "Please initialize `TimeDistributed` layer with a `tf.keras.layers.Layer` instance. Received: a null "
      "pointer");
}

Config TimeDistributed::get_config() const {
  Config config = Layer::get_config();
  config.set("layer", told_of(*inner()[0]));
  return config;
}

void TimeDistributed::build(const TensorShape& input_shape) {
  if (input_shape.has_rank() && input_shape.rank() >= 3) return;
  throw ValueError(
      fmt::format("`TimeDistributed` Layer should be passed an `input_shape ` with at least 3 "
                  "dimensions, received: {}",
                  input_shape.to_tuple_string()));
}

Tensor TimeDistributed::call(const Tensor& inputs, bool training) {
  const TensorShape& given = inputs.shape();
  const auto rows = [](const TensorShape& shape) {
    std::vector<int64_t> dims(shape.dims().begin() + 1, shape.dims().end());
    dims[0] = -1;
    return dims;
  };
  std::vector<tf::Input> sizes = {-1};
  for (int i = 2; i < given.rank(); ++i) {
    if (given.dim(i) >= 0) {
      sizes.emplace_back(checked_int32("Dimension", given.dim(i)));
    } else {
      sizes.emplace_back(shape(inputs)[i]);
    }
  }
  Tensor flat = reshape(inputs, tf::Input::list(sizes));
  flat.set_shape(TensorShape(rows(given)));
  const Tensor result = apply_without_scope(*inner()[0], flat, training);
  const TensorShape& made = result.shape();
  sizes = {shape(inputs)[0], given.dim(1) >= 0 ? tf::Input(checked_int32("Dimension", given.dim(1)))
                                               : tf::Input(shape(inputs)[1])};
  std::vector<int64_t> dims = {given.dim(0), given.dim(1)};
  for (int i = 1; i < made.rank(); ++i) {
    dims.push_back(made.dim(i));
    sizes.emplace_back(made.dim(i) >= 0 ? tf::Input(checked_int32("Dimension", made.dim(i)))
                                        : tf::Input(shape(result)[i]));
  }
  Tensor sequences = reshape(result, tf::Input::list(sizes));
  sequences.set_shape(TensorShape(dims));
  return sequences;
}

}  // namespace flowray::tf::keras::layers

void flowray::tf::keras::add_wrapper_layers(LayerTable& table) {
  table.add("Bidirectional", [](ConfigReader& reader) -> std::shared_ptr<Layer> {
    const std::shared_ptr<layers::Recurrent> layer = layers::recurrent_in(reader.item("layer"), reader);
    layers::BidirectionalOptions options{.name = reader.layer()};
    const Config* const merge_mode = reader.find("merge_mode");
    options.merge_mode = merge_mode == nullptr ? "" : merge_mode->text();
    if (const Config* const backward = reader.find("backward_layer"))
      options.backward_layer = layers::recurrent_in(*backward, reader);
    return std::make_shared<layers::Bidirectional>(*layer, options, tf::Input::Where());
  });
  table.add("TimeDistributed", [](ConfigReader& reader) -> std::shared_ptr<Layer> {
    return std::make_shared<layers::TimeDistributed>(layer_of_config(reader.item("layer"), reader.own()),
                                                     layers::TimeDistributedOptions{.name = reader.layer()});
  });
}
