// Actors that hold a session, and whose processes die.

#include <flowray/glue.h>
#include <flowray/ray.h>
#include <flowray/tf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <optional>
#include <utility>
#include <vector>

namespace flowray {
namespace {

using ray::experimental::SavedSession;
using ray::experimental::SessionState;

/// y = w x with Momentum(0.5, 0.5) on the half square of the error, and how many steps were taken.
class MomentumTrainer : public SessionState {
 public:
  static MomentumTrainer* Create() { return new MomentumTrainer; }
  MomentumTrainer() {
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
    hold(*session_);
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

}  // namespace
}  // namespace flowray
