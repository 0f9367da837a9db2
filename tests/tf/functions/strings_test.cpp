// tests/oracle/programs/strings.py in C++.
#include "support/golden_graph.h"

#include <flowray/tf/array.h>
#include <flowray/tf/debugging.h>
#include <flowray/tf/linalg.h>
#include <flowray/tf/random.h>
#include <flowray/tf/signal.h>
#include <flowray/tf/strings.h>

namespace flowray {
namespace {

GOLDEN_PROGRAM(joined_texts) {
  auto words = tf::placeholder(DType::kString, {2, 3}, {.name = "words"});
  tf::reduce_join(words);
  tf::reduce_join(words, {.axis = 0});
  tf::reduce_join(words,
                  {.axis = tf::OptionalInput({0, 1}), .keep_dims = true, .separator = " ", .name = "named"});
  tf::reduce_join(tf::placeholder(DType::kString, tf::TensorShape::unknown_rank(), {.name = "of_any_rank"}));
}

GOLDEN_PROGRAM(printed_tensors) {
  auto x = tf::placeholder(tf::float32, {2}, {.name = "x"});
  tf::print({x});
  tf::print({"value:", x, 3}, {.summarize = 5, .name = "named"});
  tf::print({"only text"});
  tf::print({x}, {.output_stream = "file:///tmp/printed", .sep = "-", .end = "!"});
}

GOLDEN_PROGRAM(determinants_and_windows) {
  auto x = tf::placeholder(tf::float32, {3, 3}, {.name = "x"});
  tf::linalg::logdet(x);
  tf::linalg::logdet(x, {.name = "named"});
  tf::signal::hann_window(8);
  tf::signal::hamming_window(7, {.periodic = false});
  auto length = tf::placeholder(tf::int32, {}, {.name = "length"});
  tf::signal::hann_window(length, {.dtype = tf::float64, .name = "window"});
}

GOLDEN_PROGRAM(gamma_numbers) {
  tf::random_gamma({3}, 2.0, {.seed = 1});
  tf::random_gamma({3}, {0.5, 1.5}, {.beta = 2.0, .seed = 2, .name = "named"});
}

}  // namespace
}  // namespace flowray
