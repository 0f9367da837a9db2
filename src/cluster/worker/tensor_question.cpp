#include "cluster/worker/tensor_question.h"

#include "cluster/bodies.h"
#include "core/job_queue.h"
#include "wire/worker.h"

#include <flowray/errors.h>
#include <fmt/format.h>

namespace flowray::cluster {
namespace {

Response response_with(graph::Parcel parcel) {
  if (parcel.code != Code::kOk) return {{}, {static_cast<int>(parcel.code), std::move(parcel.text)}};
  return response_of([&] {
    const bool is_dead = parcel.is_dead;
    if (is_dead) parcel.value = Array(DType::kFloat32, {0});
    std::vector<Array> arrays;
    arrays.push_back(std::move(parcel.value));
    return with_tensors(std::move(arrays), [is_dead](const std::vector<Array>& values) {
      wire::RecvTensorResponse response;
      response.tensor = wire::to_tensor_proto(values[0], wire::TensorForm::kBorrowed);
      response.is_dead = is_dead;
      return response;
    });
  });
}

}  // namespace

TensorQuestion::TensorQuestion(Steps& steps, const wire::RecvTensorRequest& message, const Request& request,
                               Reply reply)
    : reply_(std::move(reply)), offer_(message.direct), visit_(std::in_place, steps, message.step_id) {
  listening_.emplace(request.cancellation, [this] { give_up(); });
}

void TensorQuestion::ask(Steps& steps, const wire::RecvTensorRequest& message, const Request& request,
                         Reply reply) {
  const std::string key = message.rendezvous_key.str();
  const std::shared_ptr<TensorQuestion> question(
      new TensorQuestion(steps, message, request, std::move(reply)));
  graph::LocalRendezvous& here = question->visit_->step().here();
  std::function<void()> give_up = here.receive(key, [question](graph::Parcel parcel) {
    // The cancelling thread may be the listener's, which must not end itself.
    if (parcel.code == Code::kCancelled) {
      default_jobs().post([question, parcel = std::move(parcel)] { question->answer(parcel); });
    } else {
      question->answer(std::move(parcel));
    }
  });
  if (give_up == nullptr) return;
  {
    const MutexLock lock(question->mutex_);
    if (!question->is_unwanted_) {
      question->give_up_ = std::move(give_up);
      return;
    }
  }
  give_up();
}

void TensorQuestion::give_up() {
  std::function<void()> give_up;
  {
    const MutexLock lock(mutex_);
    is_unwanted_ = true;
    give_up = std::move(give_up_);
  }
  if (give_up != nullptr) give_up();
}

/// Whatever belongs to the request or the server may be gone once it is answered.
void TensorQuestion::answer(graph::Parcel parcel) {
  listening_.reset();
  const bool is_granted = parcel.code == Code::kOk && !parcel.is_dead && offer_.has_value() &&
                          may_be_read_directly(parcel.value, *offer_);
  Response response = is_granted ? grant(std::move(parcel.value)) : response_with(std::move(parcel));
  visit_.reset();
  reply_(std::move(response));
}

Response TensorQuestion::grant(Array array) {
  return response_of([&] {
    wire::RecvTensorResponse response;
    response.tensor = wire::to_tensor_proto(array, wire::TensorForm::kBorrowed);
    response.tensor.tensor_content = {};
    response.direct = visit_->step().grant(*offer_, std::move(array));
    return Message(wire::encode(response));
  });
}

Response TensorQuestion::answer_again(Steps& steps, const wire::RecvTensorRequest& message) {
  const Steps::Visit visit(steps, message.step_id);
  graph::Parcel parcel;
  parcel.value = visit.step().take_back(message.direct->nonce_low);
  if (!parcel.value.has_value()) {
    throw errors::AbortedError(
        fmt::format("Nothing is granted under the key {}, any more", message.rendezvous_key.view()));
  }
  return response_with(std::move(parcel));
}

}  // namespace flowray::cluster
