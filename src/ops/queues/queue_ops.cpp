// The ops that make queues and use them. Those of TensorFlow's first form take a reference to two strings,
// the second (V2) a resource handle; nothing else differs.

#include "core/invalid_argument.h"
#include "graph/graph.h"
#include "graph/kernel/blocking_call.h"
#include "graph/shape_context.h"
#include "graph/signature.h"
#include "ops/queues/queue.h"
#include "ops/queues/register.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace flowray::ops {
namespace {

using graph::Attrs;
using graph::BlockingCall;
using graph::OpRow;
using graph::ResourceContext;
using graph::ShapeContext;
using GiveUp = std::function<void()>;

// ---- making queues

std::string names_of(const std::vector<DType>& dtypes) {
  std::vector<std::string> names;
  for (const DType dtype : dtypes) names.push_back(dtype_kernel_name(dtype));
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string text_of(const std::vector<Shape>& shapes) {
  std::vector<std::string> texts;
  for (const Shape& shape : shapes) texts.push_back(shape.to_string());
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

QueueSpec spec_of(const Attrs& attrs) {
  return {attrs.get<std::vector<DType>>("component_types"), attrs.get<std::vector<Shape>>("shapes"),
          attrs.get<int64_t>("capacity")};
}

void check_counts(const QueueSpec& spec) {
  if (spec.shapes.empty() || spec.shapes.size() == spec.dtypes.size()) return;
  invalid_argument(fmt::format("Different number of component types.  Types: {}, Shapes: {}",
                               names_of(spec.dtypes), text_of(spec.shapes)));
}

void check_shapes_are_defined(const QueueSpec& spec) {
  for (const Shape& shape : spec.shapes) {
    if (!shape.is_fully_defined())
      invalid_argument(fmt::format("Shape {} is not fully defined", shape.to_string()));
  }
}

void check_same(const Queue& queue, const QueueSpec& asked) {
  const QueueSpec& spec = queue.spec();
  if (std::max<int64_t>(spec.capacity, -1) != std::max<int64_t>(asked.capacity, -1)) {
    invalid_argument(fmt::format("Shared queue '{}' has capacity {} but requested capacity was {}",
                                 queue.name(), spec.capacity, asked.capacity));
  }
  if (spec.dtypes != asked.dtypes) {
    invalid_argument(
        fmt::format("Shared queue '{}' has component types {} but requested component types were {}",
                    queue.name(), names_of(spec.dtypes), names_of(asked.dtypes)));
  }
  if (spec.shapes != asked.shapes) {
    invalid_argument(
        fmt::format("Shared queue '{}' has component shapes {} but requested component shapes were {}",
                    queue.name(), text_of(spec.shapes), text_of(asked.shapes)));
  }
}

/// The error names the kind of the queue that exists, as TensorFlow's does.
void check_shared(const Queue& queue, const ResourceContext& context, const QueueSpec& asked) {
  std::string op = context.node().op();
  if (op.ends_with("V2")) op.resize(op.size() - 2);
  if (op != queue.op())
    invalid_argument(fmt::format("Expected {}, found {}", queue.op(), context.node().op()));
  check_same(queue, asked);
}

template <class Q>
std::shared_ptr<graph::Resource> find_or_make(ResourceContext& context, const QueueSpec& spec) {
  const auto queue = context.find_or_make<Queue>(
      [&](const std::string& name) -> std::shared_ptr<Queue> { return std::make_shared<Q>(name, spec); });
  check_shared(*queue, context, spec);
  return queue;
}

std::shared_ptr<graph::Resource> fifo_queue(ResourceContext& context) {
  const QueueSpec spec = spec_of(context.attrs());
  check_counts(spec);
  check_shapes_are_defined(spec);
  return find_or_make<FifoQueue>(context, spec);
}

std::shared_ptr<graph::Resource> padding_queue(ResourceContext& context) {
  const QueueSpec spec = spec_of(context.attrs());
  if (spec.shapes.size() != spec.dtypes.size()) {
    invalid_argument(
        fmt::format("Shapes must be provided for all components, but received {} dtypes and {} shapes.",
                    spec.dtypes.size(), spec.shapes.size()));
  }
  for (const Shape& shape : spec.shapes) {
    if (!shape.has_rank())
      invalid_argument(fmt::format("Shape {} has no known rank, which padding needs", shape.to_string()));
  }
  return find_or_make<PaddingQueue>(context, spec);
}

/// Its first component is the priority, which the attributes leave out.
std::shared_ptr<graph::Resource> priority_queue(ResourceContext& context) {
  QueueSpec spec = spec_of(context.attrs());
  spec.dtypes.insert(spec.dtypes.begin(), DType::kInt64);
  spec.shapes.insert(spec.shapes.begin(), Shape());
  check_counts(spec);
  check_shapes_are_defined(spec);
  return find_or_make<PriorityQueue>(context, spec);
}

std::shared_ptr<graph::Resource> shuffle_queue(ResourceContext& context) {
  const Attrs& attrs = context.attrs();
  const QueueSpec spec = spec_of(attrs);
  const ShuffleQueue::Shuffle asked{attrs.get<int64_t>("min_after_dequeue"), attrs.get<int64_t>("seed"),
                                    attrs.get<int64_t>("seed2")};
  if (asked.min_after_dequeue < 0)
    invalid_argument(fmt::format("min_after_dequeue {} must be >= 0", asked.min_after_dequeue));
  if (spec.capacity >= 0 && asked.min_after_dequeue >= spec.capacity) {
    invalid_argument(
        fmt::format("min_after_dequeue {} must be < capacity {}", asked.min_after_dequeue, spec.capacity));
  }
  check_counts(spec);
  check_shapes_are_defined(spec);
  const auto queue = context.find_or_make<Queue>([&](const std::string& name) -> std::shared_ptr<Queue> {
    return std::make_shared<ShuffleQueue>(name, spec, asked);
  });
  check_shared(*queue, context, spec);
  const auto& there = static_cast<const ShuffleQueue&>(*queue).shuffle();
  if (there.min_after_dequeue != asked.min_after_dequeue) {
    invalid_argument(
        fmt::format("Shared queue '{}' has min_after_dequeue {} but requested min_after_dequeue was {}.",
                    queue->name(), there.min_after_dequeue, asked.min_after_dequeue));
  }
  if (there.seed != asked.seed || there.seed2 != asked.seed2) {
    invalid_argument(
        fmt::format("Shared queue '{}' has random seeds ({}, {}) but requested seeds are ({}, {}).",
                    queue->name(), there.seed, there.seed2, asked.seed, asked.seed2));
  }
  return queue;
}

// ---- checks of a call

/// The node's dtypes must be the queue's: `inputs` of them behind the handle are components, or all outputs.
void check_signature(const BlockingCall& call, const Queue& queue, bool components_come_in) {
  const graph::Node& node = call.node();
  const auto texts = [&](const std::vector<DType>& components) {
    std::vector<DType> in;
    std::vector<DType> out;
    for (int i = 0; i < node.num_inputs(); ++i) in.push_back(node.input(i).dtype());
    for (int i = 0; i < node.num_outputs(); ++i) out.push_back(node.output_dtype(i));
    if (components_come_in) {
      in.resize(1);
      in.insert(in.end(), components.begin(), components.end());
    } else {
      out = components;
    }
    return names_of(in) + "->" + names_of(out);
  };
  std::vector<DType> have;
  const int begin = components_come_in ? 1 : 0;
  const int end = components_come_in ? node.num_inputs() : node.num_outputs();
  for (int i = begin; i < end; ++i) {
    have.push_back(components_come_in ? base_dtype(node.input(i).dtype()) : node.output_dtype(i));
  }
  if (have == queue.spec().dtypes) return;
  invalid_argument(
      fmt::format("Signature mismatch, have: {} expected: {}", texts(have), texts(queue.spec().dtypes)));
}

void check_timeout(const BlockingCall& call) {
  if (call.attrs().get<int64_t>("timeout_ms") != -1) invalid_argument("Timeout not supported yet.");
}

QueueTuple components(const BlockingCall& call) {
  QueueTuple tuple;
  for (int i = 1; i < call.num_inputs(); ++i) tuple.push_back(call.in(i));
  return tuple;
}

Queue::Done ends(BlockingCall& call) {
  return [&call](QueueOutcome outcome) {
    if (outcome.code == Code::kOk) {
      call.done(std::move(outcome.tuple));
    } else {
      call.fail(outcome.code, std::move(outcome.text));
    }
  };
}

GiveUp cancels(Queue& queue, Queue::Attempt attempt) {
  return [&queue, attempt] { queue.cancel(attempt); };
}

// ---- using queues

GiveUp start_enqueue(BlockingCall& call) {
  check_timeout(call);
  auto& queue = call.resource<Queue>(0);
  check_signature(call, queue, /*components_come_in=*/true);
  return cancels(queue, queue.enqueue({components(call)}, ends(call)));
}

GiveUp start_enqueue_many(BlockingCall& call) {
  check_timeout(call);
  auto& queue = call.resource<Queue>(0);
  check_signature(call, queue, /*components_come_in=*/true);
  return cancels(queue, queue.enqueue(queue.rows_of(components(call)), ends(call)));
}

GiveUp start_dequeue(BlockingCall& call) {
  check_timeout(call);
  auto& queue = call.resource<Queue>(0);
  check_signature(call, queue, /*components_come_in=*/false);
  return cancels(queue, queue.dequeue(ends(call)));
}

GiveUp dequeue_many(BlockingCall& call, std::string_view speaker, bool may_be_fewer) {
  check_timeout(call);
  auto& queue = call.resource<Queue>(0);
  check_signature(call, queue, /*components_come_in=*/false);
  if (call.in(1).size() != 1)
    invalid_argument(fmt::format("n is {}, but must be one number", call.in(1).shape().to_string()));
  const int32_t count = call.in(1).item<int32_t>();
  if (count < 0) invalid_argument(fmt::format("{} requested {} < 0 elements", speaker, count));
  return cancels(queue, queue.dequeue_many(count, may_be_fewer, ends(call)));
}

GiveUp start_dequeue_many(BlockingCall& call) { return dequeue_many(call, "DequeueManyOp", false); }
GiveUp start_dequeue_up_to(BlockingCall& call) { return dequeue_many(call, "DequeueUpToOp", true); }

GiveUp start_close(BlockingCall& call) {
  auto& queue = call.resource<Queue>(0);
  return cancels(queue, queue.close(call.attrs().get<bool>("cancel_pending_enqueues"), ends(call)));
}

GiveUp start_queue_size(BlockingCall& call) {
  call.done({Array(static_cast<int32_t>(call.resource<Queue>(0).size()))});
  return {};
}

GiveUp start_is_closed(BlockingCall& call) {
  call.done({Array(call.resource<Queue>(0).is_closed())});
  return {};
}

// ---- shapes

/// What comes out has the shapes that the queue's node declares, as in TensorFlow's Python; a step is planned
/// for them.
void set_component_shapes(ShapeContext& context, const Shape& before) {
  if (context.handle(0) == nullptr) return;
  const graph::AttrValue* attr = context.handle(0)->find("shapes");
  const auto* shapes = attr == nullptr ? nullptr : attr->get_if<std::vector<Shape>>();
  if (shapes == nullptr) return;
  // A queue by priority has a component that its attributes leave out.
  const int first = context.num_outputs() - static_cast<int>(shapes->size());
  if (shapes->empty() || first < 0 || first > 1) return;
  for (int i = 0; i < context.num_outputs(); ++i) {
    context.set_output(i,
                       before.concatenate(i < first ? Shape() : (*shapes)[static_cast<size_t>(i - first)]));
  }
}

void dequeue_shape(ShapeContext& context) { set_component_shapes(context, Shape()); }

/// Input `n`; kUnknownDim where it is not known.
int64_t known_count(const ShapeContext& context) {
  const Array* count = context.value(1);
  if (count == nullptr || count->size() != 1) return Shape::kUnknownDim;
  const int64_t n = count->item<int32_t>();
  if (n < 0 && !context.running()) ShapeContext::fail(fmt::format("Input 'n' must be >= 0, but is {}", n));
  return std::max(n, Shape::kUnknownDim);
}

void dequeue_many_shape(ShapeContext& context) { set_component_shapes(context, Shape{known_count(context)}); }

void dequeue_up_to_shape(ShapeContext& context) {
  (void)known_count(context);
  set_component_shapes(context, Shape{Shape::kUnknownDim});
}

// ---- the ops: those without V2 take references. That all but one of these have no gradient on purpose, and
// those with V2 just none, is how TensorFlow's registries differ.

constexpr graph::OpRow queue_row(std::string_view name, std::string_view attrs,
                                 graph::ResourceFunction resource) {
  return {.name = name,
          .outputs = "handle:ref string",
          .attrs = attrs,
          .stateful = true,
          .shape = graph::reference_handle_shape,
          .resource = resource};
}

constexpr graph::OpRow queue_v2_row(std::string_view name, std::string_view attrs,
                                    graph::ResourceFunction resource) {
  return {.name = name,
          .outputs = "handle:resource",
          .attrs = attrs,
          .stateful = true,
          .shape = graph::scalar_shape,
          .resource = resource};
}

constexpr std::string_view kFifoAttrs =
    "component_types:list(type)>=1; shapes:list(shape)=[]; capacity:int=-1; container:string=\"\"; "
    "shared_name:string=\"\"";
constexpr std::string_view kPriorityAttrs =
    "component_types:list(type)=[]; shapes:list(shape); capacity:int=-1; container:string=\"\"; "
    "shared_name:string=\"\"";
constexpr std::string_view kShuffleAttrs =
    "component_types:list(type)>=1; shapes:list(shape)=[]; min_after_dequeue:int=0; seed:int=0; seed2:int=0; "
    "capacity:int=-1; container:string=\"\"; shared_name:string=\"\"";

constexpr graph::OpRow kQueueOps[] = {
    queue_row("FIFOQueue", kFifoAttrs, fifo_queue),
    queue_v2_row("FIFOQueueV2", kFifoAttrs, fifo_queue),
    queue_row("PaddingFIFOQueue", kFifoAttrs, padding_queue),
    queue_v2_row("PaddingFIFOQueueV2", kFifoAttrs, padding_queue),
    queue_row("PriorityQueue", kPriorityAttrs, priority_queue),
    queue_v2_row("PriorityQueueV2", kPriorityAttrs, priority_queue),
    queue_row("RandomShuffleQueue", kShuffleAttrs, shuffle_queue),
    queue_v2_row("RandomShuffleQueueV2", kShuffleAttrs, shuffle_queue),
    {.name = "QueueEnqueue",
     .inputs = "handle:ref string, components:[Tcomponents]",
     .attrs = "Tcomponents:list(type)>=1; timeout_ms:int=-1",
     .shape = graph::no_outputs,
     .not_differentiable = true,
     .start = start_enqueue},
    {.name = "QueueEnqueueV2",
     .inputs = "handle:resource, components:[Tcomponents]",
     .attrs = "Tcomponents:list(type)>=1; timeout_ms:int=-1",
     .stateful = true,
     .shape = graph::no_outputs,
     .start = start_enqueue},
    {.name = "QueueEnqueueMany",
     .inputs = "handle:ref string, components:[Tcomponents]",
     .attrs = "Tcomponents:list(type)>=1; timeout_ms:int=-1",
     .shape = graph::no_outputs,
     .not_differentiable = true,
     .start = start_enqueue_many},
    {.name = "QueueEnqueueManyV2",
     .inputs = "handle:resource, components:[Tcomponents]",
     .attrs = "Tcomponents:list(type)>=1; timeout_ms:int=-1",
     .stateful = true,
     .shape = graph::no_outputs,
     .start = start_enqueue_many},
    {.name = "QueueDequeue",
     .inputs = "handle:ref string",
     .outputs = "components:[component_types]",
     .attrs = "component_types:list(type)>=1; timeout_ms:int=-1",
     .shape = dequeue_shape,
     .not_differentiable = true,
     .start = start_dequeue},
    {.name = "QueueDequeueV2",
     .inputs = "handle:resource",
     .outputs = "components:[component_types]",
     .attrs = "component_types:list(type)>=1; timeout_ms:int=-1",
     .stateful = true,
     .shape = dequeue_shape,
     .start = start_dequeue},
    {.name = "QueueDequeueMany",
     .inputs = "handle:ref string, n:int32",
     .outputs = "components:[component_types]",
     .attrs = "component_types:list(type)>=1; timeout_ms:int=-1",
     .shape = dequeue_many_shape,
     .not_differentiable = true,
     .start = start_dequeue_many},
    {.name = "QueueDequeueManyV2",
     .inputs = "handle:resource, n:int32",
     .outputs = "components:[component_types]",
     .attrs = "component_types:list(type)>=1; timeout_ms:int=-1",
     .stateful = true,
     .shape = dequeue_many_shape,
     .start = start_dequeue_many},
    {.name = "QueueDequeueUpTo",
     .inputs = "handle:ref string, n:int32",
     .outputs = "components:[component_types]",
     .attrs = "component_types:list(type)>=1; timeout_ms:int=-1",
     .shape = dequeue_up_to_shape,
     .not_differentiable = true,
     .start = start_dequeue_up_to},
    {.name = "QueueDequeueUpToV2",
     .inputs = "handle:resource, n:int32",
     .outputs = "components:[component_types]",
     .attrs = "component_types:list(type)>=1; timeout_ms:int=-1",
     .stateful = true,
     .shape = dequeue_up_to_shape,
     .start = start_dequeue_up_to},
    {.name = "QueueClose",
     .inputs = "handle:ref string",
     .attrs = "cancel_pending_enqueues:bool=false",
     .shape = graph::no_outputs,
     .not_differentiable = true,
     .start = start_close},
    {.name = "QueueCloseV2",
     .inputs = "handle:resource",
     .attrs = "cancel_pending_enqueues:bool=false",
     .stateful = true,
     .shape = graph::no_outputs,
     .start = start_close},
    {.name = "QueueSize",
     .inputs = "handle:ref string",
     .outputs = "size:int32",
     .shape = graph::scalar_shape,
     .not_differentiable = true,
     .start = start_queue_size},
    {.name = "QueueSizeV2",
     .inputs = "handle:resource",
     .outputs = "size:int32",
     .stateful = true,
     .shape = graph::scalar_shape,
     .start = start_queue_size},
    {.name = "QueueIsClosed",
     .inputs = "handle:ref string",
     .outputs = "is_closed:bool",
     .shape = graph::scalar_shape,
     .start = start_is_closed},
    {.name = "QueueIsClosedV2",
     .inputs = "handle:resource",
     .outputs = "is_closed:bool",
     .stateful = true,
     .shape = graph::scalar_shape,
     .start = start_is_closed},
};

}  // namespace

void register_queue_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kQueueOps) table.add(row);
}

}  // namespace flowray::ops
