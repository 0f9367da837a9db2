#include "graph/flow_context.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::graph {

FlowContext* FlowContext::home_of(const NodeRequest&) { return this; }

std::vector<Node*> FlowContext::take_outside_controls(std::vector<Node*>& controls) {
  FlowContext* const loop = loop_around(this);
  std::vector<Node*> outside;
  if (loop == nullptr || controls.empty()) return outside;
  const FlowContexts& contexts = FlowContexts::of(controls.front()->graph());
  std::vector<Node*> inside;
  for (Node* node : controls) {
    const bool is_in_loop = loop_around(contexts.of_outputs(*node)) == loop;
    (is_in_loop ? inside : outside).push_back(node);
  }
  controls = std::move(inside);
  return outside;
}

FlowContext* loop_around(FlowContext* context) {
  while (context != nullptr && !context->is_loop()) context = context->outer();
  return context;
}

bool is_inside(const FlowContext* inner, const FlowContext* outer) {
  while (inner != outer) {
    if (inner == nullptr) return false;
    inner = inner->outer();
  }
  return true;
}

FlowContext* FlowContexts::current(const Scopes& scopes) const {
  const MutexLock lock(mutex_);
  const auto found = entered_.find(std::this_thread::get_id());
  if (found == entered_.end() || found->second.empty()) return nullptr;
  const Entered& last = found->second.back();
  for (size_t i = last.control_frames; i < scopes.control.size(); ++i) {
    if (scopes.control[i].clears) return nullptr;
  }
  return last.context;
}

void FlowContexts::enter(FlowContext* context, const Scopes& scopes) {
  const MutexLock lock(mutex_);
  entered_[std::this_thread::get_id()].push_back({context, scopes.control.size()});
}

void FlowContexts::leave() {
  const MutexLock lock(mutex_);
  const auto found = entered_.find(std::this_thread::get_id());
  found->second.pop_back();
  if (found->second.empty()) entered_.erase(found);
}

std::vector<FlowContexts::Entered> FlowContexts::set_aside(const FlowContext* context) {
  const MutexLock lock(mutex_);
  const auto found = entered_.find(std::this_thread::get_id());
  std::vector<Entered> aside;
  if (found == entered_.end())
    throw errors::InternalError("No branch or loop is entered that could be left.");
  std::vector<Entered>& entered = found->second;
  const auto last = std::find_if(entered.rbegin(), entered.rend(),
                                 [&](const Entered& each) { return each.context == context; });
  if (last == entered.rend()) throw errors::InternalError("The branch or loop to be left is not entered.");
  const auto first = std::prev(last.base());
  aside.assign(first, entered.end());
  entered.erase(first, entered.end());
  if (entered.empty()) entered_.erase(found);
  return aside;
}

void FlowContexts::enter_again(const std::vector<Entered>& aside) {
  const MutexLock lock(mutex_);
  std::vector<Entered>& entered = entered_[std::this_thread::get_id()];
  entered.insert(entered.end(), aside.begin(), aside.end());
}

FlowContext* FlowContexts::of_node(const Node& node) const {
  const MutexLock lock(mutex_);
  const auto found = of_node_.find(&node);
  return found == of_node_.end() ? nullptr : found->second;
}

void FlowContexts::set(const Node& node, FlowContext* context) {
  const MutexLock lock(mutex_);
  const bool is_new = of_node_.insert_or_assign(&node, context).second;
  if (!is_new) return;
  for (const Endpoint& input : node.inputs()) note_reader(node, input);
}

void FlowContexts::note_reader(const Node& node, Endpoint input) {
  if (input.node->schema().row.flow != FlowRole::kSwitch) return;
  std::vector<const Node*>& readers = readers_of_switch_[input.node];
  if (readers.empty() || readers.back() != &node) readers.push_back(&node);
}

void FlowContexts::input_changed(const Node& node, int i) {
  const MutexLock lock(mutex_);
  note_reader(node, node.input(i));
}

std::vector<const Node*> FlowContexts::readers_of_switch(const Node& node) const {
  const MutexLock lock(mutex_);
  const auto found = readers_of_switch_.find(&node);
  if (found == readers_of_switch_.end()) return {};
  std::vector<const Node*> readers;  // some may have got another input in the meantime
  for (const Node* reader : found->second) {
    const auto reads = [&](const Endpoint& input) { return input.node == &node; };
    if (std::any_of(reader->inputs().begin(), reader->inputs().end(), reads)) readers.push_back(reader);
  }
  return readers;
}

FlowContext* FlowContexts::of_outputs(const Node& node) const {
  FlowContext* const context = of_node(node);
  const bool leaves = context != nullptr && node.schema().row.flow == FlowRole::kExit;
  return leaves ? context->outer() : context;
}

void FlowContexts::forbid_fetching(const Node& node) {
  const MutexLock lock(mutex_);
  not_fetchable_.insert(&node);
}

void FlowContexts::forbid_feeding(const Node& node) {
  const MutexLock lock(mutex_);
  not_feedable_.insert(&node);
}

bool FlowContexts::is_fetchable(const Node& node) const {
  if (!any()) return true;
  const MutexLock lock(mutex_);
  return !not_fetchable_.contains(&node);
}

bool FlowContexts::is_feedable(const Node& node) const {
  if (!any()) return true;
  const MutexLock lock(mutex_);
  return !not_feedable_.contains(&node);
}

std::vector<Node*> asked_controls(const Scopes& scopes, std::span<const Endpoint> inputs) {
  const auto& frames = scopes.control;
  auto first = frames.end();
  while (first != frames.begin()) {
    --first;
    if (first->clears) break;
  }
  std::vector<Node*> asked;
  for (auto frame = first; frame != frames.end(); ++frame) {
    const bool dominated = std::any_of(inputs.begin(), inputs.end(), [&](const Endpoint& input) {
      return std::binary_search(frame->made_inside.begin(), frame->made_inside.end(), input.node,
                                [](const Node* a, const Node* b) { return a->id() < b->id(); });
    });
    if (dominated) continue;
    for (Node* waited : frame->nodes) {
      const bool is_input = std::any_of(inputs.begin(), inputs.end(),
                                        [&](const Endpoint& input) { return input.node == waited; });
      if (!is_input) asked.push_back(waited);
    }
  }
  return asked;
}

namespace {

bool may_take(FlowContext* context, FlowContext* from, FlowRole role) {
  if (from == nullptr || from == context) return true;
  FlowContext* const loop = loop_around(context);
  FlowContext* const other = loop_around(from);
  if (loop == nullptr) return other == nullptr || role == FlowRole::kEnter || role == FlowRole::kSwitch;
  if (is_inside(loop, other)) return true;
  if (FlowContext* const forward = loop->forward()) {
    if (is_inside(forward, other) || forward == other->outer()) return true;
  }
  FlowContext* const other_forward = other->forward();
  if (other_forward == nullptr) return false;
  return other_forward == loop || other_forward->forward() == loop;
}

}  // namespace

void check_inputs_from_context(const FlowContexts& contexts, const Node& node, FlowContext* context) {
  for (const Endpoint& input : node.inputs()) {
    if (may_take(context, contexts.of_outputs(*input.node), node.schema().row.flow)) continue;
    const std::string why = loop_around(context) != nullptr
                                ? "they are in different while loops."
                                : fmt::format("'{}' is in a while loop.", input.node->name());
    throw ValueError(
        fmt::format("Cannot use '{}' as input to '{}' because {} See info log for more details.\nWhat a loop "
                    "computes is what its while_loop returns.{}",
                    input.node->name(), node.name(), why, made_at(*input.node)));
  }
}

}  // namespace flowray::graph
