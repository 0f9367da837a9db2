// What no recorded program shows of functions: errors, that bodies are made once, and what a loop
// leaves behind.

#include "core/block_pool.h"
#include "engine/engine_fixture.h"
#include "graph/exchange/graph_import.h"
#include "wire/graph_def.h"

#include <fmt/format.h>

#include <gmock/gmock.h>

#include "core/sanitizers.h"

namespace flowray::engine {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A function of int32 scalars, in protobuf's text form.
std::string function(const std::string& name, const std::string& args, const std::string& nodes,
                     const std::string& rets) {
  return "function { signature { name: '" + name + "' " + args + " } " + nodes + " " + rets + " }\n";
}
std::string in(const std::string& name) { return "input_arg { name: '" + name + "' type: DT_INT32 } "; }
std::string out(const std::string& name, const std::string& type = "DT_INT32") {
  return "output_arg { name: '" + name + "' type: " + type + " } ";
}
std::string ret(const std::string& name, const std::string& from) {
  return "ret { key: '" + name + "' value: '" + from + "' } ";
}
std::string node(const std::string& name, const std::string& op, const std::vector<std::string>& inputs,
                 const std::string& field = "node_def", const std::string& attrs = "") {
  std::string text = field + " { name: '" + name + "' op: '" + op + "' ";
  for (const std::string& input : inputs) text += "input: '" + input + "' ";
  return text + attrs + " } ";
}
const char* const kInts = "attr { key: 'T' value { type: DT_INT32 } }";

class FunctionTest : public EngineTest {
 protected:
  void import(const std::string& text) {
    graph::import_graph_def(wire::from_text_format<wire::GraphDef>(text), graph);
  }
  graph::Endpoint at(const std::string& name) { return {graph.find(name), 0}; }
  Array run_with(const std::string& fetch, int x) { return run({at(fetch)}, {{at("x"), Array(x)}})[0]; }

  template <class F>
  std::string error_of(F run) {
    try {
      (void)run();
    } catch (const Error& error) {
      return error.message();
    }
    return "no error";
  }

  const std::string x_ =
      "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_INT32 } } "
      "attr { key: 'shape' value { shape { } } } } ";
};

TEST_F(FunctionTest, ThatCallsItselfIsSaidSo) {
  import("library { " +
         function("Even", in("n") + out("r"), node("deeper", "Odd", {"n"}), ret("r", "deeper:r:0")) +
         function("Odd", in("n") + out("r"), node("deeper", "Even", {"n"}), ret("r", "deeper:r:0")) + " } " +
         x_ + node("y", "Even", {"x"}, "node"));
  EXPECT_THAT(error_of([&] { return run_with("y", 1); }), StartsWith("Function Even calls itself"));
  EXPECT_THROW((void)run_with("y", 1), errors::UnimplementedError);
}

TEST_F(FunctionTest, ThatIsOneOfNoBranchesIsRefused) {
  const std::string branches = "attr { key: 'branches' value { list { } } } ";
  const std::string types = "attr { key: 'Tin' value { list { } } } attr { key: 'Tout' value { list { } } } ";
  EXPECT_THAT(error_of([&] {
                import(x_ + node("y", "Case", {"x"}, "node", branches + types));
                return 0;
              }),
              HasSubstr("Length for attr 'branches' of 0 must be at least minimum 1"));
}

TEST_F(FunctionTest, ThatIsNestedTooDeeplyIsRefused) {
  interpreter_can_follow_ = false;  // it takes few calls within calls
  constexpr int kCount = kSanitized ? 10'000 : 50'000;
  std::string text = "library { ";
  for (int i = 0; i < kCount; ++i) {
    const std::string deeper = i + 1 < kCount ? fmt::format("F{}", i + 1) : "Neg";
    const std::string attrs = i + 1 < kCount ? "" : kInts;
    text +=
        function(fmt::format("F{}", i), in("n") + out("r"), node("deeper", deeper, {"n"}, "node_def", attrs),
                 ret("r", i + 1 < kCount ? "deeper:r:0" : "deeper:y:0"));
  }
  import(text + " } " + x_ + node("y", "F0", {"x"}, "node") +
         node("z", fmt::format("F{}", kCount - 100), {"x"}, "node"));
  EXPECT_THROW((void)run_with("y", 1), errors::ResourceExhaustedError);
  EXPECT_THAT(error_of([&] { return run_with("y", 1); }), HasSubstr("F0 calls F1, and so on"));
  EXPECT_EQ(run_with("z", 3), Array(-3));  // a hundred are not too many
}

TEST_F(FunctionTest, ThatWouldBeAHugeGraphIsRefused) {
  interpreter_can_follow_ = false;  // it takes few calls within calls
  // Each calls the next four times: 4^30 additions.
  constexpr int kCount = 30;
  std::string text = "library { ";
  for (int i = 0; i < kCount; ++i) {
    const std::string deeper = i + 1 < kCount ? fmt::format("F{}", i + 1) : "Neg";
    const std::string attrs = i + 1 < kCount ? "" : kInts;
    std::string body = node("a0", deeper, {"n"}, "node_def", attrs);
    const std::string result = i + 1 < kCount ? ":r:0" : ":y:0";
    for (int k = 1; k < 4; ++k) {
      body += node(fmt::format("a{}", k), deeper, {fmt::format("a{}{}", k - 1, result)}, "node_def", attrs);
    }
    text += function(fmt::format("F{}", i), in("n") + out("r"), body, ret("r", "a3" + result));
  }
  import(text + " } " + x_ + node("y", "F0", {"x"}, "node") + node("z", "F25", {"x"}, "node"));
  EXPECT_EQ(run_with("z", 3), Array(3));  // 4^5 negations
  if (kSanitized) GTEST_SKIP() << "it takes minutes until there are too many";
  EXPECT_THROW((void)run_with("y", 1), errors::ResourceExhaustedError);
}

std::string case_of(const std::string& name, const std::string& index, const std::string& x,
                    const std::vector<std::string>& branches, const std::string& field) {
  std::string list;
  for (const std::string& branch : branches) list += "func { name: '" + branch + "' } ";
  const std::string int_type = "value { list { type: DT_INT32 } } } ";
  return node(name, "StatelessCase", {index, x}, field,
              "attr { key: 'branches' value { list { " + list + "} } } attr { key: 'Tin' " + int_type +
                  "attr { key: 'Tout' " + int_type + "attr { key: 'output_shapes' value { list { } } } ");
}

/// A Case is a row of Ifs within each other.
TEST_F(FunctionTest, ThatAreManyBranchesOfACaseHaveALimit) {
  interpreter_can_follow_ = false;
  const std::vector<std::string> many(20'000, "G");
  std::vector<std::string> some(kSanitized ? 100 : 400, "G");
  some.back() = "N";
  import("library { " + function("G", in("n") + out("r"), "", ret("r", "n")) +
         function("N", in("n") + out("r"), node("m", "Neg", {"n"}, "node_def", kInts), ret("r", "m:y:0")) +
         " } " + x_ + case_of("y", "x", "x", many, "node") + case_of("z", "x", "x", some, "node"));
  EXPECT_THAT(error_of([&] { return run_with("y", 1); }),
              StartsWith("Branches and loops of functions are nested more than 500 deep in y"));
  EXPECT_EQ(run_with("z", 7), Array(7));
  EXPECT_EQ(run_with("z", 999), Array(-999));
}

/// What a Case is asked with may come from a call that leaves no node behind.
TEST_F(FunctionTest, ThatPassesOnTheNumberOfACaseIsLookedThrough) {
  std::string text =
      "library { " + function("G", in("n") + out("r"), "", ret("r", "n")) +
      function("N", in("n") + out("r"), node("m", "Neg", {"n"}, "node_def", kInts), ret("r", "m:y:0")) +
      " } " + x_ + node("p0", "G", {"x"}, "node");
  for (int i = 1; i < 12; ++i) text += node(fmt::format("p{}", i), "G", {fmt::format("p{}", i - 1)}, "node");
  import(text + case_of("y", "p11", "x", {"G", "N", "G", "N"}, "node"));
  for (const auto& [number, result] : {std::pair(0, 0), {1, -1}, {2, 2}, {3, -3}, {8, -8}})
    EXPECT_EQ(run_with("y", number), Array(result));
}

/// The last branch of a Case of 50 is another one of 50, and so on.
TEST_F(FunctionTest, ThatAreCasesWithinEachOtherHaveALimit) {
  interpreter_can_follow_ = false;
  constexpr int kCount = 100;
  std::string text = "library { " + function("G", in("n") + out("r"), "", ret("r", "n"));
  for (int i = 0; i < kCount; ++i) {
    std::vector<std::string> branches(50, "G");
    branches.back() = i + 1 < kCount ? fmt::format("F{}", i + 1) : "G";
    text += function(fmt::format("F{}", i), in("n") + out("r"), case_of("c", "n", "n", branches, "node_def"),
                     ret("r", "c:output:0"));
  }
  import(text + " } " + x_ + node("y", "F0", {"x"}, "node") +
         node("z", kSanitized ? "F98" : "F95", {"x"}, "node"));
  EXPECT_THAT(error_of([&] { return run_with("y", 1); }),
              StartsWith("Branches and loops of functions are nested more than 500 deep"));
  EXPECT_EQ(run_with("z", 60), Array(60));
}

TEST_F(FunctionTest, ThatIsNotThereIsAnUnknownOpOrAnError) {
  EXPECT_THAT(error_of([&] { import(x_ + node("y", "NoSuchFunction", {"x"}, "node")); }),
              StartsWith("Op type not registered 'NoSuchFunction' in binary running on "));
  import(x_ +
         node("z", "PartitionedCall", {"x"}, "node",
              "attr { key: 'Tin' value { list { type: DT_INT32 } } } attr { key: 'Tout' value { list { type: "
              "DT_INT32 } } } attr { key: 'f' value { func { name: 'nowhere' } } }"));
  EXPECT_THAT(error_of([&] { return run_with("z", 1); }), StartsWith("Function nowhere is not defined."));
}

TEST_F(FunctionTest, MustHaveWhatItReturnsAndReads) {
  import("library { " +
         function("F", in("n") + out("r"), node("m", "Neg", {"q"}, "node_def", kInts), ret("r", "m:y:0")) +
         function("G", in("n") + out("r"), "", ret("r", "m:y:0")) + " } " + x_ +
         node("f", "F", {"x"}, "node") + node("g", "G", {"x"}, "node"));
  EXPECT_THAT(error_of([&] { return run_with("f", 1); }), HasSubstr("there is no 'q' in it"));
  EXPECT_THAT(error_of([&] { return run_with("g", 1); }), HasSubstr("there is no 'm:y:0' in it"));
}

/// The words are TensorFlow 2.21's, recorded by its client.
TEST_F(FunctionTest, MustBeCalledWithItsDtypes) {
  interpreter_can_follow_ = false;
  const auto call = [](const std::string& name, const std::string& given, const std::string& taken) {
    return node(name, "PartitionedCall", {"x"}, "node",
                "attr { key: 'Tin' value { list { type: " + given +
                    " } } } attr { key: 'Tout' value { list { type: " + taken +
                    " } } } attr { key: 'f' value { func { name: 'F' } } }");
  };
  import("library { " +
         function("F", in("n") + out("r"), node("m", "Neg", {"n"}, "node_def", kInts), ret("r", "m:y:0")) +
         " } " + x_ + call("takes_double", "DT_INT32", "DT_DOUBLE"));
  EXPECT_THAT(error_of([&] { return run_with("takes_double", 1); }),
              StartsWith("Expect 0-th output is of type double but get int32"));
  EXPECT_THROW((void)run_with("takes_double", 1), errors::InternalError);
}

TEST_F(FunctionTest, TakesTypesFromTheCallAndListsOfArguments) {
  // Total<T, N>(xs: N * T) -> (r: T, all: N * T)
  const std::string sum =
      "function { signature { name: 'Total' input_arg { name: 'xs' type_attr: 'T' number_attr: 'N' } "
      "output_arg { name: 'r' type_attr: 'T' } output_arg { name: 'all' type_attr: 'T' number_attr: 'N' } "
      "attr { name: 'T' type: 'type' } attr { name: 'N' type: 'int' } } " +
      node("add", "AddN", {"xs:0", "xs:1", "xs:1"}, "node_def",
           "attr { key: 'T' value { placeholder: 'T' } } attr { key: 'N' value { i: 3 } }") +
      node("both", "IdentityN", {"xs:1", "xs"}, "node_def",
           "attr { key: 'T' value { list { type: DT_INT32 type: DT_INT32 } } }") +
      ret("r", "add:sum:0") + ret("all", "both:output") + "}";
  import("library { " + sum + " } " + x_ + node("two", "Neg", {"x"}, "node", kInts) +
         node("s", "Total", {"x", "two"}, "node",
              "attr { key: 'T' value { type: DT_INT32 } } attr { key: 'N' value { i: 2 } }"));
  const graph::Endpoint x = at("x");
  const auto results =
      run({{graph.find("s"), 0}, {graph.find("s"), 1}, {graph.find("s"), 2}}, {{x, Array(5)}});
  EXPECT_EQ(results[0], Array(-5));  // 5 - 5 - 5
  EXPECT_EQ(results[1], Array(-5));
  EXPECT_EQ(results[2], Array(5));
}

class FunctionalLoop : public FunctionTest {
 protected:
  /// while i < x: i = i + 1
  void SetUp() override {
    const std::string one = node("one", "Const", {}, "node_def",
                                 "attr { key: 'dtype' value { type: DT_INT32 } } attr { key: 'value' value { "
                                 "tensor { dtype: DT_INT32 tensor_shape { } int_val: 1 } } }");
    import("library { " +
           function("Cond", in("i") + in("n") + out("r", "DT_BOOL"),
                    node("less", "Less", {"i", "n"}, "node_def", kInts), ret("r", "less:z:0")) +
           function("Body", in("i") + in("n") + out("i2") + out("n2"),
                    one + node("add", "AddV2", {"i", "one:output:0"}, "node_def", kInts),
                    ret("i2", "add:z:0") + ret("n2", "n")) +
           " } " + x_ +
           node("zero", "Const", {}, "node",
                "attr { key: 'dtype' value { type: DT_INT32 } } attr { key: 'value' value { tensor { dtype: "
                "DT_INT32 tensor_shape { } int_val: 0 } } }") +
           node("loop", "While", {"zero", "x"}, "node",
                "attr { key: 'T' value { list { type: DT_INT32 type: DT_INT32 } } } attr { key: 'cond' value "
                "{ func "
                "{ name: 'Cond' } } } attr { key: 'body' value { func { name: 'Body' } } } attr { key: "
                "'output_shapes' value { list { shape { } shape { } } } }"));
  }
};

TEST_F(FunctionalLoop, TakesFromAroundItWhatItDoesNotChange) {
  const graph::Endpoint x = at("x");
  const graph::Endpoint loop = at("loop");
  const std::string text = to_text(make_step_graph({{&x, 1}, {&loop, 1}, {}}));
  EXPECT_EQ(text,
            "zero = Const()\n"
            "loop = While(zero:0, fed x:0)\n"
            "  cond:\n"
            "    loop/cond/less = Less(fed loop/cond/i:0, fed loop/cond/n:0)\n"
            "    gives loop/cond/less:0\n"
            "  body:\n"
            "    loop/body/one = Const()\n"
            "    loop/body/add = AddV2(fed loop/body/i:0, loop/body/one:0)\n"
            "    gives loop/body/add:0\n");
  EXPECT_EQ(run_with("loop", 7), Array(7));
  EXPECT_EQ(run_with("loop", -1), Array(0));
}

TEST_F(FunctionalLoop, MakesItsBodiesOnceForAllSteps) {
  const graph::Endpoint x = at("x");
  const graph::Endpoint loop = at("loop");
  const auto body_node = [&] {
    const StepGraph step = make_step_graph({{&x, 1}, {&loop, 1}, {}});
    return step.nodes.back().bodies[1].nodes.back().node;
  };
  EXPECT_EQ(body_node(), body_node());
}

TEST_F(FunctionalLoop, HoldsNoMoreMemoryAfterManyIterations) {
  // Half a millisecond each under a sanitizer.
  constexpr int32_t kIterations = kSanitized ? 10'000 : 1'000'000;
  EXPECT_EQ(run_with("loop", 10), Array(10));
  const auto held = [] { return block_pool_stats().bytes_in_use + block_pool_stats().bytes_kept; };
  const int64_t before = held();
  EXPECT_EQ(run_with("loop", kIterations), Array(kIterations));
  EXPECT_EQ(held(), before);
}

}  // namespace
}  // namespace flowray::engine
