// tests/oracle/programs/saver.py in C++.
#include "support/golden_graph.h"

#include <flowray/tf.h>

namespace flowray {
namespace {

GOLDEN_PROGRAM(summaries) {
  auto x = tf::placeholder(tf::float32, {tf::None}, {.name = "x"});
  {
    auto scope = tf::name_scope("in");
    tf::summary::scalar("loss function", x[0]);
    tf::summary::scalar("loss", x[1], {.family = "fam"});
    tf::summary::scalar("loss", 1.5);
  }
  tf::summary::histogram("h", x);
  tf::summary::image("i", tf::zeros({1, 2, 2, 1}), 2);
  tf::summary::audio("a", tf::zeros({1, 200}), 44100);
  tf::summary::merge_all();
  tf::summary::merge_all("summaries", {.name = "all"});
}

GOLDEN_PROGRAM(savers) {
  tf::Variable({1.0, 2.0}, {.name = "b"});
  tf::Variable a(3, {.name = "a"});
  tf::train::Saver();
  tf::train::Saver({.var_list = {a}, .max_to_keep = 1, .name = "only_a"});
}

GOLDEN_PROGRAM(saver_that_reshapes) {
  tf::get_variable("a", {2, 3});
  tf::Variable(tf::placeholder(tf::float32), {.validate_shape = false, .name = "any"});
  tf::train::Saver({.reshape = true});
}

tf::Variable zeros(const std::string& name, int64_t size) {
  return tf::get_variable(name, {size}, {.initializer = tf::zeros_initializer()});
}

GOLDEN_PROGRAM(saver_in_shards) {
  zeros("a", 2);
  zeros("b", 3);
  tf::train::Saver({.sharded = true});
}

GOLDEN_PROGRAM(saver_in_shards_of_tasks) {
  {
    auto there = tf::device("/job:ps/task:0");
    zeros("a", 2);
  }
  {
    auto there = tf::device("/job:ps/task:1");
    zeros("b", 3);
    zeros("c", 3);
  }
  tf::train::Saver({.sharded = true});
}

GOLDEN_PROGRAM(saver_that_waits) {
  zeros("a", 2);
  tf::train::Saver saver({.name = "late", .defer_build = true});
  zeros("b", 2);
  saver.build();
}

}  // namespace
}  // namespace flowray
