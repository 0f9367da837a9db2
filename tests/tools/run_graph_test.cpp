// `flowray run`, as its users run it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <flowray/tf.h>

#include <fstream>

#include "core/sanitizers.h"
#include "support/child_process.h"
#include "support/idx_files.h"

namespace flowray {
namespace {

using testing::ChildProcess;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kNumpyFiles = FLOWRAY_SOURCE_DIR "/tests/golden/npy/";

void write_content(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}
std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class RunGraph : public ::testing::Test {
 protected:
  /// y = x * 2 of any shape, z = sum(y), pair = x of [2]; a counter with init and count; words.
  RunGraph() {
    const tf::Graph graph;
    const auto scope = graph.as_default();
    const tf::Tensor x = tf::placeholder(tf::float32, Shape::unknown_rank(), {.name = "x"});
    const tf::Tensor y = tf::multiply(x, 2.f, {.name = "y"});
    tf::reduce_sum(y, {.name = "scope/z"});
    tf::identity(tf::placeholder(tf::float32, Shape{2}, {.name = "pair"}), {.name = "same_pair"});
    tf::identity(tf::placeholder(tf::string, Shape::unknown_rank(), {.name = "words"}),
                 {.name = "same_words"});
    const tf::Variable counter(10, {.name = "counter"});
    tf::assign_add(counter, 1, {.name = "count"});
    tf::variables_initializer({counter}, "init");
    tf::train::write_graph(graph, folder_.path(), "graph.pb", {.as_text = false});
    tf::train::write_graph(graph, folder_.path(), "graph.pbtxt");
  }

  std::string path(const std::string& name) const { return folder_.path() / name; }

  ChildProcess started(const std::string& graph, std::vector<std::string> arguments) const {
    std::vector<std::string> command = {testing::built_program("flowray"), "run", path(graph)};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return ChildProcess(command);
  }
  std::string output_of(const std::vector<std::string>& arguments,
                        const std::string& graph = "graph.pb") const {
    ChildProcess program = started(graph, arguments);
    EXPECT_EQ(program.wait(), 0) << program.errors();
    EXPECT_EQ(program.errors(), "");
    return program.output();
  }
  std::string complaint_of(const std::vector<std::string>& arguments,
                           const std::string& graph = "graph.pb") const {
    ChildProcess program = started(graph, arguments);
    EXPECT_EQ(program.wait(), 1);
    EXPECT_EQ(program.output(), "");
    EXPECT_THAT(program.errors(), StartsWith("flowray run: "));
    return program.errors();
  }

  const testing::TestFolder folder_;
};

TEST_F(RunGraph, PrintsWhatIsFetched) {
  EXPECT_EQ(output_of({"--feed", "x=3.5", "--fetch", "y"}), "y:0 = 7.\n");
  EXPECT_EQ(output_of({"--feed", "x=[1, 2]", "--fetch", "y:0", "--fetch", "scope/z"}),
            "y:0 = [2. 4.]\nscope/z:0 = 6.\n");
  EXPECT_EQ(output_of({"--feed", "x=[[1,2],[3,4]]", "--fetch", "y"}), "y:0 =\n[[2. 4.]\n [6. 8.]]\n");
  EXPECT_EQ(output_of({"--feed", R"(words=["a b", "\"c\""])", "--fetch", "same_words"}),
            "same_words:0 = [b'a b' b'\"c\"']\n");
}

TEST_F(RunGraph, ReadsGraphsAsTextToo) {
  EXPECT_EQ(output_of({"--feed", "x=1e3", "--fetch", "y"}, "graph.pbtxt"), "y:0 = 2000.\n");
}

TEST_F(RunGraph, FeedsAndSavesNumpysFiles) {
  EXPECT_EQ(output_of({"--feed", "x=" + kNumpyFiles + "matrix.npy", "--fetch", "scope/z"}),
            "scope/z:0 = 30.\n");
  EXPECT_EQ(output_of({"--feed", "x=" + kNumpyFiles + "matrix.npy", "--fetch", "x", "--fetch", "scope/z",
                       "--out", path("a/b")}),
            "");
  EXPECT_EQ(content_of(path("a/b/x.npy")), content_of(kNumpyFiles + "matrix.npy"));
  EXPECT_TRUE(std::filesystem::exists(path("a/b/scope_z.npy")));
}

TEST_F(RunGraph, KeepsVariablesFromStepToStep) {
  EXPECT_EQ(output_of({"--init", "init", "--fetch", "count"}), "count:0 = 11\n");
  EXPECT_EQ(output_of({"--init", "init", "--init", "count", "--target", "count", "--steps", "3", "--fetch",
                       "count"}),
            "count:0 = 14\n");
  EXPECT_EQ(output_of({"--target", "init"}), "");
}

TEST_F(RunGraph, SaysWhatIsWrongWithTheGraph) {
  EXPECT_THAT(complaint_of({"--fetch", "y"}, "none.pb"),
              HasSubstr(path("none.pb") + "; No such file or directory"));
  write_content(path("text.pb"), "this is not a graph");
  EXPECT_THAT(complaint_of({"--fetch", "y"}, "text.pb"),
              HasSubstr("'" + path("text.pb") + "' is not a GraphDef: "));
  write_content(path("empty.pb"), "");
  EXPECT_THAT(complaint_of({"--fetch", "y"}, "empty.pb"), HasSubstr("' is not a GraphDef: it has no nodes"));
  write_content(path("text.pbtxt"), "node { naem: \"x\" }");
  EXPECT_THAT(complaint_of({"--fetch", "y"}, "text.pbtxt"), HasSubstr("' is not a GraphDef: 1:"));
  write_content(path("op.pbtxt"), "node { name: \"x\" op: \"NoSuchOp\" }");
  EXPECT_THAT(complaint_of({"--fetch", "x"}, "op.pbtxt"), HasSubstr("Op type not registered 'NoSuchOp'"));
}

TEST_F(RunGraph, SaysWhatIsWrongWithTheStep) {
  EXPECT_THAT(complaint_of({}),
              HasSubstr("nothing to run: name tensors by --fetch or operations by --target"));
  EXPECT_THAT(complaint_of({"--fetch", "none"}),
              HasSubstr("The name 'none:0' refers to a Tensor which does not exist"));
  EXPECT_THAT(complaint_of({"--target", "none"}),
              HasSubstr("The name 'none' refers to an Operation not in the graph"));
  EXPECT_THAT(complaint_of({"--fetch", "y"}), HasSubstr("You must feed a value for placeholder tensor 'x'"));
  EXPECT_THAT(complaint_of({"--fetch", "count"}), HasSubstr("Attempting to use uninitialized value counter"));
  EXPECT_THAT(complaint_of({"--fetch", "x", "--fetch", "x:0", "--feed", "x=1", "--out", path("a")}),
              HasSubstr("two fetches would be saved as x.npy"));
}

TEST_F(RunGraph, SaysWhatIsWrongWithAFeed) {
  const auto complaint = [&](const std::string& feed) {
    return complaint_of({"--fetch", "y", "--feed", feed});
  };
  EXPECT_THAT(complaint("x"), HasSubstr("--feed x: expected NAME=FILE.npy or NAME=VALUE"));
  EXPECT_THAT(complaint("x=two"), HasSubstr("'two' is not a value"));
  EXPECT_THAT(complaint("x=[1,2"), HasSubstr("'[1,2' is not a value"));
  EXPECT_THAT(complaint("x=" + std::string(100'000, '[')),
              AllOf(HasSubstr("deeper than the 254 dimensions"), ::testing::SizeIs(::testing::Lt(1000u))));
  EXPECT_THAT(complaint("x=[[1],[1,2]]"), HasSubstr("--feed x=[[1],[1,2]]: "));
  EXPECT_THAT(complaint("x=\"text\""), HasSubstr("--feed x=\"text\": "));
  EXPECT_THAT(complaint("none=1"), HasSubstr("The name 'none:0' refers to a Tensor which does not exist"));
  EXPECT_THAT(complaint("pair=[1,2,3]"), HasSubstr("Cannot feed value of shape (3,) for Tensor"));
  EXPECT_THAT(complaint("x=none.npy"), HasSubstr("none.npy; No such file or directory"));
  EXPECT_THAT(complaint("x=" + kNumpyFiles + "column_major.npy"), HasSubstr("numpy.ascontiguousarray"));
  EXPECT_THAT(complaint("x=" + kNumpyFiles + "objects.npy"), HasSubstr("Python objects"));
}

TEST_F(RunGraph, RefusesNumbersOutOfTheRange) {
  write_content(path("whole.pbtxt"),
                "node { name: 'i' op: 'Placeholder' attr { key: 'dtype' value { type: DT_INT32 } } }");
  EXPECT_EQ(output_of({"--feed", "i=2147483647", "--fetch", "i"}, "whole.pbtxt"), "i:0 = 2147483647\n");
  EXPECT_THAT(complaint_of({"--feed", "i=99999999999", "--fetch", "i"}, "whole.pbtxt"),
              HasSubstr("--feed i=99999999999: Expected int32, but got 99999999999"));
  EXPECT_THAT(complaint_of({"--feed", "i=[1, 99999999999]", "--fetch", "i"}, "whole.pbtxt"),
              HasSubstr("Expected int32, but got 99999999999"));
  write_content(path("unsigned.pbtxt"),
                "node { name: 'u' op: 'Placeholder' attr { key: 'dtype' value { type: DT_UINT64 } } }");
  EXPECT_EQ(output_of({"--feed", "u=18446744073709551615", "--fetch", "u"}, "unsigned.pbtxt"),
            "u:0 = 18446744073709551615\n");
  EXPECT_THAT(complaint_of({"--feed", "u=-1", "--fetch", "u"}, "unsigned.pbtxt"),
              HasSubstr("Expected uint64, but got -1"));
}

// A graph of 2^40 bytes, none of them on the disk, and memory for less.
TEST_F(RunGraph, SaysThatMemoryIsOut) {
  if (kSanitized)
    GTEST_SKIP() << "sanitizers take more memory than the limit, and end at bad_alloc themselves";
  write_content(path("large.pb"), "");
  std::filesystem::resize_file(path("large.pb"), uintmax_t{1} << 40);
  ChildProcess program({"/bin/sh", "-c", "ulimit -v 67108864; exec \"$0\" run \"$1\" --fetch y",
                        testing::built_program("flowray"), path("large.pb")});
  EXPECT_EQ(program.wait(), 1);
  EXPECT_EQ(program.errors(), "flowray run: out of memory\n");
}

TEST_F(RunGraph, RefusesAFileOfNumbersThatItsTensorDoesNotHave) {
  write_content(path("whole.pbtxt"),
                "node { name: 'i' op: 'Placeholder' attr { key: 'dtype' value { type: DT_INT32 } } }");
  // 3000000000 as numpy.save writes an int64 scalar: the head, 118 bytes that describe it, the number.
  std::string header = "{'descr': '<i8', 'fortran_order': False, 'shape': (), }";
  header.resize(117, ' ');
  const std::string number("\x00\x5e\xd0\xb2\0\0\0\0", 8);
  write_content(path("large.npy"), std::string("\x93NUMPY\x01\0\x76\0", 10) + header + "\n" + number);
  EXPECT_THAT(complaint_of({"--feed", "i=" + path("large.npy"), "--fetch", "i"}, "whole.pbtxt"),
              HasSubstr("Type of feed value 3000000000 with type <class 'int'> is not compatible"));
}

TEST_F(RunGraph, NamesNoLineOfItsOwnSource) {
  EXPECT_THAT(complaint_of({"--fetch", "y"}), ::testing::Not(HasSubstr("The node was made at")));
}

TEST_F(RunGraph, FailsWhereTheOutputIsFull) {
  ChildProcess program({"/bin/sh", "-c", "exec \"$0\" run \"$1\" --feed x=1 --fetch y >/dev/full",
                        testing::built_program("flowray"), path("graph.pb")});
  EXPECT_EQ(program.wait(), 1);
  EXPECT_THAT(program.errors(), HasSubstr("the values could not be printed: No space left on device"));
}

TEST_F(RunGraph, TellsAWrongCommandLineByItsStatus) {
  ChildProcess nothing({testing::built_program("flowray"), "run"});
  EXPECT_EQ(nothing.wait(), 2);
  ChildProcess unknown({testing::built_program("flowray"), "run", path("graph.pb"), "--fecth", "y"});
  EXPECT_EQ(unknown.wait(), 2);
  ChildProcess help({testing::built_program("flowray"), "run", "--help"});
  EXPECT_EQ(help.wait(), 0);
  EXPECT_THAT(help.output(), HasSubstr("NAME=FILE.npy"));
}

}  // namespace
}  // namespace flowray
