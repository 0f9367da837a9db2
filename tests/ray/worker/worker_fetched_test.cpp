// Arrays that sessions of workers fetch, and that are put, returned or sent on: where they lie.

#include <flowray/ray.h>
#include <flowray/tf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace flowray {
namespace {

constexpr size_t kStoreBytes = size_t{64} << 20;
constexpr int kFloats = 1 << 20;  // 4 MB

/// Fetches arrays of one number.
class FetchingActor {
 public:
  static FetchingActor* Create() { return new FetchingActor; }
  FetchingActor() {
    const auto scope = graph_.as_default();
    x_ = tf::placeholder(tf::float32, {kFloats});
    plus_one_ = x_ + 1.0f;
    session_.emplace(graph_);
  }
  Array Fetched(float x) {
    return session_->run(plus_one_, {{x_, Array::full(DType::kFloat32, {kFloats}, x)}});
  }
  Array FetchedAndKept(float x) { return kept_ = Fetched(x); }
  Array Kept() const { return kept_; }
  /// Whether it is given what it keeps itself, not a copy.
  bool IsWhatIKeep(const Array& array) const { return array.raw_data() == kept_.raw_data(); }
  /// Whether what it puts is read where a step wrote it.
  bool IsPutInPlace(float x) {
    const Array array = Fetched(x);
    const auto ref = ray::Put(array);
    const auto read = ref.Get();
    return read->raw_data() == array.raw_data() && read->data<float>()[kFloats - 1] == x + 1;
  }
  ray::ObjectRef<Array> Put(float x) { return ray::Put(Fetched(x)); }
  Array Echo(const Array& array) const { return array; }
  bool IsSentInPlace(const ray::ActorHandle<FetchingActor>& other, float x) {
    const Array array = Fetched(x);
    const auto echo = other.Task(&FetchingActor::Echo).Remote(array).Get();
    return echo->raw_data() == array.raw_data() && echo->data<float>()[7] == x + 1;
  }
  /// Writes to what it has put, and to what it has returned.
  bool ChangesItsOwn(float x) {
    Array array = Fetched(x);
    const auto ref = ray::Put(array);
    array.mutable_data<float>()[3] = -1;
    return ref.Get()->data<float>()[3] == x + 1 && array.data<float>()[3] == -1;
  }
  /// What it fetches it keeps, and puts or not.
  void FetchMany(int count, int put_each) {
    for (int i = 0; i < count; ++i) {
      history_.push_back(Fetched(static_cast<float>(i)));
      if (i % put_each == 0) ray::Put(history_.back());
    }
  }
  bool HasAllOfThem() const {
    for (size_t i = 0; i < history_.size(); ++i) {
      if (history_[i].data<float>()[i] != static_cast<float>(i + 1)) return false;
    }
    return true;
  }
  void FetchAndDie(float x) {
    history_.push_back(Fetched(x));
    _exit(3);
  }

 private:
  tf::Graph graph_;
  tf::Tensor x_, plus_one_;
  std::optional<tf::Session> session_;
  Array kept_;
  std::vector<Array> history_;
};

/// Has a thread that fetches until the actor's end, which waits for it and says so in a file.
class FetchingThread {
 public:
  static FetchingThread* Create(const std::string& file) { return new FetchingThread(file); }
  explicit FetchingThread(std::string file) : file_(std::move(file)) {
    ray::Put(actor_.Fetched(1));
    thread_ = std::thread([this] {
      while (!ends_) {
        const Array array = actor_.Fetched(2);
        if (array.data<float>()[5] == 3.0f) ++fetched_;
      }
    });
  }
  ~FetchingThread() {
    ends_ = true;
    thread_.join();
    std::ofstream(file_) << fetched_;
  }
  FetchingThread(const FetchingThread&) = delete;
  FetchingThread& operator=(const FetchingThread&) = delete;
  int Fetched() const { return fetched_; }

 private:
  const std::string file_;
  FetchingActor actor_;
  std::atomic<bool> ends_{false};
  std::atomic<int> fetched_{0};
  std::thread thread_;
};

/// The same in a task, in whose process the session stays.
bool is_put_in_place_by_task(float x) {
  static FetchingActor actor;
  return actor.IsPutInPlace(x);
}
RAY_REMOTE(FetchingActor::Create, &FetchingActor::Fetched, &FetchingActor::FetchedAndKept,
           &FetchingActor::Kept, &FetchingActor::IsWhatIKeep, &FetchingActor::IsPutInPlace,
           &FetchingActor::Put, &FetchingActor::Echo, &FetchingActor::IsSentInPlace,
           &FetchingActor::ChangesItsOwn, &FetchingActor::FetchMany, &FetchingActor::HasAllOfThem,
           &FetchingActor::FetchAndDie, is_put_in_place_by_task, FetchingThread::Create,
           &FetchingThread::Fetched);

class FetchedInWorkers : public ::testing::Test {
 protected:
  FetchedInWorkers() {
    ray::Init({.num_cpus = 1, .object_store_memory = kStoreBytes, .object_spilling = false});
    actor_ = ray::Actor(FetchingActor::Create).Remote();
  }
  ~FetchedInWorkers() override { ray::Shutdown(); }

  template <class Method, class... Arguments>
  auto call(Method method, const Arguments&... arguments) const {
    return actor_.Task(method).Remote(arguments...);
  }
  static void expect_all(const Array& array, float number) {
    ASSERT_EQ(array.size(), kFloats);
    EXPECT_EQ(array.data<float>()[0], number);
    EXPECT_EQ(array.data<float>()[kFloats - 1], number);
  }

  ray::ActorHandle<FetchingActor> actor_;
};

TEST_F(FetchedInWorkers, AreCopiedByTheFirstPutAlone) {
  EXPECT_FALSE(*call(&FetchingActor::IsPutInPlace, 1.0f).Get());
  for (int i = 0; i < 40; ++i)  // more than the store
    EXPECT_TRUE(*call(&FetchingActor::IsPutInPlace, static_cast<float>(i)).Get()) << i;
}

TEST_F(FetchedInWorkers, OfTasksToo) {
  EXPECT_FALSE(*ray::Task(is_put_in_place_by_task).Remote(1.0f).Get());
  EXPECT_TRUE(*ray::Task(is_put_in_place_by_task).Remote(2.0f).Get());
}

TEST_F(FetchedInWorkers, AreReturnedWhereTheyLie) {
  const auto first = call(&FetchingActor::FetchedAndKept, 1.0f);
  EXPECT_FALSE(*call(&FetchingActor::IsWhatIKeep, first).Get());
  for (int i = 0; i < 40; ++i) {
    const auto next = call(&FetchingActor::FetchedAndKept, static_cast<float>(i));
    EXPECT_TRUE(*call(&FetchingActor::IsWhatIKeep, next).Get()) << i;
    expect_all(*next.Get(), static_cast<float>(i) + 1);
  }
  expect_all(*first.Get(), 2);
}

TEST_F(FetchedInWorkers, AreTheSameHoweverOftenTheyAreReturned) {
  call(&FetchingActor::FetchedAndKept, 1.0f).Get();
  const auto one = call(&FetchingActor::FetchedAndKept, 2.0f);
  const auto two = call(&FetchingActor::Kept);
  EXPECT_EQ(one.Get()->raw_data(), two.Get()->raw_data());
  expect_all(*two.Get(), 3);
}

TEST_F(FetchedInWorkers, GoToOtherActorsAndBackWhereTheyLie) {
  const auto other = ray::Actor(FetchingActor::Create).Remote();
  EXPECT_FALSE(*call(&FetchingActor::IsSentInPlace, other, 1.0f).Get());
  EXPECT_TRUE(*call(&FetchingActor::IsSentInPlace, other, 2.0f).Get());
  EXPECT_TRUE(*call(&FetchingActor::IsSentInPlace, other, 3.0f).Get());
}

TEST_F(FetchedInWorkers, StayWhatTheyWere) {
  call(&FetchingActor::Put, 1.0f).Get();
  const auto ref = call(&FetchingActor::Put, 2.0f).Get();
  EXPECT_TRUE(*call(&FetchingActor::ChangesItsOwn, 5.0f).Get());
  for (int i = 0; i < 40; ++i) call(&FetchingActor::Fetched, static_cast<float>(i)).Get();
  expect_all(*ref->Get(), 3);
}

TEST_F(FetchedInWorkers, LeaveRoomToOthers) {
  call(&FetchingActor::FetchMany, 60, 3).Get();  // 240 MB, a third of them put
  EXPECT_TRUE(*call(&FetchingActor::HasAllOfThem).Get());
  EXPECT_NO_THROW(ray::Put(Array(std::vector<float>(kStoreBytes / 4 / 2, 1.0f))).Get());
  EXPECT_TRUE(*call(&FetchingActor::HasAllOfThem).Get());
}

TEST_F(FetchedInWorkers, GoWithTheirProcess) {
  call(&FetchingActor::Fetched, 1.0f).Get();
  const auto returned = call(&FetchingActor::FetchedAndKept, 2.0f);
  ray::Wait(std::vector{returned}, 1, 10'000);
  EXPECT_THROW(call(&FetchingActor::FetchAndDie, 3.0f).Get(), ray::RayActorException);
  expect_all(*returned.Get(), 3);
  EXPECT_NO_THROW(ray::Put(Array(std::vector<float>(kStoreBytes / 4 / 8 * 5, 1.0f))).Get());
}

TEST(FetchedInWorkersAtTheEnd, HoldUpNobody) {
  const std::filesystem::path file =
      std::filesystem::path(::testing::TempDir()) / ("fetched_" + std::to_string(getpid()));
  for (int i = 0; i < 5; ++i) {
    ray::Init({.num_cpus = 1, .object_store_memory = kStoreBytes});
    const auto actor = ray::Actor(FetchingThread::Create).Remote(file.string());
    while (*actor.Task(&FetchingThread::Fetched).Remote().Get() < 3) {
    }
    ray::Shutdown();
    EXPECT_TRUE(std::filesystem::remove(file)) << "it was killed";
  }
}

TEST(FetchedInThreads, AreCopied) {
  ray::Init({.num_cpus = 1, .object_store_memory = kStoreBytes});
  const auto actor = ray::Actor(FetchingActor::Create).SetIsolation(ray::Isolation::kThread).Remote();
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(*actor.Task(&FetchingActor::IsPutInPlace).Remote(static_cast<float>(i)).Get());
    EXPECT_EQ(actor.Task(&FetchingActor::Fetched).Remote(1.0f).Get()->data<float>()[7], 2.0f);
  }
  ray::Shutdown();
}

}  // namespace
}  // namespace flowray
