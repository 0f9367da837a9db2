// A driver in which something is lacking: all that it does must end in a value or an error.
//
//     test-ray-scarcity malloc FIRST LAST STEP [HOW_OFTEN]
//
// For n = FIRST, FIRST + STEP ... LAST a process of its own does some work, in which the n-th call of malloc
// in the driver, and HOW_OFTEN - 1 behind it, fail. Prints the n that went wrong.
//
//     test-ray-scarcity large FIRST LAST STEP
//     test-ray-scarcity worker FIRST LAST STEP
//     test-ray-scarcity cancelled FIRST LAST STEP
//
// The same with other work: the calls of malloc count that the driver makes while it makes calls with large
// arguments; those that an actor's process makes while it waits in a method, and further calls and values
// come; those that it makes there while the calls behind that method are cancelled.
//
//     test-ray-scarcity once [workers]
//
// Does the work once, between two SIGWINCH (tests/support/traced_calls.h); with `workers`, calls of a
// threaded actor and calls that go by a link as well.

#include <flowray/ray.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/sanitizers.h"

namespace ray = flowray::ray;

namespace {

// Set before the work begins, in the process that does it alone; workers are other processes.
std::atomic<bool> is_failing{false};
std::atomic<long> calls_left{0};
std::atomic<long> failures_left{0};
std::atomic<pid_t> scarce{0};  // the process in which they are

/// Whether this call of malloc is to fail.
[[maybe_unused]] bool fails() {  // a sanitizer has a malloc of its own
  if (!is_failing.load(std::memory_order_relaxed) || getpid() != scarce) return false;
  if (calls_left.fetch_sub(1) > 1) return false;
  if (failures_left.fetch_sub(1) <= 0) return false;
  errno = ENOMEM;
  return true;
}

}  // namespace

#if !defined(__has_feature)
#define __has_feature(name) 0
#endif
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* before, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);

__attribute__((visibility("default"))) void* malloc(size_t bytes) {
  return fails() ? nullptr : __libc_malloc(bytes);
}
__attribute__((visibility("default"))) void* calloc(size_t count, size_t bytes) {
  return fails() ? nullptr : __libc_calloc(count, bytes);
}
__attribute__((visibility("default"))) void* realloc(void* before, size_t bytes) {
  return fails() ? nullptr : __libc_realloc(before, bytes);
}
__attribute__((visibility("default"))) void* aligned_alloc(size_t alignment, size_t bytes) {
  return fails() ? nullptr : __libc_memalign(alignment, bytes);
}
__attribute__((visibility("default"))) int posix_memalign(void** to, size_t alignment, size_t bytes) {
  *to = fails() ? nullptr : __libc_memalign(alignment, bytes);
  return *to == nullptr ? ENOMEM : 0;
}
}
#endif

namespace {

int plus(int a, int b) { return a + b; }
int throws(int n) { throw std::runtime_error("thrown " + std::to_string(n)); }
flowray::Array ones(int64_t count) {
  return flowray::Array(std::vector<float>(static_cast<size_t>(count), 1.0f));
}
int64_t size_of(const flowray::Array& array) { return array.size(); }
int sum(const std::vector<ray::ObjectRef<int>>& refs) {
  int all = 0;
  for (const auto& ref : refs) all += *ref.Get();
  return all;
}

class Adder {
 public:
  static Adder* Create(int start) { return new Adder(start); }
  explicit Adder(int start) : value_(start) {}
  int Add(int n) { return value_ += n; }

 private:
  int value_;
};

void fail_from(long n, long how_often) {
  scarce = getpid();
  failures_left = how_often;
  calls_left = n;
  is_failing = true;
}

/// Where calls say that they have come so far, and are kept until others have.
class Gate {
 public:
  static Gate* Create() { return new Gate; }
  void Pass() { ++passed_; }
  /// In a thread of its own.
  int Await(int count) const {
    while (passed_ < count) std::this_thread::yield();
    return count;
  }

 private:
  std::atomic<int> passed_{0};
};

/// Waits for what is put into it later, in a process in which memory gets scarce meanwhile.
class Patient {
 public:
  static Patient* Create() { return new Patient; }

  /// Of an array that is not there yet; whatever cannot be had is asked for again.
  int64_t Await(const std::vector<ray::ObjectRef<flowray::Array>>& array, long n) {
    return value_of(array[0], n, [](const flowray::Array& value) { return value.size(); });
  }
  /// Of a call of the gate's that waits, too.
  int64_t AwaitOf(const ray::ActorHandle<Gate>& gate, const std::vector<ray::ObjectRef<int>>& passed,
                  long n) {
    gate.Task(&Gate::Pass).Remote();
    return value_of(passed[0], n, [](int value) { return int64_t{value}; });
  }
  /// Their first numbers, as one, in which a part that came twice shows.
  int64_t Count(const flowray::Array& a, const flowray::Array& b, const flowray::Array& c,
                const flowray::Array& d) {
    int64_t digits = 0;
    for (const flowray::Array* array : {&a, &b, &c, &d})
      digits = 10 * digits + static_cast<int64_t>(array->data<float>()[0]);
    return digits;
  }

 private:
  template <typename T, typename Number>
  static int64_t value_of(const ray::ObjectRef<T>& ref, long n, const Number& number) {
    int64_t value = -1;
    fail_from(n, 1);
    for (int attempt = 0; attempt < 20 && value < 0; ++attempt) {
      try {
        value = number(*ref.Get());
      } catch (const std::exception&) {
      }
    }
    is_failing = false;
    return value;
  }
};

/// Calls another actor until the calls go by a link of the two.
class Caller {
 public:
  static Caller* Create() { return new Caller; }
  int AddOften(const ray::ActorHandle<Adder>& adder, int times) {
    int sum = 0;
    for (int i = 0; i < times; ++i) sum = *adder.Task(&Adder::Add).Remote(1).Get();
    return sum;
  }
};

RAY_REMOTE(plus, throws, ones, size_of, sum);
RAY_REMOTE(Adder::Create, &Adder::Add);
RAY_REMOTE(Caller::Create, &Caller::AddOften);
RAY_REMOTE(Gate::Create, &Gate::Pass, &Gate::Await);
RAY_REMOTE(Patient::Create, &Patient::Await, &Patient::AwaitOf, &Patient::Count);

/// Does `work`, which may throw; a wrong value is the end.
template <typename Work>
void try_to(const Work& work) {
  try {
    if (!work()) {
      std::fprintf(stderr, "a wrong value\n");
      _exit(3);
    }
  } catch (const std::exception&) {
  }
}

void do_some_work() {
  try_to([] { return *ray::Task(plus).Remote(1, 2).Get() == 3; });
  try_to([] {
    std::vector<ray::ObjectRef<int>> refs;
    for (int i = 0; i < 20; ++i) refs.push_back(ray::Task(plus).Remote(i, 1));
    ray::Wait(refs, 20, 10'000);
    return *ray::Task(sum).Remote(refs).Get() == 210;
  });
  try_to([] {
    const auto adder = ray::Actor(Adder::Create).SetName("adder").SetMaxRestarts(1).Remote(10);
    const auto first = adder.Task(&Adder::Add).Remote(1);
    const auto second = adder.Task(&Adder::Add).Remote(ray::Put(2));
    const bool right = *first.Get() == 11 && *second.Get() == 13 && ray::GetActor<Adder>("adder").has_value();
    adder.Kill();
    return right;
  });
  try_to([] { return *ray::Task(size_of).Remote(ray::Put(ones(100'000))).Get() == 100'000; });
  try_to([] { return ray::Task(ones).Remote(int64_t{100'000}).Get()->size() == 100'000; });
  try_to([] {
    ray::Task(throws).Remote(1).Get();
    return false;
  });
}

void do_more_in_workers() {
  try_to([] {
    const auto gate = ray::Actor(Gate::Create).SetMaxConcurrency(3).Remote();
    const auto passed = gate.Task(&Gate::Await).Remote(2);
    gate.Task(&Gate::Pass).Remote();
    gate.Task(&Gate::Pass).Remote();
    return *passed.Get() == 2;
  });
  try_to([] {
    const auto adder = ray::Actor(Adder::Create).Remote(10);
    return *ray::Actor(Caller::Create).Remote().Task(&Caller::AddOften).Remote(adder, 12).Get() == 22;
  });
}

void begin() {
  ray::Init({.num_cpus = 2,
             .object_store_memory = size_t{32} << 20,
             .log_to_driver = false,
             .shutdown_timeout_ms = 1000});
}

/// Whether nothing is left behind, and a new runtime works: the program's exit status.
int look_around() {
  if (waitpid(-1, nullptr, WNOHANG) != -1) return 4;
  ray::Init({.num_cpus = 1, .object_store_memory = size_t{32} << 20, .log_to_driver = false});
  const bool works = *ray::Task(plus).Remote(1, 2).Get() == 3;
  ray::Shutdown();
  return works ? 0 : 5;
}

int work_with_failures(long n, long how_often) {
  fail_from(n, how_often);
  for (int round = 0; round < 50 && calls_left > 0; ++round) {
    try_to([] {
      begin();
      return true;
    });
    if (ray::IsInitialized()) do_some_work();
    ray::Shutdown();
  }
  is_failing = false;
  return look_around();
}

/// Whether there is room in the store for most of it; a runtime that has broken down has none to show.
bool is_store_empty() {
  try {
    ray::Put(ones(5'000'000));
  } catch (const ray::ObjectStoreFullException&) {
    return false;
  } catch (const ray::RayException&) {
  }
  return true;
}

/// Each argument takes most of the store.
int make_large_calls(long n, long how_often) {
  begin();
  const flowray::Array large = ones(5'000'000);
  const auto number = ray::Put(1);
  for (int kind = 0; kind < 3; ++kind) {
    fail_from(n, how_often);
    try {
      if (kind == 0) (void)ray::Task(size_of).Remote(large);
      if (kind == 1) (void)ray::Put(large);
      if (kind == 2) (void)ray::Actor(Adder::Create).SetName("adder").Remote(number);
    } catch (const std::exception&) {
    }
    is_failing = false;
    if (!is_store_empty()) return 6;
  }
  ray::Shutdown();
  return look_around();
}

/// So long that a message to a worker has room for two, and so short that they are sent in it.
flowray::Array of_message(float first) {
  std::vector<float> numbers(7'500, 0.0f);
  numbers[0] = first;
  return flowray::Array(numbers);
}

int let_worker_lack(long n, long) {
  begin();
  const auto patient = ray::Actor(Patient::Create).Remote();
  const std::array<ray::ObjectRef<flowray::Array>, 4> parts{ray::Put(of_message(1)), ray::Put(of_message(2)),
                                                            ray::Put(of_message(3)), ray::Put(of_message(4))};
  const std::vector<ray::ObjectRef<flowray::Array>> later{ray::Task(ones).Remote(int64_t{100'000})};
  const auto waited = patient.Task(&Patient::Await).Remote(later, n);
  const auto counted = patient.Task(&Patient::Count).Remote(parts[0], parts[1], parts[2], parts[3]);
  int status = 0;
  const auto must_be = [&](const ray::ObjectRef<int64_t>& result, int64_t right, int failed) {
    try {
      if (*result.Get() != right) status = failed;
    } catch (const ray::RayException&) {  // its process may have ended
    }
  };
  must_be(waited, 100'000, 7);
  must_be(counted, 1'234, 8);
  ray::Shutdown();
  return status != 0 ? status : look_around();
}

/// The calls that are cancelled have come to the process, in which one before them waits.
int cancel_where_worker_lacks(long n, long) {
  begin();
  int status = 0;
  {
    const auto gate = ray::Actor(Gate::Create).SetMaxConcurrency(3).Remote();
    const auto patient = ray::Actor(Patient::Create).Remote();
    const std::vector<ray::ObjectRef<int>> passed{gate.Task(&Gate::Await).Remote(2)};
    const auto waited = patient.Task(&Patient::AwaitOf).Remote(gate, passed, n);
    const auto large = ray::Put(ones(4'000'000));  // half of the store
    std::vector<ray::ObjectRef<int64_t>> behind;
    for (int i = 0; i < 3; ++i)
      behind.push_back(patient.Task(&Patient::Count).Remote(large, large, large, large));
    gate.Task(&Gate::Await).Remote(1).Get();
    for (const auto& call : behind) ray::Cancel(call);
    for (const auto& call : behind) {
      try {
        call.Get();
        status = 9;
      } catch (const ray::TaskCancelledException&) {
      } catch (const ray::RayActorException&) {  // its process has ended
      }
    }
    gate.Task(&Gate::Pass).Remote();
    try {
      if (*waited.Get() != 2) status = 7;
    } catch (const ray::RayActorException&) {
    }
    patient.Kill();  // what it had no memory to note it gives back with its end
  }
  while (!is_store_empty()) std::this_thread::yield();
  ray::Shutdown();
  return status != 0 ? status : look_around();
}

int work_once(bool has_more_in_workers) {
  raise(SIGWINCH);
  try_to([] {
    begin();
    return true;
  });
  if (ray::IsInitialized()) do_some_work();
  if (ray::IsInitialized() && has_more_in_workers) do_more_in_workers();
  ray::Shutdown();
  raise(SIGWINCH);
  return look_around();
}

}  // namespace

int main(int argc, char** argv) {
  if (flowray::kSanitized) return 2;
  if (argc >= 2 && std::strcmp(argv[1], "once") == 0)
    return work_once(argc == 3 && std::strcmp(argv[2], "workers") == 0);
  if (argc < 5) return 2;
  const std::string_view kind = argv[1];
  const auto work = kind == "malloc"      ? work_with_failures
                    : kind == "large"     ? make_large_calls
                    : kind == "worker"    ? let_worker_lack
                    : kind == "cancelled" ? cancel_where_worker_lacks
                                          : nullptr;
  if (work == nullptr) return 2;
  const long first = std::atol(argv[2]);
  const long last = std::atol(argv[3]);
  const long step = std::atol(argv[4]);
  const long how_often = argc > 5 ? std::atol(argv[5]) : 1;
  int wrong = 0;
  for (long n = first; n <= last; n += step) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);  // a hang ends it
      _exit(work(n, how_often));
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status == 0) continue;
    ++wrong;
    std::printf("malloc %ld: %s %d\n", n, WIFSIGNALED(status) ? "signal" : "status",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    std::fflush(stdout);
  }
  return wrong == 0 ? 0 : 1;
}
