// Checkpoints by name: what is written, what stays, and what comes back. The nodes are TensorFlow's by
// saver_nodes_test.cpp, the bytes of checkpoints by tests/files/bundle_test.cpp; tests/python reads
// ours with TensorFlow where that is at hand.

#include <flowray/tf.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <iterator>
#include <thread>

#include "files/bundle_reader.h"
#include "support/child_process.h"
#include "support/idx_files.h"
#include "support/interposed/file_calls.h"
#include "support/lost_power.h"

namespace flowray {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TestFolder;
namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A variable that counts steps, in a graph and session of its own.
struct Counting {
  tf::Graph graph;
  tf::GraphScope scope = graph.as_default();
  tf::Variable step = tf::train::get_or_create_global_step();
  tf::Tensor next = step.assign_add(int64_t{1});
  tf::train::Saver saver{{.max_to_keep = 2}};
  tf::Session session;

  int64_t value() { return session.run(step).item<int64_t>(); }
};

TEST(Saver, BringsBackWhatItSaved) {
  const TestFolder folder;
  Counting a;
  a.session.run(tf::global_variables_initializer());
  a.session.run(a.next);
  const std::string path = a.saver.save(a.session, folder.path() / "model.ckpt");
  a.session.run(a.next);
  a.saver.restore(a.session, path);
  EXPECT_EQ(a.value(), 1);
}

TEST(Saver, NamesStepsAndGraphsAsItIsTold) {
  const TestFolder folder;
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const tf::Variable v(1.0);
  tf::train::Saver saver({.max_to_keep = 1, .pad_step_number = true});
  tf::Session session;
  session.run(tf::global_variables_initializer());
  const tf::train::SaveOptions first{.global_step = 7, .meta_graph_suffix = "graph"};
  const std::string old = saver.save(session, folder.path() / "model", first);
  EXPECT_EQ(old, (folder.path() / "model-00000007").string());
  EXPECT_TRUE(fs::exists(old + ".graph"));
  EXPECT_FALSE(fs::exists(old + ".meta"));
  const tf::train::SaveOptions next{.global_step = 123456789, .meta_graph_suffix = "graph"};
  EXPECT_EQ(saver.save(session, folder.path() / "model", next), (folder.path() / "model-123456789").string());
  EXPECT_FALSE(fs::exists(old + ".graph"));
  EXPECT_THROW(saver.save(session, folder.path() / "model", {.meta_graph_suffix = "a/b"}), tf::ValueError);
}

TEST(Saver, TellsPathsBelowItsFolder) {
  const TestFolder folder;
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const tf::Variable v(1.0);
  tf::train::Saver saver({.save_relative_paths = true});
  tf::Session session;
  session.run(tf::global_variables_initializer());
  const std::string path = saver.save(session, folder.path() / "model", {.global_step = 3});
  EXPECT_EQ(text_of(folder.path() / "checkpoint"),
            "model_checkpoint_path: \"model-3\"\nall_model_checkpoint_paths: \"model-3\"\n");
  EXPECT_EQ(tf::train::latest_checkpoint(folder.path()), path);
}

TEST(Saver, SavesUnderOtherNames) {
  const TestFolder folder;
  const fs::path path = folder.path() / "model";
  {
    const tf::Graph graph;
    const tf::GraphScope scope = graph.as_default();
    tf::Variable a(1.0f, {.name = "a"});
    tf::Variable b(2.0f, {.name = "b"});
    tf::Session session;
    session.run(tf::global_variables_initializer());
    tf::train::Saver({.named_variables = {{"weight", a}, {"other/bias", b}}}).save(session, path);
  }
  const tf::Graph graph;
  const tf::GraphScope scope = graph.as_default();
  tf::Variable weight(0.0f, {.name = "weight"});
  tf::Variable c(0.0f, {.name = "c"});
  tf::Session session;
  tf::train::Saver({.named_variables = {{"weight", weight}, {"other/bias", c}}}).restore(session, path);
  EXPECT_EQ(session.run(weight).item<float>(), 1.0f);
  EXPECT_EQ(session.run(c).item<float>(), 2.0f);
  tf::train::Saver({.var_list = {weight}}).restore(session, path);
  EXPECT_THROW(tf::train::Saver({.var_list = {c}}).restore(session, path), errors::NotFoundError);
}

TEST(Saver, KeepsTheNewestAndTellsWhichTheyAre) {
  const TestFolder folder;
  Counting a;
  a.session.run(tf::global_variables_initializer());
  const fs::path prefix = folder.path() / "model";
  for (const int step : {1, 2, 3}) a.saver.save(a.session, prefix, {.global_step = step});
  EXPECT_THAT(a.saver.last_checkpoints(), ElementsAre(prefix.string() + "-2", prefix.string() + "-3"));
  EXPECT_FALSE(tf::train::checkpoint_exists(prefix.string() + "-1"));
  EXPECT_FALSE(fs::exists(prefix.string() + "-1.meta"));
  EXPECT_TRUE(tf::train::checkpoint_exists(prefix.string() + "-2"));
  EXPECT_EQ(tf::train::latest_checkpoint(folder.path()), prefix.string() + "-3");
  const auto state = tf::train::get_checkpoint_state(folder.path());
  ASSERT_TRUE(state.has_value());
  EXPECT_EQ(state->all_model_checkpoint_paths, a.saver.last_checkpoints());
  // As TensorFlow writes an absolute folder's.
  EXPECT_EQ(text_of(folder.path() / "checkpoint"),
            "model_checkpoint_path: \"" + prefix.string() + "-3\"\nall_model_checkpoint_paths: \"" +
                prefix.string() + "-2\"\nall_model_checkpoint_paths: \"" + prefix.string() + "-3\"\n");
}

TEST(Saver, KeepsItsListWhereTwoThreadsSave) {
  const TestFolder folder;
  Counting a;
  a.session.run(tf::global_variables_initializer());
  const auto save = [&](const char* name) {
    for (int step = 0; step < 20; ++step)
      a.saver.save(a.session, folder.path() / name, {.global_step = step});
  };
  {
    const std::jthread service([&] { save("service"); });
    save("user");
  }
  const std::vector<std::string> last = a.saver.last_checkpoints();
  ASSERT_EQ(last.size(), 2U);
  for (const std::string& path : last) EXPECT_TRUE(tf::train::checkpoint_exists(path)) << path;
  EXPECT_EQ(tf::train::get_checkpoint_state(folder.path())->all_model_checkpoint_paths, last);
}

// ---- saving that is stopped, one checkpoint being kept: over itself, and in place of another

constexpr const char* kNames[] = {"model-1", "model-2"};  // of the new one; the old one is the first

/// A variable of many elements, all `value`, in a graph and session of its own.
struct Model {
  explicit Model(float value) : variable(std::vector<float>(100, value), {.name = "value"}) {
    session.run(tf::global_variables_initializer());
  }
  void set(float value) { session.run(assigned, {{fed, Array(std::vector<float>(100, value))}}); }
  tf::Graph graph;
  tf::GraphScope scope = graph.as_default();
  tf::Variable variable;
  tf::Tensor fed = tf::placeholder(tf::float32, {100});
  tf::Tensor assigned = variable.assign(fed);
  tf::train::Saver saver{{.max_to_keep = 1}};
  tf::Session session;
};

/// What the newest checkpoint of the folder has, whole; 0 after a failure of the test.
float newest_value(const fs::path& folder) {
  const std::string path = tf::train::latest_checkpoint(folder);
  EXPECT_NE(path, "") << "no checkpoint is named";
  EXPECT_TRUE(fs::exists(path + ".meta"));
  try {
    const Array array = files::BundleReader(path, files::FileAccess::all()).read("value");
    const auto values = array.span<float>();
    EXPECT_THAT(values, ::testing::AllOf(::testing::SizeIs(100), ::testing::Each(values.front())));
    return values.front();
  } catch (const Error& error) {
    ADD_FAILURE() << error.message();
  }
  return 0;
}

/// A checkpoint of a model of value 1 and nothing else.
void begin_with_one(Model& model, const fs::path& folder) {
  fs::remove_all(folder);
  fs::create_directories(folder);
  model.saver.set_last_checkpoints({});
  model.set(1);
  model.saver.save(model.session, folder / kNames[0]);
  model.set(2);
}

TEST(Saver, LeavesTheOldOrTheNewCheckpointWhereverItIsKilled) {
  const testing::WithoutWaiting without_waiting;
  const TestFolder folder;
  const std::string program = testing::built_program("test-tf-killed_saving");
  for (const std::string name : kNames) {
    int number = 0;
    for (int status = -SIGKILL; status != 0 && !HasFailure(); ++number) {
      SCOPED_TRACE(name + ", call " + std::to_string(number));
      fs::remove_all(folder.path());
      fs::create_directories(folder.path());
      for (const auto& [value, at] : {std::pair(1, 1'000'000), {2, number}}) {
        testing::ChildProcess process({program, folder.path(), value == 1 ? kNames[0] : name,
                                       std::to_string(value), std::to_string(at)});
        status = process.wait();
        const bool may_be_killed = value == 2;
        EXPECT_TRUE(status == 0 || (may_be_killed && status == -SIGKILL)) << process.errors();
      }
      EXPECT_THAT(newest_value(folder.path()), ::testing::AnyOf(1.f, 2.f));
    }
    EXPECT_GT(number, 30);
    RecordProperty(name, number - 1);
    EXPECT_EQ(newest_value(folder.path()), 2.f);
  }
}

TEST(Saver, LeavesTheOldOrTheNewCheckpointWhateverFails) {
  const testing::WithoutWaiting without_waiting;
  const TestFolder place;
  const fs::path folder = place.path() / "logs";
  Model model(1);
  for (const std::string name : kNames) {
    begin_with_one(model, folder);
    size_t num_calls = 0;
    {
      const testing::FileCalls calls(folder);
      model.saver.save(model.session, folder / name);
      num_calls = calls.count();
      RecordProperty(name, static_cast<int>(2 * num_calls));
    }
    for (const int error_number : {ENOSPC, EIO}) {
      for (size_t number = 0; number < num_calls; ++number) {
        begin_with_one(model, folder);
        testing::FileCalls calls(folder);
        calls.fail_at(number, error_number);
        bool is_refused = false;
        try {
          model.saver.save(model.session, folder / name);
        } catch (const errors::OpError&) {
          is_refused = true;
        }
        calls.relent();
        SCOPED_TRACE(::testing::Message() << name << ", call " << number << ", " << name_of(calls.failed()));
        EXPECT_THAT(newest_value(folder), ::testing::AnyOf(1.f, 2.f));
        if (!is_refused) {
          EXPECT_EQ(newest_value(folder), 2.f);
        }
        // The next one is saved as if nothing had been.
        model.set(3);
        EXPECT_EQ(model.saver.save(model.session, folder / "model-3"), (folder / "model-3").string());
        EXPECT_EQ(newest_value(folder), 3.f);
        // What is too old is looked for in the folder, and removed, when the new one is there.
        const bool may_remain = calls.failed() == testing::FileCall::Kind::kUnlink ||
                                (!is_refused && calls.failed() == testing::FileCall::Kind::kOpen);
        if (!may_remain) {
          EXPECT_EQ(testing::read_disk(folder).size(), 4u)
              << "checkpoint; .index, .data and .meta of model-3";
        }
      }
    }
  }
}

TEST(Saver, LeavesNothingOfShardsWhereItFails) {
  const testing::WithoutWaiting without_waiting;
  const TestFolder place;
  const fs::path folder = place.path() / "logs";
  const tf::Graph graph;
  const tf::GraphScope scope = graph.as_default();
  const auto variable_on = [](const char* device) {
    const tf::DeviceGuard there = tf::device(device);
    return tf::Variable(std::vector<float>(10, 1), {.name = "value"});
  };
  variable_on("/cpu:0");
  variable_on("");
  tf::train::Saver saver({.sharded = true});
  tf::Session session;
  session.run(tf::global_variables_initializer());
  fs::create_directories(folder);
  size_t num_calls = 0;
  {
    const testing::FileCalls calls(folder);
    saver.save(session, folder / "model");
    num_calls = calls.count();
  }
  EXPECT_TRUE(fs::exists((folder / "model").string() + ".data-00001-of-00002"));
  int num_refused = 0;
  for (size_t number = 0; number < num_calls; ++number) {
    fs::remove_all(folder);
    fs::create_directories(folder);
    testing::FileCalls calls(folder);
    calls.fail_at(number, ENOSPC);
    try {
      saver.save(session, folder / "model", {.write_state = false});
    } catch (const errors::OpError&) {
      ++num_refused;
      if (calls.failed() == testing::FileCall::Kind::kUnlink) continue;
      EXPECT_THAT(testing::read_disk(folder), ::testing::IsEmpty()) << name_of(calls.failed());
    }
  }
  EXPECT_GT(num_refused, 20);
}

TEST(Saver, LeavesTheOldOrTheNewCheckpointWhenThePowerFails) {
  const testing::WithoutWaiting without_waiting;
  const TestFolder place;
  const fs::path folder = place.path() / "logs";
  Model model(1);
  for (const std::string name : kNames) {
    begin_with_one(model, folder);
    const testing::DiskState initial = testing::read_disk(folder);
    std::vector<testing::FileCall> calls;
    {
      const testing::FileCalls recorded(folder);
      model.saver.save(model.session, folder / name);
      calls = recorded.done();
    }
    int num_states = 0;
    for (size_t i = 0; i <= calls.size(); ++i) {
      SCOPED_TRACE(name + ", after call " + std::to_string(i));
      for (const testing::DiskState& state : states_after_power_loss(initial, calls, i)) {
        ++num_states;
        testing::write_disk(state, folder, folder);
        const float value = newest_value(folder);
        EXPECT_THAT(value, ::testing::AnyOf(1.f, 2.f));
        if (i == calls.size()) {
          EXPECT_EQ(value, 2.f) << "it was said to be there";
        }
      }
      if (HasFailure()) return;
    }
    RecordProperty(name, num_states);
  }
}

TEST(Saver, SaysWhatIsNoCheckpoint) {
  const TestFolder folder;
  Counting a;
  try {
    a.saver.restore(a.session, folder.path() / "nothing");
    FAIL();
  } catch (const tf::ValueError& error) {
    EXPECT_THAT(error.message(), HasSubstr("The passed save_path is not a valid checkpoint: "));
  }
  EXPECT_EQ(tf::train::latest_checkpoint(folder.path()), "");
  tf::Graph empty;
  const auto scope = empty.as_default();
  EXPECT_THROW(tf::train::Saver(), tf::ValueError);
}

TEST(Supervisor, InitialisesAndThenGoesOnFromTheNewestCheckpoint) {
  const TestFolder folder;
  for (const int64_t begin : {0, 3}) {
    Counting a;
    tf::train::Supervisor supervisor({.logdir = folder.path(), .global_step = a.step, .save_model_secs = 0});
    supervisor.prepare(a.session);
    EXPECT_EQ(a.value(), begin);
    for (int i = 0; i < 3; ++i) a.session.run(a.next);
    supervisor.saver()->save(a.session, supervisor.save_path(), {.global_step = a.value()});
    supervisor.stop();
    EXPECT_TRUE(supervisor.should_stop());
  }
}

TEST(Supervisor, MayTrainAgainAfterItsEnd) {
  const TestFolder folder;
  Counting a;
  tf::train::Supervisor supervisor({.logdir = folder.path(), .global_step = a.step, .save_model_secs = 1000});
  for (int i = 0; i < 2; ++i) {
    fs::remove(folder.path() / "checkpoint");
    supervisor.prepare(a.session);
    EXPECT_FALSE(supervisor.should_stop());
    while (tf::train::latest_checkpoint(folder.path()).empty() && !supervisor.should_stop())
      std::this_thread::yield();
    supervisor.stop();
    EXPECT_TRUE(supervisor.should_stop());
    EXPECT_FALSE(tf::train::latest_checkpoint(folder.path()).empty());
  }
}

TEST(Supervisor, SavesBesideTheTraining) {
  const TestFolder folder;
  Counting a;
  tf::train::Supervisor supervisor({.logdir = folder.path(), .global_step = a.step, .save_model_secs = 1000});
  supervisor.prepare(a.session);
  while (tf::train::latest_checkpoint(folder.path()).empty() && !supervisor.should_stop())
    std::this_thread::yield();
  supervisor.stop();
  EXPECT_EQ(tf::train::latest_checkpoint(folder.path()), supervisor.save_path().string() + "-0");
}

TEST(Supervisor, SaysWhichVariablesAreWithoutValue) {
  Counting a;
  tf::train::Supervisor supervisor({.init_op = tf::no_op()});
  try {
    supervisor.prepare(a.session);
    FAIL();
  } catch (const tf::RuntimeError& error) {
    EXPECT_THAT(error.message(), HasSubstr("Variables not initialized: global_step"));
  }
}

TEST(Supervisor, WaitsForTheChiefWhereItIsNone) {
  tf::Graph graph;
  const auto scope = graph.as_default();
  const tf::Variable value(7.0f, {.name = "value"});
  tf::train::Supervisor supervisor({.is_chief = false, .recovery_wait_secs = 0.01});
  tf::Session session;
  EXPECT_THROW(supervisor.prepare(session, /*max_wait_secs=*/0), errors::DeadlineExceededError);
  std::thread chief([&] { session.run(value.initializer()); });
  supervisor.prepare(session);  // which is when the chief has done its part
  chief.join();
  EXPECT_EQ(session.run(value), Array(7.0f));
}

TEST(Supervisor, WaitsForTheChiefNoLongerThanItIsWanted) {
  tf::Graph graph;
  const auto scope = graph.as_default();
  const tf::Variable value(7.0f, {.name = "value"});
  tf::train::Supervisor supervisor({.is_chief = false});
  tf::Session session;
  std::thread stopping([&] { supervisor.request_stop(); });
  EXPECT_THROW(supervisor.prepare(session), errors::CancelledError);
  stopping.join();
}

TEST(Supervisor, RunsWhatTheProgramGivesItInOrder) {
  tf::Graph graph;
  const auto scope = graph.as_default();
  const auto fed = tf::placeholder(tf::float32, {});
  const tf::Variable a(fed, {.name = "a"});
  const tf::Variable b(0.0f, {.collections = {tf::GraphKeys::LOCAL_VARIABLES}, .name = "b"});
  const auto a_is_ready = tf::report_uninitialized_variables({a});
  const auto add_one = a.assign_add(1.0f).op();
  const auto copy = b.assign(a).op();
  tf::train::Supervisor supervisor({.ready_for_local_init_op = a_is_ready,
                                    .init_op = a.initializer(),
                                    .init_feed_dict = {{fed, 5.0f}},
                                    .init_fn = [&](tf::Session& session) { session.run(add_one); },
                                    .local_init_op = copy});
  const auto session = supervisor.prepare_or_wait_for_session();
  EXPECT_EQ(session->run(b), Array(6.0f));
  supervisor.stop();
}

TEST(Supervisor, IsNotReadyForALocalBeginBeforeTheChiefHasDoneItsPart) {
  tf::Graph graph;
  const auto scope = graph.as_default();
  const tf::Variable a(1.0f, {.name = "a"});
  const tf::Variable b(0.0f, {.collections = {tf::GraphKeys::LOCAL_VARIABLES}, .name = "b"});
  const auto copy = b.assign(a).op();
  const auto a_is_ready = tf::report_uninitialized_variables({a});
  tf::Session session;
  tf::train::Supervisor other({.is_chief = false,
                               .ready_for_local_init_op = a_is_ready,
                               .local_init_op = copy,
                               .recovery_wait_secs = 0.01});
  EXPECT_THROW(other.prepare(session, 0), errors::DeadlineExceededError);
  session.run(a.initializer());
  other.prepare(session, 0);
  EXPECT_EQ(session.run(b), Array(1.0f));
  // A chief that does not initialise what its local begin needs says so.
  tf::Graph second;
  const auto second_scope = second.as_default();
  const tf::Variable c(1.0f, {.name = "c"});
  const auto c_is_ready = tf::report_uninitialized_variables({c});
  tf::train::Supervisor chief({.ready_for_local_init_op = c_is_ready, .init_op = tf::Operation()});
  tf::Session session_of_second;
  try {
    chief.prepare(session_of_second);
    FAIL();
  } catch (const tf::RuntimeError& error) {
    EXPECT_THAT(error.message(), HasSubstr("did not make model ready for local_init"));
    EXPECT_THAT(error.message(), HasSubstr("Variables not initialized: c"));
  }
}

TEST(Supervisor, FinalizesTheGraph) {
  Counting a;
  const tf::train::Supervisor supervisor;
  EXPECT_THROW(tf::constant(1), tf::RuntimeError);
}

}  // namespace
}  // namespace flowray
