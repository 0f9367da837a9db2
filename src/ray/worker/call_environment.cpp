#include "ray/worker/call_environment.h"

#include <cstdlib>

#include "core/guarded.h"

namespace flowray::ray {
namespace {

Guarded<std::vector<CallEnvironment::Change>>& changes() {
  static auto* const changes = new Guarded<std::vector<CallEnvironment::Change>>();
  return *changes;
}

}  // namespace

void CallEnvironment::set(const std::string& name, const std::optional<std::string>& value) {
  if (value) {
    setenv(name.c_str(), value->c_str(), 1);
  } else {
    unsetenv(name.c_str());
  }
  changes().lock()->emplace_back(name, value);
}

void CallEnvironment::enter(std::string_view environment) {
  for (const auto& [name, value] : before_) set(name, value);
  before_.clear();
  each_variable(environment, [&](const std::string& name, const std::string& value) {
    const char* const had = std::getenv(name.c_str());
    before_.emplace_back(name, had == nullptr ? std::nullopt : std::optional<std::string>(had));
    set(name, value);
  });
}

std::vector<CallEnvironment::Change> CallEnvironment::take_changes() {
  return std::exchange(*changes().lock(), {});
}

}  // namespace flowray::ray
