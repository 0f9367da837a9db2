#include "tf/session/partial_runs.h"

#include <flowray/errors.h>

#include <future>
#include <utility>

#include "graph/graph.h"

namespace flowray::tf {
namespace {

/// The names of each of the three, with a word between them that no node has for its name.
std::vector<std::string> names_of(const engine::StepRequest& request) {
  std::vector<std::string> names;
  for (const graph::Endpoint& feed : request.feeds) names.push_back(feed.name());
  names.emplace_back();
  for (const graph::Endpoint& fetch : request.fetches) names.push_back(fetch.name());
  names.emplace_back();
  for (const graph::Node* target : request.targets) names.push_back(target->name());
  return names;
}

}  // namespace

std::string PartialRuns::begin(const engine::StepRequest& request) {
  if (request.fetches.empty() && request.targets.empty())
    throw errors::InvalidArgumentError("Must specify at least one target to fetch or execute.");
  const MutexLock lock(mutex_);
  std::shared_ptr<engine::PartialPlan>& plan = plans_[names_of(request)];
  if (plan == nullptr) {
    plan = std::make_shared<engine::PartialPlan>(
        session_, nullptr, std::vector<graph::Endpoint>(request.feeds.begin(), request.feeds.end()),
        std::vector<graph::Endpoint>(request.fetches.begin(), request.fetches.end()), request.targets);
  }
  std::string handle = std::to_string(next_++);
  runs_.emplace(handle, std::make_shared<engine::PartialRun>(plan));
  return handle;
}

std::vector<Array> PartialRuns::call(const std::string& handle, std::span<const graph::Endpoint> feeds,
                                     std::span<const Array* const> values,
                                     std::span<const graph::Endpoint> fetches,
                                     const engine::RunContext& context) {
  std::shared_ptr<engine::PartialRun> run;
  {
    const MutexLock lock(mutex_);
    const auto found = runs_.find(handle);
    if (found == runs_.end())
      throw errors::InvalidArgumentError("Must run 'setup' before performing partial runs!");
    run = found->second;
  }
  std::vector<engine::PartialRun::Feed> fed;
  for (size_t i = 0; i < feeds.size(); ++i) fed.push_back({feeds[i].name(), feeds[i], *values[i]});
  std::vector<engine::PartialRun::Fetch> fetched;
  for (const graph::Endpoint& fetch : fetches) fetched.push_back({fetch.name(), fetch});
  const auto ended = std::make_shared<std::promise<engine::RunOutcome>>();
  run->call(
      std::move(fed), std::move(fetched),
      [&context](const engine::PartialPlan::Stage& stage, std::vector<Array> inputs, engine::RunDone done) {
        stage.step->start(std::move(inputs), context, std::move(done));
      },
      [ended, run](engine::RunOutcome outcome) { ended->set_value(std::move(outcome)); });
  engine::RunOutcome outcome = ended->get_future().get();
  if (run->is_over()) {
    const MutexLock lock(mutex_);
    runs_.erase(handle);
  }
  if (outcome.error != nullptr) std::rethrow_exception(outcome.error);
  return std::move(outcome.results);
}

}  // namespace flowray::tf
