// Sessions that a SessionManager makes ready, or waits for; and a Supervisor that is given one.
#include <flowray/tf/session_manager.h>

#include <flowray/tf.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/idx_files.h"

namespace flowray {
namespace {

using testing::TestFolder;
using tf::train::SessionManager;

class SessionManagerTest : public ::testing::Test {
 protected:
  static std::string error_of(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.message();
    }
    return "none";
  }

  tf::Graph graph_;
  tf::GraphScope scope_ = graph_.as_default();
  tf::Variable w_{5.0f, {.name = "w"}};
  tf::Variable local_{0.0f, {.collections = {tf::GraphKeys::LOCAL_VARIABLES}, .name = "local"}};
  tf::Tensor w_is_ready_ = tf::report_uninitialized_variables({w_});
  tf::Tensor ready_ = tf::report_uninitialized_variables();
  tf::Operation copy_ = local_.assign(w_).op();
  std::shared_ptr<tf::train::Saver> saver_ =
      std::make_shared<tf::train::Saver>(tf::train::SaverOptions{.var_list = {w_}});
  TestFolder folder_;
};

TEST_F(SessionManagerTest, InitialisesWhereThereIsNoCheckpoint) {
  SessionManager manager(
      {.local_init_op = copy_, .ready_op = ready_, .ready_for_local_init_op = w_is_ready_});
  const auto add_one = w_.assign_add(1.0f).op();
  const auto session =
      manager.prepare_session("", {.recover = {.saver = saver_, .checkpoint_dir = folder_.path()},
                                   .init_op = w_.initializer(),
                                   .init_fn = [&](tf::Session& made) { made.run(add_one); }});
  EXPECT_EQ(session->run(local_), Array(6.0f));
}

TEST_F(SessionManagerTest, RestoresTheNewestCheckpoint) {
  const auto seven = w_.assign(7.0f).op();
  {
    tf::Session session;
    session.run(seven);
    saver_->save(session, folder_.path() / "model.ckpt");
  }
  SessionManager manager({.local_init_op = copy_, .ready_op = ready_});
  const auto session = manager.prepare_session(
      "", {.recover = {.saver = saver_, .checkpoint_dir = folder_.path()}, .init_op = w_.initializer()});
  EXPECT_EQ(session->run(local_), Array(7.0f));
  const auto [recovered, is_ready] = manager.recover_session(
      "", {.saver = saver_, .checkpoint_filename_with_path = folder_.path() / "model.ckpt"});
  EXPECT_TRUE(is_ready);
  EXPECT_EQ(recovered->run(local_), Array(7.0f));
}

TEST_F(SessionManagerTest, SaysWhetherASessionCouldBeRecovered) {
  SessionManager manager({.ready_op = ready_});
  const auto [session, is_ready] =
      manager.recover_session("", {.saver = saver_, .checkpoint_dir = folder_.path()});
  EXPECT_FALSE(is_ready);
  EXPECT_NE(session, nullptr);
}

TEST_F(SessionManagerTest, WaitsForACheckpoint) {
  const auto seven = w_.assign(7.0f).op();
  SessionManager manager({.recovery_wait_secs = 0.01});
  std::thread chief([&] {
    tf::Session session(graph_);
    session.run(seven);
    saver_->save(session, folder_.path() / "model.ckpt");
  });
  const auto [session, is_ready] = manager.recover_session(
      "", {.saver = saver_, .checkpoint_dir = folder_.path(), .wait_for_checkpoint = true});
  chief.join();
  EXPECT_TRUE(is_ready);
  EXPECT_EQ(session->run(w_), Array(7.0f));
}

TEST_F(SessionManagerTest, WaitsNoLongerThanItIsTold) {
  SessionManager manager({.ready_op = ready_, .recovery_wait_secs = 0.01});
  EXPECT_THROW(manager.wait_for_session("", {}, 0), errors::DeadlineExceededError);
  EXPECT_FALSE(manager
                   .recover_session("", {.saver = saver_,
                                         .checkpoint_dir = folder_.path(),
                                         .wait_for_checkpoint = true,
                                         .max_wait_secs = 0})
                   .is_ready);
}

/// The words are TensorFlow's.
TEST_F(SessionManagerTest, SaysWhatIsMissing) {
  EXPECT_THAT(
      error_of([&] { SessionManager({.ready_for_local_init_op = w_is_ready_}); }),
      ::testing::HasSubstr("If you pass a ready_for_local_init_op you must also pass a local_init_op , "
                           "ready_for_local_init_op ["));
  SessionManager manager({.ready_op = ready_});
  EXPECT_THAT(error_of([&] { manager.prepare_session(""); }),
              ::testing::StartsWith("Model is not initialized and no init_op or init_fn or local_init_op was "
                                    "given"));
  EXPECT_THAT(error_of([&] { manager.prepare_session("", {.init_op = w_.initializer()}); }),
              ::testing::AllOf(::testing::StartsWith("Init operations did not make model ready.  Init op: "),
                               ::testing::HasSubstr("Variables not initialized: local")));
  EXPECT_THAT(
      error_of([&] {
        manager.recover_session("", {.saver = saver_,
                                     .checkpoint_dir = folder_.path(),
                                     .checkpoint_filename_with_path = folder_.path() / "x"});
      }),
      ::testing::StartsWith("Can not provide both checkpoint_dir and checkpoint_filename_with_path."));
}

/// Of the program: notes what it is asked for.
class NotingManager : public SessionManager {
 public:
  using SessionManager::SessionManager;
  std::unique_ptr<tf::Session> prepare_session(const std::string& master,
                                               const tf::train::PrepareSessionOptions& options) override {
    asked.push_back("prepare " + options.recover.checkpoint_dir.string());
    return SessionManager::prepare_session(master, options);
  }
  std::unique_ptr<tf::Session> wait_for_session(const std::string&, const tf::SessionConfig&,
                                                double max_wait_secs) override {
    asked.push_back("wait " + std::to_string(static_cast<int>(max_wait_secs)));
    return std::make_unique<tf::Session>();
  }
  std::vector<std::string> asked;
};

TEST_F(SessionManagerTest, MakesTheSessionsOfASupervisor) {
  const auto manager =
      std::make_shared<NotingManager>(tf::train::SessionManagerOptions{.local_init_op = copy_});
  tf::train::Supervisor chief({.logdir = folder_.path(),
                               .init_op = w_.initializer(),
                               .local_init_op = tf::Operation(),
                               .save_model_secs = 0,
                               .session_manager = manager});
  EXPECT_EQ(chief.session_manager(), manager);
  const auto session = chief.prepare_or_wait_for_session();
  EXPECT_EQ(session->run(local_), Array(5.0f)) << "the manager's own operation";
  chief.stop();
  // The graph is final now, so nothing is left to be made.
  tf::train::Supervisor other({.is_chief = false,
                               .ready_op = tf::Tensor(),
                               .init_op = tf::Operation(),
                               .local_init_op = tf::Operation(),
                               .summary_op = tf::Tensor(),
                               .saver = nullptr,
                               .session_manager = manager});
  (void)other.prepare_or_wait_for_session("", {}, 17);
  EXPECT_THAT(manager->asked, ::testing::ElementsAre("prepare " + folder_.path().string(), "wait 17"));
  EXPECT_THAT(error_of([&] { chief.prepare(*session); }),
              ::testing::HasSubstr("prepare_or_wait_for_session"));
}

TEST_F(SessionManagerTest, IsThereWhereTheProgramGivesNone) {
  tf::train::Supervisor supervisor({.is_chief = false, .recovery_wait_secs = 0.01});
  EXPECT_THROW(supervisor.session_manager()->wait_for_session("", {}, 0), errors::DeadlineExceededError);
  supervisor.request_stop();
  EXPECT_THROW(supervisor.session_manager()->wait_for_session(""), errors::CancelledError);
}

}  // namespace
}  // namespace flowray
