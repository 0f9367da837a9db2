#include "cluster/master/receive_logs.h"

#include <flowray/errors.h>

#include <chrono>
#include <utility>

#include "cluster/bodies.h"

namespace flowray::cluster {
namespace {

constexpr std::string_view kLogging = "/tensorflow.WorkerService/Logging";

Channel::Limits seconds_to_tell() {
  return {.deadline = std::chrono::system_clock::now() + std::chrono::seconds(2)};
}

}  // namespace

void ReceiveLogs::ask(const wire::LoggingRequest& request, const std::function<void()>& then) {
  const Message message(wire::encode(request));
  {
    const MutexLock lock(mutex_);
    fetched_ = std::vector<Fetched>(workers_.size());
    num_open_ = workers_.size();
  }
  for (size_t i = 0; i < workers_.size(); ++i) {
    (void)workers_[i]->start(kLogging, message, seconds_to_tell(),
                             [self = shared_from_this(), i, then](const Response& response) {
                               Fetched& fetched = self->fetched_[i];
                               fetched.answer = response.message;
                               try {
                                 if (response.status.ok())
                                   fetched.told = body_of<wire::LoggingResponse>(fetched.answer);
                               } catch (const errors::DataLossError&) {  // as if it had not told
                                 fetched.told = {};
                               }
                               {
                                 const MutexLock lock(self->mutex_);
                                 if (--self->num_open_ > 0) return;
                               }
                               then();
                             });
  }
}

void ReceiveLogs::begin(const std::function<void()>& then) {
  wire::LoggingRequest request;
  request.enable_rpc_logging = true;
  ask(request, then);
}

void ReceiveLogs::fetch(int64_t step_id, const std::function<void()>& then) {
  wire::LoggingRequest request;
  request.fetch_step_id = {step_id};
  ask(request, [self = shared_from_this(), then] {
    self->end();
    then();
  });
}

void ReceiveLogs::end() {
  wire::LoggingRequest request;
  request.disable_rpc_logging = true;
  request.clear = true;
  const Message message(wire::encode(request));
  for (const std::shared_ptr<Channel>& worker : workers_)
    (void)worker->start(kLogging, message, seconds_to_tell(), [](const Response&) {});
}

std::vector<Message> ReceiveLogs::answers() const {
  std::vector<Message> answers;
  for (const Fetched& fetched : fetched_) answers.push_back(fetched.answer);
  return answers;
}

}  // namespace flowray::cluster
