#include <flowray/tf/keras/constraints.h>

#include <flowray/tf/array.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>

#include "tf/build/user_line.h"
#include "tf/keras/weight_rules.h"

namespace flowray::tf::keras::constraints {
namespace {

constexpr double kEpsilon = 1e-7;  // keeps lengths of 0 from dividing

Tensor lengths(const Tensor& weight, const std::vector<int64_t>& axis) {
  return sqrt(reduce_sum(square(weight), axis, {.keepdims = true}));
}

/// One dimension as its number, as tf.keras is mostly given it.
Config axis_config(const std::vector<int64_t>& axis) { return axis.size() == 1 ? Config(axis[0]) : axis; }

}  // namespace

Constraint::Constraint(std::string_view name, Input::Where where)
    : Constraint(deserialize(Config(name), where)) {}

Constraint MaxNorm(const MaxNormOptions& options) {
  const auto limit = [options](const Tensor& w) {
    const Tensor length = lengths(w, options.axis);
    return w * (clip_by_value(length, 0.0, options.max_value) / (kEpsilon + length));
  };
  return {limit, told_rule("MaxNorm", Config::items({{"max_value", options.max_value},
                                                     {"axis", axis_config(options.axis)}}))};
}

Constraint NonNeg() {
  return {[](const Tensor& w) { return w * cast(w >= 0.0, base_dtype(w.dtype())); },
          told_rule("NonNeg", Config::items())};
}

Constraint UnitNorm(const UnitNormOptions& options) {
  return {[options](const Tensor& w) { return w / (kEpsilon + lengths(w, options.axis)); },
          told_rule("UnitNorm", Config::items({{"axis", axis_config(options.axis)}}))};
}

Constraint MinMaxNorm(const MinMaxNormOptions& options) {
  const auto limit = [options](const Tensor& w) {
    const Tensor length = lengths(w, options.axis);
    const Tensor limited = clip_by_value(length, options.min_value, options.max_value);
    const Tensor wanted = options.rate * limited + (1 - options.rate) * length;
    return w * (wanted / (kEpsilon + length));
  };
  return {limit, told_rule("MinMaxNorm", Config::items({{"min_value", options.min_value},
                                                        {"max_value", options.max_value},
                                                        {"rate", options.rate},
                                                        {"axis", axis_config(options.axis)}}))};
}

Constraint deserialize(const Config& config, Input::Where where) {
  const ToldRule told(config);
  const std::string& name = told.class_name();
  if (name == "NonNeg" || name == "non_neg") return NonNeg();
  if (name == "UnitNorm" || name == "unit_norm") {
    UnitNormOptions options;
    told.read("axis", options.axis);
    return UnitNorm(options);
  }
  if (name == "MaxNorm" || name == "max_norm") {
    MaxNormOptions options;
    told.read("max_value", options.max_value);
    told.read("axis", options.axis);
    return MaxNorm(options);
  }
  if (name == "MinMaxNorm" || name == "min_max_norm") {
    MinMaxNormOptions options;
    told.read("min_value", options.min_value);
    told.read("max_value", options.max_value);
    told.read("rate", options.rate);
    told.read("axis", options.axis);
    return MinMaxNorm(options);
  }
  const ErrorLine line(where);
  told.throw_unknown("constraint");
}

}  // namespace flowray::tf::keras::constraints
