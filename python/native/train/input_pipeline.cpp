/// tf.train.batch and its siblings; flowray/tf/_input_pipeline.py gives their queues runners.

#include "native/convert/bind.h"

#include <flowray/tf/train.h>

namespace flowray::python {

namespace train = tf::train;

FLOWRAY_FIELDS(train::InputProducerOptions, num_epochs, shuffle, seed, capacity, shared_name, name)
FLOWRAY_FIELDS(train::BatchOptions, num_threads, capacity, enqueue_many, shapes, dynamic_pad,
               allow_smaller_final_batch, shared_name, name)
FLOWRAY_FIELDS(train::ShuffleBatchOptions, num_threads, seed, enqueue_many, shapes, allow_smaller_final_batch,
               shared_name, name)
// What QueueRunner takes.
FLOWRAY_FIELDS(train::FilledQueue, queue, enqueue_ops, close_op, cancel_op)
FLOWRAY_FIELDS(train::Produced, filled, tensors)

void bind_input_pipelines(nb::module_& m) {
  bind(m, "_input_producer", &train::input_producer, {"input_tensor"});
  bind(m, "_string_input_producer", &train::string_input_producer, {"string_tensor"});
  bind(m, "_range_input_producer", &train::range_input_producer, {"limit"});
  bind(m, "_slice_input_producer", &train::slice_input_producer, {"tensor_list"});
  bind(m, "_batch", &train::batch, {"tensors", "batch_size"});
  bind(m, "_shuffle_batch", &train::shuffle_batch,
       {"tensors", "batch_size", "capacity", "min_after_dequeue"});
}

}  // namespace flowray::python
