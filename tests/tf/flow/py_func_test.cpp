// Functions of the program as nodes: expectations by hand.
#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <stdexcept>

namespace flowray::tf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The sum of all elements, and how many there are.
std::vector<Array> sum_and_count(const std::vector<Array>& in) {
  float sum = 0;
  for (const float element : in[0].span<float>()) sum += element;
  return {sum, static_cast<int32_t>(in[0].size())};
}

class PyFunc : public ::testing::Test {
 protected:
  Graph graph_;
  GraphScope scope_ = graph_.as_default();

  /// The text of the step's error, which must be an `E`.
  template <class E, class F>
  std::string error_of(const F& throws) {
    const Tensor made = py_func(
        [&](const std::vector<Array>&) -> std::vector<Array> {
          throws();
          return {};
        },
        {}, {float32})[0];
    try {
      Session(graph_).run(made);
    } catch (const E& error) {
      return error.what();
    }
    return "nothing of that class";
  }
};

TEST_F(PyFunc, IsANodeThatCallsTheProgram) {
  const Tensor x = placeholder(float32, {3}, {.name = "x"});
  const std::vector<Tensor> made = py_func(&sum_and_count, {x}, {float32, int32}, {.name = "counted"});
  ASSERT_EQ(made.size(), 2u);
  EXPECT_EQ(made[1].name(), "counted:1");
  EXPECT_EQ(made[0].op().type(), "PyFunc");
  EXPECT_FALSE(made[0].shape().has_rank());
  Session session;
  const auto [sum, count] = session.run({made[0] * 2.0, made[1]}, {{x, Array({1.0f, 2.0f, 4.0f})}});
  EXPECT_EQ(sum.item<float>(), 14);
  EXPECT_EQ(count.item<int32_t>(), 3);
}

TEST_F(PyFunc, TakesNumbersAndTensorsOfSeveralDtypes) {
  const Tensor made = py_func(
      [](const std::vector<Array>& in) {
        return std::vector<Array>{in[0].item<std::string>() + std::to_string(in[1].item<int32_t>())};
      },
      {"step ", 7}, {string})[0];
  EXPECT_EQ(Session().run(made).item<std::string>(), "step 7");
}

TEST_F(PyFunc, RunsAtEachStepAndInFunctionsOfDatasets) {
  const auto calls = std::make_shared<int64_t>(0);
  const auto count = [calls](const std::vector<Array>& in) {
    return std::vector<Array>{in[0].item<int64_t>() * 10 + (*calls)++};
  };
  std::vector<int64_t> seen;
  for (const std::vector<Array>& element :
       data::Dataset::range(3).map([&](const Tensor& x) { return py_func(count, {x}, {int64})[0]; }))
    seen.push_back(element[0].item<int64_t>());
  EXPECT_THAT(seen, ElementsAre(0, 11, 22));
}

TEST_F(PyFunc, RunsAtOnceWhereOperationsDo) {
  const auto now = eager();
  const std::vector<Tensor> made = py_func(&sum_and_count, {Array({1.5f, 2.0f})}, {float32, int32});
  EXPECT_EQ(made[0].value().item<float>(), 3.5f);
  EXPECT_EQ(made[1].value().item<int32_t>(), 2);
}

TEST_F(PyFunc, EndsWithItsGraph) {
  const auto held = std::make_shared<int>(1);
  {
    const Graph other;
    const auto scope = other.as_default();
    py_func([held](const std::vector<Array>&) { return std::vector<Array>{*held}; }, {}, {int32});
    EXPECT_EQ(held.use_count(), 2);
  }
  EXPECT_EQ(held.use_count(), 1);
}

TEST_F(PyFunc, WhatItThrowsIsTheErrorOfTheStep) {
  EXPECT_THAT(error_of<errors::NotFoundError>([] { throw errors::NotFoundError("no such word"); }),
              HasSubstr("no such word"));
  EXPECT_THAT(error_of<errors::InvalidArgumentError>([] { throw ValueError("too far"); }),
              HasSubstr("ValueError: too far"));
  EXPECT_THAT(error_of<errors::InvalidArgumentError>([] { throw TypeError("a text"); }),
              HasSubstr("TypeError: a text"));
  EXPECT_THAT(error_of<errors::ResourceExhaustedError>([] { throw std::bad_alloc(); }),
              HasSubstr("std::bad_alloc"));
  EXPECT_THAT(error_of<errors::UnknownError>([] { throw std::runtime_error("broken"); }),
              HasSubstr("broken"));
  EXPECT_THAT(error_of<errors::UnknownError>([] { throw 1; }), HasSubstr("not a std::exception"));
}

TEST_F(PyFunc, RefusesWhatItsNodeDoesNotSay) {
  const auto gives = [&](std::vector<Array> values) {
    return py_func([values](const std::vector<Array>&) { return values; }, {}, {float32})[0];
  };
  Session session;
  for (const Tensor& wrong : {gives({}), gives({1.0f, 2.0f}), gives({1}), gives({Array()})})
    EXPECT_THROW(session.run(wrong), errors::InvalidArgumentError);
  EXPECT_EQ(session.run(gives({2.5f})).item<float>(), 2.5f);
  EXPECT_THROW(py_func({}, {}, {float32}), ValueError);
}

TEST_F(PyFunc, OfAnImportedGraphIsNotThere) {
  py_func(&sum_and_count, {Array({1.0f})}, {float32, int32}, {.name = "counted"});
  const std::string text = graph_.as_graph_def().serialize_to_string();
  const Graph other;
  {
    const auto held = other.as_default();
    import_graph_def(GraphDef::from_string(text), {.name = ""});
    EXPECT_EQ(Session(other).run("counted:0").item<float>(), 1);  // the same program still has it
  }
}

}  // namespace
}  // namespace flowray::tf
