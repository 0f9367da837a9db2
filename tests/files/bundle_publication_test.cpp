// What stands under a checkpoint's prefix when the one that is written there is stopped: by SIGKILL at each
// system call, by an error of each, by the end of the power after each.

#include "files/bundle_publication.h"

#include <flowray/errors.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <iterator>

#include "files/bundle_reader.h"
#include "files/bundle_writer.h"
#include "support/child_process.h"
#include "support/idx_files.h"
#include "support/interposed/file_calls.h"
#include "support/lost_power.h"

namespace flowray::files {
namespace {

namespace fs = std::filesystem;
using flowray::testing::DiskState;
using flowray::testing::FileCall;
using flowray::testing::FileCalls;
using flowray::testing::TestFolder;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

enum class Value { kNone, kOld, kNew, kLast };

void PrintTo(Value value, std::ostream* out) {
  constexpr const char* kNames[] = {"none", "the old one", "the new one", "the last one"};
  *out << kNames[static_cast<int>(value)];
}

/// Of one size for each value, so that an offset into one checkpoint's data is invalid in another's.
Array tensor(Value value, int number) {
  const int size = 50 + 10 * static_cast<int>(value);
  std::vector<float> elements(static_cast<size_t>(size),
                              static_cast<float>(static_cast<int>(value) + 10 * number));
  return Array(elements);
}

void write_one(const std::string& prefix, Value value, const FileAccess& access) {
  BundleWriter writer(prefix, access);
  for (int i = 0; i < 3; ++i) writer.add("t" + std::to_string(i), tensor(value, i));
  writer.finish();
}

/// As a Saver's ops do: one, or parts of their own that are merged.
void write(const std::string& prefix, Value value, int num_shards,
           const FileAccess& access = FileAccess::all()) {
  if (num_shards == 1) return write_one(prefix, value, access);
  std::vector<std::string> parts;
  for (int shard = 0; shard < num_shards; ++shard) {
    BundleWriter writer(parts.emplace_back(prefix + "_temp/part-" + std::to_string(shard)), access);
    for (int i = shard; i < 3; i += num_shards) writer.add("t" + std::to_string(i), tensor(value, i));
    writer.finish();
  }
  merge_bundles(parts, prefix, false, access);
}

/// Which stands there. Fails the test where that is a part, or a mixture.
Value standing(const std::string& prefix) {
  if (!fs::exists(bundle_index_path(prefix))) return Value::kNone;
  try {
    const BundleReader reader(prefix, FileAccess::all());
    const Array first = reader.read("t0");
    for (const Value value : {Value::kOld, Value::kNew, Value::kLast}) {
      if (!(first == tensor(value, 0))) continue;
      EXPECT_EQ(reader.names().size(), 3u);
      for (int i = 1; i < 3; ++i) EXPECT_EQ(reader.read("t" + std::to_string(i)), tensor(value, i));
      return value;
    }
    ADD_FAILURE() << "t0 is " << first;
  } catch (const Error& error) {
    ADD_FAILURE() << error.message();
  }
  return Value::kNone;
}

/// The checkpoint's own files by name.
DiskState files_of(const std::string& prefix) {
  DiskState files;
  for (const auto& [path, content] : flowray::testing::read_disk(fs::path(prefix).parent_path())) {
    const bool is_temporary = path.find(".tempstate") != std::string::npos;
    if (path.starts_with(prefix + ".") && !is_temporary) files[path.substr(prefix.size())] = content;
  }
  return files;
}

std::vector<std::string> temporaries(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name.find(".tempstate") != std::string::npos) names.push_back(name);
  }
  return names;
}

struct Case {
  const char* name;
  int old_shards;  // 0: none
  int new_shards;
  bool has_links = true;
  /// The writer is a server's that confines graphs to a folder, with the kernel's help or without.
  enum class Root { kNone, kByKernel, kBySteps } root = Root::kNone;
};

std::ostream& operator<<(std::ostream& out, const Case& one) { return out << one.name; }

class BundlePublication : public ::testing::TestWithParam<Case> {
 protected:
  std::string prefix() const { return folder() / "model"; }
  fs::path folder() const { return folder_.path() / "checkpoints"; }

  Value old_value() const { return GetParam().old_shards == 0 ? Value::kNone : Value::kOld; }

  void begin() const {
    fs::remove_all(folder());
    fs::create_directories(folder());
    if (GetParam().old_shards > 0) write(prefix(), Value::kOld, GetParam().old_shards);
  }

  void write_new() const { write(prefix(), Value::kNew, GetParam().new_shards, access()); }

  FileAccess access() const {
    if (GetParam().root == Case::Root::kNone) return FileAccess::all();
    return FileAccess({.root = folder_.path(),
                       .only_regular = true,
                       .without_openat2 = GetParam().root == Case::Root::kBySteps});
  }

  void expect_old_or_new() const { EXPECT_THAT(standing(prefix()), AnyOf(old_value(), Value::kNew)); }

  /// The next one is written as if nothing had been, and removes what lay about.
  void expect_goes_on() const {
    const std::string fresh = folder_.path() / "fresh" / "model";
    write(prefix(), Value::kLast, GetParam().new_shards);
    EXPECT_EQ(standing(prefix()), Value::kLast);
    if (!GetParam().has_links) return;  // it may have other names
    if (!fs::exists(bundle_index_path(fresh))) write(fresh, Value::kLast, GetParam().new_shards);
    EXPECT_EQ(files_of(prefix()), files_of(fresh));
  }

  size_t count_calls() const {
    begin();
    FileCalls calls(folder());
    if (!GetParam().has_links) calls.refuse_links(EPERM);
    write_new();
    return calls.count();
  }

  /// Writes the new one in a process that is killed at this call; whether it was.
  bool is_killed_at(size_t number) const {
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        FileCalls calls(folder());
        if (!GetParam().has_links) calls.refuse_links(EPERM);
        calls.kill_at(number);
        write_new();
      } catch (...) {
        ::_exit(1);
      }
      ::_exit(0);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    const bool is_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    EXPECT_TRUE(is_killed || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) << status;
    return is_killed;
  }

  const flowray::testing::WithoutWaiting without_waiting_;
  const TestFolder folder_;
};

TEST_P(BundlePublication, IsTheOldOrTheNewWhereverItIsKilled) {
  size_t number = 0;
  for (bool is_killed = true; is_killed; ++number) {
    SCOPED_TRACE("call " + std::to_string(number));
    begin();
    is_killed = is_killed_at(number);
    if (!is_killed) {
      EXPECT_EQ(standing(prefix()), Value::kNew);
    }
    expect_old_or_new();
    expect_goes_on();
  }
  RecordProperty("stops", static_cast<int>(number - 1));
  EXPECT_GT(number, 15u);
}

struct Failure {
  int error_number;
  Code code;
  bool is_lasting;
};

TEST_P(BundlePublication, IsTheOldOrTheNewWhateverFails) {
  constexpr Failure kFailures[] = {{ENOSPC, Code::kResourceExhausted, true},
                                   {ENOSPC, Code::kResourceExhausted, false},
                                   {EIO, Code::kUnknown, false}};
  const size_t num_calls = count_calls();
  EXPECT_GT(num_calls, 15u);
  int num_stops = 0;
  for (const Failure& failure : kFailures) {
    for (size_t number = 0; number < num_calls; ++number) {
      begin();
      FileCalls calls(folder());
      if (!GetParam().has_links) calls.refuse_links(EPERM);
      if (failure.is_lasting) {
        calls.fail_from(number, failure.error_number);
      } else {
        calls.fail_at(number, failure.error_number);
      }
      bool is_refused = false;
      try {
        write_new();
      } catch (const errors::OpError& error) {
        is_refused = true;
        if (calls.failed() != FileCall::Kind::kRead) {  // of an index: DataLossError, with the reason
          EXPECT_EQ(error.code(), failure.code) << error.message();
        }
      }
      calls.relent();
      if (failure.is_lasting && !is_refused) break;  // no later call needs room
      ++num_stops;
      SCOPED_TRACE(::testing::Message() << "call " << number << ", " << name_of(calls.failed()) << ", error "
                                        << failure.error_number);
      if (!is_refused) {
        EXPECT_EQ(standing(prefix()), Value::kNew);
      }
      expect_old_or_new();
      // Where the writer is confined a folder is opened before anything in it is removed.
      const bool may_remain =
          calls.failed() == FileCall::Kind::kUnlink ||
          (GetParam().root != Case::Root::kNone && calls.failed() == FileCall::Kind::kOpen);
      if (!may_remain) {
        EXPECT_THAT(temporaries(folder()), ::testing::IsEmpty());
      }
      expect_goes_on();
    }
  }
  RecordProperty("stops", num_stops);
}

TEST_P(BundlePublication, IsTheOldOrTheNewWhenThePowerFails) {
  if (!GetParam().has_links) GTEST_SKIP() << "the same, with fewer steps";
  begin();
  const DiskState initial = flowray::testing::read_disk(folder());
  std::vector<FileCall> calls;
  {
    const FileCalls recorded(folder());
    write_new();
    calls = recorded.done();
  }
  const std::string after = folder_.path() / "after" / "model";
  size_t num_states = 0;
  for (size_t i = 0; i <= calls.size(); ++i) {
    SCOPED_TRACE("after call " + std::to_string(i));
    for (const DiskState& state : states_after_power_loss(initial, calls, i)) {
      ++num_states;
      flowray::testing::write_disk(state, folder(), fs::path(after).parent_path());
      const Value value = standing(after);
      EXPECT_THAT(value, AnyOf(old_value(), Value::kNew));
      if (i == calls.size()) {
        EXPECT_EQ(value, Value::kNew) << "it was said to be there";
      }
    }
    if (HasFailure()) break;
  }
  RecordProperty("states", static_cast<int>(num_states));
  EXPECT_GT(num_states, 50u);
}

// Prints t0's first element of each checkpoint, read whole.
constexpr const char* kReader = R"(
import os, sys
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow.compat.v1 as tf
for prefix in sys.argv[1:]:
    reader = tf.train.load_checkpoint(prefix)
    values = [reader.get_tensor(f"t{i}") for i in range(3)]
    first = values[0][0]
    for i, value in enumerate(values):
        assert (value == 10 * i + first).all() and len(value) == 50 + 10 * first, (prefix, i)
    print(int(values[0][0]))
)";

TEST_P(BundlePublication, IsReadByTensorFlowAfterEachStep) {
  const char* python = std::getenv("FLOWRAY_ORACLE_PYTHON");
  if (python == nullptr) GTEST_SKIP() << "FLOWRAY_ORACLE_PYTHON names no Python with TensorFlow";
  std::set<DiskState> states;
  size_t number = 0;
  for (bool is_killed = true; is_killed; ++number) {
    begin();
    is_killed = is_killed_at(number);
    if (standing(prefix()) != Value::kNone) states.insert(files_of(prefix()));
  }
  std::vector<std::string> command{python, "-c", kReader};
  std::string expected;
  for (const DiskState& state : states) {
    const fs::path place = folder_.path() / ("state" + std::to_string(command.size()));
    fs::create_directories(place);
    for (const auto& [ending, content] : state)
      std::ofstream(place / ("model" + ending), std::ios::binary) << content;
    expected += std::to_string(static_cast<int>(standing(command.emplace_back(place / "model")))) + "\n";
  }
  flowray::testing::ChildProcess process(command);
  EXPECT_EQ(process.wait(), 0) << process.errors();
  EXPECT_EQ(process.output(), expected);
}

INSTANTIATE_TEST_SUITE_P(, BundlePublication,
                         ::testing::Values(Case{"OverNothing", 0, 1}, Case{"OverOne", 1, 1},
                                           Case{"OverShards", 2, 1}, Case{"OfShardsOverNothing", 0, 2},
                                           Case{"OfShardsOverOne", 1, 2}, Case{"OfShardsOverShards", 2, 2},
                                           Case{"WithoutLinks", 1, 1, false},
                                           Case{"OfShardsWithoutLinks", 2, 2, false},
                                           Case{"Confined", 1, 1, true, Case::Root::kByKernel},
                                           Case{"OfShardsConfined", 2, 2, true, Case::Root::kByKernel},
                                           Case{"ConfinedBySteps", 1, 1, true, Case::Root::kBySteps}),
                         [](const auto& test) { return std::string(test.param.name); });

// ---- files that lie about

TEST(BundlePublicationOf, ACheckpointOverDataWithoutIndexIsWhole) {
  const TestFolder folder;
  const std::string prefix = folder.path() / "model";
  write(prefix, Value::kOld, 1);
  fs::remove(bundle_index_path(prefix));
  write(prefix, Value::kNew, 1);
  EXPECT_EQ(standing(prefix), Value::kNew);
  EXPECT_EQ(files_of(prefix).size(), 2u);
}

TEST(BundlePublicationOf, ACheckpointMergedIntoItselfIsWhole) {
  const TestFolder folder;
  const std::string prefix = folder.path() / "model";
  write(prefix, Value::kOld, 1);
  merge_bundles({prefix}, prefix, false, FileAccess::all());
  EXPECT_EQ(standing(prefix), Value::kOld);
  // By another spelling of its path.
  merge_bundles({folder.path() / "." / "model"}, prefix, false, FileAccess::all());
  EXPECT_EQ(standing(prefix), Value::kOld);
  EXPECT_EQ(files_of(prefix).size(), 2u);
}

TEST(BundlePublicationOf, ACheckpointLeavesOthersAlone) {
  const TestFolder folder;
  const std::string prefix = folder.path() / "model";
  const std::vector<std::string> others = {"model.data-00000-of-00002.tempstate7",
                                           "model.data-00000-of-00002x", "model.data-0-of-00002",
                                           "model-1.data-00000-of-00002", "model.data-x"};
  write(prefix, Value::kOld, 1);
  for (const std::string& name : others) std::ofstream(folder.path() / name) << "x";
  write(prefix, Value::kNew, 1);
  for (const std::string& name : others) EXPECT_TRUE(fs::exists(folder.path() / name)) << name;
}

}  // namespace
}  // namespace flowray::files
