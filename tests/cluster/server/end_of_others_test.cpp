#include "cluster/server/end_of_others.h"

#include "cluster/answers.h"
#include "cluster/network_fixture.h"

#include <future>
#include <optional>
#include <set>

namespace flowray::cluster {
namespace {

using std::chrono::milliseconds;

class EndOfOthersTest : public NetworkTest {
 protected:
  struct Task {
    std::unique_ptr<Listener> listener;
    std::promise<void> asked;
    std::atomic<bool> is_asked{false};
    std::string address;
  };
  static std::unique_ptr<Listener> listen(Task& task, const std::string& address) {
    std::string error;
    auto listener = transport().listen({.address = address}, answering([&task](const Request& request) {
                                         EXPECT_EQ(request.method, "/tensorflow.WorkerService/GetStatus");
                                         if (!task.is_asked.exchange(true)) task.asked.set_value();
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

}  // namespace
}  // namespace flowray::cluster
