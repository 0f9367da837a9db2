#include "tf/keras/layer_config.h"

#include "tf/keras/weight_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace flowray::tf::keras {

Config dims_config(const TensorShape& shape) {
  Config dims = std::vector<Config>();
  for (const int64_t dim : shape.dims()) dims.add(dim < 0 ? Config() : Config(dim));
  return dims;
}

TensorShape shape_of_config(const Config& config) {
  const Config& dims = config.has_items() ? config.at("items") : config;
  std::vector<int64_t> sizes;
  for (const Config& dim : dims.values()) {
    const int64_t size = dim.is_null() ? -1 : dim.integer();
    if (size < -1) throw ValueError(fmt::format("A shape has no dimension {}: {}", size, dims.to_json()));
    sizes.push_back(size);
  }
  return TensorShape(sizes);
}

// ---- writing

void ConfigWriter::operator()(const char* name, const std::optional<int64_t>& value) {
  config_.set(name, value ? Config(*value) : Config());
}

void ConfigWriter::operator()(const char* name, const std::optional<double>& value) {
  config_.set(name, value ? Config(*value) : Config());
}

void ConfigWriter::operator()(const char* name, const Activation& value) {
  const std::string known = value.name();
  if (known.empty()) unwritable_ = name;
  config_.set(name, known);
}

void ConfigWriter::operator()(const char* name, const Initializer& value) {
  if (value.config().is_null() && value.has_value()) unwritable_ = name;
  config_.set(name, value.config());
}

void ConfigWriter::float32(const char* name, const std::optional<double>& value) {
  value ? float32(name, *value) : fixed(name, {});
}

void ConfigWriter::padding(const char* name, const std::string& value) {
  std::string small = value;
  std::ranges::transform(small, small.begin(), [](unsigned char letter) { return std::tolower(letter); });
  config_.set(name, small);
}

void ConfigWriter::list_or_null(const char* name, const std::vector<int64_t>& value) {
  config_.set(name, value.empty() ? Config() : Config(value));
}

void ConfigWriter::axis(const char* name, const std::vector<int64_t>& value) {
  config_.set(name, value.size() == 1 ? Config(value[0]) : Config(value));
}

void ConfigWriter::ends(const char* name, std::initializer_list<std::pair<int64_t, int64_t>*> pairs) {
  Config all = std::vector<Config>();
  for (const auto* const pair : pairs) all.add(std::vector<int64_t>{pair->first, pair->second});
  config_.set(name, pairs.size() == 1 ? all.values()[0] : all);
}

void ConfigWriter::operator()(const char* name, const regularizers::Regularizer& value) {
  config_.set(name, {});
  if (value.has_value()) regularizers_[name] = value;
}

void ConfigWriter::operator()(const char* name, const constraints::Constraint& value) {
  config_.set(name, {});
  if (value.has_value()) constraints_[name] = value;
}

// ---- reading

ConfigReader::ConfigReader(const Config& config, std::string layer, const CustomObjects& own,
                           const char* what)
    : config_(config),
      layer_(std::move(layer)),
      own_(own),
      what_(what),
      known_{"name", "trainable", "dtype", "batch_input_shape"} {}

const Config* ConfigReader::find(const char* name) {
  known_.insert(name);
  const Config* const found = config_.find(name);
  return found == nullptr || found->is_null() ? nullptr : found;
}

const Config& ConfigReader::item(const char* name) {
  known_.insert(name);
  return config_.at(name);
}

void ConfigReader::operator()(const char* name, int64_t& value) {
  if (const Config* const found = find(name)) value = found->integer();
}
void ConfigReader::operator()(const char* name, double& value) {
  if (const Config* const found = find(name)) value = found->number();
}
void ConfigReader::operator()(const char* name, bool& value) {
  if (const Config* const found = find(name)) value = found->truth();
}
void ConfigReader::operator()(const char* name, std::string& value) {
  if (const Config* const found = find(name)) value = found->text();
}
void ConfigReader::operator()(const char* name, std::vector<int64_t>& value) {
  const Config* const found = find(name);
  if (found == nullptr) return;
  const bool is_number = found->kind() == Config::Kind::kInteger;
  value = is_number ? std::vector<int64_t>{found->integer()} : found->integers();
}
void ConfigReader::operator()(const char* name, std::optional<int64_t>& value) {
  if (const Config* const found = find(name)) value = found->integer();
}
void ConfigReader::operator()(const char* name, std::optional<double>& value) {
  if (const Config* const found = find(name)) value = found->number();
}

void ConfigReader::operator()(const char* name, Activation& value) {
  const Config* const found = find(name);
  if (found == nullptr) return;
  if (!found->is_text()) throw_unknown(name, *found);
  const auto own = own_.activations.find(found->text());
  value = own == own_.activations.end() ? Activation(found->text(), Input::Where()) : own->second;
}

void ConfigReader::operator()(const char* name, Initializer& value) {
  if (const Config* const found = find(name)) value = initializers::deserialize(*found, tf::Input::Where());
}

namespace {

/// What the program has by this name; null where it has none.
template <class Rule>
const std::function<Rule(const Config&)>* own_rule(
    const Config& told, const std::map<std::string, std::function<Rule(const Config&)>>& own) {
  const auto found = own.find(told.is_text() ? told.text() : told.at("class_name").text());
  return found == own.end() || found->second == nullptr ? nullptr : &found->second;
}

/// The rule, by `known` where the program has none by its name.
template <class Rule>
Rule rule_of(const Config& told, const std::map<std::string, std::function<Rule(const Config&)>>& own,
             Rule (*known)(const Config&, tf::Input::Where)) {
  const auto* const make = own_rule(told, own);
  if (make == nullptr) return known(told, tf::Input::Where());
  return (*make)(told.is_text() ? Config::items() : told.at("config"));
}

}  // namespace

void ConfigReader::operator()(const char* name, regularizers::Regularizer& value) {
  if (const Config* const found = find(name))
    value = rule_of(*found, own_.regularizers, &regularizers::deserialize);
}

void ConfigReader::operator()(const char* name, constraints::Constraint& value) {
  if (const Config* const found = find(name))
    value = rule_of(*found, own_.constraints, &constraints::deserialize);
}

void ConfigReader::list_of_one(const char* name, int64_t& value) {
  std::vector<int64_t> values = {value};
  (*this)(name, values);
  if (values.size() != 1) throw_unknown(name, *find(name));
  value = values[0];
}

void ConfigReader::ends(const char* name, std::initializer_list<std::pair<int64_t, int64_t>*> pairs) {
  const Config* const found = find(name);
  if (found == nullptr) return;
  if (!found->is_list()) throw_unknown(name, *found);
  const std::vector<Config> given = pairs.size() == 1 ? std::vector<Config>{*found} : found->values();
  if (given.size() != pairs.size()) throw_unknown(name, *found);
  size_t i = 0;
  for (auto* const pair : pairs) {
    const std::vector<int64_t> two = given[i++].integers();
    if (two.size() != 2) throw_unknown(name, *found);
    *pair = {two[0], two[1]};
  }
}

void ConfigReader::fixed(const char* name, const Config& value) {
  const Config* const found = find(name);
  if (found != nullptr && !(*found == value)) throw_unknown(name, *found);
}

void ConfigReader::data_format() {
  if (const Config* const found = find("data_format")) data_format_ = found->text();
}

void ConfigReader::check_all_known() const {
  for (size_t i = 0; i < config_.names().size(); ++i)
    if (!known_.contains(config_.names()[i])) throw_unknown(config_.names()[i], config_.values()[i]);
}

void ConfigReader::throw_unknown(const std::string& name, const Config& value) const {
  throw errors::UnimplementedError(
      fmt::format("The {} '{}' of the config has {}={}, which is not there.\nMake the model without it, or "
                  "name a class of the program's for its layers in CustomObjects.layers.",
                  what_, layer_, name, value.to_json().substr(0, 200)));
}

// ---- the table

LayerTable::LayerTable() {
  add_core_layers(*this);
  add_activation_layers(*this);
  add_convolution_layers(*this);
  add_merging_layers(*this);
  add_normalization_layers(*this);
  add_pooling_layers(*this);
  add_recurrent_layers(*this);
  add_shape_layers(*this);
  add_volume_layers(*this);
  add_wrapper_layers(*this);
}

const LayerTable& LayerTable::get() {
  static const LayerTable table;
  return table;
}

const LayerTable::Make* LayerTable::find(const std::string& class_name) const {
  const auto found = makes_.find(class_name);
  return found == makes_.end() ? nullptr : &found->second;
}

// ---- layers

Config Layer::get_config() const {
  Config config = Config::items({{"name", name()}, {"trainable", trainable()}});
  if (input_shape().has_value())
    config.set("batch_input_shape", dims_config(TensorShape{-1}.concatenate(*input_shape())));
  config.set("dtype", dtype_name(dtype()));
  if (state_->made_of.is_null()) return config;
  const auto refuse = [&](const std::string& what) {
    throw errors::UnimplementedError(
        fmt::format("The layer '{}' cannot be written: its {} is a function of the program's, which no file "
                    "can hold.\nGive one of the language's, or its name; a layer of the program's own "
                    "(CustomObjects.layers) may have what it likes inside.",
                    name(), what));
  };
  if (!state_->unwritable.empty()) refuse(state_->unwritable);
  for (size_t i = 0; i < state_->made_of.names().size(); ++i)
    config.set(state_->made_of.names()[i], state_->made_of.values()[i]);
  const auto tell = [&](const std::string& name, const auto& rule) {
    if (!rule.has_value()) return;
    if (rule.config().is_null()) refuse(name);
    config.set(name, rule.config());
  };
  for (const auto& [weight, regularizer] : state_->regularizers)
    tell(rule_of_weight(weight) + "_regularizer", regularizer);
  for (const auto& [weight, constraint] : state_->constraints)
    tell(rule_of_weight(weight) + "_constraint", constraint);
  tell("activity_regularizer", state_->activity_regularizer);
  return config;
}

void LayerConfig::set_common(Layer& layer, const std::string& name, bool trainable,
                             const std::optional<TensorShape>& input_shape) {
  layer.state_->name = name;
  if (!trainable) layer.set_trainable(false);
  if (input_shape.has_value()) layer.state_->input_shape = input_shape;
}

void LayerConfig::set_rules(Layer& layer, const ConfigWriter& given) {
  const auto weight_of = [](const std::string& name) {
    return weight_of_rule(name.substr(0, name.rfind('_')));
  };
  for (const auto& [name, regularizer] : given.regularizers()) {
    if (name == "activity_regularizer") {
      layer.set_activity_regularizer(regularizer);
    } else {
      layer.set_regularizer(weight_of(name), regularizer);
    }
  }
  for (const auto& [name, constraint] : given.constraints())
    layer.set_constraint(weight_of(name), constraint);
}

Config told_of(const Layer& layer) {
  return Config::items({{"class_name", layer.class_name()}, {"config", layer.get_config()}});
}

namespace {

/// What a layer of a file has as weights; unset where nothing is said.
std::optional<DType> dtype_in(const Config& config, const std::string& layer) {
  const Config* dtype = config.find("dtype");
  if (dtype != nullptr && dtype->has_items()) dtype = &dtype->at("config").at("name");  // a policy
  if (dtype == nullptr || dtype->is_null()) return {};
  if (dtype->text() == "float32") return DType::kFloat32;
  if (dtype->text() == "float64") return DType::kFloat64;
  throw errors::UnimplementedError(
      fmt::format("The layer '{}' of the config has the dtype {}: layers have float32 or float64 here.",
                  layer, dtype->text()));
}

/// The shape of an element that the first layer of a model was given.
std::optional<TensorShape> input_shape_in(const Config& config) {
  const Config* const shape = config.find("batch_input_shape");
  if (shape == nullptr || shape->is_null()) return {};
  return TensorShape(shape_of_config(*shape).dims().subspan(1));
}

std::shared_ptr<Layer> made_by(const LayerTable::Make& make, const Config& config, const std::string& name,
                               const CustomObjects& own) {
  ConfigReader reader(config, name, own);
  std::shared_ptr<Layer> layer = make(reader);
  reader.check_all_known();
  if (!reader.given_data_format().empty()) layer->set_data_format(reader.given_data_format());
  return layer;
}

}  // namespace

std::shared_ptr<Layer> layer_of_config(const Config& told, const CustomObjects& own) {
  const std::string& class_name = told.at("class_name").text();
  const Config& config = told.at("config");
  const auto custom = own.layers.find(class_name);
  const bool is_model = class_name == "Sequential" || class_name == "Functional" || class_name == "Model";
  if (custom == own.layers.end() && is_model) return std::make_shared<Model>(model_of_config(told, own));
  const std::string& name = config.at("name").text();
  const std::optional<DType> dtype = dtype_in(config, name);
  std::shared_ptr<Layer> layer;
  if (custom != own.layers.end()) {
    layer = custom->second == nullptr ? nullptr : custom->second(config);
    if (layer == nullptr)
      throw TypeError(fmt::format("CustomObjects.layers gave no layer for the class '{}'.", class_name));
  } else if (const LayerTable::Make* const make = LayerTable::get().find(class_name)) {
    layer = made_by(*make, config, name, own);
  } else {
    throw ValueError(fmt::format(
        "Unknown layer: '{}'. Please ensure you are using a `keras.utils.custom_object_scope` and "
        "that this object is included in the scope. See "
        "https://www.tensorflow.org/guide/keras/save_and_serialize#registering_the_custom_object "
        "for details.\nName it in CustomObjects.layers, with how it is made of its config.",
        class_name));
  }
  const Config* const trainable = config.find("trainable");
  const bool is_trainable = trainable == nullptr || trainable->is_null() || trainable->truth();
  LayerConfig::set_common(*layer, name, is_trainable, input_shape_in(config));
  if (dtype.has_value() && !layer->built()) layer->set_dtype(*dtype);
  return layer;
}

}  // namespace flowray::tf::keras
