// tests/oracle/programs/random.py in C++.
#include "support/golden_graph.h"

#include <flowray/tf/array.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/random.h>

namespace flowray {
namespace {

GOLDEN_PROGRAM(random_uniforms) {
  tf::random_uniform({2, 3});
  tf::random_uniform({2}, -1.0, 1.0);
  tf::random_uniform({2}, 0, 10, {.dtype = tf::int32});
  tf::random_uniform({2}, {.maxval = 100, .dtype = tf::int64, .name = "wide"});
  tf::random_uniform({}, {.dtype = tf::float64});
  tf::random_uniform({2}, {.seed = 7});
}

GOLDEN_PROGRAM(random_normals) {
  tf::random_normal({2, 3});
  tf::random_normal({2}, 1.0, 0.1, {.name = "named"});
  tf::random_normal({2}, {.stddev = 0.5, .dtype = tf::float64, .seed = 1});
  tf::truncated_normal({2, 3});
  tf::truncated_normal({2}, {.mean = 1.0, .stddev = 0.1, .seed = 2, .name = "cut"});
}

GOLDEN_PROGRAM(random_dynamic_shape) {
  auto x = tf::placeholder(tf::float32, {tf::None, 2}, {.name = "x"});
  tf::random_uniform(tf::shape(x));
  tf::random_normal({tf::shape(x)[0], 3});
  auto low = x[{0, 0}];
  auto high = x[{0, 1}];
  tf::random_uniform({2}, low, high);
}

GOLDEN_PROGRAM(seeds_of_ops) {
  tf::random_uniform({1});
  tf::random_uniform({1}, {.seed = 0});
  tf::random_uniform({1}, {.seed = 1});
  tf::random_uniform({1}, {.seed = -1});
  tf::random_normal({1}, {.seed = 123456789});
}

GOLDEN_PROGRAM(seeds_of_graph) {
  tf::set_random_seed(0);
  tf::random_uniform({1});
  tf::random_uniform({1});
  tf::constant(0);
  tf::random_uniform({1}, {.seed = 0});
  tf::random_uniform({1}, {.seed = 5});
  tf::set_random_seed(42);
  tf::random_uniform({1});
  tf::random_normal({1});
}

GOLDEN_PROGRAM(seeds_in_scopes) {
  tf::set_random_seed(3);
  {
    auto scope = tf::name_scope("a");
    tf::random_uniform({1});
  }
  tf::Variable(tf::truncated_normal({2}, {.seed = 8}));
  tf::nn::dropout(tf::zeros({2}), {.rate = 0.5});
}

GOLDEN_PROGRAM_WITHOUT(random_shuffles, "zeros", "multinomial") {
  tf::random_shuffle({1, 2, 3});
  tf::random_shuffle({1, 2, 3}, {.seed = 3, .name = "mixed"});
}

}  // namespace
}  // namespace flowray
