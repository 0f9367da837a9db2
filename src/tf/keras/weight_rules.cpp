#include "tf/keras/weight_rules.h"

#include <flowray/tf/errors.h>

#include <fmt/format.h>

#include <utility>

namespace flowray::tf::keras {
namespace {

constexpr const char* kKernel = "_kernel";

}  // namespace

std::string weight_of_rule(const std::string& beginning) {
  const bool is_kernel = beginning == "recurrent" || beginning == "depthwise" || beginning == "pointwise";
  return is_kernel ? beginning + kKernel : beginning;
}

std::string rule_of_weight(const std::string& weight) {
  const std::string beginning = weight.substr(0, weight.find(kKernel));
  return weight_of_rule(beginning) == weight ? beginning : weight;
}

Config told_rule(const char* class_name, Config config) {
  return Config::items({{"class_name", class_name}, {"config", std::move(config)}});
}

ToldRule::ToldRule(const Config& told)
    : class_name_(told.is_text() ? told.text() : told.at("class_name").text()),
      config_(told.is_text() ? Config() : told.at("config")) {}

const Config* ToldRule::find(const char* name) const {
  const Config* const found = config_.find(name);
  return found == nullptr || found->is_null() ? nullptr : found;
}

void ToldRule::read(const char* name, double& value) const {
  if (const Config* const found = find(name)) value = found->number();
}

void ToldRule::read(const char* name, std::vector<int64_t>& value) const {
  const Config* const found = find(name);
  if (found != nullptr) value = found->is_list() ? found->integers() : std::vector{found->integer()};
}

void ToldRule::throw_unknown(const char* what) const {
  throw ValueError(
      fmt::format("Unknown {0}: '{1}'. Please ensure you are using a `keras.utils.custom_object_scope` and "
                  "that this object is included in the scope. See "
                  "https://www.tensorflow.org/guide/keras/save_and_serialize#registering_the_custom_object "
                  "for details.\nThe names that are known stand in flowray/tf/keras/{0}s.h; what the program "
                  "made itself is named in CustomObjects.{0}s.",
                  what, class_name_));
}

}  // namespace flowray::tf::keras
