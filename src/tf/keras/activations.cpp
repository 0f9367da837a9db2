#include <flowray/tf/keras/activations.h>
#include <flowray/tf/layers.h>

namespace flowray::tf::keras {

Activation::Activation(std::string_view name, Input::Where where)
    : FunctionOf<Tensor>(tf::layers::activation(name, where)) {}

}  // namespace flowray::tf::keras
