#include "ray/functions/function_registry.h"

#include <flowray/ray/errors.h>

#include <gtest/gtest.h>

namespace flowray::ray {
namespace {

using internal::FunctionKey;
using internal::make_entry;

int one() { return 1; }
int two() noexcept { return 2; }
struct Machine {
  static Machine* Make() { return new Machine; }
  int run(int x) { return x; }
  int run_const(int x) const { return x + 1; }
  virtual int first() { return 1; }
  virtual int second() { return 2; }
  virtual ~Machine() = default;
};

TEST(FunctionRegistry, NamesFunctionsAsTheyAreSpelled) {
  EXPECT_EQ(FunctionRegistry::name_of("Plus"), "Plus");
  EXPECT_EQ(FunctionRegistry::name_of(" &Counter::Add"), "Counter::Add");
  EXPECT_EQ(FunctionRegistry::name_of("& ::app::Counter :: Add"), "app::Counter::Add");
  EXPECT_EQ(FunctionRegistry::name_of("RAY_FUNC(Scale, int, const X&)"), "Scale(int,constX&)");
  EXPECT_EQ(FunctionRegistry::name_of("RAY_FUNC(&C::m)"), "C::m()");
}

TEST(FunctionRegistry, TakesListsApart) {
  std::string_view list = "Plus, &C::m<int, long>, RAY_FUNC(f, int, double) , g";
  std::vector<std::string> names;
  while (!list.empty()) names.push_back(FunctionRegistry::name_of(internal::next_spelled_name(list)));
  EXPECT_EQ(names, (std::vector<std::string>{"Plus", "C::m<int,long>", "f(int,double)", "g"}));
}

TEST(FunctionRegistry, FindsFunctionsByPointerAndById) {
  FunctionRegistry registry;
  EXPECT_EQ(registry.find(FunctionKey::of(one)), nullptr);
  registry.add("one", make_entry(one));
  registry.add("two", make_entry(two));
  registry.add("Machine::Make", make_entry(Machine::Make));
  registry.add("&Machine::run", make_entry(&Machine::run));
  registry.add("&Machine::first", make_entry(&Machine::first));
  registry.add("&Machine::second", make_entry(&Machine::second));
  EXPECT_EQ(registry.find(FunctionKey::of(one))->name, "one");
  EXPECT_EQ(registry.find(FunctionKey::of(two))->name, "two");
  EXPECT_EQ(registry.find(FunctionKey::of(Machine::Make))->class_name, "Machine");
  EXPECT_EQ(registry.find(FunctionKey::of(&Machine::run))->class_name, "Machine");
  EXPECT_EQ(registry.find(FunctionKey::of(&Machine::first))->name, "Machine::first");
  EXPECT_EQ(registry.find(FunctionKey::of(&Machine::second))->name, "Machine::second");
  EXPECT_EQ(registry.find(FunctionKey::of(&Machine::run_const)), nullptr);
  EXPECT_EQ(registry.find(FunctionRegistry::id_of("two"))->name, "two");
  EXPECT_EQ(registry.find(FunctionRegistry::id_of("three")), nullptr);
  registry.check();
}

template <int kNumber>
int numbered() {
  return kNumber;
}
template <int... kNumbers>
void add_numbered(FunctionRegistry& registry, std::integer_sequence<int, kNumbers...>) {
  (registry.add("numbered<" + std::to_string(kNumbers) + ">", make_entry(numbered<kNumbers>)), ...);
}

TEST(FunctionRegistry, HoldsMany) {
  FunctionRegistry registry;
  add_numbered(registry, std::make_integer_sequence<int, 300>());
  EXPECT_EQ(registry.find(FunctionKey::of(numbered<0>))->name, "numbered<0>");
  EXPECT_EQ(registry.find(FunctionKey::of(numbered<299>))->name, "numbered<299>");
  for (int i = 0; i < 300; ++i) {
    const std::string name = "numbered<" + std::to_string(i) + ">";
    ASSERT_NE(registry.find(FunctionRegistry::id_of(name)), nullptr);
    EXPECT_EQ(registry.find(FunctionRegistry::id_of(name))->name, name);
  }
}

TEST(FunctionRegistry, AcceptsAHeadersFunctionTwice) {
  FunctionRegistry registry;
  registry.add("one", make_entry(one));
  registry.add("&one", make_entry(one));
  registry.add("app::one", make_entry(one));
  registry.check();
  EXPECT_EQ(registry.find(FunctionKey::of(one))->name, "one");
  EXPECT_EQ(registry.find(FunctionRegistry::id_of("app::one"))->name, "app::one");
}

TEST(FunctionRegistry, RefusesTwoFunctionsOfOneName) {
  FunctionRegistry registry;
  registry.add("run", make_entry(one));
  registry.add("run", make_entry(two));
  try {
    registry.check();
    FAIL() << "both were accepted";
  } catch (const RayException& error) {
    EXPECT_NE(error.message().find("Duplicate RAY_REMOTE function: 'run'"), std::string::npos)
        << error.what();
    EXPECT_NE(error.message().find("RAY_FUNC"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace flowray::ray
