#include <flowray/tf/session_run_hooks.h>
#include <flowray/tf/sync_replicas.h>

#include "tf/train/monitored/readiness.h"
#include "tf/train/monitored/waiting_words.h"
#include "tf/train/waits_for_token.h"

#include <flowray/errors.h>

#include <fmt/format.h>

namespace flowray::tf::train {
namespace {

class SyncReplicasHook : public SessionRunHook {
 public:
  SyncReplicasHook(SyncReplicasOptimizer& optimizer, bool is_chief, int num_tokens)
      : optimizer_(optimizer), is_chief_(is_chief), num_tokens_(num_tokens) {}

  void begin() override {
    init_op_ = optimizer_.init_op_of(is_chief_);
    ready_ = optimizer_.ready_for_local_init_op();
    if (!is_chief_) return;
    queues_ = {optimizer_.get_chief_queue_runner()};
    tokens_op_ = optimizer_.get_init_tokens_op(num_tokens_);
  }

  void after_create_session(Session& session, Coordinator& coordinator) override {
    if (const std::string against = missing_variables(session, ready_); !against.empty()) {
      throw RuntimeError(
          fmt::format("Init operations did not make model ready for SyncReplicasOptimizer local_init. Init "
                      "op: {}, error: {}",
                      init_op_.name(), against));
    }
    session.run(init_op_);
    if (tokens_op_.has_value()) session.run(tokens_op_);
    coordinator.start_queue_runners(session, queues_);
    words_.end();  // a step of the session before was not over
    coordinator.start_thread([this, &coordinator] { words_.watch(coordinator); });
  }

  SessionRunArgs before_run(SessionRunContext&) override {
    words_.begin();
    return {};
  }
  void after_run(SessionRunContext&, const SessionRunValues&) override { words_.end(); }

 private:
  SyncReplicasOptimizer& optimizer_;
  const bool is_chief_;
  const int num_tokens_;
  Operation init_op_;
  Operation tokens_op_;
  Tensor ready_;
  std::vector<FilledQueue> queues_;
  WaitingWords words_{kWaitsForToken};
};

}  // namespace

std::shared_ptr<SessionRunHook> SyncReplicasOptimizer::make_session_run_hook(
    bool is_chief, const SyncReplicasHookOptions& options) {
  return std::make_shared<SyncReplicasHook>(*this, is_chief, options.num_tokens);
}

}  // namespace flowray::tf::train
