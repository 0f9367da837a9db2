#pragma once
/// Ops that may block (queues and their like): the third kernel form, which is asynchronous. `start` begins
/// the work and returns at once; it completes later by a callback, from any thread, so that no thread is
/// blocked meanwhile.

#include "core/cancellation.h"
#include "graph/attributes.h"
#include "graph/op_schema.h"
#include "graph/resource/rendezvous.h"
#include "graph/resource/resource.h"

#include <flowray/array.h>

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace flowray::graph {

class Node;
class NodeStates;
struct NodeInput;

/// How a call ended: an error, outputs, or that there are none because another device took another branch.
struct BlockingResult {
  Code code = Code::kOk;
  std::string text;  // the bare reason
  std::vector<Array> outputs;
  bool is_dead = false;
};

/// What may end a call early, for ops whose `start` itself runs something that may take long or block: the
/// functions of datasets. They live until the call is over.
struct CallLimits {
  using Clock = std::chrono::steady_clock;

  Cancellation* cancellation = nullptr;  // its run's
  Cancellation* closing = nullptr;       // its session's
  Cancellation* given_up = nullptr;      // its own
  Clock::time_point deadline = Clock::time_point::max();
  /// Functions that datasets call, and walks through datasets that such functions give, within each other.
  int nested = 0;

  static constexpr int kMostNested = 64;
  /// For what runs within one of these more. Throws errors::ResourceExhaustedError where these are too many:
  /// the function of a dataset may walk through a dataset whose function it is.
  CallLimits within() const;
  /// Whether its cancellation was requested.
  bool is_cancelled() const;
  /// For loops that call nothing which looks: throws errors::CancelledError and DeadlineExceededError.
  void check() const;
};

/// One call of a `start` function. The inputs are there until it returns; it may set outputs and must, now or
/// later, call done() or fail() once. Its maker keeps the call alive until then.
class BlockingCall {
 public:
  /// `done` is called on completion, in the completing thread. It must not block.
  BlockingCall(const Node& node, std::span<const NodeInput> inputs, std::function<void(BlockingResult)> done,
               const CallLimits& limits = {}, const TransferContext& transfer = {},
               NodeStates* states = nullptr)
      : node_(node),
        inputs_(inputs),
        done_(std::move(done)),
        limits_(limits),
        transfer_(transfer),
        states_(states) {}
  BlockingCall(const BlockingCall&) = delete;
  BlockingCall& operator=(const BlockingCall&) = delete;

  const Node& node() const { return node_; }
  const Attrs& attrs() const;
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  const Array& in(int i) const;
  /// The same, a handle as a value (graph/resource/resource_value.h) that does not keep its resource alive.
  Array value(int i) const;
  /// Input `i` of a reference or resource type. Throws errors::InvalidArgumentError if it stands for
  /// something else.
  template <class R>
  R& resource(int i) const {
    return resource_as<R>(resource_input(i));
  }

  const CallLimits& limits() const { return limits_; }
  /// What a _Send or _Recv needs to know of the run.
  const TransferContext& transfer() const { return transfer_; }
  /// The states of the session, whose functions graph::function_runner gives. Throws
  /// errors::UnimplementedError outside of one.
  NodeStates& states() const;

  void done(std::vector<Array> outputs = {}) { done_({Code::kOk, {}, std::move(outputs)}); }
  void done_dead() { done_({Code::kOk, {}, {}, /*is_dead=*/true}); }
  void fail(Code code, std::string text) { done_({code, std::move(text), {}}); }

 private:
  Resource& resource_input(int i) const;
  const Node& node_;
  std::span<const NodeInput> inputs_;
  std::function<void(BlockingResult)> done_;
  const CallLimits limits_;
  const TransferContext transfer_;
  NodeStates* const states_;
};

/// What a node needs to find or make the resource that its output stands for.
class ResourceContext {
 public:
  ResourceContext(const Node& node, ResourceContainers& containers, NodeStates& states)
      : node_(node), containers_(containers), states_(states) {}
  const Node& node() const { return node_; }
  const Attrs& attrs() const;

  /// The states of the session, whose functions graph::function_runner gives.
  NodeStates& states() const { return states_; }
  /// The session's own `R` for this node, whatever it is called.
  template <class R, class Make>
  std::shared_ptr<R> find_or_make_own(Make make) {
    return std::static_pointer_cast<R>(own([&]() -> std::shared_ptr<Resource> { return make(own_name()); }));
  }

  /// The `R` that other sessions find under the attribute `shared_name` too, or the session's own for
  /// this node where that is empty, then called "_NUMBER_NODE" as by TensorFlow. `make(name)` returns
  /// a std::shared_ptr<R>.
  template <class R, class Make>
  std::shared_ptr<R> find_or_make(Make make) {
    const std::string& shared = attrs().get<std::string>("shared_name");
    if (!shared.empty()) {
      return containers_.find_or_make<R>(attrs().get<std::string>("container"), shared,
                                         [&] { return make(shared); });
    }
    return find_or_make_own<R>(make);
  }

 private:
  std::shared_ptr<Resource> own(const std::function<std::shared_ptr<Resource>()>& make);
  std::string own_name() const;

  const Node& node_;
  ResourceContainers& containers_;
  NodeStates& states_;
};

/// The resource behind the output of a node without inputs: what its op's `resource` function gives, a
/// variable where there is none.
std::shared_ptr<Resource> bind_resource(const Node& node, ResourceContainers& containers, NodeStates& states);

}  // namespace flowray::graph
