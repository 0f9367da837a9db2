// TensorFlowVariables. What the class of the documents does on real TensorFlow is recorded
// in tests/golden/glue.json.

#include <flowray/glue.h>
#include <flowray/tf.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <functional>
#include <optional>
#include <thread>

#include "core/buffer.h"
#include "support/json.h"

namespace flowray {
namespace {

namespace ray = flowray::ray;
using ray::experimental::NetworkOutputs;
using ray::experimental::TensorFlowVariables;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Json;
using ::testing::StartsWith;

const Json& golden() {
  static const Json kGolden = testing::read_golden("glue");
  return kGolden;
}

/// Makes the object of a case in its session; what is in the graph just before is noted.
using Make = std::function<TensorFlowVariables(const NetworkOutputs&, const std::vector<tf::Variable>&)>;
using Program = TensorFlowVariables (*)(const Make& make);

/// w x + b of shape [n], and a variable between them that nothing reads.
tf::Tensor line(int64_t n) {
  const auto w = tf::Variable(tf::constant(Array::full(DType::kFloat32, {n}, 0.5)));
  tf::Variable(7.0, {.name = "unused"});
  const auto b = tf::Variable(tf::constant(Array::full(DType::kFloat32, {n}, -0.25)));
  return w * 2.0 + b;
}

std::vector<tf::Variable> abc() {
  const auto a = tf::Variable(0.0, {.name = "a"});
  const auto b = tf::Variable(1.0, {.name = "b"});
  const auto c = tf::Variable(2.0, {.name = "c"});
  return {a, b, c};
}

tf::Operation momentum(const tf::Tensor& loss) {
  return tf::train::MomentumOptimizer(0.1, 0.9).minimize(loss);
}

std::optional<TensorFlowVariables> first_network;

const std::map<std::string, Program> kPrograms = {
    {"averaging", [](const Make& make) { return make(line(2), {}); }},
    {"operation_as_output", [](const Make& make) { return make(line(1).op(), {}); }},
    {"control_inputs",
     [](const Make& make) {
       const auto counter = tf::Variable(3.0, {.name = "counter"});
       const auto scope = tf::control_dependencies({counter.assign_add(1.0)});
       return make(tf::identity(line(1)), {});
     }},
    {"list_with_none",
     [](const Make& make) {
       const auto v = abc();
       const auto c = v[2] * 1.0;
       const auto a = v[0] * 1.0;
       return make({c, tf::Tensor(), a}, {});
     }},
    {"input_variables",
     [](const Make& make) {
       const auto v = abc();
       return make(v[2] * 1.0, {v[2], v[0]});
     }},
    {"variable_as_output",
     [](const Make& make) {
       tf::Variable(1.0, {.name = "a"});
       return make(tf::Variable({1.0, 2.0}, {.name = "b"}), {});
     }},
    {"local_variables",
     [](const Make& make) {
       const auto local = tf::Variable(1.0, {.collections = {"local_variables"}, .name = "local"});
       return make(local + tf::Variable(2.0, {.name = "in_the_graph"}), {});
     }},
    {"scopes",
     [](const Make& make) {
       tf::Variable kernel;
       {
         const auto scope = tf::variable_scope("dense");
         kernel = tf::get_variable("kernel", {2, 2},
                                   {.initializer = tf::constant_initializer({{1.f, 2.f}, {3.f, 4.f}})});
       }
       const auto scope = tf::name_scope("outer");
       return make(kernel + 1.0, {});
     }},
    {"train_operation",
     [](const Make& make) { return make(momentum(tf::reduce_sum(tf::square(line(1)))), {}); }},
    {"loss_of_a_trained_network",
     [](const Make& make) {
       const auto loss = tf::reduce_sum(tf::square(line(1)));
       momentum(loss);
       return make(loss, {});
     }},
    {"mixed_dtypes",
     [](const Make& make) {
       const auto a = tf::Variable({1, 2}, {.name = "a"});
       const auto b = tf::Variable({0.5}, {.name = "b"});
       return make(tf::cast(a, tf::float32) + b, {});
     }},
    {"no_variables", [](const Make& make) { return make(tf::constant(1.0), {}); }},
    {"two_networks",
     [](const Make& make) {
       first_network = make(line(1), {});
       return make(line(1), {});
     }},
};

std::vector<std::string> texts(const Json& list) {
  std::vector<std::string> found;
  for (const Json& item : list.items) found.push_back(item.text);
  return found;
}

std::vector<double> numbers(const Array& array) {
  const Array wide = array.astype(DType::kFloat64);
  return {wide.data<double>(), wide.data<double>() + wide.size()};
}

std::vector<double> numbers(const Json& list) {
  std::vector<double> found;
  for (const Json& item : list.items) found.push_back(item.number());
  return found;
}

void expect_weights(const Weights& weights, const Json& recorded) {
  EXPECT_EQ(weights.size(), recorded.members.size());
  for (const auto& [name, values] : recorded.members) {
    ASSERT_TRUE(weights.contains(name)) << name;
    EXPECT_EQ(numbers(weights.at(name)), numbers(values)) << name;
  }
}

template <class F>
void expect_error(const Json& recorded, F&& body) {
  std::string raised = "none";
  std::string message;
  try {
    body();
  } catch (const AssertionError& error) {
    raised = "AssertionError";
    message = error.message();
  } catch (const ValueError& error) {
    raised = "ValueError";
    message = error.message();
  }
  EXPECT_EQ(raised, recorded.at("class").text);
  EXPECT_EQ(message.substr(0, message.find('\n')), recorded.at("message").text);
}

/// The first variable as nines, and a name that no network has.
Weights nines(const TensorFlowVariables& variables) {
  const std::string& name = variables.variables.begin()->first;
  const Array value = variables.get_weights().at(name);
  return {{name, Array::full(value.dtype(), value.shape(), 9)}, {"unknown", Array({0.f, 0.f, 0.f})}};
}

void expect_recorded_flat(TensorFlowVariables& variables, const Json& facts) {
  const Array flat = variables.get_flat();
  EXPECT_EQ(numbers(flat), numbers(facts.at("flat")));
  EXPECT_EQ(dtype_name(flat.dtype()), facts.at("flat_dtype").text);
  std::vector<double> rising;
  for (int64_t i = 0; i < flat.size(); ++i) rising.push_back(static_cast<double>(i) + 0.75);
  variables.set_flat(rising);
  expect_weights(variables.get_weights(), facts.at("after_set_flat"));
  rising.push_back(0);
  expect_error(facts.at("too_long_error"), [&] { variables.set_flat(rising); });
  variables.set_weights(nines(variables));
  expect_weights(variables.get_weights(), facts.at("after_set_weights"));
}

class RecordedCase : public ::testing::TestWithParam<std::string> {};

TEST_P(RecordedCase, DoesWhatTheClassOfTheDocumentsDoes) {
  const Json& facts = golden().at("cases").at(GetParam());
  first_network.reset();
  const tf::Graph graph;
  const auto scope = graph.as_default();
  tf::Session session;
  size_t nodes_before = 0;
  TensorFlowVariables variables = kPrograms.at(GetParam())(
      [&](const NetworkOutputs& output, const std::vector<tf::Variable>& input_variables) {
        nodes_before = graph.get_operations().size();
        return TensorFlowVariables(output, session, input_variables);
      });
  std::vector<std::string> added;
  for (const tf::Operation& node : graph.get_operations()) added.push_back(node.name());
  added.erase(added.begin(), added.begin() + static_cast<int64_t>(nodes_before));
  EXPECT_EQ(added, texts(facts.at("added")));
  std::vector<std::string> names;
  for (const auto& [name, variable] : variables.variables) names.push_back(name);
  EXPECT_EQ(names, texts(facts.at("variables")));
  EXPECT_EQ(variables.get_flat_size(), facts.at("flat_size").integer());

  session.run(tf::global_variables_initializer());
  session.run(tf::local_variables_initializer());
  expect_weights(variables.get_weights(), facts.at("weights"));
  if (facts.has("flat")) {
    expect_recorded_flat(variables, facts);
  } else {
    expect_error(facts.at("get_flat_error"), [&] { variables.get_flat(); });
  }
  const Weights foreign = first_network ? first_network->get_weights() : Weights{{"unknown", Array({0.f})}};
  expect_error(facts.at("foreign_error"), [&] { variables.set_weights(foreign); });
  variables.set_session(nullptr);
  expect_error(facts.at("no_session_error"), [&] { variables.get_weights(); });
  first_network.reset();
}

std::vector<std::string> recorded_names() {
  std::vector<std::string> names;
  for (const auto& [name, facts] : golden().at("cases").members) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, RecordedCase, ::testing::ValuesIn(recorded_names()),
                         [](const auto& test) { return test.param; });

/// A network with w of [2] and b of [1], its own graph and session, from 1, 2 and 3.
class Network {
 public:
  Network() {
    const auto scope = graph.as_default();
    w = tf::Variable({1.f, 2.f}, {.name = "w"});
    b = tf::Variable({3.f}, {.name = "b"});
    output = w * 2.f + b;
    grow = w.assign_add({10.f, 10.f}).op();
    variables = TensorFlowVariables(output, session);
    session.run(tf::global_variables_initializer());
  }
  tf::Graph graph;
  tf::Session session{graph};
  tf::Variable w, b;
  tf::Tensor output;
  tf::Operation grow;
  TensorFlowVariables variables;
};

TEST(TensorFlowVariables, GiveValuesThatLaterStepsDoNotChange) {
  Network network;
  const Weights before = network.variables.get_weights();
  network.session.run(network.grow);
  EXPECT_EQ(before.at("w"), Array({1.f, 2.f}));
  const Weights grown = network.variables.get_weights();
  EXPECT_EQ(grown.at("w"), Array({11.f, 12.f}));
  network.variables.set_weights(before);
  EXPECT_EQ(grown.at("w"), Array({11.f, 12.f}));
  EXPECT_EQ(network.variables.get_weights().at("w"), Array({1.f, 2.f}));
}

TEST(TensorFlowVariables, TakeOverValuesThatTheCallerMayChangeAfterwards) {
  Network network;
  Array value({5.f, 6.f});
  network.variables.set_weights({{"w", value}});
  value.mutable_data<float>()[0] = 99;
  network.session.run(network.grow);
  EXPECT_EQ(network.variables.get_weights().at("w"), Array({15.f, 16.f}));
  EXPECT_EQ(value, Array({99.f, 6.f}));
}

/// An array in pages that cannot be written, as the object store's are.
Array in_read_only_pages(const Array& array) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* memory = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  std::memcpy(memory, array.raw_data(), array.size_bytes());
  mprotect(memory, page, PROT_READ);
  BufferRef buffer = Buffer::adopt(
      memory, page, [](void* owner) { munmap(owner, static_cast<size_t>(sysconf(_SC_PAGESIZE))); }, memory,
      false);
  return Array::wrap(buffer.leave(), memory, array.dtype(), array.shape());
}

TEST(TensorFlowVariables, ReadValuesInPlaceAndNeverWriteThem) {
  Network network;
  const Weights shared = {{"w", in_read_only_pages(Array({5.f, 6.f}))},
                          {"b", in_read_only_pages(Array({7.f}))}};
  for (int i = 0; i < 3; ++i) {
    network.variables.set_weights(shared);  // a write would end the program
    network.session.run(network.grow);
    EXPECT_EQ(network.variables.get_weights().at("w"), Array({15.f, 16.f}));
  }
  network.variables.set_flat(in_read_only_pages(Array({1.f, 2.f, 4.f})));
  network.session.run(network.grow);
  EXPECT_EQ(network.variables.get_flat(), Array({11.f, 12.f, 4.f}));
}

TEST(TensorFlowVariables, NeverMakeTheGraphGrowOnceMade) {
  Network network;
  const size_t nodes = network.graph.get_operations().size();
  network.graph.finalize();
  for (int i = 0; i < 100; ++i) {
    Weights weights = network.variables.get_weights();
    network.variables.set_weights(weights);
    weights.erase(i % 2 == 0 ? "w" : "b");
    network.variables.set_weights(weights);
    network.variables.set_flat(network.variables.get_flat());
  }
  EXPECT_EQ(network.graph.get_operations().size(), nodes);
}

TEST(TensorFlowVariables, SayWhyTheyCannotBeMadeOnAFinalizedGraph) {
  Network network;
  network.graph.finalize();
  try {
    const TensorFlowVariables variables(network.output, network.session);
    FAIL() << "nothing was thrown";
  } catch (const RuntimeError& error) {
    EXPECT_THAT(error.message(),
                AllOf(StartsWith("Graph is finalized and cannot be modified.\n"), HasSubstr("before")));
  }
}

TEST(TensorFlowVariables, SetSubsetsInAnyOrder) {
  Network network;
  network.variables.set_weights({{"b", Array({1.f})}});
  network.variables.set_weights({{"w", Array({2.f, 3.f})}, {"x", Array(1.f)}});
  network.variables.set_weights({{"b", Array({4.f})}});
  EXPECT_EQ(network.variables.get_flat(), Array({2.f, 3.f, 4.f}));
}

TEST(TensorFlowVariables, SetNothingWhereAShapeDoesNotFit) {
  Network network;
  EXPECT_THROW(network.variables.set_weights({{"w", Array({9.f, 9.f})}, {"b", Array({1.f, 2.f})}}),
               ValueError);
  EXPECT_EQ(network.variables.get_flat(), Array({1.f, 2.f, 3.f}));
}

TEST(TensorFlowVariables, ConvertValuesAsFeedsAreConverted) {
  Network network;
  network.variables.set_weights({{"w", Array({1.5, 2.5}).astype(DType::kFloat64)}, {"b", Array({4})}});
  EXPECT_EQ(network.variables.get_flat(), Array({1.5f, 2.5f, 4.f}));
}

TEST(TensorFlowVariables, RefuseFlatArraysOfAnotherLengthOrRank) {
  Network network;
  for (const Array& wrong : {Array({1.f, 2.f}), Array({{1.f, 2.f, 3.f}}), Array(1.f), Array()}) {
    try {
      network.variables.set_flat(wrong);
      ADD_FAILURE() << "nothing was thrown for " << wrong;
    } catch (const AssertionError& error) {
      EXPECT_THAT(error.message(),
                  AllOf(StartsWith("Passed weight does not have the correct shape.\n"), HasSubstr("(3,)")));
    }
  }
}

TEST(TensorFlowVariables, WorkOnceTheirSessionIsSet) {
  Network network;
  TensorFlowVariables variables;
  EXPECT_THROW(variables.get_flat(), AssertionError);
  EXPECT_EQ(variables.get_flat_size(), 0);
  const auto scope = network.graph.as_default();
  variables = TensorFlowVariables(network.output);
  EXPECT_EQ(variables.get_flat_size(), 3);
  EXPECT_THROW(variables.set_flat({1.f, 2.f, 3.f}), AssertionError);
  variables.set_session(network.session);
  EXPECT_EQ(variables.get_flat(), Array({1.f, 2.f, 3.f}));
  tf::Session second(network.graph);
  variables.set_session(second);
  EXPECT_THROW(variables.get_flat(), errors::FailedPreconditionError);
  variables.set_flat({4.f, 5.f, 6.f});
  EXPECT_EQ(variables.get_flat(), Array({4.f, 5.f, 6.f}));
  EXPECT_EQ(network.variables.get_flat(), Array({1.f, 2.f, 3.f}));
}

TEST(TensorFlowVariables, RefuseASessionOfAnotherGraph) {
  Network network;
  Network other;
  EXPECT_THROW(network.variables.set_session(other.session), ValueError);
  EXPECT_EQ(network.variables.get_flat(), Array({1.f, 2.f, 3.f}));
}

TEST(TensorFlowVariables, AreFoundInTheOutputsGraphWhateverGraphIsTheDefault) {
  Network network;
  const tf::Graph another;
  const auto scope = another.as_default();
  const TensorFlowVariables variables(network.output, network.session);
  EXPECT_EQ(variables.get_flat(), Array({1.f, 2.f, 3.f}));
  EXPECT_TRUE(another.get_operations().empty());
}

TEST(TensorFlowVariables, MoveWeightsBetweenNetworksOfTheirOwnGraphs) {
  Network first;
  Network second;
  first.session.run(first.grow);
  second.variables.set_weights(first.variables.get_weights());
  EXPECT_EQ(second.variables.get_flat(), Array({11.f, 12.f, 3.f}));
}

TEST(TensorFlowVariables, ShowTheirNodesByName) {
  Network network;
  EXPECT_EQ(network.variables.variables["w"], network.w);
  EXPECT_EQ(network.variables.placeholders["b"].name(), "Placeholder_b:0");
  EXPECT_EQ(network.variables.assignment_nodes["b"].op().type(), "Assign");
  EXPECT_FALSE(network.variables.variables.contains("x"));
  EXPECT_THROW(network.variables.placeholders["x"], KeyError);
}

TEST(TensorFlowVariables, GiveWeightsThatAreNewer) {
  Network network;
  const auto first = network.variables.get_weights_if_newer(0);
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->weights, network.variables.get_weights());
  EXPECT_FALSE(network.variables.get_weights_if_newer(first->version).has_value());
  network.variables.set_weights({{"b", Array({3.f})}});
  EXPECT_FALSE(network.variables.get_weights_if_newer(first->version).has_value()) << "3 was 3 before";

  network.session.run(network.grow);
  const auto second = network.variables.get_weights_if_newer(first->version);
  ASSERT_TRUE(second.has_value());
  EXPECT_GT(second->version, first->version);
  EXPECT_EQ(second->weights, (Weights{{"w", Array({11.f, 12.f})}, {"b", Array({3.f})}}));
  EXPECT_EQ(first->weights.at("w"), Array({1.f, 2.f})) << "what was given stays";

  const auto changed = network.variables.get_changed_weights(first->version);
  ASSERT_TRUE(changed.has_value());
  EXPECT_EQ(changed->weights, (Weights{{"w", Array({11.f, 12.f})}}));
  EXPECT_FALSE(network.variables.get_changed_weights(second->version).has_value());
  EXPECT_EQ(network.variables.get_changed_weights(0)->weights.size(), 2u);
  EXPECT_EQ(network.variables.get_changed_weights(1000)->weights.size(), 2u) << "another object's version";
}

TEST(TensorFlowVariables, SayWhereWeightsDiffer) {
  Network network;
  EXPECT_EQ(network.variables.difference(network.variables.get_weights()), "");
  EXPECT_EQ(network.variables.difference({{"w", Array({{1.f}})}, {"x", Array({1, 2})}}),
            "only in the network: 'b' float32 (1,)\n"
            "only in the weights: 'x' int32 (2,)\n"
            "'w': float32 (2,) in the network, float32 (1, 1) in the weights");
  EXPECT_EQ(difference(Weights{{"a", Array(1.f)}}, Weights{{"a", Array(1.0)}}),
            "'a': float32 () in the first, float64 () in the second");
}

TEST(TensorFlowVariables, MayBeUsedFromSeveralThreads) {
  Network network;
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&network, thread] {
      const float value = static_cast<float>(thread);
      for (int i = 0; i < 200; ++i) {
        network.variables.set_weights({{"w", Array({value, value})}});
        const Array w = network.variables.get_weights().at("w");
        EXPECT_EQ(w.data<float>()[0], w.data<float>()[1]);
      }
    });
  }
}

TEST(TensorFlowVariables, AreKnownUnderTheirLaterName) {
  static_assert(std::is_same_v<ray::experimental::tf_utils::TensorFlowVariables, TensorFlowVariables>);
  static_assert(std::is_default_constructible_v<TensorFlowVariables> &&
                std::is_nothrow_move_assignable_v<TensorFlowVariables>);
}

TEST(TensorFlowVariables, MakeNumPysDtypeOfAMixture) {
  for (const auto& [pair, recorded] : golden().at("promotions").members) {
    const size_t space = pair.find(' ');
    const DType first = dtype_from_name(pair.substr(0, space));
    const DType second = dtype_from_name(pair.substr(space + 1));
    const tf::Graph graph;
    const auto scope = graph.as_default();
    const auto a = tf::Variable(tf::constant(Array({1}).astype(first)));
    const auto b = tf::Variable(tf::constant(Array({1, 1}).astype(second)));
    tf::Session session;
    const TensorFlowVariables variables({a, b}, session);
    session.run(tf::global_variables_initializer());
    const Array flat = variables.get_flat();
    EXPECT_EQ(dtype_name(flat.dtype()), recorded.text) << pair;
    EXPECT_EQ(flat, Array({1, 1, 1}).astype(flat.dtype())) << pair;
  }
}

}  // namespace
}  // namespace flowray
