/// tf.train.batch and its siblings; flowray/tf/_input_pipeline.py gives their queues runners.

#include "native/convert/convert.h"

#include <flowray/tf/train.h>

namespace flowray::python {
namespace {

namespace train = tf::train;

constexpr auto kNone = [](const char* name) { return nb::arg(name).none() = nb::none(); };

/// What QueueRunner takes.
nb::tuple give(const train::FilledQueue& filled) {
  nb::list enqueue_ops;
  for (const tf::Operation& op : filled.enqueue_ops) enqueue_ops.append(python::give(op));
  return nb::make_tuple(nb::cast(filled.queue), enqueue_ops, python::give(filled.close_op),
                        python::give(filled.cancel_op));
}

nb::tuple give(const train::Produced& produced) {
  return nb::make_tuple(give(produced.filled), python::give(produced.tensors));
}

train::InputProducerOptions producer_options(nb::handle num_epochs, Flag shuffle, nb::handle seed,
                                             nb::handle capacity, nb::handle shared_name, nb::handle name) {
  return {.num_epochs = as_optional_int(num_epochs),
          .shuffle = shuffle,
          .seed = as_optional_int(seed),
          .capacity = as_int(capacity),
          .shared_name = as_text(shared_name),
          .name = as_text(name)};
}

void bind_producers(nb::module_& m) {
  const auto producer = [&](const char* name, auto make, auto convert) {
    m.def(
        name,
        [=](nb::handle source, nb::handle num_epochs, Flag shuffle, nb::handle seed, nb::handle capacity,
            nb::handle shared_name, nb::handle node_name) {
          return give(make(convert(source),
                           producer_options(num_epochs, shuffle, seed, capacity, shared_name, node_name)));
        },
        "source"_a, "num_epochs"_a, "shuffle"_a, "seed"_a, "capacity"_a, "shared_name"_a, "name"_a);
  };
  producer("_input_producer", &train::input_producer, &as_input);
  producer("_string_input_producer", &train::string_input_producer, &as_input);
  producer("_range_input_producer", &train::range_input_producer, &as_input);
  producer("_slice_input_producer", &train::slice_input_producer, &as_inputs);
}

void bind_batches(nb::module_& m) {
  m.def(
      "_batch",
      [](nb::handle tensors, nb::handle batch_size, Integer num_threads, Integer capacity, Flag enqueue_many,
         nb::handle shapes, Flag dynamic_pad, Flag allow_smaller_final_batch, nb::handle shared_name,
         nb::handle name) {
        train::BatchOptions options{.num_threads = num_threads,
                                    .capacity = capacity,
                                    .enqueue_many = enqueue_many,
                                    .dynamic_pad = dynamic_pad,
                                    .allow_smaller_final_batch = allow_smaller_final_batch,
                                    .shared_name = as_text(shared_name),
                                    .name = as_text(name)};
        if (!shapes.is_none()) options.shapes = as_shapes(shapes);
        return give(train::batch(as_inputs(tensors), as_input(batch_size), options));
      },
      "tensors"_a, "batch_size"_a, "num_threads"_a, "capacity"_a, "enqueue_many"_a, kNone("shapes"),
      "dynamic_pad"_a, "allow_smaller_final_batch"_a, kNone("shared_name"), kNone("name"));
  m.def(
      "_shuffle_batch",
      [](nb::handle tensors, nb::handle batch_size, Integer capacity, Integer min_after_dequeue,
         Integer num_threads, nb::handle seed, Flag enqueue_many, nb::handle shapes,
         Flag allow_smaller_final_batch, nb::handle shared_name, nb::handle name) {
        train::ShuffleBatchOptions options{.num_threads = num_threads,
                                           .seed = as_optional_int(seed),
                                           .enqueue_many = enqueue_many,
                                           .allow_smaller_final_batch = allow_smaller_final_batch,
                                           .shared_name = as_text(shared_name),
                                           .name = as_text(name)};
        if (!shapes.is_none()) options.shapes = as_shapes(shapes);
        return give(train::shuffle_batch(as_inputs(tensors), as_input(batch_size), capacity,
                                         min_after_dequeue, options));
      },
      "tensors"_a, "batch_size"_a, "capacity"_a, "min_after_dequeue"_a, "num_threads"_a, kNone("seed"),
      "enqueue_many"_a, kNone("shapes"), "allow_smaller_final_batch"_a, kNone("shared_name"), kNone("name"));
}

}  // namespace

void bind_input_pipelines(nb::module_& train) {
  bind_producers(train);
  bind_batches(train);
}

}  // namespace flowray::python
