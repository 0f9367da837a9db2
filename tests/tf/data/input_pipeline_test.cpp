// tests/oracle/programs/input_pipeline.py in C++: the nodes that its queues and their runners are made of.
#include "support/golden_graph.h"

#include <flowray/tf.h>

namespace flowray {
namespace {

constexpr int64_t kUnknown = Shape::kUnknownDim;

GOLDEN_PROGRAM(input_producers) {
  tf::train::string_input_producer({"a", "b", "c"});
  tf::train::string_input_producer({"a", "b"},
                                   {.num_epochs = 2, .shuffle = false, .capacity = 5, .name = "files"});
  tf::train::string_input_producer(tf::constant({"a", "b"}), {.seed = 7, .shared_name = "names"});
}

GOLDEN_PROGRAM(range_and_slice_producers) {
  tf::train::range_input_producer(5, {.shuffle = false});
  tf::train::range_input_producer(5, {.num_epochs = 1, .seed = 3, .name = "numbers"});
  tf::train::slice_input_producer({tf::zeros({6, 2}), tf::ones({6})}, {.shuffle = false});
}

GOLDEN_PROGRAM(batches) {
  auto x = tf::placeholder(tf::float32, {3}, {.name = "x"});
  auto y = tf::placeholder(tf::int32, {}, {.name = "y"});
  tf::train::batch({x, y}, 4);
  tf::train::batch({x, y}, 4,
                   {.num_threads = 2, .capacity = 50, .allow_smaller_final_batch = true, .name = "last"});
  tf::train::batch({x, y}, 4, {.shared_name = "shared"});
}

GOLDEN_PROGRAM(batches_of_batches) {
  auto x = tf::placeholder(tf::float32, {5, 3}, {.name = "x"});
  tf::train::batch({x}, 2, {.enqueue_many = true});
  tf::train::batch({tf::placeholder(tf::float32, {kUnknown, 2}, {.name = "long"})}, 2, {.dynamic_pad = true});
}

GOLDEN_PROGRAM(shuffled_batches) {
  auto x = tf::placeholder(tf::float32, {3}, {.name = "x"});
  auto y = tf::placeholder(tf::int32, {}, {.name = "y"});
  tf::train::shuffle_batch({x, y}, 4, 50, 10);
  tf::train::shuffle_batch({x}, 4, 30, 20,
                           {.num_threads = 3, .seed = 5, .allow_smaller_final_batch = true, .name = "mixed"});
}

GOLDEN_PROGRAM(joined_batches) {
  auto x = tf::placeholder(tf::float32, {3}, {.name = "x"});
  auto y = tf::placeholder(tf::float32, {3}, {.name = "y"});
  tf::train::batch_join({{x}, {y}}, 4);
  tf::train::batch_join({{x}, {y}}, 4, {.capacity = 50, .allow_smaller_final_batch = true, .name = "last"});
  tf::train::shuffle_batch_join({{x, y}, {y, x}}, 4, 30, 20, {.seed = 5, .name = "mixed"});
  tf::train::batch_join({{tf::placeholder(tf::float32, {kUnknown, 2}, {.name = "long"})}}, 2,
                        {.dynamic_pad = true});
}

GOLDEN_PROGRAM(batches_of_some) {
  auto x = tf::placeholder(tf::float32, {5, 3}, {.name = "x"});
  auto keep = tf::placeholder(tf::boolean, {5}, {.name = "keep"});
  tf::train::maybe_batch({x}, keep, 2, {.enqueue_many = true});
  tf::train::maybe_batch({x}, tf::placeholder(tf::boolean, {}, {.name = "p"}), 2);
  tf::train::maybe_batch_join({{x}, {x}}, false, 2, {.name = "none"});
  tf::train::maybe_shuffle_batch({x}, 2, 20, 10, keep, {.enqueue_many = true});
  tf::train::maybe_shuffle_batch_join({{x}}, 2, 20, 10, keep, {.enqueue_many = true});
}

GOLDEN_PROGRAM(rows_of_tensors) {
  auto x = tf::placeholder(tf::float32, {4, 2}, {.name = "x"});
  tf::train::input_producer(x);
  tf::train::input_producer(
      x, {.num_epochs = 2, .shuffle = false, .capacity = 5, .summary_name = "full", .name = "rows"});
  const tf::Tensor y = tf::placeholder(tf::float32, {.name = "y"});
  tf::train::input_producer(y, {.element_shape = {3}, .cancel_op = tf::no_op("cancel")});
  const tf::Tensor names = tf::placeholder(tf::string, {.name = "names"});
  tf::train::string_input_producer(names, {.cancel_op = tf::no_op("another")});
  tf::train::range_input_producer(tf::placeholder(tf::int32, {.name = "limit"}));
}

}  // namespace
}  // namespace flowray
