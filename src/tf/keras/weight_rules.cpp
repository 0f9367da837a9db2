#include "tf/keras/weight_rules.h"

#include <flowray/tf/array.h>
#include <flowray/tf/errors.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>

#include <fmt/format.h>

#include <vector>

namespace flowray::tf::keras {
namespace {

constexpr double kEpsilon = 1e-7;  // keeps lengths of 0 from dividing
constexpr const char* kKernel = "_kernel";

double number_in(const Config& config, const char* name, double otherwise) {
  const Config* const found = config.find(name);
  return found == nullptr || found->is_null() ? otherwise : found->number();
}

[[noreturn]] void throw_unknown(const char* what, const Config& rule) {
  throw errors::UnimplementedError(
      fmt::format("Unknown {}: {}\nKnown are L1, L2, L1L2, MaxNorm, NonNeg, UnitNorm and MinMaxNorm.", what,
                  rule.to_json()));
}

/// The sum of what it is for a weight or an output.
FunctionOf<Tensor> penalty_of(const Config& rule) {
  const std::string& class_name = rule.at("class_name").text();
  const Config& config = rule.at("config");
  const double l1 = class_name == "L2" ? 0 : number_in(config, "l1", class_name == "L1" ? 0.01 : 0);
  const double l2 = class_name == "L1" ? 0 : number_in(config, "l2", class_name == "L2" ? 0.01 : 0);
  if (class_name != "L1" && class_name != "L2" && class_name != "L1L2") throw_unknown("regularizer", rule);
  return [l1, l2](const Tensor& x) {
    Tensor sum = l1 == 0 ? Tensor() : l1 * reduce_sum(abs(x));
    if (l2 != 0) sum = sum.has_value() ? sum + l2 * reduce_sum(square(x)) : l2 * reduce_sum(square(x));
    return sum.has_value() ? sum : constant(0.0f);
  };
}

Tensor lengths(const Tensor& weight, const std::vector<int64_t>& axes) {
  return sqrt(reduce_sum(square(weight), axes, {.keepdims = true}));
}

}  // namespace

std::string weight_of_rule(const std::string& beginning) {
  const bool is_kernel = beginning == "recurrent" || beginning == "depthwise" || beginning == "pointwise";
  return is_kernel ? beginning + kKernel : beginning;
}

std::string rule_of_weight(const std::string& weight) {
  const std::string beginning = weight.substr(0, weight.find(kKernel));
  return weight_of_rule(beginning) == weight ? beginning : weight;
}

Regularizer regularizer_of(const Config& rule) {
  return [penalty = penalty_of(rule)](const Variable& weight) { return penalty(weight.value()); };
}

FunctionOf<Tensor> activity_regularizer_of(const Config& rule) { return penalty_of(rule); }

FunctionOf<Tensor> constraint_of(const Config& rule) {
  const std::string& class_name = rule.at("class_name").text();
  const Config& config = rule.at("config");
  std::vector<int64_t> axes = {0};
  if (const Config* const axis = config.find("axis"))
    axes = axis->is_list() ? axis->integers() : std::vector<int64_t>{axis->integer()};
  if (class_name == "NonNeg")
    return [](const Tensor& w) { return w * cast(w >= 0.0, base_dtype(w.dtype())); };
  if (class_name == "UnitNorm") return [axes](const Tensor& w) { return w / (kEpsilon + lengths(w, axes)); };
  const double greatest = number_in(config, "max_value", class_name == "MaxNorm" ? 2 : 1);
  if (class_name == "MaxNorm") {
    return [axes, greatest](const Tensor& w) {
      const Tensor length = lengths(w, axes);
      return w * (clip_by_value(length, 0.0, greatest) / (kEpsilon + length));
    };
  }
  if (class_name != "MinMaxNorm") throw_unknown("constraint", rule);
  const double least = number_in(config, "min_value", 0);
  const double rate = number_in(config, "rate", 1);
  return [=](const Tensor& w) {
    const Tensor length = lengths(w, axes);
    const Tensor wanted = rate * clip_by_value(length, least, greatest) + (1 - rate) * length;
    return w * (wanted / (kEpsilon + length));
  };
}

}  // namespace flowray::tf::keras
