// `flowray cluster`: all tasks on this machine.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <csignal>
#include <string>
#include <vector>

#include "support/child_process.h"
#include "support/idx_files.h"

namespace flowray {
namespace {

using testing::ChildProcess;
using ::testing::HasSubstr;

std::vector<std::string> cluster_of(const std::vector<std::string>& more) {
  std::vector<std::string> command = {testing::built_program("flowray"), "cluster", "--tasks", "ps=1",
                                      "worker=2"};
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

// A worker ends when the ps has said its line: it waits for a word of it in a FIFO.
TEST(ClusterCommand, EndsThePsWithItsWorkers) {
  const testing::TestFolder folder;
  for (const char* const task : {"0", "1"}) ASSERT_EQ(mkfifo((folder.path() / task).c_str(), 0600), 0);
  const std::string script = "cd '" + folder.path().string() +
                             "'; echo {job} {task} at {worker} says $TF_CONFIG; if [ {job} = ps ]; then "
                             "echo > 0; echo > 1; exec sleep 1000; else read word < {task}; fi";
  ChildProcess process(cluster_of({"--", "sh", "-c", script}));
  EXPECT_EQ(process.wait(), 0) << process.errors();
  EXPECT_THAT(process.output(), HasSubstr("[ps/0] ps 0 at localhost:"));
  EXPECT_THAT(process.output(), HasSubstr("[worker/0] worker 0 at localhost:"));
  EXPECT_THAT(process.output(), HasSubstr("[worker/1] worker 1 at localhost:"));
  EXPECT_THAT(process.output(), HasSubstr(R"("task": {"type": "worker", "index": 1}})"));
}

TEST(ClusterCommand, EndsAllWhereOneFails) {
  const std::string script =
      "if [ {job}{task} = worker1 ]; then echo no line end | tr -d '\\n'; exit 3; fi; exec sleep 1000";
  ChildProcess process(cluster_of({"--", "sh", "-c", script}));
  EXPECT_EQ(process.wait(), 3);
  EXPECT_EQ(process.output(), "[worker/1] no line end\n");
  EXPECT_THAT(process.errors(), HasSubstr("worker/1 has ended with status 3: the others are ended"));
}

TEST(ClusterCommand, EndsWhatDoesNotListen) {
  const std::string script =
      "if [ {job} = ps ]; then trap '' TERM; echo deaf; while :; do sleep 1; done; fi; exec sleep 1000";
  ChildProcess process(cluster_of({"--", "sh", "-c", script}));
  process.await_output("[ps/0] deaf\n");
  process.send_signal(SIGTERM);
  EXPECT_EQ(process.wait(), 0);
}

TEST(ClusterCommand, RefusesTasksThatAreNone) {
  for (const std::string text : {"ps", "ps=0", "=2", "worker=1"}) {  // worker is there already
    ChildProcess process(cluster_of({text}));
    EXPECT_EQ(process.wait(), 2) << text;
    EXPECT_THAT(process.errors(), HasSubstr("flowray cluster: --tasks"));
  }
}

TEST(ClusterCommand, SaysThatAProgramIsNotThere) {
  ChildProcess process(cluster_of({"--", "no-such-program"}));
  EXPECT_EQ(process.wait(), 127);
  EXPECT_THAT(process.output(), HasSubstr("No such file or directory"));
}

#ifdef FLOWRAY_TEST_NETWORK
TEST(ClusterCommand, StartsServersAndEndsThemAtASignal) {
  ChildProcess process(cluster_of({}));
  for (const std::string task : {"ps/0", "worker/0", "worker/1"})
    process.await_output("[" + task + "] Started server with target: grpc://localhost:");
  process.send_signal(SIGINT);
  EXPECT_EQ(process.wait(), 0) << process.errors();
  EXPECT_THAT(process.output(), HasSubstr("[ps/0] Started server"));
}

TEST(ClusterCommand, TrainsTheExamplesPsAndWorkers) {
  const std::string program = testing::built_program("parameter_server");
  ChildProcess process(cluster_of({"--", program, "--ps", "{ps}", "--workers", "{worker}", "--job_name",
                                   "{job}", "--task_index", "{task}"}));
  EXPECT_EQ(process.wait(), 0) << process.output() << process.errors();
  EXPECT_THAT(process.output(), HasSubstr("[worker/0] step "));
  EXPECT_THAT(process.output(), HasSubstr("[worker/1] step "));
}
#endif

}  // namespace
}  // namespace flowray
