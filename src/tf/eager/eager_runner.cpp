#include "tf/eager/eager_runner.h"

#include "core/subnormals.h"
#include "core/thread_owned.h"
#include "core/workspace.h"
#include "graph/kernel/blocking_call.h"
#include "graph/kernel/evaluate.h"
#include "graph/kernel/files_of_step.h"
#include "graph/kernel/widened_kernel.h"
#include "graph/resource/resource_value.h"
#include "graph/shape_context.h"
#include "graph/signature.h"
#include "ops/all_ops.h"
#include "ops/python_nodes/indexed_slices.h"
#include "tf/build/apply_op.h"
#include "tf/eager/op_plan.h"
#include "tf/eager/tape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <map>

namespace flowray::tf::eagerly {
namespace {

using graph::Endpoint;
using graph::Node;
using graph::ValueNode;

/// Where the variables of eager programs are, by names that no two share.
constexpr const char* kContainer = "eager";

/// What a thread keeps for the ops that it runs.
struct ThreadPlans {
  PlanCache cache;
  PlanKey key;
  /// Ops by the address of their name, which is nearly always the same literal's.
  struct KnownOp {
    const char* name = nullptr;
    const graph::OpSchema* schema = nullptr;
  };
  std::array<KnownOp, 256> ops;
};

ThreadPlans& plans() { return ThreadOwned<ThreadPlans>::get(); }

const graph::OpSchema& schema_of(std::string_view op) {
  ThreadPlans::KnownOp& known = plans().ops[(reinterpret_cast<uintptr_t>(op.data()) >> 2) % 256];
  if (known.name == op.data() && known.schema->name == op) return *known.schema;
  const graph::OpSchema* const schema = ops::op_table().find(op);
  if (schema == nullptr) {
    throw errors::NotFoundError(fmt::format("Op type not registered '{}' in binary running here.", op));
  }
  known = {op.data(), schema};
  return *schema;
}

bool is_handle(DType dtype) { return is_ref(dtype) || dtype == DType::kResource; }

/// The resource that an input stands for; null for a value.
graph::Resource* resource_behind(const Endpoint& input) {
  const ValueNode& node = graph::value_node(input);
  if (node.resource() != nullptr) return node.resource().get();
  if (input.dtype() != DType::kResource) return nullptr;
  return static_cast<graph::Resource*>(const_cast<void*>(node.value(input.index).raw_data()));
}

Array read_variable(const Endpoint& input) {
  graph::Resource* const resource = resource_behind(input);
  if (resource == nullptr) graph::throw_wrong_kind(graph::Variable::kKind);
  return graph::resource_as<graph::Variable>(*resource).read();
}

/// The inputs of one op: where its values are, and the resources.
class Inputs {
 public:
  explicit Inputs(std::span<const Endpoint> endpoints) : endpoints_(endpoints) {
    if (endpoints.size() > kFew) more_.resize(endpoints.size());
    for (size_t i = 0; i < endpoints.size(); ++i) {
      if (!endpoints[i].node->is_value()) throw_symbolic(endpoints[i]);
      if (!is_ref(endpoints[i].dtype()))
        at(i).value = &graph::value_node(endpoints[i]).value(endpoints[i].index);
    }
  }

  /// Reads variables where the op takes values.
  void resolve(uint64_t references) {
    for (size_t i = 0; i < endpoints_.size(); ++i) {
      if (!is_handle(endpoints_[i].dtype())) continue;
      const bool takes_reference = i < 64 ? (references >> i & 1) != 0 : true;
      if (takes_reference) {
        at(i).resource = resource_behind(endpoints_[i]);
      } else if (is_ref(endpoints_[i].dtype())) {
        at(i).value = &read_.emplace_back(read_variable(endpoints_[i]));
      }
    }
  }

  size_t size() const { return endpoints_.size(); }
  std::span<const Endpoint> endpoints() const { return endpoints_; }
  const Array& value(size_t i) const { return *at(i).value; }
  const Array* value_or_null(size_t i) const { return at(i).value; }
  graph::Resource* resource(size_t i) const { return at(i).resource; }

  std::vector<graph::NodeInput> as_node_inputs() const {
    std::vector<graph::NodeInput> inputs;
    for (size_t i = 0; i < size(); ++i)
      inputs.push_back({resource(i) != nullptr ? Array() : value(i), resource(i)});
    return inputs;
  }

 private:
  struct Place {
    const Array* value = nullptr;
    graph::Resource* resource = nullptr;
  };
  static constexpr size_t kFew = 12;

  [[noreturn]] static void throw_symbolic(const Endpoint& endpoint) {
    throw TypeError(
        fmt::format("Tensor {} is symbolic: it belongs to a graph and has no value here.\nUse it while its "
                    "graph is the default one, and run it in a session.",
                    endpoint.name()));
  }
  Place& at(size_t i) { return endpoints_.size() > kFew ? more_[i] : few_[i]; }
  const Place& at(size_t i) const { return endpoints_.size() > kFew ? more_[i] : few_[i]; }

  std::span<const Endpoint> endpoints_;
  std::array<Place, kFew> few_;
  std::vector<Place> more_;
  std::deque<Array> read_;
};

/// A kernel for variants, which have no elements, gets the Array itself.
void* elements_of(const Array& value) {
  return value.dtype() == DType::kVariant ? const_cast<Array*>(&value) : const_cast<void*>(value.raw_data());
}

/// TensorFlow's words for inputs of one type attribute that differ: an InvalidArgumentError, where a graph
/// has a TypeError.
void check_dtypes(const graph::OpSchema& schema, std::span<const Endpoint> inputs,
                  const graph::Attrs& attrs) {
  std::map<std::string, DType, std::less<>> types;
  for (const auto& [name, value] : attrs.items()) {
    if (const auto* dtype = value.get_if<DType>()) types[name] = *dtype;
  }
  if (schema.inputs.size() != inputs.size()) return;  // with lists: complete_attrs says what is wrong
  for (size_t i = 0; i < inputs.size(); ++i) {
    const graph::ArgSchema& arg = schema.inputs[i];
    if (!arg.number_attr.empty() || !arg.type_list_attr.empty() || !inputs[i]) return;
    const DType dtype = base_dtype(inputs[i].dtype());
    DType wanted = arg.type;
    if (!arg.type_attr.empty()) wanted = types.try_emplace(arg.type_attr, dtype).first->second;
    if (wanted == dtype || arg.is_ref) continue;
    throw errors::InvalidArgumentError(fmt::format(
        "cannot compute {} as input #{}(zero-based) was expected to be a {} tensor but is a {} tensor",
        schema.name, i, dtype_kernel_name(wanted), dtype_kernel_name(dtype)));
  }
}

uint64_t reference_inputs(const graph::OpSchema& schema, const graph::Attrs& attrs,
                          std::span<const Endpoint> inputs) {
  uint64_t references = 0;
  for (size_t i = 0; i < std::min<size_t>(inputs.size(), 64); ++i) {
    const bool is_reference =
        inputs[i].dtype() == DType::kResource ||
        (is_ref(inputs[i].dtype()) && graph::takes_reference(schema, attrs, static_cast<int>(i)));
    if (is_reference) references |= uint64_t{1} << i;
  }
  return references;
}

/// What the handle's node declares; where that leaves something open, the shape that the variable has now.
Shape shape_behind(const Endpoint& from, const graph::Resource& resource) {
  Shape declared = graph::handle_shape(from);
  if (from.dtype() != DType::kResource || declared.is_fully_defined()) return declared;
  const auto* variable = dynamic_cast<const graph::Variable*>(&resource);
  return variable == nullptr ? declared : variable->initialized() ? variable->read().shape() : Shape();
}

/// Makes plans.
class Planner {
 public:
  Planner(const graph::NodeRequest& request, const graph::OpSchema& schema, Inputs& inputs)
      : request_(request), schema_(schema), inputs_(inputs) {}

  /// Bit i: the plan depends on the value of input i.
  uint64_t values_read() const { return values_read_; }

  std::shared_ptr<OpPlan> make() {
    ValueNode::Facts facts{
        .schema = &schema_, .name = schema_.name, .attrs = request_.attrs, .dtypes = {}, .shapes = {}};
    check_dtypes(schema_, inputs_.endpoints(), request_.attrs);
    graph::complete_attrs(schema_, facts.name, inputs_.endpoints(), facts.attrs);
    facts.dtypes = graph::output_dtypes(schema_, facts.attrs);
    facts.shapes.assign(facts.dtypes.size(), Shape::unknown_rank());
    const uint64_t references = reference_inputs(schema_, facts.attrs, inputs_.endpoints());
    inputs_.resolve(references);
    const graph::OpRow& row = schema_.row;
    const auto plan = std::make_shared<OpPlan>(std::move(facts));
    plan->reference_inputs = references;
    plan->is_differentiable = !row.not_differentiable && !row.is_constant;
    plan->keeps_inputs = plan->facts.attrs.contains(ops::kSlicesMark);
    if (schema_.name == "Placeholder")
      throw RuntimeError("tf.placeholder() is not compatible with eager execution.");
    if (row.flow != graph::FlowRole::kNone) {
      throw errors::UnimplementedError(fmt::format(
          "The op {} is of graphs only: there is no step here whose flow it could change.", schema_.name));
    }
    if (makes_resource(*plan) || row.start != nullptr) {
      plan->kind = PlanKind::kOther;
    } else if (row.compute != nullptr) {
      plan->kind = PlanKind::kCompute;
    } else if (row.view) {
      infer(*plan);
      plan->kind = PlanKind::kView;
    } else if (row.prepare != nullptr) {
      infer(*plan);
      prepare(*plan);
    } else {
      throw errors::UnimplementedError(
          fmt::format("No OpKernel was registered to support Op '{}'", schema_.name));
    }
    return plan;
  }

 private:
  static bool makes_resource(const OpPlan& plan) {
    const bool is_one = plan.facts.dtypes.size() == 1 && is_handle(plan.facts.dtypes[0]);
    return plan.facts.schema->row.resource != nullptr ||
           (is_one && plan.facts.schema->inputs.empty() && plan.facts.schema->row.prepare == nullptr);
  }

  void infer(OpPlan& plan) {
    std::vector<graph::ShapeContext::Input> known;
    std::vector<Shape> handle_shapes(inputs_.size());
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const Endpoint from = inputs_.endpoints()[i];
      if (inputs_.resource(i) != nullptr) {
        handle_shapes[i] = shape_behind(from, *inputs_.resource(i));
        known.push_back(
            {from.shape(), base_dtype(from.dtype()), nullptr, &handle_shapes[i], graph::handle_attrs(from)});
      } else {
        known.push_back({inputs_.value(i).shape(), inputs_.value(i).dtype(), &inputs_.value(i)});
      }
    }
    graph::ShapeContext context(schema_, plan.facts.attrs, known, static_cast<int>(plan.facts.dtypes.size()),
                                /*running=*/true);
    if (schema_.row.shape != nullptr) schema_.row.shape(context);
    values_read_ |= context.values_read();
    plan.facts.shapes = std::move(context.outputs());
  }

  void prepare(OpPlan& plan) {
    std::vector<graph::PrepareContext::Value> in;
    std::vector<graph::PrepareContext::Value> out;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const Endpoint from = inputs_.endpoints()[i];
      if (inputs_.resource(i) != nullptr) {
        in.push_back({from.shape(), base_dtype(from.dtype()), nullptr});
      } else {
        in.push_back({inputs_.value(i).shape(), inputs_.value(i).dtype(), &inputs_.value(i)});
      }
    }
    for (size_t i = 0; i < plan.facts.dtypes.size(); ++i)
      out.push_back({plan.facts.shapes[i], base_dtype(plan.facts.dtypes[i]), nullptr});
    // A random generator goes on from one op to the next that has the same attributes, as TensorFlow's do.
    PlanKey state;
    state.attrs(plan.facts.attrs);
    const std::string name = fmt::format("{}/{:016x}", schema_.name, state.hash());
    graph::PrepareContext context(name, schema_, plan.facts.attrs, in, out, eager_session(),
                                  eager_session().parallel().workers());
    plan.kernel = graph::prepare_kernel(context);
    values_read_ |= context.values_read();
    plan.kind = PlanKind::kKernel;
  }

  const graph::NodeRequest& request_;
  const graph::OpSchema& schema_;
  Inputs& inputs_;
  uint64_t values_read_ = 0;
};

/// Everything that an op has inputs and outputs of, as kernels take it.
void run_kernel(const OpPlan& plan, const Inputs& inputs, ValueNode& node) {
  constexpr size_t kFew = 24;
  static constexpr auto kPlaces = [] {
    std::array<uint32_t, kFew> places{};
    for (uint32_t i = 0; i < kFew; ++i) places[i] = i;
    return places;
  }();
  const size_t num_outputs = plan.facts.dtypes.size();
  const size_t num_operands = inputs.size() + num_outputs;
  std::array<void*, kFew> few{};
  std::vector<void*> more;
  std::vector<uint32_t> more_places;
  void** slots = few.data();
  if (num_operands > kFew) {
    more.resize(num_operands);
    slots = more.data();
    for (uint32_t i = 0; i < num_operands; ++i) more_places.push_back(i);
  }
  for (size_t i = 0; i < inputs.size(); ++i)
    slots[i] = inputs.resource(i) != nullptr ? inputs.resource(i) : elements_of(inputs.value(i));
  for (size_t i = 0; i < num_outputs; ++i) {
    const DType dtype = plan.facts.dtypes[i];
    const int number = static_cast<int>(i);
    void*& slot = slots[inputs.size() + i];
    if (is_ref(dtype)) {
      slot = nullptr;
    } else if (dtype == DType::kVariant) {
      slot = const_cast<Array*>(&node.value(number));
    } else {
      Array output = Array::uninitialized(dtype, plan.facts.shapes[i]);
      slot = output.mutable_raw_data();
      node.set_value(number, std::move(output));
    }
  }
  const std::span<const uint32_t> places = num_operands > kFew
                                               ? std::span<const uint32_t>(more_places)
                                               : std::span<const uint32_t>(kPlaces).first(num_operands);
  Workspace workspace(plan.kernel->workspace_bytes());
  plan.kernel->run(
      graph::KernelCall(slots, places, inputs.size(), workspace.data(), eager_session().parallel()));
}

/// All: they are the program's own. (Those of a server's steps go through its session.)
const files::FileAccess& files_of_eager_ops() {
  static const auto* const all = new files::FileAccess(files::FileAccess::all());
  return *all;
}

void set_outputs(ValueNode& node, std::span<Array> outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const int number = static_cast<int>(i);
    if (outputs[i].has_value()) node.set_shape(number, outputs[i].shape());
    node.set_value(number, std::move(outputs[i]));
  }
}

void run_compute(const OpPlan& plan, const Inputs& inputs, ValueNode& node) {
  std::vector<Array> values;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs.resource(i) != nullptr) {
      values.push_back(graph::value_node(inputs.endpoints()[i]).value(inputs.endpoints()[i].index));
    } else {
      values.push_back(inputs.value(i));
    }
  }
  std::vector<Array> outputs(plan.facts.dtypes.size());
  const graph::FilesOfStep files(files_of_eager_ops());
  graph::DynamicCall call(plan.facts.attrs, values, outputs, eager_session().parallel());
  plan.facts.schema->row.compute(call);
  set_outputs(node, outputs);
}

class Runner final : public graph::EagerRunner {
 public:
  Node* run(const graph::NodeRequest& request) override {
    const graph::OpSchema& schema = schema_of(request.op);
    if (schema.row.is_constant) return constant(request.attrs.get<Array>("value"));
    try {
      Inputs inputs(request.inputs);
      const Found found = find(request, schema, inputs);
      OpPlan& plan = *found.plan;
      if (found.made == nullptr) inputs.resolve(plan.reference_inputs);
      ValueNode* const node = plan.take(eager_graph());
      if (!found.is_kept) plan.close();
      graph::ValuePool::add(node);
      const FlushSubnormals flush;
      run(plan, request, inputs, *node);
      if (plan.keeps_inputs) {
        node->keep_inputs(request.inputs);
        node->set_keeps_inputs(true);
      }
      if (recording().tapes != 0) record(*node, request.inputs, plan.is_differentiable);
      return node;
    } catch (const errors::OpError& error) {
      if (error.message().find(" [Op:") != std::string::npos) throw;
      errors::throw_error(error.code(), fmt::format("{} [Op:{}]", error.message(), schema.name));
    }
  }

  Node* constant(const Array& value) override {
    static const graph::OpSchema& schema = *ops::op_table().find("Const");
    PlanKey& key = plans().key;
    key.clear();
    key.pointer(&schema);
    key.word(static_cast<uint64_t>(value.dtype()));
    key.shape(value.shape());
    const PlanCache::Entry* entry = plans().cache.find(key);
    if (entry == nullptr) {
      auto plan = std::make_shared<OpPlan>(ValueNode::Facts{
          &schema, schema.name, {{"dtype", value.dtype()}}, {value.dtype()}, {value.shape()}});
      plan->kind = PlanKind::kConstant;
      plans().cache.insert(key, std::move(plan));
      entry = plans().cache.find(key);
    }
    ValueNode* const node = entry->plan->take(eager_graph());
    node->set_value(0, value);
    graph::ValuePool::add(node);
    return node;
  }

 private:
  struct Found {
    std::shared_ptr<OpPlan> made;  // null: it was there
    OpPlan* plan = nullptr;
    bool is_kept = true;
  };

  static Found find(const graph::NodeRequest& request, const graph::OpSchema& schema, Inputs& inputs) {
    ThreadPlans& here = plans();
    PlanKey& key = here.key;
    key.clear();
    key.pointer(&schema);
    for (const Endpoint& input : request.inputs) {
      key.word(static_cast<uint64_t>(input.dtype()));
      key.shape(input.shape());
      if (input.dtype() == DType::kResource) add_handle(key, input);
    }
    if (!request.attrs.items().empty()) key.attrs(request.attrs);
    const size_t without_values = key.words().size();
    const PlanCache::Entry* entry = here.cache.find(key);
    const uint64_t known_read = entry == nullptr ? 0 : entry->values_read;
    bool is_kept = true;
    if (known_read != 0) {
      is_kept = add_values(key, known_read, inputs);
      entry = is_kept ? here.cache.find(key) : nullptr;
    }
    if (entry != nullptr) return {nullptr, entry->plan.get(), true};
    Planner planner(request, schema, inputs);
    std::shared_ptr<OpPlan> plan = planner.make();
    OpPlan* const made = plan.get();
    if (plan->kind == PlanKind::kOther) return {std::move(plan), made, false};
    const uint64_t read = planner.values_read() | known_read;
    if (read != known_read) {
      key.truncate(without_values);
      here.cache.set_values_read(key, read);
      is_kept = add_values(key, read, inputs);
    }
    if (is_kept) here.cache.insert(key, plan);
    return {std::move(plan), made, is_kept};
  }

  /// What shape functions see of a handle.
  static void add_handle(PlanKey& key, const Endpoint& handle) {
    key.attrs(handle.node->attrs());
    if (const graph::Resource* const resource = resource_behind(handle))
      key.shape(shape_behind(handle, *resource));
  }

  /// False where there are too many to look for.
  static bool add_values(PlanKey& key, uint64_t values_read, const Inputs& inputs) {
    constexpr size_t kMostBytes = 1024;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const bool is_read = i < 64 ? (values_read >> i & 1) != 0 : values_read == ~uint64_t{0};
      if (!is_read) continue;
      const Array* const value = inputs.value_or_null(i);
      if (value == nullptr || !value->has_value()) continue;
      if (value->size_bytes() > kMostBytes || value->dtype() == DType::kVariant) return false;
      key.value(*value);
    }
    return true;
  }

  static void run(const OpPlan& plan, const graph::NodeRequest& request, const Inputs& inputs,
                  ValueNode& node) {
    switch (plan.kind) {
      case PlanKind::kKernel:
        run_kernel(plan, inputs, node);
        if (!plan.facts.dtypes.empty() && is_ref(plan.facts.dtypes[0])) hand_on_reference(inputs, node);
        return;
      case PlanKind::kView:
        run_view(plan, inputs, node);
        return;
      case PlanKind::kCompute:
        run_compute(plan, inputs, node);
        return;
      default:
        run_other(plan, request, inputs, node);
    }
  }

  static void run_view(const OpPlan& plan, const Inputs& inputs, ValueNode& node) {
    if (is_ref(plan.facts.dtypes[0]) || inputs.resource(0) != nullptr) {
      hand_on_reference(inputs, node);
      return;
    }
    const Array& value = inputs.value(0);
    const Shape& shape = plan.facts.shapes[0];
    if (shape == value.shape()) {
      node.set_value(0, value);
    } else {
      node.set_value(0, value.reshape(shape));
    }
  }

  /// The output is the variable that input 0 is.
  static void hand_on_reference(const Inputs& inputs, ValueNode& node) {
    if (inputs.size() == 0) return;
    const ValueNode& from = graph::value_node(inputs.endpoints()[0]);
    node.set_resource(from.resource());
    node.set_shape(0, inputs.endpoints()[0].shape());
    if (inputs.endpoints()[0].dtype() == DType::kResource)
      node.set_value(0, from.value(inputs.endpoints()[0].index));
  }

  static void run_other(const OpPlan& plan, const graph::NodeRequest& request, const Inputs& inputs,
                        ValueNode& node) {
    const graph::OpRow& row = plan.facts.schema->row;
    if (inputs.size() == 0 && !plan.facts.dtypes.empty() && is_handle(plan.facts.dtypes[0]) &&
        row.start == nullptr) {
      make_resource(plan, request, node);
      return;
    }
    node.keep_inputs(request.inputs);
    std::vector<Array> outputs;
    run_unlocked([&] {
      const graph::FilesOfStep files(files_of_eager_ops());
      outputs = graph::evaluate(node, inputs.as_node_inputs(), eager_session(), eager_session().parallel());
    });
    set_outputs(node, outputs);
    node.drop_inputs();
  }

  /// A variable, queue, table, iterator: each op makes one of its own.
  static void make_resource(const OpPlan& plan, const graph::NodeRequest& request, ValueNode& node) {
    static std::atomic<uint64_t> number{0};
    graph::ResourceContainers& containers = eager_session().resources().containers;
    const graph::OpRow& row = plan.facts.schema->row;
    node.rename(request.name.empty() ? plan.facts.schema->name : std::string(request.name));
    if (row.resource != nullptr) {
      const std::string shown = node.name();
      node.rename(fmt::format("{}_{}", shown, number.fetch_add(1, std::memory_order_relaxed)));
      const graph::FilesOfStep files(files_of_eager_ops());
      node.set_resource(graph::bind_resource(node, containers, eager_session()));
      eager_session().forget_states(node.name());
      return;
    }
    // A function that is traced has a node for the variable, which finds it by this name.
    const std::string key = fmt::format("{}/{}", number.fetch_add(1, std::memory_order_relaxed), node.name());
    node.set_attr("container", std::string(kContainer));
    node.set_attr("shared_name", key);
    const std::string name = node.name();
    node.set_resource(containers.find_or_make<graph::Variable>(
        kContainer, key, [&] { return std::make_shared<graph::Variable>(name); }));
    node.set_extra(std::shared_ptr<void>(&containers, [key](void* in) {
      static_cast<graph::ResourceContainers*>(in)->forget<graph::Variable>(kContainer, key);
    }));
    if (const graph::AttrValue* shape = node.attrs().find("shape")) node.set_shape(0, shape->get<Shape>());
  }
};

}  // namespace

graph::Graph& eager_graph() {
  static auto* const runner = new Runner();
  static auto* const graph = new graph::Graph(ops::op_table(), *runner);
  return *graph;
}

std::shared_ptr<graph::ResourceContainers> eager_containers() {
  static const auto* const containers =
      new std::shared_ptr<graph::ResourceContainers>(std::make_shared<graph::ResourceContainers>());
  return *containers;
}

engine::Session& eager_session() {
  static auto* const session = new engine::Session({}, eager_containers());
  return *session;
}

Array current_value(const graph::Endpoint& endpoint) {
  return is_ref(endpoint.dtype()) ? read_variable(endpoint)
                                  : graph::value_node(endpoint).value(endpoint.index);
}

namespace {
std::atomic<Unlocked> unlocked_of_front_door{nullptr};
}  // namespace

void set_unlocked(Unlocked unlocked) { unlocked_of_front_door.store(unlocked, std::memory_order_release); }

void run_unlocked(const std::function<void()>& body) {
  if (const Unlocked unlocked = unlocked_of_front_door.load(std::memory_order_acquire)) {
    unlocked(body);
  } else {
    body();
  }
}

size_t num_plans() { return plans().cache.size(); }

}  // namespace flowray::tf::eagerly
