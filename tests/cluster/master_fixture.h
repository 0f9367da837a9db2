#pragma once
// A master that is called with messages, without a network.

#include "cluster/master.h"
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
  /// The answer's bytes; `status_` is that of the call.
  std::string call(const std::string& method, const std::string& request) {
    const std::string path = "/tensorflow.MasterService/" + method;
    const auto bytes = std::make_shared<std::string>(request);
    const Response response = master_.handle({path, std::as_bytes(std::span(*bytes)), bytes, cancellation_});
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

  static wire::NodeDef node(const char* name, const char* op, std::vector<wire::Text> inputs, DType dtype) {
    wire::NodeDef node = without_attrs(name, op, std::move(inputs));
    const bool is_source = std::string_view(op) == "Placeholder" || std::string_view(op) == "VariableV2";
    node.attr.add(is_source ? "dtype" : "T").value = dtype;
    return node;
  }
  static wire::NodeDef without_attrs(const char* name, const char* op, std::vector<wire::Text> inputs = {}) {
    wire::NodeDef node;
    node.name = name;
    node.op = op;
    node.input = std::move(inputs);
    return node;
  }
  /// A float32 scalar.
  static wire::NodeDef constant(const char* name, float value) {
    wire::NodeDef node = without_attrs(name, "Const");
    node.attr.add("dtype").value = DType::kFloat32;
    node.attr.add("value").value = wire::Box<wire::TensorProto>(scalar(value));
    return node;
  }
  static wire::NodeDef variable(const char* name) {
    wire::NodeDef node = MasterTest::node(name, "VariableV2", {}, DType::kFloat32);
    node.attr.add("shape").value = wire::TensorShapeProto{};
    return node;
  }
  static wire::TensorProto scalar(float value) {
    return wire::to_tensor_proto(Array(value), wire::TensorForm::kConstant);
  }
  std::pair<Code, std::string> status() const { return {static_cast<Code>(status_.code), status_.text}; }
  /// y = x + x, of float32.
  static wire::GraphDef doubling() {
    wire::GraphDef graph;
    graph.node = {node("x", "Placeholder", {}, DType::kFloat32), node("y", "AddV2", {"x", "x"}, DType::kFloat32)};
    return graph;
  }
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

  Master master_{{"worker", 3}};
  Cancellation cancellation_;
  Status status_;
  std::string answer_;
};

}  // namespace flowray::cluster
