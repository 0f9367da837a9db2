#pragma once
/// Layers and models of classes of the program's own.

#include "native/keras/keras_arguments.h"

#include <flowray/tf/eager.h>
#include <flowray/tf/keras.h>

#include "tf/keras/model_state.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace flowray::python {

namespace keras = tf::keras;
using keras::KerasTensor;
using keras::Layer;
using keras::Model;

/// What flowray/tf/keras/base_layer.py needs of a layer whose class is of Python's.
class OwnLayer {
 public:
  virtual ~OwnLayer() = default;
  virtual tf::Variable add_own_weight(const std::string& name, const tf::TensorShape& shape,
                                      const tf::keras::WeightOptions& options) = 0;
  virtual void add_own_loss(const tf::Tensor& loss) = 0;
  virtual void add_own_update(const tf::Operation& update) = 0;
  virtual void set_built(bool built) = 0;
  virtual void set_masking(bool supports) = 0;
  /// The mask of each input in the call that is running.
  virtual std::vector<tf::Tensor> own_input_masks() const = 0;
  /// For a model: sets the layers that it is made of, in the order of its weights.
  virtual void set_layers(const std::vector<std::shared_ptr<tf::keras::Layer>>& layers) = 0;
  virtual void set_ends(const std::vector<tf::keras::KerasTensor>& inputs,
                        const std::vector<tf::keras::KerasTensor>& outputs) = 0;
  /// What the language's class does that Python's derives from.
  virtual void build_as_language(const std::vector<tf::TensorShape>& input_shapes) = 0;
  virtual std::vector<tf::Tensor> call_as_language(const std::vector<tf::Tensor>& inputs, bool training) = 0;
  virtual std::vector<tf::Tensor> mask_as_language(const std::vector<tf::Tensor>& inputs,
                                                   const std::vector<tf::Tensor>& masks) = 0;
};

tf::keras::CallArguments arguments_of(nb::handle object);
nb::object object_of(const tf::keras::CallArguments& arguments);

using Layers = std::vector<std::shared_ptr<Layer>>;

inline Layers layers_in(nb::handle list) {
  Layers layers;
  for (nb::handle layer : list) layers.push_back(nb::cast<std::shared_ptr<Layer>>(layer));
  return layers;
}

inline std::vector<tf::Variable> variables_in(nb::handle list) {
  std::vector<tf::Variable> variables;
  for (nb::handle variable : list) variables.push_back(nb::cast<const tf::Variable&>(variable));
  return variables;
}

inline void add_unknown(std::vector<tf::Variable>& all, const std::vector<tf::Variable>& others) {
  for (const tf::Variable& variable : others) {
    if (std::ranges::find(all, variable) == all.end()) all.push_back(variable);
  }
}

inline nb::list give_or_none(const std::vector<tf::Tensor>& tensors) {
  nb::list list;
  for (const tf::Tensor& tensor : tensors) list.append(tensor.has_value() ? give(tensor) : nb::none());
  return list;
}

/// A layer or model that asks its object of Python's. That one holds it, so it is not held in turn.
template <class Base>
class OfPython : public Base, public OwnLayer {
 public:
  template <class... Arguments>
  OfPython(nb::handle self, std::string class_name, Arguments&&... arguments)
      : Base(std::forward<Arguments>(arguments)...), self_(self), class_name_(std::move(class_name)) {}

  std::string class_name() const override { return class_name_; }
  bool built() const override { return is_built_; }
  std::shared_ptr<Layer> copy() const override { return nullptr; }
  void set_trainable(bool trainable) override {
    const nb::gil_scoped_acquire lock;
    this->Layer::set_trainable(trainable);
    for (const auto& layer : inner()) layer->set_trainable(trainable);
  }
  std::vector<tf::Variable> weights() const override {
    const nb::gil_scoped_acquire lock;
    std::vector<tf::Variable> all = trainable_weights();
    add_unknown(all, non_trainable_weights());
    return all;
  }
  std::vector<tf::Variable> trainable_weights() const override {
    const nb::gil_scoped_acquire lock;
    if (!this->trainable()) return {};
    std::vector<tf::Variable> all = this->Layer::trainable_weights();
    add_unknown(all, loose(/*trainable=*/true));
    for (const auto& layer : inner()) add_unknown(all, layer->trainable_weights());
    return all;
  }
  std::vector<tf::Variable> non_trainable_weights() const override {
    const nb::gil_scoped_acquire lock;
    std::vector<tf::Variable> all = this->Layer::non_trainable_weights();
    if (!this->trainable()) add_unknown(all, loose(/*trainable=*/true));
    add_unknown(all, loose(/*trainable=*/false));
    for (const auto& layer : inner()) add_unknown(all, layer->non_trainable_weights());
    return all;
  }
  std::vector<tf::Operation> updates() const override {
    return joined(this->Layer::updates(), [](const Layer& layer) { return layer.updates(); });
  }
  std::vector<tf::Tensor> losses() const override {
    const nb::gil_scoped_acquire lock;
    std::vector<tf::Tensor> all =
        joined(this->Layer::losses(), [](const Layer& layer) { return layer.losses(); });
    for (nb::handle loss : nb::list(self_.attr("_losses_by_functions")()))
      all.push_back(tf::convert_to_tensor(as_input(loss)));
    return all;
  }
  std::vector<std::pair<tf::Variable, tf::FunctionOf<tf::Tensor>>> constraints() const override {
    return joined(this->Layer::constraints(), [](const Layer& layer) { return layer.constraints(); });
  }
  void clear_updates() override {
    const nb::gil_scoped_acquire lock;
    this->Layer::clear_updates();
    for (const auto& layer : inner()) layer->clear_updates();
  }

  tf::Variable add_own_weight(const std::string& name, const tf::TensorShape& shape,
                              const keras::WeightOptions& options) override {
    return this->add_weight(name, shape, options);
  }
  void add_own_loss(const tf::Tensor& loss) override { this->add_loss(loss); }
  void add_own_update(const tf::Operation& update) override { this->add_update(update); }
  void set_built(bool built) override { is_built_ = built; }
  void set_masking(bool supports) override { this->support_masking(supports); }
  std::vector<tf::Tensor> own_input_masks() const override { return this->input_masks(); }
  void set_layers(const Layers&) override {}
  void set_ends(const std::vector<KerasTensor>&, const std::vector<KerasTensor>&) override {}
  void build_as_language(const std::vector<tf::TensorShape>& input_shapes) override {
    this->Base::build_for(input_shapes);
  }
  std::vector<tf::Tensor> call_as_language(const std::vector<tf::Tensor>& inputs, bool training) override {
    return this->Base::call_for(inputs, training);
  }
  std::vector<tf::Tensor> mask_as_language(const std::vector<tf::Tensor>& inputs,
                                           const std::vector<tf::Tensor>& masks) override {
    if constexpr (std::is_same_v<Base, Model>) return this->Layer::compute_mask(inputs, masks);
    return this->Base::compute_mask(inputs, masks);
  }

 protected:
  void build_for(const std::vector<tf::TensorShape>& input_shapes) override {
    const nb::gil_scoped_acquire lock;
    nb::list shapes;
    for (const tf::TensorShape& shape : input_shapes) shapes.append(shape_object(shape));
    self_.attr("_build_for")(shapes, object_of(this->arguments()));
    is_built_ = true;
  }
  std::vector<tf::Tensor> call_for(const std::vector<tf::Tensor>& inputs, bool training) override {
    const nb::gil_scoped_acquire lock;
    const nb::object outputs = self_.attr("_call_for")(give(inputs), training, object_of(this->arguments()));
    std::vector<tf::Tensor> tensors;
    for (nb::handle output : outputs) tensors.push_back(tf::convert_to_tensor(as_input(output)));
    return tensors;
  }
  std::vector<tf::Tensor> compute_mask(const std::vector<tf::Tensor>& inputs,
                                       const std::vector<tf::Tensor>& masks) override {
    const nb::gil_scoped_acquire lock;
    const nb::object made = self_.attr("_mask_for")(give(inputs), give_or_none(masks));
    if (made.is_none()) return mask_as_language(inputs, masks);
    std::vector<tf::Tensor> tensors;
    for (nb::handle mask : made)
      tensors.push_back(mask.is_none() ? tf::Tensor() : tf::convert_to_tensor(as_input(mask)));
    return tensors;
  }

  nb::handle self_;  // NOLINT(cppcoreguidelines-non-private-member-variables-in-classes): of PythonModel, too
  Layers inner() const { return layers_in(self_.attr("_inner_layers")()); }

 private:
  std::vector<tf::Variable> loose(bool trainable) const {
    return variables_in(self_.attr("_loose_variables")(trainable));
  }
  template <class All, class Get>
  All joined(All all, const Get& get) const {
    const nb::gil_scoped_acquire lock;
    for (const auto& layer : inner()) {
      const All own = get(*layer);
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  }

  std::string class_name_;
  bool is_built_ = false;
};

class PythonLayer final : public OfPython<Layer> {
 public:
  using OfPython<Layer>::OfPython;
};

class PythonModel final : public OfPython<Model> {
 public:
  PythonModel(nb::handle self, const std::string& class_name, const std::string& name)
      : OfPython<Model>(self, class_name, name, std::make_shared<State>()) {
    model_->graph = keras::home_graph();
  }
  void set_layers(const Layers& layers) override { model_->layers = layers; }
  /// Those of one layer after the other, as files have them, then the model's own.
  std::vector<tf::Variable> weights() const override {
    const nb::gil_scoped_acquire lock;
    std::vector<tf::Variable> all;
    for (const auto& layer : inner()) add_unknown(all, layer->weights());
    add_unknown(all, OfPython<Model>::weights());
    return all;
  }
  void set_ends(const std::vector<KerasTensor>& inputs, const std::vector<KerasTensor>& outputs) override {
    model_->set_ends(inputs, outputs);
    model_->output_names.clear();
    for (size_t i = 0; i < outputs.size(); ++i)
      model_->output_names.push_back("output_" + std::to_string(i + 1));
    model_->is_deferred = true;
    model_->is_built = true;
  }
};

/// Null for a layer of the language's.
OwnLayer* own_layer(tf::keras::Layer& layer);
/// Makes the language's part of a layer at `place`, for its object of Python's.
void init_own_layer(void* place, nb::handle self, const nb::args& args, const nb::kwargs& options);
void init_own_model(void* place, nb::handle self, nb::handle name);

void bind_own_layers(nb::class_<Layer, PythonLayer>& layer);

}  // namespace flowray::python
