// Steps split over three tasks: as TensorFlow's master splits them (golden/partitions.json), and with the
// values that TensorFlow computes in one piece (golden/control_flow.json), wherever their nodes are.
#include "engine/step/partition.h"

#include "engine/engine_fixture.h"
#include "engine/random_graph.h"
#include "engine/step/partition_fixture.h"
#include "graph/exchange/function_library.h"
#include "graph/exchange/graph_import.h"
#include "support/hexadecimal.h"
#include "support/json.h"
#include "wire/tensor_value.h"

#include <gmock/gmock.h>

#include <random>
#include <set>

namespace flowray::engine {
namespace {

using testing::from_hexadecimal;
using ::testing::HasSubstr;
using testing::Json;
using ::testing::StartsWith;

void import_into(graph::Graph& graph, const Json& program) {
  const std::string bytes = from_hexadecimal(program.at("graph").text);
  graph::import_graph_def(wire::decode<wire::GraphDef>(bytes), graph);
}

graph::Endpoint endpoint_in(const graph::Graph& graph, const std::string& name) {
  const size_t colon = name.rfind(':');
  return {graph.find(name.substr(0, colon)), std::stoi(name.substr(colon + 1))};
}

std::vector<graph::Endpoint> endpoints_in(const graph::Graph& graph, const Json& names) {
  std::vector<graph::Endpoint> endpoints;
  for (const Json& name : names.items) endpoints.push_back(endpoint_in(graph, name.text));
  return endpoints;
}

// ---- the form of partitions

struct Line {
  std::string name, op, device;
  std::vector<std::string> inputs;
  std::map<std::string, std::string> attrs;  // of transfers and Enter nodes
};
using Lines = std::vector<Line>;

std::vector<Lines> lines_of(const Json& partitions) {
  std::vector<Lines> all;
  for (const Json& partition : partitions.items) {
    Lines& lines = all.emplace_back();
    for (const Json& node : partition.items) {
      Line line{node.at("name").text, node.at("op").text, node.at("device").text, {}, {}};
      for (const Json& input : node.at("inputs").items) line.inputs.push_back(input.text);
      for (const auto& [key, value] : node.at("attrs").members) line.attrs[key] = value.text;
      lines.push_back(std::move(line));
    }
  }
  return all;
}

std::vector<Lines> lines_of(const std::vector<Partition>& partitions) {
  std::vector<Lines> all;
  for (const Partition& partition : partitions) {
    Lines& lines = all.emplace_back();
    for (const graph::Node* node : partition.graph->nodes()) {
      Line line{node->name(), node->op(), node->device(), {}, {}};
      for (const graph::Endpoint& input : node->inputs())
        line.inputs.push_back(input.index == 0 ? input.node->name() : input.name());
      for (const graph::Node* control : node->control_inputs()) line.inputs.push_back("^" + control->name());
      for (const char* key : {"tensor_name", "send_device", "recv_device", "frame_name"}) {
        if (const graph::AttrValue* value = node->attrs().find(key))
          line.attrs[key] = value->get<std::string>();
      }
      const graph::AttrValue* by_client = node->attrs().find("client_terminated");
      if (by_client != nullptr && by_client->get<bool>()) line.attrs["client_terminated"] = "";
      lines.push_back(std::move(line));
    }
  }
  return all;
}

/// Names that were made for the parts hold numbers that have no meaning: here each is called by what it does.
class Canonical {
 public:
  Canonical(const std::vector<Lines>& parts, const graph::Graph& whole) : whole_(whole) {
    for (const Lines& lines : parts) {
      for (const Line& line : lines) {
        by_name_[line.name] = &line;
        if (line.op == "_Send" || line.op == "_HostSend") senders_[line.attrs.at("tensor_name")] = &line;
      }
    }
  }

  std::multiset<std::string> text(const Lines& lines) {
    std::multiset<std::string> texts;
    for (const Line& line : lines) {
      std::string text = name(line) + " = " + (is_transfer(line) ? "transfer" : line.op) + "(";
      std::multiset<std::string> controls;
      for (const std::string& input : line.inputs) {
        if (input.starts_with("^"))
          controls.insert("^" + canonical(input.substr(1)));
        else
          text += canonical(input) + " ";
      }
      for (const std::string& control : controls) text += control + " ";
      texts.insert(text + ") on " + line.device);
    }
    return texts;
  }

 private:
  static bool is_transfer(const Line& line) { return line.attrs.contains("tensor_name"); }

  std::string canonical(const std::string& input) {
    const size_t colon = input.rfind(':');
    const std::string node = input.substr(0, colon);
    return name(*by_name_.at(node)) + (colon == std::string::npos ? "" : input.substr(colon));
  }

  /// The loop that a control loop's node belongs to.
  std::string loop_of(const Line& line) {
    if (line.op == "Enter") return line.attrs.at("frame_name");
    return loop_of(*by_name_.at(line.inputs[0].substr(0, line.inputs[0].rfind(':'))));
  }

  std::string name(const Line& line) {
    if (whole_.find(line.name) != nullptr) return line.name;
    if (line.attrs.contains("client_terminated"))
      return (line.op == "_Recv" ? "fed " : "fetched ") + line.attrs.at("tensor_name");
    if (line.op == "_Send" || line.op == "_HostSend")
      return "send " + canonical(line.inputs[0]) + " to " + line.attrs.at("recv_device");
    if (is_transfer(line))
      return "receive " + canonical(senders_.at(line.attrs.at("tensor_name"))->inputs[0]);
    if (line.op == "Identity") return "heard of " + canonical(line.inputs[0]);
    if (line.op == "Const") {
      return line.inputs.empty() ? "start" : "word of " + canonical(line.inputs[0].substr(1));
    }
    return "control " + line.op + " of " + loop_of(line);
  }

  const graph::Graph& whole_;
  std::map<std::string, const Line*> by_name_;
  std::map<std::string, const Line*> senders_;
};

/// Where TensorFlow puts the nodes of the step. Our place() agrees, but for a Switch whose value and
/// predicate are one: TensorFlow puts that where the value is, whatever device it asks for.
std::vector<uint32_t> devices_in(const std::vector<Lines>& parts, const StepGraph& step,
                                 const DeviceSet& set) {
  std::map<std::string, std::string> device_of;
  for (const Lines& lines : parts) {
    for (const Line& line : lines) device_of[line.name] = line.device;
  }
  const std::vector<uint32_t> ours = place(step, set);
  std::vector<uint32_t> devices;
  for (size_t n = 0; n < step.nodes.size(); ++n) {
    const auto is_it = [&](const graph::DeviceName& device) {
      return device.to_string() == device_of.at(step.nodes[n].node->name());
    };
    devices.push_back(static_cast<uint32_t>(std::ranges::find_if(set.devices, is_it) - set.devices.begin()));
    const bool is_moved = step.nodes[n].inputs.size() == 2 &&
                          step.nodes[n].inputs[0] == step.nodes[n].inputs[1] &&
                          step.nodes[n].node->op() == "Switch";
    if (is_moved) continue;
    EXPECT_EQ(devices[n], ours[n]) << step.nodes[n].node->name();
  }
  return devices;
}

class Partitions : public ::testing::TestWithParam<std::string> {};

const Json& recorded_partitions() {
  static const Json kJson = testing::read_golden("partitions");
  return kJson;
}

TEST_P(Partitions, AreThoseOfTensorFlowsMaster) {
  const Json& program = recorded_partitions().at(GetParam());
  graph::Graph graph(ops::op_table());
  import_into(graph, program);
  const auto feeds = endpoints_in(graph, program.at("feeds"));
  auto fetches = endpoints_in(graph, program.at("fetches"));
  // TensorFlow's client does not ask for what it feeds.
  std::erase_if(fetches, [&](const graph::Endpoint& fetch) { return std::ranges::count(feeds, fetch) > 0; });
  const StepGraph step = prune({feeds, fetches, {}});
  Tasks tasks;
  const std::vector<Lines> expected = lines_of(program.at("partitions"));
  const std::vector<uint32_t> device_of = devices_in(expected, step, tasks.devices);
  const std::vector<Partition> parts = tasks.split(step, device_of);
  const std::vector<Lines> got = lines_of(parts);
  std::map<std::string, std::multiset<std::string>> got_on, expected_on;
  Canonical of_got(got, graph), of_expected(expected, graph);
  for (const Lines& lines : got) got_on[lines[0].device] = of_got.text(lines);
  for (const Lines& lines : expected) expected_on[lines[0].device] = of_expected.text(lines);
  EXPECT_EQ(got_on, expected_on);
}

std::vector<std::string> names_in(const Json& json) {
  std::vector<std::string> names;
  for (const auto& [name, program] : json.members) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Recorded, Partitions, ::testing::ValuesIn(names_in(recorded_partitions())),
                         [](const auto& it) { return it.param; });

// ---- what they compute

/// At random, but what works on a variable or a list is where that is.
std::vector<uint32_t> scattered(const StepGraph& step, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<uint32_t> devices;
  for (uint32_t n = 0; n < step.nodes.size(); ++n) devices.push_back(static_cast<uint32_t>(random() % 3));
  const auto copy_once = [&] {
    bool changed = false;
    for (uint32_t n = 0; n < step.nodes.size(); ++n) {
      for (const ValueId id : step.nodes[n].inputs) {
        const StepValue& value = step.values[id];
        if (value.producer < 0) continue;
        const auto from = static_cast<uint32_t>(value.producer);
        const DType dtype = value.dtype();
        const bool together =
            is_ref(dtype) || dtype == DType::kResource || dtype == DType::kVariant || from >= n;
        if (!together || devices[from] == devices[n]) continue;
        changed = true;
        (from >= n ? devices[from] : devices[n]) = from >= n ? devices[n] : devices[from];
      }
    }
    return changed;
  };
  for (int round = 0; round < 100 && copy_once(); ++round) {
  }
  return devices;
}

Array array_of(const Json& hexadecimal) {
  const std::string bytes = from_hexadecimal(hexadecimal.text);
  return wire::to_array(wire::decode<wire::TensorProto>(bytes));
}

const Json& recorded_programs() {
  static const Json kJson = testing::read_golden("control_flow");
  return kJson;
}

class ScatteredControlFlow : public ::testing::TestWithParam<std::string> {};

TEST_P(ScatteredControlFlow, GivesWhatTensorFlowGives) {
  const Json& program = recorded_programs().at(GetParam());
  graph::Graph graph(ops::op_table());
  import_into(graph, program);
  const auto fetches = endpoints_in(graph, program.at("fetches"));
  unsigned seed = 0;
  for (const Json& run : program.at("runs").items) {
    std::vector<graph::Endpoint> feeds;
    std::vector<Tasks::Fed> fed;
    for (const auto& [name, value] : run.at("feeds").members) {
      feeds.push_back(endpoint_in(graph, name));
      fed.push_back({feeds.back(), array_of(value)});
    }
    const StepGraph step = prune({feeds, fetches, {}});
    for (int round = 0; round < 3; ++round) {
      SCOPED_TRACE(++seed);
      Tasks tasks;
      const std::vector<Array> results = tasks.run(step, scattered(step, seed), fed);
      for (size_t i = 0; i < fetches.size(); ++i) {
        SCOPED_TRACE(fetches[i].name());
        testing::expect_close(results[i], array_of(run.at("results").items[i]), 1e-6, 1e-6);
      }
    }
  }
}

/// Those without variables, which would be elsewhere in each step.
std::vector<std::string> names_of_stateless(const Json& json) {
  std::vector<std::string> names;
  for (const auto& [name, program] : json.members) {
    if (program.at("initializers").items.empty()) names.push_back(name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Recorded, ScatteredControlFlow,
                         ::testing::ValuesIn(names_of_stateless(recorded_programs())),
                         [](const auto& it) { return it.param; });

class PartitionedSteps : public EngineTest {
 protected:
  template <class E>
  static std::string error_of(const std::function<void()>& work) {
    try {
      work();
    } catch (const E& error) {
      return error.message();
    }
    return "no such error";
  }
  Tasks tasks;
};

TEST_F(PartitionedSteps, GiveWhatTheInterpreterGivesOnRandomGraphs) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    graph::Graph made(ops::op_table());
    graph::Builder in(made);
    RandomGraph maker(in, seed);
    const auto x =
        maker.source(in.op("Placeholder", {}, {{"dtype", DType::kFloat32}, {"shape", Shape{3, 4}}}));
    maker.grow(5 + maker.number(12));
    std::vector<graph::Endpoint> fetches{maker.pick(), maker.pick(), maker.either()};
    Array fed(DType::kFloat32, {3, 4});
    for (int64_t i = 0; i < 12; ++i) fed.mutable_data<float>()[i] = static_cast<float>(i) / 8.0f - 0.6f;
    const StepGraph step = prune({{&x, 1}, fetches, {}});
    testing::Interpreter interpreter;
    const std::vector<Array> expected = interpreter.run(fetches, {{x, fed}}, {});
    Tasks workers;
    const std::vector<Array> results = workers.run(step, scattered(step, seed), {{x, fed}});
    for (size_t i = 0; i < fetches.size(); ++i) testing::expect_close(results[i], expected[i], 1e-5, 1e-6);
  }
}

TEST_F(PartitionedSteps, KeepVariablesWhereTheyAre) {
  const auto x = builder.op("Placeholder", {}, {{"dtype", DType::kFloat32}, {"shape", Shape{}}}, "x");
  graph.scopes().devices.push_back("/job:ps/task:1");
  const auto v = builder.op("VariableV2", {}, {{"dtype", DType::kFloat32}, {"shape", Shape{}}}, "v");
  const auto made = builder.op("Assign", {v, builder.constant(1.0f)}, {}, "made");
  const auto more = builder.op("AssignAdd", {v, x}, {}, "more");
  graph.scopes().devices.clear();
  const auto run = [&](const graph::Endpoint& fetch, std::vector<Tasks::Fed> fed) {
    const StepGraph step = prune({std::vector<graph::Endpoint>(fed.empty() ? 0 : 1, x), {&fetch, 1}, {}});
    return tasks.run(step, place(step, tasks.devices), fed)[0];
  };
  EXPECT_EQ(*run(made, {}).data<float>(), 1.0f);
  EXPECT_EQ(*run(more, {{x, Array(2.5f)}}).data<float>(), 3.5f);
  EXPECT_EQ(*run(more, {{x, Array(0.5f)}}).data<float>(), 4.0f);
}

TEST_F(PartitionedSteps, EndTogetherWhenOnePartFails) {
  graph.scopes().devices.push_back("/job:ps/task:0");
  const auto sum = builder.op("CheckNumerics", {builder.op("Log", {builder.constant(-1.0f)})},
                              {{"message", std::string("no")}}, "sum");
  graph.scopes().devices.clear();
  const auto twice = builder.op("AddV2", {sum, sum}, {}, "twice");
  const StepGraph step = prune({{}, {&twice, 1}, {}});
  EXPECT_THAT(
      error_of<errors::InvalidArgumentError>([&] { (void)tasks.run(step, place(step, tasks.devices), {}); }),
      HasSubstr("{{node sum}}"));
}

TEST_F(PartitionedSteps, EndWhenSomebodyWantsThemTo) {
  graph.scopes().devices.push_back("/job:ps/task:0");
  const auto queue =
      builder.op("FIFOQueueV2", {}, {{"component_types", std::vector<DType>{DType::kFloat32}}}, "queue");
  const auto taken = builder.op("QueueDequeueV2", {queue},
                                {{"component_types", std::vector<DType>{DType::kFloat32}}}, "taken");
  graph.scopes().devices.clear();
  const auto twice = builder.op("AddV2", {taken, taken}, {}, "twice");
  const StepGraph step = prune({{}, {&twice, 1}, {}});
  Cancellation cancellation;
  cancellation.cancel();
  EXPECT_THROW((void)tasks.run(step, place(step, tasks.devices), {}, &cancellation), errors::CancelledError);
}

TEST_F(PartitionedSteps, NeedARendezvous) {
  const auto x = placeholder(DType::kFloat32, {});
  const auto y = builder.op("Neg", {x}, {}, "y");
  const StepGraph step = prune({{&x, 1}, {&y, 1}, {}});
  const std::vector<Partition> parts = tasks.split(step, place(step, tasks.devices));
  ASSERT_EQ(parts.size(), 1u);
  Session alone({.devices = {{tasks.devices.devices[0]}}});
  EXPECT_THAT(
      error_of<errors::InternalError>([&] { alone.step({{}, {}, parts[0].graph->nodes()}).run({}, {}); }),
      StartsWith("Op kernel context needs to provide a rendezvous."));
}

TEST_F(PartitionedSteps, TakeLoopVariablesAlongToWhereTheyAreRead) {
  const graph::Attrs frame{{"frame_name", std::string("loop")}};
  const graph::Attrs constant{{"frame_name", std::string("loop")}, {"is_constant", true}};
  const auto on_ps = [&](auto make) {
    graph.scopes().devices.push_back("/job:ps/task:0");
    const auto made = make();
    graph.scopes().devices.clear();
    return made;
  };
  const auto entered = on_ps([&] { return builder.op("Enter", {builder.constant(1)}, frame); });
  graph::Node* head = builder.node("Merge", {entered, entered}, {}, "head");
  const auto limit = on_ps([&] { return builder.op("Enter", {builder.constant(50)}, constant); });
  const auto less = builder.op("Less", {head->output(0), limit});
  graph::Node* gate = builder.node("Switch", {head->output(0), builder.op("LoopCond", {less})});
  const auto twice = builder.op("AddV2", {gate->output(1), gate->output(1)});
  head->close_loop(1, on_ps([&] { return builder.op("NextIteration", {twice}); }));
  const auto exit = builder.op("Exit", {gate->output(0)});
  const StepGraph step = prune({{}, {&exit, 1}, {}});
  EXPECT_EQ(*tasks.run(step, place(step, tasks.devices), {})[0].data<int32_t>(), 64);
}

}  // namespace
}  // namespace flowray::engine
