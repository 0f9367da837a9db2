// Functions of the public headers whose arguments do not remember the line that they were written in: the
// nodes that they make are of the line of the call. (Of the others every golden program says so, see
// tests/support/golden_graph.cpp.) And errors of calls, which name that line once.
#include <flowray/tf.h>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "graph/graph.h"
#include "support/error_words.h"
#include "support/idx_files.h"

namespace flowray {
namespace {

/// What the calls are made of; the line of each is the table's.
struct Values {
  const tf::Graph graph;
  const tf::GraphScope scope = graph.as_default();
  const tf::Tensor x = tf::placeholder(tf::float32, {2, 3});
  const std::vector<tf::Tensor> xs = {x, x};
  const tf::Variable v{Array(1.0f), {.name = "v"}};
  const std::vector<tf::Variable> vs = {v, v};
  const tf::FIFOQueue queue{10, {tf::float32, tf::float32}};
  const tf::TensorArray array{tf::float32, {.size = 2, .element_shape = {3}}};
  const std::unique_ptr<tf::train::Saver> unbuilt =
      std::make_unique<tf::train::Saver>(tf::train::SaverOptions{.defer_build = true});
  const std::vector<tf::Operation> operations = {x.op(), v.op()};
  const tf::Tensor loss = [this] {
    const tf::Tensor sum = tf::reduce_sum(x);
    tf::losses::add_loss(sum);
    tf::losses::add_loss(sum, tf::GraphKeys::REGULARIZATION_LOSSES);
    return sum;
  }();
  const tf::Tensor summary = tf::summary::scalar("loss", loss);
  const tf::Tensor s = tf::zeros({2, 2});
  const tf::nn::CellPointer gru = std::make_shared<tf::nn::GRUCell>(2);
  const tf::nn::CellPointer lstm = std::make_shared<tf::nn::BasicLSTMCell>(2);
};

struct Call {
  const char* text;
  int line;
  void (*make)(const Values&);
};

// clang-format off
#define CALL(...)                                                                                         \
  Call {                                                                                                  \
    #__VA_ARGS__, __LINE__, [](const Values& values) {                                                    \
      [[maybe_unused]] const auto& [graph, scope, x, xs, v, vs, queue, array, unbuilt, operations, loss,  \
                                    summary, s, gru, lstm] = values;                                      \
      static_cast<void>(__VA_ARGS__);                                                                     \
    }                                                                                                     \
  }

const Call kCalls[] = {
    CALL(tf::FIFOQueue(1, {tf::float32})),
    CALL(tf::RandomShuffleQueue(3, 1, {tf::float32})),
    CALL(tf::PaddingFIFOQueue(1, {tf::float32}, {.shapes = {{2}}})),
    CALL(tf::PriorityQueue(1, {tf::float32}, {.shapes = {{2}}})),
    CALL(queue.enqueue(xs)),
    CALL(queue.enqueue_many(xs)),
    CALL(queue.dequeue()),
    CALL(queue.dequeue_many(2)),
    CALL(queue.dequeue_up_to(2)),
    CALL(queue.size()),
    CALL(queue.is_closed()),
    CALL(queue.close()),
    CALL(array.stack()),
    CALL(array.concat()),
    CALL(array.close()),
    CALL(array.identity()),
    CALL(tf::TensorArray(tf::float32, {.size = 2, .dynamic_size = true}).size()),
    CALL(v.read_value()),
    CALL(tf::train::Saver()),
    CALL(tf::train::Saver({.var_list = {v}, .sharded = true})),
    CALL(unbuilt->build()),
    CALL(tf::train::Supervisor()),
    CALL(tf::losses::get_total_loss()),
    CALL(tf::losses::get_regularization_loss()),
    CALL(tf::losses::get_regularization_loss({.scope = "none"})),
    CALL(tf::summary::merge_all()),
    CALL(tf::summary::merge(std::vector{summary})),
    CALL((*gru)(x, {s})),
    CALL(tf::nn::MultiRNNCell({lstm})(x, {s, s})),
    CALL(tf::nn::DropoutWrapper(gru, {.output_keep_prob = 0.5})(x, {s})),
    CALL(tf::nn::static_rnn(*gru, xs, {.dtype = tf::float32})),
    CALL(tf::glorot_uniform_initializer()({2, 3})),
    CALL(tf::zeros_initializer()({2000, 3})),
    CALL(tf::contrib::layers::l2_regularizer(0.1)(x)),
    CALL(tf::contrib::layers::l1_l2_regularizer()(v)),
    CALL(tf::contrib::layers::apply_regularization(tf::contrib::layers::l1_regularizer(0.1), xs)),
    CALL(tf::layers::activation("relu")(x)),
    CALL(tf::layers::Activation(tf::nn::softmax)(x)),
    CALL(tf::global_norm(xs)),
    CALL(tf::clip_by_global_norm(xs, 5.0)),
    CALL(tf::add_n(xs)),
    CALL(tf::add_n(vs)),
    CALL(tf::add_n(std::vector<tf::Input>(xs.begin(), xs.end()))),
    CALL(tf::accumulate_n(xs)),
    CALL(tf::stack(xs)),
    CALL(tf::stack(xs, 1)),
    CALL(tf::concat(xs, 0)),
    CALL(tf::identity_n(xs)),
    CALL(tf::shape_n(xs)),
    CALL(tf::meshgrid(tf::unstack(tf::reshape(x, {2, 3})))),
    CALL(tf::einsum("ij,ij->i", xs)),
    CALL(tf::print(xs)),
    CALL(tf::group(xs)),
    CALL(tf::group(operations)),
    CALL(tf::group(x)),
    CALL(tf::group(x.op(), "named")),
    CALL(tf::group(v)),
    CALL(tf::tuple(xs)),
    CALL(tf::gradients(xs, xs)),
    CALL(tf::gradients(loss, std::vector{x})),
    CALL(tf::train::batch(xs, 2, {.enqueue_many = true})),
    CALL(tf::train::shuffle_batch(xs, 2, 10, 2)),
    CALL(tf::train::slice_input_producer(xs)),
    CALL(tf::case_({{x[0][0] > 1.0, [&] { return x; }}}, {.default_fn = [&] { return x + 1.0; }})),
    CALL(tf::while_loop([](auto i) { return i < 3; }, [](auto i) { return i + 1; }, 0)),
};

/// Each is wrong before a step runs: an unset handle, a dtype, a shape, a name.
const Call kWrongCalls[] = {
    CALL(x && x),
    CALL(!x),
    CALL(x + tf::cast(x, tf::float64)),
    CALL(tf::cast(x, tf::int32) + 3000000000),
    CALL(x + "a"),
    CALL(x + s),
    CALL(tf::constant(1.5, tf::int32)),
    CALL(tf::constant({{1, 2}, {3}})),
    CALL(tf::matmul(x, tf::cast(x, tf::int32))),
    CALL(tf::matmul(x, x)),
    CALL(tf::reshape(x, {4, 2})),
    CALL(tf::concat({x, s}, 0)),
    CALL(tf::concat(xs, 2)),
    CALL(tf::add_n(std::vector<tf::Tensor>())),
    CALL(x[5]),
    CALL(x[{0, 0, 0}]),
    CALL(x[1.5]),
    CALL(tf::transpose(x, {0, 1, 2})),
    CALL(tf::split(x, 4, 1)),
    CALL(tf::nn::conv2d(x, x, {.strides = {1, 1, 1, 1}, .padding = "SAME"})),
    CALL(tf::nn::softmax(tf::cast(x, tf::int32))),
    CALL(tf::nn::dropout(x, {.rate = 1.5})),
    CALL(tf::layers::conv2d(x, 2, {3})),
    CALL(tf::placeholder(tf::float32, {2}, {.name = "a b"})),
    CALL(tf::get_variable("u", tf::TensorShape{tf::None})),
    CALL(tf::get_variable("u/../w x", tf::TensorShape{1})),
    CALL((*lstm)(x, {s})),
    CALL((*gru)(x, {s, s})),
    CALL(tf::Variable(tf::placeholder(tf::float32))),
    CALL(v.assign({1.0, 2.0})),
    CALL(v.assign(2.5f).set_shape({3})),
    CALL(tf::assign(v, tf::constant(1))),
    CALL(tf::while_loop([](auto i) { return i < 3; }, [](auto i) { return tf::cast(i, tf::float32); }, 0)),
    CALL(tf::while_loop([](auto i) { return i < 3; }, [](auto i) { return tf::stack({i, i}); }, 0)),
    CALL(tf::cond(x, [] { return 1; }, [] { return 2; })),
    CALL(tf::cond(x[0][0] > 0.0, [] { return 1; }, [] { return 2.0f; })),
    CALL(tf::cond(x[0][0] > 0.0, [&] { return tf::matmul(s, s + x); }, [&] { return s; })),
    CALL(tf::gradients(x, {tf::Tensor()})),
    CALL(tf::train::GradientDescentOptimizer(0.1).minimize(x)),
    CALL(tf::train::GradientDescentOptimizer(0.1).minimize(tf::Tensor())),
    CALL(tf::train::batch(std::vector<tf::Tensor>(), 2)),
    CALL(queue.enqueue({x})),
    CALL(queue.enqueue({x, tf::cast(x, tf::int32)})),
    CALL(array.write(0, tf::cast(x, tf::int32))),
    CALL(tf::einsum("ij,jk->il", xs)),
    CALL(tf::group({tf::Tensor()})),
    CALL(tf::control_dependencies({x, tf::Operation()})),
    CALL(tf::name_scope("a b")),
    CALL(tf::device("/nothing:at:all")),
    CALL(tf::colocate_with(tf::Operation())),
    CALL(graph.get_tensor_by_name("missing:0")),
    CALL(graph.get_operation_by_name("missing")),
    CALL(tf::Tensor().name()),
    CALL(tf::Tensor().shape()),
    CALL(tf::Tensor() * 2.0),
    CALL(tf::Operation().inputs()),
    CALL(x.op().output(3)),
    CALL(tf::Variable().shape()),
    CALL(tf::Variable() + 1.0),
    CALL(tf::Session().run(tf::Tensor())),
    CALL(tf::Session().run({x, tf::Tensor()})),
    CALL(tf::Session().run("missing:0")),
    CALL(tf::Session().run(x, {{"missing:0", 1.0f}})),
    CALL(tf::Session().run(x, {{x, 1.0f}})),
    CALL(tf::Session(tf::Graph()).run(x)),
    CALL(tf::Session("nowhere://")),
    CALL(tf::Session().run(std::vector{x, tf::Tensor()})),
    CALL(tf::Session().run(std::array{x, tf::Tensor()})),
    CALL(tf::Session().run(std::map<std::string, tf::Tensor>{{"none", tf::Tensor()}})),
    CALL(tf::Session().run({{"none", tf::Tensor()}})),
    CALL(tf::Session().make_callable(std::vector{x, tf::Tensor()})),
    CALL(tf::Session().make_callable(x, {x})(1.0f)),
    CALL(tf::Session().make_callable(x, {x})()),
    CALL(tf::Session().make_callable({x, s}, {x})(1.0f)),
    CALL(x.eval()),
    CALL(x.eval({{x, 1.0f}})),
    CALL(tf::Tensor().eval()),
    CALL(x.op().run()),
    CALL(tf::Operation().run()),
    CALL(v.eval()),
    CALL(tf::Variable().eval()),
    CALL(v.load(1.0f)),
    CALL(tf::Variable().load(1.0f)),
    CALL(tf::variable_scope(std::string_view())),
    CALL(tf::variable_scope("a b")),
    CALL(tf::get_static_value(tf::Tensor())),
    CALL(tf::losses::add_loss(tf::Tensor())),
    CALL(tf::losses::get_losses("(")),
    CALL(tf::add_to_collection("mine", tf::Tensor())),
    CALL(graph.add_to_collection("mine", tf::Variable())),
    CALL(graph.get_collection("losses", "(")),
    CALL(tf::get_collection("losses", "(")),
    CALL(tf::get_collection("losses").operations()),
    CALL(tf::get_collection_ref("losses").append(tf::Operation())),
    CALL(tf::get_collection_ref("losses").remove(x)),
    CALL(tf::trainable_variables("(")),
    CALL(tf::train::GradientDescentOptimizer(0.1).get_slot(tf::Variable(), "m")),
    CALL(tf::train::assert_global_step(x)),
    CALL(tf::Tensor(queue.dequeue())),
    CALL(tf::nn::MultiRNNCell({nullptr})),
    CALL(tf::nn::DropoutWrapper(nullptr)),
    CALL(tf::nn::softmax_cross_entropy_with_logits({.logits = x})),
    CALL(tf::nn::sparse_softmax_cross_entropy_with_logits({.labels = {0, 1}})),
    CALL(tf::nn::sigmoid_cross_entropy_with_logits({.logits = x})),
    CALL(tf::nn::weighted_cross_entropy_with_logits({.labels = x, .logits = x})),
    CALL(tf::nn::dynamic_rnn(*gru, s, {.dtype = tf::float32})),
    CALL(tf::reduce_sum(x, {.axis = 0, .reduction_indices = 0})),
    CALL(tf::layers::activation("none of these")),
    CALL(tf::layers::Activation()(x)),
    CALL(tf::initializers::get("none of these")),
    CALL(tf::cast(x, DType::kInvalid)),
    CALL(tf::placeholder(DType::kInvalid)),
    CALL(tf::zeros({2}, DType::kInvalid)),
    CALL(tf::FIFOQueue(1, {DType::kInvalid})),
    CALL(tf::cond(x[0][0] > 0.0, std::function<tf::Tensor()>(), [&] { return s; })),
    CALL(tf::cond(x[0][0] > 0.0, tf::Branch(std::function<tf::Tensor()>()), tf::Branch([&] { return s; }))),
    CALL(tf::case_({{x[0][0] > 0.0, std::function<tf::Tensor()>()}})),
    CALL(tf::while_loop(std::function<tf::Tensor(tf::Tensor)>(), [](auto i) { return i; }, 0)),
    CALL(tf::while_loop([](auto i) { return i < 3; }, std::function<tf::Tensor(tf::Tensor)>(), 0)),
    CALL(tf::map_fn(std::function<tf::Tensor(tf::Tensor)>(), x)),
    CALL(tf::map_fn([](auto row) { return std::tuple(row, row); }, x)),
    CALL(tf::foldl(std::function<tf::Tensor(tf::Tensor, tf::Tensor)>(), x)),
    CALL(tf::data::Dataset::range(3).map([](auto a, auto b) { return a + b; })),
    CALL(tf::data::Dataset::range(3).map(std::function<tf::Tensor(tf::Tensor)>())),
    CALL(tf::data::Dataset::range(3).filter(std::function<tf::Tensor(tf::Tensor)>())),
    CALL(tf::data::Dataset::range(3).flat_map(std::function<tf::data::Dataset(tf::Tensor)>())),
    CALL(tf::data::Dataset::range(3).unbatch()),
    CALL(tf::data::Dataset::zip({tf::data::Dataset::range(3), tf::data::Dataset()})),
    CALL(tf::data::Dataset::from_tensor_slices(1.0)),
    CALL(tf::data::Dataset::range(3).make_one_shot_iterator().get_next<2>()),
    CALL(tf::data::Dataset::range(3).make_one_shot_iterator().initializer()),
    CALL(tf::data::Iterator().get_next<2>()),
    CALL(tf::data::Iterator().initializer()),
    CALL(tf::data::Iterator::from_structure({})),
    CALL(tf::Variable(std::function<tf::Tensor()>(), {})),
    CALL(tf::train::GradientDescentOptimizer(0.1).minimize(std::function<tf::Tensor()>())),
    CALL(tf::train::GradientDescentOptimizer(0.1).compute_gradients(std::function<tf::Tensor()>())),
    CALL(tf::Initializer()({2})),
    CALL(tf::contrib::layers::Penalty(nullptr)(x)),
    CALL(tf::train::Saver({.var_list = {v, v, tf::Variable()}})),
    CALL(tf::train::Saver().save(*std::make_unique<tf::Session>(), "/no/such/folder/at_all")),
    CALL(tf::train::Saver().restore(*std::make_unique<tf::Session>(), "/no/such/checkpoint")),
    CALL(unbuilt->restore(*std::make_unique<tf::Session>(), "/no/such/checkpoint")),
    CALL(tf::summary::FileWriter("/proc/no/such/folder")),
    CALL(tf::summary::FileWriter("/proc", {.flush_secs = -1})),
    CALL(tf::train::piecewise_constant(x[0][0], {1.0}, {1.0})),
    CALL(tf::keras::layers::Dense(0)),
    CALL(tf::keras::layers::Dense(2, {.activation = "none of these"})),
    CALL(tf::keras::layers::Conv2D(2, {1, 2, 3})),
    CALL(tf::keras::layers::MaxPooling2D({.padding = "none of these"})),
    CALL(tf::keras::layers::Dropout(2)),
    CALL(tf::keras::layers::Reshape({-1, -1})),
    CALL(tf::keras::layers::Reshape({4})(x)),
    CALL(tf::keras::layers::Embedding(0, 1)),
    CALL(tf::keras::layers::Dense(2)(tf::placeholder(tf::float32))),
    CALL(tf::keras::layers::Dense(2)(tf::Tensor())),
    CALL(tf::keras::layers::Dense(2).count_params()),
    CALL(tf::keras::Sequential().add(nullptr)),
    CALL(tf::keras::Sequential().build({2, 3})),
    CALL(tf::keras::Sequential()(tf::Tensor())),
    CALL(tf::keras::Sequential().compile({.loss = "none of these"})),
    CALL(tf::keras::Sequential().fit(Array(), Array())),
    CALL(tf::keras::Sequential().evaluate(Array(), Array())),
    CALL(tf::keras::Sequential().train_on_batch(Array(), Array())),
    CALL(tf::keras::Sequential().test_on_batch(Array(), Array())),
    CALL(tf::keras::Sequential().predict(Array())),
    CALL(tf::keras::Sequential().fit(tf::data::Dataset())),
    CALL(tf::keras::Sequential().evaluate(tf::data::Dataset())),
    CALL(tf::keras::Sequential().predict(tf::data::Dataset())),
    CALL(tf::keras::Sequential().learning_rate()),
    CALL(tf::keras::Sequential().set_learning_rate(1)),
    CALL(tf::keras::Sequential().save_weights("x")),
    CALL(tf::keras::Sequential().load_weights("x")),
    CALL(tf::keras::Sequential().predict_on_batch(Array())),
    CALL(tf::keras::Sequential().get_weights()),
    CALL(tf::keras::Sequential().set_weights({Array(1.0f)})),
    CALL(tf::keras::Sequential().summary()),
};
// clang-format on

#undef CALL

/// The nodes behind the first `begin` that are of another line; "" where there are none, and some at all.
std::string of_other_lines(const tf::Graph& graph, size_t begin, int line) {
  const std::vector<graph::Node*> nodes = graph.get()->nodes();
  if (nodes.size() == begin) return "no node was made";
  std::string others;
  for (size_t i = begin; i < nodes.size(); ++i) {
    const SourceLine at = nodes[i]->line();
    if (at.line == static_cast<uint32_t>(line) &&
        std::string_view(at.file).ends_with("lines_of_calls_test.cpp"))
      continue;
    others += nodes[i]->name() + graph::made_at(*nodes[i]) + "\n";
  }
  return others;
}

TEST(LinesOfCalls, AreOfTheNodesThatTheyMake) {
  for (const Call& call : kCalls) {
    const Values values;
    const size_t begin = values.graph.get()->nodes().size();
    call.make(values);
    EXPECT_EQ(of_other_lines(values.graph, begin, call.line), "") << call.text;
  }
}

TEST(LinesOfCalls, AreOfAGraphThatIsReadFromAFile) {
  const testing::TestFolder folder;
  const std::filesystem::path file = folder.path() / "graph.meta";
  {
    const Values values;
    std::ofstream(file, std::ios::binary) << tf::train::export_meta_graph();
  }
  const tf::Graph graph;
  const tf::GraphScope scope = graph.as_default();
  tf::train::import_meta_graph(file);
  EXPECT_EQ(of_other_lines(graph, 0, __LINE__ - 1), "");
}

/// "" where the call throws an Error that names its line, once, behind the first; else what came.
std::string wrong(const Call& call) {
  const Values values;
  try {
    call.make(values);
  } catch (const Error& error) {
    const std::string_view message = error.message();
    const bool named = testing::lines_named(message, __FILE__) == std::vector{call.line};
    return named && message.find('\n') < message.find(__FILE__) ? "" : error.message();
  }
  return "nothing was thrown";
}

TEST(LinesOfCalls, AreNamedByTheErrorsOfCalls) {
  for (const Call& call : kWrongCalls) EXPECT_EQ(wrong(call), "") << call.text;
}

TEST(LinesOfCalls, AreNamedWhereOperationsRunAtOnce) {
  const auto eager = tf::eager();
  const tf::Tensor x = tf::constant({1.f, 2.f});
  const tf::Tensor y = tf::constant({1.f, 2.f, 3.f});
  struct EagerCall {
    int line;
    std::function<void()> make;
  };
  const EagerCall calls[] = {
      {__LINE__, [&] { x + y; }},
      {__LINE__, [&] { x - y; }},
      {__LINE__, [&] { x* y; }},
      {__LINE__, [&] { x / y; }},
      {__LINE__, [&] { tf::maximum(x, y); }},
      {__LINE__, [&] { tf::matmul(x, y); }},
      {__LINE__, [&] { tf::train::export_meta_graph(); }},
      {__LINE__, [&] { tf::summary::merge_all(); }},
      {__LINE__, [&] { tf::add_to_collection("mine", x); }},
      {__LINE__, [&] { tf::train::Saver(); }},
  };
  for (const EagerCall& call : calls) {
    try {
      call.make();
      ADD_FAILURE() << "nothing was thrown, line " << call.line;
    } catch (const Error& error) {
      EXPECT_EQ(testing::lines_named(error.message(), __FILE__), std::vector{call.line}) << error.message();
      EXPECT_LT(error.message().find('\n'), error.message().find(__FILE__)) << error.message();
    }
  }
}

TEST(LinesOfCalls, AreThoseInsideOfTheProgramsOwnFunction) {
  const Values values;
  const int line = __LINE__ + 1;
  const auto body = [](const tf::Tensor& i) { return i && true; };
  try {
    tf::while_loop([](auto i) { return i < 3; }, body, 0);
    FAIL() << "int32 went into LogicalAnd";
  } catch (const TypeError& error) {
    EXPECT_EQ(testing::lines_named(error.message(), __FILE__), std::vector{line}) << error.message();
  }
}

TEST(LinesOfCalls, AreNotOfErrorsThatTheProgramsOwnFunctionMakes) {
  const Values values;
  const auto body = [](const tf::Tensor&) -> tf::Tensor { throw ValueError("mine"); };
  try {
    tf::while_loop([](auto i) { return i < 3; }, body, 0);
    FAIL() << "nothing was thrown";
  } catch (const ValueError& error) {
    EXPECT_EQ(error.message(), "mine");
  }
  EXPECT_EQ(ValueError("mine").message(), "mine");
}

TEST(LinesOfCalls, StayWhereTheFunctionIsOneOfTheLibrarys) {
  const Values values;
  const auto ints = tf::cast(values.x, tf::int32);
  const tf::layers::Activation softmax = tf::nn::softmax;
  try {
    softmax(ints);
    FAIL() << "nothing was thrown";
  } catch (const TypeError& error) {
    EXPECT_EQ(testing::lines_named(error.message(), __FILE__), std::vector{__LINE__ - 3}) << error.message();
  }
}

/// A cell of the program's own: its nodes are of the lines that make them.
class Doubling : public tf::nn::RNNCell {
 public:
  Doubling() : RNNCell("Doubling") {}
  std::vector<int64_t> state_size() const override { return {3}; }
  int64_t output_size() const override { return 3; }
  static constexpr int kLine = __LINE__ + 4;

 protected:
  tf::nn::CellResult step(const tf::Tensor& inputs, const tf::nn::State& state) override {
    return {inputs * 2.0, state};
  }
};

TEST(LinesOfCalls, AreThoseOfTheProgramsOwnCell) {
  const Values values;
  Doubling cell;
  const tf::nn::State zeros = cell.zero_state(2, tf::float32);
  const size_t begin = values.graph.get()->nodes().size();
  cell(values.x, zeros);
  EXPECT_EQ(of_other_lines(values.graph, begin, Doubling::kLine), "");
}

TEST(LinesOfCalls, AreNamedByTheErrorOfAStep) {
  const Values values;
  tf::nn::GRUCell cell(2);
  const auto state = tf::placeholder(tf::float32, {tf::None, 2});
  const auto y = cell(values.x, {state});
  const int line = __LINE__ - 1;
  tf::Session session;
  session.run(tf::global_variables_initializer());
  try {
    session.run(y.output,
                {{values.x, Array(DType::kFloat32, {2, 3})}, {state, Array(DType::kFloat32, {5, 2})}});
    FAIL() << "rows of 2 and 5 went together";
  } catch (const errors::InvalidArgumentError& error) {
    EXPECT_NE(std::string(error.what()).find("lines_of_calls_test.cpp:" + std::to_string(line)),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace flowray
