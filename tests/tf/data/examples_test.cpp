#include <flowray/tf/errors.h>
#include <flowray/tf/examples.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "support/idx_files.h"

namespace flowray::tf::examples {
namespace {

using ::flowray::testing::Bytes;
using ::flowray::testing::gzipped;
using ::flowray::testing::idx_bytes;
using ::flowray::testing::TestFolder;
using ::flowray::testing::write_file;

// Example i has 2 x 2 pixels of the value 10 i and the class i % 10, so that what belongs together can
// be seen.
Bytes pixels_of(uint32_t count) {
  Bytes pixels;
  for (uint32_t i = 0; i < count; ++i) pixels.insert(pixels.end(), 4, static_cast<uint8_t>(10 * i));
  return pixels;
}

Bytes classes_of(uint32_t count) {
  Bytes classes;
  for (uint32_t i = 0; i < count; ++i) classes.push_back(static_cast<uint8_t>(i % 10));
  return classes;
}

DataSet numbered(uint32_t count, const DataSetOptions& options) {
  return {Array::from(pixels_of(count), {count, 2, 2}), Array(classes_of(count)), options};
}

// Which examples a batch of numbered() holds.
std::vector<int> numbers_in(const Array& images) {
  std::vector<int> numbers;
  for (int64_t i = 0; i < images.dim(0); ++i) {
    numbers.push_back(images.data<uint8_t>()[i * images.size() / images.dim(0)] / 10);
  }
  return numbers;
}

std::vector<int> next_numbers(DataSet& set, int64_t count, bool shuffle = true) {
  return numbers_in(set.next_batch(count, {.shuffle = shuffle}).first);
}

template <class Expected, class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Expected& error) {
    return error.message();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

// ---- one set

TEST(DataSet, ScalesPixelsToOneAndKeepsTheOrderOfTheFile) {
  const DataSet set(Array::from(Bytes{0, 51, 255, 102, 1, 2}, {2, 1, 3}), Array(Bytes{9, 0}));
  EXPECT_EQ(set.num_examples(), 2);
  // 51 / 255 = 0.2; 1 / 255 = 0.00392156862...
  EXPECT_EQ(set.images(),
            Array::from(std::vector<float>{0, 0.2f, 1, 0.4f, 0.003921569f, 0.007843138f}, {2, 3}));
  EXPECT_EQ(set.labels(), Array(Bytes{9, 0}));
}

TEST(DataSet, MakesOneHotLabelsImagesWithAChannelAndBytesWhereAsked) {
  const DataSet set(Array::from(Bytes{0, 51, 255, 102}, {1, 2, 2}), Array(Bytes{3}),
                    {.one_hot = true, .dtype = uint8, .reshape = false});
  EXPECT_EQ(set.images(), Array::from(Bytes{0, 51, 255, 102}, {1, 2, 2, 1}));
  EXPECT_EQ(set.labels(), Array::from(std::vector<float>{0, 0, 0, 1, 0, 0, 0, 0, 0, 0}, {1, 10}));
}

TEST(DataSet, GivesBatchesOfTheShapeAndValuesOfItsImages) {
  DataSet set(Array::from(Bytes{0, 51, 255, 102}, {1, 2, 2}), Array(Bytes{3}),
              {.one_hot = true, .reshape = false});
  const auto [images, labels] = set.next_batch(2);
  EXPECT_EQ(images, Array::from(std::vector<float>{0, 0.2f, 1, 0.4f, 0, 0.2f, 1, 0.4f}, {2, 2, 2, 1}));
  EXPECT_EQ(labels.shape(), (Shape{2, 10}));
  EXPECT_EQ(labels.data<float>()[3], 1);
  EXPECT_EQ(labels.data<float>()[13], 1);
}

TEST(DataSet, GoesInTheOrderOfTheFileWithoutShuffling) {
  DataSet set = numbered(5, {.dtype = uint8});
  EXPECT_EQ(next_numbers(set, 3, false), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(set.epochs_completed(), 0);
  EXPECT_EQ(next_numbers(set, 3, false), (std::vector<int>{3, 4, 0}));
  EXPECT_EQ(set.epochs_completed(), 1);
  EXPECT_EQ(next_numbers(set, 2, false), (std::vector<int>{1, 2}));
}

TEST(DataSet, EndsAnEpochWhenTheNextOneBegins) {
  DataSet set = numbered(4, {.dtype = uint8});
  next_numbers(set, 4);
  EXPECT_EQ(set.epochs_completed(), 0);
  next_numbers(set, 1);
  EXPECT_EQ(set.epochs_completed(), 1);
}

TEST(DataSet, KeepsLabelsWithTheirImagesWhenItShuffles) {
  DataSet set = numbered(20, {.dtype = uint8, .seed = 3});
  for (int batch = 0; batch < 9; ++batch) {
    const auto [images, labels] = set.next_batch(7);
    const std::vector<int> numbers = numbers_in(images);
    for (size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(labels.data<uint8_t>()[i], numbers[i] % 10);
  }
}

TEST(DataSet, ShowsEachExampleOnceAnEpochThoughBatchesCrossItsEnd) {
  DataSet set = numbered(10, {.dtype = uint8, .seed = 1});
  std::vector<int> seen;
  for (int batch = 0; batch < 10; ++batch) {
    for (const int number : next_numbers(set, 3)) seen.push_back(number);
  }
  std::set<std::vector<int>> orders;
  for (auto epoch = seen.begin(); epoch != seen.end(); epoch += 10) {
    std::vector<int> sorted(epoch, epoch + 10);
    orders.insert(sorted);
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(sorted, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  }
  EXPECT_EQ(orders.size(), 3u) << "each epoch has an order of its own";
  EXPECT_EQ(set.epochs_completed(), 2);
}

TEST(DataSet, PutsEveryExampleInEveryPlaceEquallyOften) {
  constexpr int kEpochs = 4000;
  DataSet set = numbered(4, {.dtype = uint8, .seed = 5});
  std::map<std::pair<int, int>, int> counts;  // (place, number)
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    const std::vector<int> numbers = next_numbers(set, 4);
    for (int place = 0; place < 4; ++place) ++counts[{place, numbers[static_cast<size_t>(place)]}];
  }
  // 1000 expected, standard deviation sqrt(4000 * 1/4 * 3/4) = 27.4; five of them on each side.
  for (const auto& [where, count] : counts)
    EXPECT_NEAR(count, 1000, 137) << where.first << ", " << where.second;
  EXPECT_EQ(counts.size(), 16u);
}

TEST(DataSet, RepeatsItsOrderForTheSameSeedOnly) {
  const auto order = [](std::optional<int64_t> seed) {
    DataSet set = numbered(25, {.dtype = uint8, .seed = seed});
    return next_numbers(set, 50);
  };
  EXPECT_EQ(order(7), order(7));
  EXPECT_NE(order(7), order(8));
  EXPECT_NE(order(std::nullopt), order(std::nullopt));  // equal once in 25! times
}

TEST(DataSet, CrossesSeveralEpochsInOneLargeBatch) {
  DataSet set = numbered(2, {.dtype = uint8});
  EXPECT_EQ(next_numbers(set, 5, false), (std::vector<int>{0, 1, 0, 1, 0}));
  EXPECT_EQ(set.epochs_completed(), 2);
}

TEST(DataSet, GivesCopiesAPlaceOfTheirOwn) {
  DataSet set = numbered(5, {.dtype = uint8});
  next_numbers(set, 2, false);
  DataSet copy = set;
  EXPECT_EQ(next_numbers(set, 2, false), (std::vector<int>{2, 3}));
  EXPECT_EQ(next_numbers(copy, 2, false), (std::vector<int>{2, 3}));
}

TEST(DataSet, RefusesWhatIsNoDataSet) {
  const Array images(uint8, {2, 3, 3});
  const auto make = [&](const Array& some_images, const Array& labels, DType dtype = float32) {
    return [=] { DataSet(some_images, labels, {.dtype = dtype}); };
  };
  EXPECT_EQ(message_of<ValueError>(make(Array(float32, {2, 3, 3}), Array(uint8, {2}))),
            "images are float32 [2,3,3]; expected uint8 [N, rows, columns]");
  EXPECT_EQ(message_of<ValueError>(make(images, Array(uint8, {3}))),
            "labels are uint8 [3]; expected uint8 [2], one for each image");
  EXPECT_EQ(message_of<ValueError>(make(images, Array(Bytes{4, 10}))),
            "label 1 is 10; expected classes from 0 to 9");
  EXPECT_EQ(message_of<TypeError>(make(images, Array(uint8, {2}), float64)),
            "Invalid image dtype float64, expected uint8 or float32");
}

TEST(DataSet, RefusesBatchesThatCannotBe) {
  DataSet set = numbered(2, {});
  EXPECT_EQ(message_of<ValueError>([&] { set.next_batch(0); }), "batch_size is 0; expected at least 1");
  EXPECT_EQ(message_of<ValueError>([&] { numbered(0, {}).next_batch(1); }),
            "next_batch of a DataSet without examples");
  EXPECT_EQ(message_of<ValueError>([] { DataSet().next_batch(1); }),
            "next_batch of a DataSet without examples");
}

// ---- the four files

class ReadDataSets : public ::testing::Test {
 protected:
  // 6 examples to train with, 3 to test with.
  ReadDataSets() {
    write("train-images-idx3-ubyte", idx_bytes({6, 2, 2}, pixels_of(6)));
    write("train-labels-idx1-ubyte", idx_bytes({6}, classes_of(6)));
    write("t10k-images-idx3-ubyte", idx_bytes({3, 2, 2}, pixels_of(3)));
    write("t10k-labels-idx1-ubyte", idx_bytes({3}, classes_of(3)));
  }

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  void write(const std::string& name, const Bytes& bytes) const { write_file(path(name), bytes); }
  DataSets read(int64_t validation_size = 0) const {
    return read_data_sets(folder_.path(), {.dtype = uint8, .validation_size = validation_size});
  }
  template <class Expected>
  std::string complaint(int64_t validation_size = 0) const {
    return message_of<Expected>([&] { read(validation_size); });
  }

  const TestFolder folder_;
};

TEST_F(ReadDataSets, TakesTheFirstExamplesForValidation) {
  const DataSets sets = read(2);
  EXPECT_EQ(numbers_in(sets.validation.images()), (std::vector<int>{0, 1}));
  EXPECT_EQ(numbers_in(sets.train.images()), (std::vector<int>{2, 3, 4, 5}));
  EXPECT_EQ(numbers_in(sets.test.images()), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(sets.validation.labels(), Array(Bytes{0, 1}));
  EXPECT_EQ(sets.train.labels(), Array(Bytes{2, 3, 4, 5}));
  EXPECT_EQ(sets.test.labels(), Array(Bytes{0, 1, 2}));
}

TEST_F(ReadDataSets, MayLeaveNothingForValidationOrTraining) {
  EXPECT_EQ(read(0).validation.num_examples(), 0);
  EXPECT_EQ(read(6).train.num_examples(), 0);
}

TEST_F(ReadDataSets, PassesItsOptionsOn) {
  const DataSets sets =
      read_data_sets(folder_.path(), {.one_hot = true, .reshape = false, .validation_size = 1});
  for (const DataSet* set : {&sets.train, &sets.validation, &sets.test}) {
    const int64_t count = set->num_examples();
    EXPECT_EQ(set->images().shape(), (Shape{count, 2, 2, 1}));
    EXPECT_EQ(set->images().dtype(), float32);
    EXPECT_EQ(set->labels().shape(), (Shape{count, 10}));
  }
}

TEST_F(ReadDataSets, ReadsGzippedFiles) {
  std::filesystem::remove(path("train-images-idx3-ubyte"));
  write("train-images-idx3-ubyte.gz", gzipped(idx_bytes({6, 2, 2}, Bytes(24, 70))));
  EXPECT_EQ(numbers_in(read().train.images()), (std::vector<int>(6, 7)));
}

TEST_F(ReadDataSets, NamesADirectoryOrFileThatIsMissing) {
  EXPECT_EQ(
      message_of<errors::NotFoundError>([&] { read_data_sets(path("nowhere")); }),
      "'" + path("nowhere") +
          "' does not exist; expected a directory with MNIST's four files, such as train-images-idx3-ubyte");
  std::filesystem::remove(path("t10k-labels-idx1-ubyte"));
  EXPECT_EQ(complaint<errors::NotFoundError>(),
            "'" + path("t10k-labels-idx1-ubyte") +
                "' does not exist, with .gz neither; expected one of MNIST's four files (train and t10k, "
                "images-idx3-ubyte and labels-idx1-ubyte)");
}

TEST_F(ReadDataSets, NamesAFileThatIsDamaged) {
  Bytes cut = gzipped(idx_bytes({6}, classes_of(6)));
  cut.resize(cut.size() / 2);
  std::filesystem::remove(path("train-labels-idx1-ubyte"));
  write("train-labels-idx1-ubyte.gz", cut);
  EXPECT_TRUE(complaint<errors::DataLossError>().starts_with("'" + path("train-labels-idx1-ubyte.gz") +
                                                             "' is cut off"));
}

TEST_F(ReadDataSets, NamesAFileOfTheWrongKind) {
  write("t10k-images-idx3-ubyte", idx_bytes({3}, classes_of(3)));
  EXPECT_EQ(complaint<errors::DataLossError>(),
            "'" + path("t10k-images-idx3-ubyte") +
                "' holds an array of shape [3]; expected images, [number, rows, "
                "columns]");
}

TEST_F(ReadDataSets, NamesAnEmptySet) {
  write("t10k-images-idx3-ubyte", idx_bytes({0, 28, 28}, {}));
  EXPECT_EQ(complaint<errors::DataLossError>(),
            "'" + path("t10k-images-idx3-ubyte") +
                "' is empty, its shape is [0,28,28]; expected images, [number, rows, "
                "columns]");
}

TEST_F(ReadDataSets, NamesCountsThatDiffer) {
  write("train-labels-idx1-ubyte", idx_bytes({5}, classes_of(5)));
  EXPECT_EQ(complaint<errors::DataLossError>(),
            "'" + path("train-labels-idx1-ubyte") + "' holds 5 labels; expected 6, as '" +
                path("train-images-idx3-ubyte") + "' holds so many images");
}

TEST_F(ReadDataSets, NamesALabelThatIsNoClass) {
  write("train-labels-idx1-ubyte", idx_bytes({6}, {0, 1, 2, 3, 10, 11}));
  EXPECT_EQ(complaint<errors::DataLossError>(),
            "'" + path("train-labels-idx1-ubyte") +
                "' holds 10 as its label number 4, counted from 0; expected classes from 0 to 9");
}

TEST_F(ReadDataSets, NamesImagesOfAnotherSizeThanThoseToTrainWith) {
  write("t10k-images-idx3-ubyte", idx_bytes({3, 1, 4}, pixels_of(3)));
  EXPECT_EQ(complaint<errors::DataLossError>(), "'" + path("t10k-images-idx3-ubyte") +
                                                    "' holds images of 1x4; expected 2x2, as in '" +
                                                    path("train-images-idx3-ubyte") + "'");
}

TEST_F(ReadDataSets, ChecksTheValidationSize) {
  EXPECT_EQ(complaint<ValueError>(7), "Validation size should be between 0 and 6. Received: 7.");
  EXPECT_EQ(complaint<ValueError>(-1), "Validation size should be between 0 and 6. Received: -1.");
}

}  // namespace
}  // namespace flowray::tf::examples
