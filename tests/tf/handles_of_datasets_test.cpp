// Ops that TensorFlow 2's behaviour makes for datasets, with handles of caches and of seeds. Orders are those
// of TensorFlow 2.21.
#include <flowray/tf.h>
#include <flowray/tf/ops/data_ops.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/error_words.h"
#include "support/idx_files.h"

namespace flowray::tf {
namespace {

using data::Dataset;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Numbers = std::vector<int64_t>;

class HandlesOfDatasets : public ::testing::Test {
 protected:
  static Dataset numbers_of(const Tensor& variant) { return {variant, {{.dtype = int64, .shape = {}}}}; }
  static Numbers read(const Dataset& dataset) {
    Numbers numbers;
    for (const std::vector<Array>& element : dataset) numbers.push_back(element[0].item<int64_t>());
    return numbers;
  }
  /// Two epochs of a shuffle of 0 to 4.
  Dataset shuffled(const Tensor& generator, int64_t seed, bool reshuffles) {
    return numbers_of(raw_ops::ShuffleDatasetV3(five_.variant_tensor(), int64_t{5}, seed, int64_t{4},
                                                generator, {int64}, {TensorShape{}},
                                                {.reshuffle_each_iteration = reshuffles}))
        .repeat(2);
  }
  static std::string error_of(const std::function<void()>& f) {
    try {
      f();
    } catch (const Error& error) {
      return testing::without_line(error);
    }
    return "nothing";
  }

  Graph graph_;
  GraphScope scope_ = graph_.as_default();
  const Dataset five_ = Dataset::range(5);
};

const Numbers kReshuffled = {2, 0, 1, 4, 3, 4, 0, 3, 2, 1};
const Numbers kTheSameTwice = {1, 0, 4, 3, 2, 1, 0, 4, 3, 2};

TEST_F(HandlesOfDatasets, ShuffleByOwnSeedsWhereTheGeneratorHasNone) {
  EXPECT_EQ(read(shuffled(raw_ops::DummySeedGenerator(), 3, true)), kReshuffled);
  EXPECT_EQ(read(shuffled(raw_ops::DummySeedGenerator(), 3, false)), kTheSameTwice);
}

TEST_F(HandlesOfDatasets, GiveTheSameElementsWhateverTheOptionsAre) {
  const auto with = [&](const std::string& options) {
    return numbers_of(raw_ops::OptionsDataset(five_.variant_tensor(), options, {int64}, {TensorShape{}}));
  };
  EXPECT_THAT(read(with("")), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(read(with("\x08\x01").take(2)), ElementsAre(0, 1));
  EXPECT_THAT(error_of([&] {
                (void)read(numbers_of(raw_ops::OptionsDataset(constant(3), "", {int64}, {TensorShape{}})));
              }),
              HasSubstr("variant"));
}

TEST_F(HandlesOfDatasets, StandInFunctions) {
  const Dataset d = Dataset::range(2).flat_map([&](const Tensor&) {
    const Dataset inner = Dataset::range(5);
    return numbers_of(raw_ops::ShuffleDatasetV3(inner.variant_tensor(), int64_t{5}, int64_t{3}, int64_t{4},
                                                raw_ops::DummySeedGenerator(), {int64}, {TensorShape{}},
                                                {.reshuffle_each_iteration = false}));
  });
  EXPECT_EQ(read(d), kTheSameTwice);
}

TEST_F(HandlesOfDatasets, ShuffleByTheSeedsOfTheGenerator) {
  for (const bool reshuffles : {true, false}) {
    const Numbers& expected = reshuffles ? kReshuffled : kTheSameTwice;
    EXPECT_EQ(
        read(shuffled(raw_ops::AnonymousSeedGenerator(int64_t{3}, int64_t{4}, reshuffles).handle, 9, true)),
        expected);
    const Tensor second = raw_ops::ShuffleDatasetV2(
        five_.variant_tensor(), int64_t{5},
        raw_ops::AnonymousSeedGenerator(int64_t{3}, int64_t{4}, reshuffles).handle, {int64}, {TensorShape{}});
    EXPECT_EQ(read(numbers_of(second).repeat(2)), expected);
  }
}

TEST_F(HandlesOfDatasets, ShuffleByChanceWithoutAnySeeds) {
  Numbers numbers = read(numbers_of(raw_ops::ShuffleDatasetV2(
      five_.variant_tensor(), int64_t{5}, raw_ops::DummySeedGenerator(), {int64}, {TensorShape{}})));
  std::ranges::sort(numbers);
  EXPECT_THAT(numbers, ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(HandlesOfDatasets, ShuffleAllWhereTheSizeIsUnknown) {
  EXPECT_EQ(read(five_.shuffle(-2, {.seed = 1})), read(five_.shuffle(5, {.seed = 1})));
  EXPECT_THAT(error_of([&] { read(five_.shuffle(-1)); }),
              HasSubstr("buffer_size must be greater than zero or UNKNOWN_CARDINALITY"));
}

TEST_F(HandlesOfDatasets, RefuseHandlesOfAnotherKind) {
  EXPECT_THAT(error_of([&] { read(shuffled(raw_ops::DummyMemoryCache(), 3, true)); }),
              HasSubstr("tensorflow::data::SeedGeneratorManager"));
}

TEST_F(HandlesOfDatasets, CacheInMemoryAndInFiles) {
  const testing::TestFolder folder;
  const std::string file = folder.path() / "cache";
  for (const std::string& name : {std::string(), file}) {
    const Tensor cached = raw_ops::CacheDatasetV2(five_.take(2).variant_tensor(), name,
                                                  raw_ops::DummyMemoryCache(), {int64}, {TensorShape{}});
    EXPECT_THAT(read(numbers_of(cached).repeat(2)), ElementsAre(0, 1, 0, 1));
  }
  EXPECT_TRUE(std::filesystem::exists(file + ".index"));
}

TEST_F(HandlesOfDatasets, KeepElementsOfSeveralDatasetsInOneCache) {
  const Dataset d = Dataset::range(3).map([](const Tensor&) { return random_uniform({}); });
  const auto read_twice = [&](const Tensor& first_cache, const Tensor& second_cache) {
    const auto cached = [&](const Tensor& cache) {
      return Dataset(raw_ops::CacheDatasetV2(d.variant_tensor(), "", cache, {float32}, {TensorShape{}}),
                     {{.dtype = float32, .shape = {}}});
    };
    std::vector<float> numbers;
    for (const std::vector<Array>& element : cached(first_cache).concatenate(cached(second_cache)))
      numbers.push_back(element[0].item<float>());
    return std::pair(std::vector(numbers.begin(), numbers.begin() + 3),
                     std::vector(numbers.begin() + 3, numbers.end()));
  };
  const Tensor cache = raw_ops::AnonymousMemoryCache().handle;
  const auto [first, second] = read_twice(cache, cache);
  EXPECT_EQ(first, second);
  const Tensor dummy = raw_ops::DummyMemoryCache();
  const auto [third, fourth] = read_twice(dummy, dummy);
  EXPECT_NE(third, fourth);
}

TEST_F(HandlesOfDatasets, RefuseBatchesOfTooManyDimensions) {
  const Dataset d =
      Dataset::range(2).map([](const Tensor& x) { return reshape(x, Input(Array(Numbers(254, 1)))); });
  const Tensor batches =
      raw_ops::BatchDatasetV2(d.variant_tensor(), int64_t{2}, false, {int64}, {TensorShape::unknown_rank()});
  EXPECT_THROW((void)read(Dataset(batches, {{.dtype = int64, .shape = TensorShape::unknown_rank()}})),
               errors::InvalidArgumentError);
}

TEST_F(HandlesOfDatasets, ReadRecordsFromOffsets) {
  const testing::TestFolder folder;
  const std::string file = folder.path() / "records";
  {
    io::TFRecordWriter writer(file);
    for (const char* record : {"a", "bc", "def"}) writer.write(record);
  }
  const auto texts = [&](const Input& names, const Input& offsets) {
    std::vector<std::string> found;
    const Dataset records(raw_ops::TFRecordDatasetV2(names, "", int64_t{0}, offsets),
                          {{.dtype = string, .shape = {}}});
    for (const std::vector<Array>& element : records) found.push_back(element[0].item<std::string>());
    return found;
  };
  // A record has 16 bytes beside its data.
  EXPECT_THAT(texts(file, int64_t{17}), ElementsAre("bc", "def"));
  EXPECT_THAT(texts({file, file}, Array(Numbers{17 + 18, 17})), ElementsAre("def", "bc", "def"));
  EXPECT_THAT(texts({file, file}, Array(Numbers{500})), ElementsAre("a", "bc", "def"));
  EXPECT_THAT(texts({file}, Array(Numbers())), ElementsAre("a", "bc", "def"));
  EXPECT_THAT(error_of([&] { texts({file}, Array(Numbers{5})); }), HasSubstr("corrupted record at 5"));
  EXPECT_THAT(error_of([&] { texts({file}, Array(Numbers{-1})); }),
              HasSubstr("Can't skip a negative number of bytes"));
  EXPECT_THAT(error_of([&] { texts({file}, int64_t{17}); }),
              HasSubstr("`byte_offsets` must be of same size as `filenames`"));
}

}  // namespace
}  // namespace flowray::tf
