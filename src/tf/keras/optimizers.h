#pragma once
/// Optimizers by the names that tf.keras has for them.

#include <flowray/tf/keras/models.h>

#include <memory>

namespace flowray::tf::keras {

/// With tf.keras' rates. Throws ValueError "Unknown optimizer" for a name that is none.
std::shared_ptr<train::Optimizer> optimizer_of(const OptimizerArgument& argument);

}  // namespace flowray::tf::keras
