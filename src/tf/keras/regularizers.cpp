#include <flowray/tf/keras/regularizers.h>

#include <flowray/tf/array.h>
#include <flowray/tf/errors.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>

#include "tf/build/user_line.h"
#include "tf/keras/weight_rules.h"

#include <fmt/format.h>

#include <cmath>

namespace flowray::tf::keras::regularizers {
namespace {

/// As float32, in which tf.keras keeps it.
double checked_factor(double factor, Input::Where where) {
  if (std::isfinite(factor)) return static_cast<double>(static_cast<float>(factor));
  const ErrorLine line(where);
  throw ValueError(
      fmt::format("Value {} is not a valid regularization penalty number, an infinite number or NaN are not "
                  "valid values.",
                  factor));
}

FunctionOf<Tensor> penalty_of(double l1, double l2) {
  return [l1, l2](const Tensor& x) {
    Tensor sum = l1 == 0 ? Tensor() : l1 * reduce_sum(abs(x));
    if (l2 != 0) sum = sum.has_value() ? sum + l2 * reduce_sum(square(x)) : l2 * reduce_sum(square(x));
    return sum.has_value() ? sum : cast(0.0f, base_dtype(x.dtype()));
  };
}

}  // namespace

Regularizer::Regularizer(std::string_view name, Input::Where where)
    : Regularizer(deserialize(Config(name), where)) {}

Tensor Regularizer::operator()(const Variable& weight) const {
  return of_weight_.has_value() ? of_weight_(weight) : of_tensor_(weight.value());
}

Tensor Regularizer::operator()(const Tensor& x) const {
  if (of_weight_.has_value()) {
    throw TypeError(
        "The regularizer of what a layer gives is a function of a Variable.\nGive it a function of a "
        "Tensor.");
  }
  return of_tensor_(x);
}

Regularizer l1(double factor, Input::Where where) {
  const double kept = checked_factor(factor, where);
  return {penalty_of(kept, 0), told_rule("L1", Config::items({{"l1", kept}}))};
}

Regularizer l2(double factor, Input::Where where) {
  const double kept = checked_factor(factor, where);
  return {penalty_of(0, kept), told_rule("L2", Config::items({{"l2", kept}}))};
}

Regularizer l1_l2(const L1L2Options& options, Input::Where where) {
  const double l1 = checked_factor(options.l1, where);
  const double l2 = checked_factor(options.l2, where);
  return {penalty_of(l1, l2), told_rule("L1L2", Config::items({{"l1", l1}, {"l2", l2}}))};
}

Regularizer deserialize(const Config& config, Input::Where where) {
  const ToldRule told(config);
  const std::string& name = told.class_name();
  L1L2Options options;
  if (name == "L1L2") options = {.l1 = 0, .l2 = 0};  // as tf.keras has it of the class alone
  told.read("l1", options.l1);
  told.read("l2", options.l2);
  if (name == "L1" || name == "l1") return l1(options.l1, where);
  if (name == "L2" || name == "l2") return l2(options.l2, where);
  if (name == "L1L2" || name == "l1_l2") return l1_l2(options, where);
  const ErrorLine line(where);
  told.throw_unknown("regularizer");
}

}  // namespace flowray::tf::keras::regularizers
