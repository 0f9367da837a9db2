#include "cluster/worker/step_rendezvous.h"

#include "cluster/bodies.h"
#include "cluster/worker/random_id.h"
#include "wire/worker.h"

#include <utility>
#include <vector>

namespace flowray::cluster {
namespace {

/// Whether a task that answers so, or not at all, tells its master too that something is wrong. One that was
/// started anew does: it knows nothing of the part that the master wants to be run.
bool tells_its_master(Code code) { return code != Code::kUnimplemented && code != Code::kUnauthenticated; }

}  // namespace

std::function<void()> StepRendezvous::fetch(Channel& channel, const std::string& key,
                                            graph::Rendezvous::Taker take) {
  wire::RecvTensorRequest request;
  request.step_id = step_id_;
  request.rendezvous_key = key;
  request.request_id = random_id();
  const uint64_t number = begin();
  std::function<void()> give_up =
      channel.start("/tensorflow.WorkerService/RecvTensor", Message(wire::encode(request)), {},
                    [self = shared_from_this(), number, take = std::move(take)](const Response& response) {
                      self->end(number);
                      take(self->parcel_of(response));
                    });
  set_stop(number, give_up);
  return give_up;
}

graph::Parcel StepRendezvous::parcel_of(const Response& response) {
  if (!response.status.ok()) {
    const auto code = static_cast<Code>(response.status.code);
    const MutexLock lock(mutex_);
    if (failure_.code != Code::kOk) return failure_;
    if (code == Code::kCancelled) return {{}, false, Code::kCancelled, "RecvAsync is cancelled."};
    has_told_of_another_ |= tells_its_master(code);
    const bool is_away = code == Code::kUnavailable;
    return {{}, false, is_away || !tells_its_master(code) ? code : Code::kAborted, response.status.text};
  }
  try {
    const auto answer = body_of<wire::RecvTensorResponse>(response.message);
    if (answer.is_dead) return {{}, true};
    return {wire::to_array(answer.tensor, owner_of(response.message))};
  } catch (const std::exception& error) {
    return {{}, false, Code::kInternal, error.what()};
  }
}

void StepRendezvous::fail(Code code, const std::string& text) {
  std::map<uint64_t, std::function<void()>> open;
  {
    const MutexLock lock(mutex_);
    if (failure_.code != Code::kOk) return;
    failure_ = {{}, false, code, text};
    open.swap(open_);
  }
  here_.fail(code, text);
  for (const auto& [number, stop] : open) {
    if (stop != nullptr) stop();
  }
}

graph::Parcel StepRendezvous::failure() const {
  const MutexLock lock(mutex_);
  return failure_;
}

bool StepRendezvous::has_told_of_another() const {
  const MutexLock lock(mutex_);
  return has_told_of_another_;
}

uint64_t StepRendezvous::begin() {
  const MutexLock lock(mutex_);
  open_.emplace(++last_, nullptr);
  return last_;
}

void StepRendezvous::end(uint64_t number) {
  const MutexLock lock(mutex_);
  open_.erase(number);
}

void StepRendezvous::set_stop(uint64_t number, std::function<void()> stop) {
  {
    const MutexLock lock(mutex_);
    if (failure_.code == Code::kOk) {
      const auto found = open_.find(number);  // its answer may have come already
      if (found != open_.end()) found->second = std::move(stop);
      return;
    }
  }
  stop();
}

StepRendezvous::Watch::Watch(std::shared_ptr<StepRendezvous> step, std::function<void()> stop)
    : step_(std::move(step)), number_(step_->begin()) {
  step_->set_stop(number_, std::move(stop));
}

StepRendezvous::Watch::~Watch() { step_->end(number_); }

}  // namespace flowray::cluster
