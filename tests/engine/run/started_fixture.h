#pragma once
/// Steps that were started and end some time.

#include "engine/run/blocking_fixture.h"

#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace flowray::engine {

inline int64_t num_threads() {
  const auto tasks = std::filesystem::directory_iterator("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

/// How a run ended, once it has.
class End {
 public:
  RunDone done() {
    return [promise = promise_](RunOutcome outcome) { promise->set_value(std::move(outcome)); };
  }
  bool has_come() const { return outcome_.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }
  /// The only result, or throws.
  Array get() {
    RunOutcome outcome = outcome_.get();
    if (outcome.error != nullptr) std::rethrow_exception(outcome.error);
    return outcome.results.empty() ? Array() : outcome.results[0];
  }

 private:
  std::shared_ptr<std::promise<RunOutcome>> promise_ = std::make_shared<std::promise<RunOutcome>>();
  std::future<RunOutcome> outcome_ = promise_->get_future();
};

class StartedSteps : public BlockingSteps {
 protected:
  End start(graph::Endpoint fetch, const std::vector<Fed>& feeds = {}, const RunContext& context = {}) {
    std::vector<graph::Endpoint> endpoints;
    std::vector<Array> values;
    for (const Fed& feed : feeds) {
      endpoints.push_back(feed.endpoint);
      values.push_back(feed.value);
    }
    const std::vector<graph::Endpoint> fetches{fetch};
    End end;
    session.step({endpoints, fetches, {}}).start(std::move(values), context, end.done());
    return end;
  }
  template <class E>
  static std::string error_of(End& end) {
    try {
      (void)end.get();
    } catch (const E& error) {
      return error.message().substr(0, error.message().find("\nThe node was made at"));
    }
    return "no such error";
  }
};

}  // namespace flowray::engine
