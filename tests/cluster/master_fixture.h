#pragma once
// A master that is called with messages, without a network.

#include "cluster/answers.h"
#include "cluster/graph_messages.h"
#include "cluster/master/master.h"
#include "wire/master.h"
#include "wire/tensor_value.h"

#include <flowray/errors.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace flowray::cluster {

class MasterTest : public ::testing::Test {
 protected:
  explicit MasterTest(const engine::ServerOptions& options = {})
      : task_({"worker", 3}, {}, options, Security()), master_(task_) {}

  /// The answer's bytes; `status_` is that of the call.
  std::string call(const std::string& method, const std::string& request) {
    const std::string path = method.starts_with('/') ? method : "/tensorflow.MasterService/" + method;
    const auto bytes = std::make_shared<std::string>(request);
    const Response response =
        answer_of(master_, {path, std::as_bytes(std::span(*bytes)), bytes, cancellation_});
    status_ = response.status;
    std::string answer;
    for (const auto& piece : response.message.pieces()) {
      answer.append(reinterpret_cast<const char*>(piece.bytes.data()), piece.bytes.size());
    }
    return answer;
  }
  template <class Answer, class Question>
  Answer ask(const std::string& method, const Question& question) {
    answer_ = call(method, wire::encode(question));  // what the answer borrows from
    return wire::decode<Answer>(answer_);
  }

  std::pair<Code, std::string> status() const { return {static_cast<Code>(status_.code), status_.text}; }
  std::string create(wire::GraphDef graph) {
    wire::CreateSessionRequest request;
    request.graph_def = std::move(graph);
    return ask<wire::CreateSessionResponse>("CreateSession", request).session_handle.str();
  }
  static wire::RunStepRequest step(const std::string& session, const char* fetch, const Array& fed) {
    wire::RunStepRequest request;
    request.session_handle = session;
    wire::NamedTensorProto& feed = request.feed.emplace_back();
    feed.name = "x:0";
    feed.tensor = wire::to_tensor_proto(fed, wire::TensorForm::kBorrowed);
    request.fetch = {fetch};
    return request;
  }

  Task task_;
  Master master_;
  Cancellation cancellation_;
  Status status_;
  std::string answer_;
};

}  // namespace flowray::cluster
