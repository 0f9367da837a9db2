#include "engine/step/partition.h"

#include "engine/step/flow_frames.h"
#include "graph/exchange/function_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace flowray::engine {
namespace {

using graph::Attrs;
using graph::Endpoint;
using graph::FlowRole;
using graph::Node;

/// "SRC:0" as the name of a node may have it.
std::string port_name(const char* prefix, const Endpoint& endpoint) {
  return fmt::format("{}_{}_{}", prefix, endpoint.node->name(), endpoint.index);
}

/// Whether each node is in a branch or a loop. Branches begin at a Switch and end at a Merge; those of a loop
/// end at its Exit nodes.
std::vector<bool> find_conditional(const StepGraph& step, const Frames& frames) {
  std::vector<int> depth(step.nodes.size(), 0);
  std::vector<bool> is_conditional(step.nodes.size());
  for (uint32_t n = 0; n < step.nodes.size(); ++n) {
    const StepNode& item = step.nodes[n];
    bool is_loop = false;
    int most = 0;
    for (const ValueId id : item.inputs) {
      const int32_t from = step.values[id].producer;
      if (from >= static_cast<int32_t>(n))
        is_loop = true;
      else if (from >= 0)
        most = std::max(most, depth[static_cast<size_t>(from)]);
    }
    for (const uint32_t from : item.controls) most = std::max(most, depth[from]);
    const FlowRole role = item.node->schema().row.flow;
    if (role == FlowRole::kSwitch) ++most;
    const bool ends_branch = (role == FlowRole::kMerge && !is_loop) || role == FlowRole::kExit;
    depth[n] = ends_branch ? std::max(most - 1, 0) : most;
    is_conditional[n] = depth[n] > 0 || frames.of_node[n] > 0;
  }
  return is_conditional;
}

class Partitioner {
 public:
  Partitioner(const StepGraph& step, std::span<const uint32_t> device_of, const DeviceSet& devices,
              const PartitionOptions& options)
      : step_(step),
        device_of_(device_of),
        devices_(devices),
        options_(options),
        frames_(find_frames(step)),
        is_conditional_(find_conditional(step, frames_)),
        conditions_(frames_.list.size(), kNoValue),
        copies_(step.nodes.size()) {}

  std::vector<Partition> make() {
    for (uint32_t n = 0; n < step_.nodes.size(); ++n) {
      const StepNode& item = step_.nodes[n];
      const bool is_condition = item.node->schema().row.flow == FlowRole::kLoopCond;
      if (is_condition) conditions_[static_cast<size_t>(frames_.of_node[n])] = item.outputs[0];
    }
    for (uint32_t n = 0; n < step_.nodes.size(); ++n) copy(n);
    close_iterations();
    for (const ValueId id : step_.fetches) send_to_client(id);
    for (const auto& [place, merge] : loops_) finish_control_loop(place.first, place.second, merge);
    std::vector<Partition> made;
    for (auto& [device, part] : parts_) {
      part.batch->commit();
      made.push_back({device, std::move(part.graph)});
    }
    return made;
  }

 private:
  using Request = graph::NodeBatch::Request;

  struct Part {
    decltype(Partition::graph) graph;
    std::optional<graph::NodeBatch> batch;
  };
  // ---- nodes

  Part& part_on(uint32_t device) {
    Part& part = parts_[device];
    if (part.graph == nullptr) {
      graph::Graph& whole = step_.nodes[0].node->graph();
      part.graph.reset(new graph::Graph(whole.ops()));
      graph::FunctionLibrary::of(*part.graph)
          .share(options_.library != nullptr ? *options_.library : graph::FunctionLibrary::of(whole));
      part.batch.emplace(*part.graph);
    }
    return part;
  }

  Node* add(uint32_t device, Request request) {
    Part& part = part_on(device);
    request.device = devices_.devices[device].to_string();
    return part.batch->add(std::move(request));
  }

  /// A node of one of the ops that are made here.
  Node* add(uint32_t device, std::string_view op, std::string name, std::vector<Endpoint> inputs, Attrs attrs,
            std::vector<Node*> controls = {}) {
    const graph::OpSchema* const schema = part_on(device).graph->ops().find(op);
    return add(device,
               {std::move(name), schema, std::move(inputs), std::move(controls), std::move(attrs), {}, {}});
  }

  void copy(uint32_t n) {
    const StepNode& item = step_.nodes[n];
    const uint32_t device = device_of_[n];
    std::vector<Endpoint> inputs;
    for (uint32_t i = 0; i < item.inputs.size(); ++i) {
      const int32_t from = step_.values[item.inputs[i]].producer;
      const bool is_back_edge = from >= static_cast<int32_t>(n);
      if (is_back_edge) back_edges_.push_back({n, i});
      inputs.push_back(is_back_edge ? Endpoint() : value_on(device, item.inputs[i], item.node->name()));
    }
    // The loop's back edge is not made yet: until then the value that enters the loop stands in for it.
    const auto entering = std::ranges::find_if(inputs, [](const Endpoint& input) { return bool(input); });
    if (entering == inputs.end() && !inputs.empty()) fail_irregular(*item.node, "nothing enters its loop");
    for (Endpoint& input : inputs) {
      if (!input) input = *entering;
    }
    std::vector<Node*> controls;
    for (const uint32_t from : item.controls)
      controls.push_back(waited_for_on(device, from, item.node->name()));
    const graph::OpSchema* schema = &item.node->schema();
    if (graph::is_function_call(*schema)) {
      const auto* const function = graph::FunctionLibrary::of(*part_on(device).graph).find(schema->name);
      if (function == nullptr)
        throw errors::NotFoundError(fmt::format("Function {} is not defined.", schema->name));
      schema = &function->schema;
    }
    Node* const made = add(device, {item.node->name(),
                                    schema,
                                    std::move(inputs),
                                    std::move(controls),
                                    item.node->attrs(),
                                    {},
                                    item.node->line()});
    for (int i = 0; i < made->num_outputs(); ++i) made->merge_output_shape(i, item.node->output_shape(i));
    copies_[n] = made;
  }

  void close_iterations() {
    for (const auto& [n, i] : back_edges_) {
      const Endpoint next = value_on(device_of_[n], step_.nodes[n].inputs[i], step_.nodes[n].node->name());
      copies_[n]->close_loop(static_cast<int>(i), next);
    }
  }

  // ---- what crosses

  std::string new_name(std::string_view prefix, const std::string& of) {
    int64_t& number = options_.num_new_names != nullptr ? *options_.num_new_names : num_new_names_;
    return fmt::format("{}{}_S{}", prefix, of, number++);
  }

  Attrs transfer_attrs(uint32_t from, uint32_t to, std::string tensor_name, bool by_client) const {
    return {{"send_device", devices_.devices[from].to_string()},
            {"send_device_incarnation", static_cast<int64_t>(options_.incarnations[from])},
            {"recv_device", devices_.devices[to].to_string()},
            {"tensor_name", std::move(tensor_name)},
            {"client_terminated", by_client}};
  }

  /// The pair of nodes that takes `source`, which runs in `frame`, to another device, where `reader`
  /// wants it.
  Endpoint transfer(Endpoint source, uint32_t from, uint32_t to, int frame, bool may_be_dead,
                    const std::string& source_name, const std::string& reader) {
    Attrs attrs = transfer_attrs(from, to, fmt::format("edge_{}_{}", num_edges_++, source_name), false);
    attrs.set("_src", source_name);
    attrs.set("_dst", reader);
    attrs.set(kMayBeDead, may_be_dead);
    Attrs of_send = attrs;
    Attrs of_recv = std::move(attrs);
    const DType dtype = base_dtype(source.dtype());
    of_send.set("T", dtype);
    of_recv.set("tensor_type", dtype);
    const bool on_host = dtype == DType::kString;
    add(from, on_host ? "_HostSend" : "_Send", new_name("", source_name), {source}, std::move(of_send));
    std::vector<Node*> controls;
    if (frame > 0) controls.push_back(control_loop(frame, to, reader));
    Node* const recv = add(to, on_host ? "_HostRecv" : "_Recv", new_name("", source_name), {},
                           std::move(of_recv), std::move(controls));
    return recv->output(0);
  }

  /// A value of the step as the nodes on `device` have it.
  Endpoint value_on(uint32_t device, ValueId id, const std::string& reader) {
    const StepValue& value = step_.values[id];
    const bool is_fed = value.producer < 0;
    const auto producer = static_cast<uint32_t>(value.producer);
    const uint32_t home = is_fed ? options_.client : device_of_[producer];
    const Endpoint source = is_fed ? fed(id) : copies_[producer]->output(place_among_outputs(producer, id));
    if (home == device) return source;
    const auto [found, is_new] = arrived_.try_emplace({id, device});
    if (is_new && !is_fed && crosses_iterations(producer)) {
      found->second = copy_on(device, producer, reader);
    } else if (is_new) {
      found->second = transfer(source, home, device, is_fed ? 0 : frames_.of_node[producer],
                               !is_fed && is_conditional_[producer], source.node->name(), reader);
      if (!is_fed) found->second.node->merge_output_shape(0, source.shape());
    }
    return found->second;
  }

  /// A value may have another name than the output that gives it (lower_calls.h).
  int place_among_outputs(uint32_t producer, ValueId id) const {
    const std::vector<ValueId>& outputs = step_.nodes[producer].outputs;
    return static_cast<int>(std::ranges::find(outputs, id) - outputs.begin());
  }

  /// What comes out of these is there in another iteration than what goes in, so they run where it is read.
  bool crosses_iterations(uint32_t n) const {
    const FlowRole role = step_.nodes[n].node->schema().row.flow;
    return role == FlowRole::kEnter || role == FlowRole::kNextIteration;
  }

  Endpoint copy_on(uint32_t device, uint32_t n, const std::string& reader) {
    const Node& node = *step_.nodes[n].node;
    const Endpoint input = value_on(device, step_.nodes[n].inputs[0], reader);
    return add(device,
               {new_name("", node.name()), &node.schema(), {input}, {}, node.attrs(), {}, node.line()})
        ->output(0);
  }

  /// A node on `device` that runs after node `n` of the step, which may be elsewhere.
  Node* waited_for_on(uint32_t device, uint32_t n, const std::string& reader) {
    const uint32_t home = device_of_[n];
    if (home == device) return copies_[n];
    const auto [found, is_new] = awaited_.try_emplace({n, device}, nullptr);
    if (is_new) {
      const std::string& name = copies_[n]->name();
      Node* const word = empty_constant(home, new_name("", name + "/ctrl"), {copies_[n]});
      const Endpoint heard =
          transfer(word->output(0), home, device, frames_.of_node[n], is_conditional_[n], name, reader);
      found->second = add(device, "Identity", new_name("", name), {heard}, {{"T", DType::kFloat32}});
    }
    return found->second;
  }

  Node* empty_constant(uint32_t device, std::string name, std::vector<Node*> controls = {}) {
    return add(device, "Const", std::move(name), {},
               {{"dtype", DType::kFloat32}, {"value", Array(DType::kFloat32, {0})}}, std::move(controls));
  }

  // ---- the client

  Endpoint fed(ValueId id) {
    const auto [found, is_new] = fed_.try_emplace(id);
    if (is_new) {
      const Endpoint& endpoint = step_.values[id].endpoint;
      Attrs attrs = transfer_attrs(options_.client, options_.client, endpoint.name(), true);
      attrs.set("tensor_type", base_dtype(endpoint.dtype()));
      attrs.set(kMayBeDead, false);
      found->second =
          add(options_.client, "_Recv", port_name("_recv", endpoint), {}, std::move(attrs))->output(0);
    }
    return found->second;
  }

  void send_to_client(ValueId id) {
    if (!sent_.insert(id).second) return;
    const Endpoint& endpoint = step_.values[id].endpoint;
    const std::string name = port_name("_send", endpoint);
    const int32_t producer = step_.values[id].producer;
    if (producer < 0) return;  // the client has it
    Attrs attrs = transfer_attrs(options_.client, options_.client, endpoint.name(), true);
    attrs.set("T", base_dtype(endpoint.dtype()));
    attrs.set(kMayBeDead, is_conditional_[static_cast<size_t>(producer)]);
    const Endpoint source = value_on(options_.client, id, name);
    add(options_.client, "_Send", name, {source}, std::move(attrs));
  }

  // ---- loops

  /// The Merge of what keeps a device's nodes in step with a loop whose condition is elsewhere: one for each
  /// loop and device, and those around it. It waits for its condition to be made.
  Node* control_loop(int frame, uint32_t device, const std::string& reader) {
    const auto [found, is_new] = loops_.try_emplace({frame, device});
    if (!is_new) return found->second;
    const Frame& loop = frames_.list[static_cast<size_t>(frame)];
    const Endpoint first = loop.parent > 0 ? control_loop(loop.parent, device, reader)->output(0)
                                           : empty_constant(device, new_name("", reader))->output(0);
    const Attrs& of_loop = step_.nodes[loop.enters.front()].node->attrs();
    Node* const enter = add(device, "Enter", new_name("_cloop", reader), {first},
                            {{"T", DType::kFloat32},
                             {"frame_name", loop.name},
                             {"is_constant", false},
                             {"parallel_iterations", of_loop.get<int64_t>("parallel_iterations")}});
    found->second = add(device, "Merge", new_name("_cloop", reader), {enter->output(0), enter->output(0)},
                        {{"T", DType::kFloat32}, {"N", int64_t{2}}});
    return found->second;
  }

  void finish_control_loop(int frame, uint32_t device, Node* merge) {
    const ValueId condition = conditions_[static_cast<size_t>(frame)];
    const std::string& name = merge->name();
    if (condition == kNoValue) {
      throw errors::InvalidArgumentError(
          fmt::format("The loop '{}' goes over several devices, but has no LoopCond",
                      frames_.list[static_cast<size_t>(frame)].name));
    }
    Node* const branch = add(device, "Switch", new_name("", name),
                             {merge->output(0), value_on(device, condition, name)}, {{"T", DType::kFloat32}});
    Node* const next =
        add(device, "NextIteration", new_name("", name), {branch->output(1)}, {{"T", DType::kFloat32}});
    merge->close_loop(1, next->output(0));
  }

  const StepGraph& step_;
  const std::span<const uint32_t> device_of_;
  const DeviceSet& devices_;
  const PartitionOptions& options_;
  const Frames frames_;
  const std::vector<bool> is_conditional_;                 // by node
  std::vector<ValueId> conditions_;                        // by frame
  std::vector<Node*> copies_;                              // by node
  std::vector<std::pair<uint32_t, uint32_t>> back_edges_;  // node and input
  std::map<uint32_t, Part> parts_;
  std::map<ValueId, Endpoint> fed_;
  std::set<ValueId> sent_;
  std::map<std::pair<ValueId, uint32_t>, Endpoint> arrived_;  // by value and device
  std::map<std::pair<uint32_t, uint32_t>, Node*> awaited_;    // by node and device
  std::map<std::pair<int, uint32_t>, Node*> loops_;           // by frame and device
  int64_t num_new_names_ = 0;                                 // where the options count none
  int num_edges_ = 0;
};

}  // namespace

std::vector<Partition> partition(const StepGraph& step, std::span<const uint32_t> device_of,
                                 const DeviceSet& devices, const PartitionOptions& options) {
  if (step.nodes.empty()) return {};
  return Partitioner(step, device_of, devices, options).make();
}

std::string client_key(const Endpoint& endpoint, const graph::DeviceName& client, uint64_t incarnation) {
  const std::string device = client.to_string();
  return fmt::format("{};{:016x};{};{};0:0", device, incarnation, device, endpoint.name());
}

}  // namespace flowray::engine
