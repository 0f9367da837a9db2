// Handles that stand for none where the program's functions take a part: what loops, branches, cells and
// layers are given and what their functions return. The ValueError names the argument as the header does, or
// the function that returned it.
#include "tf/unset_uses.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace flowray::unset_uses {
namespace {

using tf::Input;
using tf::Tensor;
using Tensors = std::vector<Tensor>;

tf::nn::State state_of(std::initializer_list<Tensor> tensors) { return tensors; }

const auto kAlways = [](const auto&...) { return tf::constant(true); };
const auto kSame = [](const auto& value) { return value; };
const auto kNone = [](const Tensor&) { return Tensor(); };
const auto kBoth = [](const auto& a, const auto& b) { return std::tuple(a, b); };

// clang-format off
constexpr Use kArguments[] = {
    USE_ALONE("loop_vars[1]", tf::while_loop(kAlways, kBoth, {0, none})),
    USE_ALONE("loop_vars[1]", tf::while_loop(kAlways, kSame, Tensors{x, none})),
    USE_ALONE("loop_vars[0]", tf::while_loop(kAlways, kSame, none)),
    USE_ALONE("maximum_iterations", tf::while_loop(kAlways, kSame, 0, {.maximum_iterations = none})),
    USE_ALONE("elems[0]", tf::map_fn(kSame, none)),
    USE_ALONE("elems[1]", tf::map_fn(kBoth, {x, none})),
    USE_ALONE("elems[1]", tf::map_fn(kSame, Tensors{x, none})),
    USE_ALONE("elems[0]", tf::foldl([](auto a, auto b) { return a + b; }, none)),
    USE_ALONE("elems[0]", tf::foldr([](auto a, auto b) { return a + b; }, none)),
    USE_ALONE("elems[0]", tf::scan([](auto a, auto b) { return a + b; }, none)),
    USE_ALONE("initializer[0]", tf::foldl([](auto a, auto b) { return a + b; }, x, none)),
    USE_ALONE("initializer[0]", tf::foldr([](auto a, auto b) { return a + b; }, x, none)),
    USE_ALONE("initializer[0]", tf::scan([](auto a, auto b) { return a + b; }, x, none)),
    USE_ALONE("pred", tf::cond(none, [] { return 1; }, [] { return 2; })),
};
// clang-format on

TEST(UnsetInFunctions, AreNamedAsArguments) {
  for (const Use& use : kArguments) EXPECT_EQ(wrong_name(use), "") << use.call;
}

/// What functions return, by the names that the header has for them.
// clang-format off
constexpr Use kReturned[] = {
    USE_ALONE("'cond' returned is", tf::while_loop([&](const auto&) { return none; }, kSame, 0)),
    USE_ALONE("'cond' returned is",
              tf::while_loop([&](const auto&) { return none; }, kSame, 0, {.maximum_iterations = 3})),
    USE_ALONE("'body' returned at [0] is", tf::while_loop(kAlways, [&](const auto&) { return none; }, 0)),
    USE_ALONE("'body' returned at [1] is",
              tf::while_loop(kAlways, [&](auto a, auto) { return std::tuple(a, none); }, {0, 1})),
    USE_ALONE("'body' returned at [0] is",
              tf::while_loop(kAlways, [&](const auto&) { return none; }, 0, {.maximum_iterations = 3})),
    USE_ALONE("'body' returned at [0] is",
              tf::while_loop(kAlways, [&](const auto&) { return no_variable; }, 0)),
    USE_ALONE("'true_fn' returned at [0] is",
              tf::cond(tf::constant(true), [&] { return none; }, [&] { return x; })),
    USE_ALONE("'false_fn' returned at [1] is",
              tf::cond(tf::constant(true), [&] { return std::tuple(x, x); },
                       [&] { return std::tuple(x, none); })),
    USE_ALONE("'true_fn' returned at [0] is",
              tf::cond(tf::constant(true), [&] { return no_operation; }, [&] { return no_operation; })),
    USE_ALONE("'pred_fn_pairs[0].second' returned at [0] is",
              tf::case_({{tf::constant(true), [&] { return none; }}}, {.default_fn = [&] { return x; }})),
    USE_ALONE("'default_fn' returned at [0] is",
              tf::case_({{tf::constant(true), [&] { return x; }}}, {.default_fn = [&] { return none; }})),
    USE_ALONE("'pred_fn_pairs[0].second' returned at [0] is",
              tf::case_({{tf::constant(true), [&] { return none; }}})),
    USE_ALONE("'fn' returned at [0] is", tf::map_fn([&](const auto&) { return none; }, x)),
    USE_ALONE("'fn' returned at [1] is",
              tf::map_fn([&](auto a, auto) { return std::tuple(a, none); }, {x, x})),
    USE_ALONE("'fn' returned at [0] is", tf::foldl([&](auto, auto) { return none; }, x)),
    USE_ALONE("'fn' returned at [0] is", tf::foldr([&](auto, auto) { return none; }, x)),
    USE_ALONE("'fn' returned at [0] is", tf::scan([&](auto, auto) { return none; }, x)),
    USE_ALONE("'initial_value' returned is", tf::Variable([&] { return none; }, {})),
    USE_ALONE("'initializer' returned is",
              tf::get_variable("w", {2}, {.initializer = [&](const auto&, auto) { return none; }})),
    USE_ALONE("'activation' returned is", tf::layers::dense(x, 2, {.activation = kNone})),
    USE_ALONE("'activation' returned is",
              tf::layers::conv1d(tf::placeholder(tf::float32, {1, 4, 1}), 2, {2}, {.activation = kNone})),
    USE_ALONE("'activation_fn' returned is",
              tf::contrib::layers::fully_connected(x, 2, {.activation_fn = kNone})),
    USE_ALONE("'normalizer_fn' returned is",
              tf::contrib::layers::fully_connected(x, 2, {.normalizer_fn = kNone})),
    USE_ALONE("'activation' returned is",
              tf::nn::BasicRNNCell(2, {.activation = kNone})(x, {tf::zeros({2, 2})})),
    USE_ALONE("'activation' returned is", tf::nn::GRUCell(2, {.activation = kNone})(x, {tf::zeros({2, 2})})),
    USE_ALONE("'activation' returned is",
              tf::nn::BasicLSTMCell(2, {.activation = kNone})(x, {tf::zeros({2, 2}), tf::zeros({2, 2})})),
    USE_ALONE("'activation' returned is",
              tf::nn::LSTMCell(2, {.activation = kNone})(x, {tf::zeros({2, 2}), tf::zeros({2, 2})})),
};
// clang-format on

TEST(UnsetInFunctions, AreToldOfTheFunctionThatReturnedThem) {
  for (const Use& use : kReturned) {
    const std::string returned = "What " + std::string(use.argument) + " an unset tf::";
    EXPECT_EQ(wrong([&] { return use.make(Handles()); }, returned), "") << use.call;
  }
}

/// What has no loss, or no penalty, says so by a None.
TEST(UnsetInFunctions, OfARegularizerAreNoLoss) {
  const Handles handles;
  const tf::Regularizer none = [](const tf::Variable&) { return Tensor(); };
  const tf::layers::Activation no_activity = [](const Tensor&) { return Tensor(); };
  EXPECT_NO_THROW(
      tf::layers::dense(handles.x, 2, {.kernel_regularizer = none, .activity_regularizer = no_activity}));
  EXPECT_NO_THROW(tf::get_variable("w", {2}, {.regularizer = none}));
  EXPECT_TRUE(tf::losses::get_regularization_losses().empty());
}

// ---- cells

using Call = void (*)(const Handles&);
struct CellUse {
  const char* argument;
  Call call;
};

tf::nn::RnnOptions with_lengths(const Tensor& lengths) {
  return {.sequence_length = lengths, .dtype = tf::float32};
}
tf::nn::RnnOptions with_first(const Tensor& state) { return {.initial_state = {state}}; }

/// Sequences [batch,time,features], and cells over them.
TEST(UnsetInFunctions, AreNamedByWhatRunsCellsOverTime) {
  const CellUse uses[] = {
      {"'inputs[1]'",
       [](const Handles& h) {
         tf::nn::GRUCell cell(2);
         tf::nn::static_rnn(cell, {h.x, h.none}, {.dtype = tf::float32});
       }},
      {"'inputs'",
       [](const Handles& h) {
         tf::nn::GRUCell cell(2);
         tf::nn::dynamic_rnn(cell, h.none, {.dtype = tf::float32});
       }},
      {"'inputs[0]'",
       [](const Handles& h) {
         tf::nn::GRUCell there(2);
         tf::nn::GRUCell back(2);
         tf::nn::static_bidirectional_rnn(there, back, {h.none, h.x}, {.dtype = tf::float32});
       }},
      {"'inputs'",
       [](const Handles& h) {
         tf::nn::GRUCell there(2);
         tf::nn::GRUCell back(2);
         tf::nn::bidirectional_dynamic_rnn(there, back, h.none, {.dtype = tf::float32});
       }},
      {"'sequence_length'",
       [](const Handles& h) {
         tf::nn::GRUCell cell(2);
         tf::nn::static_rnn(cell, {h.x, h.x}, with_lengths(h.none));
       }},
      {"'sequence_length'",
       [](const Handles& h) {
         tf::nn::GRUCell cell(2);
         tf::nn::dynamic_rnn(cell, tf::zeros({2, 3, 4}), with_lengths(h.none));
       }},
      {"'sequence_length'",
       [](const Handles& h) {
         tf::nn::GRUCell there(2);
         tf::nn::GRUCell back(2);
         tf::nn::static_bidirectional_rnn(there, back, {h.x, h.x}, with_lengths(h.none));
       }},
      {"'sequence_length'",
       [](const Handles& h) {
         tf::nn::GRUCell there(2);
         tf::nn::GRUCell back(2);
         tf::nn::bidirectional_dynamic_rnn(there, back, tf::zeros({2, 3, 4}), with_lengths(h.none));
       }},
      {"'initial_state[0]'",
       [](const Handles& h) {
         tf::nn::GRUCell cell(2);
         tf::nn::static_rnn(cell, {h.x, h.x}, with_first(h.none));
       }},
      {"'initial_state[0]'",
       [](const Handles& h) {
         tf::nn::GRUCell cell(2);
         tf::nn::dynamic_rnn(cell, tf::zeros({2, 3, 4}), with_first(h.none));
       }},
      {"'initial_state[0]'",
       [](const Handles& h) {
         tf::nn::GRUCell there(2);
         tf::nn::GRUCell back(2);
         tf::nn::bidirectional_dynamic_rnn(there, back, tf::zeros({2, 3, 4}), with_first(h.none));
       }},
      {"'initial_state_backward[0]'",
       [](const Handles& h) {
         tf::nn::GRUCell there(2);
         tf::nn::GRUCell back(2);
         tf::nn::static_bidirectional_rnn(there, back, {h.x, h.x}, {.dtype = tf::float32}, {h.none});
       }},
      {"'initial_state_backward[0]'",
       [](const Handles& h) {
         tf::nn::GRUCell there(2);
         tf::nn::GRUCell back(2);
         tf::nn::bidirectional_dynamic_rnn(there, back, tf::zeros({2, 3, 4}), {.dtype = tf::float32},
                                           {h.none});
       }},
  };
  for (const CellUse& use : uses)
    EXPECT_EQ(wrong([&] { return use.call(Handles()), true; }, use.argument), "") << use.argument;
}

TEST(UnsetInFunctions, AreNamedByCells) {
  const Handles h;
  tf::nn::GRUCell cell(2);
  tf::nn::BasicLSTMCell lstm(2);
  EXPECT_EQ(wrong([&] { return cell(h.none, {h.x}), true; }, "'inputs'"), "");
  EXPECT_EQ(wrong([&] { return cell(h.x, {h.none}), true; }, "'state[0]'"), "");
  EXPECT_EQ(wrong([&] { return lstm(h.x, {tf::zeros({2, 2}), h.none}), true; }, "'state[1]'"), "");
  EXPECT_EQ(wrong([&] { return cell.zero_state(h.none, tf::float32), true; }, "'batch_size'"), "");
}

TEST(UnsetInFunctions, AreNamedByDropoutWrappers) {
  const Handles h;
  const auto cell = std::make_shared<tf::nn::GRUCell>(2);
  const auto wrapped = [&](const tf::nn::DropoutWrapperOptions& options) {
    return [&] { return tf::nn::DropoutWrapper(cell, options), true; };
  };
  EXPECT_EQ(wrong(wrapped({.input_keep_prob = h.none}), "'input_keep_prob'"), "");
  EXPECT_EQ(wrong(wrapped({.output_keep_prob = h.none}), "'output_keep_prob'"), "");
  EXPECT_EQ(wrong(wrapped({.state_keep_prob = h.none}), "'state_keep_prob'"), "");
  tf::nn::DropoutWrapper fine(cell);
  EXPECT_EQ(wrong([&] { return fine(h.x, state_of({h.none})), true; }, "'state[0]'"), "");
  EXPECT_EQ(wrong([&] { return fine.zero_state(h.none, tf::float32), true; }, "'batch_size'"), "");
}

/// A cell of a program's own that forgets to give its output, or a part of its state.
class Forgetful : public tf::nn::RNNCell {
 public:
  explicit Forgetful(bool gives_output) : RNNCell("Forgetful"), gives_output_(gives_output) {}
  std::vector<int64_t> state_size() const override { return {3}; }
  int64_t output_size() const override { return 3; }

 protected:
  tf::nn::CellResult step(const Tensor& inputs, const tf::nn::State&) override {
    return {gives_output_ ? inputs : Tensor(), {Tensor()}};
  }

 private:
  bool gives_output_;
};

class ForgetfulLayer : public tf::nn::LayerCell {
 public:
  ForgetfulLayer() : LayerCell("ForgetfulLayer", "forgetful", {}, {}) {}
  std::vector<int64_t> state_size() const override { return {3}; }
  int64_t output_size() const override { return 3; }

 protected:
  tf::nn::CellResult call(const Tensor&, const tf::nn::State& state) override { return {Tensor(), state}; }
};

TEST(UnsetInFunctions, AreToldOfTheCellThatReturnedThem) {
  const Handles h;
  Forgetful output(false);
  Forgetful state(true);
  ForgetfulLayer layer;
  EXPECT_EQ(wrong([&] { return output(h.x, {h.x}), true; },
                  "What 'step' returned as output is an unset tf::Tensor"),
            "");
  EXPECT_EQ(wrong([&] { return state(h.x, {h.x}), true; },
                  "What 'step' returned as state[0] is an unset tf::Tensor"),
            "");
  EXPECT_EQ(
      wrong([&] { return layer(h.x, {h.x}), true; }, "What 'call' returned as output is an unset tf::Tensor"),
      "");
}

/// An optimizer of a program's own that forgets its update.
class Idle : public tf::train::Optimizer {
 public:
  Idle() : Optimizer("Idle", /*use_locking=*/false) {}

 private:
  void create_slots(const std::vector<tf::Variable>&) override {}
  void prepare() override {}
  tf::Operation apply_dense(const Tensor&, const tf::Variable&) override { return {}; }
};

TEST(UnsetInFunctions, AreToldOfTheOptimizerThatReturnedThem) {
  const Handles h;
  const Tensor loss = tf::square(h.v);
  EXPECT_EQ(wrong([&] { return Idle().minimize(loss), true; },
                  "What 'apply_dense' returned is an unset tf::Operation"),
            "");
}

}  // namespace
}  // namespace flowray::unset_uses
