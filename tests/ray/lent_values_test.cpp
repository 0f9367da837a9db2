// What a function returns as it was given: it is not copied.

#include <flowray/ray.h>
#include <gtest/gtest.h>

#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace flowray {
namespace {

constexpr int kFloats = 1 << 20;  // 4 MB
constexpr size_t kBytes = kFloats * sizeof(float);

Array numbers_from(float first) {
  std::vector<float> numbers(kFloats);
  std::iota(numbers.begin(), numbers.end(), first);
  return Array(std::move(numbers));
}

class Lent {
 public:
  static Lent* Create() { return new Lent; }
  Array Echo(const Array& array) const { return array; }
  Array EchoSecond(int, const Array& array) const { return array; }
  Array Doubled(const Array& array) const {
    Array doubled = array;
    for (float& number : std::span(doubled.mutable_data<float>(), kFloats)) number *= 2;
    return doubled;
  }
  Array AsMatrix(const Array& array) const { return array.reshape({2, kFloats / 2}); }
  void Keep(const Array& array) { kept_ = array; }
  Array Kept() const { return kept_; }
  /// What it was given, as a value of its own.
  ray::ObjectRef<Array> Put(const Array& array) const { return ray::Put(array); }
  /// What another one gives for the same argument.
  Array EchoOf(const ray::ActorHandle<Lent>& other, const Array& array) const {
    return *other.Task(&Lent::Echo).Remote(array).Get();
  }
  std::vector<float> Vector(const std::vector<float>& numbers) const { return numbers; }

 private:
  Array kept_;
};
double sum_of_lent(const Array& array) {
  const auto numbers = array.span<float>();
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}
RAY_REMOTE(Lent::Create, &Lent::Echo, &Lent::EchoSecond, &Lent::Doubled, &Lent::AsMatrix, &Lent::Keep,
           &Lent::Kept, &Lent::Put, &Lent::EchoOf, &Lent::Vector, sum_of_lent);

class LentValues : public ::testing::Test {
 protected:
  explicit LentValues(size_t store_bytes = size_t{64} << 20) {
    ray::Init({.num_cpus = 1, .object_store_memory = store_bytes, .object_spilling_directory = "/var/tmp"});
    actor_ = ray::Actor(Lent::Create).Remote();
  }
  ~LentValues() override { ray::Shutdown(); }

  static void expect_is(const Array& array, float first) {
    ASSERT_EQ(array.size(), kFloats);
    EXPECT_EQ(array.data<float>()[0], first);
    EXPECT_EQ(array.data<float>()[kFloats - 1], first + kFloats - 1);
  }

  ray::ActorHandle<Lent> actor_;
};

TEST_F(LentValues, AreReturnedWhereTheyLie) {
  const auto put = ray::Put(numbers_from(1));
  const auto before = put.Get();
  const auto echo = actor_.Task(&Lent::Echo).Remote(put).Get();
  EXPECT_EQ(echo->raw_data(), before->raw_data());
  expect_is(*echo, 1);
}

TEST_F(LentValues, OutliveWhatTheyAreAPartOf) {
  std::shared_ptr<Array> echo = actor_.Task(&Lent::Echo).Remote(numbers_from(2)).Get();
  const auto others = actor_.Task(&Lent::Echo).Remote(numbers_from(3)).Get();
  for (int i = 0; i < 40; ++i) actor_.Task(&Lent::Echo).Remote(numbers_from(4)).Get();  // more than the store
  expect_is(*echo, 2);
  expect_is(*others, 3);
}

TEST_F(LentValues, AreLentOnWithoutEnd) {
  ray::ObjectRef<Array> last = ray::Put(numbers_from(5));
  const auto first = last.Get();
  for (int i = 0; i < 1000; ++i) last = actor_.Task(&Lent::Echo).Remote(last);
  EXPECT_EQ(last.Get()->raw_data(), first->raw_data());
}

TEST_F(LentValues, AreOthersWhereTheyWereChanged) {
  const auto put = ray::Put(numbers_from(1));
  const auto doubled = actor_.Task(&Lent::Doubled).Remote(put).Get();
  EXPECT_EQ(doubled->data<float>()[1], 4.0f);
  expect_is(*put.Get(), 1);
  const auto matrix = actor_.Task(&Lent::AsMatrix).Remote(put).Get();
  EXPECT_EQ(matrix->shape(), Shape({2, kFloats / 2}));
  EXPECT_EQ(matrix->data<float>()[kFloats - 1], kFloats);
  expect_is(*put.Get(), 1);
  expect_is(*actor_.Task(&Lent::EchoSecond).Remote(1, numbers_from(6)).Get(), 6);
}

TEST_F(LentValues, MayBeKeptAndPutAndPassedOn) {
  actor_.Task(&Lent::Keep).Remote(numbers_from(7)).Get();
  expect_is(*actor_.Task(&Lent::Kept).Remote().Get(), 7);
  expect_is(*actor_.Task(&Lent::Kept).Remote().Get(), 7);
  const auto ref = actor_.Task(&Lent::Put).Remote(numbers_from(8)).Get();
  expect_is(*ref->Get(), 8);
  const auto other = ray::Actor(Lent::Create).Remote();
  expect_is(*other.Task(&Lent::EchoOf).Remote(actor_, numbers_from(9)).Get(), 9);
  EXPECT_EQ(*ray::Task(sum_of_lent).Remote(*ref).Get(), sum_of_lent(numbers_from(8)));
}

TEST_F(LentValues, LieWhereOthersDoThatAreReadNoMore) {
  const auto put = ray::Put(numbers_from(1));
  const auto echo = actor_.Task(&Lent::Echo).Remote(put);  // lies where `put` does
  actor_.Task(&Lent::Keep).Remote(put).Get();
  actor_.Task(&Lent::Keep).Remote(echo).Get();  // the reading of `put` ends with it
  expect_is(*actor_.Task(&Lent::Kept).Remote().Get(), 1);
  expect_is(*actor_.Task(&Lent::Kept).Remote().Get(), 1);
}

TEST_F(LentValues, StayWhenTheirProcessesEnd) {
  const auto put = ray::Put(numbers_from(1));
  const auto echo = actor_.Task(&Lent::Echo).Remote(put);
  const auto mine = actor_.Task(&Lent::Echo).Remote(numbers_from(2));
  ray::Wait(std::vector{echo, mine}, 2, 10'000);
  actor_.Kill();
  expect_is(*echo.Get(), 1);
  expect_is(*mine.Get(), 2);
}

TEST_F(LentValues, OfVectorsAreCopies) {
  std::vector<float> numbers(kFloats, 1.5f);
  EXPECT_EQ(*actor_.Task(&Lent::Vector).Remote(numbers).Get(), numbers);
}

/// Of 32 MB.
class LentValuesOfASmallStore : public LentValues {
 protected:
  LentValuesOfASmallStore() : LentValues(size_t{32} << 20) {}
};

TEST_F(LentValuesOfASmallStore, GoToDiskAndComeBack) {
  std::vector<ray::ObjectRef<Array>> echoes;
  for (int i = 0; i < 20; ++i)
    echoes.push_back(actor_.Task(&Lent::Echo).Remote(numbers_from(static_cast<float>(i))));
  for (int i = 0; i < 20; ++i) expect_is(*echoes[static_cast<size_t>(i)].Get(), static_cast<float>(i));
  static_assert(20 * kBytes > (size_t{64} << 20));
}

TEST_F(LentValuesOfASmallStore, GiveTheirRoomBack) {
  for (int i = 0; i < 50; ++i) {
    const auto ref = actor_.Task(&Lent::Echo).Remote(numbers_from(static_cast<float>(i)));
    const auto again = actor_.Task(&Lent::Echo).Remote(ref);
    expect_is(*again.Get(), static_cast<float>(i));
  }
  EXPECT_NO_THROW(ray::Put(Array(std::vector<float>(7 * kFloats, 1.0f))).Get());  // nearly all of the store
}

}  // namespace
}  // namespace flowray
