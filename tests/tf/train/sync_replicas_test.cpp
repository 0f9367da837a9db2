// Gradients of several replicas as one step, in a local session.

#include <flowray/errors.h>
#include <flowray/tf.h>
#include <gmock/gmock.h>

#include <optional>
#include <thread>

namespace flowray {
namespace {

using tf::train::GradientDescentOptimizer;
using tf::train::SyncReplicasOptimizer;

/// w = 10, whose gradients are what replicas are fed, all in one graph; the test is the chief.
class SyncReplicas : public ::testing::Test {
 protected:
  struct Replica {
    tf::Tensor gradient;
    tf::Operation train;
  };
  void build(int replicas_to_aggregate, int total_num_replicas, int num_tokens = 0,
             double drop_after_secs = 0) {
    tf::Operation tokens;
    tf::Operation init;
    for (int i = 0; i < total_num_replicas; ++i) {
      SyncReplicasOptimizer optimizer(
          GradientDescentOptimizer(1.0), replicas_to_aggregate,
          {.total_num_replicas = total_num_replicas, .drop_after_secs = i == 0 ? drop_after_secs : 0});
      const auto gradient = tf::placeholder(tf::float32, {});
      replicas_.push_back({gradient, optimizer.minimize(w_ * gradient, {.global_step = step_})});
      inits_.push_back(i == 0 ? optimizer.chief_init_op() : optimizer.local_step_init_op());
      if (i > 0) continue;
      chief_ = optimizer.get_chief_queue_runner();
      apply_ = chief_->enqueue_ops.at(0);
      tokens = optimizer.get_init_tokens_op(num_tokens);
    }
    session_.run(tf::global_variables_initializer());
    session_.run(inits_);
    session_.run(tokens);
  }
  void give(size_t replica, float gradient) {
    session_.run(replicas_[replica].train, {{replicas_[replica].gradient, gradient}});
  }
  /// Until the session is closed.
  void keep_giving(size_t replica, float gradient) {
    try {
      while (true) give(replica, gradient);
    } catch (const Error&) {
    }
  }
  /// One step, to which these replicas give what they are told.
  void step(const std::vector<std::pair<size_t, float>>& gradients) {
    std::vector<std::thread> threads;
    for (const auto& [replica, gradient] : gradients)
      threads.emplace_back([this, replica = replica, gradient = gradient] { give(replica, gradient); });
    if (chief_.has_value() && chief_->run != nullptr) {
      chief_->run(session_, apply_, {});
    } else {
      session_.run(apply_);
    }
    for (std::thread& thread : threads) thread.join();
  }
  float w() { return session_.run(w_).item<float>(); }

  tf::Graph graph_;
  tf::GraphScope scope_ = graph_.as_default();
  tf::Variable w_{10.0f, {.name = "w"}};
  tf::Variable step_{tf::constant(int64_t{0}), {.trainable = false, .name = "global_step"}};
  std::vector<Replica> replicas_;
  std::vector<tf::Operation> inits_;
  std::optional<tf::train::FilledQueue> chief_;
  tf::Operation apply_;
  tf::Session session_;
};

TEST_F(SyncReplicas, ApplyTheMeanOfTheirGradients) {
  build(2, 2);
  step({{0, 1.0f}, {1, 3.0f}});
  EXPECT_EQ(w(), 8);  // 10 - (1 + 3) / 2
  step({{0, 5.0f}, {1, 7.0f}});
  EXPECT_EQ(w(), 2);
  EXPECT_EQ(session_.run(step_).item<int64_t>(), 2);
}

TEST_F(SyncReplicas, DropWhatComesTooLate) {
  build(2, 3);
  step({{0, 1.0f}, {1, 3.0f}});
  EXPECT_EQ(w(), 8);
  give(2, 100);  // of the first step, which is over; there is a token for it
  step({{0, 2.0f}, {2, 4.0f}});
  EXPECT_EQ(w(), 5);
}

TEST_F(SyncReplicas, GiveMoreThanOneGradientWhereThereAreFewer) {
  build(2, 1, /*num_tokens=*/1);
  give(0, 1);
  step({{0, 3.0f}});
  EXPECT_EQ(w(), 8);
  give(0, 5);
  step({{0, 7.0f}});
  EXPECT_EQ(w(), 2);
}

TEST_F(SyncReplicas, GoOnWithoutOneThatGivesNothing) {
  build(2, 2, 0, /*drop_after_secs=*/0.05);
  step({{0, 1.0f}, {1, 3.0f}});
  EXPECT_EQ(w(), 8);
  std::thread survivor([this] { keep_giving(0, 1); });
  for (int i = 1; i <= 5; ++i) {
    chief_->run(session_, apply_, {});
    EXPECT_EQ(w(), 8 - i);
  }
  EXPECT_EQ(session_.run(step_).item<int64_t>(), 6);
  session_.close();
  survivor.join();
}

TEST_F(SyncReplicas, TakeOneBackThatWasDropped) {
  build(2, 2, 0, /*drop_after_secs=*/0.1);
  step({{0, 1.0f}});
  EXPECT_EQ(w(), 9);
  std::thread stayed([this] { keep_giving(0, 2); });
  std::thread returned([this] { keep_giving(1, 4); });
  float last = w();
  float change = 0;
  while (change != 3.0f) {  // the mean of both
    chief_->run(session_, apply_, {});
    change = last - w();
    last -= change;
  }
  session_.close();
  stayed.join();
  returned.join();
}

/// A replica that was killed while it waited took a token along, and so did the one started in its place.
TEST_F(SyncReplicas, GoOnWhereAllTokensAreLost) {
  build(2, 2, 0, /*drop_after_secs=*/0.05);
  step({{0, 1.0f}, {1, 3.0f}});
  EXPECT_EQ(w(), 8);
  step({{1, 1.0f}, {1, 5.0f}});
  EXPECT_EQ(w(), 5);
  std::thread survivor([this] {
    give(0, 100);  // of the step before, which is over
    give(0, 4);
  });
  chief_->run(session_, apply_, {});
  survivor.join();
  EXPECT_EQ(w(), 1);
  EXPECT_EQ(session_.run(step_).item<int64_t>(), 3);
}

/// The replica that is left has a token for each of them, and so gives the gradients of all.
TEST_F(SyncReplicas, LetTheOthersFillIn) {
  build(2, 2, 0, /*drop_after_secs=*/1);  // longer than a busy machine lets the two below wait
  step({{0, 1.0f}});                      // the other one never gives any
  EXPECT_EQ(w(), 9);
  for (int i = 0; i < 3; ++i) {
    std::thread survivor([this] {
      give(0, 1);
      give(0, 3);
    });
    chief_->run(session_, apply_, {});
    survivor.join();
    EXPECT_EQ(w(), 7 - 2 * i);
  }
}

/// The third replica gives nothing, and nobody takes what is given for it but the others.
TEST_F(SyncReplicas, KeepNoTokensOfStepsThatAreOver) {
  build(2, 3, 0, /*drop_after_secs=*/10);
  const tf::FIFOQueue tokens(-1, {tf::int64}, {.shapes = {{}}, .shared_name = "sync_token_q"});
  const tf::Tensor left = tokens.size();
  std::thread first([this] { keep_giving(0, 1); });
  std::thread second([this] { keep_giving(1, 1); });
  for (int i = 0; i < 20; ++i) {
    chief_->run(session_, apply_, {});
    EXPECT_LE(session_.run(left).item<int>(), 3);
  }
  session_.close();
  first.join();
  second.join();
}

TEST(SyncReplicasOptimizerTest, RefusesANegativeTime) {
  EXPECT_THROW(SyncReplicasOptimizer(GradientDescentOptimizer(1.0), 1, {.drop_after_secs = -1.0}),
               ValueError);
}

TEST_F(SyncReplicas, EndTheirChiefsThread) {
  SyncReplicasOptimizer optimizer(GradientDescentOptimizer(1.0), 1);
  const auto train = optimizer.minimize(w_ * 4.0f, {.global_step = step_});
  const auto tokens = optimizer.get_init_tokens_op(0);
  tf::train::Supervisor supervisor({.ready_for_local_init_op = optimizer.ready_for_local_init_op(),
                                    .local_init_op = optimizer.chief_init_op(),
                                    .global_step = step_});
  supervisor.prepare(session_);
  supervisor.start_queue_runners(session_, {optimizer.get_chief_queue_runner()});
  session_.run(tokens);
  session_.run(train);
  EXPECT_EQ(w(), 6);
  supervisor.stop();  // while the thread waits for the next gradient
}

TEST_F(SyncReplicas, UpdateTheRowsThatWereGathered) {
  const tf::Variable table(tf::constant({{1.0f, 1.0f}, {2.0f, 2.0f}, {3.0f, 3.0f}}), {.name = "table"});
  for (const std::vector<int>& rows : {std::vector<int>{0, 1}, {1}}) {
    SyncReplicasOptimizer optimizer(GradientDescentOptimizer(1.0), 2);
    const auto loss = tf::reduce_sum(tf::gather(table, tf::constant(Array(rows))));
    replicas_.push_back({tf::placeholder(tf::float32, {}),
                         optimizer.minimize(loss, {.global_step = step_, .var_list = {table}})});
    inits_.push_back(optimizer.chief_init_op());
    apply_ = optimizer.get_chief_queue_runner().enqueue_ops.at(0);
  }
  session_.run(tf::global_variables_initializer());
  session_.run(inits_);
  step({{0, 0.0f}, {1, 0.0f}});
  // Row 1 has two gradients of 1, whose mean is 1; row 0 has one, and those that gave none do not count.
  EXPECT_EQ(session_.run(table), Array({{0.0f, 0.0f}, {1.0f, 1.0f}, {3.0f, 3.0f}}));
}

TEST_F(SyncReplicas, SayWhatTheyNeed) {
  SyncReplicasOptimizer optimizer(GradientDescentOptimizer(1.0), 3, {.total_num_replicas = 1});
  EXPECT_THROW(optimizer.get_chief_queue_runner(), ValueError);
  EXPECT_THROW(optimizer.minimize(w_ * 2.0f), ValueError);  // no global step
  optimizer.minimize(w_ * 2.0f, {.global_step = step_});
  EXPECT_THROW(optimizer.get_init_tokens_op(1), ValueError);  // two are needed
  EXPECT_THROW(SyncReplicasOptimizer(GradientDescentOptimizer(1.0), 0), ValueError);
}

}  // namespace
}  // namespace flowray
