// `flowray status`, `list`, `memory`, `timeline` and `metrics` on drivers that run.

#include <flowray/ray.h>
#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/child_process.h"

namespace flowray {
namespace {

namespace fs = std::filesystem;
using testing::ChildProcess;
using ::testing::HasSubstr;

constexpr int kGuardMs = 60'000;

int viewed_square(int n) { return n * n; }
int viewed_failure(int n) { throw std::out_of_range(std::to_string(n)); }
int viewed_pause() {
  pause();
  return 0;
}

/// A step that takes long enough to be seen.
double viewed_step(int size) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const tf::Tensor x = tf::placeholder(tf::float32, {size, size});
  const tf::Tensor product = tf::reduce_sum(tf::matmul(x, x));
  tf::Session session(graph);
  return session.run(product, {{x, Array::full(DType::kFloat32, {size, size}, 1)}}).item<float>();
}

class ViewedActor {
 public:
  static ViewedActor* Create() { return new ViewedActor; }
  int One() const { return 1; }
};

RAY_REMOTE(viewed_square, viewed_failure, viewed_step, viewed_pause, ViewedActor::Create, &ViewedActor::One);

class DriverCommandTest : public ::testing::Test {
 protected:
  DriverCommandTest() {
    char name[] = "/tmp/flowray-drivers-XXXXXX";
    root_ = mkdtemp(name);
    setenv("FLOWRAY_SESSION_FOLDER", (root_ + "/session").c_str(), 1);
  }
  ~DriverCommandTest() override {
    ray::Shutdown();
    unsetenv("FLOWRAY_SESSION_FOLDER");
    fs::remove_all(root_);
  }

  struct Said {
    int status = 0;
    std::string output;
    std::string errors;
  };
  static Said flowray(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), testing::built_program("flowray"));
    ChildProcess process(arguments);
    const int status = process.wait();
    return {status, process.output(), process.errors()};
  }
  /// A driver whose work is done.
  static void work() {
    ray::Init({.num_cpus = 2, .object_store_memory = size_t{64} << 20, .shutdown_timeout_ms = 100});
    std::vector<ray::ObjectRef<int>> squares;
    for (int i = 0; i < 5; ++i) squares.push_back(ray::Task(viewed_square).Remote(i));
    ray::Get(squares, kGuardMs);
    EXPECT_THROW(ray::Task(viewed_failure).Remote(1).Get(kGuardMs), ray::RayTaskException);
  }

  std::string root_;
};

TEST_F(DriverCommandTest, FindsTheOnlyDriver) {
  work();
  const Said said = flowray({"status"});
  EXPECT_EQ(said.status, 0) << said.errors;
  EXPECT_THAT(said.output, HasSubstr("======== Driver " + std::to_string(getpid()) + ": "));
  EXPECT_THAT(said.output, HasSubstr("Tasks FINISHED: 5\n"));
  EXPECT_THAT(said.output, HasSubstr("Tasks FAILED: 1\n"));
  EXPECT_THAT(said.output, HasSubstr("0.0/2.0 CPU\n"));
}

TEST_F(DriverCommandTest, ListsTasksActorsAndObjects) {
  work();
  const auto actor = ray::Actor(ViewedActor::Create).SetName("viewed").Remote();
  EXPECT_EQ(*actor.Task(&ViewedActor::One).Remote().Get(kGuardMs), 1);
  const auto pauses = ray::Task(viewed_pause).Remote();
  const auto waits = ray::Task(viewed_square).Remote(pauses);
  const auto large = ray::Put(Array(std::vector<float>(1 << 20, 1.0f)));
  const std::string tasks = flowray({"list", "tasks"}).output;
  EXPECT_THAT(tasks, HasSubstr("viewed_square"));
  EXPECT_THAT(tasks, ::testing::ContainsRegex("viewed_pause +RUNNING +NORMAL_TASK"));
  EXPECT_THAT(tasks, ::testing::ContainsRegex("viewed_square +PENDING_ARGS_AVAIL +NORMAL_TASK"));
  EXPECT_THAT(tasks, ::testing::ContainsRegex("ViewedActor::One +FINISHED +ACTOR_TASK"));
  EXPECT_THAT(flowray({"list", "tasks", "--limit", "1"}).output, HasSubstr("1 of 10 tasks are shown"));
  EXPECT_THAT(flowray({"list", "actors"}).output,
              ::testing::ContainsRegex("ViewedActor +ALIVE +viewed +[0-9]+ +0 +0"));
  const std::string objects = flowray({"list", "objects"}).output;
  EXPECT_THAT(objects, ::testing::ContainsRegex(large.ID() + " +4[0-9]+ +store +LOCAL_REFERENCE"));
  EXPECT_THAT(flowray({"list", "workers"}).output, HasSubstr("ViewedActor"));
  EXPECT_THAT(flowray({"memory"}).output, ::testing::ContainsRegex("driver +[0-9]+ +4.00MiB"));
  EXPECT_EQ(flowray({"list", "everything"}).status, 2);
}

TEST_F(DriverCommandTest, SavesTheTimeline) {
  work();
  const std::string path = root_ + "/trace.json";
  const Said said = flowray({"timeline", "-o", path});
  EXPECT_EQ(said.status, 0) << said.errors;
  EXPECT_EQ(said.output, path + "\n");
  std::ifstream file(path);
  const std::string trace{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  size_t num_squares = 0;
  for (size_t at = 0; (at = trace.find(R"("name":"viewed_square","ph":"X")", at)) != std::string::npos; ++at)
    ++num_squares;
  EXPECT_EQ(num_squares, 5u);
  EXPECT_THAT(trace, HasSubstr(R"("failed":true)"));
}

TEST_F(DriverCommandTest, ReplacesAnOlderTimelineAsAWhole) {
  work();
  const std::string path = root_ + "/trace.json";
  std::ofstream(path) << "an older one";
  std::ifstream older(path);
  EXPECT_EQ(flowray({"timeline", "-o", path}).status, 0);
  const std::string read{std::istreambuf_iterator<char>(older), std::istreambuf_iterator<char>()};
  EXPECT_EQ(read, "an older one");
}

/// The number that stands in `trace` behind `key`, from `at` on.
double number_behind(const std::string& trace, size_t at, const std::string& key) {
  const size_t found = trace.find(key, at);
  return found == std::string::npos ? -1 : std::strtod(trace.c_str() + found + key.size(), nullptr);
}

TEST_F(DriverCommandTest, ShowsStepsOfSessionsWithinTheirTasks) {
  work();
  const double sum = 300.0 * 300 * 300;
  EXPECT_EQ(*ray::Task(viewed_step).Remote(300).Get(kGuardMs), sum);
  EXPECT_EQ(viewed_step(300), sum);
  const std::string path = root_ + "/steps.json";
  EXPECT_EQ(flowray({"timeline", "-o", path}).status, 0);
  std::ifstream file(path);
  const std::string trace{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const size_t task = trace.find(R"("name":"viewed_step","ph":"X")");
  const double line = number_behind(trace, task, R"("tid":)");
  const double begin = number_behind(trace, task, R"("ts":)");
  const double end = begin + number_behind(trace, task, R"("dur":)");
  std::vector<double> lines;
  for (size_t at = 0; (at = trace.find(R"({"cat":"step")", at)) != std::string::npos; ++at) {
    lines.push_back(number_behind(trace, at, R"("tid":)"));
    if (lines.back() != line) continue;
    const double step = number_behind(trace, at, R"("ts":)");
    EXPECT_TRUE(begin <= step && step + number_behind(trace, at, R"("dur":)") <= end);
  }
  EXPECT_THAT(lines, ::testing::UnorderedElementsAre(line, 0)) << "a worker's, and the driver's";
}

TEST_F(DriverCommandTest, TellsMetrics) {
  work();
  EXPECT_THAT(flowray({"metrics"}).output,
              HasSubstr("ray_tasks{Name=\"viewed_square\",State=\"FINISHED\"} 5\n"));
}

TEST_F(DriverCommandTest, ListsDriversWhereThereAreSeveral) {
  work();
  // A second one: this process's socket under another living pid.
  fs::create_hard_link(root_ + "/session/driver-" + std::to_string(getpid()) + ".sock",
                       root_ + "/session/driver-1.sock");
  const Said said = flowray({"status"});
  EXPECT_EQ(said.status, 2);
  EXPECT_THAT(said.errors, HasSubstr("flowray status: 2 drivers run; choose one:\n  --pid 1  "));
  EXPECT_THAT(said.errors, HasSubstr("  --pid " + std::to_string(getpid()) + "  "));
  EXPECT_EQ(flowray({"status", "--pid", std::to_string(getpid())}).status, 0);
}

TEST_F(DriverCommandTest, SaysThatThereIsNone) {
  const Said said = flowray({"status"});
  EXPECT_EQ(said.status, 1);
  EXPECT_THAT(said.errors, HasSubstr("flowray status: No driver of this user runs"));
  EXPECT_EQ(flowray({"memory", "--pid", "1"}).status, 1);
}

TEST_F(DriverCommandTest, FindsNoneAfterShutdown) {
  work();
  ray::Shutdown();
  EXPECT_EQ(flowray({"status"}).status, 1);
  EXPECT_TRUE(fs::is_empty(root_ + "/session"));
}

}  // namespace
}  // namespace flowray
