// switch_case of tests/oracle/programs/defined_function.py in C++, and what it chooses and refuses.
#include "tf/eager/expect_error.h"
#include "tf/flow_programs.h"

#include <flowray/tf/errors.h>
#include <flowray/tf/function.h>
#include <flowray/tf/gradients.h>
#include <flowray/tf/session.h>

#include <vector>

namespace flowray {
namespace {

tf::Tensor number() { return tf::placeholder(tf::int32, {}, {.name = "i"}); }

GOLDEN_PROGRAM(switch_case_of_three) {
  auto i = number();
  auto x = floats({2}, "x");
  tf::switch_case(i, {[&] { return x; }, [&] { return x * 2.0; }, [&] { return tf::exp(x); }});
}

GOLDEN_PROGRAM(switch_case_with_a_default) {
  auto i = number();
  auto x = floats({2}, "x"), y = floats({3}, "y");
  tf::switch_case(i, {[&] { return x; }, [&] { return y; }},
                  {.default_fn = [&] { return tf::concat({y, x}, 0); }, .name = "chosen"});
}

TEST(SwitchCase, RunsTheBranchOfItsNumberOrTheLast) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  auto i = number();
  auto x = floats({}, "x");
  auto y = tf::switch_case(i, {[&] { return x; }, [&] { return x * x; }, [&] { return x + 1.0; }})[0];
  auto slope = tf::gradients(y, {x})[0];
  tf::Session session;
  const auto at = [&](int branch) {
    const auto [value, gradient] = session.run({y, slope}, {{i, branch}, {x, 3}});
    return std::vector<float>{value.item<float>(), gradient.item<float>()};
  };
  EXPECT_EQ(at(0), (std::vector<float>{3, 1}));
  EXPECT_EQ(at(1), (std::vector<float>{9, 6}));
  EXPECT_EQ(at(2), (std::vector<float>{4, 1}));
  EXPECT_EQ(at(7), (std::vector<float>{4, 1}));
  EXPECT_EQ(at(-1), (std::vector<float>{4, 1}));
}

TEST(SwitchCase, RefusesBranchesThatDiffer) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  auto i = number();
  auto x = floats({}, "x");
  expect_error<tf::ValueError>([&] { tf::switch_case(i, {}); },
                               "Must provide at least one item in 'branch_fns'");
  expect_error<tf::TypeError>([&] { tf::switch_case(x, {[&] { return x; }}); },
                              "'branch_index' must be an integer Tensor, got float32");
  expect_error<tf::TypeError>(
      [&] { tf::switch_case(i, {[&] { return x; }, [] { return tf::constant(1); }}); },
      "must have the same number, type, and overall structure of return values.");
  expect_error<tf::ValueError>(
      [&] { tf::switch_case(i, {[&] { return x; }, [&] { return std::vector<tf::Tensor>{x, x}; }}); },
      "return different numbers of values: 1 and 2");
}

}  // namespace
}  // namespace flowray
