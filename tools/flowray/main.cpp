// The command flowray: `flowray server` runs graphs for TensorFlow clients, `flowray run` one from a file,
// which `flowray explain` takes apart.

#include <flowray/errors.h>
#include <fmt/format.h>
#include <pthread.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "cluster/server.h"
#include "explain.h"
#include "run.h"

namespace {

using flowray::cluster::ClusterSpec;

struct ServerArguments {
  int port = 2222;
  std::string job = "local";
  int task = 0;
  std::vector<std::string> cluster;
  std::string config;
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

/// `name` for a message: what is not printable in it, as in a file that is no text, is '?'.
std::string printable(std::string name) {
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return c < ' ' || c > '~'; }, '?');
  return name;
}

/// The options of the file as they would stand on the command line, without those that stand there already.
/// Read here and not by CLI11, which looks at the files of the outermost command alone.
std::vector<std::string> options_of_file(const CLI::App& server, const std::string& path) {
  std::vector<std::string> options;
  for (const CLI::ConfigItem& item : server.get_config_formatter()->from_file(path)) {
    const CLI::Option* option = item.parents.empty() ? server.get_option_no_throw("--" + item.name) : nullptr;
    if (option == nullptr || item.name == "help" || item.name == "config") {
      throw CLI::ConfigError(fmt::format("--config {}: unknown key '{}'; expected port, job, task or cluster",
                                         path, printable(item.fullname())));
    }
    if (option->count() > 0) continue;
    for (const std::string& value : item.inputs) options.push_back(fmt::format("--{}={}", item.name, value));
  }
  return options;
}

/// Parses the command line again with the options of the file, so that they are checked like its own. What
/// the options ask of each other is asked only then: the file may have what the command line lacks.
void parse_with_file(CLI::App& app, CLI::App& server, const std::string& path, int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  std::vector<std::string> options;
  if (!path.empty()) options = options_of_file(server, path);
  server.get_option("--cluster")->excludes(server.get_option("--port"))->needs(server.get_option("--job"));
  words.insert(words.begin() + 1, options.begin(), options.end());  // behind the word "server"
  std::reverse(words.begin(), words.end());                         // as CLI11 wants them
  app.parse(words);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Flowray from the shell");
  app.require_subcommand(1);
  ServerArguments arguments;
  CLI::App* server = app.add_subcommand(
      "server", "Runs graphs for TensorFlow clients: tf.Session(\"grpc://localhost:2222\")");
  server->add_option("--port", arguments.port, "of a cluster of this task alone; 0: any free one")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  server->add_option("--job", arguments.job, "of this task")->capture_default_str();
  server->add_option("--task", arguments.task, "number of this task in its job")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  server->add_option("--cluster", arguments.cluster,
                     "JOB=HOST:PORT,HOST:PORT,...; once for each job; with --job, without --port");
  server
      ->add_option("--config", arguments.config, "a file with lines such as port=2222; the command line wins")
      ->check(CLI::ExistingFile);
  const flowray::tools::RunCommand run(app);
  const flowray::tools::ExplainCommand explain(app);
  try {
    app.parse(argc, argv);
    if (run.is_chosen()) return run.run();
    if (explain.is_chosen()) return explain.run();
    parse_with_file(app, *server, arguments.config, argc, argv);
    serve(arguments);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;  // --help is no error
  } catch (const flowray::Error& error) {
    fmt::print(stderr, "flowray server: {}\n", error.message());
    return 2;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "flowray server: out of memory\n");
    return 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "flowray server: {}\n", error.what());
    return 1;
  }
  return 0;
}
