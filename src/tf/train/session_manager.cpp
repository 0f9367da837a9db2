#include <flowray/tf/session_manager.h>

#include "tf/build/user_line.h"
#include "tf/train/monitored/readiness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <thread>
#include <utility>

namespace flowray::tf::train {
namespace {

using Clock = std::chrono::steady_clock;

Readiness readiness_of(const SessionManagerOptions& options) {
  return {options.ready_op, options.ready_for_local_init_op, options.local_init_op,
          options.local_init_feed_dict, options.local_init_run_options};
}

/// The same with the time that is left of it, which is one for servers and a checkpoint.
RecoverSessionOptions left_of(RecoverSessionOptions options, Clock::time_point begin) {
  options.max_wait_secs -= std::chrono::duration<double>(Clock::now() - begin).count();
  return options;
}

void check_one_checkpoint(const RecoverSessionOptions& options) {
  if (!options.checkpoint_dir.empty() && !options.checkpoint_filename_with_path.empty())
    throw ValueError("Can not provide both checkpoint_dir and checkpoint_filename_with_path.");
}

}  // namespace

SessionManager::SessionManager(SessionManagerOptions options, Input::Where where)
    : options_(std::move(options)), graph_(get_default_graph()) {
  const UserLine line(*graph_.get(), where);
  if (options_.ready_for_local_init_op.has_value() && !options_.local_init_op.has_value()) {
    throw ValueError(
        fmt::format("If you pass a ready_for_local_init_op you must also pass a local_init_op , "
                    "ready_for_local_init_op [{}]",
                    options_.ready_for_local_init_op.name()));
  }
}

SessionManager::~SessionManager() = default;

void SessionManager::rest_until(Clock::time_point time) { std::this_thread::sleep_until(time); }
void SessionManager::begin_wait(const std::shared_ptr<StepCancellation>& /*ends*/) {}

/// Here there are no servers to be waited for.
void SessionManager::open(Session& session, const std::string& master, double max_wait_secs) {
  if (master.empty()) return;
  const LimitedLooks looks(max_wait_secs);
  begin_wait(looks.ends());
  open_session(session, looks, [this](Clock::time_point time) { rest_until(time); });
}

/// Whether there was a checkpoint.
bool SessionManager::restore(Session& session, const RecoverSessionOptions& options) {
  if (options.saver == nullptr) return false;
  std::string path = options.checkpoint_filename_with_path.string();
  if (path.empty() && options.checkpoint_dir.empty()) return false;
  const auto find = [&] {
    if (path.empty()) path = latest_checkpoint(options.checkpoint_dir);
    return !path.empty();
  };
  const auto say = [&] {
    fmt::print(stderr, "flowray: Waiting for checkpoint to be available in {}.\n",
               options.checkpoint_dir.string());
  };
  if (!find() && options.wait_for_checkpoint) {
    (void)look_until(find, say, {options_.recovery_wait_secs, options.max_wait_secs},
                     [this](Clock::time_point time) { rest_until(time); });
  }
  if (path.empty()) return false;
  options.saver->restore(session, path);
  return true;
}

std::unique_ptr<Session> SessionManager::prepare_session(const std::string& master,
                                                         const PrepareSessionOptions& options) {
  check_one_checkpoint(options.recover);
  const Clock::time_point begin = Clock::now();
  auto session = std::make_unique<Session>(master, graph_, options.recover.config);
  open(*session, master, options.recover.max_wait_secs);
  if (!restore(*session, left_of(options.recover, begin))) {
    if (!options.init_op.has_value() && options.init_fn == nullptr && !options_.local_init_op.has_value()) {
      throw RuntimeError(
          "Model is not initialized and no init_op or init_fn or local_init_op was given\nGive one, or the "
          "folder of a checkpoint.");
    }
    if (options.init_op.has_value()) session->run(options.init_op, options.init_feed_dict);
    if (options.init_fn != nullptr) options.init_fn(*session);
  }
  finish_initialisation(*session, options.init_op, options.init_fn != nullptr, readiness_of(options_));
  return session;
}

RecoveredSession SessionManager::recover_session(const std::string& master,
                                                 const RecoverSessionOptions& options) {
  check_one_checkpoint(options);
  const Clock::time_point begin = Clock::now();
  auto session = std::make_unique<Session>(master, graph_, options.config);
  open(*session, master, options.max_wait_secs);
  const bool is_ready =
      restore(*session, left_of(options, begin)) && look_for_chief(*session, readiness_of(options_)).empty();
  return {std::move(session), is_ready};
}

/// A session that was made before a server was started anew does not know it.
std::unique_ptr<Session> SessionManager::wait_for_session(const std::string& master,
                                                          const SessionConfig& config, double max_wait_secs) {
  const Readiness readiness = readiness_of(options_);
  const LimitedLooks looks(max_wait_secs);
  begin_wait(looks.ends());
  std::unique_ptr<Session> session;
  wait_for_chief(
      [&] {
        session = std::make_unique<Session>(master, graph_, config);
        std::string against = look_for_chief(*session, readiness, looks.ends());
        if (!against.empty()) session.reset();
        return against;
      },
      looks, readiness, {options_.recovery_wait_secs, max_wait_secs},
      [this](Clock::time_point time) { rest_until(time); });
  return session;
}

}  // namespace flowray::tf::train
