// Processes that die in every way while they have work, by the hundred: each call ends with its right value
// or the documented error, runs as often as docs/runtime.md promises, and nothing is left of any of it. 300
// deaths by day, 10,000 with FLOWRAY_NIGHTLY. A failure names its seed; FLOWRAY_KILLS_SEED=N begins there.

#include <fcntl.h>
#include <flowray/ray.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/sanitizers.h"
#include "support/child_process.h"
#include "support/own_processes.h"

namespace flowray {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

bool is_nightly() { return std::getenv("FLOWRAY_NIGHTLY") != nullptr; }

/// Only a hang takes this long.
constexpr int kGuardMs = 60'000;

// ---- what outlives the processes: a file that all of them map

constexpr const char* kTallyVariable = "FLOWRAY_TEST_TALLY";
constexpr size_t kMostCalls = 4096;

struct Tally {
  struct Call {
    std::atomic<uint32_t> begun;
    std::atomic<uint32_t> last;  ///< when it began last, by `moments`
  };
  std::atomic<uint32_t> moments;
  std::atomic<uint32_t> deaths;
  Call calls[kMostCalls];
};

Tally* map_tally(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || ftruncate(file, sizeof(Tally)) != 0) throw std::runtime_error("no tally at " + path);
  void* const memory = mmap(nullptr, sizeof(Tally), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory == MAP_FAILED) throw std::runtime_error("no memory for the tally");
  return static_cast<Tally*>(memory);
}

/// Of a worker.
Tally& tally() {
  static Tally* const mapped = map_tally(std::getenv(kTallyVariable));
  return *mapped;
}

// ---- what dies

/// A call, and how often it dies before it comes to its end.
struct Order {
  uint32_t call = 0;
  uint32_t deaths = 0;
  std::string how;
  FLOWRAY_FIELDS(call, deaths, how);
};

int value_of(uint32_t call) { return static_cast<int>(3 * call + 1); }

/// Nobody catches that there is no memory.
void use_up_memory() noexcept {
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = size_t{1} << 20;  // less than there is already
  setrlimit(RLIMIT_AS, &limit);
  std::vector<int> all(size_t{64} << 20, 1);
  std::fprintf(stderr, "%d\n", all[all.size() / 2]);
}

void die(const std::string& how) {
  ++tally().deaths;
  std::signal(SIGSEGV, SIG_DFL);  // a sanitizer's would turn it into an exit
  if (how == "kill") kill(getpid(), SIGKILL);
  if (how == "fault") {
    static const volatile uintptr_t kNowhere = 8;
    *reinterpret_cast<volatile int*>(uintptr_t{kNowhere}) = 1;
  }
  if (how == "exit") std::exit(5);
  if (how == "memory" && !kSanitized) use_up_memory();
  std::abort();
}

const char* const kWays[] = {"kill", "fault", "abort", "exit", "memory"};

int begin(const Order& order) {
  Tally::Call& call = tally().calls[order.call];
  call.last = ++tally().moments;
  if (++call.begun <= order.deaths) die(order.how);
  return value_of(order.call);
}

int run_order(const Order& order) { return begin(order); }

/// Reads where the value lies, and returns one that lies in the store, too.
Array run_in_store(const Order& order, const Array& values) {
  const int value = begin(order);
  return Array(std::vector<float>(values.span<float>().size(), static_cast<float>(value)));
}

/// Long enough to be killed in.
int run_long(const Order& order) {
  begin(order);
  double x = 1;
  for (int i = 0; i < 200'000; ++i) x = x * 1.0000001 + 1e-9;
  return x > 0 ? value_of(order.call) : 0;
}

int run_nested(const Order& order, int max_retries) {
  ++tally().calls[order.call].begun;
  Order inner = order;
  ++inner.call;
  return *ray::Task(run_order).SetMaxRetries(max_retries).Remote(inner).Get();
}

class Mortal {
 public:
  static Mortal* Create(const Order& order) {
    begin(order);
    return new Mortal;
  }
  int Run(const Order& order) { return begin(order); }
  int Pid() const { return getpid(); }
};

constexpr int kNoValue = -1;

/// Calls another actor, by a link as soon as there is one.
class Forwarder {
 public:
  static Forwarder* Create() { return new Forwarder; }
  /// What each returned; kNoValue: its actor had died.
  std::vector<int> Forward(const ray::ActorHandle<Mortal>& to, const std::vector<Order>& orders,
                           uint32_t in_turn) {
    std::vector<ray::ObjectRef<int>> calls;
    std::vector<int> values;
    for (const Order& order : orders) {
      calls.push_back(to.Task(&Mortal::Run).Remote(order));
      if (calls.size() <= in_turn) value_of_call(calls.back());
    }
    for (const auto& call : calls) values.push_back(value_of_call(call));
    return values;
  }

 private:
  static int value_of_call(const ray::ObjectRef<int>& call) {
    try {
      return *call.Get();
    } catch (const ray::RayActorException&) {
      return kNoValue;
    }
  }
};

/// What it has been paid survives.
class Account {
 public:
  static Account* Create() { return new Account; }
  int Pay(const Order& order, int amount) {
    total_ += amount;
    begin(order);  // it may die although it has the money
    return total_;
  }
  int Total() const { return total_; }
  int checkpoint() const { return total_; }
  void restore(int total) { total_ = total; }

 private:
  int total_ = 0;
};

RAY_REMOTE(run_order, run_in_store, run_long, run_nested, Mortal::Create, &Mortal::Run, &Mortal::Pid,
           Forwarder::Create, &Forwarder::Forward, Account::Create, &Account::Pay, &Account::Total);

// ---- what the driver sees

constexpr size_t kStoreBytes = size_t{64} << 20;

std::vector<pid_t> children_of(pid_t process) {
  const std::string number = std::to_string(process);
  std::ifstream file("/proc/" + number + "/task/" + number + "/children");
  std::vector<pid_t> children;
  for (pid_t child = 0; file >> child;) children.push_back(child);
  return children;
}

/// The children of the template, which is the zygote's child.
std::vector<pid_t> workers() {
  std::vector<pid_t> found;
  for (const pid_t zygote : children_of(getpid())) {
    for (const pid_t from : children_of(zygote)) {
      for (const pid_t worker : children_of(from)) found.push_back(worker);
    }
  }
  return found;
}

/// A runtime, and the calls of it.
class Session {
 public:
  Session() : path_(fs::path(::testing::TempDir()) / ("kills_" + std::to_string(getpid()))) {
    fs::remove_all(path_);  // of a process that had this number before and did not come to its end
    fs::create_directories(path_);
    setenv(kTallyVariable, (path_ / "tally").c_str(), 1);
    setenv("FLOWRAY_SESSION_FOLDER", (path_ / "session").c_str(), 1);
    setenv("FLOWRAY_LINKS", "1", 1);
    tally_ = map_tally(path_ / "tally");
    ray::Init({.num_cpus = 2,
               .object_store_memory = kStoreBytes,
               .object_spilling = false,
               .log_to_driver = false,
               .memory_monitor_refresh_ms = 0,
               .shutdown_timeout_ms = 100});
  }
  ~Session() {
    ray::Shutdown();
    munmap(tally_, sizeof(Tally));
    unsetenv(kTallyVariable);
    unsetenv("FLOWRAY_SESSION_FOLDER");
    unsetenv("FLOWRAY_LINKS");
    EXPECT_TRUE(!fs::exists(path_ / "session") || fs::is_empty(path_ / "session"));
    fs::remove_all(path_);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  bool has_room() const { return next_ + 64 < kMostCalls; }
  Order order(uint32_t deaths, const std::string& how) { return {next_++, deaths, how}; }
  Order order() { return order(0, ""); }
  uint32_t begun(const Order& order) const { return tally_->calls[order.call].begun; }
  uint32_t last(const Order& order) const { return tally_->calls[order.call].last; }
  int deaths() const { return static_cast<int>(tally_->deaths); }
  /// All of the store is there for the next that asks.
  static void expect_empty_store() {
    EXPECT_NO_THROW(ray::Put(Array(std::vector<float>(kStoreBytes / 4 / 8 * 7, 1.0f))));
  }

 private:
  fs::path path_;
  Tally* tally_ = nullptr;
  uint32_t next_ = 0;
};

/// One program after the other, each of a seed.
class Rounds {
 public:
  explicit Rounds(uint32_t seed) : seed_(seed) {}

  void run(Session& session) {
    SCOPED_TRACE("FLOWRAY_KILLS_SEED=" + std::to_string(seed_));
    random_.seed(++seed_ * 7919);
    switch (below(11)) {
      case 0:
      case 1:
        return task(session);
      case 2:
        return task_with_values(session);
      case 3:
        return tasks_killed_from_outside(session);
      case 4:
        return nested_task(session);
      case 5:
        return account(session);
      case 6:
        return constructor(session);
      case 7:
        return short_tasks_cancelled_and_killed(session);
      case 8:
      case 9:
        return actor_called_by_actor(session);
      default:
        return actor(session);
    }
  }
  int killed_from_outside() const { return killed_; }
  double longest_s() const { return longest_s_; }

 private:
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  std::string some_way() { return kWays[below(std::size(kWays))]; }

  enum class End { kValue, kWorkerDied, kActorDied, kCancelled, kOther };
  /// How the call ends; `what`: the error.
  template <class T, class F>
  End end_of(const ray::ObjectRef<T>& ref, F check, std::string* what = nullptr) {
    const auto start = Clock::now();
    End end = End::kOther;
    try {
      check(*ref.Get(kGuardMs));
      end = End::kValue;
    } catch (const ray::RayWorkerException& error) {
      end = End::kWorkerDied;
      if (what != nullptr) *what = error.what();
    } catch (const ray::RayActorException& error) {
      end = End::kActorDied;
      if (what != nullptr) *what = error.what();
    } catch (const ray::TaskCancelledException&) {
      end = End::kCancelled;
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
    longest_s_ = std::max(longest_s_, std::chrono::duration<double>(Clock::now() - start).count());
    return end;
  }
  static auto is_value_of(const Order& order) {
    return [&order](int value) { EXPECT_EQ(value, value_of(order.call)); };
  }

  /// Dies some times, and is run again as often as it may be.
  void task(Session& session) {
    const uint32_t retries = below(4);
    const Order order = session.order(below(4), some_way());
    const auto ref = ray::Task(run_order).SetMaxRetries(static_cast<int>(retries)).Remote(order);
    const bool lives = order.deaths <= retries;
    EXPECT_EQ(end_of(ref, is_value_of(order)), lives ? End::kValue : End::kWorkerDied) << order.how;
    EXPECT_EQ(session.begun(order), lives ? order.deaths + 1 : retries + 1) << order.how;
  }

  void task_with_values(Session& session) {
    const size_t count = 10'000 + below(1'000'000);
    const Order order = session.order(1, some_way());
    const auto argument = ray::Put(Array(std::vector<float>(count, 1.0f)));
    const auto ref = ray::Task(run_in_store).SetMaxRetries(1).Remote(order, argument);
    const End end = end_of(ref, [&](const Array& array) {
      ASSERT_EQ(array.span<float>().size(), count);
      EXPECT_EQ(array.span<float>()[count - 1], static_cast<float>(value_of(order.call)));
    });
    EXPECT_EQ(end, End::kValue);
    EXPECT_EQ(session.begun(order), 2u);
  }

  void tasks_killed_from_outside(Session& session) {
    const bool is_run_again = below(2) == 0;
    std::vector<Order> orders;
    std::vector<ray::ObjectRef<int>> refs;
    for (int i = 0; i < 20; ++i) {
      orders.push_back(session.order());
      refs.push_back(ray::Task(run_long).SetMaxRetries(is_run_again ? -1 : 0).Remote(orders.back()));
    }
    // One of those that have begun already, or not yet.
    ray::Wait(refs, 1 + static_cast<int>(below(20)), kGuardMs);
    for (const pid_t worker : workers()) {
      if (below(2) == 0 && kill(worker, SIGKILL) == 0) ++killed_;
    }
    for (size_t i = 0; i < refs.size(); ++i) {
      const End end = end_of(refs[i], is_value_of(orders[i]));
      const uint32_t begun = session.begun(orders[i]);
      if (end == End::kValue) {
        EXPECT_GE(begun, 1u);
        if (!is_run_again) {
          EXPECT_EQ(begun, 1u) << "a call that is run once at most";
        }
      } else {
        EXPECT_EQ(end, End::kWorkerDied);
        EXPECT_FALSE(is_run_again);
        EXPECT_LE(begun, 1u);
      }
    }
  }

  /// So short that several wait behind each other in one worker. Some are cancelled, with force or without,
  /// before, while and after others die and workers are killed.
  void short_tasks_cancelled_and_killed(Session& session) {
    struct Call {
      Order order;
      ray::ObjectRef<int> ref;
      bool is_cancelled = false;
    };
    std::vector<Call> calls;
    for (int i = 0; i < 30; ++i) {
      const Order order = below(10) == 0 ? session.order(1, some_way()) : session.order();
      calls.push_back({order, ray::Task(run_order).SetMaxRetries(-1).Remote(order)});
      if (below(6) == 0) {
        Call& cancelled = calls[below(static_cast<uint32_t>(calls.size()))];
        ray::Cancel(cancelled.ref, {.force = below(2) == 0});
        cancelled.is_cancelled = true;
      }
      if (below(15) != 0) continue;
      for (const pid_t worker : workers()) {
        if (below(2) == 0 && kill(worker, SIGKILL) == 0) ++killed_;
      }
    }
    for (const Call& call : calls) {
      const End end = end_of(call.ref, is_value_of(call.order));
      const uint32_t begun = session.begun(call.order);
      if (end == End::kValue) {
        EXPECT_GT(begun, call.order.deaths);
      } else {
        EXPECT_EQ(end, End::kCancelled);
        EXPECT_TRUE(call.is_cancelled);
      }
    }
  }

  void nested_task(Session& session) {
    const uint32_t deaths = 1 + below(2);
    const Order outer = session.order(deaths, some_way());
    const Order inner = session.order();
    const auto ref = ray::Task(run_nested).Remote(outer, 2);
    EXPECT_EQ(end_of(ref, is_value_of(inner)), End::kValue);
    EXPECT_EQ(session.begun(outer), 1u);
    EXPECT_EQ(session.begun(inner), deaths + 1);
  }

  /// Five calls, of which one dies.
  void actor(Session& session) {
    const bool is_made_again = below(3) != 0;
    const bool calls_again = is_made_again && below(2) == 0;
    const auto actor = ray::Actor(Mortal::Create)
                           .SetMaxRestarts(is_made_again ? -1 : 0)
                           .SetMaxTaskRetries(calls_again ? -1 : 0)
                           .Remote(session.order());
    const size_t mortal = below(5);
    std::vector<Order> orders;
    std::vector<ray::ObjectRef<int>> refs;
    for (size_t i = 0; i < 5; ++i) {
      orders.push_back(i == mortal ? session.order(1, some_way()) : session.order());
      refs.push_back(actor.Task(&Mortal::Run).Remote(orders.back()));
    }
    uint32_t last = 0;
    for (size_t i = 0; i < 5; ++i) {
      const End end = end_of(refs[i], is_value_of(orders[i]));
      const uint32_t begun = session.begun(orders[i]);
      if (i < mortal || calls_again) {
        EXPECT_EQ(end, End::kValue);
        EXPECT_EQ(begun, i == mortal ? 2u : 1u);
      } else if (i == mortal) {
        EXPECT_EQ(end, End::kActorDied);
        EXPECT_EQ(begun, 1u);
      } else if (is_made_again) {  // it had been sent there, or not
        EXPECT_TRUE(end == End::kValue || end == End::kActorDied);
        EXPECT_EQ(begun, end == End::kValue ? 1u : 0u);
      } else {
        EXPECT_EQ(end, End::kActorDied);
        EXPECT_EQ(begun, 0u);
      }
      if (begun == 0) continue;
      EXPECT_GT(session.last(orders[i]), last) << "calls of one caller begin in their order";
      last = session.last(orders[i]);
    }
    actor.Kill();
  }

  /// The first calls make the link, those that follow go by it; one of them dies, or a process is killed from
  /// outside: the actor's, or its caller's.
  void actor_called_by_actor(Session& session) {
    constexpr uint32_t kInTurn = 16;
    constexpr uint32_t kCalls = 30;
    const bool is_made_again = below(3) != 0;
    const auto actor =
        ray::Actor(Mortal::Create).SetMaxRestarts(is_made_again ? -1 : 0).Remote(session.order());
    const auto caller = ray::Actor(Forwarder::Create).Remote();
    const uint32_t who = below(3);
    const uint32_t mortal = who == 0 ? kInTurn + below(kCalls - kInTurn) : kCalls;
    std::vector<Order> orders;
    for (uint32_t i = 0; i < kCalls; ++i)
      orders.push_back(i == mortal ? session.order(1, some_way()) : session.order());
    const int pid = *actor.Task(&Mortal::Pid).Remote().Get(kGuardMs);
    const auto ref = caller.Task(&Forwarder::Forward).Remote(actor, orders, kInTurn);
    if (who != 0) {
      const auto moment = Clock::now() + std::chrono::microseconds(below(3000));
      while (Clock::now() < moment) sched_yield();
      if (who == 2) caller.Kill();
      if (who == 1 && kill(pid, SIGKILL) == 0) ++killed_;
    }
    std::vector<int> values(kCalls, kNoValue);
    const End end = end_of(ref, [&](const std::vector<int>& found) { values = found; });
    EXPECT_TRUE(end == End::kValue || (end == End::kActorDied && who == 2));
    ASSERT_EQ(values.size(), kCalls);
    check_forwarded(session, orders, values, end == End::kValue);
    if (is_made_again || who == 2) expect_to_run(session, actor, who == 1);
    actor.Kill();
    caller.Kill();
  }

  /// `was_killed`: perhaps after its other calls, and nobody may have noticed yet: the call that notices ends
  /// with it, and the one after that has a new process.
  void expect_to_run(Session& session, const ray::ActorHandle<Mortal>& actor, bool was_killed) {
    const auto end_of_call = [&] {
      const Order order = session.order();
      const End end = end_of(actor.Task(&Mortal::Run).Remote(order), is_value_of(order));
      EXPECT_LE(session.begun(order), 1u);
      return end;
    };
    End end = end_of_call();
    if (was_killed && end == End::kActorDied) end = end_of_call();
    EXPECT_EQ(end, End::kValue);
  }

  void check_forwarded(const Session& session, const std::vector<Order>& orders,
                       const std::vector<int>& values, bool are_known) const {
    uint32_t last = 0;
    for (size_t i = 0; i < orders.size(); ++i) {
      const uint32_t begun = session.begun(orders[i]);
      EXPECT_LE(begun, 1u) << "a call of an actor runs once at most";
      if (values[i] != kNoValue) {
        EXPECT_EQ(values[i], value_of(orders[i].call));
        EXPECT_EQ(begun, 1u);
      } else if (are_known && orders[i].deaths > 0) {
        EXPECT_EQ(begun, 1u);
      }
      if (begun == 0) continue;
      EXPECT_GT(session.last(orders[i]), last) << "calls of one caller begin in their order";
      last = session.last(orders[i]);
    }
  }

  void account(Session& session) {
    const auto account = ray::Actor(Account::Create).SetMaxRestarts(-1).Remote();
    int expected = 0;
    for (int i = 0; i < 4; ++i) {
      const Order order = session.order(below(2), some_way());
      const auto ref = account.Task(&Account::Pay).Remote(order, 10 + i);
      const bool lives = order.deaths == 0;
      const End end = end_of(ref, [&](int total) { EXPECT_EQ(total, expected + 10 + i); });
      EXPECT_EQ(end, lives ? End::kValue : End::kActorDied);
      EXPECT_EQ(session.begun(order), 1u);
      if (lives) expected += 10 + i;
    }
    EXPECT_EQ(*account.Task(&Account::Total).Remote().Get(kGuardMs), expected);
    account.Kill();
  }

  void constructor(Session& session) {
    const int restarts = static_cast<int>(below(3));
    const Order making = session.order(1 + below(2), some_way());
    const Order order = session.order();
    const auto actor = ray::Actor(Mortal::Create).SetMaxRestarts(restarts).Remote(making);
    const auto ref = actor.Task(&Mortal::Run).Remote(order);
    const bool lives = static_cast<int>(making.deaths) <= restarts;
    EXPECT_EQ(end_of(ref, is_value_of(order)), lives ? End::kValue : End::kActorDied);
    EXPECT_EQ(session.begun(order), lives ? 1u : 0u);
    EXPECT_EQ(session.begun(making), lives ? making.deaths + 1 : static_cast<uint32_t>(restarts) + 1);
    actor.Kill();
  }

  uint32_t seed_;
  std::minstd_rand random_;
  int killed_ = 0;
  double longest_s_ = 0;
};

uint32_t first_seed() {
  const char* const given = std::getenv("FLOWRAY_KILLS_SEED");
  return given == nullptr ? 0 : static_cast<uint32_t>(std::strtoul(given, nullptr, 10));
}

TEST(Kills, EndEachCallAsIsPromisedAndLeaveNothing) {
  rlimit no_cores{};
  getrlimit(RLIMIT_CORE, &no_cores);
  no_cores.rlim_cur = 0;
  setrlimit(RLIMIT_CORE, &no_cores);
  {
    const Session once;
  }  // what is made once
  const testing::Holdings before = testing::holdings();
  const int by_day = kSanitized ? 60 : 300;  // sanitizers make forks slow
  const int wanted = is_nightly() ? 10'000 : by_day;
  Rounds rounds(first_seed());
  int deaths = 0;
  while (deaths + rounds.killed_from_outside() < wanted && !::testing::Test::HasFailure()) {
    {
      Session session;
      while (session.deaths() < 60 && session.has_room() && !::testing::Test::HasFailure())
        rounds.run(session);
      Session::expect_empty_store();
      deaths += session.deaths();
    }
    EXPECT_EQ(testing::holdings(), before);
  }
  std::printf("%d processes died by themselves, %d were killed; the longest wait took %.3f s\n", deaths,
              rounds.killed_from_outside(), rounds.longest_s());
  EXPECT_GT(rounds.killed_from_outside(), 0);
  if (is_nightly()) {
    EXPECT_LT(rounds.longest_s(), 5);
  }
}

/// Whatever it is about: it is still at Init, has all at work, or ends.
TEST(Kills, OfTheDriverEndItsProcesses) {
  std::minstd_rand random(first_seed() + 1);
  double longest_s = 0;
  const int kills = is_nightly() ? 500 : 10;
  for (int i = 0; i < kills; ++i) {
    const testing::OwnProcesses processes;
    testing::ChildProcess driver({testing::built_program("test-ray-ends"), "pause"});
    if (i % 2 == 0) {
      driver.await_output("ready");
    } else {
      const auto moment = Clock::now() + std::chrono::microseconds(random() % 10'000);
      while (Clock::now() < moment) sched_yield();
    }
    const auto start = Clock::now();
    driver.send_signal(SIGKILL);
    EXPECT_EQ(driver.wait(), -SIGKILL);
    EXPECT_TRUE(processes.all_end());
    longest_s = std::max(longest_s, std::chrono::duration<double>(Clock::now() - start).count());
  }
  std::printf("all processes of a driver had ended %.3f s after it at most\n", longest_s);
  if (is_nightly()) {
    EXPECT_LT(longest_s, 2);
  }
}

}  // namespace
}  // namespace flowray
