#pragma once
/// Losses and metrics by their names.

#include <flowray/tf/keras/losses.h>

#include <string>

namespace flowray::tf::keras {

/// The function that `score` stands for. Throws ValueError "Unknown loss function" for another name.
ScoreFunction::Function loss_of(const ScoreFunction& score);
/// A metric for outputs of this shape; "accuracy" and "acc" choose by it, by the true values' and by the
/// loss. Null for a metrics::Metric that is no mean.
ScoreFunction::Function metric_of(const ScoreFunction& score, const TensorShape& y_true,
                                  const TensorShape& y_pred, const ScoreFunction& loss = {});
/// What a loss is, whether it was given by a name, as a function or as an object.
std::string loss_name(const ScoreFunction& loss);
/// What logs and histories call it.
std::string metric_name(const ScoreFunction& score);

}  // namespace flowray::tf::keras
