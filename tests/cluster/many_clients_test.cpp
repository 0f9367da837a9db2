// Servers with many clients, clients that go away, and servers that do.

#include <flowray/tf/server.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "cluster/graph_messages.h"
#include "cluster/network_client.h"
#include "cluster/network_fixture.h"
#include "cluster/server_process.h"
#include "core/sanitizers.h"
#include "support/child_process.h"

namespace flowray::cluster {
namespace {

class ManyClients : public NetworkTest {
 protected:
  /// Until `steps` of waiting() have begun to wait, or are about to.
  static void await_waiting(NetworkClient& observer, int steps) {
    while (observer.run("v:0").item<float>() < static_cast<float>(steps)) ASSERT_TRUE(observer.status().ok());
  }
};

TEST_F(ManyClients, LeaveNothingBehind) {
#ifndef FLOWRAY_TEST_COMMAND
  GTEST_SKIP() << "the command is not built";
#endif
  ServerProcess server;
  NetworkClient client(server.target());
  const Array fed(2.0f);
  const auto open_and_close = [&](int sessions) {
    for (int i = 0; i < sessions; ++i) {
      ASSERT_TRUE(client.create(doubling())) << client.status().text;
      ASSERT_EQ(client.run("y:0", &fed), Array(4.0f)) << client.status().text;
      ASSERT_TRUE(client.close()) << client.status().text;
    }
  };
  open_and_close(500);  // what is kept for good is there then
  const int64_t threads = server.status("Threads");
  const int64_t memory_kib = server.status("VmRSS");
  open_and_close(kSanitized ? 500 : 10'000);
  EXPECT_LE(server.status("Threads"), threads + 2);  // gRPC's come and go
  if (!kSanitized) {
    EXPECT_LE(server.status("VmRSS"), memory_kib + 4096);
  }
}

TEST_F(ManyClients, HaveSessionsOfTheirOwnAtOnce) {
  constexpr int kClients = 50;
  constexpr int kSteps = 20;
  const auto server = tf::train::Server::create_local_server();
  std::atomic<int> right{0};
  std::vector<std::thread> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.emplace_back([&, i] {
      NetworkClient client(server.target());
      if (!client.create(doubling())) return;
      for (int step = 0; step < kSteps; ++step) {
        const Array fed(static_cast<float>(i * kSteps + step));
        right += client.run("y:0", &fed) == Array(static_cast<float>(2 * (i * kSteps + step)));
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(right, kClients * kSteps);
}

TEST_F(ManyClients, ShareVariables) {
  constexpr int kSteps = 200;
  const auto server = tf::train::Server::create_local_server();
  NetworkClient first(server.target());
  ASSERT_TRUE(first.create(counting()));
  (void)first.run("init");
  const auto add = [&](NetworkClient& client) {
    for (int i = 0; i < kSteps; ++i) (void)client.run("add");
  };
  std::thread other([&] {
    NetworkClient second(server.target());
    ASSERT_TRUE(second.create(counting()));
    add(second);
  });
  add(first);
  other.join();
  EXPECT_EQ(first.run("v:0"), Array(static_cast<float>(2 * kSteps)));
}

TEST_F(ManyClients, WhoDisappearWaitForNothingAnyMore) {
  constexpr int kSteps = 20;
  const auto server = tf::train::Server::create_local_server();
  NetworkClient observer(server.target());
  ASSERT_TRUE(observer.create(waiting()));
  (void)observer.run("init");
  testing::ChildProcess client(
      {testing::built_program("test-cluster-waiting_client"), server.target(), std::to_string(kSteps)});
  ASSERT_NO_FATAL_FAILURE(await_waiting(observer, kSteps));
  // One of the steps takes it and waits for a second one. Given up it puts it back, for the next to take.
  (void)observer.run("put");
  client.send_signal(SIGKILL);
  EXPECT_EQ(client.wait(), -SIGKILL);
  // A step that went on would make this a test without an end.
  while (observer.run("size:0") != Array(1)) ASSERT_TRUE(observer.status().ok());
}

TEST_F(ManyClients, MayGiveUp) {
  const auto server = tf::train::Server::create_local_server();
  NetworkClient observer(server.target());
  ASSERT_TRUE(observer.create(waiting()));
  (void)observer.run("init");
  Cancellation cancellation;
  std::thread waiter([&] {
    NetworkClient client(server.target());
    ASSERT_TRUE(client.create(waiting()));
    (void)client.run("taken:0", nullptr, &cancellation);
    EXPECT_EQ(client.status().code, static_cast<int>(Code::kCancelled));
  });
  ASSERT_NO_FATAL_FAILURE(await_waiting(observer, 1));
  cancellation.cancel();
  waiter.join();
}

TEST_F(ManyClients, AreToldWhenTheServerEnds) {
#ifndef FLOWRAY_TEST_COMMAND
  GTEST_SKIP() << "the command is not built";
#endif
  constexpr int kSteps = 10;
  ServerProcess server;
  NetworkClient observer(server.target());
  ASSERT_TRUE(observer.create(waiting()));
  (void)observer.run("init");
  std::atomic<int> told{0};
  std::vector<std::thread> clients;
  for (int i = 0; i < kSteps; ++i) {
    clients.emplace_back([&] {
      NetworkClient client(server.target());
      ASSERT_TRUE(client.create(waiting())) << client.status().text;
      (void)client.run("taken:0");
      EXPECT_EQ(client.status().code, static_cast<int>(Code::kUnavailable));
      ++told;
    });
  }
  ASSERT_NO_FATAL_FAILURE(await_waiting(observer, kSteps));
  server.process().send_signal(SIGTERM);
  EXPECT_EQ(server.process().wait(), 0) << server.process().errors();
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(told, kSteps);
}

}  // namespace
}  // namespace flowray::cluster
