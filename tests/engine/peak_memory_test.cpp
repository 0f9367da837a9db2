// Steps need no more memory than real TensorFlow's allocator hands out for them at once.

#include "core/buffer_watch.h"
#include "engine/compile.h"
#include "engine/explain.h"
#include "engine/program/program_text.h"
#include "engine/session.h"
#include "graph/exchange/graph_import.h"
#include "ops/all_ops.h"
#include "support/hexadecimal.h"
#include "support/json.h"
#include "wire/tensor_value.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>

namespace flowray::engine {
namespace {

using testing::Json;

const Json& recorded() {
  static const Json kJson = testing::read_golden("peak_memory");
  return kJson;
}

/// Element i is i mod 7.
template <class T>
Array sevens(const Shape& shape) {
  Array array(kDTypeOf<T>, shape);
  T* elements = array.mutable_data<T>();
  for (int64_t i = 0; i < array.size(); ++i) elements[i] = static_cast<T>(i % 7);
  return array;
}

class PeakMemory : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const Json& program = recorded().at(GetParam());
    const std::string bytes = testing::from_hexadecimal(program.at("graph").text);
    graph::import_graph_def(wire::decode<wire::GraphDef>(bytes), graph_);
    run({}, nodes(program.at("initializers")));
    for (const auto& [name, feed] : program.at("feeds").members) {
      std::vector<int64_t> dims;
      for (const Json& dim : feed.at("shape").items) dims.push_back(dim.integer());
      const bool is_float = feed.at("dtype").text == "float32";
      fed_.push_back(endpoint(name));
      values_.push_back(is_float ? sevens<float>(Shape(dims)) : sevens<int32_t>(Shape(dims)));
    }
    for (const Json& fetch : program.at("fetches").items) fetches_.push_back(endpoint(fetch.text));
    targets_ = nodes(program.at("targets"));
  }

  graph::Endpoint endpoint(const std::string& name) const {
    const size_t colon = name.rfind(':');
    return {graph_.find(name.substr(0, colon)), std::stoi(name.substr(colon + 1))};
  }
  std::vector<graph::Node*> nodes(const Json& names) const {
    std::vector<graph::Node*> found;
    for (const Json& name : names.items) found.push_back(graph_.find(name.text));
    return found;
  }
  void run(const std::vector<graph::Endpoint>& fetches, const std::vector<graph::Node*>& targets) {
    std::vector<const Array*> pointers;
    for (const Array& value : values_) pointers.push_back(&value);
    std::vector<Array> results(fetches.size());
    session_.step({fed_, fetches, targets}).run(pointers, results);
  }

  std::unique_ptr<Program> planned() {
    std::vector<Shape> shapes;
    for (const Array& value : values_) shapes.push_back(value.shape());
    const StepGraph step = make_step_graph({fed_, fetches_, targets_});
    return plan({.step = step, .facts = specialise(step, shapes, session_.resources())},
                session_.resources());
  }

  graph::Graph graph_{ops::op_table()};
  Session session_{{.passes = {.verify = true}}};
  std::vector<graph::Endpoint> fed_;
  std::vector<Array> values_;
  std::vector<graph::Endpoint> fetches_;
  std::vector<graph::Node*> targets_;
};

/// A scalar or two: TensorFlow counts what is asked for, but gives each value a multiple of this, too.
constexpr int64_t kGrainBytes = 64;

/// What a run takes from its arena for values and everything that it allocates: results, dynamic values,
/// what loops keep. Left out, as TensorFlow's allocator leaves them out: variables, constants, and what
/// products pack.
TEST_P(PeakMemory, IsNotAboveTensorFlows) {
  BufferWatch watch;
  run(fetches_, targets_);
  run(fetches_, targets_);
  const int64_t kept_bytes = watch.bytes();
  watch.forget_most();
  run(fetches_, targets_);
  const int64_t allocated_bytes = watch.most_value_bytes() - kept_bytes;
  const int64_t workspace_bytes = watch.most_bytes() - watch.most_value_bytes();
  const std::unique_ptr<Program> program = planned();
  const PlannedMemory memory = planned_memory(*program);
  EXPECT_LE(kept_bytes, static_cast<int64_t>(program->segment.arena_bytes + memory.constant_bytes));

  const int64_t ours = static_cast<int64_t>(memory.value_bytes) + allocated_bytes;
  const int64_t theirs = recorded().at(GetParam()).at("peak_bytes").integer();
  RecordProperty("ours_bytes", std::to_string(ours));
  RecordProperty("workspaces_bytes",
                 std::to_string(static_cast<int64_t>(memory.workspace_bytes) + workspace_bytes));
  EXPECT_LE(ours, theirs + kGrainBytes) << to_text(*program);
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& [name, program] : recorded().members) all.push_back(name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Recorded, PeakMemory, ::testing::ValuesIn(names()),
                         [](const auto& program) { return program.param; });

}  // namespace
}  // namespace flowray::engine
