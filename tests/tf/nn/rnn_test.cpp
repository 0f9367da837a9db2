// tests/oracle/programs/rnn.py in C++.
#include "support/error_words.h"
#include "support/golden_graph.h"

#include <flowray/tf/array.h>
#include <flowray/tf/rnn.h>

#include <gmock/gmock.h>

#include <memory>

namespace flowray {
namespace {

namespace nn = tf::nn;

tf::Tensor inputs(const tf::TensorShape& shape = {tf::None, 7, 3}) {
  return tf::placeholder(tf::float32, shape, {.name = "x"});
}

/// One step from a state of zeros for two examples.
nn::CellResult step(nn::RNNCell& cell, const tf::Tensor& x) {
  return cell(x, cell.zero_state(2, tf::float32));
}

GOLDEN_PROGRAM(rnn_cells) {
  const auto x = inputs({2, 3});
  nn::BasicRNNCell cell(4);
  step(cell, x);
  nn::BasicLSTMCell lstm(4, {.forget_bias = 0.5});
  const nn::CellResult first = step(lstm, x);
  lstm(x, first.state);
  nn::GRUCell gru(4, {.name = "gated"});
  step(gru, x);
  nn::LSTMCell full(4, {.initializer = tf::zeros_initializer()});
  step(full, x);
}

GOLDEN_PROGRAM(rnn_cells_of_cells) {
  const auto x = inputs({2, 3});
  nn::MultiRNNCell several({std::make_shared<nn::BasicLSTMCell>(4), std::make_shared<nn::GRUCell>(5)});
  step(several, x);
}

GOLDEN_PROGRAM(rnn_cell_with_projection) {
  const auto x = inputs({2, 3});
  nn::LSTMCell cell(4, {.use_peepholes = true, .cell_clip = 3.0, .num_proj = 2, .proj_clip = 2.0});
  step(cell, x);
}

GOLDEN_PROGRAM(rnn_cell_dropout) {
  const auto x = inputs({2, 3});
  // The seeds that TensorFlow makes of seed 3.
  nn::DropoutWrapper seeded(std::make_shared<nn::BasicLSTMCell>(4), {.input_keep_prob = 0.9,
                                                                     .output_keep_prob = 0.5,
                                                                     .state_keep_prob = 0.75,
                                                                     .input_seed = 371649270,
                                                                     .state_seeds = {522019109, 602375191},
                                                                     .output_seed = 787469663});
  step(seeded, x);
  const auto keep = tf::placeholder(tf::float32, {}, {.name = "keep"});
  nn::DropoutWrapper cell(std::make_shared<nn::GRUCell>(4), {.output_keep_prob = keep});
  step(cell, x);
}

GOLDEN_PROGRAM(static_rnn_of_lstm) {
  std::vector<tf::Input> rows;
  for (const tf::Tensor& row : tf::unstack(inputs(), {.num = 7, .axis = 1})) rows.emplace_back(row);
  nn::BasicLSTMCell cell(4);
  nn::static_rnn(cell, rows, {.dtype = tf::float32});
}

GOLDEN_PROGRAM(dynamic_rnn_of_lstm) {
  const auto x = inputs({2, 7, 3});
  nn::BasicLSTMCell cell(4);
  nn::dynamic_rnn(cell, x, {.dtype = tf::float32});
}

GOLDEN_PROGRAM(dynamic_rnn_with_lengths) {
  const auto n = tf::placeholder(tf::int32, {tf::None}, {.name = "n"});
  const auto x = inputs({tf::None, tf::None, 3});
  nn::GRUCell cell(4);
  nn::dynamic_rnn(cell, x, {.sequence_length = n, .dtype = tf::float32});
}

GOLDEN_PROGRAM(dynamic_rnn_over_time_first) {
  nn::MultiRNNCell cell({std::make_shared<nn::BasicRNNCell>(4), std::make_shared<nn::BasicRNNCell>(4)});
  const nn::State state = cell.zero_state(2, tf::float32);
  const auto x = inputs({5, 2, 3});
  nn::dynamic_rnn(cell, x,
                  {.initial_state = state, .parallel_iterations = 4, .time_major = true, .scope = "layers"});
}

GOLDEN_PROGRAM(bidirectional_dynamic_rnn_with_lengths) {
  const auto n = tf::placeholder(tf::int32, {tf::None}, {.name = "n"});
  const auto x = inputs({tf::None, tf::None, 3});
  nn::BasicRNNCell forward(3);
  nn::BasicRNNCell backward(3);
  nn::bidirectional_dynamic_rnn(forward, backward, x, {.sequence_length = n, .dtype = tf::float32});
}

/// Gives a state of two tensors, and says that it has one.
class Growing : public nn::RNNCell {
 public:
  Growing() : RNNCell("Growing") {}
  std::vector<int64_t> state_size() const override { return {3}; }
  int64_t output_size() const override { return 3; }

 protected:
  nn::CellResult step(const tf::Tensor& inputs, const nn::State& state) override {
    return {inputs, {state[0], state[0]}};
  }
};

TEST(Rnn, TellsOfACellWhoseStateGrows) {
  const tf::Graph graph;
  const tf::GraphScope scope = graph.as_default();
  const auto x = inputs();
  const auto lengths = tf::placeholder(tf::int32, {tf::None});
  Growing cell;
  for (const tf::OptionalInput& given : {tf::OptionalInput(), tf::OptionalInput(lengths)}) {
    const int line = __LINE__ + 2;
    try {
      nn::dynamic_rnn(cell, x, {.sequence_length = given, .dtype = tf::float32});
      FAIL() << "two tensors went where one was";
    } catch (const ValueError& error) {
      EXPECT_THAT(
          error.message(),
          ::testing::StartsWith("The two structures don't have the same nested structure.\nThe state that "
                                "the cell gives has 2 tensors, that which it takes has 1 tensor:"));
      EXPECT_EQ(testing::lines_named(error.message(), __FILE__), std::vector{line}) << error.message();
    }
  }
}

TEST(Rnn, TellsOfAStateOfTheWrongNumberOfTensors) {
  const tf::Graph graph;
  const tf::GraphScope scope = graph.as_default();
  const auto x = inputs();
  nn::GRUCell cell(3);
  const tf::Tensor zeros = tf::zeros({2, 3});
  try {
    nn::dynamic_rnn(cell, x, {.initial_state = {zeros, zeros}});
    FAIL() << "two tensors went where one was";
  } catch (const ValueError& error) {
    EXPECT_THAT(error.message(), ::testing::HasSubstr("The state of this cell has 1 tensor: zero_state()"));
  }
}

}  // namespace
}  // namespace flowray
