// The layers of models, their calls and ends, as configs.
#include <flowray/tf/keras/saving.h>

#include "tf/build/call_scope.h"
#include "tf/keras/layer_config.h"
#include "tf/keras/model_file.h"
#include "tf/keras/model_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace flowray::tf::keras {
namespace {

constexpr const char* kInputLayer = "InputLayer";

struct PlaceOfOutput {
  std::string layer;
  int64_t call = 0;
  int64_t index = 0;
  bool operator<(const PlaceOfOutput& other) const {
    return std::tie(layer, call, index) < std::tie(other.layer, other.call, other.index);
  }
  Config config() const { return std::vector<Config>{layer, call, index}; }
};

PlaceOfOutput place_in(const Config& config) {
  const std::vector<Config>& values = config.values();
  if (values.size() < 3)
    throw ValueError("A place in the config of a model is incomplete: " + config.to_json());
  return {values[0].text(), values[1].integer(), values[2].integer()};
}

/// Lists of places: a single one may stand alone.
std::vector<Config> places_in(const Config& config) {
  const std::vector<Config>& values = config.values();
  return !values.empty() && values[0].is_text() ? std::vector<Config>{config} : values;
}

}  // namespace

Config InputLayer::get_config() const {
  return Config::items({{"batch_input_shape", dims_config(batch_shape_)},
                        {"dtype", std::string(dtype_name(dtype_))},
                        {"sparse", false},
                        {"ragged", false},
                        {"name", name()},
                        {"optional", false}});
}

// ---- writing

/// The calls of a functional model by numbers as files have them: those of each layer from 0 on, or 1.
class NetworkConfig {
 public:
  explicit NetworkConfig(const Network& network) : calls_(network.calls()) {
    std::map<const Layer*, std::vector<size_t>> of_layers;
    for (size_t i = 0; i < calls_.size(); ++i) of_layers[calls_[i].layer.get()].push_back(i);
    numbers_.resize(calls_.size());
    for (auto& [layer, calls] : of_layers) {
      std::ranges::sort(calls, {}, [&](size_t i) { return calls_[i].number; });
      int64_t number = ModelFile::begins_with_inputs(*layer) ? 1 : 0;
      for (const size_t i : calls) numbers_[i] = number++;
    }
  }

  PlaceOfOutput place(const std::pair<size_t, size_t>& output) const {
    return {calls_[output.first].layer->name(), numbers_[output.first], static_cast<int64_t>(output.second)};
  }

  Config layer(const std::shared_ptr<Layer>& layer) const {
    std::vector<std::pair<int64_t, Config>> nodes;
    for (size_t i = 0; i < calls_.size(); ++i) {
      if (calls_[i].layer == layer && !calls_[i].inputs.empty())
        nodes.emplace_back(numbers_[i], node(calls_[i]));
    }
    std::ranges::sort(nodes, {}, [](const auto& node) { return node.first; });
    Config inbound = std::vector<Config>();
    for (auto& [number, told] : nodes) inbound.add(std::move(told));
    return told_of(*layer).set("name", layer->name()).set("inbound_nodes", inbound);
  }

 private:
  Config node(const NetworkCall& call) const {
    if (call.arguments != nullptr) {
      throw errors::UnimplementedError(fmt::format(
          "The layer '{}' was called with arguments that no file can hold.\nGive them to its constructor.",
          call.layer->name()));
    }
    Config options = Config::items();
    if (call.training.has_value()) options.set("training", *call.training);
    size_t count = call.inputs.size();
    if (call.has_mask) options.set("mask", place(call.inputs[--count]).config());
    Config told = std::vector<Config>();
    for (size_t i = 0; i < count; ++i) told.add(place(call.inputs[i]).config().add(options));
    return told;
  }

  const std::vector<NetworkCall>& calls_;
  std::vector<int64_t> numbers_;
};

Config config_of_network(const std::string& name, bool trainable, const Network& network) {
  const NetworkConfig calls(network);
  Config layers = std::vector<Config>();
  for (const std::shared_ptr<Layer>& layer : network.layers()) layers.add(calls.layer(layer));
  const auto places = [&](const std::vector<std::pair<size_t, size_t>>& ends) {
    Config all = std::vector<Config>();
    for (const auto& end : ends) all.add(calls.place(end).config());
    return all;
  };
  return Config::items({{"name", name},
                        {"trainable", trainable},
                        {"layers", layers},
                        {"input_layers", places(network.inputs())},
                        {"output_layers", places(network.outputs())}});
}

Config Model::get_config() const {
  if (!model_->own_class.empty()) {
    throw errors::UnimplementedError(fmt::format(
        "Model {} cannot be serialized because it is a subclass of tf::keras::Model with a call() of its "
        "own.\n"
        "save_weights() keeps its weights; CustomObjects.layers may name it as a layer of another model.",
        name()));
  }
  if (!model_->beside_outputs.empty()) {
    throw errors::UnimplementedError(
        fmt::format("The model '{}' has losses or metrics that were added to it, which no file can hold.\n"
                    "save_weights() keeps its weights.",
                    name()));
  }
  if (!model_->is_sequential) return config_of_network(name(), trainable(), model_->network);
  Config layers = std::vector<Config>();
  const bool has_input = model_->is_built && !model_->is_deferred;
  if (has_input) layers.add(told_of(*model_->input_ends[0].call()->layer));
  for (const std::shared_ptr<Layer>& layer : model_->layers) layers.add(told_of(*layer));
  Config config = Config::items({{"name", name()}, {"layers", layers}});
  if (model_->is_built && model_->is_deferred)
    config.set("build_input_shape", dims_config(model_->inputs[0].shape()));
  return config;
}

// ---- reading

namespace {

/// The shape of a batch, the batch in front, and what else a config says of an input.
std::pair<TensorShape, InputOptions> input_in_config(const Config& config) {
  const Config* shape = config.find("batch_input_shape");
  if (shape == nullptr) shape = &config.at("batch_shape");
  const TensorShape batch = shape_of_config(*shape);
  if (batch.rank() == 0) throw ValueError("The shape of an input has no batch: " + config.to_json());
  InputOptions options{.name = config.at("name").text(), .batch_size = batch.dim(0)};
  const Config* const dtype = config.find("dtype");
  if (dtype != nullptr && !dtype->is_null()) options.dtype = dtype_from_name(dtype->text());
  if (options.dtype == std::optional(DType::kInvalid))
    throw ValueError("The dtype of an input is unknown: " + config.to_json());
  return {batch, options};
}

/// The layers and tensors of a functional model that is made anew.
class NetworkBuilding {
 public:
  NetworkBuilding(const Config& config, const CustomObjects& own) {
    for (const Config& told : config.at("layers").values()) add(told, own);
  }

  /// Calls the layers in the order in which their inputs are there.
  void run() {
    while (!waiting_.empty()) {
      const size_t before = waiting_.size();
      std::vector<Call> later;
      for (const Call& call : waiting_) {
        if (is_ready(call)) {
          make(call);
        } else {
          later.push_back(call);
        }
      }
      waiting_ = std::move(later);
      if (waiting_.size() < before) continue;
      throw ValueError("The config of the model has calls whose inputs no layer makes: " +
                       waiting_[0].node.to_json().substr(0, 200));
    }
  }

  std::vector<KerasTensor> tensors(const Config& places) const {
    std::vector<KerasTensor> all;
    for (const Config& place : places_in(places)) all.push_back(tensor(place_in(place)));
    return all;
  }

 private:
  struct Call {
    std::string layer;
    int64_t number = 0;
    Config node;
  };

  void add(const Config& told, const CustomObjects& own) {
    const std::string& name = told.at("name").text();
    if (told.at("class_name").text() == kInputLayer) {
      tensors_[{name, 0, 0}] = input_of(told.at("config"));
      return;
    }
    const std::shared_ptr<Layer> layer = layers_[name] = layer_of_config(told, own);
    int64_t number = ModelFile::begins_with_inputs(*layer) ? 1 : 0;
    for (const Config& node : told.at("inbound_nodes").values()) waiting_.push_back({name, number++, node});
  }

  static KerasTensor input_of(const Config& config) {
    const auto refuse_true = [&](const char* what) {
      const Config* const found = config.find(what);
      if (found != nullptr && !found->is_null() && found->truth())
        throw errors::UnimplementedError(fmt::format("Input({}=True) of a config is not there.", what));
    };
    refuse_true("sparse");
    refuse_true("ragged");
    refuse_true("optional");
    const auto [shape, options] = input_in_config(config);
    return Input(TensorShape(shape.dims().subspan(1)), options);
  }

  const KerasTensor& tensor(const PlaceOfOutput& place) const {
    const auto found = tensors_.find(place);
    if (found != tensors_.end()) return found->second;
    throw ValueError("The config of the model names an output that is not there: " +
                     place.config().to_json());
  }

  bool is_ready(const Call& call) const {
    return std::ranges::all_of(needed(call.node),
                               [&](const Config& place) { return tensors_.contains(place_in(place)); });
  }

  static std::vector<Config> needed(const Config& node) {
    std::vector<Config> places = places_in(node);
    if (const std::optional<Config> mask = mask_in(node)) places.push_back(*mask);
    return places;
  }

  static std::optional<Config> mask_in(const Config& node) {
    const std::vector<Config> places = places_in(node);
    const bool has_options = !places.empty() && places[0].values().size() > 3;
    const Config* const mask = has_options ? places[0].values()[3].find("mask") : nullptr;
    return mask == nullptr || mask->is_null() ? std::nullopt : std::optional(*mask);
  }

  void make(const Call& call) {
    Layer& layer = *layers_.at(call.layer);
    std::vector<KerasTensor> inputs;
    for (const Config& place : places_in(call.node)) inputs.push_back(tensor(place_in(place)));
    const std::optional<bool> training = training_in(call);
    const std::optional<Config> mask = mask_in(call.node);
    const std::vector<KerasTensor> outputs =
        !mask.has_value() ? layer.apply(inputs, training, Layer::Where())
                          : layer.apply_masked(inputs, tensor(place_in(*mask)), training, Layer::Where());
    for (size_t i = 0; i < outputs.size(); ++i)
      tensors_[{call.layer, call.number, static_cast<int64_t>(i)}] = outputs[i];
  }

  /// What a call is given besides its inputs; all else that a file may name is refused.
  static std::optional<bool> training_in(const Call& call) {
    const std::vector<Config> places = places_in(call.node);
    std::optional<bool> training;
    for (const Config& place : places) {
      if (place.values().size() < 4) continue;
      const Config& options = place.values()[3];
      for (size_t i = 0; i < options.names().size(); ++i) {
        const std::string& name = options.names()[i];
        const Config& value = options.values()[i];
        if (value.is_null() || name == "mask") continue;
        if (name == "training") {
          training = value.truth();
          continue;
        }
        throw errors::UnimplementedError(
            fmt::format("The layer '{}' of the config is called with {}={}, which is not there.", call.layer,
                        name, value.to_json().substr(0, 200)));
      }
    }
    return training;
  }

  std::map<std::string, std::shared_ptr<Layer>> layers_;
  std::map<PlaceOfOutput, KerasTensor> tensors_;
  std::vector<Call> waiting_;
};

}  // namespace

bool ModelFile::begins_with_inputs(const Layer& layer) {
  const auto* const model = dynamic_cast<const Model*>(&layer);
  if (model == nullptr) return false;
  const Model::State& state = *model->model_;
  return state.own_class.empty() && state.is_built && !state.is_deferred;
}

Model ModelFile::sequential(const Config& config, const CustomObjects& own) {
  const bool has_name = config.has_items();  // old files have a list of layers in its place
  Sequential model = has_name ? Sequential(config.at("name").text()) : Sequential();
  for (const Config& told : (has_name ? config.at("layers") : config).values()) {
    if (told.at("class_name").text() == kInputLayer) {
      model.model_->given_input = input_in_config(told.at("config"));
    } else {
      model.add(layer_of_config(told, own), Layer::Where());
    }
  }
  const Config* const shape = has_name ? config.find("build_input_shape") : nullptr;
  if (shape != nullptr && !shape->is_null() && !model.built() && !model.layers().empty())
    model.build(shape_of_config(*shape));
  return model;
}

Model model_of_config(const Config& told, const CustomObjects& own) {
  const std::string& class_name = told.at("class_name").text();
  const Config& config = told.at("config");
  if (class_name == "Sequential") return ModelFile::sequential(config, own);
  if (class_name != "Functional" && class_name != "Model") {
    throw ValueError(fmt::format(
        "The config tells of a {}, which is no model of layers: only Sequential and functional ones are.",
        class_name));
  }
  NetworkBuilding building(config, own);
  building.run();
  return {building.tensors(config.at("input_layers")), building.tensors(config.at("output_layers")),
          config.at("name").text(), Layer::Where()};
}

}  // namespace flowray::tf::keras
