#include "cluster/worker/step_rendezvous.h"

#include "cluster/bodies.h"
#include "cluster/status_text.h"
#include "cluster/worker/random_id.h"
#include "cluster/worker/task_names.h"
#include "core/job_queue.h"
#include "wire/worker.h"

#include <fmt/format.h>

#include <atomic>
#include <utility>
#include <vector>

namespace flowray::cluster {
namespace {

/// Whether a task that answers so, or not at all, tells its master too that something is wrong. One that was
/// started anew does: it knows nothing of the part that the master wants to be run.
bool tells_its_master(const Status& status) {
  const auto code = static_cast<Code>(status.code);
  if (code == Code::kUnimplemented || code == Code::kUnauthenticated) return false;
  // What is too large for this task was right where it came from.
  return code != Code::kResourceExhausted || !status.text.starts_with(kTooLargeBegin);
}

/// The answer to a request that this task still waits for and the other one has cancelled: its part of the
/// step was stopped, which its master tells, or the connection between them is broken.
const Response kLost{{}, {static_cast<int>(Code::kAborted), "The question for a tensor was lost on its way"}};

/// Reads the content of a tensor that came without, into memory that `owner` keeps then.
bool read_where_it_is(const wire::DirectSource& source, const Nonce& nonce, wire::TensorProto& tensor,
                      std::shared_ptr<const void>& owner) {
  constexpr size_t kAlignment = 64;
  if (source.size_bytes < 0 || source.size_bytes > INT64_MAX / 2) return false;
  const auto size = static_cast<size_t>(source.size_bytes);
  const Memory memory = allocate_from_pool(size + kAlignment);
  if (memory.data == nullptr) return false;
  std::byte* const begin = memory.data + -reinterpret_cast<uintptr_t>(memory.data) % kAlignment;
  if (!read_directly(source, nonce, {begin, size})) return false;
  tensor.tensor_content = wire::Bytes::borrow({reinterpret_cast<const char*>(begin), size});
  owner = memory.owner;
  return true;
}

}  // namespace

std::function<void()> StepRendezvous::fetch(const std::shared_ptr<Channel>& channel, const std::string& key,
                                            graph::Rendezvous::Taker take) {
  const Nonce nonce{static_cast<uint64_t>(random_id()), static_cast<uint64_t>(random_id())};
  const int64_t begin_ns = traces_receives_.load(std::memory_order_relaxed) ? nanos_since_1970() : 0;
  return ask(channel, {.key = key, .nonce = nonce, .begin_ns = begin_ns}, take);
}

std::function<void()> StepRendezvous::ask(const std::shared_ptr<Channel>& channel, const Question& question,
                                          const graph::Rendezvous::Taker& take) {
  wire::RecvTensorRequest request;
  request.step_id = step_id_;
  request.rendezvous_key = question.key;
  request.request_id = static_cast<int64_t>(question.nonce.low);
  if (question.has_failed || offers_direct_reads()) {
    wire::DirectOffer& offer = request.direct.emplace();
    offer.host = direct_host();
    offer.nonce_low = question.nonce.low;
    offer.nonce_high = question.nonce.high;
    offer.has_failed = question.has_failed;
  }
  const uint64_t number = begin();
  const auto is_given_up = std::make_shared<std::atomic<bool>>(false);
  const auto stop = channel->start(
      "/tensorflow.WorkerService/RecvTensor", Message(wire::encode(request)), {},
      [self = shared_from_this(), number, channel, question, take, is_given_up](const Response& response) {
        self->end(number);
        const bool is_lost = !*is_given_up && response.status.code == static_cast<int>(Code::kCancelled);
        self->take_in(channel, question, is_lost ? kLost : response, take);
      });
  const std::function<void()> give_up = [is_given_up, stop] {
    *is_given_up = true;
    stop();
  };
  set_stop(number, give_up);
  return give_up;
}

graph::Parcel StepRendezvous::failure_in(const Status& status, const std::string& key) {
  const auto code = static_cast<Code>(status.code);
  const MutexLock lock(mutex_);
  if (failure_.code != Code::kOk) return failure_;
  if (code == Code::kCancelled) return {{}, false, Code::kCancelled, "RecvAsync is cancelled."};
  has_told_of_another_ |= tells_its_master(status);
  if (code == Code::kUnavailable) {
    const graph::DeviceName sender = parse_key(key).sender;
    return {{},
            false,
            code,
            fmt::format("{}\nThe tensor would have come from {}", status.text,
                        Identity{*sender.job, *sender.task}.name())};
  }
  return {{}, false, code, status.text};
}

void StepRendezvous::take_in(const std::shared_ptr<Channel>& channel, const Question& question,
                             const Response& response, const graph::Rendezvous::Taker& take) {
  const OwnContinuations own(response.thread_has_time);
  if (!response.status.ok()) return take(failure_in(response.status, question.key));
  graph::Parcel parcel;
  try {
    auto answer = body_of<wire::RecvTensorResponse>(response.message);
    if (answer.is_dead) return take({{}, true});
    std::shared_ptr<const void> owner = owner_of(response.message);
    if (answer.direct.has_value()) {
      if (const int64_t size = answer.direct->size_bytes; size > channel->most_answer_bytes())
        return take(
            {{}, false, Code::kResourceExhausted, too_large_text(size, channel->most_answer_bytes())});
      if (!read_where_it_is(*answer.direct, question.nonce, answer.tensor, owner)) {
        offer_direct_reads(false);
        (void)ask(channel, {question.key, question.nonce, true, question.begin_ns}, take);
        return;
      }
      wire::MarkRecvFinishedRequest finished;
      finished.step_id = step_id_;
      finished.request_id = static_cast<int64_t>(question.nonce.low);
      (void)channel->start("/tensorflow.WorkerService/MarkRecvFinished", Message(wire::encode(finished)), {},
                           [](const Response&) {});
    }
    parcel.value = wire::to_array(answer.tensor, owner);
    if (question.begin_ns != 0) remember(question, parcel.value);
  } catch (const std::exception& error) {
    parcel = {{}, false, Code::kInternal, error.what()};
  }
  take(std::move(parcel));
}

void StepRendezvous::remember(const Question& question, const Array& value) {
  const int64_t end_ns = nanos_since_1970();
  const MutexLock lock(mutex_);
  if (received_.size() >= kMostReceived || (budget_ != nullptr && !budget_->take())) return;
  received_.push_back({question.key, question.begin_ns, end_ns, static_cast<int64_t>(value.size_bytes())});
}

std::vector<ReceivedTensor> StepRendezvous::received() const {
  const MutexLock lock(mutex_);
  return received_;
}

void StepRendezvous::forget_received() {
  const MutexLock lock(mutex_);
  if (budget_ != nullptr) budget_->give_back(received_.size());
  received_ = {};
}

wire::DirectSource StepRendezvous::grant(const wire::DirectOffer& offer, Array array) {
  auto made = std::make_shared<DirectGrant>(Nonce{offer.nonce_low, offer.nonce_high}, std::move(array));
  wire::DirectSource source = made->source();
  const MutexLock lock(mutex_);
  grants_[offer.nonce_low] = std::move(made);
  return source;
}

Array StepRendezvous::take_back(uint64_t nonce_low) {
  std::shared_ptr<DirectGrant> taken;  // ends outside of the lock
  const MutexLock lock(mutex_);
  const auto found = grants_.find(nonce_low);
  if (found == grants_.end()) return {};
  taken = std::move(found->second);
  grants_.erase(found);
  return taken->array();
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
