#pragma once
/// Sessions with the fusing pass and without it, whose results must be the same to the bit.

#include "engine/engine_fixture.h"
#include "engine/program/program_text.h"

#include <cstring>
#include <string>
#include <vector>

namespace flowray::engine {

class FuseTest : public EngineTest {
 protected:
  std::string text(const std::vector<graph::Endpoint>& fetches, const std::vector<Fed>& feeds, bool on = true,
                   const std::vector<graph::Node*>& targets = {}) {
    return to_text(*plan_for(fetches, feeds, targets, {.fuse = on, .verify = true}));
  }

  std::vector<Array> run_in(Session& any, const std::vector<graph::Endpoint>& fetches,
                            const std::vector<Fed>& feeds) {
    std::vector<graph::Endpoint> endpoints;
    std::vector<const Array*> values;
    for (const Fed& feed : feeds) {
      endpoints.push_back(feed.endpoint);
      values.push_back(&feed.value);
    }
    std::vector<Array> results(fetches.size());
    any.step({endpoints, fetches, {}}).run(values, results);
    return results;
  }

  /// Bit by bit, with the pass on and off.
  void expect_same(const std::vector<graph::Endpoint>& fetches, const std::vector<Fed>& feeds) {
    const std::vector<Array> fused = run_in(session, fetches, feeds);
    const std::vector<Array> plain = run_in(without_, fetches, feeds);
    for (size_t i = 0; i < fetches.size(); ++i) {
      ASSERT_EQ(fused[i].dtype(), plain[i].dtype());
      ASSERT_EQ(fused[i].shape(), plain[i].shape());
      EXPECT_EQ(std::memcmp(fused[i].raw_data(), plain[i].raw_data(), plain[i].size_bytes()), 0)
          << fetches[i].name() << " " << plain[i].shape().to_string() << "\n"
          << text(fetches, feeds);
    }
  }

  Fed fed(const Shape& shape, float scale = 1.0f) {
    Array value(DType::kFloat32, shape);
    for (int64_t i = 0; i < value.size(); ++i) {
      value.mutable_data<float>()[i] = scale * (static_cast<float>((i * 37 + 11) % 101) / 50.0f - 1.0f);
    }
    return {placeholder(DType::kFloat32, shape), value};
  }

  Session without_{{.passes = {.fuse = false, .verify = true}}};
};

}  // namespace flowray::engine
