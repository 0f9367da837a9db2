// The parts of a walk's state: what is written under a name is read under it, and checked.
#include "ops/data/walk_state.h"

#include "ops/all_ops.h"
#include "ops/data/elements_dataset.h"

#include <flowray/errors.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace flowray::ops {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string error_of(const std::function<void()>& f, Code code) {
  try {
    f();
  } catch (const errors::OpError& error) {
    EXPECT_EQ(error.code(), code) << error.message();
    return error.message();
  }
  return "nothing";
}

SavedWalk written(const std::function<void(WalkState&)>& write) {
  const Saving saving = {.policy = ExternalState::kFails, .ops = op_table()};
  WalkState state(saving);
  write(state);
  return SavedWalk(state.take());
}

/// The error of reading these parts.
std::string error_of_reading(const SavedWalk::Parts& parts, const std::function<void(WalkState&)>& read,
                             Code code = Code::kDataLoss) {
  const SavedWalk saved(parts);
  WalkState state(saved);
  return error_of([&] { read(state); }, code);
}

void pass_number(WalkState& state) {
  int64_t number = 0;
  state.number("n", number, 0, 4);
}

void pass_elements(WalkState& state) {
  std::vector<Element> elements;
  state.elements("e", elements);
}

TEST(WalkState, ReadsWhatItWrote) {
  const std::vector<Element> elements = {{}, {Array(1), Array("a")}, {}, {Array({2, 3}), Array("b")}};
  const SavedWalk saved = written([&](WalkState& state) {
    int64_t number = 7;
    std::string text = "seven";
    std::vector<int64_t> numbers = {1, -1};
    std::vector<Element> all = elements;
    state.within("outer", [&] {
      state.number("n", number);
      state.text("t", text);
    });
    state.numbers("n", numbers);
    state.elements("e", all);
  });
  EXPECT_TRUE(saved.parts().contains("outer/n"));
  WalkState state(saved);
  int64_t number = 0;
  std::string text;
  std::vector<int64_t> numbers;
  std::vector<Element> all;
  state.within("outer", [&] {
    state.number("n", number);
    state.text("t", text);
  });
  state.numbers("n", numbers);
  state.elements("e", all);
  EXPECT_EQ(number, 7);
  EXPECT_EQ(text, "seven");
  EXPECT_THAT(numbers, ElementsAre(1, -1));
  EXPECT_EQ(all, elements);
}

TEST(WalkState, HasWindowsAsElements) {
  const Array inner = ElementsDataset::value({{Array(1)}, {Array(2)}});
  const Array outer = ElementsDataset::value({{inner, Array("x")}});
  const SavedWalk saved = written([&](WalkState& state) {
    Element element = {outer};
    state.element("e", element);
  });
  WalkState state(saved);
  Element element;
  state.element("e", element);
  const auto* const read = graph::variant_as<ElementsDataset>(element.at(0));
  ASSERT_NE(read, nullptr);
  ASSERT_EQ(read->elements().size(), size_t{1});
  EXPECT_EQ(read->elements()[0].at(1), Array("x"));
  const auto* const within = graph::variant_as<ElementsDataset>(read->elements()[0].at(0));
  ASSERT_NE(within, nullptr);
  EXPECT_EQ(within->elements(), (std::vector<Element>{{Array(1)}, {Array(2)}}));
}

TEST(WalkState, RefusesElementsThatNobodyCanWrite) {
  EXPECT_THAT(error_of(
                  [] {
                    (void)written([](WalkState& state) {
                      Element element = {graph::empty_variant()};
                      state.within("buffer", [&] { state.element("e", element); });
                    });
                  },
                  Code::kFailedPrecondition),
              HasSubstr("The walk 'buffer/' of the iterator cannot be saved"));
}

TEST(WalkState, OfAnotherWalkIsNotFound) {
  EXPECT_THAT(error_of_reading({}, pass_number, Code::kNotFound),
              HasSubstr("n\nThe saved state has no such part"));
  EXPECT_THAT(error_of_reading(
                  {{"kind", {Array("Map")}}}, [](WalkState& state) { state.kind("Batch"); }, Code::kNotFound),
              HasSubstr("it has a walk 'Map' where this one has 'Batch'"));
}

TEST(WalkState, ChecksNumbers) {
  for (const int64_t number : {int64_t{-1}, int64_t{5}, std::numeric_limits<int64_t>::min()})
    EXPECT_THAT(error_of_reading({{"n", {Array(number)}}}, pass_number), HasSubstr("from 0 to 4 at most"));
  for (const std::vector<Array>& arrays : {std::vector<Array>{},
                                           {Array(1.5f)},
                                           {Array(std::vector<int64_t>{1})},
                                           {Array(int64_t{1}), Array(int64_t{1})}})
    EXPECT_THAT(error_of_reading({{"n", arrays}}, pass_number), HasSubstr("'n' is not a int64 of rank 0"));
}

TEST(WalkState, ChecksHowElementsLie) {
  const auto layout = [](std::vector<int64_t> numbers) { return Array(numbers); };
  const int64_t much = int64_t{1} << 60;
  const std::vector<std::vector<Array>> damaged = {
      {},
      {Array(1.5f)},
      {layout({})},
      {layout({much})},
      {layout({-1})},
      {layout({1, much, 0}), Array(1)},
      {layout({1, 1, 0})},                      // without its component
      {layout({1, 1, 2}), Array(1)},            // neither an array nor a dataset
      {layout({1, 1, 1, much})},                // a dataset of more than there is
      {layout({1, 1, 0}), Array(1), Array(2)},  // one too many
      {layout({0, 0}), Array(1)},
      {layout({2, 1, 0, 2, 0, 0}), Array(1), Array(2), Array(3)},  // elements of one component and of two
      {layout({2, 1, 0, 1, 0}), Array(1), Array(1.5f)},            // of two dtypes
  };
  for (size_t i = 0; i < damaged.size(); ++i) {
    EXPECT_THAT(error_of_reading({{"e", damaged[i]}}, pass_elements),
                HasSubstr("The saved state of an iterator is damaged: 'e'"))
        << i;
  }
}

TEST(WalkState, OfDatasetsWithinEachOtherEndsBeforeTheStackDoes) {
  std::vector<int64_t> deep;
  for (int i = 0; i < 2'000'000; ++i) deep.insert(deep.end(), {1, 1, 1});
  deep.push_back(0);
  EXPECT_THAT(error_of_reading({{"e", {Array(deep)}}}, pass_elements),
              HasSubstr("has too many datasets in datasets"));
}

TEST(WalkState, TakesNoMemoryForElementsThatAreNotThere) {
  // Each dataset says that it has as many elements as numbers are left; together they would be 10^10.
  std::vector<int64_t> numbers;
  for (int64_t left = 300'000; left > 3; left -= 3) numbers.insert(numbers.end(), {left - 1, 1, 1});
  EXPECT_THAT(error_of_reading({{"e", {Array(numbers)}}}, pass_elements),
              HasSubstr("The saved state of an iterator is damaged: 'e'"));
}

}  // namespace
}  // namespace flowray::ops
