#include "ops/variables/training_scalars.h"

namespace flowray::ops {
namespace {

ScalarDemand plain(std::string_view what, std::string_view separator = ": ") {
  return {ScalarRange::kAny, std::string(what) + " is not a scalar" + std::string(separator)};
}

ScalarDemand within(ScalarRange range, std::string_view what, std::string_view kind) {
  return {range, std::string(what) + " is not a " + std::string(kind) + " scalar: "};
}

ScalarDemand ftrl_demand(bool sparse, std::string_view input, const std::string& strength) {
  if (input == "l2_shrinkage") return plain("l2 shrinkage regularization strength");
  if (!sparse) {
    if (input == "lr_power") return plain(input, "");
    return plain(input == "lr" ? std::string(input) : strength);
  }
  if (input == "lr") {
    return {ScalarRange::kPositiveOrZero,
            "lr is not a positive scalar (or zero if multiply_linear_by_lr is set): "};
  }
  if (input == "lr_power") return within(ScalarRange::kNotPositive, input, "non-positive");
  return within(ScalarRange::kNotNegative, strength, "non-negative");
}

}  // namespace

ScalarDemand scalar_demand(std::string_view op, std::string_view input) {
  const bool sparse = op.find("Sparse") != std::string_view::npos;
  const std::string_view rule = op.substr(op.find("Apply") + std::string_view("Apply").size());
  const std::string strength = std::string(input) + " regularization strength";
  if (rule.starts_with("Ftrl")) return ftrl_demand(sparse, input, strength);
  const bool is_strength = input == "l1" || input == "l2";
  if (rule == "ProximalAdagrad") {
    return is_strength ? within(ScalarRange::kNotNegative, strength, "non-negative")
                       : within(ScalarRange::kPositive, input, "positive");
  }
  if (is_strength) return plain(strength);
  if (sparse && rule == "ProximalGradientDescent" && input == "alpha") return plain("lr");
  const bool spaced =
      sparse ? rule == "Momentum" : rule.starts_with("Adam") || rule == "AdaMax" || rule.ends_with("RMSProp");
  return plain(input, input == "lr" && spaced ? " : " : ": ");
}

}  // namespace flowray::ops
