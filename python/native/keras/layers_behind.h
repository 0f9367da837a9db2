#pragma once
/// Which layers of a functional model stand behind tensors that other functions of the language have made of
/// the model's. tf.keras notes it in the tensors of its graph. Here it stands in the objects that Python has
/// of them: a graph that held layers, which hold it, would never end.

#include <flowray/tf/keras.h>

#include <nanobind/nanobind.h>

#include <atomic>
#include <memory>
#include <vector>

namespace flowray::python {

/// What keeps the layers behind a tensor.
struct Derivation {
  std::vector<std::shared_ptr<const tf::keras::LayerCall>> calls;
  std::vector<std::shared_ptr<const Derivation>> others;
};

/// A tensor that was made of tensors of layers.
class DerivedTensor : public tf::Tensor {
 public:
  DerivedTensor(const tf::Tensor& tensor, std::shared_ptr<const Derivation> derivation)
      : Tensor(tensor), derivation_(std::move(derivation)) {}

 private:
  std::shared_ptr<const Derivation> derivation_;
};

/// Whether any tensor of this process came out of a layer, for all that make no models.
extern std::atomic<bool> layers_are_known;

/// From now on its graph knows that this tensor comes out of a layer.
void note_tensor_of_layer(const tf::keras::KerasTensor& tensor);

/// The tensor's object: a KerasTensor, a DerivedTensor, or a Tensor where no layer is behind it, and in calls
/// of layers.
nanobind::object give_with_layers_behind(const tf::Tensor& tensor);

void bind_layers_behind(nanobind::module_& m);

}  // namespace flowray::python
