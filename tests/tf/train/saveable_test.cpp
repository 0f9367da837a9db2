// States of iterators: after a restore an iterator gives what the saved one would have given next.
#include <flowray/tf.h>
#include <flowray/tf/ops/data_ops.h>
#include <flowray/tf/ops/text_ops.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/error_words.h"
#include "support/idx_files.h"

namespace flowray::tf {
namespace {

using data::Dataset;
using data::Iterator;
using ::testing::HasSubstr;

using Elements = std::vector<std::vector<Array>>;

/// An iterator with what saves and restores it, as bytes.
class SavedIterator {
 public:
  explicit SavedIterator(const Dataset& dataset, int64_t policy = 2)
      : iterator_(dataset.make_initializable_iterator()), next_(iterator_.get_next()) {
    const Tensor state = raw_ops::SerializeIterator(iterator_.resource(), {.external_state_policy = policy});
    saved_ = raw_ops::SerializeTensor(state);
    fed_ = placeholder(string, {});
    restored_ =
        raw_ops::DeserializeIterator(iterator_.resource(), raw_ops::ParseTensor(fed_, DType::kVariant));
  }

  Operation initializer() const { return iterator_.initializer(); }
  void initialize(Session& session) const { session.run(iterator_.initializer()); }
  std::string save(Session& session) const { return session.run(saved_).item<std::string>(); }
  void restore(Session& session, const std::string& state) const {
    session.run(restored_, {{fed_, Array(state)}});
  }
  /// At most so many elements.
  Elements take(Session& session, size_t most) const {
    Elements elements;
    while (elements.size() < most) {
      try {
        elements.push_back(session.run(next_));
      } catch (const errors::OutOfRangeError&) {
        break;
      }
    }
    return elements;
  }

 private:
  Iterator iterator_;
  std::vector<Tensor> next_;
  Tensor saved_;
  Tensor fed_;
  Operation restored_;
};

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return testing::without_line(error);
  }
  return "nothing";
}

class SaveableTest : public ::testing::Test {
 protected:
  /// Saves at each place of a walk, which is ended after `most` elements, and goes on from there in another
  /// session.
  void expect_to_go_on(const Dataset& dataset, size_t most = 40) {
    const SavedIterator iterator(dataset, /*policy=*/1);
    size_t at = 0;
    for (bool is_over = false; !is_over && at <= most; ++at) {
      Session first;
      iterator.initialize(first);
      const size_t taken = iterator.take(first, at).size();
      is_over = taken < at;
      const std::string state = iterator.save(first);
      const Elements rest = iterator.take(first, most - std::min(at, most));
      Session second;
      iterator.initialize(second);
      iterator.restore(second, state);
      EXPECT_EQ(iterator.take(second, most - std::min(at, most)), rest) << "behind element " << taken;
    }
    EXPECT_GT(at, size_t{2});
  }

  std::string file(const std::string& name, const std::string& contents) {
    const std::filesystem::path path = folder_.path() / name;
    std::ofstream(path) << contents;
    return path.string();
  }

  testing::TestFolder folder_;
  Graph graph_;
  GraphScope scope_ = graph_.as_default();
};

TEST_F(SaveableTest, SourcesGoOn) {
  expect_to_go_on(Dataset::range(7));
  expect_to_go_on(Dataset::range(9, -2, -3));
  expect_to_go_on(Dataset::from_tensors({{1, 2}, {3}}));
  expect_to_go_on(Dataset::from_tensor_slices({{1.0, 2.0, 3.0}, {1, 2, 3}}));
  expect_to_go_on(Dataset::from_tensor_slices({"a", "b", "c"}));
}

TEST_F(SaveableTest, OrdersAndGroupsGoOn) {
  const Dataset d = Dataset::range(10);
  expect_to_go_on(d.batch(3));
  expect_to_go_on(d.batch(3).unbatch());
  expect_to_go_on(d.repeat(2).take(15).skip(3));
  expect_to_go_on(d.repeat(), 25);
  expect_to_go_on(d.shard(3, 1).concatenate(d));
  expect_to_go_on(Dataset::zip({d, d.repeat(2).batch(2)}));
  expect_to_go_on(d.enumerate(5));
  expect_to_go_on(d.map([](auto x) { return fill(reshape(x, {1}), x); }).padded_batch(4));
  expect_to_go_on(d.map([](auto x) { return floor_div(x, int64_t{3}); }).unique());
}

TEST_F(SaveableTest, ShufflesGoOnWithTheirBufferAndTheirRandomNumbers) {
  const Dataset d = Dataset::range(8);
  expect_to_go_on(d.shuffle(3, {.seed = 7}).repeat(3));
  expect_to_go_on(d.shuffle(3, {.seed = 7, .reshuffle_each_iteration = false}).repeat(3));
  expect_to_go_on(d.repeat(2).shuffle(100, {.seed = 1}).batch(2));
  expect_to_go_on(d.shuffle(4).shuffle(3).repeat(2));  // of seeds by chance
  expect_to_go_on(d.shuffle(4, {.seed = 2}).concatenate(d.shuffle(3)).repeat(2));
}

TEST_F(SaveableTest, ChoicesGoOn) {
  using data::experimental::choose_from_datasets;
  using data::experimental::sample_from_datasets;
  const std::vector<Dataset> datasets = {Dataset::range(4), Dataset::range(10, 17).shuffle(3, {.seed = 2})};
  expect_to_go_on(choose_from_datasets(datasets, Dataset::range(2).repeat()));
  expect_to_go_on(
      choose_from_datasets(datasets, Dataset::range(2).repeat(), {.stop_on_empty_dataset = true}));
  expect_to_go_on(sample_from_datasets(datasets, {.weights = {0.3, 0.7}, .seed = 4}).repeat(2));
  expect_to_go_on(data::experimental::random_dataset({.seed = 3}), 9);
}

TEST_F(SaveableTest, FunctionsGoOn) {
  const Dataset d = Dataset::range(10);
  expect_to_go_on(d.map([](auto x) { return x * x; }).filter([](auto x) {
    return equal(floormod(x, int64_t{2}), int64_t{0});
  }));
  expect_to_go_on(d.take_while([](auto x) { return x < int64_t{6}; }));
  expect_to_go_on(d.flat_map([](auto x) { return Dataset::range(x).shuffle(3, {.seed = 2}); }), 50);
  expect_to_go_on(d.interleave([](auto x) { return Dataset::range(x, x + int64_t{4}); },
                               {.cycle_length = 3, .block_length = 2}),
                  50);
  expect_to_go_on(d.scan({int64_t{0}}, [](auto state, auto x) { return std::tuple(state + x, state * x); }));
}

TEST_F(SaveableTest, ThreadsGoOn) {
  const Dataset d = Dataset::range(6);
  expect_to_go_on(d.prefetch(3).batch(2));
  expect_to_go_on(Dataset::range(3).shuffle(3).repeat(3).prefetch(9));
  expect_to_go_on(d.map([](auto x) { return x + int64_t{1}; }, {.num_parallel_calls = 3}).prefetch(2));
  expect_to_go_on(d.interleave([](auto x) { return Dataset::range(x).prefetch(2); },
                               {.cycle_length = 3, .num_parallel_calls = 2}),
                  15);
}

TEST_F(SaveableTest, AnErrorThatWasReadAheadStaysInItsPlace) {
  const Dataset d = Dataset::range(-2, 3).map([](auto x) { return floor_div(int64_t{6}, x); });
  const SavedIterator iterator(d.prefetch(5));
  Session first;
  iterator.initialize(first);
  EXPECT_EQ(iterator.take(first, 1), (Elements{{Array(int64_t{-3})}}));
  const std::string state = iterator.save(first);
  Session second;
  iterator.initialize(second);
  iterator.restore(second, state);
  EXPECT_EQ(iterator.take(second, 1), (Elements{{Array(int64_t{-6})}}));
  EXPECT_THAT(error_of([&] { (void)iterator.take(second, 1); }), HasSubstr("Integer division by zero"));
  EXPECT_EQ(iterator.take(second, 5), (Elements{{Array(int64_t{6})}, {Array(int64_t{3})}}));
}

TEST_F(SaveableTest, WindowsAndGroupsGoOn) {
  const Dataset d = Dataset::range(11);
  const auto elements = [](const Tensor& window) { return Dataset(window, {{int64, {}}}); };
  expect_to_go_on(d.window(3, {.shift = 2, .stride = 2}).flat_map(elements));
  expect_to_go_on(d.window(3).shuffle(2, {.seed = 4}).flat_map(elements));
  expect_to_go_on(
      d.window(2).prefetch(2).flat_map([&](const Tensor& window) { return elements(window).batch(2); }));
  expect_to_go_on(d.group_by_window([](auto x) { return floormod(x, int64_t{3}); },
                                    [](auto, const Dataset& group) { return group.batch(2); }, int64_t{3}));
}

TEST_F(SaveableTest, CachesGoOn) {
  expect_to_go_on(Dataset::range(5).shuffle(5).cache().repeat(3));
  expect_to_go_on(Dataset::range(5).cache().shuffle(2, {.seed = 3}).repeat(2));
  expect_to_go_on(Dataset::range(3).concatenate(Dataset::range(3).shuffle(3).cache()).repeat(3));
}

TEST_F(SaveableTest, AFileCacheGoesOnWhereItIsRead) {
  const Dataset d = Dataset::range(4).cache((folder_.path() / "cache").string());
  const SavedIterator iterator(d);
  Session writes;
  iterator.initialize(writes);
  const std::string begin = iterator.save(writes);
  EXPECT_EQ(iterator.take(writes, 2).size(), size_t{2});
  EXPECT_THAT(error_of([&] { (void)iterator.save(writes); }), HasSubstr("it is writing the cache"));
  EXPECT_EQ(iterator.take(writes, 5).size(), size_t{2});
  const std::string end = iterator.save(writes);
  expect_to_go_on(d);
  Session reads;
  iterator.initialize(reads);
  iterator.restore(reads, end);
  EXPECT_EQ(iterator.take(reads, 5).size(), size_t{0});
  iterator.restore(reads, begin);
  EXPECT_EQ(iterator.take(reads, 5).size(), size_t{4});
}

TEST_F(SaveableTest, FilesGoOn) {
  const std::string first = file("a.txt", "one\ntwo\r\n\nfour");
  const std::string second = file("b.txt", "five\n");
  const std::string empty = file("c.txt", "");
  const std::vector<std::string> names = {first, empty, second};
  expect_to_go_on(data::text_line_dataset(Array(names)));
  expect_to_go_on(data::fixed_length_record_dataset(Array(std::vector<std::string>{first, first}), int64_t{3},
                                                    {.header_bytes = 1, .footer_bytes = 1}));
  {
    io::TFRecordWriter writer((folder_.path() / "r").string());
    for (const char* text : {"x", "yy", "zzz"}) writer.write(text);
  }
  const std::string written = (folder_.path() / "r").string();
  expect_to_go_on(data::tf_record_dataset(Array(std::vector<std::string>{written, written})));
  const std::string csv = file("d.csv", "h,i\n1,a\n2,\"b\nc\"\n");
  expect_to_go_on(
      data::csv_dataset(Array(std::vector<std::string>{csv, csv}), {int32, "?"}, {.header = true}));
}

TEST_F(SaveableTest, AFileThatIsShorterNowIsSaid) {
  const std::string name = file("a.txt", "one\ntwo\nthree\n");
  const SavedIterator iterator(data::text_line_dataset(name));
  Session session;
  iterator.initialize(session);
  (void)iterator.take(session, 2);
  const std::string state = iterator.save(session);
  (void)file("a.txt", "one\n");
  EXPECT_THAT(error_of([&] { iterator.restore(session, state); }),
              HasSubstr("has 4 bytes, and the saved iterator was at byte 8 of it"));
}

TEST_F(SaveableTest, AFailedRestoreLeavesTheIteratorWhereItWas) {
  const SavedIterator numbers(Dataset::range(5));
  const SavedIterator batches(Dataset::range(5).batch(2));
  Session session;
  numbers.initialize(session);
  batches.initialize(session);
  EXPECT_EQ(numbers.take(session, 1).size(), size_t{1});
  const std::string foreign = batches.save(session);
  const std::string error = error_of([&] { numbers.restore(session, foreign); });
  EXPECT_THAT(
      error,
      HasSubstr("Failed to restore dataset iterator from checkpoint: walk/Range. Make sure the dataset "
                "definition has not changed"));
  EXPECT_THAT(error, HasSubstr("it has a walk 'Batch' where this one has 'Range'"));
  EXPECT_EQ(numbers.take(session, 1), (Elements{{Array(int64_t{1})}}));
}

TEST_F(SaveableTest, AFailedRestoreOfWhatWalksShareLeavesTheIteratorWhereItWas) {
  const SavedIterator iterator(Dataset::range(5).shuffle(3, {.seed = 4}).cache().repeat(2));
  Session session;
  iterator.initialize(session);
  (void)iterator.take(session, 7);
  const std::string state = iterator.save(session);
  const Elements rest = iterator.take(session, 2);
  for (const std::string part : {"is_complete", "elements", "num_words"}) {
    std::string damaged = state;
    const size_t at = damaged.find(part, damaged.find("shared_"));
    ASSERT_NE(at, std::string::npos) << part;
    damaged[at] = '-';
    iterator.restore(session, state);
    EXPECT_THAT(error_of([&] { iterator.restore(session, damaged); }),
                HasSubstr("The saved state has no such part"))
        << part;
    EXPECT_EQ(iterator.take(session, 2), rest) << part;
  }
}

TEST_F(SaveableTest, ARestoreLeavesOtherIteratorsTheirCache) {
  const Dataset d = Dataset::range(3).map([](auto) { return random_uniform({}); }).cache().repeat(2);
  const SavedIterator one(d, /*policy=*/1);
  const SavedIterator other(d, /*policy=*/1);
  Session first;
  one.initialize(first);
  const Elements saved = one.take(first, 3);
  (void)one.take(first, 1);
  const std::string state = one.save(first);
  Session session;
  session.run({one.initializer(), other.initializer()});  // of one dataset
  const Elements cached = one.take(session, 3);
  EXPECT_EQ(one.take(session, 1), (Elements{cached[0]}));
  EXPECT_EQ(other.take(session, 1), (Elements{cached[0]}));
  one.restore(session, state);
  EXPECT_EQ(other.take(session, 2), (Elements{cached[1], cached[2]}));
  EXPECT_EQ(one.take(session, 5), (Elements{saved[1], saved[2]}));
}

TEST_F(SaveableTest, OneThatIsNotInitializedIsRefused) {
  const SavedIterator iterator(Dataset::range(5));
  Session session;
  EXPECT_THAT(error_of([&] { (void)iterator.save(session); }),
              HasSubstr("Save() failed because the iterator has not been initialized."));
  Session other;
  iterator.initialize(other);
  const std::string state = iterator.save(other);
  EXPECT_THAT(error_of([&] { iterator.restore(session, state); }),
              HasSubstr("Restore() failed because the iterator has not been initialized."));
}

TEST_F(SaveableTest, FunctionsWithAStateAreToldUnlessTheyAreIgnored) {
  const Dataset d = Dataset::range(5).map([](auto) { return random_uniform({}); });
  Session session;
  const SavedIterator fails(d);
  fails.initialize(session);
  EXPECT_THAT(error_of([&] { (void)fails.save(session); }), HasSubstr("RandomUniform is stateful."));
  const SavedIterator ignores(d, /*policy=*/1);
  ignores.initialize(session);
  EXPECT_FALSE(ignores.save(session).empty());
}

TEST_F(SaveableTest, ASaverKeepsIteratorsBesideVariables) {
  const Variable v(1.0f, {.name = "v"});
  const Iterator iterator = Dataset::range(9).shuffle(4, {.seed = 5}).batch(2).make_initializable_iterator();
  const Tensor next = iterator.get_next()[0];
  const train::SaveableObject saveable = data::experimental::make_saveable_from_iterator(iterator);
  EXPECT_EQ(saveable.name(), "IteratorV2:0");
  EXPECT_EQ(saveable.name_in_file(), "IteratorV2:0_STATE");
  const Operation increase = assign_add(v, 1.0f).op();
  train::Saver saver({.var_list = global_variables(), .saveables = {saveable}});
  add_to_collection(train::SaveableObject::kCollection, saveable);
  train::Saver of_all({.name = "all"});
  Session session;
  session.run(global_variables_initializer());
  session.run(iterator.initializer());
  session.run(next);
  const std::string path = saver.save(session, folder_.path() / "model");
  const Array second = session.run(next);
  const Array third = session.run(next);
  session.run(increase);
  for (const train::Saver* one : {&saver, &of_all}) {
    one->restore(session, path);
    EXPECT_EQ(session.run(next), second);
    EXPECT_EQ(session.run(next), third);
    EXPECT_EQ(session.run(v), Array(1.0f));
  }
  EXPECT_THAT(
      error_of([&] { data::experimental::make_saveable_from_iterator(iterator, {"never"}); }),
      HasSubstr("Invalid `ExternalStatePolicy.` Supported values include 'warn', 'ignore', and 'fail.' "
                "Received never."));
  EXPECT_THAT(error_of([&] { (void)train::SaveableObject(next); }),
              HasSubstr("is not the state of an iterator"));
  EXPECT_THAT(error_of([] { (void)data::experimental::make_saveable_from_iterator(Iterator()); }),
              HasSubstr("'iterator' is an unset tf::data::Iterator"));
}

}  // namespace
}  // namespace flowray::tf
