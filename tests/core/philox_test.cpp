#include "core/philox.h"

#include <flowray/errors.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/thread_pool.h"

namespace flowray {
namespace {

// The known answers that come with the authors' own implementation, Random123 (kat_vectors, philox4x32 10).
TEST(Philox, GivesTheKnownAnswersOfItsAuthors) {
  EXPECT_EQ(Philox(0, 0).next(), (Philox::Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));

  Philox ones(~uint64_t{0}, ~uint64_t{0});
  ones.skip(~uint64_t{0});
  EXPECT_EQ(ones.next(), (Philox::Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));

  Philox pi(0x299f31d0'a4093822, 0x03707344'13198a2e);
  pi.skip(0x85a308d3'243f6a88);
  EXPECT_EQ(pi.next(), (Philox::Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, SkipsAsManyPositionsAsNextWouldPass) {
  Philox stepped(7, 11);
  for (int i = 0; i < 1000; ++i) stepped.next();
  Philox skipped(7, 11);
  skipped.skip(1000);
  EXPECT_EQ(stepped, skipped);
  EXPECT_EQ(stepped.next(), skipped.next());
}

TEST(Philox, CarriesIntoTheUpperHalfOfTheCounter) {
  Philox carried(7, 11);
  carried.skip(~uint64_t{0});
  carried.skip(1);
  EXPECT_EQ(carried, Philox(7, 12));
  carried.skip(~uint64_t{0});
  carried.next();
  EXPECT_EQ(carried, Philox(7, 13));
}

// One line of tests/golden/random.txt; tests/oracle/record_random.py describes the fields.
struct Recorded {
  std::string distribution, dtype;
  int64_t seed = 0, seed2 = 0, least = 0, limit = 0;
  size_t size = 0;
  int run = 0;
  uint64_t weighted = 0;
  double total = 0;
  std::vector<std::pair<size_t, uint64_t>> samples;
};

Recorded parse(const std::string& line) {
  Recorded recorded;
  std::istringstream words(line);
  std::string least, limit, weighted, total, sample;
  words >> recorded.distribution >> recorded.dtype >> recorded.seed >> recorded.seed2 >> least >> limit >>
      recorded.size >> recorded.run >> weighted >> total;
  recorded.least = std::strtoll(least.c_str(), nullptr, 10);
  recorded.limit = std::strtoll(limit.c_str(), nullptr, 10);
  recorded.weighted = std::strtoull(weighted.c_str(), nullptr, 16);
  recorded.total = std::strtod(total.c_str(), nullptr);
  while (words >> sample) {
    const size_t colon = sample.find(':');
    recorded.samples.emplace_back(std::strtoull(sample.c_str(), nullptr, 10),
                                  std::strtoull(sample.c_str() + colon + 1, nullptr, 16));
  }
  return recorded;
}

template <size_t kBytes>
struct UnsignedOf;
template <>
struct UnsignedOf<2> {
  using Type = uint16_t;
};
template <>
struct UnsignedOf<4> {
  using Type = uint32_t;
};
template <>
struct UnsignedOf<8> {
  using Type = uint64_t;
};

template <class T>
uint64_t bits_of(T value) {
  return std::bit_cast<typename UnsignedOf<sizeof(T)>::Type>(value);
}

// Bit for bit, all of them.
template <class T>
void expect_equal(const Recorded& recorded, const std::vector<T>& numbers) {
  uint64_t weighted = 0;
  for (size_t i = 0; i < numbers.size(); ++i) weighted += (i + 1) * bits_of(numbers[i]);
  EXPECT_EQ(weighted, recorded.weighted);
  for (const auto& [index, bits] : recorded.samples)
    EXPECT_EQ(bits_of(numbers[index]), bits) << "at " << index;
}

// Within one unit in the last place: normal numbers go through logarithm, sine and cosine of the C
// library, which differ by that between versions and processors. (They are equal bit for bit where the
// file was recorded.)
template <class T>
void expect_close(const Recorded& recorded, const std::vector<T>& numbers) {
  double total = 0;
  for (const T number : numbers) total += static_cast<double>(number);
  // A last place of float is lost in rounding to 16 bits, but for one number in thousands, which moves by all
  // of epsilon.
  const auto epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  EXPECT_NEAR(total, recorded.total,
              4 * epsilon + static_cast<double>(numbers.size()) * std::min(epsilon, 1e-6));
  for (const auto& [index, bits] : recorded.samples) {
    // Patterns of one sign are numbered in the order of their values.
    const auto difference = static_cast<int64_t>(bits_of(numbers[index])) - static_cast<int64_t>(bits);
    EXPECT_LE(std::abs(difference), 1) << "at " << index;
  }
}

template <class T>
void check_float(const Recorded& recorded, const Philox& start, Parallel& parallel) {
  std::vector<T> numbers(recorded.size);
  const std::span<T> out(numbers);
  if (recorded.distribution == "uniform") {
    fill_uniform<T>(start, out, parallel);
    expect_equal(recorded, numbers);
  } else if (recorded.distribution == "normal") {
    fill_normal<T>(start, out, parallel);
    expect_close(recorded, numbers);
  } else if (recorded.distribution == "truncated_normal") {
    fill_truncated_normal<T>(start, out, parallel);
    expect_close(recorded, numbers);
  } else {
    FAIL() << "no such distribution";
  }
}

template <class T>
void check_int(const Recorded& recorded, const Philox& start, Parallel& parallel) {
  ASSERT_EQ(recorded.distribution, "uniform_int");
  std::vector<T> numbers(recorded.size);
  fill_uniform_int<T>(start, static_cast<T>(recorded.least), static_cast<T>(recorded.limit),
                      std::span<T>(numbers), parallel);
  expect_equal(recorded, numbers);
}

void check(const Recorded& recorded, const Philox& start, Parallel& parallel) {
  if (recorded.dtype == "float32") return check_float<float>(recorded, start, parallel);
  if (recorded.dtype == "float64") return check_float<double>(recorded, start, parallel);
  if (recorded.dtype == "float16") return check_float<float16>(recorded, start, parallel);
  if (recorded.dtype == "bfloat16") return check_float<bfloat16>(recorded, start, parallel);
  if (recorded.dtype == "int32") return check_int<int32_t>(recorded, start, parallel);
  if (recorded.dtype == "int64") return check_int<int64_t>(recorded, start, parallel);
  FAIL() << "no such dtype: " << recorded.dtype;
}

// Every recorded run, in the order of the runs: an operation's second run goes on where the rule of
// reserve() says.
void check_all_recorded(Parallel& parallel) {
  std::ifstream file(std::string(FLOWRAY_SOURCE_DIR) + "/tests/golden/random.txt");
  ASSERT_TRUE(file) << "tests/golden/random.txt is missing";
  std::string line;
  int lines = 0;
  std::optional<RandomStream> stream;
  while (std::getline(file, line)) {
    SCOPED_TRACE(line.substr(0, 100));
    const Recorded recorded = parse(line);
    if (recorded.run == 0) stream.emplace(recorded.seed, recorded.seed2);
    ASSERT_TRUE(stream.has_value());
    check(recorded, stream->reserve(static_cast<int64_t>(recorded.size)), parallel);
    ++lines;
  }
  EXPECT_EQ(lines, 432);
}

TEST(RandomFills, GiveTensorFlowsNumbersRunAfterRun) {
  Serial serial;
  check_all_recorded(serial);
}

TEST(RandomFills, GiveTheSameNumbersFromSeveralThreads) {
  ThreadPool pool(3);
  check_all_recorded(pool);
}

TEST(RandomFills, KeepToTheirRanges) {
  Serial serial;
  const Philox start(1, 2);
  std::vector<float> numbers(10001);
  fill_uniform<float>(start, numbers, serial);
  for (const float number : numbers) ASSERT_TRUE(number >= 0.0f && number < 1.0f) << number;
  fill_truncated_normal<float>(start, numbers, serial);
  for (const float number : numbers) ASSERT_LT(std::abs(number), 2.0f);
  std::vector<int32_t> integers(10001);
  fill_uniform_int<int32_t>(start, -3, 4, integers, serial);
  EXPECT_EQ(std::set<int32_t>(integers.begin(), integers.end()), (std::set<int32_t>{-3, -2, -1, 0, 1, 2, 3}));
}

TEST(RandomFills, RefuseAnEmptyRangeUnlessNothingIsAskedFor) {
  Serial serial;
  std::vector<int64_t> numbers(1);
  try {
    fill_uniform_int<int64_t>(Philox(1, 2), 5, 5, numbers, serial);
    FAIL() << "nothing was thrown";
  } catch (const errors::InvalidArgumentError& error) {
    EXPECT_EQ(error.message(), "Need minval < maxval, got 5 >= 5");
  }
  EXPECT_NO_THROW(fill_uniform_int<int64_t>(Philox(1, 2), 5, 5, std::span<int64_t>(), serial));
}

TEST(RandomStream, BeginsAnywhereWithoutSeeds) {
  EXPECT_NE(RandomStream(0, 0).reserve(1), RandomStream(0, 0).reserve(1));
  EXPECT_EQ(RandomStream(0, 1).reserve(1), Philox(0, 1));
  EXPECT_EQ(RandomStream(1, 0).reserve(1), Philox(1, 0));
}

TEST(RandomStream, GivesEachOfManyThreadsAPlaceOfItsOwn) {
  RandomStream stream(7, 11);
  std::vector<std::vector<Philox>> places(4);
  std::vector<std::thread> threads;
  for (auto& mine : places) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) mine.push_back(stream.reserve(3));
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<Philox::Words> firsts;
  for (auto& mine : places) {
    for (Philox& place : mine) firsts.insert(place.next());
  }
  EXPECT_EQ(firsts.size(), 400u);
  Philox last(7, 11);
  last.skip(400 * 3 * 256);
  EXPECT_EQ(stream.reserve(1), last);
}

}  // namespace
}  // namespace flowray
