// `flowray trace`, as its users run it: on this process and on a cluster.

#include <flowray/tf.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/child_process.h"
#include "support/idx_files.h"

namespace flowray {
namespace {

using testing::ChildProcess;
using ::testing::HasSubstr;

class TraceGraph : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path() / name; }

  /// `there` is squared on the ps, `here` negated on worker 0.
  void write_graph(bool on_a_cluster) const {
    const tf::Graph graph;
    const auto scope = graph.as_default();
    const tf::Tensor x = tf::placeholder(tf::float32, {}, {.name = "x"});
    tf::Tensor there;
    {
      const auto ps = tf::device(on_a_cluster ? "/job:ps/task:0" : "");
      there = tf::square(x, {.name = "there"});
    }
    const auto worker = tf::device(on_a_cluster ? "/job:worker/task:0" : "");
    tf::negative(there, {.name = "here"});
    tf::train::write_graph(graph, folder_.path(), "graph.pb", {.as_text = false});
  }

  /// The trace.
  std::string trace(const std::vector<std::string>& more) const {
    std::vector<std::string> command = {testing::built_program("flowray"),
                                        "trace",
                                        path("graph.pb"),
                                        "--feed",
                                        "x=3",
                                        "--fetch",
                                        "here",
                                        "--out",
                                        path("trace.json")};
    command.insert(command.end(), more.begin(), more.end());
    ChildProcess program(command);
    EXPECT_EQ(program.wait(), 0) << program.errors();
    std::ifstream file(path("trace.json"));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const testing::TestFolder folder_;
};

TEST_F(TraceGraph, ShowsWhatRunsInThisProcess) {
  write_graph(false);
  EXPECT_THAT(trace({}), HasSubstr("\"/job:localhost/replica:0/task:0/device:CPU:0\""));
}

TEST_F(TraceGraph, ShowsAllTasksAndTheCallsBetweenThem) {
#ifndef FLOWRAY_TEST_NETWORK
  GTEST_SKIP() << "there is no gRPC in this build";
#endif
  write_graph(true);
  ChildProcess cluster({testing::built_program("flowray"), "cluster", "--tasks", "ps=1", "worker=1"});
  const std::string words = "[worker/0] Started server with target: ";
  cluster.await_output("[ps/0] Started server");
  cluster.await_output(words);
  const size_t begin = cluster.output().find(words) + words.size();
  const std::string target = cluster.output().substr(begin, cluster.output().find('\n', begin) - begin);
  const std::string json = trace({"--server", target});
  for (const char* const device :
       {"/job:ps/replica:0/task:0/device:CPU:0", "/job:worker/replica:0/task:0/device:CPU:0",
        "/job:worker/replica:0/task:0/calls"})
    EXPECT_THAT(json, HasSubstr(std::string("\"") + device + "\""));
  EXPECT_THAT(json, HasSubstr("RunGraph /job:ps/replica:0/task:0"));
}

}  // namespace
}  // namespace flowray
