#include "core/function_ref.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace flowray {
namespace {

int call(FunctionRef<int(int)> function, int argument) { return function(argument); }

int twice(int value) { return 2 * value; }

TEST(FunctionRef, CallsLambdasFunctorsAndFunctions) {
  struct Adder {
    int amount;
    int operator()(int value) const { return value + amount; }
  };
  int calls = 0;
  EXPECT_EQ(call([&](int value) { return ++calls, value * 10; }, 4), 40);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(call(Adder{3}, 4), 7);
  const Adder constant{5};
  EXPECT_EQ(call(constant, 4), 9);
  EXPECT_EQ(call(twice, 4), 8);
  EXPECT_EQ(call(&twice, 4), 8);
}

TEST(FunctionRef, RefersToTheCallableItselfAndCopiesNothing) {
  auto counter = [count = 0](int) mutable { return ++count; };
  call(counter, 0);
  FunctionRef<int(int)> reference = counter;
  const FunctionRef<int(int)> copy = reference;
  EXPECT_EQ(reference(0), 2);
  EXPECT_EQ(copy(0), 3);
  EXPECT_EQ(counter(0), 4);
  EXPECT_EQ(sizeof(reference), 2 * sizeof(void*));
}

TEST(FunctionRef, PassesReferencesAndWhatCanOnlyBeMoved) {
  std::string text = "a";
  const FunctionRef<std::string&(std::string&)> append = [](std::string& to) -> std::string& {
    return to += "b";
  };
  EXPECT_EQ(&append(text), &text);
  EXPECT_EQ(text, "ab");
  const FunctionRef<int(std::unique_ptr<int>)> take = [](std::unique_ptr<int> value) { return *value; };
  EXPECT_EQ(take(std::make_unique<int>(6)), 6);
}

TEST(FunctionRef, TakesOnlyWhatCanBeCalledSo) {
  static_assert(std::is_constructible_v<FunctionRef<int(int)>, int (&)(int)>);
  static_assert(!std::is_constructible_v<FunctionRef<int(int)>, int>);
  static_assert(!std::is_constructible_v<FunctionRef<int(std::string)>, int (&)(int)>);
}

}  // namespace
}  // namespace flowray
