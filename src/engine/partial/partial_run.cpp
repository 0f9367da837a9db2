#include "engine/partial/partial_run.h"

#include "core/job_queue.h"

#include <flowray/errors.h>
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

namespace flowray::engine {
namespace {

using graph::Endpoint;
using graph::Node;

void add_once(std::vector<Endpoint>& list, const Endpoint& endpoint) {
  if (std::ranges::find(list, endpoint) == list.end()) list.push_back(endpoint);
}

/// Makes nothing but references, so it may run again in each step that needs them.
bool is_reference_source(const Node& node) {
  return node.num_inputs() == 0 && node.num_outputs() > 0 && stands_for_resource(node.output_dtype(0));
}

void add(const PartialPlan::Fed& more, PartialPlan::Fed& to) {
  for (size_t i = 0; i < more.size(); ++i) to[i] = to[i] || more[i];
}

bool is_subset(const PartialPlan::Fed& some, const PartialPlan::Fed& all) {
  for (size_t i = 0; i < some.size(); ++i) {
    if (some[i] && !all[i]) return false;
  }
  return true;
}

std::optional<size_t> place(std::span<const Endpoint> list, const Endpoint& endpoint) {
  const auto found = std::ranges::find(list, endpoint);
  if (found == list.end()) return std::nullopt;
  return static_cast<size_t>(found - list.begin());
}

}  // namespace

PartialPlan::PartialPlan(Session& session, MakeElsewhere make_elsewhere, std::vector<Endpoint> feeds,
                         std::vector<Endpoint> fetches, std::span<Node* const> targets)
    : session_(session),
      make_elsewhere_(std::move(make_elsewhere)),
      feeds_(std::move(feeds)),
      fetches_(std::move(fetches)) {
  for (const Endpoint& fetch : fetches_) visit(fetch.node);
  for (Node* target : targets) visit(target);
  find_needs();
}

/// Adds `root` after all that it waits for. A stack of its own: graphs are deep.
void PartialPlan::visit(Node* root) {
  std::vector<std::pair<Node*, bool>> open = {{root, false}};
  while (!open.empty()) {
    auto [node, inputs_are_there] = open.back();
    open.pop_back();
    if (inputs_are_there) {
      nodes_.push_back(node);
      continue;
    }
    if (!needs_.emplace(node, Fed(feeds_.size())).second) continue;
    open.emplace_back(node, true);
    for (const Endpoint& input : node->inputs()) {
      if (!place_of_feed(input)) open.emplace_back(input.node, false);
    }
    for (Node* control : node->control_inputs()) open.emplace_back(control, false);
  }
}

void PartialPlan::find_needs() {
  for (const Node* node : nodes_) add_needs(*node);
  // Dead values and a loop's iterations are known within one step only, so all control flow runs in one.
  Fed of_flow(feeds_.size());
  const auto is_flow = [](const Node* node) { return node->schema().row.flow != graph::FlowRole::kNone; };
  for (const Node* node : nodes_) {
    if (is_flow(node)) add(needs_.at(node), of_flow);
  }
  for (const Node* node : nodes_) {
    if (is_flow(node)) needs_.at(node) = of_flow;
  }
  for (const Node* node : nodes_) add_needs(*node);
}

void PartialPlan::add_needs(const Node& node) {
  Fed& needs = needs_.at(&node);
  for (const Endpoint& input : node.inputs()) {
    if (const auto feed = place_of_feed(input)) {
      needs[*feed] = true;
    } else {
      add(needs_.at(input.node), needs);
    }
  }
  for (const Node* control : node.control_inputs()) add(needs_.at(control), needs);
}

std::optional<size_t> PartialPlan::place_of_feed(const Endpoint& endpoint) const {
  return place(feeds_, endpoint);
}

bool PartialPlan::is_ready(const Node* node, const Fed& fed) const { return is_subset(needs_.at(node), fed); }

std::optional<size_t> PartialPlan::missing_feed(const Endpoint& fetch, const Fed& fed) const {
  const Fed& needs = needs_.at(fetch.node);
  for (size_t i = 0; i < needs.size(); ++i) {
    if (needs[i] && !fed[i]) return i;
  }
  return std::nullopt;
}

PartialPlan::Stage& PartialPlan::stage(const std::optional<Fed>& before, const Fed& after) {
  const MutexLock lock(mutex_);
  std::unique_ptr<Stage>& stage = stages_[{before, after}];
  if (stage == nullptr) stage = make_stage(before, after);
  return *stage;
}

/// The outputs that are fetched, or read by nodes that still wait; those read as references are there in
/// any case.
std::set<std::pair<const Node*, int>> PartialPlan::read_later(const Fed& fed) const {
  std::set<std::pair<const Node*, int>> outputs;
  for (const Endpoint& fetch : fetches_) outputs.emplace(fetch.node, fetch.index);
  for (const Node* node : nodes_) {
    if (is_ready(node, fed)) continue;
    for (const Endpoint& input : node->inputs()) {
      if (!stands_for_resource(input.dtype())) outputs.emplace(input.node, input.index);
    }
  }
  return outputs;
}

std::unique_ptr<PartialPlan::Stage> PartialPlan::make_stage(const std::optional<Fed>& before,
                                                            const Fed& after) const {
  std::unordered_set<const Node*> done;
  std::vector<Node*> runs;
  auto stage = std::make_unique<Stage>();
  const auto kept = read_later(after);
  for (Node* node : nodes_) {
    if (before && is_ready(node, *before)) {
      if (!is_reference_source(*node)) done.insert(node);
      continue;
    }
    if (!is_ready(node, after)) continue;
    runs.push_back(node);
    for (int i = 0; i < node->num_outputs(); ++i) {
      const Endpoint output = node->output(i);
      if (!place_of_feed(output) && kept.contains({node, i})) stage->outputs.push_back(output);
    }
  }
  if (runs.empty()) return stage;
  for (const Node* node : runs) {
    for (Endpoint input : node->inputs()) {
      const auto passes_on = [&] { return done.contains(input.node) && stands_for_resource(input.dtype()); };
      while (!place_of_feed(input) && passes_on()) input = input.node->inputs()[0];
      if (place_of_feed(input) || done.contains(input.node)) add_once(stage->inputs, input);
    }
  }
  const StepRequest request{stage->inputs, stage->outputs, runs, &done};
  if (make_elsewhere_ != nullptr) stage->elsewhere = make_elsewhere_(request);
  if (stage->elsewhere == nullptr) stage->step = std::make_unique<Step>(session_, request);
  return stage;
}

PartialRun::PartialRun(std::shared_ptr<PartialPlan> plan)
    : plan_(std::move(plan)), fed_(plan_->feeds().size()), fetched_(plan_->fetches().size()) {}

void PartialRun::call(std::vector<Feed> feeds, std::vector<Fetch> fetches, RunStep run_step, RunDone done) {
  auto call = std::make_shared<Call>(
      Call{std::move(feeds), std::move(fetches), std::move(run_step), std::move(done), nullptr, {}});
  {
    const MutexLock lock(mutex_);
    if (is_busy_) {
      waiting_.push_back(std::move(call));
      return;
    }
    is_busy_ = true;
  }
  begin(call);
}

void PartialRun::begin(const std::shared_ptr<Call>& call) {
  std::vector<Array> inputs;
  try {
    inputs = take_feeds(*call);
  } catch (...) {
    return end(*call, {std::current_exception(), {}});
  }
  if (call->stage->is_empty()) return end(*call, {});
  call->run_step(*call->stage, std::move(inputs),
                 [this, call](RunOutcome outcome) { end(*call, std::move(outcome)); });
}

/// What the call's step is fed.
std::vector<Array> PartialRun::take_feeds(Call& call) {
  const MutexLock lock(mutex_);
  const PartialPlan::Fed fed = check_feeds(call.feeds);
  call.places = check_fetches(call.fetches, fed);
  for (const Feed& feed : call.feeds) values_.emplace_back(feed.endpoint, feed.value);
  fed_ = fed;
  try {
    call.stage = &plan_->stage(before_, fed_);
  } catch (...) {
    has_failed_ = true;
    throw;
  }
  std::vector<Array> inputs;
  for (const Endpoint& input : call.stage->inputs) {
    inputs.push_back(std::ranges::find(values_, input, &std::pair<Endpoint, Array>::first)->second);
  }
  return inputs;
}

void PartialRun::end(Call& call, RunOutcome outcome) {
  std::shared_ptr<Call> next;
  {
    const MutexLock lock(mutex_);
    if (outcome.error == nullptr) {
      outcome.results = keep_results(call, std::move(outcome.results));
    } else if (call.stage != nullptr) {
      has_failed_ = true;
    }
    is_busy_ = !waiting_.empty();
    if (is_busy_) {
      next = std::move(waiting_.front());
      waiting_.pop_front();
    }
  }
  call.done(std::move(outcome));
  // As a job of its own: begun here, each call would nest in the one before and deepen the stack. `next`
  // keeps this run alive.
  if (next != nullptr) default_jobs().post([this, next] { begin(next); });
}

/// What the call fetches.
std::vector<Array> PartialRun::keep_results(Call& call, std::vector<Array> outputs) {
  for (size_t i = 0; i < outputs.size(); ++i)
    values_.emplace_back(call.stage->outputs[i], std::move(outputs[i]));
  before_ = fed_;
  std::vector<Array> results;
  for (const size_t fetched : call.places) {
    const Endpoint& endpoint = plan_->fetches()[fetched];
    results.push_back(std::ranges::find(values_, endpoint, &std::pair<Endpoint, Array>::first)->second);
    fetched_[fetched] = true;
  }
  return results;
}

bool PartialRun::is_over() const {
  const MutexLock lock(mutex_);
  const auto all = [](const std::vector<bool>& list) { return std::ranges::find(list, false) == list.end(); };
  return has_failed_ || (all(fed_) && all(fetched_));
}

PartialPlan::Fed PartialRun::check_feeds(std::span<const Feed> feeds) const {
  PartialPlan::Fed fed = fed_;
  for (const Feed& feed : feeds) {
    const auto found = place(plan_->feeds(), feed.endpoint);
    if (!found) {
      throw errors::InvalidArgumentError(
          fmt::format("The feed {} was not specified in partial_run_setup.", feed.name));
    }
    if (fed_[*found])
      throw errors::InvalidArgumentError(fmt::format("The feed {} has already been fed.", feed.name));
    if (fed[*found]) throw errors::InvalidArgumentError("Duplicated feeds: " + feed.name);
    fed[*found] = true;
  }
  return fed;
}

std::vector<size_t> PartialRun::check_fetches(std::span<const Fetch> fetches,
                                              const PartialPlan::Fed& fed) const {
  std::vector<size_t> places;
  for (const Fetch& fetch : fetches) {
    const auto found = place(plan_->fetches(), fetch.endpoint);
    if (!found) {
      throw errors::InvalidArgumentError(
          fmt::format("The fetch {} was not specified in partial_run_setup.", fetch.name));
    }
    if (fetched_[*found]) {
      throw errors::InvalidArgumentError(fmt::format("The fetch {} has already been fetched.", fetch.name));
    }
    places.push_back(*found);
  }
  for (const size_t fetched : places) {
    const auto missing = plan_->missing_feed(plan_->fetches()[fetched], fed);
    if (!missing) continue;
    throw errors::InvalidArgumentError(
        fmt::format("Fetch {} can't be computed from the feeds that have been fed so far.",
                    plan_->feeds()[*missing].name()));
  }
  return places;
}

}  // namespace flowray::engine
