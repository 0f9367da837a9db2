#include "tf/eager/tape_gradient.h"

#include <flowray/tf/gradients.h>
#include <flowray/tf/math.h>

#include "core/thread_owned.h"
#include "graph/exchange/function_library.h"
#include "ops/all_ops.h"
#include "ops/python_nodes/indexed_slices.h"
#include "tf/build/apply_op.h"
#include "tf/eager/eager_runner.h"
#include "tf/eager/op_plan.h"
#include "tf/eager/tape.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>

namespace flowray::tf::eagerly {
namespace {

using graph::Endpoint;
using graph::Node;
using graph::ValueNode;

struct EndpointLess {
  bool operator()(const Endpoint& a, const Endpoint& b) const {
    return a.node != b.node ? std::less<>()(a.node, b.node) : a.index < b.index;
  }
};

/// What was recorded between targets and sources: nodes in the order in which they ran, and what comes from
/// outside of them. Its key says all that the gradient's graph depends on.
class Record {
 public:
  explicit Record(const GradientRequest& request) : bit_(request.bit) {
    sources_.insert(request.sources.begin(), request.sources.end());
    for (const Endpoint& target : request.targets) collect(target);
    std::ranges::sort(nodes_, {}, [](const ValueNode* node) { return node->time(); });
    for (size_t i = 0; i < nodes_.size(); ++i) {
      numbers_[nodes_[i]] = i;
      has_custom_ = has_custom_ || is_custom(*nodes_[i]);
    }
    write_key(request);
  }

  static bool is_custom(const ValueNode& node) { return node.num_inputs() > 0 && node.extra() != nullptr; }

  const std::vector<ValueNode*>& nodes() const { return nodes_; }
  /// Values from outside, which differ from run to run, in the order in which they are first read.
  const std::vector<Endpoint>& leaves() const { return leaves_; }
  const PlanKey& key() const { return key_; }
  bool has_custom() const { return has_custom_; }
  /// The number of a node that was recorded; -1 for one of outside.
  int number_of(const Node* node) const {
    const auto found = numbers_.find(node);
    return found == numbers_.end() ? -1 : static_cast<int>(found->second);
  }
  /// Whether the gradient's graph has the value itself in it: axes, shapes and their like.
  bool is_fixed(const Endpoint& endpoint) const {
    if (sources_.contains(endpoint) || is_ref(endpoint.dtype())) return false;
    const DType dtype = endpoint.dtype();
    if (dtype != DType::kInt32 && dtype != DType::kInt64 && dtype != DType::kBool) return false;
    constexpr int64_t kMostElements = 32;
    const Array& value = graph::value_node(endpoint).value(endpoint.index);
    return value.has_value() && value.size() <= kMostElements;
  }

 private:
  void collect(const Endpoint& target) {
    std::vector<ValueNode*> open = {&graph::value_node(target)};
    while (!open.empty()) {
      ValueNode* const node = open.back();
      open.pop_back();
      if ((node->tapes() & bit_) == 0 || node->num_inputs() == 0) continue;
      if (!numbers_.try_emplace(node, 0).second) continue;
      nodes_.push_back(node);
      for (const Endpoint& input : node->inputs()) open.push_back(&graph::value_node(input));
    }
  }

  void write_endpoint(const Endpoint& endpoint) {
    if (!endpoint) {
      key_.word(0);
      return;
    }
    if (const int number = number_of(endpoint.node); number >= 0) {
      key_.word(1);
      key_.word(static_cast<uint64_t>(number));
      key_.word(static_cast<uint64_t>(endpoint.index));
      return;
    }
    const auto [leaf, is_new] = leaf_numbers_.try_emplace(endpoint, leaf_numbers_.size());
    key_.word(2);
    key_.word(leaf->second);
    if (!is_new) return;
    leaves_.push_back(endpoint);
    if (is_fixed(endpoint)) {
      key_.value(graph::value_node(endpoint).value(endpoint.index));
      return;
    }
    key_.word(static_cast<uint64_t>(base_dtype(endpoint.dtype())));
    key_.shape(endpoint.shape());
  }

  void write_key(const GradientRequest& request) {
    for (const ValueNode* node : nodes_) {
      key_.word(node->home() == nullptr ? 0 : node->home()->id());
      // Where a node runs without a plan for its shapes, the inputs do not tell the outputs' shapes.
      for (int i = 0; i < node->num_outputs(); ++i) key_.shape(node->output_shape(i));
      for (const Endpoint& input : node->inputs()) write_endpoint(input);
    }
    key_.word(~uint64_t{0});
    for (const Endpoint& target : request.targets) write_endpoint(target);
    key_.word(~uint64_t{0});
    for (const Endpoint& source : request.sources) write_endpoint(source);
    key_.word(~uint64_t{0});
    for (const Endpoint& gradient : request.output_gradients) write_endpoint(gradient);
  }

  const uint64_t bit_;
  bool has_custom_ = false;
  std::set<Endpoint, EndpointLess> sources_;
  std::vector<ValueNode*> nodes_;
  std::unordered_map<const Node*, size_t> numbers_;
  std::map<Endpoint, uint64_t, EndpointLess> leaf_numbers_;
  std::vector<Endpoint> leaves_;
  PlanKey key_;
};

/// Where a value of a record is: in one of its nodes, or a leaf.
struct Place {
  int node = -1;  // -1: a leaf
  int index = 0;
};

/// The gradient of all records of one structure.
class GradientGraph {
 public:
  GradientGraph(const GradientRequest& request, const Record& record)
      : graph_(new graph::Graph(ops::op_table())) {
    const Graph own(graph_.get());
    const GraphScope scope = own.as_default();
    graph::FunctionLibrary::of(*graph_).share(graph::FunctionLibrary::of(eager_graph()));
    add_record(record);
    differentiate(request, record);
    find_feeds();
  }

  std::vector<Tensor> run_step(const Record& record) {
    if (step_ == nullptr) make_step();
    std::vector<Array> read;
    read.reserve(feeds_.size());
    for (const Endpoint& feed : feeds_) read.push_back(current_value(in_record(feed, record)));
    std::vector<const Array*> fed;
    for (const Array& value : read) fed.push_back(&value);
    std::vector<Array> fetched(fetches_.size());
    if (!fetches_.empty()) step_->run(fed, fetched);
    const auto value_of = [&](const Endpoint& endpoint) {
      if (is_forward(endpoint)) return current_value(in_record(endpoint, record));
      return fetched[static_cast<size_t>(std::ranges::find(fetches_, endpoint) - fetches_.begin())];
    };
    const auto tensor_for = [&](const Endpoint& endpoint) {
      return endpoint_of_constant(value_of(endpoint));
    };
    std::vector<Tensor> result;
    for (const Endpoint& gradient : gradients_) {
      if (!gradient) {
        result.emplace_back();
      } else if (is_slices(gradient)) {
        // Functions that work on the rows alone ask for them (ops::slices_of).
        std::vector<Endpoint> inputs;
        for (const Endpoint& input : gradient.node->inputs()) inputs.push_back(tensor_for(input));
        result.push_back(tensor_of(run_again(*gradient.node, inputs)->output(0)));
      } else {
        result.push_back(tensor_of(tensor_for(gradient)));
      }
    }
    return result;
  }

  /// Node by node, each as if the program had called it.
  std::vector<Tensor> run_op_by_op(const Record& record) {
    std::unordered_map<const Node*, Node*> made;
    const auto in_values = [&](const Endpoint& endpoint) -> Endpoint {
      if (is_forward(endpoint)) return in_record(endpoint, record);
      return {made.at(endpoint.node), endpoint.index};
    };
    for (Node* node : backward_) {
      std::vector<Endpoint> inputs;
      for (const Endpoint& input : node->inputs()) inputs.push_back(in_values(input));
      made[node] = run_again(*node, inputs);
    }
    std::vector<Tensor> result;
    for (const Endpoint& gradient : gradients_)
      result.push_back(gradient ? tensor_of(in_values(gradient)) : Tensor());
    return result;
  }

  /// Whether a step has been made, or is worth making now: for what is seen a second time.
  bool is_worth_a_step() { return times_run_++ > 0; }
  bool has_step() const { return step_ != nullptr; }

 private:
  struct Release {
    void operator()(graph::Graph* graph) const { graph->release(); }
  };

  static Endpoint endpoint_of_constant(const Array& value) {
    return eager_graph().add_constant(value, "Const")->output(0);
  }

  static Node* run_again(const Node& node, std::vector<Endpoint> inputs) {
    graph::Attrs attrs;
    for (const auto& [name, value] : node.attrs().items()) {
      if (!name.starts_with('_') || name == ops::kSlicesMark) attrs.set(name, value);
    }
    return eager_graph().add(
        {.op = node.op(), .name = {}, .inputs = std::move(inputs), .attrs = std::move(attrs)});
  }

  bool is_forward(const Endpoint& endpoint) const {
    return static_cast<size_t>(endpoint.node->id()) < places_.size();
  }

  static bool is_slices(const Endpoint& gradient) {
    return gradient.node->attrs().contains(ops::kSlicesMark);
  }

  Endpoint in_record(const Endpoint& endpoint, const Record& record) const {
    const Place& place = places_[static_cast<size_t>(endpoint.node->id())];
    if (place.node < 0) return record.leaves()[static_cast<size_t>(place.index)];
    return {record.nodes()[static_cast<size_t>(place.node)], endpoint.index};
  }

  void add_record(const Record& record) {
    graph::NodeBatch batch(*graph_);
    const graph::OpTable& ops = ops::op_table();
    for (size_t i = 0; i < record.leaves().size(); ++i) {
      const Endpoint& leaf = record.leaves()[i];
      graph::NodeBatch::Request request{.name = fmt::format("leaf_{}", i)};
      if (record.is_fixed(leaf)) {
        request.schema = ops.find("Const");
        request.attrs = {{"dtype", leaf.dtype()}, {"value", graph::value_node(leaf).value(leaf.index)}};
      } else {
        request.schema = ops.find("Placeholder");
        request.attrs = {{"dtype", base_dtype(leaf.dtype())}, {"shape", leaf.shape()}};
      }
      stand_ins_[leaf] = {batch.add(std::move(request)), 0};
      places_.push_back({-1, static_cast<int>(i)});
    }
    for (size_t i = 0; i < record.nodes().size(); ++i) {
      const ValueNode& node = *record.nodes()[i];
      graph::NodeBatch::Request request{
          .name = fmt::format("{}_{}", node.op(), i), .schema = &node.schema(), .attrs = node.attrs()};
      for (const Endpoint& input : node.inputs()) request.inputs.push_back(stand_in(input));
      Node* const made = batch.add(std::move(request));
      for (int k = 0; k < node.num_outputs(); ++k) {
        if (node.value(k).has_value()) made->merge_output_shape(k, node.value(k).shape());
      }
      nodes_[&node] = made;
      places_.push_back({static_cast<int>(i), 0});
    }
    batch.commit();
  }

  Endpoint stand_in(const Endpoint& endpoint) const {
    const auto node = nodes_.find(endpoint.node);
    if (node != nodes_.end()) return {node->second, endpoint.index};
    return stand_ins_.at(endpoint);
  }

  void differentiate(const GradientRequest& request, const Record& /*record*/) {
    std::vector<Tensor> ys;
    std::vector<GradientTarget> xs;
    GradientsOptions options;
    for (const Endpoint& target : request.targets) ys.push_back(tensor_of(stand_in(target)));
    for (const Endpoint& source : request.sources) xs.emplace_back(tensor_of(stand_in(source)));
    for (const Endpoint& gradient : request.output_gradients) {
      options.grad_ys.push_back(gradient ? OptionalInput(tensor_of(stand_in(gradient))) : OptionalInput());
    }
    for (const Tensor& gradient : gradients(List<Tensor>(ys), List<GradientTarget>(xs), options))
      gradients_.push_back(gradient.has_value() ? endpoint_of(gradient) : Endpoint());
  }

  /// The nodes that the gradients need, and what these take of the record.
  void find_feeds() {
    std::set<Node*, bool (*)(const Node*, const Node*)> needed(
        [](const Node* a, const Node* b) { return a->id() < b->id(); });
    std::vector<Endpoint> open;
    const auto want = [&](const Endpoint& endpoint) {
      if (is_forward(endpoint)) return;
      if (std::ranges::find(fetches_, endpoint) == fetches_.end()) fetches_.push_back(endpoint);
    };
    for (const Endpoint& gradient : gradients_) {
      if (!gradient) continue;
      open.push_back(gradient);
      if (is_slices(gradient)) {
        for (const Endpoint& input : gradient.node->inputs()) want(input);
      } else {
        want(gradient);
      }
    }
    while (!open.empty()) {
      const Endpoint endpoint = open.back();
      open.pop_back();
      if (is_forward(endpoint)) {
        add_feed(endpoint);
        continue;
      }
      if (!needed.insert(endpoint.node).second) continue;
      for (const Endpoint& input : endpoint.node->inputs()) open.push_back(input);
    }
    backward_.assign(needed.begin(), needed.end());
  }

  void add_feed(const Endpoint& endpoint) {
    if (endpoint.node->schema().row.is_constant) return;
    if (std::ranges::find(feeds_, endpoint) == feeds_.end()) feeds_.push_back(endpoint);
  }

  void make_step() {
    step_ = std::make_unique<engine::Step>(
        eager_session(), engine::StepRequest{.feeds = feeds_, .fetches = fetches_, .targets = {}});
  }

  std::unique_ptr<graph::Graph, Release> graph_;
  std::vector<Place> places_;  // by the number of a node in the graph
  std::map<Endpoint, Endpoint, EndpointLess> stand_ins_;
  std::map<const Node*, Node*> nodes_;
  std::vector<Endpoint> gradients_;
  std::vector<Endpoint> feeds_;
  std::vector<Endpoint> fetches_;
  std::vector<Node*> backward_;
  std::unique_ptr<engine::Step> step_;
  int times_run_ = 0;
};

/// By the key of the records. One for each thread, so that nothing is locked.
struct KnownGradients {
  static constexpr size_t kMost = 256;
  struct Known {
    std::vector<uint64_t> key;
    std::unique_ptr<GradientGraph> graph;
  };
  std::unordered_map<uint64_t, Known> known;

  GradientGraph& of(const GradientRequest& request, const Record& record) {
    const uint64_t hash = record.key().hash();
    const auto found = known.find(hash);
    if (found != known.end() && std::ranges::equal(found->second.key, record.key().words()))
      return *found->second.graph;
    auto made = std::make_unique<GradientGraph>(request, record);
    if (known.size() >= kMost) known.clear();
    Known& place = known[hash];
    place = {{record.key().words().begin(), record.key().words().end()}, std::move(made)};
    return *place.graph;
  }
};

KnownGradients& known_gradients() { return ThreadOwned<KnownGradients>::get(); }

bool is_recorded_elsewhere(const GradientRequest& request, const Record& record) {
  const uint64_t tapes = recording().tapes;
  if (tapes == 0) return false;
  const auto is_watched = [tapes](const Endpoint& endpoint) {
    return endpoint && (graph::value_node(endpoint).tapes() & tapes) != 0;
  };
  return std::ranges::any_of(record.nodes(),
                             [tapes](const ValueNode* node) { return (node->tapes() & tapes) != 0; }) ||
         std::ranges::any_of(record.leaves(), is_watched) ||
         std::ranges::any_of(request.output_gradients, is_watched);
}

std::vector<Tensor> plain_gradient(const GradientRequest& request, const Record& record) {
  GradientGraph& graph = known_gradients().of(request, record);
  if (is_recorded_elsewhere(request, record)) return graph.run_op_by_op(record);
  const RecordingPaused paused;
  if (!graph.has_step() && !graph.is_worth_a_step()) return graph.run_op_by_op(record);
  return graph.run_step(record);
}

/// While it lives, nodes are leaves: the tape does not record them.
class OffTheTape {
 public:
  OffTheTape(std::vector<ValueNode*> nodes, uint64_t tape) : nodes_(std::move(nodes)), tape_(tape) {
    for (ValueNode* node : nodes_) node->set_tapes(node->tapes() & ~tape_);
  }
  OffTheTape(const OffTheTape&) = delete;
  OffTheTape& operator=(const OffTheTape&) = delete;
  ~OffTheTape() {
    for (ValueNode* node : nodes_) node->set_tapes(node->tapes() | tape_);
  }

 private:
  std::vector<ValueNode*> nodes_;
  uint64_t tape_;
};

/// What a function with a gradient of its own hands on, given that of its outputs.
GradientRequest request_behind_custom(const ValueNode& node,
                                      const std::vector<Tensor>& gradients_of_outputs) {
  const auto& backward = *static_cast<const CustomBackward*>(node.extra().get());
  const std::vector<Tensor> gradients_of_inputs = backward.function(gradients_of_outputs);
  GradientRequest part;
  for (size_t i = 0; i < gradients_of_inputs.size(); ++i) {
    if (!gradients_of_inputs[i].has_value()) continue;
    part.targets.push_back(node.input(static_cast<int>(i)));
    part.output_gradients.push_back(endpoint_of(gradients_of_inputs[i]));
  }
  return part;
}

/// Functions with gradients of their own are where one graph ends and another one begins: from the last of
/// them to the first, what comes to its outputs goes through its gradient to its inputs.
std::vector<Tensor> gradient_through_custom(const GradientRequest& request, const Record& record) {
  std::vector<ValueNode*> custom;
  for (ValueNode* node : record.nodes()) {
    if (Record::is_custom(*node)) custom.push_back(node);
  }
  std::vector<Endpoint> wanted = request.sources;
  for (ValueNode* node : custom) {
    for (int i = 0; i < node->num_outputs(); ++i) wanted.push_back(node->output(i));
  }
  std::vector<std::vector<Tensor>> parts(wanted.size());
  const auto add = [&](GradientRequest part) {
    part.bit = request.bit;
    part.sources = wanted;
    const std::vector<Tensor> found = plain_gradient(part, Record(part));
    for (size_t i = 0; i < found.size(); ++i) {
      if (found[i].has_value()) parts[i].push_back(found[i]);
    }
  };
  const auto sum = [&](size_t i) {
    if (parts[i].empty()) return Tensor();
    return parts[i].size() == 1 ? parts[i].front() : add_n(List<Tensor>(parts[i]));
  };
  {
    const OffTheTape leaves(custom, request.bit);
    add({.targets = request.targets, .output_gradients = request.output_gradients});
    size_t end = wanted.size();
    for (auto node = custom.rbegin(); node != custom.rend(); ++node) {
      const auto count = static_cast<size_t>((*node)->num_outputs());
      end -= count;
      std::vector<Tensor> gradients_of_outputs;
      for (size_t i = 0; i < count; ++i) gradients_of_outputs.push_back(sum(end + i));
      if (std::ranges::none_of(gradients_of_outputs, &Tensor::has_value)) continue;
      GradientRequest part = request_behind_custom(**node, gradients_of_outputs);
      if (!part.targets.empty()) add(std::move(part));
    }
  }
  std::vector<Tensor> result;
  for (size_t i = 0; i < request.sources.size(); ++i) result.push_back(sum(i));
  return result;
}

}  // namespace

std::vector<Tensor> tape_gradient(const GradientRequest& request) {
  const Record record(request);
  return record.has_custom() ? gradient_through_custom(request, record) : plain_gradient(request, record);
}

std::vector<Tensor> add_recorded(
    const std::vector<Array>& values, const std::vector<Tensor>& arguments,
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&, const std::vector<Tensor>&)>&
        backward) {
  const graph::ValuePool::Call call;
  std::vector<Endpoint> made;
  std::vector<Tensor> plain;
  for (const Array& value : values) {
    made.push_back(eager_graph().add_constant(value, "Const")->output(0));
    plain.push_back(tensor_of(made.back()));
  }
  Node* identity = nullptr;
  {
    const RecordingPaused paused;
    identity = graph::Builder(eager_graph()).node("IdentityN", made);
  }
  auto& node = static_cast<ValueNode&>(*identity);
  std::vector<Endpoint> inputs;
  for (const Tensor& argument : arguments) inputs.push_back(endpoint_of(argument));
  record(node, inputs, /*is_differentiable=*/true);
  if (node.tapes() == 0) return plain;
  const auto function = [backward, plain, arguments](const std::vector<Tensor>& gradients) {
    const uint64_t tapes = recording().tapes;
    const bool is_seen = std::ranges::any_of(arguments, [tapes](const Tensor& argument) {
      return (graph::value_node(endpoint_of(argument)).tapes() & tapes) != 0;
    });
    if (is_seen) {
      throw errors::UnimplementedError(
          "Second derivatives through a tf.function are not there: call the Python function itself under the "
          "tapes.");
    }
    return backward(plain, gradients);
  };
  node.set_extra(std::make_shared<CustomBackward>(CustomBackward{function}));
  std::vector<Tensor> results;
  for (int i = 0; i < node.num_outputs(); ++i) results.emplace_back(&node, i);
  return results;
}

size_t num_gradient_steps() {
  return static_cast<size_t>(std::ranges::count_if(
      known_gradients().known, [](const auto& known) { return known.second.graph->has_step(); }));
}

}  // namespace flowray::tf::eagerly
