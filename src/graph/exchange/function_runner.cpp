#include "graph/exchange/function_runner.h"

#include <flowray/errors.h>

#include "graph/kernel/kernel.h"

#include <utility>

namespace flowray::graph {

void FunctionRunner::tell_end_to(std::weak_ptr<FunctionUser> user) {
  const MutexLock lock(users_mutex_);
  std::erase_if(users_, [](const std::weak_ptr<FunctionUser>& known) { return known.expired(); });
  users_.push_back(std::move(user));
}

void FunctionRunner::tell_end() {
  std::vector<std::weak_ptr<FunctionUser>> users;
  {
    const MutexLock lock(users_mutex_);
    users.swap(users_);
  }
  // Without the lock: what a user lets go may call functions once more.
  for (const std::weak_ptr<FunctionUser>& known : users) {
    if (const std::shared_ptr<FunctionUser> user = known.lock()) user->functions_end();
  }
}

FunctionRunner& function_runner(NodeStates& states) {
  if (auto* runner = dynamic_cast<FunctionRunner*>(&states)) return *runner;
  throw errors::UnimplementedError("Functions run in sessions only");
}

}  // namespace flowray::graph
