#pragma once
// A client of a server, over the network.

#include "cluster/transport.h"
#include "wire/master.h"
#include "wire/tensor_value.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flowray::cluster {

/// TensorFlow's calls with a session, each as one request. One thread.
class NetworkClient {
 public:
  /// `target`: "grpc://localhost:2222"
  explicit NetworkClient(std::string_view target)
      : channel_(transport().connect(std::string(target.substr(std::string_view("grpc://").size())))) {}

  /// The answer, decoded; `status()` says how it went.
  template <class Answer, class Question>
  Answer ask(const std::string& method, const Question& question, Cancellation* cancellation = nullptr) {
    Response response = channel_->call("/tensorflow.MasterService/" + method, Message(wire::encode(question)),
                                       deadline(), cancellation);
    status_ = response.status;
    answer_.clear();
    for (const auto& piece : response.message.pieces()) {
      answer_.append(reinterpret_cast<const char*>(piece.bytes.data()), piece.bytes.size());
    }
    return wire::decode<Answer>(answer_);
  }
  const Status& status() const { return status_; }
  /// Calls from now on end after this time at the latest, with DEADLINE_EXCEEDED. Without: never.
  void set_timeout(std::chrono::seconds timeout) { timeout_ = timeout; }

  /// Makes the client's session.
  bool create(wire::GraphDef graph) {
    wire::CreateSessionRequest request;
    request.graph_def = std::move(graph);
    session_ = ask<wire::CreateSessionResponse>("CreateSession", request).session_handle.str();
    return status_.ok();
  }
  /// The value of `fetch`, fed x; or nothing was fetched, and its target ran.
  Array run(const char* fetch, const Array* x = nullptr, Cancellation* cancellation = nullptr) {
    wire::RunStepRequest request;
    request.session_handle = session_;
    if (std::string_view(fetch).find(':') == std::string_view::npos) {
      request.target = {fetch};
    } else {
      request.fetch = {fetch};
    }
    if (x != nullptr) {
      auto& feed = request.feed.emplace_back();
      feed.name = "x:0";
      feed.tensor = wire::to_tensor_proto(*x, wire::TensorForm::kBorrowed);
    }
    const auto answer = ask<wire::RunStepResponse>("RunStep", request, cancellation);
    return answer.tensor.empty() ? Array() : wire::to_array(answer.tensor[0].tensor);
  }
  const std::string& session() const { return session_; }
  bool close() {
    wire::CloseSessionRequest request;
    request.session_handle = session_;
    Response response = channel_->call("/tensorflow.MasterService/CloseSession",
                                       Message(wire::encode(request)), deadline(), nullptr);
    status_ = response.status;
    return status_.ok();
  }

 private:
  Channel::Deadline deadline() const {
    return timeout_.has_value() ? Channel::Deadline::clock::now() + *timeout_ : Channel::Deadline::max();
  }

  std::unique_ptr<Channel> channel_;
  std::optional<std::chrono::seconds> timeout_;
  std::string session_;
  std::string answer_;  // what a decoded answer borrows from
  Status status_;
};

}  // namespace flowray::cluster
