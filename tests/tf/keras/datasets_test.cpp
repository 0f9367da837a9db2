// Data sets of files: digits.npz is NumPy's (tests/oracle/record_npy.py).
#include <flowray/tf/errors.h>
#include <flowray/tf/keras/datasets.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "support/error_words.h"
#include "support/idx_files.h"

namespace flowray::tf::keras {
namespace {

using flowray::testing::error_of;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kGolden = FLOWRAY_SOURCE_DIR "/tests/golden/npy/";

class DatasetsTest : public ::testing::Test {
 protected:
  DatasetsTest() {
    if (const char* const before = std::getenv("KERAS_HOME")) before_ = before;
    setenv("KERAS_HOME", folder_.path().c_str(), 1);
    std::filesystem::create_directories(home() / "fashion-mnist");
  }
  ~DatasetsTest() override {
    before_.has_value() ? setenv("KERAS_HOME", before_->c_str(), 1) : unsetenv("KERAS_HOME");
  }
  std::filesystem::path home() const { return folder_.path() / "datasets"; }
  static void expect_digits(const datasets::TrainAndTest& given) {
    const auto& [train, test] = given;
    EXPECT_EQ(train.x.dtype(), DType::kUint8);
    EXPECT_EQ(train.x.shape(), Shape({3, 28, 28}));
    EXPECT_EQ(train.x.data<uint8_t>()[train.x.size() - 1], 255);
    EXPECT_EQ(train.x.data<uint8_t>()[train.x.size() - 2], 0);
    EXPECT_EQ(train.y, Array::from(std::vector<uint8_t>{5, 0, 9}, {3}));
    EXPECT_EQ(test.x.shape(), Shape({1, 28, 28}));
    EXPECT_EQ(test.y, Array::from(std::vector<uint8_t>{7}, {1}));
  }

  testing::TestFolder folder_;

 private:
  std::optional<std::string> before_;
};

TEST_F(DatasetsTest, DigitsAreThoseOfAFileByItsPathOrAtHome) {
  expect_digits(datasets::mnist::load_data(kGolden + "digits.npz"));
  EXPECT_THAT(error_of([] { datasets::mnist::load_data(); }),
              StartsWith("mnist.load_data: there is no file mnist.npz, here or in " + home().string() +
                         ".\nNothing is fetched: put it there."));
  EXPECT_THROW(datasets::mnist::load_data(), errors::NotFoundError);
  std::filesystem::copy_file(kGolden + "digits.npz", home() / "mnist.npz");
  expect_digits(datasets::mnist::load_data());
  EXPECT_THAT(error_of([] { datasets::mnist::load_data(kGolden + "stored.npz"); }),
              HasSubstr("has no array x_train; expected are x_train, y_train, x_test and y_test"));
}

TEST_F(DatasetsTest, ClothesAreThoseOfFourFiles) {
  const std::filesystem::path folder = home() / "fashion-mnist";
  const auto write = [&](const char* name, const std::vector<uint32_t>& dims, const testing::Bytes& data) {
    testing::write_file(folder / name, testing::gzipped(testing::idx_bytes(dims, data)));
  };
  write("train-labels-idx1-ubyte.gz", {2}, {3, 9});
  write("train-images-idx3-ubyte.gz", {2, 1, 2}, {0, 1, 254, 255});
  write("t10k-labels-idx1-ubyte.gz", {1}, {4});
  EXPECT_THAT(
      error_of([] { datasets::fashion_mnist::load_data(); }),
      StartsWith("fashion_mnist.load_data: there is no file fashion-mnist/t10k-images-idx3-ubyte.gz"));
  write("t10k-images-idx3-ubyte.gz", {1, 1, 2}, {7, 8});
  const auto [train, test] = datasets::fashion_mnist::load_data();
  EXPECT_EQ(train.x, Array::from(std::vector<uint8_t>{0, 1, 254, 255}, {2, 1, 2}));
  EXPECT_EQ(train.y, Array::from(std::vector<uint8_t>{3, 9}, {2}));
  EXPECT_EQ(test.x, Array::from(std::vector<uint8_t>{7, 8}, {1, 1, 2}));
  EXPECT_EQ(test.y, Array::from(std::vector<uint8_t>{4}, {1}));
}

}  // namespace
}  // namespace flowray::tf::keras
