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

}  // namespace
}  // namespace flowray
