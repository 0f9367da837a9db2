// tests/oracle/programs/saving.py in C++.
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

}  // namespace
}  // namespace flowray
