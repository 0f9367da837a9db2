#include <flowray/tf/queue.h>

#include "core/counted_text.h"
#include "tf/build/apply_op.h"
#include "tf/build/random_seed.h"
#include "tf/build/tensor_text.h"

#include <fmt/format.h>

#include <utility>

namespace flowray::tf {
namespace {

Tensor make_queue(const char* op, const std::string& name, const char* default_name, graph::Attrs attrs,
                  Input::Where where) {
  return apply_op(
      {.op = op, .name = name.empty() ? default_name : name, .attrs = std::move(attrs), .where = where});
}

graph::Attrs attrs_of(int64_t capacity, const std::vector<DType>& dtypes,
                      const std::vector<TensorShape>& shapes, const std::string& shared_name) {
  if (!shapes.empty() && shapes.size() != dtypes.size()) {
    throw ValueError(fmt::format(
        "Queue shapes must have the same length as dtypes, received len(shapes)={}, len(dtypes)={}",
        shapes.size(), dtypes.size()));
  }
  return {
      {"component_types", dtypes}, {"shapes", shapes}, {"capacity", capacity}, {"shared_name", shared_name}};
}

std::vector<TensorShape> shapes_or_unknown(const std::vector<TensorShape>& shapes, size_t count) {
  return shapes.empty() ? std::vector<TensorShape>(count, TensorShape::unknown_rank()) : shapes;
}

void check_compatible(const TensorShape& shape, const TensorShape& declared) {
  if (shape.is_compatible_with(declared)) return;
  throw ValueError(
      fmt::format("Shapes {} and {} are incompatible", shape.to_tuple_string(), declared.to_tuple_string()));
}

/// The shape without its first dimension.
TensorShape element_shape(const TensorShape& shape) {
  if (!shape.has_rank()) return shape;
  if (shape.rank() == 0)
    throw ValueError("enqueue_many takes components of at least one dimension, but one is a scalar");
  return TensorShape(shape.dims().subspan(1));
}

template <class T>
std::vector<T> with_front(T front, const std::vector<T>& rest) {
  std::vector<T> all = {std::move(front)};
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

}  // namespace

Dequeued::operator Tensor() const {
  if (components_.size() == 1) return components_[0];
  const ErrorLine line(where_);
  throw ValueError(fmt::format("An element of this queue has {}; name one of them by its index",
                               counted_text(components_.size(), "component")));
}

QueueBase::QueueBase(Tensor handle, std::vector<DType> dtypes, std::vector<TensorShape> shapes)
    : handle_(std::move(handle)), dtypes_(std::move(dtypes)), shapes_(std::move(shapes)) {}

/// "fifo_queue_Size", after the last part of the queue's own name.
std::string QueueBase::node_name(const std::string& asked, const char* what) const {
  if (!asked.empty()) return asked;
  const std::string own = name();
  return own.substr(own.rfind('/') + 1) + what;
}

Operation QueueBase::enqueue(const char* op, const List<Input>& components, const std::string& name,
                             bool many) const {
  const ErrorLine errors(place_in_program(components));
  if (components.size() != dtypes_.size()) {
    throw ValueError(fmt::format("The queue {} takes {}, but got {}", this->name(),
                                 counted_text(dtypes_.size(), "component"), components.size()));
  }
  graph::Graph& graph = graph_of({{"queue_ref", Input(handle_)}, {"components", components}});
  const UserLine line(graph, place_in_program(components));
  const graph::NameScope scope(graph, name);
  std::vector<graph::Endpoint> inputs = {convert_to_endpoint(graph, handle_, DType::kInvalid, "queue_ref")};
  for (size_t i = 0; i < components.size(); ++i) {
    inputs.push_back(convert_to_endpoint(graph, components[i], dtypes_[i], fmt::format("component_{}", i)));
    if (base_dtype(inputs.back().dtype()) != dtypes_[i]) {
      throw ValueError(fmt::format("Tensor conversion requested dtype {} for Tensor with dtype {}: {}",
                                   dtype_name(dtypes_[i]), dtype_name(base_dtype(inputs.back().dtype())),
                                   tensor_text(inputs.back())));
    }
    const TensorShape& shape = inputs.back().shape();
    check_compatible(many ? element_shape(shape) : shape, shapes_[i]);
  }
  return Operation(graph.add({.op = op, .name = scope.path(), .inputs = std::move(inputs)}));
}

Operation QueueBase::enqueue(const List<Input>& components, const NameOption& options) const {
  return enqueue("QueueEnqueueV2", components, node_name(options.name, "_enqueue"), /*many=*/false);
}

Operation QueueBase::enqueue_many(const List<Input>& components, const NameOption& options) const {
  return enqueue("QueueEnqueueManyV2", components, node_name(options.name, "_EnqueueMany"), /*many=*/true);
}

Dequeued QueueBase::dequeue(const char* op, const List<Input>& args, const std::string& name,
                            const TensorShape& before) const {
  OpCall call{.op = op,
              .name = name,
              .args = {handle_},
              .attrs = {{"component_types", dtypes_}},
              .where = place_in_program(args)};
  for (const Input& arg : args) call.args.emplace_back(arg);
  std::vector<Tensor> outputs = Operation(apply_op_node(call)).outputs();
  for (size_t i = 0; i < outputs.size(); ++i) outputs[i].set_shape(before.concatenate(shapes_[i]));
  return Dequeued(std::move(outputs), place_in_program(args));
}

Dequeued QueueBase::dequeue(const NameOption& options, Input::Where where) const {
  return dequeue("QueueDequeueV2", {{}, where}, node_name(options.name, "_Dequeue"), TensorShape());
}

Dequeued QueueBase::dequeue_many(const Input& n, const NameOption& options) const {
  int64_t count = TensorShape::kUnknownDim;
  if (n.literal() != nullptr) count = n.literal()->to_array(DType::kInt32).item<int32_t>();
  if (n.array() != nullptr && n.array()->size() == 1)
    count = n.array()->astype(DType::kInt64).item<int64_t>();
  return dequeue("QueueDequeueManyV2", {n}, node_name(options.name, "_DequeueMany"), TensorShape{count});
}

Dequeued QueueBase::dequeue_up_to(const Input& n, const NameOption& options) const {
  return dequeue("QueueDequeueUpToV2", {n}, node_name(options.name, "_DequeueUpTo"),
                 TensorShape{TensorShape::kUnknownDim});
}

Tensor QueueBase::size(const NameOption& options, Input::Where where) const {
  return apply_op(
      {.op = "QueueSizeV2", .name = node_name(options.name, "_Size"), .args = {handle_}, .where = where});
}

Tensor QueueBase::is_closed(const NameOption& options, Input::Where where) const {
  return apply_op({.op = "QueueIsClosedV2",
                   .name = node_name(options.name, "_Is_Closed"),
                   .args = {handle_},
                   .where = where});
}

Operation QueueBase::close(const QueueCloseOptions& options, Input::Where where) const {
  return Operation(apply_op_node({.op = "QueueCloseV2",
                                  .name = node_name(options.name, "_Close"),
                                  .args = {handle_},
                                  .attrs = {{"cancel_pending_enqueues", options.cancel_pending_enqueues}},
                                  .where = where}));
}

FIFOQueue::FIFOQueue(int64_t capacity, const std::vector<DType>& dtypes, const QueueOptions& options,
                     Input::Where where)
    : QueueBase(make_queue("FIFOQueueV2", options.name, "fifo_queue",
                           attrs_of(capacity, dtypes, options.shapes, options.shared_name), where),
                dtypes, shapes_or_unknown(options.shapes, dtypes.size())) {}

namespace {

graph::Attrs shuffle_attrs(graph::Attrs attrs, int64_t min_after_dequeue, std::optional<int64_t> seed) {
  graph::Graph& graph = default_graph();
  // Without any seed TensorFlow leaves both at 0, which means nondeterministic seeds.
  const Seeds seeds = seed || graph.seed() >= 0 ? seeds_of(graph, seed) : Seeds{0, 0};
  attrs.set("min_after_dequeue", min_after_dequeue);
  attrs.set("seed", seeds.seed);
  attrs.set("seed2", seeds.seed2);
  return attrs;
}

}  // namespace

RandomShuffleQueue::RandomShuffleQueue(int64_t capacity, int64_t min_after_dequeue,
                                       const std::vector<DType>& dtypes,
                                       const RandomShuffleQueueOptions& options, Input::Where where)
    : QueueBase(make_queue("RandomShuffleQueueV2", options.name, "random_shuffle_queue",
                           shuffle_attrs(attrs_of(capacity, dtypes, options.shapes, options.shared_name),
                                         min_after_dequeue, options.seed),
                           where),
                dtypes, shapes_or_unknown(options.shapes, dtypes.size())) {}

PaddingFIFOQueue::PaddingFIFOQueue(int64_t capacity, const std::vector<DType>& dtypes,
                                   const QueueOptions& options, Input::Where where)
    : QueueBase(make_queue("PaddingFIFOQueueV2", options.name, "padding_fifo_queue",
                           attrs_of(capacity, dtypes, options.shapes, options.shared_name), where),
                dtypes, options.shapes) {
  const ErrorLine errors(where);
  if (options.shapes.size() == dtypes.size()) return;
  throw ValueError(
      fmt::format("Shapes must be provided for all components, but received {} dtypes and {} shapes.",
                  dtypes.size(), options.shapes.size()));
}

PriorityQueue::PriorityQueue(int64_t capacity, const std::vector<DType>& types, const QueueOptions& options,
                             Input::Where where)
    : QueueBase(make_queue("PriorityQueueV2", options.name, "priority_queue",
                           attrs_of(capacity, types, options.shapes, options.shared_name), where),
                with_front(DType::kInt64, types),
                with_front(TensorShape(), shapes_or_unknown(options.shapes, types.size()))) {}

}  // namespace flowray::tf
