// Datasets of a function of the program: expectations by hand.
#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace flowray::tf {
namespace {

using data::Dataset;
using data::ElementGenerator;
using data::GeneratedElement;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// 0, 1, ... below `count`.
std::function<ElementGenerator()> numbers_below(int64_t count) {
  return [count]() -> ElementGenerator {
    return [i = int64_t{0}, count]() mutable -> GeneratedElement {
      if (i == count) return std::nullopt;
      return {{i++}};
    };
  };
}

std::vector<int64_t> read(const Dataset& dataset) {
  std::vector<int64_t> numbers;
  for (const std::vector<Array>& element : dataset) numbers.push_back(element[0].item<int64_t>());
  return numbers;
}

class GeneratorDataset : public ::testing::Test {
 protected:
  Graph graph_;
  GraphScope scope_ = graph_.as_default();

  template <class E>
  std::string error_of_walk(const std::function<GeneratedElement()>& next) {
    const Dataset dataset = Dataset::from_generator([&] { return next; }, {{int64, {2}}});
    const Tensor element = dataset.make_one_shot_iterator().get_next()[0];
    try {
      Session().run(element);
    } catch (const E& error) {
      return error.what();
    }
    return "nothing of that class";
  }
};

TEST_F(GeneratorDataset, HasWhatTheFunctionGives) {
  const Dataset dataset = Dataset::from_generator(numbers_below(3), {{int64, {}}});
  EXPECT_EQ(dataset.output_types(), std::vector{DType::kInt64});
  EXPECT_EQ(dataset.output_shapes()[0], TensorShape());
  EXPECT_THAT(read(dataset), ElementsAre(0, 1, 2));
  EXPECT_THAT(read(dataset.repeat(2).map([](const Tensor& x) { return x * x; })),
              ElementsAre(0, 1, 4, 0, 1, 4));
  EXPECT_THAT(read(Dataset::from_generator(numbers_below(0), {{int64, {}}})), ElementsAre());
}

TEST_F(GeneratorDataset, HasElementsOfSeveralComponents) {
  const auto pairs = [] {
    return [i = 0]() mutable -> GeneratedElement {
      if (++i == 3) return std::nullopt;
      return {{std::string(static_cast<size_t>(i), 'a'), Array::full(float32, Shape({i}), 0.5)}};
    };
  };
  const Dataset dataset = Dataset::from_generator(pairs, {{string, {}}, {float32, {-1}}});
  std::vector<std::string> words;
  std::vector<int64_t> lengths;
  for (const std::vector<Array>& element : dataset) {
    words.push_back(element[0].item<std::string>());
    lengths.push_back(element[1].size());
  }
  EXPECT_THAT(words, ElementsAre("a", "aa"));
  EXPECT_THAT(lengths, ElementsAre(1, 2));
}

TEST_F(GeneratorDataset, WalksAreOfTheirOwnAndEnd) {
  const auto held = std::make_shared<int>(0);
  const Dataset dataset = Dataset::from_generator(
      [weak = std::weak_ptr(held)] {
        return [held = weak.lock(), i = int64_t{0}]() mutable -> GeneratedElement { return {{i++}}; };
      },
      {{int64, {}}});
  const Dataset first = dataset.take(2);
  EXPECT_THAT(
      read(Dataset::zip({first, dataset}).map([](const Tensor& a, const Tensor& b) { return a * 10 + b; })),
      ElementsAre(0, 11));
  EXPECT_THAT(read(first), ElementsAre(0, 1));
  EXPECT_EQ(held.use_count(), 2) << "only the walk that has not come to its end keeps its function";
}

TEST_F(GeneratorDataset, GoesOnBehindAnErrorOfTheFunction) {
  const Dataset dataset = Dataset::from_generator(
      [] {
        return [i = int64_t{0}]() mutable -> GeneratedElement {
          if (++i == 2) throw ValueError("the second is missing");
          if (i == 4) return std::nullopt;
          return {{i}};
        };
      },
      {{int64, {}}});
  const Tensor element = dataset.make_one_shot_iterator().get_next()[0];
  Session session;
  EXPECT_EQ(session.run(element).item<int64_t>(), 1);
  EXPECT_THROW(session.run(element), errors::InvalidArgumentError);
  EXPECT_EQ(session.run(element).item<int64_t>(), 3);
  EXPECT_THROW(session.run(element), errors::OutOfRangeError);
}

TEST_F(GeneratorDataset, RefusesElementsThatItsSpecDoesNotHave) {
  using Bad = errors::InvalidArgumentError;
  EXPECT_THAT(
      error_of_walk<Bad>([]() -> GeneratedElement { return {{int64_t{1}}}; }),
      HasSubstr("`generator` yielded an element of shape () where an element of shape (2,) was expected."));
  EXPECT_THAT(error_of_walk<Bad>([]() -> GeneratedElement { return {{Array({1.0f, 2.0f})}}; }),
              HasSubstr("could not be converted to the expected type"));
  EXPECT_THAT(error_of_walk<Bad>([]() -> GeneratedElement { return std::vector<Array>{}; }),
              HasSubstr("did not match the expected structure"));
  EXPECT_THAT(error_of_walk<Bad>([]() -> GeneratedElement { return {{Array()}}; }), HasSubstr("no value"));
  EXPECT_THAT(error_of_walk<Bad>(nullptr), HasSubstr("empty function"));
  EXPECT_THROW(Dataset::from_generator({}, {{int64, {}}}), ValueError);
  EXPECT_THROW(Dataset::from_generator(numbers_below(1), {}), ValueError);
  EXPECT_THROW(Dataset::from_generator(numbers_below(1), {data::TensorSpec{}}), ValueError);
}

TEST_F(GeneratorDataset, IsReadWhereOperationsRunAtOnce) {
  const auto now = eager();
  EXPECT_THAT(read(Dataset::from_generator(numbers_below(2), {{int64, {}}})), ElementsAre(0, 1));
}

TEST_F(GeneratorDataset, TrainsAModelOfKeras) {
  keras::Sequential model;
  model.add(
      keras::layers::Dense(1, {.kernel_initializer = zeros_initializer(), .input_shape = TensorShape{1}}));
  model.compile({.optimizer = "sgd", .loss = "mse"});
  // Two batches of y = 2x at x = 1: the slope goes from 0 by 0.01 * 2 * 2 to 0.04, and so does the bias.
  const auto batches = [] {
    return [i = 0]() mutable -> GeneratedElement {
      if (i++ == 1) return std::nullopt;
      return {{Array({{1.0f}, {1.0f}}), Array({{2.0f}, {2.0f}})}};
    };
  };
  const Dataset dataset = Dataset::from_generator(batches, {{float32, {-1, 1}}, {float32, {-1, 1}}});
  const keras::History history = model.fit(dataset, {.epochs = 1, .verbose = 0});
  EXPECT_EQ(history.history.at("loss")[0], 4.0);
  EXPECT_NEAR(model.get_weights()[0].item<float>(), 0.04f, 1e-7);
}

}  // namespace
}  // namespace flowray::tf
