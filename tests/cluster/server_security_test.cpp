// Servers that ask for certificates or a token, and clients that show them, over the network. The
// certificates are made by the program openssl.

#include <flowray/errors.h>
#include <flowray/tf.h>
#include <flowray/tf/server.h>

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "cluster/network_fixture.h"
#include "cluster/server_process.h"
#include "core/sanitizers.h"
#include "support/child_process.h"
#include "support/idx_files.h"

namespace flowray::cluster {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using tf::train::Server;
using tf::train::ServerOptions;

class ServerSecurity : public NetworkTest {
 protected:
  std::string file(const std::string& name) const { return folder_.path() / name; }
  std::string secret(const std::string& name, const std::string& text) const {
    std::ofstream(file(name)) << text;
    ::chmod(file(name).c_str(), 0600);
    return file(name);
  }

  static void openssl(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "/usr/bin/openssl");
    testing::ChildProcess process(arguments);
    ASSERT_EQ(process.wait(), 0) << process.errors();
  }
  /// NAME.key and NAME.pem, which signs others.
  void make_authority(const std::string& name) const {
    openssl({"req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
             "2", "-subj", "/CN=" + name, "-keyout", file(name + ".key"), "-out", file(name + ".pem")});
  }
  /// NAME.key and NAME.pem, for localhost.
  void make_certificate(const std::string& name, const std::string& authority) const {
    openssl({"req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
             "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", file(name + ".key"),
             "-out", file(name + ".csr")});
    openssl({"x509", "-req", "-in", file(name + ".csr"), "-CA", file(authority + ".pem"), "-CAkey",
             file(authority + ".key"), "-set_serial", "7", "-days", "2", "-copy_extensions", "copy", "-out",
             file(name + ".pem")});
  }
  void make_all() const {
    make_authority("ca");
    make_authority("other_ca");
    make_certificate("server", "ca");
    make_certificate("client", "ca");
    make_certificate("stranger", "other_ca");
  }
  Server server(const ServerOptions& options) const {
    return Server({{"localhost", {"localhost:0"}}}, options);
  }
  ServerOptions tls() const {
    return {.tls_cert = file("server.pem"), .tls_key = file("server.key"), .tls_ca = file("ca.pem")};
  }
  std::string shown(const std::string& name, const std::string& authority = "ca") const {
    return "?tls_ca=" + file(authority + ".pem") + "&tls_cert=" + file(name + ".pem") +
           "&tls_key=" + file(name + ".key");
  }

  tf::Graph graph_;
  tf::GraphScope scope_ = graph_.as_default();
  const testing::TestFolder folder_;
};

/// What a step on a server gives, or the class and text of its error.
template <class Error>
std::string error_of(const std::string& target) {
  try {
    tf::Session(target, {.operation_timeout_in_ms = 20'000}).run(tf::constant(3.f));
  } catch (const Error& error) {
    return error.message();
  }
  ADD_FAILURE() << "the step ran, and there is no error";
  return {};
}

TEST_F(ServerSecurity, OfATokenAsksEachClientForIt) {
  const std::string token = secret("token", "0123456789abcdef\n");
  const std::string wrong = secret("wrong", "0123456789abcdeF\n");
  const Server asking = server({.token_file = token});
  EXPECT_EQ(tf::Session(asking.target() + "?token_file=" + token).run(tf::constant(3.f)), Array(3.f));
  for (const std::string& target : {asking.target(), asking.target() + "?token_file=" + wrong}) {
    EXPECT_THAT(error_of<errors::UnauthenticatedError>(target), HasSubstr("This server asks for a token"));
  }
  const Server open = server({});
  EXPECT_EQ(tf::Session(open.target() + "?token_file=" + token).run(tf::constant(3.f)), Array(3.f));
}

TEST_F(ServerSecurity, OfCertificatesAsksBothSidesForThem) {
  make_all();
  const Server asking = server(tls());
  EXPECT_EQ(tf::Session(asking.target() + shown("client")).run(tf::constant(3.f)), Array(3.f));
  error_of<errors::UnavailableError>(asking.target());                                // no TLS
  error_of<errors::UnavailableError>(asking.target() + "?tls_ca=" + file("ca.pem"));  // nothing shown
  error_of<errors::UnavailableError>(asking.target() + shown("stranger"));            // signed by another
  error_of<errors::UnavailableError>(asking.target() +
                                     shown("client", "other_ca"));  // does not know the server
  const Server open = server({});
  error_of<errors::UnavailableError>(open.target() + shown("client"));  // the server has no TLS
}

TEST_F(ServerSecurity, TakesCertificatesAndATokenTogether) {
  make_all();
  ServerOptions options = tls();
  options.token_file = secret("token", "secret");
  const Server asking = server(options);
  const std::string with_token = asking.target() + shown("client") + "&token_file=" + options.token_file;
  EXPECT_EQ(tf::Session(with_token).run(tf::constant(3.f)), Array(3.f));
  error_of<errors::UnauthenticatedError>(asking.target() + shown("client"));
}

/// An address that nobody listens at just now.
std::string free_address() {
  const Server server = Server::create_local_server();
  return server.target().substr(std::string_view("grpc://").size());
}

/// A step of which one part is on each of two tasks, which `options` are those of: "" or the error, with its
/// code before it.
std::string error_over_tasks(const ServerOptions& of_worker, const ServerOptions& of_ps,
                             const std::string& shown) {
  const tf::train::ClusterSpec cluster{{"ps", {free_address()}}, {"worker", {free_address()}}};
  const auto task = [&](ServerOptions options, const char* job) {
    options.job_name = job;
    options.task_index = 0;
    return Server(cluster, options);
  };
  const Server worker = task(of_worker, "worker");
  const Server ps = task(of_ps, "ps");
  const auto there = tf::device("/job:ps/task:0");
  const tf::Tensor nine = tf::square(tf::constant(3.f));
  const auto here = tf::device("/job:worker/task:0");
  try {
    const Array result =
        tf::Session(worker.target() + shown, {.operation_timeout_in_ms = 5'000}).run(nine + 1.f);
    EXPECT_EQ(result, Array(10.f));
  } catch (const errors::OpError& error) {
    return std::string(code_name(error.code())) + ": " + error.message();
  }
  return {};
}

TEST_F(ServerSecurity, HoldsBetweenTheTasksOfACluster) {
  make_all();
  ServerOptions both = tls();
  both.token_file = secret("token", "secret");
  const std::string with_token = shown("client") + "&token_file=" + both.token_file;
  EXPECT_EQ(error_over_tasks(both, both, with_token), "");
  ServerOptions other_token = both;
  other_token.token_file = secret("other", "other-secret");
  EXPECT_THAT(error_over_tasks(both, other_token, with_token),
              ::testing::AllOf(StartsWith("UNAUTHENTICATED: From /job:ps/replica:0/task:0:\n"),
                               HasSubstr("This server asks for a token")));
  // A task that cannot be reached is waited for.
  const auto late = StartsWith("DEADLINE_EXCEEDED: ");
  EXPECT_THAT(error_over_tasks(both, {}, with_token), late);  // the ps has no TLS
  ServerOptions stranger = both;
  stranger.tls_cert = file("stranger.pem");
  stranger.tls_key = file("stranger.key");
  EXPECT_THAT(error_over_tasks(both, stranger, with_token), late);
}

TEST_F(ServerSecurity, KeepsEachTaskToItsOwnFolder) {
  const tf::train::ClusterSpec cluster{{"ps", {free_address()}}, {"worker", {free_address()}}};
  std::filesystem::create_directory(file("of_ps"));
  const Server worker(cluster, {.job_name = "worker", .task_index = 0});
  const Server ps(cluster, {.job_name = "ps", .task_index = 0, .file_root = file("of_ps")});
  const auto there = tf::device("/job:ps/task:0");
  const tf::Variable v(1.f);
  tf::train::Saver saver;
  tf::Session session(worker.target());
  session.run(v.initializer());
  EXPECT_EQ(saver.save(session, file("of_ps/model")), file("of_ps/model"));
  EXPECT_THROW((void)saver.save(session, file("model")), errors::PermissionDeniedError);
}

TEST_F(ServerSecurity, NeedsTheKeyOfTheCertificate) {
  make_all();
  ServerOptions options = tls();
  options.tls_key = file("client.key");
  try {
    (void)server(options);
    FAIL() << "the key is not the certificate's";
  } catch (const errors::UnavailableError& error) {
    EXPECT_THAT(error.message(), HasSubstr("is the key that of the certificate?"));
  }
  EXPECT_THROW(server({.tls_ca = file("ca.pem")}), errors::InvalidArgumentError);
  EXPECT_THROW(server({.tls_cert = file("none")}), errors::InvalidArgumentError);
  EXPECT_THROW(server({.token_file = file("none")}), errors::NotFoundError);
}

TEST_F(ServerSecurity, RefusesMessagesThatAreTooLarge) {
  const Server small = server({.max_message_bytes = 100'000});
  const auto x = tf::placeholder(tf::float32, {tf::None});
  const auto sum = tf::reduce_sum(x);
  tf::Session session(small.target());
  EXPECT_EQ(session.run(sum, {{x, Array(DType::kFloat32, {20'000})}}), Array(0.f));
  try {
    session.run(sum, {{x, Array(DType::kFloat32, {30'000})}});
    FAIL() << "a request of 120,000 bytes was taken";
  } catch (const errors::ResourceExhaustedError& error) {
    EXPECT_THAT(error.message(), HasSubstr("Received message larger than max (120"));
    EXPECT_THAT(error.message(), HasSubstr("vs. 100000)\nSend less at once"));
  }
  EXPECT_EQ(session.run(sum, {{x, Array(DType::kFloat32, {20'000})}}), Array(0.f));
}

TEST_F(ServerSecurity, KeepsGraphsToItsFolder) {
  std::filesystem::create_directory(file("root"));
  const Server confined = server({.file_root = file("root")});
  const tf::Variable v(1.f);
  tf::train::Saver saver;
  tf::Session session(confined.target());
  session.run(v.initializer());
  const std::string path = saver.save(session, file("root/model"));
  saver.restore(session, path);
  EXPECT_THROW((void)saver.save(session, file("model")), errors::PermissionDeniedError);
  EXPECT_THROW((void)saver.save(session, file("root/../model")), errors::PermissionDeniedError);
  EXPECT_FALSE(std::filesystem::exists(file("model.index")));
  const Server without = server({.no_files = true});
  tf::Session none(without.target());
  none.run(v.initializer());
  EXPECT_THROW(saver.restore(none, path), errors::PermissionDeniedError);
  EXPECT_THROW(server({.file_root = file("none")}), errors::NotFoundError);
}

TEST_F(ServerSecurity, KeepsToItsMemory) {
#ifndef FLOWRAY_TEST_COMMAND
  GTEST_SKIP() << "the command is not built";
#endif
  const ServerProcess process({"--memory-limit", "64MB"});
  tf::Session session(process.target());
  EXPECT_EQ(session.run(tf::fill({1'000'000}, 1.f)).size(), 1'000'000);
  try {
    (void)session.run(tf::fill({20'000'000}, 1.f));
    FAIL() << "80 MB were there";
  } catch (const errors::ResourceExhaustedError& error) {
    EXPECT_THAT(error.message(), HasSubstr("OOM when allocating a buffer of 80000000 bytes\n"));
    EXPECT_THAT(error.message(), HasSubstr("--memory-limit"));
  }
  EXPECT_EQ(session.run(tf::fill({10'000'000}, 1.f)).size(), 10'000'000);
}

TEST_F(ServerSecurity, KeepsToItsMemoryWithTexts) {
#ifndef FLOWRAY_TEST_COMMAND
  GTEST_SKIP() << "the command is not built";
#endif
  if (kSanitized) GTEST_SKIP() << "the memory of a sanitizer is not limited";
  const ServerProcess process({"--memory-limit", "64MB"});
  tf::Session session(process.target());
  // 3,000 texts of 1 MB, of which the graph has one.
  const tf::Tensor texts = tf::tile(tf::constant({std::string(1'000'000, 'x')}), {3'000});
  try {
    (void)session.run(tf::equal(tf::reduce_join(texts), "x"));
    FAIL() << "3 GB were there";
  } catch (const errors::ResourceExhaustedError& error) {
    EXPECT_THAT(error.message(), HasSubstr("no memory left for this call"));
  }
  EXPECT_EQ(session.run(tf::fill({1'000'000}, 1.f)).size(), 1'000'000);
}

TEST_F(ServerSecurity, SaysOnOneLineWhatAnOpenServerExposes) {
#ifndef FLOWRAY_TEST_COMMAND
  GTEST_SKIP() << "the command is not built";
#endif
  const std::string token = secret("token", "secret");
  const auto complaint_of = [](const std::string& address, const std::vector<std::string>& more) {
    std::vector<std::string> command = {
        testing::built_program("flowray"), "server", "--job", "a", "--cluster", "a=" + address};
    command.insert(command.end(), more.begin(), more.end());
    testing::ChildProcess process(command);
    process.await_output("\n");
    process.send_signal(SIGTERM);
    EXPECT_EQ(process.wait(), 0) << process.errors();
    return process.errors();
  };
  const std::string open = complaint_of("0.0.0.0:0", {});
  EXPECT_THAT(open, HasSubstr("everybody who can reach grpc://0.0.0.0:"));
  EXPECT_THAT(open, HasSubstr("with all files that this user may use"));
  EXPECT_EQ(std::ranges::count(open, '\n'), 1);
  EXPECT_THAT(complaint_of("0.0.0.0:0", {"--no-files"}), HasSubstr("without files"));
  EXPECT_EQ(complaint_of("0.0.0.0:0", {"--token-file", token}), "");
  EXPECT_EQ(complaint_of("127.0.0.1:0", {}), "");
}

}  // namespace
}  // namespace flowray::cluster
