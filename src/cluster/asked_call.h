#pragma once

#include "cluster/transport.h"
#include "core/cancellation.h"

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string_view>
#include <utility>

namespace flowray::cluster {

/// A call that is under way, whose answer a thread waits for when it has begun others, too. It is CANCELLED
/// when `client` is.
class AskedCall {
 public:
  AskedCall(Channel& channel, std::string_view method, const Message& message, const Channel::Limits& limits,
            Cancellation& client)
      : give_up_(channel.start(method, message, limits,
                               [to = answer_](Response response) { to->set_value(std::move(response)); })),
        listening_(client, give_up_) {}
  AskedCall(const AskedCall&) = delete;
  AskedCall& operator=(const AskedCall&) = delete;

  /// Waits for the answer. Only one of the two may be called, and only once.
  Response answer() { return answer_->get_future().get(); }
  /// `say` is called whenever it has lasted for another `patience`.
  Response answer(std::chrono::steady_clock::duration patience, const std::function<void()>& say) {
    std::future<Response> coming = answer_->get_future();
    while (coming.wait_for(patience) != std::future_status::ready) say();
    return coming.get();
  }

 private:
  const std::shared_ptr<std::promise<Response>> answer_ = std::make_shared<std::promise<Response>>();
  const std::function<void()> give_up_;
  const Cancellation::Listening listening_;
};

}  // namespace flowray::cluster
