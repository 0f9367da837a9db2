#pragma once

#include "core/philox.h"
#include "graph/kernel/kernel.h"

#include <cstdint>
#include <memory>

namespace flowray::ops {

/// The random numbers of a node with attributes `seed` and `seed2`: the session's, over all its steps.
struct RandomGenerator final : graph::NodeState {
  RandomGenerator(int64_t seed, int64_t seed2) : stream(seed, seed2) {}
  RandomStream stream;
};

inline std::shared_ptr<RandomGenerator> generator_of(graph::PrepareContext& context) {
  return context.state<RandomGenerator>([&] {
    const graph::Attrs& attrs = context.attrs();
    return std::make_shared<RandomGenerator>(attrs.get<int64_t>("seed"), attrs.get<int64_t>("seed2"));
  });
}

}  // namespace flowray::ops
