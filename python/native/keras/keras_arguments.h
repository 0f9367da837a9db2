#pragma once
/// What the sources of tf.keras share.

#include "native/layers/layer_arguments.h"

#include <flowray/tf/keras.h>

#include <vector>

namespace flowray::python {

template <>
inline constexpr auto kFrom<tf::keras::Activation> =
    +[](nb::handle object) { return tf::keras::Activation(activation_of(object)); };

/// An argument that is an initializer.
inline Argument initializer_argument(const char* name) { return converted(name, &layer_initializer); }

/// The tensors of a list or tuple, or the only one.
std::vector<nb::object> given_tensors(nb::handle inputs);
std::vector<tf::keras::KerasTensor> keras_tensors_of(const std::vector<nb::object>& objects);
/// The item of a list of one, else the list.
nb::object one_or_list(nb::list list);
nb::list give_keras(const std::vector<tf::keras::KerasTensor>& tensors);

void bind_layer_base(nb::module_& m);
void bind_layer_classes(nb::module_& m);
void bind_merging_layers(nb::module_& m);
void bind_convolution_layers(nb::module_& m);
void bind_pooling_layers(nb::module_& m);
void bind_shape_layers(nb::module_& m);
void bind_activation_layers(nb::module_& m);
void bind_recurrent_layers(nb::module_& m);

}  // namespace flowray::python
