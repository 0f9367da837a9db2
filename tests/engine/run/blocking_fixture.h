#pragma once
/// Queues, and steps that wait at them.

#include "engine/engine_fixture.h"

#include <future>
#include <string>
#include <thread>
#include <vector>

namespace flowray::engine {

class BlockingSteps : public EngineTest {
 protected:
  graph::Endpoint queue(const std::string& name, int64_t capacity, const std::string& shared_name = "") {
    return builder.op("FIFOQueueV2", {},
                      {{"component_types", std::vector<DType>{DType::kInt32}},
                       {"shapes", std::vector<Shape>{Shape()}},
                       {"capacity", capacity},
                       {"shared_name", shared_name}},
                      name);
  }
  graph::Node* enqueue(graph::Endpoint queue, graph::Endpoint value, const std::string& name = "enqueue") {
    return builder.node("QueueEnqueueV2", {queue, value}, {}, name);
  }
  graph::Endpoint dequeue(graph::Endpoint queue, const std::string& name = "dequeue") {
    return builder.op("QueueDequeueV2", {queue}, {{"component_types", std::vector<DType>{DType::kInt32}}},
                      name);
  }
  graph::Endpoint dequeue_many(graph::Endpoint queue, int32_t count,
                               const std::string& name = "dequeue_many") {
    return builder.op("QueueDequeueManyV2", {queue, builder.constant(count)},
                      {{"component_types", std::vector<DType>{DType::kInt32}}}, name);
  }
  int32_t size_of(graph::Endpoint queue) {
    return run({builder.op("QueueSizeV2", {queue})})[0].item<int32_t>();
  }

  /// Runs in a thread of its own; the future has the result or the error.
  std::future<Array> run_aside(graph::Endpoint fetch, RunContext context = {}) {
    const std::vector<graph::Endpoint> fetches{fetch};
    Step& step = session.step({{}, fetches, {}});
    return std::async(std::launch::async, [&step, context] {
      Array result;
      step.run({}, {&result, 1}, context);
      return result;
    });
  }
  /// A step that has taken one element and waits for another: when the queue is empty, it waits.
  std::future<Array> run_until_it_waits(graph::Endpoint queue, RunContext context = {}) {
    run_targets({enqueue(queue, builder.constant(5))});
    const auto size = builder.op("QueueSizeV2", {queue});
    auto waiting = run_aside(dequeue_many(queue, 2), context);
    while (run({size})[0].item<int32_t>() != 0) std::this_thread::yield();
    return waiting;
  }

  template <class E>
  static std::string error_of(std::future<Array>& result) {
    try {
      (void)result.get();
    } catch (const E& error) {
      return error.message().substr(0, error.message().find("\nThe node was made at"));
    }
    return "no such error";
  }
};

}  // namespace flowray::engine
