#include "engine/step/call_expander.h"

#include "core/stack_room.h"
#include "engine/step/needed_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

namespace flowray::engine {

using graph::Endpoint;
using graph::FunctionBody;
using graph::Node;

namespace {

void check_dtypes(const Node& caller, const FunctionBody& body, int first_arg, size_t num_results) {
  for (size_t i = 0; i < body.args.size(); ++i) {
    const DType given = base_dtype(caller.input(first_arg + static_cast<int>(i)).dtype());
    const DType wanted = base_dtype(body.args[i].dtype());
    if (given == wanted) continue;
    throw errors::InvalidArgumentError(fmt::format("Expects arg[{}] to be {} but {} is provided", i,
                                                   dtype_kernel_name(wanted), dtype_kernel_name(given)));
  }
  for (size_t i = 0; i < num_results; ++i) {
    const DType told = base_dtype(caller.output_dtype(static_cast<int>(i)));
    const DType given = base_dtype(body.results[i].dtype());
    if (given == told) continue;
    throw errors::InternalError(fmt::format("Expect {}-th output is of type {} but get {}", i,
                                            dtype_kernel_name(told), dtype_kernel_name(given)));
  }
}

}  // namespace

CallRole role_of(const StepNode& item) {
  return item.kind == StepKind::kOp ? call_role(item.node->schema()) : CallRole::kNone;
}

std::vector<bool> read_values(const StepGraph& graph) {
  std::vector<bool> is_read(graph.values.size(), false);
  for (const StepNode& item : graph.nodes) {
    for (const ValueId id : item.inputs) is_read[id] = true;
  }
  for (const ValueId id : graph.fetches) {
    if (id != kNoValue) is_read[id] = true;
  }
  return is_read;
}

const std::vector<Node*>& effects_of(const Node& caller, const FunctionBody& body) {
  const graph::AttrValue* lowered = caller.attrs().find("_lower_using_switch_merge");
  const bool* is_lowered = lowered == nullptr ? nullptr : lowered->get_if<bool>();
  return is_lowered != nullptr && *is_lowered ? body.control_outputs : body.effects;
}

int passed_on(const FunctionBody& body, Endpoint result) {
  while (result.node->num_inputs() == 1) {
    const graph::OpRow& row = result.node->schema().row;
    const bool is_same = row.view && !row.is_placeholder && row.flow == graph::FlowRole::kNone &&
                         result.node->num_outputs() == 1 && result.dtype() == result.node->input(0).dtype() &&
                         row.shape != nullptr && result.node->schema().attrs.size() == 1;
    if (!is_same) break;
    result = result.node->input(0);
  }
  const auto found = std::ranges::find(body.args, result);
  return found == body.args.end() ? -1 : static_cast<int>(found - body.args.begin());
}

void CallDepth::open(std::string name, size_t num_nodes) {
  if (open_.size() == kMostOpen) {
    throw errors::ResourceExhaustedError(
        fmt::format("Functions call each other more than {} deep: {} calls {}, and so on", kMostOpen,
                    open_.front(), open_.size() > 1 ? open_[1] : name));
  }
  check_stack_room("Functions");
  num_nodes_ += num_nodes;
  if (num_nodes_ > kMostNodes) {
    throw errors::ResourceExhaustedError(
        fmt::format("The functions that a step calls would be more than {} nodes, {} being the last\nEach "
                    "call is a copy "
                    "of the function: call a large one in a loop, or in fewer places.",
                    kMostNodes, name));
  }
  open_.push_back(std::move(name));
}

bool CallDepth::is_open(const std::string& name) const {
  return std::ranges::find(open_, name) != open_.end();
}

void check_nesting(size_t nesting, const Node& caller) {
  if (nesting <= kMostNestedBodies) return;
  throw errors::ResourceExhaustedError(
      fmt::format("Branches and loops of functions are nested more than {} deep in {}\nA Case of N branches "
                  "counts as N - 1: one whose branches are Cases themselves is less deep.",
                  kMostNestedBodies, caller.name()));
}

Expanded CallExpander::expand(const StepGraph& flat, std::span<Node* const> targets) {
  flat_ = &flat;
  out_.values = flat.values;
  out_.feeds = flat.feeds;
  out_.fetches = flat.fetches;
  is_read_ = read_values(flat);
  alias_.assign(flat.values.size(), kNoValue);
  after_.resize(flat.nodes.size());
  const std::unordered_set<const Node*> roots(targets.begin(), targets.end());
  for (place_ = 0; place_ < flat.nodes.size(); ++place_) {
    const StepNode& item = flat.nodes[place_];
    try {
      visit(item, roots.contains(item.node));
    } catch (const errors::OpError& error) {
      if (!error.node_name().empty() || role_of(item) == CallRole::kNone) throw;
      errors::throw_error(error.code(),
                          fmt::format("{}\n\t [[{{{{node {}}}}}]]", error.message(), item.node->name()),
                          item.node->name());
    }
  }
  finish();
  return {std::move(out_), std::move(is_root_), std::move(devices_)};
}

void CallExpander::visit(const StepNode& item, bool is_root) {
  const CallRole role = role_of(item);
  if (role == CallRole::kNone || !is_replaced(item)) {
    after_[place_] = {append(item, is_root)};
    return;
  }
  switch (role) {
    case CallRole::kNone:
    case CallRole::kFunction:
    case CallRole::kCall:
      return inline_call(item, 0, 0);
    case CallRole::kIf:
      return replace_if(item, is_root);
    case CallRole::kWhile:
      return replace_while(item, is_root);
    case CallRole::kCase:
      if (FunctionBodies::count(*item.node) == 1) return inline_call(item, 0, 1);
      return replace_case(item, is_root);
  }
}

uint32_t CallExpander::append(StepNode item, bool is_root) {
  item.controls = new_places(item.controls);
  return append_placed(std::move(item), is_root, device_here());
}

uint32_t CallExpander::append_placed(StepNode item, bool is_root, std::string device) {
  const auto place = static_cast<uint32_t>(out_.nodes.size());
  for (const ValueId id : item.outputs) out_.values[id].producer = static_cast<int32_t>(place);
  out_.nodes.push_back(std::move(item));
  is_root_.push_back(is_root);
  devices_.push_back(std::move(device));
  return place;
}

CallExpander::Places CallExpander::new_places(const Places& old) const {
  Places places;
  for (const uint32_t place : old) places.insert(places.end(), after_[place].begin(), after_[place].end());
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

ValueId CallExpander::add_value(StepValue value) {
  out_.values.push_back(std::move(value));
  return static_cast<ValueId>(out_.values.size() - 1);
}

const FunctionBody& CallExpander::open_body(const StepNode& item, size_t number, std::string_view role,
                                            int first_arg) {
  std::string name = FunctionBodies::function_name(*item.node, number);
  if (depth_.is_open(name)) {
    throw errors::UnimplementedError(
        fmt::format("Function {} calls itself, which this engine does not do", name));
  }
  const FunctionBody& body = bodies_.body(const_cast<Node&>(*item.node), number, role, first_arg);
  const size_t num_args = item.node->inputs().size() - static_cast<size_t>(first_arg);
  const size_t num_results = role == "cond" ? 1 : static_cast<size_t>(item.node->num_outputs());
  if (body.args.size() != num_args || body.results.size() != num_results) {
    throw errors::InvalidArgumentError(
        fmt::format("Function {} takes {} arguments and gives {} results, but {} and {} were expected", name,
                    body.args.size(), body.results.size(), num_args, num_results));
  }
  check_dtypes(*item.node, body, first_arg, role == "cond" ? 0 : num_results);
  depth_.open(std::move(name), static_cast<size_t>(body.graph->num_nodes()));
  return body;
}

Expanded CallExpander::flat_body(const Node& caller, const FunctionBody& body,
                                 const std::vector<Endpoint>& args, const std::vector<Endpoint>& results) {
  const std::vector<Node*>& effects = effects_of(caller, body);
  return expand_body(prune({.feeds = args, .fetches = results, .targets = effects}), effects);
}

CallExpander::Ids CallExpander::numbers_here(StepGraph& body, const Ids& args) {
  Ids numbers(body.values.size(), kNoValue);
  for (size_t i = 0; i < body.feeds.size(); ++i) numbers[body.feeds[i]] = args[i];
  for (size_t id = 0; id < numbers.size(); ++id) {
    if (numbers[id] == kNoValue) numbers[id] = add_value(std::move(body.values[id]));
  }
  return numbers;
}

void CallExpander::inline_call(const StepNode& item, size_t number, int first_arg) {
  const FunctionBody& body = open_body(item, number, {}, first_arg);
  const std::vector<size_t> which = read_outputs(item);
  Expanded inner = flat_body(*item.node, body, body.args, chosen(body.results, which));
  close_body();
  const Ids args(item.inputs.begin() + first_arg, item.inputs.end());
  const Ids number_here = numbers_here(inner.graph, args);
  const Places starts_of_sources = starts_of(item, /*with_inputs=*/true);
  const Places ends = append_body(inner, number_here, starts_of(item, false), starts_of_sources);
  Ids results;
  for (const ValueId id : inner.graph.fetches) results.push_back(number_here[id]);
  give_outputs(item, which, results);
  after_[place_] = ends.empty() ? starts_of_sources : ends;
}

void CallExpander::give_outputs(const StepNode& item, const std::vector<size_t>& which, const Ids& results) {
  for (size_t i = 0; i < which.size(); ++i) alias_of(item.outputs[which[i]]) = results[i];
}

CallExpander::Places CallExpander::append_body(Expanded& inner, const Ids& number_here, const Places& starts,
                                               const Places& starts_of_sources) {
  const auto base = static_cast<uint32_t>(out_.nodes.size());
  std::vector<bool> is_end = inner.is_root;
  for (const ValueId id : inner.graph.fetches) {
    const int32_t producer = inner.graph.values[id].producer;
    if (producer >= 0) is_end[static_cast<size_t>(producer)] = true;
  }
  Places ends;
  for (size_t i = 0; i < inner.graph.nodes.size(); ++i) {
    StepNode& node = inner.graph.nodes[i];
    const bool is_first = node.controls.empty() && std::ranges::all_of(node.inputs, [&](ValueId id) {
                            return inner.graph.values[id].producer < 0;
                          });
    for (ValueId& id : node.inputs) id = number_here[id];
    for (ValueId& id : node.outputs) id = number_here[id];
    for (uint32_t& control : node.controls) control += base;
    if (is_first) node.controls = node.inputs.empty() ? starts_of_sources : starts;
    const uint32_t place = append_placed(std::move(node), inner.is_root[i], std::move(inner.devices[i]));
    if (is_end[i]) ends.push_back(place);
  }
  return ends;
}

CallExpander::Places CallExpander::starts_of(const StepNode& call, bool with_inputs) const {
  Places before = call.controls;
  for (const ValueId id : call.inputs) {
    const int32_t producer = flat_->values[id].producer;
    if (with_inputs && producer >= 0) before.push_back(static_cast<uint32_t>(producer));
  }
  return new_places(before);
}

ValueId& CallExpander::alias_of(ValueId id) {
  if (alias_.size() < out_.values.size()) alias_.resize(out_.values.size(), kNoValue);
  return alias_[id];
}

ValueId CallExpander::resolve(ValueId id) const {
  while (id < alias_.size() && alias_[id] != kNoValue) id = alias_[id];
  return id;
}

std::vector<size_t> CallExpander::read_outputs(const StepNode& item) const {
  std::vector<size_t> read;
  for (size_t i = 0; i < item.outputs.size(); ++i) {
    if (is_read_[item.outputs[i]]) read.push_back(i);
  }
  return read;
}

std::vector<Endpoint> CallExpander::chosen(const std::vector<Endpoint>& all,
                                           const std::vector<size_t>& which) {
  std::vector<Endpoint> some;
  for (const size_t i : which) some.push_back(all[i]);
  return some;
}

/// Gives all values their last names, and removes dead nodes.
void CallExpander::finish() {
  for (StepNode& item : out_.nodes) {
    for (ValueId& id : item.inputs) id = resolve(id);
  }
  for (ValueId& id : out_.fetches) id = resolve(id);
  for (StepValue& value : out_.values) value.producer = -1;
  for (uint32_t i = 0; i < out_.nodes.size(); ++i) {
    for (const ValueId id : out_.nodes[i].outputs) out_.values[id].producer = static_cast<int32_t>(i);
  }
  // A fed value stays fed, whatever node produces one of its name.
  for (const ValueId id : out_.feeds) out_.values[id].producer = -1;
  const std::vector<bool> is_kept = keep_needed(out_, is_root_);
  size_t place = 0;
  std::erase_if(devices_, [&](const std::string&) { return !is_kept[place++]; });
}

}  // namespace flowray::engine
