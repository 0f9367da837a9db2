#pragma once
// Handlers and masters that are asked for one answer at a time.

#include "cluster/master/master.h"

#include <functional>
#include <future>
#include <memory>
#include <utility>

namespace flowray::cluster {

/// What `master` answers, whenever it does.
inline Response answer_of(Master& master, const Request& request) {
  // Held by the reply too, which ends after the answer has been seen.
  const auto answer = std::make_shared<std::promise<Response>>();
  master.handle(request, [answer](Response response) { answer->set_value(std::move(response)); });
  return answer->get_future().get();
}

/// A handler that answers at once.
inline Handler answering(std::function<Response(const Request&)> answer) {
  return [answer = std::move(answer)](const Request& request, const Reply& reply) { reply(answer(request)); };
}

}  // namespace flowray::cluster
