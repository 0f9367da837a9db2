// tests/oracle/programs/queue.py in C++.
#include "support/golden_graph.h"

#include <flowray/tf.h>

namespace flowray {
namespace {

constexpr int64_t kUnknown = Shape::kUnknownDim;

GOLDEN_PROGRAM(queue_fifo) {
  tf::FIFOQueue q(3, {tf::float32}, {.shapes = {{2}}});
  auto x = tf::placeholder(tf::float32, {2}, {.name = "x"});
  q.enqueue({x});
  q.enqueue({x}, {.name = "put"});
  q.enqueue({Array({1.0f, 2.0f}) * x});
  q.enqueue_many({tf::placeholder(tf::float32, {kUnknown, 2}, {.name = "xs"})});
  q.dequeue();
  q.dequeue({.name = "get"});
  q.dequeue_many(5);
  q.dequeue_up_to(tf::placeholder(tf::int32, {}, {.name = "n"}));
  q.size();
  q.is_closed();
  q.close();
  q.close({.cancel_pending_enqueues = true, .name = "end"});
}

GOLDEN_PROGRAM(queue_of_several_components) {
  tf::FIFOQueue q(3, {tf::float32, tf::int32},
                  {.shapes = {{2}, {}}, .shared_name = "shared", .name = "pairs"});
  q.enqueue({{1.0, 2.0}, 3});
  q.enqueue_many({{{1.0, 2.0}}, {3}});
  auto xy = q.dequeue_many(4);
  tf::reduce_sum(xy[0]);
  tf::negative(xy[1]);
}

GOLDEN_PROGRAM(queue_in_a_scope) {
  std::optional<tf::FIFOQueue> q;
  {
    auto scope = tf::name_scope("input");
    q = tf::FIFOQueue(3, {tf::float32});
    q->enqueue({1.0});
    auto wait = tf::control_dependencies({q->size()});
    q->dequeue();
  }
  q->dequeue();
}

GOLDEN_PROGRAM(queue_random_shuffle) {
  tf::RandomShuffleQueue q(30, 10, {tf::int64}, {.shapes = {{}}, .seed = 3});
  q.enqueue_many({tf::placeholder(tf::int64, {kUnknown})});
  q.dequeue_many(2);
  tf::set_random_seed(7);
  tf::RandomShuffleQueue(30, 10, {tf::int64}, {.name = "by_the_graphs_seed"});
}

GOLDEN_PROGRAM(queue_padding_and_priority) {
  tf::PaddingFIFOQueue q(5, {tf::int32, tf::string}, {.shapes = {{kUnknown, 2}, {}}});
  q.enqueue({tf::placeholder(tf::int32, {kUnknown, 2}), "a"});
  q.dequeue_many(2);
  tf::PriorityQueue p(5, {tf::string}, {.shapes = {{}}});
  p.enqueue({tf::constant(5, {.dtype = tf::int64}), "five"});
  p.dequeue();
  p.dequeue_up_to(3);
}

GOLDEN_PROGRAM(epochs_and_file_names) {
  tf::train::limit_epochs(tf::placeholder(tf::float32, {2}, {.name = "x"}), {.num_epochs = 3});
  tf::train::limit_epochs(tf::placeholder(tf::float32, {2}, {.name = "y"}),
                          {.num_epochs = 2, .name = "twice"});
  tf::train::match_filenames_once("data/*.txt");
  tf::train::match_filenames_once({"a*", "b*"}, {.name = "files"});
}

}  // namespace
}  // namespace flowray
