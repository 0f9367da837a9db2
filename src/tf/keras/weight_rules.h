#pragma once
/// Regularizers and constraints of files: {"class_name": "L2", "config": {"l2": 0.01}}.

#include <flowray/tf/config.h>
#include <flowray/tf/function_of.h>
#include <flowray/tf/variable_scope.h>

#include <string>

namespace flowray::tf::keras {

/// The weight that "recurrent_regularizer" is meant for, by its beginning: "recurrent_kernel".
std::string weight_of_rule(const std::string& beginning);
/// The beginning of the names of a weight's rules: "recurrent" of "recurrent_kernel".
std::string rule_of_weight(const std::string& weight);

/// Throw errors::UnimplementedError for other classes than those of tf.keras.
Regularizer regularizer_of(const Config& rule);
FunctionOf<Tensor> activity_regularizer_of(const Config& rule);
FunctionOf<Tensor> constraint_of(const Config& rule);

}  // namespace flowray::tf::keras
