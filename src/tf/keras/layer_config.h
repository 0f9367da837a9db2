#pragma once
/// What the language's layers were made of: for each class a struct of its arguments, whose `list` names them
/// once, for writing and for reading, and whose `make` makes the layer.
///
///     struct DenseArguments {
///       int64_t units = 0;
///       DenseOptions options;
///       template <class Io>
///       void list(Io& io) {
///         io("units", units);
///         io("activation", options.activation);
///       }
///       std::shared_ptr<Layer> make() const { return std::make_shared<Dense>(units, options); }
///     };

#include <flowray/tf/config.h>
#include <flowray/tf/keras/saving.h>

#include "tf/keras/layer_state.h"

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace flowray::tf::keras {

/// -1 as null.
Config dims_config(const TensorShape& shape);
/// What dims_config() gave, or tf.keras, which may write {"class_name": "TensorShape", "items": [...]}.
TensorShape shape_of_config(const Config& config);

/// Takes what a layer is made of.
class ConfigWriter {
 public:
  template <class Value>
  void operator()(const char* name, const Value& value) {
    config_.set(name, Config(value));
  }
  void operator()(const char* name, const std::optional<int64_t>& value);
  void operator()(const char* name, const std::optional<double>& value);
  void operator()(const char* name, const Activation& value);
  void operator()(const char* name, const Initializer& value);
  /// Its place; what stands there, the layer knows.
  void operator()(const char* name, const regularizers::Regularizer& value);
  void operator()(const char* name, const constraints::Constraint& value);
  /// A number that tf.keras has as a list of one.
  void list_of_one(const char* name, int64_t value) { config_.set(name, std::vector<int64_t>{value}); }
  /// "valid", "same" or "causal", in small letters.
  void padding(const char* name, const std::string& value);
  /// A list, which is null where it is empty.
  void list_or_null(const char* name, const std::vector<int64_t>& value);
  /// A list of one as its number.
  void axis(const char* name, const std::vector<int64_t>& value);
  /// Pairs of numbers; one stands alone.
  void ends(const char* name, std::initializer_list<std::pair<int64_t, int64_t>*> pairs);
  /// What there is one value of here.
  void fixed(const char* name, const Config& value) { config_.set(name, value); }
  /// Layer::set_data_format changes it.
  void data_format() { config_.set("data_format", "channels_last"); }
  /// What tf.keras writes, and makes nothing of.
  void ignored(const char* name, const Config& value) { config_.set(name, value); }
  /// A number that tf.keras keeps as float32.
  void float32(const char* name, double value) {
    config_.set(name, static_cast<double>(static_cast<float>(value)));
  }
  void float32(const char* name, const std::optional<double>& value);

  const Config& config() const { return config_; }
  /// By their names there: "kernel_regularizer".
  const std::map<std::string, regularizers::Regularizer>& regularizers() const { return regularizers_; }
  const std::map<std::string, constraints::Constraint>& constraints() const { return constraints_; }
  /// The argument that no file can hold; empty: there is none.
  const std::string& unwritable() const { return unwritable_; }

 private:
  Config config_ = Config::items();
  std::string unwritable_;
  std::map<std::string, regularizers::Regularizer> regularizers_;
  std::map<std::string, constraints::Constraint> constraints_;
};

/// Gives what a layer of a file is made of. What is asked for and not there keeps its value.
class ConfigReader {
 public:
  /// `layer`: its name, which errors say with what it is.
  ConfigReader(const Config& config, std::string layer, const CustomObjects& own, const char* what = "layer");

  void operator()(const char* name, int64_t& value);
  void operator()(const char* name, double& value);
  void operator()(const char* name, bool& value);
  void operator()(const char* name, std::string& value);
  void operator()(const char* name, std::vector<int64_t>& value);
  void operator()(const char* name, std::optional<int64_t>& value);
  void operator()(const char* name, std::optional<double>& value);
  void operator()(const char* name, Activation& value);
  void operator()(const char* name, Initializer& value);
  void operator()(const char* name, regularizers::Regularizer& value);
  void operator()(const char* name, constraints::Constraint& value);
  void list_of_one(const char* name, int64_t& value);
  void padding(const char* name, std::string& value) { (*this)(name, value); }
  void list_or_null(const char* name, std::vector<int64_t>& value) { (*this)(name, value); }
  void axis(const char* name, std::vector<int64_t>& value) { (*this)(name, value); }
  void ends(const char* name, std::initializer_list<std::pair<int64_t, int64_t>*> pairs);
  void fixed(const char* name, const Config& value);
  void data_format();
  void ignored(const char* name, const Config&) { known_.insert(name); }
  template <class Value>
  void float32(const char* name, Value& value) {
    (*this)(name, value);
  }
  /// Throws ValueError for arguments that were not asked for.
  void check_all_known() const;

  /// The value; null where there is none, or null.
  const Config* find(const char* name);
  /// The same of what there has to be. Throws KeyError.
  const Config& item(const char* name);
  const CustomObjects& own() const { return own_; }
  const std::string& layer() const { return layer_; }
  /// For Layer::set_data_format; empty: nothing is said.
  const std::string& given_data_format() const { return data_format_; }

 private:
  [[noreturn]] void throw_unknown(const std::string& name, const Config& value) const;

  const Config& config_;
  std::string layer_;
  const CustomObjects& own_;
  const char* what_;
  std::set<std::string> known_;
  std::string data_format_;
};

/// How the language's layers are made of configs, by the names of their classes.
class LayerTable {
 public:
  using Make = std::function<std::shared_ptr<Layer>(ConfigReader&)>;
  /// All of them.
  static const LayerTable& get();
  /// Null where the language has none of this class.
  const Make* find(const std::string& class_name) const;

  template <class Arguments>
  void add(const char* class_name) {
    add(class_name, [](ConfigReader& reader) {
      Arguments arguments;
      arguments.list(reader);
      arguments.options.name = reader.layer();
      return arguments.make();
    });
  }
  void add(const char* class_name, Make make) { makes_[class_name] = std::move(make); }

 private:
  LayerTable();
  std::map<std::string, Make> makes_;
};

// ---- what several layers have

template <class Io, class Options>
void list_weights(Io& io, Options& options) {
  io("activation", options.activation);
  io("use_bias", options.use_bias);
  io("kernel_initializer", options.kernel_initializer);
  io("bias_initializer", options.bias_initializer);
}

template <class Io, class Options>
void list_kernel_rules(Io& io, Options& options) {
  io("kernel_regularizer", options.kernel_regularizer);
  io("bias_regularizer", options.bias_regularizer);
  io("activity_regularizer", options.activity_regularizer);
  io("kernel_constraint", options.kernel_constraint);
  io("bias_constraint", options.bias_constraint);
}

template <class Io>
void list_sizes(Io& io, const char* name, int64_t& size) {
  io.list_of_one(name, size);
}
template <class Io>
void list_sizes(Io& io, const char* name, std::vector<int64_t>& sizes) {
  io(name, sizes);
}

/// Where a convolution's windows lie.
template <class Io, class Sizes, class Options>
void list_geometry(Io& io, Sizes& kernel_size, Options& options) {
  list_sizes(io, "kernel_size", kernel_size);
  list_sizes(io, "strides", options.strides);
  io.padding("padding", options.padding);
  io.data_format();
  if constexpr (requires { options.dilation_rate; }) {
    list_sizes(io, "dilation_rate", options.dilation_rate);
  } else if (kernel_size.size() == 2) {
    io.fixed("dilation_rate",
             std::vector<int64_t>{1, 1});  // of transposed ones, tf.keras has it of images only
  }
  io.fixed("groups", 1);
}

template <class Io, class Sizes, class Options>
void list_convolution(Io& io, Sizes& kernel_size, Options& options) {
  list_geometry(io, kernel_size, options);
  list_weights(io, options);
  list_kernel_rules(io, options);
}

template <class Io, class Sizes, class Options>
void list_separable_convolution(Io& io, Sizes& kernel_size, Options& options) {
  list_geometry(io, kernel_size, options);
  io("activation", options.activation);
  io("use_bias", options.use_bias);
  io.ignored("kernel_initializer", glorot_uniform_initializer().config());
  io("bias_initializer", options.bias_initializer);
  io.fixed("kernel_regularizer", {});
  io("bias_regularizer", options.bias_regularizer);
  io("activity_regularizer", options.activity_regularizer);
  io.fixed("kernel_constraint", {});
  io("bias_constraint", options.bias_constraint);
  io("depth_multiplier", options.depth_multiplier);
  io("depthwise_initializer", options.depthwise_initializer);
  io("pointwise_initializer", options.pointwise_initializer);
  io("depthwise_regularizer", options.depthwise_regularizer);
  io("pointwise_regularizer", options.pointwise_regularizer);
  io("depthwise_constraint", options.depthwise_constraint);
  io("pointwise_constraint", options.pointwise_constraint);
}

// Each source adds its layers.
void add_core_layers(LayerTable& table);
void add_activation_layers(LayerTable& table);
void add_convolution_layers(LayerTable& table);
void add_merging_layers(LayerTable& table);
void add_normalization_layers(LayerTable& table);
void add_pooling_layers(LayerTable& table);
void add_recurrent_layers(LayerTable& table);
void add_shape_layers(LayerTable& table);
void add_volume_layers(LayerTable& table);
void add_wrapper_layers(LayerTable& table);

/// The config that a layer keeps.
class LayerConfig {
 public:
  /// In a layer's constructor.
  template <class Arguments>
  static void keep(Layer& layer, Arguments arguments) {
    ConfigWriter writer;
    arguments.list(writer);
    layer.state_->made_of = writer.config();
    layer.state_->unwritable = writer.unwritable();
    set_rules(layer, writer);
  }
  /// An argument that is another one since the layer is built.
  static void change(Layer& layer, const char* name, const Config& value) {
    layer.state_->made_of.set(name, value);
  }
  /// Gives a new layer what a file says of it besides its arguments.
  static void set_common(Layer& layer, const std::string& name, bool trainable,
                         const std::optional<TensorShape>& input_shape);

 private:
  static void set_rules(Layer& layer, const ConfigWriter& given);
};

/// The layer or model that {"class_name": ..., "config": ...} tells of. Throws ValueError for unknown
/// classes.
std::shared_ptr<Layer> layer_of_config(const Config& told, const CustomObjects& own);
/// {"class_name": ..., "config": ...}
Config told_of(const Layer& layer);

/// The model that such a config tells of. Throws ValueError for another class.
Model model_of_config(const Config& told, const CustomObjects& own);

}  // namespace flowray::tf::keras
