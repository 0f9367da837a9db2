#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/debugging.h>
#include <flowray/tf/input_pipeline.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/queue_runner.h>
#include <flowray/tf/random.h>
#include <flowray/tf/summary.h>
#include <flowray/tf/variable.h>

#include "graph/constant_value.h"
#include "tf/build/collections.h"
#include "tf/build/composite.h"
#include "tf/build/unset.h"

#include <fmt/format.h>

#include <sstream>

namespace flowray::tf::train {
namespace {

TensorShape row_shape(const TensorShape& shape) {
  if (!shape.has_rank()) return shape;
  if (shape.rank() == 0) throw ValueError("Shape () must have rank at least 1");
  return TensorShape(shape.dims().subspan(1));
}

/// How full the queue is, of 1, as a summary.
void summarise(const std::string& name, const Tensor& size, int64_t of) {
  const Tensor fraction = cast(size, float32) * (1.0 / static_cast<double>(of));
  summary::scalar(name, fraction);
}

FilledQueue filled(const QueueBase& queue, std::vector<Operation> enqueue_ops,
                   const std::optional<Operation>& cancel_op = std::nullopt) {
  if (cancel_op.has_value()) (void)node_of(*cancel_op, "cancel_op");
  const Operation close = queue.close();
  const Operation cancel =
      cancel_op.has_value() ? *cancel_op : queue.close({.cancel_pending_enqueues = true});
  FilledQueue runner{queue, std::move(enqueue_ops), close, cancel};
  add_queue_runner(runner);
  return runner;
}

}  // namespace

Tensor limit_epochs(const Input& tensor, const LimitEpochsOptions& options) {
  const ErrorLine errors(tensor.where());
  const CallScope here({{"tensor", tensor}});
  const std::optional<int64_t>& most = options.num_epochs;
  if (!most.has_value()) return convert_to_tensor(tensor);
  if (*most <= 0) throw ValueError(fmt::format("num_epochs must be > 0 not {}.", *most));
  Composite call(here.graph(), options.name, "limit_epochs", tensor.where());
  const Variable count(constant(0, {.dtype = int64}),
                       {.trainable = false, .collections = {internal::kLocalVariables}, .name = "epochs"});
  const Tensor counted = apply_op({.op = "CountUpTo", .args = {count.ref()}, .attrs = {{"limit", *most}}});
  const ControlDependenciesGuard after = control_dependencies({counted});
  return identity(tensor, {call.result_name()});
}

Variable match_filenames_once(const Input& pattern, const NameOption& options) {
  Composite call({{"pattern", pattern}}, options.name, "matching_filenames", pattern.where());
  return Variable(apply_op({.op = "MatchingFiles", .args = {pattern}}),
                  {.trainable = false,
                   .collections = {internal::kLocalVariables},
                   .validate_shape = false,
                   .name = call.result_name()});
}

FilledQueue input_producer(const Input& input_tensor, const InputProducerOptions& options) {
  Composite call({{"input_tensor", input_tensor}}, options.name, "input_producer", input_tensor.where());
  Tensor rows = call.convert(input_tensor, "input_tensor");
  const TensorShape element = row_shape(rows.shape()).merge_with(options.element_shape);
  if (!element.is_fully_defined()) {
    throw ValueError(
        "Either `input_tensor` must have a fully defined shape or `element_shape` must be specified");
  }
  if (options.shuffle) rows = random_shuffle(rows, {.seed = options.seed});
  rows = limit_epochs(rows, {.num_epochs = options.num_epochs});
  const FIFOQueue queue(options.capacity, {base_dtype(rows.dtype())},
                        {.shapes = {element},
                         .shared_name = options.shared_name,
                         .name = options.name.empty() ? "FIFOQueueV2" : options.name});  // as the op, there
  FilledQueue result = filled(queue, {queue.enqueue_many({rows})}, options.cancel_op);
  if (!options.summary_name.empty()) summarise(options.summary_name, queue.size(), options.capacity);
  return result;
}

namespace {

/// What the producers of single values have in common.
template <class Options>
FilledQueue values_of(const Composite& call, const Tensor& values, const Options& options,
                      const std::optional<Operation>& cancel_op = std::nullopt) {
  return input_producer(values, {.element_shape = TensorShape{},
                                 .num_epochs = options.num_epochs,
                                 .shuffle = options.shuffle,
                                 .seed = options.seed,
                                 .capacity = options.capacity,
                                 .shared_name = options.shared_name,
                                 .summary_name = fmt::format("fraction_of_{}_full", options.capacity),
                                 .name = call.result_name(),
                                 .cancel_op = cancel_op});
}

}  // namespace

FilledQueue string_input_producer(const Input& string_tensor, const StringInputProducerOptions& options) {
  const char* const no_strings = "string_input_producer requires a non-null input tensor";
  Composite call({{"string_tensor", string_tensor}}, options.name, "input_producer", string_tensor.where());
  Tensor strings = call.convert(string_tensor, "Const", DType::kString);
  if (strings.shape().num_elements() == 0) throw ValueError(no_strings);
  const Operation some = Assert(greater(size(strings), 0), {no_strings});
  {
    const ControlDependenciesGuard after = control_dependencies({some});
    strings = identity(strings);
  }
  return values_of(call, strings, options, options.cancel_op);
}

FilledQueue range_input_producer(const Input& limit, const RangeInputProducerOptions& options) {
  Composite call({{"limit", limit}}, options.name, "input_producer", limit.where());
  return values_of(call, tf::range(limit), options);
}

Produced slice_input_producer(const List<Input>& tensors, const RangeInputProducerOptions& options) {
  const ErrorLine errors(place_in_program(tensors));
  if (tensors.empty()) throw ValueError("Expected at least one tensor in slice_input_producer().");
  Composite call({{"tensors", tensors}}, options.name, "input_producer", place_in_program(tensors));
  std::vector<Tensor> all;
  for (const Input& tensor : tensors) all.push_back(call.convert(tensor, "Const"));
  RangeInputProducerOptions own = options;
  own.name = {};
  Produced result{range_input_producer(shape(all[0])[0], own), {}};
  const Tensor index = result.filled.queue.dequeue();
  for (const Tensor& tensor : all) result.tensors.push_back(gather(tensor, index));
  return result;
}

namespace {

/// The tensors that one thread puts in, for each of them.
using Lists = std::vector<std::vector<Tensor>>;

/// Of one example.
std::vector<TensorShape> own_shapes(const Lists& lists, bool enqueue_many) {
  for (const std::vector<Tensor>& list : lists) {
    for (const Tensor& tensor : list) {
      if (tensor.shape().has_rank()) continue;
      std::ostringstream text;
      text << tensor;
      throw ValueError(fmt::format("Cannot infer Tensor's rank: {}", text.str()));
    }
  }
  std::vector<TensorShape> shapes;
  for (size_t i = 0; i < lists.front().size(); ++i) {
    const auto shape_of = [&](const std::vector<Tensor>& list) {
      return enqueue_many ? row_shape(list.at(i).shape()) : list.at(i).shape();
    };
    shapes.push_back(shape_of(lists.front()));
    for (const std::vector<Tensor>& list : lists) (void)shapes.back().merge_with(shape_of(list));
  }
  return shapes;
}

std::vector<TensorShape> example_shapes(const Lists& lists, std::vector<TensorShape> shapes,
                                        bool enqueue_many, bool may_be_unknown) {
  if (shapes.empty()) shapes = own_shapes(lists, enqueue_many);
  for (const TensorShape& shape : shapes) {
    if (shape.is_fully_defined() || (may_be_unknown && shape.has_rank())) continue;
    std::string text;
    for (const TensorShape& each : shapes) text += (text.empty() ? "" : ", ") + each.to_tuple_string();
    throw ValueError(may_be_unknown ? fmt::format("All shapes must have a defined rank: [{}]", text)
                                    : fmt::format("All shapes must be fully defined: [{}]", text));
  }
  return shapes;
}

std::vector<DType> dtypes_of(const Lists& lists) {
  const auto types_of = [](const std::vector<Tensor>& tensors) {
    std::vector<DType> dtypes;
    for (const Tensor& tensor : tensors) dtypes.push_back(base_dtype(tensor.dtype()));
    return dtypes;
  };
  const auto names_of = [](const std::vector<DType>& dtypes) {
    std::string names;
    for (const DType dtype : dtypes)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", dtype_name(dtype));
    return names;
  };
  const std::vector<DType> first = types_of(lists.front());
  for (const std::vector<Tensor>& list : lists) {
    if (const std::vector<DType> others = types_of(list); others != first)
      throw TypeError(
          fmt::format("Expected types to be consistent: {} vs. {}.", names_of(first), names_of(others)));
  }
  return first;
}

/// What goes into batches, in their scope.
struct Examples {
  Lists lists;
  Tensor keep_input;
  bool enqueue_many;
};

Tensor checked_keep_input(const Input& keep_input, bool enqueue_many) {
  const Tensor keep = convert_to_tensor(keep_input);
  if (!keep.shape().has_rank())
    throw ValueError("`keep_input` dimensions must be known at graph construction.");
  const int rank = keep.shape().rank();
  if (!enqueue_many && rank == 1)
    throw ValueError("`keep_input` cannot be a vector when `enqueue_many=False`.");
  if (rank > 1) throw ValueError("`keep_input` must be 0 or 1 dimensions.");
  return keep;
}

Examples converted(Composite& call, const std::vector<std::vector<Input>>& lists, const Input& keep_input,
                   bool enqueue_many) {
  Examples examples;
  for (const std::vector<Input>& list : lists) {
    if (list.empty()) throw ValueError("Expected at least one tensor in batch().");
    if (list.size() != lists.front().size()) {
      throw ValueError(
          fmt::format("Expected {} tensors in each list, got {}", lists.front().size(), list.size()));
    }
    std::vector<Tensor>& all = examples.lists.emplace_back();
    for (const Input& tensor : list) all.push_back(call.convert(tensor, "Const"));
  }
  examples.keep_input = checked_keep_input(keep_input, enqueue_many);
  examples.enqueue_many = enqueue_many;
  return examples;
}

/// Puts one list in, as far as it is to be kept.
Operation put_in(const QueueBase& queue, const Examples& examples, const std::vector<Tensor>& tensors) {
  std::vector<Input> values(tensors.begin(), tensors.end());
  const auto enqueue = [&] {
    return examples.enqueue_many ? queue.enqueue_many(values) : queue.enqueue(values);
  };
  if (examples.keep_input.shape().rank() == 1) {
    const Tensor part = cast(examples.keep_input, DType::kInt32);
    for (Input& value : values) {
      graph::Node* const parts = apply_op_node(
          {.op = "DynamicPartition", .args = {value, part}, .attrs = {{"num_partitions", int64_t{2}}}});
      value = Operation(parts).outputs()[1];
    }
    return enqueue();
  }
  const Array known = graph::constant_value(endpoint_of(examples.keep_input));
  if (known.has_value()) return known.item<bool>() ? enqueue() : no_op();
  return cond(examples.keep_input, [&] { return enqueue(); }, [] { return no_op(); }).op();
}

/// One operation for all threads, or one of each list.
FilledQueue filled_by(const QueueBase& queue, const Examples& examples, int64_t threads) {
  std::vector<Operation> enqueue_ops;
  for (const std::vector<Tensor>& list : examples.lists) enqueue_ops.push_back(put_in(queue, examples, list));
  if (examples.lists.size() == 1 && threads != 1)
    enqueue_ops = std::vector<Operation>(static_cast<size_t>(threads), enqueue_ops.front());
  return filled(queue, std::move(enqueue_ops));
}

std::vector<Tensor> taken(const QueueBase& queue, const Input& batch_size, bool may_be_smaller,
                          const std::string& name) {
  const Dequeued elements =
      may_be_smaller ? queue.dequeue_up_to(batch_size, {name}) : queue.dequeue_many(batch_size, {name});
  return {elements.begin(), elements.end()};
}

int64_t checked_threads(int64_t threads) {
  constexpr int64_t kMost = 10'000;
  if (threads < 0 || threads > kMost)
    throw ValueError(fmt::format("num_threads must be from 0 to {}, got {}", kMost, threads));
  return threads;
}

/// What is common to functions of one list and of several ones.
template <class Options>
Produced batches(Composite& call, const std::vector<std::vector<Input>>& lists, const Input& keep_input,
                 const Input& batch_size, const Options& options, int64_t threads) {
  const Examples all = converted(call, lists, keep_input, options.enqueue_many);
  const std::vector<DType> dtypes = dtypes_of(all.lists);
  const QueueOptions wanted{
      .shapes = example_shapes(all.lists, options.shapes, options.enqueue_many, options.dynamic_pad),
      .shared_name = options.shared_name};
  const QueueBase queue = options.dynamic_pad ? QueueBase(PaddingFIFOQueue(options.capacity, dtypes, wanted))
                                              : QueueBase(FIFOQueue(options.capacity, dtypes, wanted));
  Produced result{filled_by(queue, all, checked_threads(threads)), {}};
  summarise(fmt::format("fraction_of_{}_full", options.capacity), queue.size(), options.capacity);
  result.tensors = taken(queue, batch_size, options.allow_smaller_final_batch, call.result_name());
  return result;
}

template <class Options>
Produced shuffled(Composite& call, const std::vector<std::vector<Input>>& lists, const Input& keep_input,
                  const Input& batch_size, int64_t capacity, int64_t min_after_dequeue,
                  const Options& options, int64_t threads) {
  const Examples all = converted(call, lists, keep_input, options.enqueue_many);
  const std::vector<DType> dtypes = dtypes_of(all.lists);
  const QueueBase queue =
      RandomShuffleQueue(capacity, min_after_dequeue, dtypes,
                         {.shapes = example_shapes(all.lists, options.shapes, options.enqueue_many, false),
                          .seed = options.seed,
                          .shared_name = options.shared_name});
  Produced result{filled_by(queue, all, checked_threads(threads)), {}};
  const int64_t room = capacity - min_after_dequeue;
  const Tensor above = maximum(0, queue.size() - static_cast<int32_t>(min_after_dequeue));
  summarise(fmt::format("fraction_over_{}_of_{}_full", min_after_dequeue, room), above, room);
  result.tensors = taken(queue, batch_size, options.allow_smaller_final_batch, call.result_name());
  return result;
}

void check_room(int64_t capacity, int64_t min_after_dequeue) {
  if (capacity <= min_after_dequeue)
    throw ValueError(
        fmt::format("capacity {} must be bigger than min_after_dequeue {}.", capacity, min_after_dequeue));
}

/// All tensors of several lists, for their graph.
std::vector<Input> flat(const std::vector<std::vector<Input>>& lists) {
  if (lists.empty()) throw ValueError("Expected at least one set of tensors");
  std::vector<Input> all;
  for (const std::vector<Input>& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

}  // namespace

Produced maybe_batch(const List<Input>& tensors, const Input& keep_input, const Input& batch_size,
                     const BatchOptions& options) {
  Composite call({{"tensors", tensors}, {"keep_input", keep_input}, {"batch_size", batch_size}}, options.name,
                 "batch", place_in_program(tensors));
  return batches(call, {tensors.items()}, keep_input, batch_size, options, options.num_threads);
}
Produced batch(const List<Input>& tensors, const Input& batch_size, const BatchOptions& options) {
  return maybe_batch(tensors, Array(true), batch_size, options);
}

Produced maybe_batch_join(const std::vector<std::vector<Input>>& tensors_list, const Input& keep_input,
                          const Input& batch_size, const BatchJoinOptions& options) {
  const std::vector<Input> all = flat(tensors_list);
  Composite call({{"tensors_list", all}, {"keep_input", keep_input}, {"batch_size", batch_size}},
                 options.name, "batch_join", place_in_program(all));
  return batches(call, tensors_list, keep_input, batch_size, options, 1);
}
Produced batch_join(const std::vector<std::vector<Input>>& tensors_list, const Input& batch_size,
                    const BatchJoinOptions& options) {
  return maybe_batch_join(tensors_list, Array(true), batch_size, options);
}

Produced maybe_shuffle_batch(const List<Input>& tensors, const Input& batch_size, int64_t capacity,
                             int64_t min_after_dequeue, const Input& keep_input,
                             const ShuffleBatchOptions& options) {
  const ErrorLine errors(place_in_program(tensors));
  check_room(capacity, min_after_dequeue);
  Composite call({{"tensors", tensors}, {"batch_size", batch_size}, {"keep_input", keep_input}}, options.name,
                 "shuffle_batch", place_in_program(tensors));
  return shuffled(call, {tensors.items()}, keep_input, batch_size, capacity, min_after_dequeue, options,
                  options.num_threads);
}
Produced shuffle_batch(const List<Input>& tensors, const Input& batch_size, int64_t capacity,
                       int64_t min_after_dequeue, const ShuffleBatchOptions& options) {
  return maybe_shuffle_batch(tensors, batch_size, capacity, min_after_dequeue, Array(true), options);
}

Produced maybe_shuffle_batch_join(const std::vector<std::vector<Input>>& tensors_list,
                                  const Input& batch_size, int64_t capacity, int64_t min_after_dequeue,
                                  const Input& keep_input, const ShuffleBatchJoinOptions& options) {
  const std::vector<Input> all = flat(tensors_list);
  const ErrorLine errors(place_in_program(all));
  check_room(capacity, min_after_dequeue);
  Composite call({{"tensors_list", all}, {"batch_size", batch_size}, {"keep_input", keep_input}},
                 options.name, "shuffle_batch_join", place_in_program(all));
  return shuffled(call, tensors_list, keep_input, batch_size, capacity, min_after_dequeue, options, 1);
}
Produced shuffle_batch_join(const std::vector<std::vector<Input>>& tensors_list, const Input& batch_size,
                            int64_t capacity, int64_t min_after_dequeue,
                            const ShuffleBatchJoinOptions& options) {
  return maybe_shuffle_batch_join(tensors_list, batch_size, capacity, min_after_dequeue, Array(true),
                                  options);
}

}  // namespace flowray::tf::train
