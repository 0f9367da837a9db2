// A driver in which one call of the system or of malloc fails: all that it does must end in a value or an
// error.
//
//     test-ray-scarcity WHAT FIRST LAST STEP [HOW_OFTEN]
//
// WHAT is malloc or a function of the system (see `kCalls`). For n = FIRST, FIRST + STEP ... LAST a process
// of its own does some work, in which the n-th such call of the driver, and HOW_OFTEN - 1 behind it, fail.
// Prints the n that went wrong.

#include <dlfcn.h>
#include <flowray/ray.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "core/sanitizers.h"

namespace ray = flowray::ray;

namespace {

// Set before the work begins, in the process that does it alone; workers are other processes.
std::atomic<const char*> failing{nullptr};
std::atomic<long> calls_left{0};
std::atomic<long> failures_left{0};
std::atomic<pid_t> driver{0};
std::atomic<int> failure_number{ENOMEM};

/// Whether this call of `what` is to fail.
bool fails(const char* what) {
  const char* const chosen = failing.load(std::memory_order_relaxed);
  if (chosen == nullptr || std::strcmp(chosen, what) != 0 || getpid() != driver) return false;
  if (calls_left.fetch_sub(1) > 1) return false;
  if (failures_left.fetch_sub(1) <= 0) return false;
  errno = failure_number;
  return true;
}

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

struct Call {
  const char* name;
  int number;
};
constexpr Call kCalls[] = {{"malloc", ENOMEM},
                           {"socketpair", EMFILE},
                           {"memfd_create", EMFILE},
                           {"fallocate", ENOMEM},
                           {"mmap", ENOMEM},
                           {"pipe2", EMFILE},
                           {"eventfd", EMFILE},
                           {"sendmsg", ENOBUFS},
                           {"sendmsg_again", EAGAIN},
                           {"recvmsg", ENOMEM},
                           {"recvmsg_again", EAGAIN},
                           {"poll", ENOMEM},
                           {"poll_interrupted", EINTR},
                           {"read", EAGAIN},
                           {"write", EAGAIN},
                           {"fork", EAGAIN}};

}  // namespace

#define FLOWRAY_FAILING(result, failed, name, parameters, arguments)         \
  extern "C" __attribute__((visibility("default"))) result name parameters { \
    static auto* const real = next<result parameters>(#name);                \
    if (fails(#name)) return failed;                                         \
    return real arguments;                                                   \
  }

FLOWRAY_FAILING(int, -1, socketpair, (int domain, int type, int protocol, int* ends),
                (domain, type, protocol, ends))
FLOWRAY_FAILING(int, -1, memfd_create, (const char* name, unsigned flags), (name, flags))
FLOWRAY_FAILING(int, -1, fallocate, (int fd, int mode, off_t offset, off_t length),
                (fd, mode, offset, length))
FLOWRAY_FAILING(void*, MAP_FAILED, mmap,
                (void* at, size_t bytes, int protection, int flags, int fd, off_t offset),
                (at, bytes, protection, flags, fd, offset))
FLOWRAY_FAILING(int, -1, pipe2, (int* ends, int flags), (ends, flags))
FLOWRAY_FAILING(int, -1, eventfd, (unsigned count, int flags), (count, flags))
FLOWRAY_FAILING(ssize_t, -1, read, (int fd, void* to, size_t bytes), (fd, to, bytes))
FLOWRAY_FAILING(ssize_t, -1, write, (int fd, const void* from, size_t bytes), (fd, from, bytes))
FLOWRAY_FAILING(pid_t, -1, fork, (), ())

extern "C" __attribute__((visibility("default"))) ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  static auto* const real = next<ssize_t(int, const msghdr*, int)>("sendmsg");
  if (fails("sendmsg") || ((flags & MSG_DONTWAIT) != 0 && fails("sendmsg_again"))) return -1;
  return real(fd, message, flags);
}
extern "C" __attribute__((visibility("default"))) ssize_t recvmsg(int fd, msghdr* message, int flags) {
  static auto* const real = next<ssize_t(int, msghdr*, int)>("recvmsg");
  if (fails("recvmsg") || ((flags & MSG_DONTWAIT) != 0 && fails("recvmsg_again"))) return -1;
  return real(fd, message, flags);
}
extern "C" __attribute__((visibility("default"))) int poll(pollfd* polled, nfds_t count, int timeout_ms) {
  static auto* const real = next<int(pollfd*, nfds_t, int)>("poll");
  if (fails("poll") || fails("poll_interrupted")) return -1;
  return real(polled, count, timeout_ms);
}

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
  return fails("malloc") ? nullptr : __libc_malloc(bytes);
}
__attribute__((visibility("default"))) void* calloc(size_t count, size_t bytes) {
  return fails("malloc") ? nullptr : __libc_calloc(count, bytes);
}
__attribute__((visibility("default"))) void* realloc(void* before, size_t bytes) {
  return fails("malloc") ? nullptr : __libc_realloc(before, bytes);
}
__attribute__((visibility("default"))) void* aligned_alloc(size_t alignment, size_t bytes) {
  return fails("malloc") ? nullptr : __libc_memalign(alignment, bytes);
}
__attribute__((visibility("default"))) int posix_memalign(void** to, size_t alignment, size_t bytes) {
  *to = fails("malloc") ? nullptr : __libc_memalign(alignment, bytes);
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

RAY_REMOTE(plus, throws, ones, size_of, sum);
RAY_REMOTE(Adder::Create, &Adder::Add);

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

int work_with_failures(const char* what, int number, long n, long how_often) {
  alarm(60);  // a hang ends it
  driver = getpid();
  failure_number = number;
  failures_left = how_often;
  calls_left = n;
  failing = what;
  for (int round = 0; round < 50 && calls_left > 0; ++round) {
    try_to([] {
      ray::Init({.num_cpus = 2,
                 .object_store_memory = size_t{32} << 20,
                 .log_to_driver = false,
                 .shutdown_timeout_ms = 1000});
      return true;
    });
    if (ray::IsInitialized()) do_some_work();
    ray::Shutdown();
  }
  failing = nullptr;
  // Nothing is left behind, and a new runtime works.
  if (waitpid(-1, nullptr, WNOHANG) != -1) return 4;
  ray::Init({.num_cpus = 1, .object_store_memory = size_t{32} << 20, .log_to_driver = false});
  const bool works = *ray::Task(plus).Remote(1, 2).Get() == 3;
  ray::Shutdown();
  return works ? 0 : 5;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5 || flowray::kSanitized) return 2;
  const char* what = nullptr;
  int number = 0;
  for (const Call& call : kCalls) {
    if (std::strcmp(argv[1], call.name) == 0) {
      what = call.name;
      number = call.number;
    }
  }
  if (what == nullptr) return 2;
  const long first = std::atol(argv[2]);
  const long last = std::atol(argv[3]);
  const long step = std::atol(argv[4]);
  const long how_often = argc > 5 ? std::atol(argv[5]) : 1;
  int wrong = 0;
  for (long n = first; n <= last; n += step) {
    const pid_t child = fork();
    if (child == 0) _exit(work_with_failures(what, number, n, how_often));
    int status = 0;
    waitpid(child, &status, 0);
    if (status == 0) continue;
    ++wrong;
    std::printf("%s %ld: %s %d\n", what, n, WIFSIGNALED(status) ? "signal" : "status",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    std::fflush(stdout);
  }
  return wrong == 0 ? 0 : 1;
}
