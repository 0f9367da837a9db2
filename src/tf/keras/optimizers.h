#pragma once
/// Optimizers by the names that tf.keras has for them.

#include <flowray/tf/config.h>
#include <flowray/tf/keras/models.h>

#include <memory>

namespace flowray::tf::keras {

/// With tf.keras' rates. Throws ValueError "Unknown optimizer" for another name.
std::shared_ptr<train::Optimizer> optimizer_of(const OptimizerArgument& argument);
/// The one that a file tells of: {"class_name": "SGD", "config": ...}. Throws errors::UnimplementedError for
/// options that are not there.
OptimizerArgument optimizer_of_config(const Config& told);

}  // namespace flowray::tf::keras
