#include <flowray/tf/keras/activations.h>
#include <flowray/tf/layers.h>

namespace flowray::tf::keras {

Activation::Activation(std::string_view name) : FunctionOf<Tensor>(tf::layers::activation(name)) {}

}  // namespace flowray::tf::keras
