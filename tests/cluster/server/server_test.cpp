// Servers in this process, and the command, over the network.

#include <flowray/errors.h>
#include <flowray/tf/server.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "cluster/network_fixture.h"
#include "cluster/transport.h"
#include "support/child_process.h"
#include "wire/master.h"

namespace flowray::cluster {
namespace {

using tf::train::ClusterSpec;
using tf::train::Server;

class ServerTest : public NetworkTest {
 protected:
  static std::string device_of(const std::string& target) {
    const auto channel = transport().connect(target.substr(std::string_view("grpc://").size()));
    const Response response =
        channel->call("/tensorflow.MasterService/ListDevices", Message(), Channel::Deadline::max(), nullptr);
    if (!response.status.ok()) return response.status.text;
    const auto bytes = response.message.pieces()[0].bytes;
    const auto answer =
        wire::decode<wire::ListDevicesResponse>({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    return answer.local_device.at(0).name.str();
  }
};

TEST_F(ServerTest, ServesTheTaskThatItIs) {
  const ClusterSpec cluster{{"ps", {"localhost:1"}}, {"worker", {"localhost:2", "localhost:0"}}};
  const Server server(cluster, {.job_name = "worker", .task_index = 1});
  EXPECT_EQ(device_of(server.target()), "/job:worker/replica:0/task:1/device:CPU:0");
}

TEST_F(ServerTest, TakesItsOwnTaskWhereThereIsNoOther) {
  const Server server({{"worker", {"localhost:0"}}});
  EXPECT_EQ(device_of(server.target()), "/job:worker/replica:0/task:0/device:CPU:0");
  const Server local = Server::create_local_server();
  EXPECT_EQ(device_of(local.target()), "/job:localhost/replica:0/task:0/device:CPU:0");
}

TEST_F(ServerTest, StartsAndStopsAsItIsTold) {
  Server server = Server::create_local_server({.start = false});
  EXPECT_THROW((void)server.target(), RuntimeError);
  server.start();
  const std::string target = server.target();
  server.start();
  EXPECT_EQ(server.target(), target);
  std::thread waiting([&] { EXPECT_EQ(server.join(), 0); });
  server.stop();
  waiting.join();
  EXPECT_THROW((void)server.target(), RuntimeError);
  server.start();
  EXPECT_EQ(device_of(server.target()), "/job:localhost/replica:0/task:0/device:CPU:0");
}

TEST_F(ServerTest, SaysThatItsAddressIsTakenOrNone) {
  const Server server = Server::create_local_server();
  const std::string address = server.target().substr(std::string_view("grpc://").size());
  EXPECT_THROW(Server({{"worker", {address}}}), errors::UnavailableError);
  EXPECT_THROW(Server({{"worker", {"nowhere"}}}), errors::InvalidArgumentError);
  EXPECT_THROW(Server({{"worker", {"localhost:0"}}}, {.job_name = "ps", .task_index = 0}),
               errors::InvalidArgumentError);
  EXPECT_THROW(Server({{"worker", {"localhost:0"}}}, {.task_index = 4}), errors::InvalidArgumentError);
}

TEST_F(ServerTest, IsACommandThatEndsWhenItIsTold) {
#ifndef FLOWRAY_TEST_COMMAND
  GTEST_SKIP() << "the command is not built";
#endif
  testing::ChildProcess server({testing::built_program("flowray"), "server", "--port", "0", "--job", "ps"});
  server.await_output("\n");
  const std::string line = server.output();
  const std::string words = "Started server with target: ";
  ASSERT_EQ(line.rfind(words, 0), 0u) << line;
  EXPECT_EQ(device_of(line.substr(words.size(), line.find('\n') - words.size())),
            "/job:ps/replica:0/task:0/device:CPU:0");
  server.send_signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0) << server.errors();
}

/// It finds the library beside it, not where the shell was when it was started.
TEST_F(ServerTest, IsReachedByAProgramThatTheShellFoundInPath) {
  const std::filesystem::path client = testing::built_program("test-cluster-waiting_client");
  // c-ares, which gRPC asks for addresses, frees a few bytes only where the process ends later.
  testing::ChildProcess process({"/usr/bin/env", "ASAN_OPTIONS=detect_leaks=0",
                                 "PATH=" + client.parent_path().string(), client.filename(),
                                 "grpc://localhost:1", "1"});
  EXPECT_EQ(process.wait(), 0) << process.errors();
}

}  // namespace
}  // namespace flowray::cluster
