#pragma once
/// What the layers that move, repeat or leave out elements are made of.

#include <flowray/tf/keras/shape_layers.h>

#include <vector>

namespace flowray::tf::keras::layers {

LayerOptions layer_options(const MovedOptions& options);
/// Throws ValueError for numbers below 0.
Ends checked_ends(Ends ends, const char* what, tf::Input::Where where);
/// Zeros at the ends of dimensions, of all of them.
Tensor padded(const Tensor& inputs, const std::vector<Ends>& of_dims);
/// What stands between the ends of the dimensions behind the batch. Throws ValueError where nothing does.
Tensor cropped(const Tensor& inputs, const std::vector<Ends>& of_dims);
/// [batch, channels, ...] as [batch, ..., channels]; tensors of less than three dimensions as they are.
Tensor with_channels_last(const Tensor& x);
/// The other way round.
Tensor with_channels_first(const Tensor& x);
/// Each element of a dimension so many times.
Tensor repeated(const Tensor& inputs, int64_t times, int64_t axis);

}  // namespace flowray::tf::keras::layers
