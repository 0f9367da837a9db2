// Datasets whose elements are kept in files: who writes them, who reads them, and what stops it.
#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "support/child_process.h"
#include "support/error_words.h"
#include "support/idx_files.h"
#include "support/interposed/file_calls.h"

namespace flowray::tf {
namespace {

namespace fs = std::filesystem;
using data::Dataset;
using data::Iterator;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

using Rows = std::vector<int64_t>;

/// A walk in a session of its own.
class Walk {
 public:
  explicit Walk(const Dataset& dataset) : iterator_(dataset.make_initializable_iterator()) {
    next_ = iterator_.get_next()[0];
    begin();
  }
  void begin() { session_.run(iterator_.initializer()); }
  std::optional<int64_t> next() {
    try {
      return session_.run(next_).item<int64_t>();
    } catch (const errors::OutOfRangeError&) {
      return std::nullopt;
    }
  }
  /// Those that are left.
  Rows rest() {
    Rows rows;
    while (const auto value = next()) rows.push_back(*value);
    return rows;
  }
  std::string error() {
    try {
      (void)next();
    } catch (const Error& error) {
      return testing::without_line(error);
    }
    return "nothing";
  }

 private:
  Iterator iterator_;
  Tensor next_;
  Session session_;
};

class CachedDatasets : public ::testing::Test {
 protected:
  fs::path path() const { return folder_.path() / "cache"; }
  /// 10, 20, 30, each with a text.
  Dataset numbers() const {
    return Dataset::zip(
        {Dataset::range(10, 40, 10), Dataset::from_tensor_slices({"ten", "twenty", "thirty"})});
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.path())) names.push_back(entry.path().filename());
    std::ranges::sort(names);
    return names;
  }
  static Rows read(const Dataset& dataset) { return Walk(dataset).rest(); }

  const testing::TestFolder folder_;
  Graph graph_;
  GraphScope scope_ = graph_.as_default();
};

const Rows kAll = {10, 20, 30};

TEST_F(CachedDatasets, AreWrittenByTheFirstWalkAndReadByTheNext) {
  EXPECT_EQ(read(numbers().cache(path().string()).repeat(2)), (Rows{10, 20, 30, 10, 20, 30}));
  EXPECT_THAT(names(), ElementsAre("cache.data-00000-of-00001", "cache.index"));
  // What the dataset itself would give plays no part any more.
  EXPECT_EQ(
      read(numbers().map([](auto x, auto text) { return std::tuple(x + x, text); }).cache(path().string())),
      kAll);
}

TEST_F(CachedDatasets, AreCheckpointsWithATensorForEachComponent) {
  (void)read(numbers().cache(path().string()));
  EXPECT_EQ(train::load_variable(path(), "      2_0"), Array(int64_t{30}));
  EXPECT_EQ(train::load_variable(path(), "      0_1"), Array("ten"));
}

TEST_F(CachedDatasets, OfNothingAreThereToo) {
  EXPECT_EQ(read(Dataset::range(0).cache(path().string()).repeat(2)), Rows());
  EXPECT_TRUE(fs::exists(path().string() + ".index"));
  EXPECT_EQ(read(Dataset::range(0).cache(path().string())), Rows());
}

TEST_F(CachedDatasets, OfAWalkThatEndsBeforeNothingIsLeft) {
  EXPECT_EQ(read(numbers().cache(path().string()).take(2).repeat(2)), (Rows{10, 20, 10, 20}));
  EXPECT_THAT(names(), IsEmpty());
  {
    Walk walk(numbers().cache(path().string()));
    EXPECT_EQ(walk.next(), 10);
    walk.begin();
    EXPECT_EQ(walk.rest(), kAll);
  }
  EXPECT_THAT(names(), ElementsAre("cache.data-00000-of-00001", "cache.index"));
}

TEST_F(CachedDatasets, AreWrittenByOneWalkAtATime) {
  const Dataset cached = numbers().cache(path().string());
  Walk first(cached);
  Walk second(cached);
  EXPECT_EQ(first.next(), 10);
  EXPECT_THAT(second.error(),
              StartsWith("There appears to be a concurrent caching iterator running - cache lockfile already "
                         "exists ('" +
                         path().string() + "_0.lockfile')."));
  EXPECT_THAT(second.error(), HasSubstr("Lockfile contents: Created at: 1"));
  EXPECT_EQ(first.rest(), (Rows{20, 30}));
  EXPECT_EQ(second.rest(), kAll);
  EXPECT_THAT(names(), ElementsAre("cache.data-00000-of-00001", "cache.index"));
}

TEST_F(CachedDatasets, AreLeftAloneByWhoFindsALockThatIsOfNoneOfUs) {
  std::ofstream(path().string() + "_0.lockfile") << "mine";
  EXPECT_THAT(Walk(numbers().cache(path().string())).error(), HasSubstr("Lockfile contents: mine"));
  EXPECT_THAT(names(), ElementsAre("cache_0.lockfile"));
}

TEST_F(CachedDatasets, SayWhatTheyAreNotFor) {
  const fs::path nowhere = folder_.path() / "none" / "cache";
  EXPECT_THAT(Walk(numbers().cache(nowhere.string())).error(),
              StartsWith(nowhere.string() + "_0.lockfile; No such file or directory"));
  const Dataset windows = Dataset::range(4).window(2).cache(path().string()).flat_map([](auto window) {
    return Dataset(window, {{.dtype = int64, .shape = {}}});
  });
  EXPECT_THAT(Walk(windows).error(), HasSubstr("is of dtype variant, which is not written to"));
  EXPECT_THAT(names(), IsEmpty());

  (void)read(numbers().cache(path().string()));
  EXPECT_THAT(Walk(Dataset::zip({numbers(), numbers()}).cache(path().string())).error(),
              HasSubstr("has 6 tensors, which do not make up elements of 4 components"));
  EXPECT_THAT(
      Walk(numbers().map([](auto x, auto) { return std::tuple(x, x); }).cache(path().string())).error(),
      StartsWith("Data type mismatch at component 1: expected int64 but got string."));
}

TEST_F(CachedDatasets, KeepWhatTheDatasetGivesWithoutItsErrors) {
  const Dataset some = Dataset::range(-1, 2)
                           .map([](auto x) { return floordiv(constant(int64_t{6}), x); })
                           .cache(path().string());
  {
    Walk walk(some);
    EXPECT_EQ(walk.next(), -6);
    EXPECT_THAT(walk.error(), HasSubstr("Integer division by zero"));
    EXPECT_EQ(walk.rest(), (Rows{6}));
  }
  EXPECT_EQ(read(some), (Rows{-6, 6}));
}

TEST_F(CachedDatasets, AreWholeOrNotThereWhateverFails) {
  const testing::WithoutWaiting without_waiting;
  const Dataset cached = numbers().cache(path().string());
  size_t num_calls = 0;
  {
    const testing::FileCalls calls(folder_.path());
    EXPECT_EQ(read(cached), kAll);
    num_calls = calls.count();
  }
  EXPECT_GE(num_calls, 10u);
  int num_refused = 0;
  for (size_t number = 0; number < num_calls; ++number) {
    for (const auto& entry : fs::directory_iterator(folder_.path())) fs::remove(entry.path());
    testing::FileCalls calls(folder_.path());
    calls.fail_from(number, ENOSPC);
    try {
      (void)read(cached);
    } catch (const errors::ResourceExhaustedError&) {
      ++num_refused;
    }
    calls.relent();
    SCOPED_TRACE(::testing::Message() << "from call " << number);
    EXPECT_THAT(names(), AnyOf(IsEmpty(), ElementsAre("cache.data-00000-of-00001", "cache.index")));
    EXPECT_EQ(read(cached), kAll);
  }
  EXPECT_GE(num_refused, 5);
}

TEST_F(CachedDatasets, FailFromThenOnWhereTheyCouldNotBeWritten) {
  Walk walk(numbers().cache(path().string()));
  testing::FileCalls calls(folder_.path());
  calls.fail_from(3, ENOSPC);  // after the lock
  EXPECT_THAT(walk.error(), HasSubstr("No space left on device"));
  calls.relent();
  EXPECT_THAT(walk.error(), HasSubstr("No space left on device")) << "an element would be missing";
  walk.begin();
  EXPECT_EQ(walk.rest(), kAll);
}

TEST_F(CachedDatasets, AreWholeOrNotThereWhereverTheProcessIsKilled) {
  const std::string program = testing::built_program("test-tf-killed_caching");
  int number = 0;
  for (int status = -SIGKILL; status != 0 && !HasFailure(); ++number) {
    SCOPED_TRACE(number);
    for (const auto& entry : fs::directory_iterator(folder_.path())) fs::remove(entry.path());
    testing::ChildProcess process({program, folder_.path(), std::to_string(number)});
    status = process.wait();
    EXPECT_TRUE(status == 0 || status == -SIGKILL) << process.errors();
    const fs::path lock = path().string() + "_0.lockfile";
    const bool is_whole = fs::exists(path().string() + ".index");
    if (fs::exists(lock) && !is_whole) {
      EXPECT_THAT(Walk(numbers().cache(path().string())).error(), HasSubstr("delete the lockfile"));
    }
    fs::remove(lock);
    EXPECT_EQ(read(numbers().cache(path().string())), kAll);
  }
  EXPECT_GE(number, 10);
}

}  // namespace
}  // namespace flowray::tf
