// Checkpoints by name: what is written, what stays, and what comes back. The nodes are TensorFlow's by
// saver_nodes_test.cpp, the bytes of checkpoints by tests/files/bundle_test.cpp; tests/python reads
// ours with TensorFlow where that is at hand.

#include <flowray/tf.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <thread>

#include "support/idx_files.h"

namespace flowray {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TestFolder;
namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A variable that counts steps, in a graph and session of its own.
struct Counting {
  tf::Graph graph;
  tf::GraphScope scope = graph.as_default();
  tf::Variable step = tf::train::get_or_create_global_step();
  tf::Tensor next = step.assign_add(int64_t{1});
  tf::train::Saver saver{{.max_to_keep = 2}};
  tf::Session session;

  int64_t value() { return session.run(step).item<int64_t>(); }
};

TEST(Saver, BringsBackWhatItSaved) {
  const TestFolder folder;
  Counting a;
  a.session.run(tf::global_variables_initializer());
  a.session.run(a.next);
  const std::string path = a.saver.save(a.session, folder.path() / "model.ckpt");
  a.session.run(a.next);
  a.saver.restore(a.session, path);
  EXPECT_EQ(a.value(), 1);
}

TEST(Saver, SavesUnderOtherNames) {
  const TestFolder folder;
  const fs::path path = folder.path() / "model";
  {
    const tf::Graph graph;
    const tf::GraphScope scope = graph.as_default();
    tf::Variable a(1.0f, {.name = "a"});
    tf::Variable b(2.0f, {.name = "b"});
    tf::Session session;
    session.run(tf::global_variables_initializer());
    tf::train::Saver({.named_variables = {{"weight", a}, {"other/bias", b}}}).save(session, path);
  }
  const tf::Graph graph;
  const tf::GraphScope scope = graph.as_default();
  tf::Variable weight(0.0f, {.name = "weight"});
  tf::Variable c(0.0f, {.name = "c"});
  tf::Session session;
  tf::train::Saver({.named_variables = {{"weight", weight}, {"other/bias", c}}}).restore(session, path);
  EXPECT_EQ(session.run(weight).item<float>(), 1.0f);
  EXPECT_EQ(session.run(c).item<float>(), 2.0f);
  tf::train::Saver({.var_list = {weight}}).restore(session, path);
  EXPECT_THROW(tf::train::Saver({.var_list = {c}}).restore(session, path), errors::NotFoundError);
}

TEST(Saver, KeepsTheNewestAndTellsWhichTheyAre) {
  const TestFolder folder;
  Counting a;
  a.session.run(tf::global_variables_initializer());
  const fs::path prefix = folder.path() / "model";
  for (const int step : {1, 2, 3}) a.saver.save(a.session, prefix, {.global_step = step});
  EXPECT_THAT(a.saver.last_checkpoints(), ElementsAre(prefix.string() + "-2", prefix.string() + "-3"));
  EXPECT_FALSE(tf::train::checkpoint_exists(prefix.string() + "-1"));
  EXPECT_FALSE(fs::exists(prefix.string() + "-1.meta"));
  EXPECT_TRUE(tf::train::checkpoint_exists(prefix.string() + "-2"));
  EXPECT_EQ(tf::train::latest_checkpoint(folder.path()), prefix.string() + "-3");
  const auto state = tf::train::get_checkpoint_state(folder.path());
  ASSERT_TRUE(state.has_value());
  EXPECT_EQ(state->all_model_checkpoint_paths, a.saver.last_checkpoints());
  // As TensorFlow writes an absolute folder's.
  EXPECT_EQ(text_of(folder.path() / "checkpoint"),
            "model_checkpoint_path: \"" + prefix.string() + "-3\"\nall_model_checkpoint_paths: \"" +
                prefix.string() + "-2\"\nall_model_checkpoint_paths: \"" + prefix.string() + "-3\"\n");
}

TEST(Saver, KeepsItsListWhereTwoThreadsSave) {
  const TestFolder folder;
  Counting a;
  a.session.run(tf::global_variables_initializer());
  const auto save = [&](const char* name) {
    for (int step = 0; step < 20; ++step)
      a.saver.save(a.session, folder.path() / name, {.global_step = step});
  };
  {
    const std::jthread service([&] { save("service"); });
    save("user");
  }
  const std::vector<std::string> last = a.saver.last_checkpoints();
  ASSERT_EQ(last.size(), 2U);
  for (const std::string& path : last) EXPECT_TRUE(tf::train::checkpoint_exists(path)) << path;
  EXPECT_EQ(tf::train::get_checkpoint_state(folder.path())->all_model_checkpoint_paths, last);
}

TEST(Saver, SaysWhatIsNoCheckpoint) {
  const TestFolder folder;
  Counting a;
  try {
    a.saver.restore(a.session, folder.path() / "nothing");
    FAIL();
  } catch (const tf::ValueError& error) {
    EXPECT_THAT(error.message(), HasSubstr("The passed save_path is not a valid checkpoint: "));
  }
  EXPECT_EQ(tf::train::latest_checkpoint(folder.path()), "");
  tf::Graph empty;
  const auto scope = empty.as_default();
  EXPECT_THROW(tf::train::Saver(), tf::ValueError);
}

TEST(Supervisor, InitialisesAndThenGoesOnFromTheNewestCheckpoint) {
  const TestFolder folder;
  for (const int64_t begin : {0, 3}) {
    Counting a;
    tf::train::Supervisor supervisor({.logdir = folder.path(), .global_step = a.step, .save_model_secs = 0});
    supervisor.prepare(a.session);
    EXPECT_EQ(a.value(), begin);
    for (int i = 0; i < 3; ++i) a.session.run(a.next);
    supervisor.saver()->save(a.session, supervisor.save_path(), {.global_step = a.value()});
    supervisor.stop();
    EXPECT_TRUE(supervisor.should_stop());
  }
}

TEST(Supervisor, SavesBesideTheTraining) {
  const TestFolder folder;
  Counting a;
  tf::train::Supervisor supervisor({.logdir = folder.path(), .global_step = a.step, .save_model_secs = 1000});
  supervisor.prepare(a.session);
  while (tf::train::latest_checkpoint(folder.path()).empty() && !supervisor.should_stop())
    std::this_thread::yield();
  supervisor.stop();
  EXPECT_EQ(tf::train::latest_checkpoint(folder.path()), supervisor.save_path().string() + "-0");
}

TEST(Supervisor, SaysWhichVariablesAreWithoutValue) {
  Counting a;
  tf::train::Supervisor supervisor({.init_op = tf::no_op()});
  try {
    supervisor.prepare(a.session);
    FAIL();
  } catch (const tf::RuntimeError& error) {
    EXPECT_THAT(error.message(), HasSubstr("Variables not initialized: global_step"));
  }
}

TEST(Supervisor, FinalizesTheGraph) {
  Counting a;
  const tf::train::Supervisor supervisor;
  EXPECT_THROW(tf::constant(1), tf::RuntimeError);
}

}  // namespace
}  // namespace flowray
