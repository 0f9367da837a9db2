// The example programs, as their users run them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "support/child_process.h"
#include "support/idx_files.h"

namespace flowray {
namespace {

using testing::ChildProcess;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> lines_from(const std::vector<std::string>& words) {
  std::vector<std::string> command{testing::built_program(words.at(0))};
  command.insert(command.end(), words.begin() + 1, words.end());
  ChildProcess program(command);
  EXPECT_EQ(program.wait(), 0) << program.errors();
  EXPECT_EQ(program.errors(), "");
  return lines_of(program.output());
}

/// The two numbers of "... are {Variable: [w], Variable_1: [b]}".
struct Line {
  double w = 0;
  double b = 0;
};

Line line_in(const std::string& text) {
  std::smatch found;
  const std::regex weights(R"( are \{Variable: \[(\S+)\], Variable_1: \[(\S+)\]\}$)");
  EXPECT_TRUE(std::regex_search(text, found, weights)) << text;
  return found.size() == 3 ? Line{std::stod(found[1]), std::stod(found[2])} : Line{};
}

// ---- averaging

/// What all actors together come to: gradient descent by 0.5 on the mean of the squared errors of their
/// points, which are equally many for each. Actor i has 100 points x = rand() / (RAND_MAX + 1), seeded by i,
/// and y = 0.1 x + 0.3. Steps are linear in the gradients, so the mean of the weights is the step with the
/// mean of the gradients.
class Descent {
 public:
  explicit Descent(int actors) {
    for (int actor = 0; actor < actors; ++actor) {
      std::srand(static_cast<unsigned>(actor));
      for (int i = 0; i < 100; ++i) points_.push_back(std::rand() / (RAND_MAX + 1.0));
    }
  }

  Line after(Line line, int steps) const {
    for (int step = 0; step < steps; ++step) {
      Line gradient;
      for (const double x : points_) {
        const double error = line.w * x + line.b - (0.1 * x + 0.3);
        gradient.w += 2 * error * x / static_cast<double>(points_.size());
        gradient.b += 2 * error / static_cast<double>(points_.size());
      }
      line = {line.w - 0.5 * gradient.w, line.b - 0.5 * gradient.b};
    }
    return line;
  }

 private:
  std::vector<double> points_;
};

class AveragingExample : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(AveragingExample, FindsTheLineByTheMeanOfAllActors) {
  const auto& [program, actors] = GetParam();
  const auto lines = lines_from({program, actors});
  ASSERT_EQ(lines.size(), 11u);
  const Descent descent(std::stoi(actors));
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_THAT(lines[i], StartsWith("Iteration " + std::to_string(20 * i) + ": weights are {"));
    const Line found = line_in(lines[i]);
    const Line expected = i == 0 ? found : descent.after(line_in(lines[i - 1]), 20);
    EXPECT_NEAR(found.w, expected.w, 1e-5) << lines[i];
    EXPECT_NEAR(found.b, expected.b, 1e-5) << lines[i];
  }
  EXPECT_NEAR(line_in(lines.back()).w, 0.1, 1e-3);
  EXPECT_NEAR(line_in(lines.back()).b, 0.3, 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Each, AveragingExample,
                         ::testing::Combine(::testing::Values("weight_averaging", "gradient_averaging"),
                                            ::testing::Values("1", "2", "5")));

TEST(AveragingExamples, HaveTwoActorsUnlessToldOtherwise) {
  for (const char* program : {"weight_averaging", "gradient_averaging"}) {
    EXPECT_EQ(lines_from({program}), lines_from({program, "2"}));
  }
}

// ---- one process

// w x + b at x = 1 is to be 2, 100 times: both gradients are 2 (w + b - 2), and the step takes half of them.
TEST(NumericalGradients, AreComputedAndFed) {
  const auto lines = lines_from({"numerical_gradients"});
  ASSERT_EQ(lines.size(), 4u);
  const Line before = line_in(lines[0]);
  EXPECT_EQ(before.b, 0);
  const double gradient = 2 * (before.w + before.b - 2);
  std::smatch found;
  for (const size_t i : {1, 2}) {
    const std::string name = i == 1 ? "Variable:0" : "Variable_1:0";
    ASSERT_TRUE(std::regex_match(lines[i], found, std::regex("gradient of " + name + " is \\[(\\S+)\\]")));
    EXPECT_NEAR(std::stod(found[1]), gradient, 1e-5);
  }
  const Line after = line_in(lines[3]);
  EXPECT_NEAR(after.w, before.w - 0.5 * gradient, 1e-5);
  EXPECT_NEAR(after.b, before.b - 0.5 * gradient, 1e-5);
}

TEST(TwoNetworks, ShareWeightsByNameInTwoGraphsAndByOrderInOne) {
  const auto lines = lines_from({"two_networks"});
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_EQ(lines[0], "in one graph: a is {Variable: 1, Variable_1: 1}, b is {Variable_2: 2, Variable_3: 2}");
  EXPECT_THAT(lines[1],
              StartsWith("set_weights failed: No variables in the input matched those in the network."));
  EXPECT_THAT(lines[1], HasSubstr("place each network definition in its own tf.Graph."));
  EXPECT_EQ(lines[3], "after set_flat: b is {Variable_2: 1, Variable_3: 1}");
  EXPECT_EQ(lines[4], "in two graphs: a is {Variable: 1, Variable_1: 1}, b is {Variable: 2, Variable_1: 2}");
  EXPECT_EQ(lines[5], "after set_weights: b is {Variable: 1, Variable_1: 1}");
}

// ---- wrong uses

TEST(TreeReduction, AddsWhatItsLeavesAre) {
  using ::testing::ElementsAre;
  EXPECT_THAT(lines_from({"tree_reduction"}),
              ElementsAre("the sum of 1 to 16 by 4 levels of tasks: 136, 100000 times"));
  EXPECT_THAT(lines_from({"tree_reduction", "37"}),
              ElementsAre("the sum of 1 to 37 by 6 levels of tasks: 703, 100000 times"));
  EXPECT_THAT(lines_from({"tree_reduction", "1"}),
              ElementsAre("the sum of 1 to 1 by 0 levels of tasks: 1, 100000 times"));
  ChildProcess none({testing::built_program("tree_reduction"), "0"});
  EXPECT_EQ(none.wait(), 2);
}

TEST(WordCount, CountsAsTheShellDoes) {
  const std::string folder = "/usr/share/common-licenses";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "there is no " << folder;
  const std::vector<std::string> counted = lines_from({"word_count"});
  ChildProcess shell(
      {"/bin/sh", "-c",
       "export LC_ALL=C; find " + folder + " -maxdepth 1 -type f | wc -l; find " + folder +
           " -maxdepth 1 -type f -exec sed '' {} + | tr -cs A-Za-z '\\n' | tr A-Z a-z | grep . > "
           "$0; wc -l < $0; sort -u $0 | wc -l; "
           "sort $0 | uniq -c | sort -k1,1nr -k2,2 | head -10 | sed 's/^ *//'; rm $0",
       ::testing::TempDir() + "words_" + std::to_string(getpid())});
  ASSERT_EQ(shell.wait(), 0) << shell.errors();
  std::vector<std::string> expected = lines_of(shell.output());
  ASSERT_EQ(expected.size(), 13u);
  EXPECT_EQ(counted.at(0),
            expected[0] + " files, " + expected[1] + " words, " + expected[2] + " different ones");
  EXPECT_EQ(std::vector(counted.begin() + 1, counted.end()),
            std::vector(expected.begin() + 3, expected.end()));
}

/// The number behind the last `word` of the line.
double number_behind(const std::string& word, const std::string& line) {
  const size_t at = line.rfind(word);
  return at == std::string::npos ? NAN : std::stod(line.substr(at + word.size()));
}

// What can be reached is known from the data: by the nearest of the ten centres that they are made around,
// 976 of the 1,000 points are told apart.
TEST(ActorParameterServer, TrainsInStepAndApart) {
  for (const char* mode : {"sync", "async"}) {
    for (const char* workers : {"1", "3"}) {
      const std::vector<std::string> lines = lines_from({"actor_parameter_server", mode, workers});
      ASSERT_EQ(lines.size(), 2u);
      EXPECT_NEAR(number_behind("accuracy ", lines[0]), 0.1, 0.05);
      EXPECT_THAT(lines[1], StartsWith(std::string(mode) + ", " + workers + " workers, 200 steps each: "));
      EXPECT_GE(number_behind("accuracy ", lines[1]), 0.95);
    }
  }
}

// The loss has one minimum, whose gradient is 0, and ten equal chances before.
TEST(Lbfgs, FindsTheMinimumWithTheGradientsOfAllActors) {
  for (const char* actors : {"1", "2", "5"}) {
    const std::vector<std::string> lines = lines_from({"lbfgs", actors});
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_NEAR(number_behind("loss ", lines[0]), std::log(10.0), 1e-4);
    EXPECT_LE(number_behind("after ", lines[1]), 60);
    EXPECT_LE(number_behind("gradient ", lines[1]), 1e-3);
    EXPECT_GE(number_behind("accuracy ", lines[1]), 0.95);
  }
}

TEST(EvolutionStrategies, KeepThePoleUpright) {
  for (const char* actors : {"1", "3"}) {
    const std::vector<std::string> lines = lines_from({"evolution_strategies", actors});
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_LE(number_behind("stands for ", lines[0]), 100);
    EXPECT_GE(number_behind("for ", lines[1]), 475) << "what the problem counts as solved";
  }
}

TEST(ActorCritic, KeepsThePoleUpright) {
  const std::vector<std::string> lines = lines_from({"actor_critic", "3"});
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_LE(number_behind("stood for ", lines[0]), 100);
  EXPECT_GE(number_behind("for ", lines[1]), 195) << "what the shorter form of the problem counts as solved";
}

TEST(Examples, AKerasModelTrainsInAnActor) {
  std::vector<std::string> lines = lines_from({"keras_actor"});
  // What the actor prints comes when it comes, also behind the program's own lines.
  const auto of_actor = std::stable_partition(
      lines.begin(), lines.end(), [](const std::string& line) { return !line.starts_with("(Network pid="); });
  ASSERT_NE(of_actor, lines.end());
  EXPECT_TRUE(std::regex_match(*of_actor, std::regex(R"(\(Network pid=[1-9]\d*\) Train on 1000 samples)")))
      << *of_actor;
  ASSERT_EQ(of_actor - lines.begin(), 3);
  EXPECT_THAT(lines[0], StartsWith("categorical_accuracy: 0."));
  // Ten classes by chance: a cross-entropy of ln 10, less what is learnt by heart.
  EXPECT_NEAR(std::stod(lines[1].substr(sizeof("loss:"))), 2.3, 0.3);
  EXPECT_EQ(lines[2], "(32, 64) (64,) (64, 64) (64,) (64, 10) (10,) ");
}

// What the programs print in TensorFlow, whose arrays they print as NumPy does.
TEST(VariablesAndScopes, HaveTensorFlowsNames) {
  EXPECT_THAT(
      lines_from({"variables_and_scopes"}),
      ::testing::ElementsAre(
          "var1: firstvar:0", "var1: firstvar_1:0", "var2: Variable:0", "var1: Variable_1:0", "var1= 2.",
          "var2= 4.", "get_var1: firstvar_2:0", "ValueError: Variable firstvar already exists, disallowed.",
          "get_var1: firstvar1:0", "get_var1= [0.4]",                                                //
          "var1: test1/firstvar:0", "var2: test1/test2/firstvar:0", "var3: test1/firstvar:0",        //
          "var4: test1/test2/firstvar:0",                                                            //
          "var1= [0.4 0.4]", "var2= [0.4 0.4]", "var3= [0.3 0.3]",                                   //
          "sp: scope1", "var1: scope1/v:0", "sp1: scope1", "var2: scope2/v:0", "var3: scope1/v3:0",  //
          "var4: scope1//v4:0", "v: scope/v:0", "x.op: scope/bar/add", "y.op: add"));
}

TEST(Graphs, AreToldApartAndSearchedByName) {
  std::vector<std::string> lines = lines_from({"graphs"});
  // An operation is printed as its NodeDef.
  const auto node = std::ranges::find(lines, R"(name: "exampleop")");
  const auto behind = std::ranges::find(lines, "[[7.]]");
  ASSERT_TRUE(node < behind);
  EXPECT_THAT(std::vector(node, node + 4),
              ::testing::ElementsAre(R"(name: "exampleop")", R"(op: "MatMul")", R"(input: "Const")",
                                     R"(input: "Const_1")"));
  EXPECT_THAT(std::vector(node, behind), ::testing::Contains("    type: DT_FLOAT"));
  lines.erase(node, behind);
  EXPECT_THAT(
      lines, ::testing::ElementsAre("c1 is in g: true", "c is in g: false", "c is in the default graph: true",
                                    "which is another after a reset: true", "Const:0",
                                    R"(Tensor("Const:0", shape=(), dtype=float32))",
                                    R"(exampleop:0 Tensor("exampleop:0", shape=(1, 1), dtype=float32))",
                                    R"(Tensor("exampleop:0", shape=(1, 1), dtype=float32))", "exampleop",
                                    "[[7.]]", R"(Tensor("exampleop:0", shape=(1, 1), dtype=float32))",
                                    "Const Const", R"(Tensor("Const:0", shape=(), dtype=float32))"));
}

TEST(Sessions, RunFetchAndFeed) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "sessions_example";
  std::filesystem::remove_all(folder);
  EXPECT_THAT(lines_from({"sessions", folder.string()}),
              ::testing::ElementsAre(
                  "[2.25 19.2]", "[[5. 1.]", " [4. 2.]]", "[-2. -1.]", "0", "1", "2", "3", "21. 7.", "[14.]",
                  "You must feed a value for placeholder tensor 'Placeholder' with dtype float"));
  size_t num_event_files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    num_event_files += entry.path().filename().string().starts_with("events.out.tfevents.") ? 1 : 0;
  EXPECT_EQ(num_event_files, 1u);
  std::filesystem::remove_all(folder);
}

TEST(AdversarialNetworks, MakeNumbersOfTheDistribution) {
  const std::vector<std::string> lines = lines_from({"adversarial_networks"});
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_LT(number_behind("mean ", lines[0]), 1);
  EXPECT_NEAR(number_behind("mean ", lines[5]), 4, 0.5);
  EXPECT_NEAR(number_behind("deviation ", lines[5]), 1.25, 0.4);
}

TEST(PolicyGradient, KeepsThePoleUpright) {
  const std::vector<std::string> lines = lines_from({"policy_gradient"});
  ASSERT_GE(lines.size(), 2u);
  EXPECT_LE(number_behind("stands for ", lines.front()), 100);
  EXPECT_GE(number_behind("stands for ", lines.back()), 195);
}

TEST(ResidualNetwork, TellsClothesApart) {
  if (!std::filesystem::exists("/usr/share/datasets/fashion-mnist"))
    GTEST_SKIP() << "Debian's dataset-fashion-mnist is not installed";
  const std::vector<std::string> lines = lines_from({"residual_network", "200"});
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_LE(number_behind("before ", lines[0]), 0.3);
  EXPECT_GE(number_behind("after ", lines[5]), 0.7);
}

class ExampleMistake : public ::testing::TestWithParam<std::vector<std::string>> {};

TEST_P(ExampleMistake, IsToldInOneLine) {
  std::vector<std::string> command = GetParam();
  command[0] = testing::built_program(command[0]);
  ChildProcess program(command);
  EXPECT_EQ(program.wait(), 2);
  EXPECT_EQ(program.output(), "");
  EXPECT_EQ(std::count(program.errors().begin(), program.errors().end(), '\n'), 1) << program.errors();
  EXPECT_THAT(program.errors(), StartsWith(GetParam()[0] + ": "));
  EXPECT_THAT(program.errors(), AnyOf(HasSubstr("expected"), HasSubstr("--help")));
}

using Command = std::vector<std::string>;
INSTANTIATE_TEST_SUITE_P(
    Each, ExampleMistake,
    ::testing::Values(Command{"weight_averaging", "0"}, Command{"weight_averaging", "-1"},
                      Command{"weight_averaging", "two"}, Command{"weight_averaging", "2.5"},
                      Command{"weight_averaging", "2x"}, Command{"weight_averaging", ""},
                      Command{"weight_averaging", "99999999999"}, Command{"weight_averaging", "1", "2"},
                      Command{"gradient_averaging", "0"}, Command{"gradient_averaging", "-1"},
                      Command{"gradient_averaging", "two"}, Command{"gradient_averaging", "1", "2"},
                      Command{"numerical_gradients", "1"}, Command{"two_networks", "1"},
                      Command{"actor_parameter_server"}, Command{"actor_parameter_server", "now"},
                      Command{"actor_parameter_server", "sync", "0"}, Command{"lbfgs", "0"},
                      Command{"evolution_strategies", "0"}, Command{"actor_critic", "none"},
                      Command{"variables_and_scopes", "1"}, Command{"graphs", "1"},
                      Command{"sessions", "1", "2"}, Command{"adversarial_networks", "0"},
                      Command{"policy_gradient", "none"}, Command{"residual_network", "few"},
                      Command{"keras_actor", "1"}, Command{"lenet_actor", "1"},
                      Command{"lenet_actor", "--steps", "-1"}, Command{"lenet_actor", "--steps", "many"},
                      Command{"lenet_actor", "--data", "/nowhere"}));

// ---- a cluster

/// So many ports that nobody uses just now.
std::vector<std::string> free_addresses(size_t count) {
  std::vector<int> sockets;
  std::vector<std::string> addresses;
  for (size_t i = 0; i < count; ++i) {
    sockets.push_back(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(sockets.back(), reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::getsockname(sockets.back(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    addresses.push_back("localhost:" + std::to_string(ntohs(address.sin_port)));
  }
  for (const int socket : sockets) ::close(socket);
  return addresses;
}

bool has_network() {
  const auto bin = testing::built_program("parameter_server").parent_path();
  return std::filesystem::exists(bin.parent_path() / "lib" / "libflowray-cluster.so");
}

TEST(ParameterServer, HoldsWhatTwoWorkersTrain) {
  const std::filesystem::path program = testing::built_program("parameter_server");
  if (!has_network()) GTEST_SKIP() << "there is no gRPC in this build";
  const auto addresses = free_addresses(3);
  const auto task = [&](const char* job, const char* number) {
    return std::vector<std::string>{
        program,      "--ps", addresses[0],   "--workers", addresses[1] + "," + addresses[2],
        "--job_name", job,    "--task_index", number};
  };
  ChildProcess ps(task("ps", "0"));
  ps.await_output("\n");
  ChildProcess other(task("worker", "1"));  // which waits for the chief
  ChildProcess chief(task("worker", "0"));
  for (ChildProcess* worker : {&chief, &other}) {
    EXPECT_EQ(worker->wait(), 0) << worker->errors();
    std::smatch found;
    const std::string output = worker->output();
    const std::regex result(R"(step (\d+): w = (\S+), b = (\S+)\n)");
    ASSERT_TRUE(std::regex_search(output, found, result)) << output;
    EXPECT_GE(std::stoi(found[1]), 2000);  // its own steps, and those of the other one so far
    EXPECT_LE(std::stoi(found[1]), 4000);
    EXPECT_GT(std::stod(found[2]), 0.5);
    EXPECT_GT(std::stod(found[3]), 7.0);
  }
}

/// The step of the newest checkpoint in a folder; 0 where there is none.
int saved_step(const std::filesystem::path& folder) {
  std::ifstream file(folder / "checkpoint");
  std::string line;
  std::getline(file, line);
  std::smatch found;
  return std::regex_search(line, found, std::regex(R"(model\.ckpt-(\d+)\")")) ? std::stoi(found[1]) : 0;
}

int first_step(ChildProcess& worker) {
  worker.await_output("begins at step ");
  worker.await_output(": cost = ");
  return static_cast<int>(number_behind("begins at step ", worker.output()));
}

TEST(SupervisedTraining, GoesOnWhereItsChiefWasKilled) {
  const std::filesystem::path program = testing::built_program("supervised_training");
  if (!has_network()) GTEST_SKIP() << "there is no gRPC in this build";
  const testing::TestFolder folder;
  const auto addresses = free_addresses(3);
  const auto task = [&](const char* job, const char* number) {
    return std::vector<std::string>{program,
                                    "--ps",
                                    addresses[0],
                                    "--workers",
                                    addresses[1] + "," + addresses[2],
                                    "--job_name",
                                    job,
                                    "--task_index",
                                    number,
                                    "--logdir",
                                    folder.path().string()};
  };
  std::optional<ChildProcess> ps(task("ps", "0"));
  ps->await_output("\n");
  std::optional<ChildProcess> chief(task("worker", "0"));
  EXPECT_EQ(first_step(*chief), 0);
  std::optional<ChildProcess> other(task("worker", "1"));
  EXPECT_GT(first_step(*other), 0);
  while (saved_step(folder.path()) == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));  // five seconds
  chief->send_signal(SIGKILL);
  EXPECT_EQ(chief->wait(), -SIGKILL);
  const int saved = saved_step(folder.path());
  chief.emplace(task("worker", "0"));
  EXPECT_GE(first_step(*chief), saved);  // of the checkpoint, although the other one went on
  for (auto* process : {&*chief, &*other, &*ps}) {
    process->send_signal(SIGKILL);
    process->wait();
  }
  ps.emplace(task("ps", "0"));
  ps->await_output("\n");
  const int newest = saved_step(folder.path());
  chief.emplace(task("worker", "0"));
  // The new ps has nothing else. A checkpoint's name is read a moment before its values, and the other one
  // trained meanwhile.
  EXPECT_GE(first_step(*chief), newest);
  EXPECT_GT(newest, 0);
}

TEST(SupervisedTraining, SaysWhatItCannotDo) {
  if (!has_network()) GTEST_SKIP() << "there is no gRPC in this build";
  ChildProcess program({testing::built_program("supervised_training"), "--task_index", "7"});
  EXPECT_EQ(program.wait(), 1);
  EXPECT_THAT(program.errors(), StartsWith("supervised_training: "));
}

/// Behind "Started server with target: " in a line that begins with `task`.
std::string target_in(ChildProcess& process, const std::string& task) {
  const std::string words = task + "Started server with target: ";
  process.await_output(words);
  process.await_output("\n");
  const std::string output = process.output();
  for (const std::string& line : lines_of(output)) {
    if (line.starts_with(words)) return line.substr(words.size());
  }
  ADD_FAILURE() << output;
  return {};
}

TEST(FirstClient, PrintsWhatItsServerComputes) {
  if (!has_network()) GTEST_SKIP() << "there is no gRPC in this build";
  ChildProcess server({testing::built_program("first_server"), "localhost:0"});
  const std::string target = target_in(server, "");
  EXPECT_EQ(lines_from({"first_client", target}), std::vector<std::string>{"[4.875 126.450005]"});
}

TEST(InGraphReplicas, AverageTheirGradientsOnThePs) {
  if (!has_network()) GTEST_SKIP() << "there is no gRPC in this build";
  ChildProcess cluster({testing::built_program("flowray"), "cluster", "--tasks", "ps=1", "worker=2"});
  for (const char* const task : {"[ps/0] ", "[worker/0] ", "[worker/1] "}) target_in(cluster, task);
  const std::vector<std::string> lines = lines_from({"in_graph_replicas", target_in(cluster, "[worker/0] ")});
  ASSERT_EQ(lines.size(), 1u);
  std::smatch found;
  const std::regex result(R"(w = (\S+), b = (\S+))");
  ASSERT_TRUE(std::regex_match(lines[0], found, result)) << lines[0];
  // The mean of squared errors over all four points: descent by 0.25 multiplies w's distance from 2 by
  // 1 - 0.25 * 2 * 0.625 each time, b's from 0.5 by 1 - 0.25 * 2.
  EXPECT_NEAR(std::stod(found[1]), 2 - 2 * std::pow(1 - 0.25 * 2 * 0.625, 40), 1e-5);
  EXPECT_NEAR(std::stod(found[2]), 0.5 - 0.5 * std::pow(0.5, 40), 1e-5);
}

TEST(LenetCluster, LearnsInStepAndOutOfStep) {
  if (!has_network()) GTEST_SKIP() << "there is no gRPC in this build";
  const char* const folder = "/usr/share/datasets/fashion-mnist";
  if (!std::filesystem::exists(folder))
    GTEST_SKIP() << "Debian's dataset-fashion-mnist is not installed: " << folder;
  for (const bool sync : {false, true}) {
    std::vector<std::string> command = {testing::built_program("flowray"),
                                        "cluster",
                                        "--tasks",
                                        "ps=1",
                                        "worker=2",
                                        "--",
                                        testing::built_program("lenet_cluster"),
                                        "--ps",
                                        "{ps}",
                                        "--workers",
                                        "{worker}",
                                        "--job_name",
                                        "{job}",
                                        "--task_index",
                                        "{task}",
                                        "--data",
                                        folder};
    if (sync) command.insert(command.end(), {"--sync", "--steps", "1200"});
    ChildProcess cluster(command);
    EXPECT_EQ(cluster.wait(), 0) << cluster.output() << cluster.errors();
    std::smatch found;
    const std::string output = cluster.output();
    ASSERT_TRUE(std::regex_search(output, found, std::regex(R"(\[worker/0\] accuracy (\S+))"))) << output;
    EXPECT_GE(std::stod(found[1]), 0.87) << (sync ? "in step" : "out of step");
  }
}

}  // namespace
}  // namespace flowray
