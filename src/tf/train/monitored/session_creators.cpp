#include <flowray/tf/monitored_session.h>

#include "tf/train/monitored/readiness.h"

#include <flowray/errors.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace flowray::tf::train {
namespace {

constexpr double kLookEverySecs = 0.5;

template <class Options>
Options with_scaffold(Options options) {
  if (options.scaffold == nullptr) options.scaffold = std::make_shared<Scaffold>();
  return options;
}

Readiness readiness_of(const Scaffold& scaffold) {
  return {scaffold.ready_op(), scaffold.ready_for_local_init_op(), scaffold.local_init_op(),
          scaffold.local_init_feed_dict()};
}

}  // namespace

ChiefSessionCreator::ChiefSessionCreator(ChiefSessionOptions options)
    : options_(with_scaffold(std::move(options))) {
  if (!options_.checkpoint_dir.empty() && !options_.checkpoint_filename_with_path.empty())
    throw ValueError("Can not provide both checkpoint_dir and checkpoint_filename_with_path.");
}

std::unique_ptr<Session> ChiefSessionCreator::create_session() {
  Scaffold& scaffold = *options_.scaffold;
  if (!std::exchange(is_final_, true)) scaffold.finalize();
  auto session = std::make_unique<Session>(options_.master, options_.config);
  if (!options_.master.empty())
    open_session(*session, LimitedLooks(options_.max_wait_secs),
                 [](std::chrono::steady_clock::time_point) {});
  std::string checkpoint = options_.checkpoint_filename_with_path.string();
  if (!options_.checkpoint_dir.empty()) checkpoint = latest_checkpoint(options_.checkpoint_dir);
  if (scaffold.saver() != nullptr && !checkpoint.empty()) {
    scaffold.saver()->restore(*session, checkpoint);
  } else {
    session->run(scaffold.init_op(), scaffold.init_feed_dict());
    if (scaffold.has_init_fn()) scaffold.call_init_fn(*session);
  }
  finish_initialisation(*session, scaffold.init_op(), scaffold.has_init_fn(), readiness_of(scaffold));
  return session;
}

WorkerSessionCreator::WorkerSessionCreator(WorkerSessionOptions options)
    : options_(with_scaffold(std::move(options))) {}

/// Another session for each look: one that was made before a server was started anew does not know it.
std::unique_ptr<Session> WorkerSessionCreator::create_session() {
  if (!std::exchange(is_final_, true)) options_.scaffold->finalize();
  const Readiness readiness = readiness_of(*options_.scaffold);
  const LimitedLooks looks(options_.max_wait_secs);
  std::unique_ptr<Session> session;
  wait_for_chief(
      [&] {
        session = std::make_unique<Session>(options_.master, options_.config);
        return look_for_chief(*session, readiness, looks.ends());
      },
      looks, readiness, {kLookEverySecs, options_.max_wait_secs},
      [](std::chrono::steady_clock::time_point time) { std::this_thread::sleep_until(time); });
  return session;
}

}  // namespace flowray::tf::train
