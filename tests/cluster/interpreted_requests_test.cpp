// The engine agrees with the naive interpreter on what TensorFlow's clients ask of a server: each pass on and
// off, on one thread and on two. FLOWRAY_RECORDED_REQUESTS names a file with more uses than
// tests/golden/requests.txt (tests/interop/interpreted_test.py makes one).
#include "cluster/recorded_requests.h"
#include "engine/session.h"
#include "graph/exchange/function_body.h"
#include "graph/exchange/graph_import.h"
#include "ops/all_ops.h"
#include "support/error_words.h"
#include "support/interpreter.h"
#include "wire/master.h"
#include "wire/tensor_value.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>

namespace flowray::cluster {
namespace {

using engine::PassOptions;
using graph::Endpoint;
using graph::Node;

struct Variant {
  const char* name;
  int threads;
  PassOptions passes;
};
constexpr Variant kVariants[] = {
    {"all passes", 1, {.verify = true}},
    {"all passes, two threads", 2, {.verify = true}},
    {"nothing raised", 1, {.raise = false, .verify = true}},
    {"nothing folded", 2, {.fold = false, .verify = true}},
    {"nothing dropped", 1, {.drop = false, .verify = true}},
    {"nothing shared", 2, {.share = false, .verify = true}},
    {"nothing fused", 1, {.fuse = false, .verify = true}},
    {"in list order", 2, {.order = false, .verify = true}},
};

/// A client's session on every side: one graph, a session of the engine for each variant, the interpreter.
class Sides {
 public:
  using Containers = std::vector<std::shared_ptr<graph::ResourceContainers>>;

  explicit Sides(const Containers& containers) : interpreter_(containers.back()) {
    for (size_t i = 0; i < std::size(kVariants); ++i) {
      sessions_.push_back(std::make_unique<engine::Session>(
          engine::SessionOptions{.intra_op_threads = kVariants[i].threads, .passes = kVariants[i].passes},
          containers[i]));
    }
  }

  /// One set for each side.
  static Containers containers() {
    Containers all(std::size(kVariants) + 1);
    for (auto& one : all) one = std::make_shared<graph::ResourceContainers>();
    return all;
  }

  void extend(const wire::GraphDef& nodes) {
    graph::import_graph_def(nodes, *graph_, {.may_use_nodes_of_graph = true});
  }

  struct Step {
    std::vector<Endpoint> feeds;
    std::vector<Array> fed;
    std::vector<Endpoint> fetches;
    std::vector<Node*> targets;
  };
  /// False for one that the server refuses.
  bool find(const wire::RunStepRequest& request, Step& step) const {
    for (const wire::NamedTensorProto& feed : request.feed) {
      step.feeds.push_back(endpoint(feed.name.str()));
      step.fed.push_back(wire::to_array(feed.tensor));
    }
    for (const wire::Text& fetch : request.fetch) step.fetches.push_back(endpoint(fetch.str()));
    for (const wire::Text& target : request.target) step.targets.push_back(graph_->find(target.str()));
    size_t at = 0;
    const auto is_fed_once = [&](const Endpoint& fed) {
      return fed.node != nullptr && std::ranges::count(step.feeds, fed) == 1 &&
             base_dtype(fed.dtype()) == step.fed[at++].dtype();
    };
    const auto is_made = [&](const Endpoint& fetch) {
      return fetch.node != nullptr && std::ranges::count(step.feeds, fetch) == 0;
    };
    return std::ranges::all_of(step.feeds, is_fed_once) && std::ranges::all_of(step.fetches, is_made) &&
           std::ranges::all_of(step.targets, [](const Node* target) { return target != nullptr; });
  }

  struct Outcome {
    std::vector<Array> results;
    std::string error;
  };
  Outcome run(size_t variant, const Step& step) {
    std::vector<const Array*> fed;
    for (const Array& value : step.fed) fed.push_back(&value);
    Outcome outcome;
    outcome.results.resize(step.fetches.size());
    try {
      sessions_[variant]->step({step.feeds, step.fetches, step.targets}).run(fed, outcome.results);
    } catch (const Error& error) {
      outcome.error = testing::words_of(error);
    }
    return outcome;
  }
  Outcome interpret(const Step& step) {
    std::vector<testing::Interpreter::Feed> feeds;
    for (size_t i = 0; i < step.feeds.size(); ++i) feeds.push_back({step.feeds[i], step.fed[i]});
    try {
      return {interpreter_.run(step.fetches, feeds, step.targets), ""};
    } catch (const Error& error) {
      return {{}, testing::words_of(error)};
    }
  }

  std::string beyond_interpreter(const Step& step) const {
    return testing::Interpreter::beyond(step.fetches, step.feeds, step.targets);
  }

 private:
  Endpoint endpoint(const std::string& name) const {
    const size_t colon = name.rfind(':');
    Node* node = graph_->find(name.substr(0, colon));
    const int index = colon == std::string::npos ? 0 : std::stoi(name.substr(colon + 1));
    return node != nullptr && index < node->num_outputs() ? Endpoint{node, index} : Endpoint{};
  }

  std::unique_ptr<graph::Graph, graph::FunctionBody::Release> graph_{new graph::Graph(ops::op_table())};
  std::vector<std::unique_ptr<engine::Session>> sessions_;
  testing::Interpreter interpreter_;
};

class InterpretedRequests : public ::testing::Test {
 protected:
  ~InterpretedRequests() override {
    std::cout << "steps compared: " << num_steps_ << "; left out:";
    for (const auto& [why, count] : left_out_) std::cout << " " << why << " " << count << ",";
    std::cout << "\n";
  }

  void replay(const RecordedUse& use) {
    SCOPED_TRACE(use.name);
    containers_ = Sides::containers();
    std::map<std::string, std::unique_ptr<Sides>> sessions;
    size_t num_sessions = 0;
    for (const RecordedRequest& request : use.requests) {
      if (request.method == "CreateSession") {
        auto sides = std::make_unique<Sides>(containers_);
        const auto message = wire::decode<wire::CreateSessionRequest>(request.bytes);
        if (!extend(*sides, message.graph_def)) {
          ++left_out_["a graph that the server refuses"];
          continue;
        }
        sessions[recorded_session(num_sessions++)] = std::move(sides);
      } else if (request.method == "ExtendSession") {
        const auto message = wire::decode<wire::ExtendSessionRequest>(request.bytes);
        const auto found = sessions.find(message.session_handle.str());
        if (found != sessions.end()) (void)extend(*found->second, message.graph_def);
      } else if (request.method == "Reset") {
        containers_ = Sides::containers();
      } else if (request.method == "RunStep") {
        const auto message = wire::decode<wire::RunStepRequest>(request.bytes);
        const auto found = sessions.find(message.session_handle.str());
        if (found == sessions.end() || !message.partial_run_handle.view().empty()) {
          ++left_out_["an invalid partial run or session"];
        } else if (!compare(*found->second, message)) {
          return;
        }
      } else {
        ++left_out_[request.method];
      }
    }
  }

  size_t num_steps() const { return num_steps_; }

 private:
  static bool extend(Sides& sides, const wire::GraphDef& nodes) {
    try {
      sides.extend(nodes);
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  /// False where what comes later cannot be compared: it builds on what was not.
  bool compare(Sides& sides, const wire::RunStepRequest& request) {
    Sides::Step step;
    if (!sides.find(request, step) || (step.fetches.empty() && step.targets.empty())) {
      ++left_out_["a step that the server refuses"];
      return true;
    }
    if (const std::string why = sides.beyond_interpreter(step); !why.empty()) {
      ++left_out_[why];
      return false;
    }
    ++num_steps_;
    const Sides::Outcome expected = sides.interpret(step);
    for (size_t i = 0; i < std::size(kVariants); ++i) {
      const Sides::Outcome outcome = sides.run(i, step);
      EXPECT_EQ(outcome.error, expected.error) << kVariants[i].name;
      if (!expected.error.empty() || !outcome.error.empty()) continue;
      for (size_t k = 0; k < step.fetches.size(); ++k) {
        EXPECT_TRUE(testing::is_same(outcome.results[k], expected.results[k], kVariants[i].threads))
            << kVariants[i].name << ": " << step.fetches[k].name() << " is " << outcome.results[k].to_string()
            << ", by the interpreter " << expected.results[k].to_string();
      }
      if (::testing::Test::HasFailure()) return false;
    }
    return true;
  }

  Sides::Containers containers_;
  size_t num_steps_ = 0;
  std::map<std::string, int> left_out_;
};

TEST_F(InterpretedRequests, OfTheRecordedClientGiveTheSameBits) {
  for (const RecordedUse& use : recorded_uses()) {
    replay(use);
    if (HasFailure()) return;
  }
  EXPECT_GT(num_steps(), 20u);
}

TEST_F(InterpretedRequests, OfProgramsGiveTheSameBits) {
  const char* const path = std::getenv("FLOWRAY_RECORDED_REQUESTS");
  if (path == nullptr) GTEST_SKIP() << "FLOWRAY_RECORDED_REQUESTS names no file";
  for (const RecordedUse& use : recorded_uses(path)) {
    replay(use);
    if (HasFailure()) return;
  }
  EXPECT_GT(num_steps(), 0u);
}

}  // namespace
}  // namespace flowray::cluster
