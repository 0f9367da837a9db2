#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flowray::ray {

/// Variables of the environment that a call of a worker has: those of the process as long as the call runs,
/// as a worker runs its tasks one after the other; of an actor as long as its process does. An interpreter,
/// which keeps a copy of the environment, asks for what has changed.
class CallEnvironment {
 public:
  /// In the thread that is about to run a task, or to make the actor: `environment` is as in CallOptions.
  /// What the last task had is gone.
  void enter(std::string_view environment);

  using Change = std::pair<std::string, std::optional<std::string>>;  // none: it is not set
  /// In this process, since the last call of this function.
  static std::vector<Change> take_changes();

 private:
  void set(const std::string& name, const std::optional<std::string>& value);

  std::vector<Change> before_;  // of the variables that the task has
};

/// Calls f(name, value) for each variable of an environment as in CallOptions.
template <class F>
void each_variable(std::string_view environment, const F& f) {
  while (!environment.empty()) {
    const std::string_view variable = environment.substr(0, environment.find('\0'));
    environment.remove_prefix(std::min(variable.size() + 1, environment.size()));
    const size_t equals = variable.find('=');
    if (equals == std::string_view::npos) continue;
    f(std::string(variable.substr(0, equals)), std::string(variable.substr(equals + 1)));
  }
}

}  // namespace flowray::ray
