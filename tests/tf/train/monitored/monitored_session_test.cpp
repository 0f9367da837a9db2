// Monitored sessions and their hooks. What is expected is what TensorFlow's
// classes do with the same programs.

#include <flowray/tf.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "support/idx_files.h"

namespace flowray::tf::train {
namespace {

using flowray::testing::TestFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Writes down what is called.
class Recorder : public SessionRunHook {
 public:
  explicit Recorder(std::vector<Fetch> fetches = {}) : fetches_(std::move(fetches)) {}
  void begin() override { calls.emplace_back("begin"); }
  void after_create_session(Session&, Coordinator&) override { calls.emplace_back("created"); }
  SessionRunArgs before_run(SessionRunContext&) override {
    calls.emplace_back("before");
    return {.fetches = fetches_};
  }
  void after_run(SessionRunContext&, const SessionRunValues& values) override {
    std::string call = "after";
    for (const Array& value : values.results) call += " " + value.to_string();
    calls.push_back(call);
  }
  void end(Session&) override { calls.emplace_back("end"); }

  std::vector<std::string> calls;

 private:
  const std::vector<Fetch> fetches_;
};

/// A graph with a global step and a variable w = 1 that a step adds 2 to.
class MonitoredSessionTest : public ::testing::Test {
 protected:
  tf::Graph graph;
  GraphScope scope = graph.as_default();
  Variable step = get_or_create_global_step();
  Variable w = Variable(1.0f, {.name = "w"});
  Operation train = group({assign_add(step, int64_t{1}).op(), assign_add(w, 2.0f).op()});
};

TEST_F(MonitoredSessionTest, HooksSeeEachStep) {
  const auto first = std::make_shared<Recorder>();
  const auto second = std::make_shared<Recorder>(std::vector<Fetch>{w * 2.0f});
  MonitoredSession session(nullptr, {first, second});
  EXPECT_FALSE(session.should_stop());
  EXPECT_EQ(session.run(w).item<float>(), 1.0f);
  session.run(train);
  session.close();
  EXPECT_THAT(first->calls, ElementsAre("begin", "created", "before", "after", "before", "after", "end"));
  EXPECT_EQ(second->calls[3], "after 2.");
  EXPECT_TRUE(session.should_stop());
  EXPECT_THROW(session.run(w), RuntimeError);
  EXPECT_TRUE(session.graph().finalized());
  EXPECT_THROW(tf::constant(1.0f), RuntimeError);
}

TEST_F(MonitoredSessionTest, StopsAtTheStep) {
  for (const StopAtStepOptions& options : {StopAtStepOptions{.last_step = 3}, {.num_steps = 3}}) {
    MonitoredSession session =
        MonitoredTrainingSession({.hooks = {std::make_shared<StopAtStepHook>(options)}});
    int count = 0;
    for (; !session.should_stop(); ++count) session.run(train);
    EXPECT_EQ(count, 3);
    try {
      session.run(train);
      ADD_FAILURE();
    } catch (const RuntimeError& error) {
      EXPECT_THAT(error.what(), StartsWith("Run called even after should_stop requested."));
    }
  }
  EXPECT_THROW(StopAtStepHook({}), ValueError);
  EXPECT_THROW(StopAtStepHook({.num_steps = 1, .last_step = 1}), ValueError);
}

TEST_F(MonitoredSessionTest, GoesOnFromTheCheckpoint) {
  const TestFolder folder;
  summary::scalar("w", w);
  for (const float begins : {1.0f, 7.0f}) {
    auto session = MonitoredTrainingSession(
        {.checkpoint_dir = folder.path(),
         .hooks = {std::make_shared<StopAtStepHook>(StopAtStepOptions{.num_steps = 3})},
         .save_checkpoint_steps = 2,
         .save_summaries_steps = 1});
    EXPECT_EQ(session.run(w).item<float>(), begins);
    while (!session.should_stop()) session.run(train);
    session.close();
  }
  EXPECT_EQ(latest_checkpoint(folder.path()), (folder.path() / "model.ckpt-6").string());
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "graph.pbtxt"));
  summary::FileWriterCache::clear();
}

/// A listener that hears of savings.
class Listener : public CheckpointSaverListener {
 public:
  explicit Listener(int64_t stops_at) : stops_at_(stops_at) {}
  void begin() override { calls.emplace_back("begin"); }
  void before_save(Session&, int64_t step) override { calls.push_back("before " + std::to_string(step)); }
  bool after_save(Session&, int64_t step) override {
    calls.push_back("after " + std::to_string(step));
    return step >= stops_at_;
  }
  void end(Session&, int64_t step) override { calls.push_back("end " + std::to_string(step)); }
  std::vector<std::string> calls;

 private:
  const int64_t stops_at_;
};

TEST_F(MonitoredSessionTest, ListenersHearOfCheckpointsAndEndTheTraining) {
  const TestFolder folder;
  const auto listener = std::make_shared<Listener>(4);
  const auto scaffold = std::make_shared<Scaffold>();
  MonitoredSession session(
      std::make_shared<ChiefSessionCreator>(ChiefSessionOptions{.scaffold = scaffold}),
      {std::make_shared<CheckpointSaverHook>(
          folder.path(),
          CheckpointSaverOptions{.save_steps = 2, .scaffold = scaffold, .listeners = {listener}})});
  int count = 0;
  for (; !session.should_stop(); ++count) session.run(train);
  session.close();
  EXPECT_EQ(count, 4);
  EXPECT_THAT(listener->calls, ElementsAre("begin", "before 0", "after 0", "before 2", "after 2", "before 4",
                                           "after 4", "end 4"));
  summary::FileWriterCache::clear();
}

TEST_F(MonitoredSessionTest, HooksFeed) {
  const Tensor x = placeholder(float32, TensorShape{});
  const Tensor y = x + 1.0f;
  const auto feeds = std::make_shared<FeedFnHook>([&] { return FeedDict{{x, 5.0f}}; });
  MonitoredSession session(nullptr, {feeds});
  EXPECT_EQ(session.run(y).item<float>(), 6.0f);
  try {
    session.run(y, {{"Placeholder:0", 1.0f}});
    ADD_FAILURE();
  } catch (const RuntimeError& error) {
    EXPECT_THAT(error.what(), StartsWith("Same tensor is fed by a SessionRunHook and user."));
  }
  MonitoredSession twice(nullptr, {feeds, std::make_shared<FeedFnHook>([&] { return FeedDict{{x, 6.0f}}; })});
  EXPECT_THROW(twice.run(y), RuntimeError);
}

TEST_F(MonitoredSessionTest, ALossThatIsNoNumberEndsIt) {
  const Tensor loss = constant(std::numeric_limits<float>::quiet_NaN());
  MonitoredSession fails(nullptr, {std::make_shared<NanTensorHook>(loss)});
  EXPECT_THROW(fails.run(train), NanLossDuringTrainingError);
  MonitoredSession ends(nullptr,
                        {std::make_shared<NanTensorHook>(loss, NanTensorOptions{.fail_on_nan_loss = false})});
  ends.run(train);
  EXPECT_TRUE(ends.should_stop());
}

TEST_F(MonitoredSessionTest, TellsValuesSpeedAndWhatRunsAtTheEnd) {
  std::vector<std::string> lines;
  const auto log = [&](const std::string& line) { lines.push_back(line); };
  const auto values = std::make_shared<LoggingTensorHook>(
      std::vector<LoggedTensor>{{"w", w}, {"w:0"}}, LoggingTensorOptions{.every_n_iter = 2, .log = log});
  const auto last = std::make_shared<FinalOpsHook>(std::vector<Fetch>{w * 10.0f});
  MonitoredSession session(nullptr, {values, last});
  for (int i = 0; i < 3; ++i) session.run(train);
  EXPECT_TRUE(last->final_ops_values().empty());
  session.close();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[0], ::testing::MatchesRegex("w = [13]\\., w:0 = [13]\\."));
  EXPECT_THAT(lines[1], ::testing::MatchesRegex("w = [57]\\., w:0 = [57]\\. \\(0\\..* sec\\)"));
  EXPECT_EQ(last->final_ops_values()[0].item<float>(), 70.0f);

  lines.clear();
  MonitoredSession counted(
      nullptr, {std::make_shared<StepCounterHook>(StepCounterOptions{.every_n_steps = 2, .log = log})});
  for (int i = 0; i < 5; ++i) counted.run(train);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[0], StartsWith("global_step/sec: "));
  EXPECT_THROW(LoggingTensorHook({w}, {}), ValueError);
  EXPECT_THROW(LoggingTensorHook({w}, {.every_n_iter = 0}), ValueError);
  EXPECT_THROW(StepCounterHook({.every_n_steps = 1, .every_n_secs = 1}), ValueError);
}

TEST_F(MonitoredSessionTest, HoldsTheFirstStepUntilOthersHaveComeSoFar) {
  std::vector<std::string> lines;
  const auto waits = std::make_shared<GlobalStepWaiterHook>(
      2, GlobalStepWaiterOptions{.max_wait_secs = 0,
                                 .log = [&](const std::string& line) { lines.push_back(line); }});
  SingularMonitoredSession session({waits});
  EXPECT_THROW(session.run(train), errors::DeadlineExceededError);
  session.raw_session()->run(train);
  session.raw_session()->run(train);
  session.run(train);
  EXPECT_EQ(session.run(step).item<int64_t>(), 3);
}

TEST_F(MonitoredSessionTest, TracesStepsForPerfetto) {
  const TestFolder folder;
  std::ofstream(folder.path() / "timeline-2.json") << "an older one";
  std::ifstream older(folder.path() / "timeline-2.json");
  MonitoredSession session(
      nullptr,
      {std::make_shared<ProfilerHook>(ProfilerOptions{.save_steps = 2, .output_dir = folder.path()})});
  for (int i = 0; i < 5; ++i) session.run(train);
  session.close();
  std::string read;
  EXPECT_TRUE(std::getline(older, read));
  EXPECT_EQ(read, "an older one") << "it is replaced as a whole";
  std::set<std::string> traces;
  for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
    const std::string name = file.path().filename();
    if (name.starts_with("timeline")) traces.insert(name);
  }
  EXPECT_THAT(traces, ElementsAre("timeline-2.json", "timeline-4.json"));
  summary::FileWriterCache::clear();
}

TEST_F(MonitoredSessionTest, FillsQueuesUntilTheirEnd) {
  const FilledQueue numbers = range_input_producer(5, {.num_epochs = 1, .shuffle = false});
  const Tensor next = numbers.queue.dequeue();
  MonitoredSession session(nullptr, {}, {numbers});
  int sum = 0;
  session.run_until_stop([&] { sum += session.run(next).item<int32_t>(); });
  EXPECT_EQ(sum, 10);
  EXPECT_TRUE(session.should_stop());
}

TEST_F(MonitoredSessionTest, TellsAnErrorOfAThread) {
  const FIFOQueue queue(3, {DType::kFloat32}, {.shapes = {TensorShape{}}});
  const Tensor bad = placeholder(float32, TensorShape{}, {.name = "bad"});
  const FilledQueue filled{
      queue, {queue.enqueue({bad})}, queue.close(), queue.close({.cancel_pending_enqueues = true})};
  const Tensor next = queue.dequeue();
  SingularMonitoredSession session({}, {}, {filled});
  try {
    while (!session.should_stop()) std::this_thread::yield();
    ADD_FAILURE();
  } catch (const errors::InvalidArgumentError& error) {
    EXPECT_THAT(error.what(), HasSubstr("bad"));
  }
}

TEST_F(MonitoredSessionTest, AScaffoldSaysHowItBegins) {
  std::vector<float> seen;
  const auto scaffold = std::make_shared<Scaffold>(ScaffoldOptions{
      .init_fn = [&](Scaffold&, Session& session) { seen.push_back(session.run(w).item<float>()); }});
  const auto copy = std::make_shared<Scaffold>(ScaffoldOptions{.copy_from_scaffold = scaffold});
  MonitoredTrainingSession({.scaffold = copy}).run(train);
  EXPECT_THAT(seen, ElementsAre(1.0f));
  const auto nothing = std::make_shared<Scaffold>(ScaffoldOptions{.init_op = train});
  try {
    MonitoredTrainingSession({.scaffold = nothing});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("w"));
  }
}

TEST_F(MonitoredSessionTest, HooksEndUnlessAnErrorEndsIt) {
  const auto recorder = std::make_shared<Recorder>();
  {
    const MonitoredSession session(nullptr, {recorder});
  }
  EXPECT_EQ(recorder->calls.back(), "end");
  try {
    const MonitoredSession session(nullptr, {recorder});
    throw std::logic_error("of the program");
  } catch (const std::logic_error&) {
  }
  EXPECT_EQ(recorder->calls.back(), "created");
}

TEST_F(MonitoredSessionTest, AFunctionOfAStepRunsWithoutHooks) {
  const auto recorder = std::make_shared<Recorder>();
  SingularMonitoredSession session({recorder});
  const float value = session.run_step_fn([&](const StepContext& context) {
    const float now = context.session().run(w).item<float>();
    context.run_with_hooks(train);
    return now;
  });
  EXPECT_EQ(value, 1.0f);
  EXPECT_EQ(std::ranges::count(recorder->calls, "before"), 1);
  session.run_step_fn([](const StepContext& context) { context.request_stop(); });
  EXPECT_TRUE(session.should_stop());
}

/// Of servers that are lost each time.
class LostSessions : public SessionCreator {
 public:
  std::unique_ptr<Session> create_session() override {
    ++count;
    throw errors::UnavailableError("no ps");
  }
  double max_wait_secs() const override { return 0.3; }
  int count = 0;
};

TEST(MonitoredSession, IsNotMadeAgainForEver) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const auto creator = std::make_shared<LostSessions>();
  ::testing::internal::CaptureStderr();
  try {
    const MonitoredSession session(creator);
    ADD_FAILURE();
  } catch (const errors::DeadlineExceededError& error) {
    EXPECT_THAT(error.message(), StartsWith("Session was not ready after waiting 0.3 secs.\nno ps"));
  }
  const std::string said = ::testing::internal::GetCapturedStderr();
  const std::string line = "flowray: a session could not be made and is made again: no ps\n";
  EXPECT_THAT(said, StartsWith(line));
  EXPECT_EQ(said.find("made again", line.size()), std::string::npos) << "it is said once in ten seconds";
  EXPECT_GT(creator->count, 1);
}

/// Waits in a thread of its own for what nobody gives.
class WaitingHook : public SessionRunHook {
 public:
  explicit WaitingHook(Tensor value) : value_(std::move(value)) {}
  void after_create_session(Session& session, Coordinator& threads) override {
    threads.start_thread([this, &session] { session.run(value_); });
  }

 private:
  const Tensor value_;
};

TEST(MonitoredSession, ClosesItsSessionWhenItsThreadsHaveHadTheirTime) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const tf::FIFOQueue queue(1, {tf::float32}, {.shapes = {{}}});
  const auto hook = std::make_shared<WaitingHook>(tf::Tensor(queue.dequeue()));
  auto session = MonitoredTrainingSession({.hooks = {hook}, .stop_grace_period_secs = 0.05});
  session.close();
  EXPECT_TRUE(session.should_stop());
}

TEST(MonitoredSession, NeedsAGlobalStepForItsHooks) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const Variable w(1.0f);
  try {
    MonitoredSession(nullptr, {std::make_shared<StopAtStepHook>(StopAtStepOptions{.last_step = 1})});
    ADD_FAILURE();
  } catch (const RuntimeError& error) {
    EXPECT_THAT(error.what(), StartsWith("Global step should be created to use StopAtStepHook."));
  }
}

}  // namespace
}  // namespace flowray::tf::train
