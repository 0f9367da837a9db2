// The end of a Supervisor whose threads do not end. What it does with checkpoints is in saver_test.cpp.
#include <flowray/tf/supervisor.h>

#include <flowray/tf.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "support/idx_files.h"

namespace flowray {
namespace {

using ::testing::HasSubstr;
using testing::TestFolder;

/// A summary that waits for a value nobody gives.
TEST(Supervisor, StopsWaitingForItsThreadsWhenTheirTimeIsOver) {
  const TestFolder folder;
  tf::Graph graph;
  const auto scope = graph.as_default();
  const tf::Variable step = tf::train::get_or_create_global_step();
  tf::Session session;
  const tf::FIFOQueue queue(1, {tf::string}, {.shapes = {{}}});
  tf::train::Supervisor supervisor({.logdir = folder.path(),
                                    .summary_op = tf::Tensor(queue.dequeue()),
                                    .global_step = step,
                                    .save_model_secs = 1000,
                                    .stop_grace_secs = 0.01});
  supervisor.prepare(session);
  // The services have saved, so that they are about to wait, or do.
  while (tf::train::latest_checkpoint(folder.path()).empty()) std::this_thread::yield();
  try {
    supervisor.stop();
    FAIL();
  } catch (const tf::RuntimeError& error) {
    EXPECT_THAT(error.message(), HasSubstr("Coordinator stopped with threads still running: services"));
  }
  session.close();
  EXPECT_ANY_THROW(supervisor.stop()) << "what ended the services is told";
  supervisor.stop();
}

/// As where a program throws that has made its supervisor first: the services are about to use the session,
/// or do.
TEST(Supervisor, MayOutliveItsSession) {
  const TestFolder folder;
  tf::Graph graph;
  const auto scope = graph.as_default();
  const tf::Variable step = tf::train::get_or_create_global_step();
  const tf::FIFOQueue queue(1, {tf::string}, {.shapes = {{}}});
  const tf::FIFOQueue filled(1, {tf::int32}, {.shapes = {{}}});
  const tf::train::FilledQueue runner{filled,
                                      {filled.enqueue({tf::constant(1)})},
                                      filled.close(),
                                      filled.close({.cancel_pending_enqueues = true})};
  tf::train::Supervisor supervisor({.logdir = folder.path(),
                                    .summary_op = tf::Tensor(queue.dequeue()),
                                    .global_step = step,
                                    .save_summaries_secs = 0.001,
                                    .save_model_secs = 1000});
  {
    const auto session = supervisor.prepare_or_wait_for_session();
    supervisor.start_queue_runners(*session, {runner});
    while (tf::train::latest_checkpoint(folder.path()).empty()) std::this_thread::yield();
  }
  while (!supervisor.should_stop()) std::this_thread::yield();  // which its threads ask for
  EXPECT_ANY_THROW(supervisor.stop()) << "what ended them is told";
}

TEST(Supervisor, OnlyAChiefWithAFolderWritesSummaries) {
  const TestFolder folder;
  const auto refused = [](tf::train::SupervisorOptions options) -> std::string {
    tf::Graph graph;
    const auto scope = graph.as_default();
    options.global_step = tf::train::get_or_create_global_step();
    tf::train::Supervisor supervisor(options);
    tf::Session session;
    try {
      supervisor.summary_computed(session, "", 1);
    } catch (const tf::RuntimeError& error) {
      return error.message();
    }
    return "nothing";
  };
  EXPECT_THAT(refused({.is_chief = false, .logdir = folder.path()}),
              HasSubstr("Writing a summary requires a summary writer.\nOnly the chief has one."));
  EXPECT_THAT(refused({}), HasSubstr("Give the Supervisor a logdir"));
}

class ManagedSession : public ::testing::Test {
 protected:
  tf::Graph graph_;
  tf::GraphScope scope_ = graph_.as_default();
  tf::Variable step_ = tf::train::get_or_create_global_step();
  tf::Tensor next_ = step_.assign_add(int64_t{1});
};

TEST_F(ManagedSession, IsReadyInItsBodyAndClosedBehindIt) {
  const TestFolder folder;
  tf::train::Supervisor supervisor({.logdir = folder.path(), .global_step = step_, .save_model_secs = 1000});
  supervisor.managed_session([&](tf::Session& session) {
    EXPECT_EQ(tf::get_default_session(), &session);
    EXPECT_EQ(session.run(next_), Array(int64_t{1}));
    while (tf::train::latest_checkpoint(folder.path()).empty() && !supervisor.should_stop())
      std::this_thread::yield();
    EXPECT_FALSE(supervisor.should_stop());
  });
  EXPECT_TRUE(supervisor.should_stop());
}

TEST_F(ManagedSession, EndsAtTheEndOfTheData) {
  tf::train::Supervisor supervisor;
  supervisor.managed_session([](tf::Session&) { throw errors::OutOfRangeError("no more"); });
  EXPECT_TRUE(supervisor.should_stop());
}

TEST_F(ManagedSession, TellsWhatItsBodyThrows) {
  tf::train::Supervisor supervisor;
  EXPECT_THROW(supervisor.managed_session([](tf::Session&) { throw ValueError("of the body"); }),
               tf::ValueError);
  EXPECT_TRUE(supervisor.should_stop());
}

}  // namespace
}  // namespace flowray
