// Sessions of the language on servers.

#include <flowray/errors.h>
#include <flowray/tf.h>
#include <flowray/tf/server.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <string>

#include "cluster/network_fixture.h"

namespace flowray::cluster {
namespace {

using tf::train::Server;

class RemoteSessionTest : public NetworkTest {
 protected:
  tf::Graph graph_;
  tf::GraphScope scope_ = graph_.as_default();
};

TEST_F(RemoteSessionTest, RunsStepsThere) {
  const Server server = Server::create_local_server();
  auto x = tf::placeholder(tf::float32, {tf::None}, {.name = "x"});
  tf::Variable v(tf::constant({1.0f, 2.0f}), {.name = "v"});
  auto sum = v + x;
  auto update = v.assign_add({10.0f, 20.0f});
  tf::Session session(server.target());
  session.run(v.initializer());
  EXPECT_EQ(session.run(sum, {{x, {0.5, 0.25}}}), Array({1.5f, 2.25f}));
  auto [none, both] = session.run({update.op(), sum}, {{x, {0.0, 0.0}}});
  EXPECT_FALSE(none.has_value());
  EXPECT_EQ(session.run("v/read:0"), Array({11.0f, 22.0f}));
  auto twice = sum * 2.0;  // new nodes are sent along
  EXPECT_EQ(session.run(twice, {{x, {1.0, 1.0}}}), Array({24.0f, 46.0f}));
  auto step = session.make_callable({twice, update.op()}, {x});
  EXPECT_EQ(step(Array({0.0f, 0.0f}))[0].shape(), Shape({2}));
  EXPECT_EQ(session.run(v), Array({21.0f, 42.0f}));
}

TEST_F(RemoteSessionTest, ThrowsWhatTheServerAnswers) {
  Server server = Server::create_local_server();
  tf::Variable v(1.0f, {.name = "v"});
  tf::Session session(server.target());
  try {
    session.run(v);
    FAIL() << "v was never initialised";
  } catch (const errors::FailedPreconditionError& error) {
    EXPECT_NE(error.message().find("Attempting to use uninitialized value v"), std::string::npos)
        << error.message();
    EXPECT_EQ(error.node_name(), "v");
  }
  server.stop();
  EXPECT_THROW(session.run(v), errors::UnavailableError);
  session.close();
  EXPECT_THROW(session.run(v), RuntimeError);
}

TEST_F(RemoteSessionTest, RunsLoopsAndTheirGradientsThere) {
  const Server server = Server::create_local_server();
  auto x = tf::placeholder(tf::float32, {}, {.name = "x"});
  auto [y] = tf::while_loop([](tf::Tensor a) { return a < 100.0; }, [](tf::Tensor a) { return a * a; }, {x});
  auto gradient = tf::gradients(y, {x})[0];
  tf::Session session(server.target());
  EXPECT_EQ(session.run(y, {{x, 3.0}}), Array(6561.0f));          // 3^8
  EXPECT_EQ(session.run(gradient, {{x, 3.0}}), Array(17496.0f));  // 8 * 3^7
}

TEST_F(RemoteSessionTest, DoesNotWaitForEverForAServerThatIsSilent) {
  // It takes connections and says nothing.
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  ASSERT_EQ(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  auto x = tf::constant(1.0f);
  {
    tf::Session session("grpc://localhost:" + std::to_string(ntohs(address.sin_port)),
                        tf::SessionConfig{.operation_timeout_in_ms = 300});
    EXPECT_THROW(session.run(x), errors::DeadlineExceededError);
  }
  ::close(listener);
}

}  // namespace
}  // namespace flowray::cluster
