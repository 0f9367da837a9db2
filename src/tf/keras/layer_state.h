#pragma once
/// What the copies of a layer share, and how layers were called for a functional model.

#include <flowray/tf/keras/layer.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace flowray::tf::keras {

struct Layer::State {
  std::string name;
  bool trainable = true;
  std::optional<DType> dtype;  // of its weights
  bool is_dtype_given = false;
  bool is_built = false;
  bool is_shared = false;  // by its copies
  std::optional<TensorShape> input_shape;
  std::vector<Variable> trainable_weights;
  std::vector<Variable> non_trainable_weights;
  std::vector<Operation> updates;
  std::vector<Tensor> call_losses;
  std::map<std::string, regularizers::Regularizer> regularizers;
  std::map<std::string, constraints::Constraint> constraints;
  regularizers::Regularizer activity_regularizer;
  std::map<std::string, Variable> named_weights;      // by the names of rules
  std::vector<TensorShape> output_shapes;             // of its last call
  std::vector<std::weak_ptr<const LayerCall>> calls;  // those for functional models
  bool supports_masking = false;
  bool is_channels_first = false;  // what it takes and gives; inside channels are last
  std::vector<InputSpec> input_spec;
  Config made_of;          // arguments of a layer of the language's but for the rules; else null
  std::string unwritable;  // the argument among them that no file can hold
  // For the call that is running:
  std::vector<Tensor> input_masks;
  CallArguments arguments;
};

/// One call of a layer on KerasTensors.
struct LayerCall {
  std::shared_ptr<Layer> layer;          // null where nothing keeps it
  const void* layer_identity = nullptr;  // the same for copies of a layer
  std::string layer_name;
  std::vector<KerasTensor> inputs;
  bool has_mask = false;  // the last one of the inputs is the mask of the first
  std::optional<bool> training;
  CallArguments arguments;
  std::vector<Tensor> outputs;
  int number = 0;  // of the layer's calls
};

/// Whether the call of a layer goes on in this thread: what it makes of tensors is that layer's.
bool is_in_call();

/// The layer that Input() stands for.
class InputLayer : public Layer {
 public:
  InputLayer(const std::string& name, const TensorShape& batch_shape, DType dtype)
      : Layer("InputLayer", {.name = name}), batch_shape_(batch_shape), dtype_(dtype) {
    support_masking();
  }
  const TensorShape& batch_shape() const { return batch_shape_; }
  DType dtype() const { return dtype_; }
  std::string class_name() const override { return "InputLayer"; }
  bool built() const override { return true; }
  Config get_config() const override;

 private:
  TensorShape batch_shape_;
  DType dtype_;
};

}  // namespace flowray::tf::keras
