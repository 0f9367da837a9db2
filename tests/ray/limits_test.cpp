// What is too long for the rings between processes: it goes another way, or is refused in words, and nothing
// stops behind it.

#include <flowray/ray.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace flowray {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Only a hang takes this long.
constexpr int kGuardMs = 60'000;

class Named {
 public:
  static Named* Create() { return new Named; }
  int Answer() const { return 42; }
};

int throws_text(int bytes) {
  throw std::runtime_error("begins " + std::string(static_cast<size_t>(bytes), 'x'));
}
int twice(int n) { return 2 * n; }
/// What Get throws here.
std::string error_of_first(const std::vector<ray::ObjectRef<int>>& refs) {
  try {
    refs.at(0).Get(kGuardMs);
    return "nothing";
  } catch (const Error& error) {
    return error.what();
  }
}
std::string names_an_actor(int name_bytes);
bool finds_an_actor(int name_bytes) {
  return ray::GetActor<Named>(std::string(static_cast<size_t>(name_bytes), 'n')).has_value();
}
std::array<int, 200> many() { return {}; }
float last_of(const Array& array) { return array.data<float>()[array.size() - 1]; }
std::array<std::string, 100> hundred(int bytes) {
  std::array<std::string, 100> strings;
  strings.fill(std::string(static_cast<size_t>(bytes), 'x'));
  return strings;
}

RAY_REMOTE(throws_text, twice, error_of_first, names_an_actor, finds_an_actor, many, hundred, last_of);
RAY_REMOTE(Named::Create, &Named::Answer);

std::string names_an_actor(int name_bytes) {
  try {
    const auto actor =
        ray::Actor(Named::Create).SetName(std::string(static_cast<size_t>(name_bytes), 'n')).Remote();
    return std::to_string(*actor.Task(&Named::Answer).Remote().Get(kGuardMs));
  } catch (const Error& error) {
    return error.what();
  }
}

class Limits : public ::testing::Test {
 protected:
  Limits() {
    ray::Init({.num_cpus = 1, .object_store_memory = size_t{64} << 20, .shutdown_timeout_ms = 100});
  }
  ~Limits() override { ray::Shutdown(); }
};

TEST_F(Limits, OfErrorsAreNone) {
  const auto failed = ray::Task(throws_text).Remote(300'000);
  const auto depends = ray::Task(twice).Remote(failed);
  EXPECT_THAT(error_of_first({failed}), HasSubstr("begins " + std::string(300'000, 'x')));
  EXPECT_THAT(error_of_first({depends}), HasSubstr("begins xxx"));
  for (const auto& ref : {failed, depends}) {
    const auto told = ray::Task(error_of_first).Remote(std::vector{ref}).Get(kGuardMs);
    EXPECT_THAT(*told, HasSubstr("begins xxx"));
  }
  EXPECT_EQ(*ray::Task(twice).Remote(2).Get(kGuardMs), 4);
}

TEST_F(Limits, OfNamesAreTold) {
  EXPECT_EQ(names_an_actor(4096), "42");
  EXPECT_THAT(names_an_actor(4097), HasSubstr("has 4097 bytes; at most 4096"));
  EXPECT_TRUE(ray::GetActor<Named>(std::string(4096, 'n')).has_value());
  EXPECT_FALSE(finds_an_actor(200'000));
  EXPECT_THAT(*ray::Task(names_an_actor).Remote(200'000).Get(kGuardMs), HasSubstr("has 200000 bytes"));
  EXPECT_FALSE(*ray::Task(finds_an_actor).Remote(200'000).Get(kGuardMs));
}

TEST_F(Limits, OfReturnsAreTold) {
  try {
    ray::Task(many).NumReturns<200>().Remote();
    FAIL() << "nothing was thrown";
  } catch (const ray::RayException& error) {
    EXPECT_THAT(error.what(), HasSubstr("asked for 200 references; at most 100"));
  }
  for (const int bytes : {10, 2'000, 40'000}) {
    for (const auto& ref : ray::Task(hundred).NumReturns<100>().Remote(bytes)) {
      EXPECT_EQ(ref.Get(kGuardMs)->size(), static_cast<size_t>(bytes));
    }
  }
  // What the store has no room for is an error for each.
  int full = 0;
  for (const auto& ref : ray::Task(hundred).NumReturns<100>().Remote(2'000'000)) {
    try {
      EXPECT_EQ(ref.Get(kGuardMs)->size(), 2'000'000u);
    } catch (const ray::RayException& error) {
      EXPECT_THAT(error.what(), HasSubstr("object store"));
      ++full;
    }
  }
  EXPECT_GT(full, 0);
  EXPECT_EQ(*ray::Task(twice).Remote(2).Get(kGuardMs), 4);
}

TEST(LimitsOfValues, AreNotTwoGigabytes) {
  if (std::getenv("FLOWRAY_NIGHTLY") == nullptr) GTEST_SKIP() << "needs 5 GB of memory: FLOWRAY_NIGHTLY";
  ray::Init({.num_cpus = 1, .object_store_memory = size_t{3} << 30});
  constexpr int64_t kMany = 600'000'000;  // 2.4 GB
  Array array = Array::uninitialized(DType::kFloat32, {kMany});
  array.mutable_data<float>()[0] = 3;
  array.mutable_data<float>()[kMany - 1] = 7;
  const ray::ObjectRef<Array> value = ray::Put(array);
  array = Array();
  EXPECT_EQ(*ray::Task(last_of).Remote(value).Get(kGuardMs), 7);
  const auto back = value.Get(kGuardMs);
  EXPECT_EQ(back->size(), kMany);
  EXPECT_EQ(back->data<float>()[0], 3);
  ray::Shutdown();
}

}  // namespace
}  // namespace flowray
