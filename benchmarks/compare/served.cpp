// Steps of our C++ client on servers in other processes.

#include <flowray/tf.h>
#include <flowray/tf/server.h>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "compare/rows.h"

namespace flowray::compare {
namespace {

constexpr int kCheckSteps = 20;

/// `flowray server`, of the folder that this program is in. Ends with the object.
class ServerProcess {
 public:
  explicit ServerProcess(std::vector<std::string> options) {
    const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    std::vector<std::string> words = {(folder / "flowray").string(), "server"};
    for (std::string& option : options) words.push_back(std::move(option));
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    const int failed = posix_spawn(&pid_, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    std::string line;
    for (char letter = 0; failed == 0 && read(ends[0], &letter, 1) == 1 && letter != '\n';) line += letter;
    output_ = ends[0];
    const std::string words_before = "Started server with target: ";
    if (!line.starts_with(words_before)) throw std::runtime_error(words[0] + " said \"" + line + "\"");
    target_ = line.substr(words_before.size());
  }
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;
  ~ServerProcess() {
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
    close(output_);
  }
  const std::string& target() const { return target_; }

 private:
  pid_t pid_ = -1;
  int output_ = -1;
  std::string target_;
};

std::string free_address() {
  const auto server = tf::train::Server::create_local_server();
  return server.target().substr(std::string_view("grpc://").size());
}

/// A training whose steps are fed.
class Served : public Row {
 public:
  void begin() override { session_->run(initialize_); }
  void run(int64_t iterations) override {
    for (int64_t i = 0; i < iterations; ++i) session_->run(train_, feeds_);
  }
  std::vector<double> check() override {
    begin();
    std::vector<double> losses;
    for (int step = 0; step < kCheckSteps; ++step)
      losses.push_back(session_->run({loss_, train_}, feeds_)[0].item<float>());
    return losses;
  }

 protected:
  /// When the graph is there.
  void connect(const std::string& target, int threads) {
    session_.emplace(target, graph_, tf::SessionConfig{.intra_op_parallelism_threads = threads});
    begin();
  }

  tf::Graph graph_;
  tf::Tensor loss_;
  tf::Operation train_;
  tf::Operation initialize_;
  tf::FeedDict feeds_;

 private:
  std::optional<tf::Session> session_;
};

/// A gradient descent step of y = w x + b on 100 points.
class ServedRegression final : public Served {
 public:
  explicit ServedRegression(int threads) : server_({"--port", "0"}) {
    const auto scope = graph_.as_default();
    const auto x = tf::placeholder(tf::float32, {tf::None});
    const auto y = tf::placeholder(tf::float32, {tf::None});
    const tf::Variable w(Array(std::vector<float>{-0.5f})), b(Array(std::vector<float>{0.0f}));
    loss_ = tf::reduce_mean(tf::square(w * x + b - y));
    train_ = tf::train::GradientDescentOptimizer(0.5).minimize(loss_);
    initialize_ = tf::global_variables_initializer();
    std::vector<float> points, values;
    for (int i = 0; i < 100; ++i) {
      points.push_back(static_cast<float>(i / 100.0));
      values.push_back(0.1f * points.back() + 0.3f);
    }
    feeds_.add(x, Array(points));
    feeds_.add(y, Array(values));
    connect(server_.target(), threads);
  }

 private:
  ServerProcess server_;
};

/// An Adagrad step of two scalars that are on the ps, with a loss on the worker.
class ParameterServerStep final : public Served {
 public:
  explicit ParameterServerStep(int threads) {
    const std::vector<std::string> cluster = {"--cluster", "ps=" + free_address(),
                                              "worker=" + free_address()};
    for (const char* job : {"ps", "worker"}) {
      std::vector<std::string> options = cluster;
      options.insert(options.end(), {"--job", job});
      servers_.push_back(std::make_unique<ServerProcess>(options));
    }
    const auto scope = graph_.as_default();
    const auto x = tf::placeholder(tf::float32, {});
    const auto y = tf::placeholder(tf::float32, {});
    tf::Variable w, b;
    {
      const auto ps = tf::device("/job:ps/task:0");
      w = tf::Variable(0.0f);
      b = tf::Variable(0.0f);
    }
    const auto worker = tf::device("/job:worker/task:0");
    loss_ = tf::square(y - x * w - b);
    train_ = tf::train::AdagradOptimizer(0.1).minimize(loss_);
    initialize_ = tf::global_variables_initializer();
    feeds_.add(x, Array(0.5f));
    feeds_.add(y, Array(11.0f));
    connect(servers_[1]->target(), threads);
  }

 private:
  std::vector<std::unique_ptr<ServerProcess>> servers_;
};

}  // namespace

std::unique_ptr<Row> make_served_regression(int threads) {
  return std::make_unique<ServedRegression>(threads);
}
std::unique_ptr<Row> make_parameter_server_step(int threads) {
  return std::make_unique<ParameterServerStep>(threads);
}

}  // namespace flowray::compare
