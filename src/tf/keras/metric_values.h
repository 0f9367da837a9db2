#pragma once
/// What metrics make of true values, predictions and weights before they count.

#include <flowray/tf/keras/losses.h>
#include <flowray/tf/tensor.h>

#include <cstdint>
#include <string>
#include <utility>

namespace flowray::tf::keras {

/// Both without a last dimension of 1 that only one of them has.
std::pair<Tensor, Tensor> of_one_rank(const Tensor& y_true, const Tensor& y_pred);
/// Weights of elements, repeated along what dimensions `values` has more.
Tensor weights_like(const Tensor& sample_weight, const Tensor& values);
/// As float32.
Tensor as_float32(const Tensor& values);
/// Throws ValueError where there are none.
void check_are_predictions(const Tensor& y_pred, const std::string& class_name);

/// binary_accuracy of what is above `threshold`.
ScoreFunction::Function binary_accuracy_above(double threshold);
/// Throw ValueError for k below 1.
ScoreFunction::Function top_categorical_accuracy(int64_t k);
ScoreFunction::Function sparse_top_categorical_accuracy(int64_t k);

}  // namespace flowray::tf::keras
