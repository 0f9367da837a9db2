/// tf.train.batch and its siblings; flowray/tf/_input_pipeline.py gives their queues runners.

#include "native/convert/bind.h"

#include <flowray/tf/input_pipeline.h>

#include <fmt/format.h>

namespace flowray::python {

namespace train = tf::train;

FLOWRAY_FIELDS(train::InputProducerOptions, element_shape, num_epochs, shuffle, seed, capacity, shared_name,
               summary_name, name, cancel_op)
FLOWRAY_FIELDS(train::StringInputProducerOptions, num_epochs, shuffle, seed, capacity, shared_name, name,
               cancel_op)
FLOWRAY_FIELDS(train::RangeInputProducerOptions, num_epochs, shuffle, seed, capacity, shared_name, name)
FLOWRAY_FIELDS(train::BatchOptions, num_threads, capacity, enqueue_many, shapes, dynamic_pad,
               allow_smaller_final_batch, shared_name, name)
FLOWRAY_FIELDS(train::ShuffleBatchOptions, num_threads, seed, enqueue_many, shapes, allow_smaller_final_batch,
               shared_name, name)
FLOWRAY_FIELDS(train::BatchJoinOptions, capacity, enqueue_many, shapes, dynamic_pad,
               allow_smaller_final_batch, shared_name, name)
FLOWRAY_FIELDS(train::ShuffleBatchJoinOptions, seed, enqueue_many, shapes, allow_smaller_final_batch,
               shared_name, name)
FLOWRAY_FIELDS(train::LimitEpochsOptions, num_epochs, name)
// What QueueRunner takes.
FLOWRAY_FIELDS(train::FilledQueue, queue, enqueue_ops, close_op, cancel_op)
FLOWRAY_FIELDS(train::Produced, filled, tensors)

/// What cancels a queue; TensorFlow runs any fetch, here it is an operation.
template <>
inline constexpr auto kFrom<std::optional<tf::Operation>> = +[](nb::handle object) {
  if (object.is_none()) return std::optional<tf::Operation>();
  if (nb::isinstance<tf::Tensor>(object)) return std::optional(nb::cast<const tf::Tensor&>(object).op());
  if (!nb::isinstance<tf::Operation>(object))
    throw TypeError(fmt::format("cancel_op must be an Operation, got {}", nb::repr(object).c_str()));
  return std::optional(nb::cast<const tf::Operation&>(object));
};
template <>
inline constexpr auto kFrom<std::vector<std::vector<tf::Input>>> = +[](nb::handle lists) {
  std::vector<std::vector<tf::Input>> all;
  for (nb::handle list : lists) all.push_back(as_inputs(list));
  return all;
};

void bind_input_pipelines(nb::module_& m) {
  bind(m, "_input_producer", &train::input_producer, {"input_tensor"});
  bind(m, "_string_input_producer", &train::string_input_producer, {"string_tensor"});
  bind(m, "_range_input_producer", &train::range_input_producer, {"limit"});
  bind(m, "_slice_input_producer", &train::slice_input_producer, {"tensor_list"});
  bind(m, "_batch", &train::maybe_batch, {"tensors", "keep_input", "batch_size"});
  bind(m, "_shuffle_batch", &train::maybe_shuffle_batch,
       {"tensors", "batch_size", "capacity", "min_after_dequeue", "keep_input"});
  bind(m, "_batch_join", &train::maybe_batch_join, {"tensors_list", "keep_input", "batch_size"});
  bind(m, "_shuffle_batch_join", &train::maybe_shuffle_batch_join,
       {"tensors_list", "batch_size", "capacity", "min_after_dequeue", "keep_input"});
  bind(m, "limit_epochs", &train::limit_epochs, {"tensor"});
  bind(m, "match_filenames_once", &train::match_filenames_once, {"pattern"});
}

}  // namespace flowray::python
