// The command flowray: `flowray server` runs graphs for TensorFlow clients, `flowray run` one from a file.

#include <CLI/CLI.hpp>
#include <flowray/errors.h>
#include <fmt/format.h>
#include <pthread.h>

#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "cluster/server.h"
#include "run.h"

namespace {

using flowray::cluster::ClusterSpec;

struct ServerArguments {
  int port = 2222;
  std::string job = "local";
  int task = 0;
  std::vector<std::string> cluster;
};

/// "worker=host:port,host:port" adds a job.
void add_job(ClusterSpec& cluster, const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw flowray::ValueError(fmt::format("--cluster {}: expected JOB=HOST:PORT,HOST:PORT,...", text));
  }
  auto& tasks = cluster[text.substr(0, equals)];
  for (size_t begin = equals + 1; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    tasks.emplace(static_cast<int>(tasks.size()), text.substr(begin, end - begin));
    begin = end + 1;
  }
}

/// Serves until SIGINT or SIGTERM.
void serve(const ServerArguments& arguments) {
  // Blocked before any thread begins, so that every one inherits it and the signal waits for sigwait.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  ClusterSpec cluster;
  for (const std::string& job : arguments.cluster) add_job(cluster, job);
  if (cluster.empty()) cluster[arguments.job][arguments.task] = fmt::format("localhost:{}", arguments.port);
  const flowray::cluster::Server server(cluster, arguments.job, arguments.task);
  fmt::print("Started server with target: {}\n", server.target());
  std::fflush(stdout);
  int signal = 0;
  sigwait(&signals, &signal);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Flowray from the shell");
  app.require_subcommand(1);
  ServerArguments arguments;
  CLI::App* server = app.add_subcommand("server", "Runs graphs for TensorFlow clients: tf.Session(\"grpc://localhost:2222\")");
  auto* port = server->add_option("--port", arguments.port, "of a cluster of this task alone; 0: any free one")
                   ->check(CLI::Range(0, 65535))
                   ->capture_default_str();
  auto* job = server->add_option("--job", arguments.job, "of this task")->capture_default_str();
  server->add_option("--task", arguments.task, "number of this task in its job")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  server->add_option("--cluster", arguments.cluster, "JOB=HOST:PORT,HOST:PORT,...; once for each job")
      ->excludes(port)
      ->needs(job);
  server->set_config("--config", "", "read these options from a file");
  const flowray::tools::RunCommand run(app);
  try {
    app.parse(argc, argv);
    if (run.is_chosen()) return run.run();
    serve(arguments);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;  // --help is no error
  } catch (const flowray::Error& error) {
    fmt::print(stderr, "flowray server: {}\n", error.message());
    return 2;
  }
  return 0;
}
