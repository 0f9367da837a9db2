#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/debugging.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/queue_runner.h>
#include <flowray/tf/random.h>
#include <flowray/tf/summary.h>
#include <flowray/tf/train.h>
#include <flowray/tf/variable.h>

#include "tf/build/collections.h"
#include "tf/build/composite.h"

#include <fmt/format.h>

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

FilledQueue filled(const QueueBase& queue, std::vector<Operation> enqueue_ops) {
  const Operation close = queue.close();
  const Operation cancel = queue.close({.cancel_pending_enqueues = true});
  FilledQueue runner{queue, std::move(enqueue_ops), close, cancel};
  add_queue_runner(runner);
  return runner;
}

/// An error of the step that asks for a row too many.
Tensor limited(const Tensor& x, std::optional<int64_t> epochs) {
  if (!epochs) return x;
  if (*epochs <= 0) throw ValueError(fmt::format("num_epochs must be > 0 not {}.", *epochs));
  Composite call(x.node()->graph(), "", "limit_epochs", Input::Where::current());
  const Variable count(constant(0, {.dtype = int64}),
                       {.trainable = false, .collections = {internal::kLocalVariables}, .name = "epochs"});
  const Tensor counted = apply_op({.op = "CountUpTo", .args = {count.ref()}, .attrs = {{"limit", *epochs}}});
  const ControlDependenciesGuard after = control_dependencies({counted});
  return identity(x, {call.result_name()});
}

}  // namespace

FilledQueue input_producer(const Input& input_tensor, const InputProducerOptions& options) {
  Composite call({{"input_tensor", input_tensor}}, options.name, "input_producer", input_tensor.where());
  Tensor rows = call.convert(input_tensor, "input_tensor");
  const TensorShape element = row_shape(rows.shape());
  if (!element.is_fully_defined())
    throw ValueError("element_shape must be a fully defined shape if input_tensor's is not");
  if (options.shuffle) rows = random_shuffle(rows, {.seed = options.seed});
  rows = limited(rows, options.num_epochs);
  const FIFOQueue queue(
      options.capacity, {base_dtype(rows.dtype())},
      {.shapes = {element}, .shared_name = options.shared_name, .name = call.result_name()});
  FilledQueue result = filled(queue, {queue.enqueue_many({rows})});
  summarise(fmt::format("fraction_of_{}_full", options.capacity), queue.size(), options.capacity);
  return result;
}

FilledQueue string_input_producer(const Input& string_tensor, const InputProducerOptions& options) {
  const char* const no_strings = "string_input_producer requires a non-null input tensor";
  Composite call({{"string_tensor", string_tensor}}, options.name, "input_producer", string_tensor.where());
  Tensor strings = call.convert(string_tensor, "Const", DType::kString);
  if (strings.shape().num_elements() == 0) throw ValueError(no_strings);
  const Operation some = Assert(greater(size(strings), 0), {no_strings});
  {
    const ControlDependenciesGuard after = control_dependencies({some});
    strings = identity(strings);
  }
  InputProducerOptions own = options;
  own.name = call.result_name();
  return input_producer(strings, own);
}

FilledQueue range_input_producer(const Input& limit, const InputProducerOptions& options) {
  Composite call({{"limit", limit}}, options.name, "input_producer", limit.where());
  InputProducerOptions own = options;
  own.name = call.result_name();
  return input_producer(tf::range(limit), own);
}

Produced slice_input_producer(const List<Input>& tensors, const InputProducerOptions& options) {
  const ErrorLine errors(place_in_program(tensors));
  if (tensors.empty()) throw ValueError("Expected at least one tensor in slice_input_producer().");
  Composite call({{"tensors", tensors}}, options.name, "input_producer", place_in_program(tensors));
  std::vector<Tensor> all;
  for (const Input& tensor : tensors) all.push_back(call.convert(tensor, "Const"));
  InputProducerOptions own = options;
  own.name = {};
  Produced result{range_input_producer(shape(all[0])[0], own), {}};
  const Tensor index = result.filled.queue.dequeue();
  for (const Tensor& tensor : all) result.tensors.push_back(gather(tensor, index));
  return result;
}

namespace {

/// Shapes of one example.
std::vector<TensorShape> example_shapes(const std::vector<Tensor>& tensors, std::vector<TensorShape> shapes,
                                        bool enqueue_many, bool may_be_unknown) {
  if (shapes.empty()) {
    for (const Tensor& tensor : tensors)
      shapes.push_back(enqueue_many ? row_shape(tensor.shape()) : tensor.shape());
  }
  for (const TensorShape& shape : shapes) {
    if (shape.is_fully_defined() || (may_be_unknown && shape.has_rank())) continue;
    std::string text;
    for (const TensorShape& each : shapes) text += (text.empty() ? "" : ", ") + each.to_tuple_string();
    throw ValueError(may_be_unknown ? fmt::format("All shapes must have a defined rank: [{}]", text)
                                    : fmt::format("All shapes must be fully defined: [{}]", text));
  }
  return shapes;
}

std::vector<DType> dtypes_of(const std::vector<Tensor>& tensors) {
  std::vector<DType> dtypes;
  for (const Tensor& tensor : tensors) dtypes.push_back(base_dtype(tensor.dtype()));
  return dtypes;
}

/// One operation for all threads.
FilledQueue filled_by(const QueueBase& queue, const std::vector<Tensor>& tensors, bool many,
                      int64_t threads) {
  const std::vector<Input> values(tensors.begin(), tensors.end());
  const Operation enqueue = many ? queue.enqueue_many(values) : queue.enqueue(values);
  return filled(queue, std::vector<Operation>(static_cast<size_t>(threads), enqueue));
}

std::vector<Tensor> taken(const QueueBase& queue, const Input& batch_size, bool may_be_smaller,
                          const std::string& name) {
  const Dequeued elements =
      may_be_smaller ? queue.dequeue_up_to(batch_size, {name}) : queue.dequeue_many(batch_size, {name});
  return {elements.begin(), elements.end()};
}

std::vector<Tensor> converted(Composite& call, const List<Input>& tensors) {
  if (tensors.empty()) throw ValueError("Expected at least one tensor in batch().");
  std::vector<Tensor> all;
  for (const Input& tensor : tensors) all.push_back(call.convert(tensor, "Const"));
  (void)call.builder().constant(Array(true));  // TensorFlow's keep_input
  return all;
}

}  // namespace

Produced batch(const List<Input>& tensors, const Input& batch_size, const BatchOptions& options) {
  Composite call({{"tensors", tensors}, {"batch_size", batch_size}}, options.name, "batch",
                 place_in_program(tensors));
  const std::vector<Tensor> all = converted(call, tensors);
  const QueueOptions wanted{
      .shapes = example_shapes(all, options.shapes, options.enqueue_many, options.dynamic_pad),
      .shared_name = options.shared_name};
  const QueueBase queue = options.dynamic_pad
                              ? QueueBase(PaddingFIFOQueue(options.capacity, dtypes_of(all), wanted))
                              : QueueBase(FIFOQueue(options.capacity, dtypes_of(all), wanted));
  Produced result{filled_by(queue, all, options.enqueue_many, options.num_threads), {}};
  summarise(fmt::format("fraction_of_{}_full", options.capacity), queue.size(), options.capacity);
  result.tensors = taken(queue, batch_size, options.allow_smaller_final_batch, call.result_name());
  return result;
}

Produced shuffle_batch(const List<Input>& tensors, const Input& batch_size, int64_t capacity,
                       int64_t min_after_dequeue, const ShuffleBatchOptions& options) {
  const ErrorLine errors(place_in_program(tensors));
  if (capacity <= min_after_dequeue) {
    throw ValueError(
        fmt::format("capacity {} must be bigger than min_after_dequeue {}.", capacity, min_after_dequeue));
  }
  Composite call({{"tensors", tensors}, {"batch_size", batch_size}}, options.name, "shuffle_batch",
                 place_in_program(tensors));
  const std::vector<Tensor> all = converted(call, tensors);
  const QueueBase queue =
      RandomShuffleQueue(capacity, min_after_dequeue, dtypes_of(all),
                         {.shapes = example_shapes(all, options.shapes, options.enqueue_many, false),
                          .seed = options.seed,
                          .shared_name = options.shared_name});
  Produced result{filled_by(queue, all, options.enqueue_many, options.num_threads), {}};
  const int64_t room = capacity - min_after_dequeue;
  const Tensor above = maximum(0, queue.size() - static_cast<int32_t>(min_after_dequeue));
  summarise(fmt::format("fraction_over_{}_of_{}_full", min_after_dequeue, room), above, room);
  result.tensors = taken(queue, batch_size, options.allow_smaller_final_batch, call.result_name());
  return result;
}

}  // namespace flowray::tf::train
