// init_from_checkpoint of tests/oracle/programs/partitioner.py in C++,
// and what it reads and refuses.
#include "support/golden_graph.h"
#include "tf/eager/expect_error.h"

#include <flowray/tf/checkpoint_utils.h>
#include <flowray/tf/partitioner.h>
#include <flowray/tf/session.h>
#include <flowray/tf/variable_scope.h>

#include <filesystem>
#include <string>

namespace flowray {
namespace {

/// A path that is the same for all who build the program.
std::string checkpoint(const std::string& name) {
  std::filesystem::current_path(FLOWRAY_SOURCE_DIR);
  return "tests/golden/checkpoints/" + name;
}

GOLDEN_PROGRAM(init_from_checkpoint_of_variables) {
  auto m = tf::get_variable("mine", {4, 3});
  auto r = tf::get_variable("r", {2}, {.use_resource = true});
  tf::train::init_from_checkpoint(checkpoint("one"), {{"m", m}, {"a", "r"}});
  tf::variables_initializer({m, r});
}

GOLDEN_PROGRAM(init_from_checkpoint_of_scopes) {
  {
    auto net = tf::variable_scope("net");
    tf::get_variable("m", {4, 3});
    tf::get_variable("a", {2});
  }
  tf::train::init_from_checkpoint(checkpoint("one"), {{"/", "net/"}});
  tf::global_variables_initializer();
}

GOLDEN_PROGRAM(init_from_checkpoint_of_parts) {
  auto w = tf::get_variable("w", {4, 3}, {.partitioner = tf::fixed_size_partitioner(2)});
  tf::get_variable("v", {4, 3},
                   {.partitioner = tf::fixed_size_partitioner(2, {.axis = 1}), .use_resource = true});
  tf::train::init_from_checkpoint(checkpoint("parts"), {{"matrix", w}, {"plain", "v"}});
  tf::global_variables_initializer();
}

TEST(InitFromCheckpoint, RefusesAListOfNoVariables) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  expect_error<tf::ValueError>(
      [] { tf::train::init_from_checkpoint(checkpoint("one"), {{"m", std::vector<tf::Variable>()}}); },
      "gives tensor m to a list of no variables");
}

TEST(InitFromCheckpoint, KnowsPartsFromScopesThatAreCalledSo) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  auto of_scope = tf::get_variable("net/part_a/m", {4, 3});
  expect_error<tf::ValueError>([] { tf::train::init_from_checkpoint(checkpoint("one"), {{"/", "net/"}}); },
                               "Tensor part_a/m");
}

TEST(InitFromCheckpoint, ReadsFirstValues) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const std::string path = checkpoint("parts");
  auto w = tf::get_variable("w", {4, 3}, {.partitioner = tf::fixed_size_partitioner(3)});
  auto plain = tf::get_variable("plain", {4, 3}, {.use_resource = true});
  tf::train::init_from_checkpoint(path, {{"matrix", "w"}, {"plain", plain}});
  tf::Session session;
  session.run(tf::global_variables_initializer());
  EXPECT_EQ(w.eval(&session), tf::train::load_variable(path, "matrix"));
  EXPECT_EQ(plain.eval(&session), tf::train::load_variable(path, "plain:0"));
}

TEST(InitFromCheckpoint, RefusesWhatIsNotThere) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const std::string path = checkpoint("one");
  auto m = tf::get_variable("net/m", {4, 4});
  expect_error<tf::ValueError>(
      [&] { tf::train::init_from_checkpoint(path, {{"none", m}}); },
      "Tensor none is not found in tests/golden/checkpoints/one checkpoint {'a': [2], "
      "'m': [4, 3]}");
  expect_error<tf::ValueError>([&] { tf::train::init_from_checkpoint(path, {{"m", m}}); },
                               "Shape of variable net/m:0 ((4, 4)) doesn't match with shape of tensor m ([4, "
                               "3]) from checkpoint reader.");
  expect_error<tf::ValueError>(
      [&] { tf::train::init_from_checkpoint(path, {{"m", "net/"}}); },
      "Assignment map with scope only name net should map to scope only m. Should be "
      "'scope/': 'other_scope/'.");
  expect_error<tf::ValueError>([&] { tf::train::init_from_checkpoint(path, {{"other/", "net/"}}); },
                               "Tensor other/m (m in other/) is not found in tests/golden/checkpoints/one "
                               "checkpoint");
  expect_error<tf::ValueError>(
      [&] { tf::train::init_from_checkpoint("tests/golden", {{"m", m}}); },
      "Couldn't find 'checkpoint' file or checkpoints in given directory tests/golden");
}

}  // namespace
}  // namespace flowray
