// Actors that hold a session, and whose processes die.

#include <flowray/glue.h>
#include <flowray/ray.h>
#include <flowray/tf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "support/child_process.h"

namespace flowray {
namespace {

using ray::experimental::SavedSession;
using ray::experimental::SessionState;

/// y = w x with Momentum(0.5, 0.5) on the half square of the error, and how many steps were taken.
class MomentumTrainer : public SessionState {
 public:
  static MomentumTrainer* Create() { return new MomentumTrainer; }
  explicit MomentumTrainer(const ray::experimental::SessionFiles& files = {}) {
    const auto scope = graph_.as_default();
    x_ = tf::placeholder(tf::float32, {});
    y_ = tf::placeholder(tf::float32, {});
    const tf::Variable w(1.0f, {.name = "w"});
    step_ = tf::train::get_or_create_global_step();
    train_ = tf::train::MomentumOptimizer(0.5f, 0.5f)
                 .minimize(0.5f * tf::square(w * x_ - y_), {.global_step = *step_});
    w_ = w;
    session_.emplace(graph_);
    session_->run(tf::global_variables_initializer());
    hold(*session_, files);
  }
  float Step(float x, float y) {
    session_->run(train_, {{x_, x}, {y_, y}});
    return Weight();
  }
  float Weight() const { return session_->run(*w_).item<float>(); }
  int64_t Steps() const { return session_->run(*step_).item<int64_t>(); }
  void Die() const { _exit(3); }
  int Pid() const { return getpid(); }

 private:
  tf::Graph graph_;
  tf::Tensor x_, y_;
  std::optional<tf::Variable> w_, step_;
  tf::Operation train_;
  mutable std::optional<tf::Session> session_;
};
RAY_REMOTE(MomentumTrainer::Create, &MomentumTrainer::Step, &MomentumTrainer::Weight, &MomentumTrainer::Steps,
           &MomentumTrainer::Die, &MomentumTrainer::Pid);

TEST(SessionStates, ComeBackWithTheSlotsOfTheOptimizer) {
  ray::Init({.num_cpus = 1, .object_store_memory = size_t{64} << 20});
  const auto actor = ray::Actor(MomentumTrainer::Create).SetMaxRestarts(-1).Remote();
  // By hand, of x = 1 and y = 0: the gradient is w; momentum m = m / 2 + w; w -= m / 2.
  // w = 1: m = 1, w = 0.5; m = 1, w = 0; m = 0.5, w = -0.25.
  EXPECT_EQ(*actor.Task(&MomentumTrainer::Step).Remote(1.0f, 0.0f).Get(), 0.5f);
  EXPECT_EQ(*actor.Task(&MomentumTrainer::Step).Remote(1.0f, 0.0f).Get(), 0.0f);
  const int pid = *actor.Task(&MomentumTrainer::Pid).Remote().Get();
  EXPECT_THROW(actor.Task(&MomentumTrainer::Die).Remote().Get(), ray::RayActorException);
  EXPECT_NE(*actor.Task(&MomentumTrainer::Pid).Remote().Get(), pid);
  EXPECT_EQ(*actor.Task(&MomentumTrainer::Weight).Remote().Get(), 0.0f);
  EXPECT_EQ(*actor.Task(&MomentumTrainer::Steps).Remote().Get(), 2);
  EXPECT_EQ(*actor.Task(&MomentumTrainer::Step).Remote(1.0f, 0.0f).Get(), -0.25f);
  ray::Shutdown();
}

/// A session with one variable of that name and value.
struct OneVariable {
  OneVariable(const char* name, float value) {
    const auto scope = graph.as_default();
    variable.emplace(value, tf::VariableOptions{.name = name});
    session.emplace(graph);
    session->run(tf::global_variables_initializer());
  }
  tf::Graph graph;
  std::optional<tf::Variable> variable;
  std::optional<tf::Session> session;
};

TEST(SessionStates, AreOfAllVariablesByTheirNames) {
  OneVariable one("w", 3.0f);
  SessionState state;
  state.hold(*one.session);
  const SavedSession saved = state.checkpoint();
  ASSERT_EQ(saved.variables.size(), 1u);
  EXPECT_EQ(saved.variables.at("w").item<float>(), 3.0f);
  OneVariable other("w", 4.0f);
  SessionState others;
  others.hold(*other.session);
  others.restore(saved);
  EXPECT_EQ(other.session->run(*other.variable).item<float>(), 3.0f);
}

TEST(SessionStates, OfAnotherNetworkAreRefused) {
  OneVariable one("w", 3.0f);
  OneVariable other("v", 4.0f);
  SessionState state;
  SessionState others;
  state.hold(*one.session);
  others.hold(*other.session);
  try {
    others.restore(state.checkpoint());
    FAIL() << "it was taken";
  } catch (const ValueError& error) {
    EXPECT_NE(error.message().find("another network"), std::string::npos) << error.message();
    EXPECT_NE(error.message().find("'w'"), std::string::npos) << error.message();
  }
  EXPECT_EQ(other.session->run(*other.variable).item<float>(), 4.0f);
}

TEST(SessionStates, WithoutASessionAreEmpty) {
  SessionState state;
  EXPECT_TRUE(state.checkpoint().variables.empty());
  state.restore({});
  OneVariable one("w", 3.0f);
  SessionState others;
  others.hold(*one.session);
  EXPECT_THROW(state.restore(others.checkpoint()), ValueError);
}

/// The same trainer, whose state goes to files in that folder, too.
class SavingTrainer : public MomentumTrainer {
 public:
  static SavingTrainer* CreateSaving(const std::string& folder) { return new SavingTrainer(folder); }
  explicit SavingTrainer(const std::string& folder)
      : MomentumTrainer(ray::experimental::SessionFiles{.save_path = std::filesystem::path(folder) / "model",
                                                        .max_to_keep = 2}) {}
};
RAY_REMOTE(SavingTrainer::CreateSaving);

/// A folder of the test's own.
class SavedSessions : public ::testing::Test {
 protected:
  SavedSessions() { std::filesystem::create_directories(folder_); }
  ~SavedSessions() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  std::filesystem::path model() const { return folder_ / "model"; }

  const std::filesystem::path folder_ = std::filesystem::path(::testing::TempDir()) /
                                        ("saved_sessions_" + std::to_string(getpid()) + "_" +
                                         ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(SavedSessions, AreCheckpointsOfASaverWithSlotsAndSteps) {
  ray::Init({.num_cpus = 1, .object_store_memory = size_t{64} << 20});
  {
    const auto actor = ray::Actor(SavingTrainer::CreateSaving).SetMaxRestarts(-1).Remote(folder_.string());
    for (int i = 0; i < 2; ++i) actor.Task(&SavingTrainer::Step).Remote(1.0f, 0.0f).Get();
    EXPECT_THROW(actor.Task(&SavingTrainer::Die).Remote().Get(), ray::RayActorException);
    EXPECT_EQ(*actor.Task(&SavingTrainer::Step).Remote(1.0f, 0.0f).Get(), -0.25f);  // as above
  }
  ray::Shutdown();
  EXPECT_EQ(tf::train::latest_checkpoint(folder_), model().string() + "-3");
  EXPECT_FALSE(tf::train::checkpoint_exists(model().string() + "-1"));  // two stay
  EXPECT_TRUE(tf::train::checkpoint_exists(model().string() + "-2"));
  EXPECT_EQ(tf::train::load_variable(folder_.string(), "w").item<float>(), -0.25f);
  EXPECT_EQ(tf::train::load_variable(folder_.string(), "w/Momentum").item<float>(), 0.5f);
  EXPECT_EQ(tf::train::load_variable(folder_.string(), "global_step").item<int64_t>(), 3);
}

constexpr const char* kReadState = R"(
import os, sys
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow.compat.v1 as tf
path = tf.train.latest_checkpoint(sys.argv[1])
reader = tf.train.load_checkpoint(path)
print(os.path.basename(path), sorted(reader.get_variable_to_shape_map()))
print(*(float(reader.get_tensor(name)) for name in ("w", "w/Momentum", "global_step")))
with tf.Graph().as_default(), tf.Session() as session:
    saver = tf.train.import_meta_graph(path + ".meta")
    saver.restore(session, path)
    print(float(session.run("w:0")), int(session.run("global_step:0")))
)";

TEST_F(SavedSessions, AreReadByTensorFlow) {
  const char* python = std::getenv("FLOWRAY_ORACLE_PYTHON");
  if (python == nullptr) GTEST_SKIP() << "FLOWRAY_ORACLE_PYTHON names no Python with TensorFlow";
  SavingTrainer trainer(folder_.string());
  for (int i = 0; i < 2; ++i) {
    trainer.Step(1.0f, 0.0f);
    trainer.checkpoint();
  }
  flowray::testing::ChildProcess reader({python, "-c", kReadState, folder_.string()});
  EXPECT_EQ(reader.wait(), 0) << reader.errors();
  EXPECT_EQ(reader.output(), "model-2 ['global_step', 'w', 'w/Momentum']\n0.0 1.0 2.0\n0.0 2\n");
}

TEST_F(SavedSessions, ComeBackInAnotherProgram) {
  {
    SavingTrainer trainer(folder_.string());
    EXPECT_FALSE(trainer.restore_newest_file());
    trainer.Step(1.0f, 0.0f);
    trainer.checkpoint();
    trainer.Step(1.0f, 0.0f);
    trainer.checkpoint();
  }
  SavingTrainer trainer(folder_.string());
  EXPECT_EQ(trainer.Steps(), 0);
  EXPECT_TRUE(trainer.restore_newest_file());
  EXPECT_EQ(trainer.Steps(), 2);
  EXPECT_EQ(trainer.Step(1.0f, 0.0f), -0.25f);
  trainer.checkpoint();
  EXPECT_FALSE(tf::train::checkpoint_exists(model().string() + "-1"));  // of the one before, and one too many
  EXPECT_TRUE(tf::train::checkpoint_exists(model().string() + "-3"));
}

TEST_F(SavedSessions, AreWrittenAsOftenAsIsSaid) {
  OneVariable one("w", 3.0f);
  SessionState state;
  state.hold(*one.session, {.save_path = model(), .save_secs = 1e9});
  state.checkpoint();
  EXPECT_EQ(tf::train::latest_checkpoint(folder_), model());  // without a step in its name
  const auto scope = one.graph.as_default();
  one.session->run(tf::assign(*one.variable, 4.0f));
  EXPECT_EQ(state.checkpoint().variables.at("w").item<float>(), 4.0f);
  EXPECT_EQ(tf::train::load_variable(folder_.string(), "w").item<float>(), 3.0f);
  SessionState often;
  often.hold(*one.session, {.save_path = model()});
  often.checkpoint();
  EXPECT_EQ(tf::train::load_variable(folder_.string(), "w").item<float>(), 4.0f);
}

/// A folder is to be one saver's alone; what another one has there is lost or taken all the same by nobody.
TEST_F(SavedSessions, LeaveFilesOfOtherSaversAlone) {
  OneVariable one("w", 3.0f);
  OneVariable other("w", 4.0f);
  SessionState first;
  first.hold(*one.session, {.save_path = folder_ / "first", .max_to_keep = 1});
  first.checkpoint();
  SessionState second;
  second.hold(*other.session, {.save_path = folder_ / "second", .max_to_keep = 1});
  EXPECT_FALSE(second.restore_newest_file()) << "it is the first one's";
  second.checkpoint();
  EXPECT_TRUE(std::filesystem::exists(folder_ / "first.index"));
  EXPECT_TRUE(second.restore_newest_file());
  EXPECT_EQ(second.checkpoint().variables.at("w").item<float>(), 4.0f);
}

TEST_F(SavedSessions, NeedAFolderAndNumbersThatCanBe) {
  OneVariable one("w", 3.0f);
  SessionState state;
  EXPECT_THROW(state.hold(*one.session, {.save_path = model(), .save_secs = -1}), ValueError);
  EXPECT_THROW(state.hold(*one.session, {.save_path = model(), .max_to_keep = -1}), ValueError);
  state.hold(*one.session, {.save_path = folder_ / "nowhere" / "model"});
  EXPECT_THROW(state.checkpoint(), ValueError);
  EXPECT_FALSE(state.restore_newest_file());
  state.hold(*one.session);
  EXPECT_FALSE(state.restore_newest_file());
  EXPECT_EQ(state.checkpoint().variables.size(), 1u);
}

}  // namespace
}  // namespace flowray
