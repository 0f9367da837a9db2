// `flowray server --config FILE`, as its users start it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/child_process.h"
#include "support/idx_files.h"

namespace flowray {
namespace {

using testing::ChildProcess;
using ::testing::HasSubstr;

class ServerConfig : public ::testing::Test {
 protected:
  std::string file(const std::string& content) const {
    const std::string path = folder_.path() / "server.ini";
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

  /// What stands on stderr of a server that does not start.
  static std::string complaint_of(const std::string& config, const std::vector<std::string>& more = {}) {
    std::vector<std::string> command = {testing::built_program("flowray"), "server", "--config", config};
    command.insert(command.end(), more.begin(), more.end());
    ChildProcess server(command);
    EXPECT_EQ(server.wait(), 2);
    EXPECT_EQ(server.output(), "");
    return server.errors();
  }

  const testing::TestFolder folder_;
};

/// The local addresses, as /proc/net/tcp and tcp6 have them, where somebody listens at this port.
std::vector<std::string> addresses_listened_at(int port) {
  std::vector<std::string> found;
  for (const char* name : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream table(name);
    std::string line;
    while (std::getline(table, line)) {
      std::istringstream fields(line);
      std::string number, local, remote, state;
      fields >> number >> local >> remote >> state;
      const size_t colon = local.find(':');
      constexpr const char* kListens = "0A";
      if (state == kListens && std::stoi(local.substr(colon + 1), nullptr, 16) == port)
        found.push_back(local.substr(0, colon));
    }
  }
  return found;
}

TEST_F(ServerConfig, LeavesTheServerToThisMachineUnlessToldOtherwise) {
#ifndef FLOWRAY_TEST_NETWORK
  GTEST_SKIP() << "this build has no gRPC";
#endif
  ChildProcess server({testing::built_program("flowray"), "server", "--config", file("port = 0\n")});
  server.await_output("\n");
  const std::string output = server.output();
  const auto addresses = addresses_listened_at(std::stoi(output.substr(output.rfind(':') + 1)));
  EXPECT_THAT(addresses, ::testing::Not(::testing::IsEmpty()));
  // 127.0.0.1, ::ffff:127.0.0.1 and ::1, each word of 4 bytes being turned round.
  EXPECT_THAT(addresses, ::testing::Each(::testing::AnyOf("0100007F", "0000000000000000FFFF00000100007F",
                                                          "00000000000000000000000001000000")));
  server.send_signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0) << server.errors();
  EXPECT_EQ(server.errors(), "");
}

// Port 0 is any free one: never the 2222 that would be there without the file.
TEST_F(ServerConfig, GivesTheOptions) {
#ifndef FLOWRAY_TEST_NETWORK
  GTEST_SKIP() << "this build has no gRPC";
#endif
  ChildProcess server(
      {testing::built_program("flowray"), "server", "--config", file("# ours\nport = 0\njob=ps\n")});
  server.await_output("\n");
  EXPECT_THAT(server.output(), HasSubstr("Started server with target: grpc://localhost:"));
  EXPECT_THAT(server.output(), ::testing::Not(HasSubstr(":2222\n")));
  server.send_signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0) << server.errors();
}

// The job is seen in the complaint that the cluster has none of that name.
TEST_F(ServerConfig, GivesJobAndCluster) {
#ifndef FLOWRAY_TEST_NETWORK
  GTEST_SKIP() << "this build has no gRPC";
#endif
  const std::string cluster = "cluster=[\"ps=localhost:1,localhost:3\", \"worker=localhost:2\"]\n";
  EXPECT_THAT(complaint_of(file(cluster + "job=absent\n")), HasSubstr("absent"));
  EXPECT_THAT(complaint_of(file(cluster), {"--job", "absent"}), HasSubstr("absent"));
  EXPECT_THAT(complaint_of(file("job=absent\n"), {"--cluster", "ps=localhost:1"}), HasSubstr("absent"));
  EXPECT_THAT(complaint_of(file(cluster)), HasSubstr("--job"));
  EXPECT_THAT(complaint_of(file(cluster + "port=0\njob=ps\n")), HasSubstr("--port"));
}

TEST_F(ServerConfig, GivesWayToTheCommandLine) {
#ifndef FLOWRAY_TEST_NETWORK
  GTEST_SKIP() << "this build has no gRPC";
#endif
  ChildProcess server(
      {testing::built_program("flowray"), "server", "--port", "0", "--config", file("port=70000\njob=ps\n")});
  server.await_output("\n");
  EXPECT_THAT(server.output(), HasSubstr("Started server with target: grpc://localhost:"));
  server.send_signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0) << server.errors();
}

TEST_F(ServerConfig, ThatIsWrongIsRefused) {
  EXPECT_THAT(complaint_of(folder_.path() / "none.ini"), HasSubstr("none.ini"));
  EXPECT_THAT(complaint_of(folder_.path()), HasSubstr(folder_.path().string()));
  EXPECT_THAT(complaint_of(file("prot=0\n")),
              HasSubstr("unknown key 'prot'; expected an option of `flowray server` without its dashes"));
  EXPECT_THAT(complaint_of(file("[server]\nport=0\n")), HasSubstr("unknown key 'server"));
  EXPECT_THAT(complaint_of(file("config=other.ini\n")), HasSubstr("unknown key 'config'"));
  EXPECT_THAT(complaint_of(file("\x8f\x01\xff\x7f")), HasSubstr("unknown key '??"));
  EXPECT_THAT(complaint_of(file("port=70000\n")), HasSubstr("--port"));
  EXPECT_THAT(complaint_of(file("task=first\n")), HasSubstr("--task"));
}

}  // namespace
}  // namespace flowray
