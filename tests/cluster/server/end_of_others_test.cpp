#include "cluster/server/end_of_others.h"

#include "cluster/answers.h"
#include "cluster/network_fixture.h"

#include <array>
#include <future>
#include <mutex>
#include <new>
#include <optional>
#include <set>

namespace flowray::cluster {
namespace {

using std::chrono::milliseconds;

class EndOfOthersTest : public NetworkTest {
 protected:
  struct Task {
    std::unique_ptr<Listener> listener;
    /// Set by the second question: that comes once the first one's answer is there, which the end of the
    /// listener could have cut off.
    std::promise<void> asked;
    std::atomic<int> num_asked{0};
    std::string address;
  };
  static std::unique_ptr<Listener> listen(Task& task, const std::string& address) {
    std::string error;
    auto listener = transport().listen({.address = address}, answering([&task](const Request& request) {
                                         EXPECT_EQ(request.method, "/tensorflow.WorkerService/GetStatus");
                                         if (++task.num_asked == 2) task.asked.set_value();
                                         return Response{};
                                       }),
                                       allocate_from_pool, error);
    EXPECT_NE(listener, nullptr) << error;
    return listener;
  }
  static void start(Task& task) {
    task.listener = listen(task, "localhost:0");
    task.address = "localhost:" + std::to_string(task.listener->port());
  }
  void watch(const std::vector<Task*>& tasks) {
    std::vector<EndOfOthers::Task> others;
    for (const Task* task : tasks) others.push_back({task->address, transport().connect(task->address)});
    const auto has_called = [this](const std::string& task) {
      const MutexLock lock(mutex_);
      return calls_of_.contains(task);
    };
    watch_.emplace(
        std::move(others), has_called, [this] { ended_.set_value(); }, milliseconds(5), milliseconds(50));
  }

  void call_from(const Task& task) {
    const MutexLock lock(mutex_);
    calls_of_.insert(task.address);
  }

  Mutex mutex_;
  std::set<std::string> calls_of_ FLOWRAY_GUARDED_BY(mutex_);
  std::promise<void> ended_;
  std::future<void> end_ = ended_.get_future();
  std::optional<EndOfOthers> watch_;
};

TEST_F(EndOfOthersTest, IsNoticedWhenTheLastOfThemHasGone) {
  Task first;
  Task second;
  start(first);
  start(second);
  watch({&first, &second});
  first.asked.get_future().wait();
  second.asked.get_future().wait();
  first.listener.reset();
  EXPECT_EQ(end_.wait_for(milliseconds(100)), std::future_status::timeout);
  second.listener.reset();
  end_.wait();
}

TEST_F(EndOfOthersTest, WaitsForThoseThatHaveNotBegun) {
  Task there;
  Task late;
  start(there);
  start(late);
  late.listener.reset();  // its address is known, and nobody is there
  watch({&there, &late});
  there.asked.get_future().wait();
  there.listener.reset();
  EXPECT_EQ(end_.wait_for(milliseconds(200)), std::future_status::timeout);
  late.listener = listen(late, late.address);
  late.asked.get_future().wait();
  late.listener.reset();
  end_.wait();
}

TEST_F(EndOfOthersTest, KnowsThoseThatCalledAndWereGoneBeforeTheyWereAsked) {
  Task quick;
  start(quick);
  quick.listener.reset();
  watch({&quick});
  EXPECT_EQ(end_.wait_for(milliseconds(100)), std::future_status::timeout);
  call_from(quick);
  end_.wait();
}

TEST_F(EndOfOthersTest, EndsItselfWhileTheyAreThere) {
  Task task;
  start(task);
  watch({&task});
  task.asked.get_future().wait();
  watch_.reset();
  EXPECT_EQ(end_.wait_for(milliseconds(0)), std::future_status::timeout);
}

/// A task that answers when the test says so, or its caller has gone.
class SlowTask final : public Channel {
 public:
  explicit SlowTask(std::promise<void>& asked) : asked_(asked) {}
  Response call(std::string_view method, const Message& message, Deadline deadline,
                Cancellation* cancellation) override {
    std::promise<Response> answer;
    const auto give_up = start(method, message, {.deadline = deadline},
                               [&](const Response& response) { answer.set_value(response); });
    const Cancellation::Listening listening(*cancellation, give_up);
    return answer.get_future().get();
  }
  std::function<void()> start(std::string_view, const Message&, const Limits&, Done done) override {
    {
      const std::lock_guard lock(mutex_);
      done_ = std::move(done);
    }
    if (!std::exchange(is_asked_, true)) asked_.set_value();
    return [this] { answer({{}, {1, "CANCELLED"}}); };
  }
  void answer(const Response& response) {
    Done done;
    {
      const std::lock_guard lock(mutex_);
      done = std::exchange(done_, nullptr);
    }
    if (done != nullptr) done(response);
  }

 private:
  std::promise<void>& asked_;
  bool is_asked_ = false;
  std::mutex mutex_;
  Done done_;
};

/// One that does not answer keeps no other from being asked, which would be taken for gone then.
TEST(EndOfSilentOthers, AsksAllAtOnce) {
  std::array<std::promise<void>, 3> asked;
  std::vector<EndOfOthers::Task> others;
  for (auto& one : asked) others.push_back({"a task", std::make_unique<SlowTask>(one)});
  const EndOfOthers watch(
      std::move(others), [](const std::string&) { return false; }, [] { FAIL() << "nobody has been there"; },
      milliseconds(5), milliseconds(50));
  for (auto& one : asked)
    EXPECT_EQ(one.get_future().wait_for(std::chrono::seconds(30)), std::future_status::ready);
}

class GoneTask final : public Channel {
 public:
  Response call(std::string_view, const Message&, Deadline, Cancellation*) override {
    return {{}, {14, "gone"}};
  }
  std::function<void()> start(std::string_view, const Message&, const Limits&, Done done) override {
    done({{}, {14, "gone"}});
    return [] {};
  }
};

TEST(EndOfSilentOthers, IsStillNoticedAfterAFailureOfItsOwn) {
  std::vector<EndOfOthers::Task> others;
  others.push_back({"a task", std::make_unique<GoneTask>()});
  int num_looks = 0;
  std::promise<void> ended;
  const EndOfOthers watch(
      std::move(others),
      [&](const std::string&) -> bool {
        if (++num_looks < 3) throw std::bad_alloc();
        return true;
      },
      [&] { ended.set_value(); }, milliseconds(5), milliseconds(50));
  EXPECT_EQ(ended.get_future().wait_for(std::chrono::seconds(30)), std::future_status::ready);
}

}  // namespace
}  // namespace flowray::cluster
