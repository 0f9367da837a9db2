#include "engine/run/token_run.h"

#include "engine/program/program.h"
#include "engine/raise/as_tokens.h"
#include "engine/run/pausing_run.h"
#include "engine/run/program_run.h"
#include "engine/run/step_trace.h"
#include "graph/kernel/files_of_step.h"
#include "graph/resource/variable.h"
#include "graph/signature.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::engine {

using graph::FlowRole;
using graph::NodeInput;

TokenRun::TokenRun(const TokenProgram& program, std::span<const NodeInput> feeds,
                   const RunSurroundings& surroundings, std::shared_ptr<RunInbox> inbox)
    : program_(program),
      surroundings_(surroundings),
      waiting_(program.nodes.size()),
      inputs_(program.num_inputs),
      frames_(program.frames.size()),
      results_(program.results.size()),
      started_ns_(program.nodes.size()),
      started_dead_(program.nodes.size()),
      calls_(surroundings, std::move(inbox)) {
  begin(feeds);
}

bool TokenRun::advance() {
  if (error_ == nullptr) {
    try {
      go_on();
    } catch (...) {
      fail(std::current_exception());
    }
  }
  if (error_ != nullptr) (void)calls_.take_ended();
  if (!calls_.empty()) return false;
  if (error_ != nullptr) std::rethrow_exception(error_);
  return true;
}

void TokenRun::give_up() {
  if (error_ == nullptr) fail(std::make_exception_ptr(errors::CancelledError("Step was cancelled")));
}

void TokenRun::fail(std::exception_ptr error) {
  error_ = std::move(error);
  calls_.give_up();
}

/// Runs nodes until all that is left has to wait.
void TokenRun::go_on() {
  if (!take_ended() || !calls_.empty()) surroundings_.check_wanted();
  run_ready();
}

void TokenRun::begin(std::span<const NodeInput> feeds) {
  frames_[0].is_active = true;
  reset(program_.frames[0]);
  for (size_t i = 0; i < feeds.size(); ++i) {
    const TokenRange to = program_.out_edges[program_.feeds[i]];
    const Token token = Token::live(feeds[i]);
    for (uint32_t k = to.begin; k < to.end; ++k) arrive(program_.edges[k], token);
  }
  for (const uint32_t place : program_.roots) check_ready(place);
}

void TokenRun::run_ready() {
  while (!ready_.empty()) {
    const uint64_t next = ready_.top();
    ready_.pop();
    run_node(static_cast<uint32_t>(next / 2), next % 2 == 1);
  }
}

// ---- nodes

void TokenRun::run_node(uint32_t place, bool is_dead) {
  const TokenNode& it = program_.nodes[place];
  outputs_.assign(it.outputs.size(), Token::dead());
  if (!is_dead || it.is_transfer) {
    surroundings_.check_wanted();
    const int64_t start_ns = surroundings_.context.trace == nullptr ? 0 : StepTrace::now_ns();
    started_ns_[place] = start_ns;
    started_dead_[place] = is_dead;
    bool is_over = true;
    try {
      is_over = compute(place, is_dead);
    } catch (const Error& error) {
      if (it.program != nullptr) throw;  // it names the node inside
      graph::rethrow_with_node(*it.node, error);
    }
    if (!is_over) {
      take_ended();
      return;
    }
    // Bodies have told of themselves.
    if (surroundings_.context.trace != nullptr && it.program == nullptr) trace(it, start_ns);
  }
  finish(place, is_dead);
}

bool TokenRun::compute(uint32_t place, bool is_dead) {
  const TokenNode& it = program_.nodes[place];
  switch (it.role) {
    case FlowRole::kSwitch:
      compute_switch(it);
      return true;
    case FlowRole::kMerge:
      compute_merge(it);
      return true;
    case FlowRole::kNone:
      if (it.program != nullptr) return run_bodies(place);
      if (it.node->schema().row.start != nullptr) {
        start(place, is_dead);
        return false;
      }
      compute_op(place);
      return true;
    default:  // only another name of its input
      outputs_[0] = Token::live(input(it, 0));
      return true;
  }
}

void TokenRun::compute_switch(const TokenNode& it) {
  const Array predicate = input(it, 1).value;
  if (predicate.rank() != 0) {
    throw errors::InvalidArgumentError("The second input must be a scalar, but it has shape " +
                                       predicate.shape().to_string());
  }
  outputs_[*predicate.data<bool>() ? 1 : 0] = Token::live(input(it, 0));
}

void TokenRun::compute_merge(const TokenNode& it) {
  for (uint32_t i = 0; i < it.num_inputs; ++i) {
    if (!inputs_[it.first_input + i].is_live()) continue;
    outputs_[0] = Token::live(input(it, i));
    outputs_[1] = Token::live({Array(static_cast<int32_t>(i)), nullptr});
    return;
  }
}

NodeInput TokenRun::chosen_variable(const std::vector<NodeInput>& inputs) {
  const Array& index = inputs[0].value;
  if (index.rank() != 0) {
    throw errors::InvalidArgumentError("Index must be a scalar, but it has shape " +
                                       index.shape().to_string());
  }
  const int64_t number = *index.data<int32_t>();
  if (number < 0 || number + 1 >= std::ssize(inputs)) {
    throw errors::InvalidArgumentError(
        fmt::format("Index must be in the range [0, {}) but got {}", inputs.size() - 1, number));
  }
  return inputs[static_cast<size_t>(number) + 1];
}

void TokenRun::compute_op(uint32_t place) {
  const TokenNode& it = program_.nodes[place];
  const graph::OpRow& row = it.node->schema().row;
  if (it.resource != nullptr) {
    outputs_[0] = Token::live({Array(), it.resource.get()});
    return;
  }
  if (row.is_constant) {
    outputs_[0] = Token::live({it.node->attrs().get<Array>("value"), nullptr});
    return;
  }
  const std::vector<NodeInput> inputs = inputs_of(it);
  const bool only_orders = it.node->num_outputs() == 0 && row.prepare == nullptr && row.compute == nullptr;
  if (only_orders) return;
  if (chooses_variable(*it.node)) {
    outputs_[0] = Token::live(chosen_variable(inputs));
    return;
  }
  const bool passes_handle = row.view && inputs[0].resource != nullptr;
  if (passes_handle) {
    outputs_[0] = Token::live(inputs[0]);
    return;
  }
  const graph::FilesOfStep scope(surroundings_.files);
  keep_outputs(inputs, graph::evaluate(*it.node, inputs, surroundings_.states, surroundings_.parallel));
}

bool TokenRun::run_bodies(uint32_t place) {
  const TokenNode& it = program_.nodes[place];
  Bodies& bodies = bodies_[place];
  if (bodies.state == nullptr) bodies.state = std::make_unique<RunState>(it.program);
  bodies.feeds.clear();
  bodies.fed.clear();
  for (uint32_t i = 0; i < it.num_inputs; ++i) {
    const NodeInput& content = inputs_[it.first_input + i].content;
    // A resource is known to the program; of a variable it may want the value.
    const bool is_read = content.resource != nullptr && it.program->feed_slots[i] != kNoSlot;
    bodies.feeds.push_back(is_read ? graph::resource_as<graph::Variable>(*content.resource).read()
                                   : content.value);
  }
  for (const Array& feed : bodies.feeds) bodies.fed.push_back(&feed);
  bodies.results.assign(it.program->results.size(), Array());
  if (may_wait(*it.program)) {
    calls_.start(place,
                 begin_program(*bodies.state, bodies.fed, bodies.results, surroundings_, calls_.inbox()));
    return false;
  }
  run_program(*bodies.state, bodies.fed, bodies.results, surroundings_);
  bodies.feeds.clear();
  keep_outputs({}, std::move(bodies.results));
  return true;
}

/// An output without elements is a reference: that of the node's first input.
void TokenRun::keep_outputs(const std::vector<NodeInput>& inputs, std::vector<Array> outputs) {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    Array& value = outputs[i];
    graph::Resource* const resource = value.has_value() || inputs.empty() ? nullptr : inputs[0].resource;
    outputs_[i] = Token::live({std::move(value), resource});
  }
}

std::vector<NodeInput> TokenRun::inputs_of(const TokenNode& it) {
  std::vector<NodeInput> inputs;
  inputs.reserve(it.num_inputs);
  for (uint32_t i = 0; i < it.num_inputs; ++i) inputs.push_back(input(it, i));
  return inputs;
}

/// Takes the token. Where the value of a variable is wanted, it is read now.
NodeInput TokenRun::input(const TokenNode& it, uint32_t i) {
  NodeInput content = std::exchange(inputs_[it.first_input + i], {}).content;
  const graph::Endpoint& from = it.node->input(static_cast<int>(i));
  const bool by_reference = is_ref(from.dtype()) &&
                            graph::takes_reference(it.node->schema(), it.node->attrs(), static_cast<int>(i));
  // A body may be fed a variable under the name of a value.
  const bool wants_value = from.dtype() != DType::kResource && !by_reference;
  if (content.resource != nullptr && wants_value) {
    return {graph::resource_as<graph::Variable>(*content.resource).read(), nullptr};
  }
  if (content.resource == nullptr && by_reference) {
    throw errors::InvalidArgumentError(
        fmt::format("Input {} of node {} was passed {} from _recv_{}_{}:0 incompatible with expected {}.", i,
                    it.node->name(), dtype_kernel_name(base_dtype(from.dtype())), from.node->name(),
                    from.index, dtype_kernel_name(from.dtype())));
  }
  return content;
}

void TokenRun::start(uint32_t place, bool is_dead) {
  const TokenNode& it = program_.nodes[place];
  std::vector<NodeInput> inputs = is_dead ? std::vector<NodeInput>(it.num_inputs) : inputs_of(it);
  calls_.start(place, *it.node, std::move(inputs), frames_[it.frame].at, is_dead);
}

/// Whether there were any.
bool TokenRun::take_ended() {
  std::vector<PendingCalls::Ended> all = calls_.take_ended();
  for (PendingCalls::Ended& ended : all) {
    const TokenNode& it = program_.nodes[ended.number];
    outputs_.assign(it.outputs.size(), Token::dead());
    if (ended.error != nullptr) std::rethrow_exception(ended.error);
    if (ended.is_work) {
      Bodies& bodies = bodies_.at(ended.number);
      bodies.feeds.clear();
      ended.result.outputs = std::move(bodies.results);
    }
    try {
      if (ended.result.code != Code::kOk) errors::throw_error(ended.result.code, ended.result.text);
    } catch (const Error& error) {
      graph::rethrow_with_node(*it.node, error);
    }
    if (!ended.result.is_dead) {
      ended.result.outputs.resize(outputs_.size());
      keep_outputs({}, std::move(ended.result.outputs));
    }
    if (surroundings_.context.trace != nullptr && !ended.is_work) trace(it, started_ns_[ended.number]);
    finish(ended.number, started_dead_[ended.number]);
  }
  return !all.empty();
}

void TokenRun::trace(const TokenNode& it, int64_t start_ns) {
  NodeTrace entry{it.node, start_ns, StepTrace::now_ns(), StepTrace::this_thread(), {}};
  for (const Token& token : outputs_) {
    const Array& value = token.content.value;
    if (value.has_value()) entry.outputs.push_back({value.dtype(), value.shape()});
  }
  surroundings_.context.trace->add(std::move(entry));
}

// ---- tokens

/// Passes a node's outputs on to their consumers.
void TokenRun::finish(uint32_t place, bool is_dead) {
  const TokenNode& it = program_.nodes[place];
  FrameState& frame = frames_[it.frame];
  switch (it.role) {
    case FlowRole::kEnter:
      enter(place, outputs_[0]);
      break;
    case FlowRole::kExit:
      if (is_dead) {
        frame.dead_exits.push_back(place);
      } else {
        leave(place);
      }
      break;
    case FlowRole::kNextIteration:
      if (!is_dead) frame.nexts.push_back({place, outputs_[0]});
      break;
    default:
      send(place, outputs_, is_dead);
      break;
  }
  for (uint32_t i = 0; i < it.num_inputs; ++i) inputs_[it.first_input + i] = {};
  --frame.outstanding;
  settle(it.frame);
}

/// A consumer outside of the loop takes one token of an Exit: the first.
void TokenRun::leave(uint32_t place) {
  const TokenNode& it = program_.nodes[place];
  std::vector<uint32_t>& sent = frames_[it.frame].sent_exits;
  if (std::ranges::find(sent, place) == sent.end()) {
    sent.push_back(place);
    send(place, outputs_, /*is_dead=*/false);
    return;
  }
  const uint32_t result = program_.result_of[it.outputs[0]];
  if (result != TokenProgram::kNotFetched) give(result, outputs_[0]);
}

void TokenRun::enter(uint32_t place, const Token& token) {
  const TokenNode& it = program_.nodes[place];
  FrameState& inner = frames_[it.enters];
  if (!inner.is_active) {
    inner.is_active = true;
    inner.at = {graph::frame_inside(frames_[it.frame].at, program_.frames[it.enters].name), 0};
    inner.enters_left = program_.frames[it.enters].num_enters;
    reset(program_.frames[it.enters]);
    ++frames_[it.frame].outstanding;
  }
  --inner.enters_left;
  if (it.enters_constant) inner.constants.push_back({place, token});
  send_one(place, token);
  settle(it.enters);
}

void TokenRun::send(uint32_t place, std::span<const Token> outputs, bool is_dead) {
  const TokenNode& it = program_.nodes[place];
  for (uint32_t i = 0; i < outputs.size(); ++i) {
    const ValueId value = it.outputs[i];
    const uint32_t result = program_.result_of[value];
    if (result != TokenProgram::kNotFetched) give(result, outputs[i]);
    const TokenRange to = program_.out_edges[value];
    for (uint32_t k = to.begin; k < to.end; ++k) arrive(program_.edges[k], outputs[i]);
  }
  for (uint32_t k = it.control_edges.begin; k < it.control_edges.end; ++k) {
    const uint32_t waiting = program_.controls[k];
    --waiting_[waiting].open;
    // A Merge only waits for control inputs; everything else is as dead as they are.
    if (is_dead && program_.nodes[waiting].role != FlowRole::kMerge) ++waiting_[waiting].num_dead;
    check_ready(waiting);
  }
}

void TokenRun::arrive(TokenEdge edge, const Token& token) {
  const TokenNode& to = program_.nodes[edge.node];
  Waiting& waiting = waiting_[edge.node];
  const bool is_merge = to.role == FlowRole::kMerge;
  if (!is_merge) --waiting.open;
  if (!token.is_live()) {
    ++waiting.num_dead;
  } else if (!is_merge || !std::exchange(waiting.has_live, true)) {
    inputs_[to.first_input + edge.input] = token;
  }
  check_ready(edge.node);
}

void TokenRun::check_ready(uint32_t place) {
  const TokenNode& it = program_.nodes[place];
  Waiting& waiting = waiting_[place];
  if (waiting.open > 0 || waiting.is_ready) return;
  bool is_dead = waiting.num_dead > 0 && !it.node->schema().row.runs_after_dead;
  if (it.role == FlowRole::kMerge) {
    // Dead tokens do not travel from one iteration to the next: in the first one nothing else can come.
    const uint32_t awaited = it.num_inputs - it.num_back_edges;
    is_dead = !waiting.has_live;
    if (is_dead && (awaited == 0 || waiting.num_dead < awaited)) return;
  }
  waiting.is_ready = true;
  ++frames_[it.frame].outstanding;
  ready_.push(uint64_t{place} * 2 + (is_dead ? 1 : 0));
}

void TokenRun::give(uint32_t result, const Token& token) {
  if (token.is_live() && results_[result].is_live()) {
    const graph::Endpoint& fetch = program_.results[result];
    throw errors::InternalError(fmt::format(
        "Retval[{}] has already been set.\n\t [[{{{{node _retval_{}_{}_{}}}}}]]\nThe fetch '{}' is inside of "
        "a "
        "loop, and each iteration gives it another value: fetch what leaves the loop through an Exit.",
        result, fetch.node->name(), fetch.index, result, fetch.name()));
  }
  if (!results_[result].is_live()) results_[result] = token;
}

// ---- loops

void TokenRun::reset(const TokenFrame& frame) {
  for (const uint32_t place : frame.nodes) {
    const TokenNode& it = program_.nodes[place];
    waiting_[place] = {.open = it.num_controls + (it.role == FlowRole::kMerge ? 0 : it.num_inputs)};
    for (uint32_t i = 0; i < it.num_inputs; ++i) inputs_[it.first_input + i] = {};
  }
}

/// Where nothing of an iteration can run any more, the next one begins, or the loop is over.
void TokenRun::settle(uint32_t frame) {
  FrameState& state = frames_[frame];
  while (state.is_active && state.outstanding == 0 && state.enters_left == 0) {
    if (state.nexts.empty()) return end(frame);
    ++state.at.iteration;
    state.dead_exits.clear();
    reset(program_.frames[frame]);
    for (const Sent& constant : state.constants) send_one(constant.node, constant.token);
    for (const Sent& next : std::exchange(state.nexts, {})) send_one(next.node, next.token);
  }
}

void TokenRun::end(uint32_t frame) {
  FrameState& state = frames_[frame];
  if (frame == 0) return;
  state.is_active = false;
  state.constants.clear();
  reset(program_.frames[frame]);
  const std::vector<uint32_t> sent = std::exchange(state.sent_exits, {});
  for (const uint32_t place : std::exchange(state.dead_exits, {})) {
    if (std::ranges::find(sent, place) == sent.end()) send_one(place, Token::dead());
  }
  const uint32_t parent = program_.frames[frame].parent;
  --frames_[parent].outstanding;
  settle(parent);
}

// ---- results

std::vector<Array> TokenRun::take_results() {
  std::vector<Array> values;
  for (size_t i = 0; i < results_.size(); ++i) {
    if (!results_[i].is_live()) {
      throw errors::InvalidArgumentError(fmt::format("Retval[{}] does not have value{}", i, why_missing(i)));
    }
    const NodeInput& content = results_[i].content;
    values.push_back(content.resource == nullptr
                         ? content.value
                         : graph::resource_as<graph::Variable>(*content.resource).read());
  }
  check_all_reached();
  return values;
}

/// Outside of loops each node runs once, if only dead, unless a loop waits for itself. (TensorFlow says
/// nothing of an operation that was to run and never did.)
void TokenRun::check_all_reached() const {
  const auto starves = [](const FrameState& frame) { return frame.is_active && frame.enters_left > 0; };
  if (std::ranges::none_of(std::span(frames_).subspan(1), starves)) return;
  for (const uint32_t place : program_.frames[0].nodes) {
    if (waiting_[place].is_ready) continue;
    const TokenNode& it = program_.nodes[place];
    throw errors::InvalidArgumentError(
        fmt::format("The operation '{}' was never reached: it still waits{}.\nSomething that "
                    "enters a loop comes only after it.",
                    it.node->name(), awaited_by(it)));
  }
}

std::string TokenRun::why_missing(size_t result) const {
  const graph::Endpoint& fetch = program_.results[result];
  if (results_[result].presence == Token::Presence::kDead) {
    return fmt::format("\nThe fetch '{}' is in a branch that was not taken.", fetch.name());
  }
  const auto found = std::ranges::find(program_.nodes, fetch.node, &TokenNode::node);
  return fmt::format("\nThe fetch '{}' was never reached: its node still waits{}.", fetch.name(),
                     found == program_.nodes.end() ? "" : awaited_by(*found));
}

/// " for a:0, b:0"
std::string TokenRun::awaited_by(const TokenNode& it) const {
  std::string missing;
  for (uint32_t i = 0; i < it.num_inputs; ++i) {
    if (inputs_[it.first_input + i].presence != Token::Presence::kNone) continue;
    missing += (missing.empty() ? " for " : ", ") + it.node->input(static_cast<int>(i)).name();
  }
  return missing.empty() ? " for its control inputs" : missing;
}

}  // namespace flowray::engine
