#include "server.h"

#include <flowray/errors.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "core/block_pool.h"
#include "core/sanitizers.h"
#include "ending_signals.h"

namespace flowray::tools {
namespace {

using cluster::ClusterSpec;

/// "worker=host:port,host:port" adds a job.
void add_job(ClusterSpec& cluster, const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw ValueError(fmt::format("--cluster {}: expected JOB=HOST:PORT,HOST:PORT,...", text));
  }
  auto& tasks = cluster[text.substr(0, equals)];
  for (size_t begin = equals + 1; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    tasks.emplace(static_cast<int>(tasks.size()), text.substr(begin, end - begin));
    begin = end + 1;
  }
}

/// `name` for a message: what is not printable in it, as in a binary file, is '?'.
std::string printable(std::string name) {
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return c < ' ' || c > '~'; }, '?');
  return name;
}

int64_t machine_bytes() { return int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE); }

/// Has the system refuse the process more than what arrays may have and some more for all else: texts,
/// graphs, requests. A step that wants it gets an error then, where it would have brought the whole
/// machine into need.
void limit_process(int64_t bytes_of_arrays) {
  constexpr int64_t kLeastBytesOfAllElse = int64_t{1} << 30;
  if (kSanitized) return;  // whose own memory counts, too
  rlimit limit{};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  const int64_t bytes = bytes_of_arrays + std::max(bytes_of_arrays / 6, kLeastBytesOfAllElse);
  limit.rlim_cur = std::min(limit.rlim_cur, static_cast<rlim_t>(bytes));
  (void)::setrlimit(RLIMIT_DATA, &limit);
}

}  // namespace

ServerCommand::ServerCommand(CLI::App& app)
    : app_(app),
      command_(*app.add_subcommand(
          "server", "Runs graphs for TensorFlow clients: tf.Session(\"grpc://localhost:2222\")")) {
  command_.add_option("--port", port_, "of a cluster of this task alone; 0: any free one")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  command_.add_option("--job", job_, "of this task")->capture_default_str();
  command_.add_option("--task", task_, "number of this task in its job")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command_.add_option("--cluster", cluster_,
                      "JOB=HOST:PORT,HOST:PORT,...; once for each job; with --job, without --port");
  command_.add_flag("--exit-with-workers", exits_with_others_,
                    "for a ps: it ends when all tasks of other jobs have been there and have gone for 10 s");
  command_.add_option("--config", config_, "a file with lines such as port=2222; the command line wins")
      ->check(CLI::ExistingFile);
  add_access_options();
  add_limits();
}

void ServerCommand::add_access_options() {
  constexpr const char* kGroup = "Who may connect, and to what";
  engine::SecurityFiles& security = options_.security;
  CLI::Option* const cert =
      command_.add_option("--tls-cert", security.tls_cert, "PEM file: the server's certificate");
  CLI::Option* const key = command_.add_option("--tls-key", security.tls_key, "PEM file: its key");
  CLI::Option* const authority = command_.add_option(
      "--tls-ca", security.tls_ca, "PEM file: the authority that has signed the clients' certificates");
  CLI::Option* const token = command_.add_option(
      "--token-file", security.token_file, "a secret, one line; clients have to send it with each request");
  CLI::Option* const root = command_.add_option(
      "--file-root", file_root_, "graphs may use files below this folder only; relative paths begin there");
  CLI::Option* const no_files =
      command_.add_flag("--no-files", options_.files.no_files, "graphs may use no files");
  for (CLI::Option* const file : {cert, key, authority, token}) file->check(CLI::ExistingFile);
  root->check(CLI::ExistingDirectory);
  for (CLI::Option* const option : {cert, key, authority, token, root, no_files}) option->group(kGroup);
}

void ServerCommand::add_limits() {
  constexpr const char* kGroup = "Limits; what is more is RESOURCE_EXHAUSTED";
  constexpr int64_t kMost = int64_t{1} << 62;
  engine::ServerLimits& limits = options_.limits;
  const CLI::Range from_1(int64_t{1}, kMost);
  std::vector<CLI::Option*> options;
  options.push_back(
      command_
          .add_option("--max-message-bytes", limits.message_bytes,
                      "of one request; over 2 GiB - 1, gRPC's own limit, only from Flowray's own clients")
          ->transform(CLI::AsSizeValue(false))
          ->check(CLI::Range(int64_t{1}, int64_t{1} << 40)));
  options.push_back(command_.add_option("--max-sessions", limits.sessions, "at a time")->check(from_1));
  options.push_back(
      command_
          .add_option(
              "--memory-limit", memory_limit_,
              "of the arrays of all sessions together, such as 8GB; 0: three quarters of this machine's")
          ->transform(CLI::AsSizeValue(false))
          ->check(CLI::Range(int64_t{0}, kMost)));
  options.push_back(command_.add_option("--max-callables", limits.callables, "of a session")->check(from_1));
  options.push_back(command_.add_option("--max-partial-runs", limits.partial_runs, "of a session, at a time")
                        ->check(from_1));
  options.push_back(command_
                        .add_option("--idle-timeout", limits.idle_seconds,
                                    "seconds without a call after which a session ends; 0: it stays")
                        ->check(CLI::Range(int64_t{0}, int64_t{1} << 30)));
  for (CLI::Option* const option : options) option->group(kGroup)->capture_default_str();
}

/// As they would stand on the command line, without those that stand there already. Read here and not by
/// CLI11, which looks at the files of the outermost command alone.
std::vector<std::string> ServerCommand::options_of_file() const {
  std::vector<std::string> options;
  for (const CLI::ConfigItem& item : command_.get_config_formatter()->from_file(config_)) {
    const CLI::Option* option =
        item.parents.empty() ? command_.get_option_no_throw("--" + item.name) : nullptr;
    if (option == nullptr || item.name == "help" || item.name == "config") {
      throw CLI::ConfigError(
          fmt::format("--config {}: unknown key '{}'; expected an option of `flowray server` without its "
                      "dashes: port, job, task, cluster, ...",
                      config_, printable(item.fullname())));
    }
    if (option->count() > 0) continue;
    for (const std::string& value : item.inputs) options.push_back(fmt::format("--{}={}", item.name, value));
  }
  return options;
}

/// Parses the command line again with the options of the file, so that they are checked like its own. What
/// the options ask of each other is asked only then: the file may have what the command line lacks.
void ServerCommand::parse_with_file(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  std::vector<std::string> options;
  if (!config_.empty()) options = options_of_file();
  command_.get_option("--cluster")
      ->excludes(command_.get_option("--port"))
      ->needs(command_.get_option("--job"));
  command_.get_option("--exit-with-workers")->needs(command_.get_option("--cluster"));
  command_.get_option("--no-files")->excludes(command_.get_option("--file-root"));
  CLI::Option* const cert = command_.get_option("--tls-cert");
  CLI::Option* const key = command_.get_option("--tls-key");
  CLI::Option* const authority = command_.get_option("--tls-ca");
  cert->needs(key)->needs(authority);
  key->needs(cert)->needs(authority);
  authority->needs(cert)->needs(key);
  words.insert(words.begin() + 1, options.begin(), options.end());  // behind the word "server"
  std::reverse(words.begin(), words.end());                         // as CLI11 wants them
  app_.parse(words);
}

int ServerCommand::run(int argc, char** argv) {
  parse_with_file(argc, argv);
  return serve();
}

int ServerCommand::serve() {
  EndingSignals signals;
  ClusterSpec cluster;
  for (const std::string& job : cluster_) add_job(cluster, job);
  if (cluster.empty()) cluster[job_][task_] = fmt::format("localhost:{}", port_);
  options_.files.root = file_root_;
  if (memory_limit_ == 0) memory_limit_ = machine_bytes() / 4 * 3;
  options_.files.most_read_bytes = static_cast<uint64_t>(memory_limit_);
  options_.limits.memory_bytes = memory_limit_;
  limit_block_pool(memory_limit_);
  limit_process(memory_limit_);
  if (exits_with_others_) options_.others_ended = [] { ::kill(::getpid(), SIGTERM); };
  const cluster::Server server(cluster, job_, task_, options_);
  fmt::print("Started server with target: {}\n", server.target());
  std::fflush(stdout);
  signals.wait();
  return 0;
}

}  // namespace flowray::tools
