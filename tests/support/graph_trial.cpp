#include "support/graph_trial.h"

#include "engine/session.h"
#include "graph/exchange/graph_import.h"
#include "ops/all_ops.h"
#include "support/filled_memory.h"
#include "support/unsteady_memory.h"
#include "wire/tensor_value.h"

#include <flowray/errors.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flowray::testing {
namespace {

engine::SessionOptions options_of(const TrialOptions& options) {
  engine::SessionOptions result;
  result.intra_op_threads = options.threads;
  if (!options.passes) {
    result.passes = {
        .raise = false, .fold = false, .drop = false, .share = false, .fuse = false, .order = false};
  }
  return result;
}

bool can_be_fetched(const graph::Node& node, int output) {
  const DType dtype = base_dtype(node.output_dtype(output));
  return dtype != DType::kResource && dtype != DType::kVariant;
}

/// What the attribute `_fed` of placeholders says that they are fed.
struct Fed {
  std::vector<graph::Endpoint> endpoints;
  std::vector<Array> values;
};

/// Whether the object store's readers read it where it lies (ray/values/decoder.cpp).
bool is_read_in_place(DType dtype) {
  return is_trivial(dtype) && dtype != DType::kInt32 && dtype != DType::kInt64 && dtype != DType::kBool;
}

Fed fed_by(const wire::GraphDef& message, const std::vector<graph::Node*>& nodes, uint64_t unsteady_seed) {
  Fed fed;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const wire::AttrValue* value = message.node[i].attr.find("_fed");
    if (value == nullptr || value->value.index() != wire::AttrValue::kTensor || nodes[i]->num_outputs() == 0)
      continue;
    Array array = wire::to_array(*std::get<wire::AttrValue::kTensor>(value->value));
    if (unsteady_seed != 0 && is_read_in_place(array.dtype())) array = unsteady(array, unsteady_seed + i);
    fed.values.push_back(std::move(array));
    fed.endpoints.push_back(nodes[i]->output(0));
  }
  return fed;
}

/// What TensorFlow answers INTERNAL to, though it is the graph's fault.
constexpr std::string_view kFaultsOfGraphs[] = {
    "-th output is of type ",  // what a function gives and the node that calls it has
    "Op kernel context needs to provide a rendezvous.",
    " does not match declared output type ",  // a value that is fed
    "Unexpected error in binary operator (only integer div and mod should have errors)",  // of TruncateMod
    "PNG encoding failed",                                                                // of no pixels
    "JPEG encoding failed",
    "] has already been set.",                     // a fetch of a loop's inside
    "Got an inner product ",                       // a sequence of EditDistance that lies outside
    "Cannot initialize an iterator from tensor ",  // which is no saved state of one
};

/// Ends a trial whose error says that it is the program's fault, or nothing:
/// a graph can only do wrong itself.
void check_is_at_fault(const Error& error) {
  const auto* with_code = dynamic_cast<const errors::OpError*>(&error);
  if (with_code == nullptr || (with_code->code() != Code::kInternal && with_code->code() != Code::kUnknown))
    return;
  const std::string_view text = error.what();
  for (const std::string_view words : kFaultsOfGraphs) {
    if (text.find(words) != std::string_view::npos) return;
  }
  throw std::logic_error(std::string(code_name(with_code->code())) + ": " + error.what());
}

void add_bytes(uint64_t& answer, const void* bytes, size_t count) {
  const auto* next = static_cast<const unsigned char*>(bytes);
  for (size_t i = 0; i < count; ++i) answer = (answer ^ next[i]) * 0x100000001b3;  // FNV-1a
}

uint64_t answer_of(const std::vector<Array>& results) {
  uint64_t answer = 0xcbf29ce484222325;
  for (const Array& result : results) {
    if (!result.has_value()) continue;
    for (const int64_t dim : result.shape()) add_bytes(answer, &dim, sizeof(dim));
    if (is_trivial(result.dtype()) && result.size_bytes() <= kMostFilledBytes)
      add_bytes(answer, result.raw_data(), result.size_bytes());
  }
  return answer;
}

uint64_t answer_of(const std::exception& error) {
  uint64_t answer = 1;
  add_bytes(answer, error.what(), std::string_view(error.what()).size());
  return answer;
}

/// Runs the node for what can be fetched of it.
uint64_t run_node(engine::Session& session, graph::Node& node, const Fed& fed, const TrialOptions& options) {
  std::vector<graph::Endpoint> fetches;
  for (int i = 0; i < node.num_outputs(); ++i) {
    if (can_be_fetched(node, i)) fetches.push_back(node.output(i));
  }
  graph::Node* const target[] = {&node};
  std::vector<const Array*> feeds;
  for (const Array& value : fed.values) feeds.push_back(&value);
  std::vector<Array> results(fetches.size());
  engine::RunContext context;
  if (options.fill) fill_free_memory(*options.fill);
  context.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(options.limit_ms);
  session.step({fed.endpoints, fetches, target}).run(feeds, results, context);
  // Reading it shows what was not written to valgrind.
  for (const Array& result : results) {
    if (result.has_value() && result.size() <= 4096) (void)result.to_string();
  }
  return answer_of(results);
}

}  // namespace

Trial try_graph(const wire::GraphDef& message, const TrialOptions& options) {
  Trial trial;
  graph::Graph graph(options.ops != nullptr ? *options.ops : ops::op_table());
  std::vector<graph::Node*> nodes;
  Fed fed;
  try {
    nodes = graph::import_graph_def(message, graph);
    fed = fed_by(message, nodes, options.unsteady);
  } catch (const Error& error) {
    ++trial.num_failed;
    trial.error = error.what();
    if (!options.may_be_at_fault) check_is_at_fault(error);
    return trial;
  }
  engine::Session session(options_of(options));
  TrialOptions now = options;
  for (graph::Node* node : nodes) {
    try {
      trial.answers.push_back(run_node(session, *node, fed, now));
      ++trial.num_run;
    } catch (const Error& error) {
      if (dynamic_cast<const errors::DeadlineExceededError*>(&error) != nullptr)
        now.limit_ms = std::max<int64_t>(1, options.limit_ms / 10);
      ++trial.num_failed;
      trial.error = error.what();
      trial.answers.push_back(answer_of(error));
      if (!options.may_be_at_fault) check_is_at_fault(error);
    } catch (const std::bad_alloc& error) {  // ResourceExhausted for a server's client
      trial.answers.push_back(answer_of(error));
      ++trial.num_failed;
      trial.error = error.what();
    }
  }
  return trial;
}

std::optional<size_t> node_that_is_not_written(const wire::GraphDef& message, TrialOptions options) {
  constexpr std::byte kFills[] = {std::byte{0xa5}, std::byte{0xa5}, std::byte{0x3c}, std::byte{0x3c}};
  std::vector<std::vector<uint64_t>> answers;
  for (const std::byte fill : kFills) {
    options.fill = fill;
    answers.push_back(try_graph(message, options).answers);
    if (answers.back().size() != answers[0].size()) return std::nullopt;
  }
  for (size_t i = 0; i < answers[0].size(); ++i) {
    if (answers[0][i] == answers[1][i] && answers[2][i] == answers[3][i] && answers[0][i] != answers[2][i])
      return i;
    if (answers[0][i] != answers[1][i] || answers[2][i] != answers[3][i]) return std::nullopt;  // by chance
  }
  return std::nullopt;
}

}  // namespace flowray::testing
