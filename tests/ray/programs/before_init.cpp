// A driver that has used what its argument names before Init, and uses it again after; prints what is
// wrong, and "right" at the end. A static object opens the file that FLOWRAY_TEST_DIARY names, and main goes
// on writing there: each line is there once, whatever processes were started.

#include <flowray/ray.h>
#include <flowray/tf.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif
#ifdef FLOWRAY_TEST_GRPC
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>
#endif

namespace {

namespace ray = flowray::ray;
using flowray::Array;

int with_threads(int n) {
  std::atomic<int> sum{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&sum, n] { sum += n; });
  for (auto& thread : threads) thread.join();
  return sum;
}

int with_openmp(int n) {
  int sum = 0;
#ifdef _OPENMP
#pragma omp parallel for reduction(+ : sum) num_threads(4)
#endif
  for (int i = 0; i < 4; ++i) sum += n;
  return sum;
}

class Adder {
 public:
  static Adder* Create() { return new Adder; }
  double Add(const Array& values) {
    const auto span = values.span<float>();
    return sum_ += std::accumulate(span.begin(), span.end(), 0.0);
  }

 private:
  double sum_ = 0;
};

RAY_REMOTE(with_threads, with_openmp, Adder::Create, &Adder::Add);

/// As event loops have them: a thread that waits for an epoll set with a timer and an event in it, work
/// handed to it under a lock, and handlers of fork() that take that lock.
class EventLoop {
 public:
  EventLoop() {
    instance_ = this;
    pthread_atfork([] { instance_->mutex_.lock(); }, [] { instance_->mutex_.unlock(); },
                   [] { instance_->mutex_.unlock(); });
    add(event_);
    const itimerspec often{{0, 1'000'000}, {0, 1'000'000}};
    timerfd_settime(timer_, 0, &often, nullptr);
    add(timer_);
    thread_ = std::thread([this] { run(); });
  }
  ~EventLoop() {
    stopping_ = true;
    wake();
    thread_.join();
  }
  /// Waits until the thread has come around once more.
  void round() {
    std::unique_lock lock(mutex_);
    const int before = rounds_;
    wake();
    turned_.wait(lock, [&] { return rounds_ != before; });
  }

 private:
  void add(int fd) {
    epoll_event event{EPOLLIN, {.fd = fd}};
    epoll_ctl(set_, EPOLL_CTL_ADD, fd, &event);
  }
  void wake() const { eventfd_write(event_, 1); }
  void run() {
    while (!stopping_) {
      epoll_event event{};
      if (epoll_wait(set_, &event, 1, -1) != 1) continue;
      uint64_t count = 0;
      if (read(event.data.fd, &count, sizeof count) < 0) continue;
      const std::scoped_lock lock(mutex_);
      ++rounds_;
      turned_.notify_all();
    }
  }

  static inline EventLoop* instance_ = nullptr;
  const int set_ = epoll_create1(EPOLL_CLOEXEC);
  const int event_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  const int timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  std::mutex mutex_;
  std::condition_variable turned_;
  int rounds_ = 0;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

#ifdef FLOWRAY_TEST_GRPC
/// A server that knows no call, and whether a client reaches it.
class GrpcServer {
 public:
  GrpcServer() : address_("unix:/tmp/flowray-before-init-" + std::to_string(getpid())) {
    grpc::ServerBuilder builder;
    builder.RegisterCallbackGenericService(&service_);
    builder.AddListeningPort(address_, grpc::InsecureServerCredentials());
    server_ = builder.BuildAndStart();
  }
  ~GrpcServer() {
    if (server_) server_->Shutdown();
  }
  bool is_reached() const {
    const auto channel = grpc::CreateChannel(address_, grpc::InsecureChannelCredentials());
    return server_ && channel->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(60));
  }

 private:
  std::string address_;
  grpc::CallbackGenericService service_;
  std::unique_ptr<grpc::Server> server_;
};
#endif

/// Opened anew by each process that runs the statics; what is in its buffer is written by the driver alone.
std::FILE* const kDiary = [] {
  const char* const path = std::getenv("FLOWRAY_TEST_DIARY");
  std::FILE* const diary = std::fopen(path == nullptr ? "/dev/null" : path, "w");
  std::fputs("statics\n", diary);
  return diary;
}();

int wrongs = 0;

void expect(bool right, const char* what) {
  if (right) return;
  std::printf("wrong: %s\n", what);
  ++wrongs;
}

void use_runtime() {
  std::vector<ray::ObjectRef<int>> refs;
  for (int i = 0; i < 20; ++i) {
    refs.push_back(ray::Task(with_threads).Remote(i));
    refs.push_back(ray::Task(with_openmp).Remote(i));
  }
  for (size_t i = 0; i < refs.size(); ++i) expect(*refs[i].Get() == static_cast<int>(i / 2) * 4, "a task");
  const auto adder = ray::Actor(Adder::Create).Remote();
  const auto values = ray::Put(Array(std::vector<float>(1 << 20, 1.0f)));
  expect(*adder.Task(&Adder::Add).Remote(values).Get() == 1 << 20, "an actor");
}

/// Between what `use` does before and after.
template <class Use>
void run_around(const Use& use) {
  expect(use(), "before Init");
  std::fputs("before Init\n", kDiary);
  ray::Init({.num_cpus = 2, .object_store_memory = size_t{64} << 20});
  expect(use(), "after Init");
  use_runtime();
  expect(use(), "beside the runtime");
  ray::Shutdown();
  std::fputs("after Shutdown\n", kDiary);
  expect(use(), "after Shutdown");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  std::printf("main begins\n");
  if (what == "nothing") {
    run_around([] { return true; });
  } else if (what == "step") {
    run_around([] {
      namespace tf = flowray::tf;
      tf::Graph graph;
      const auto scope = graph.as_default();
      const auto product = tf::matmul(tf::ones({300, 300}), tf::ones({300, 300}));
      return tf::Session(graph).run(product).span<float>()[0] == 300.0f;
    });
  } else if (what == "openmp") {
#ifndef _OPENMP
    std::printf("left out\n");
    return 0;
#endif
    run_around([] { return with_openmp(3) == 12; });
  } else if (what == "threads") {
    run_around([] { return with_threads(3) == 12; });
  } else if (what == "loop") {
    EventLoop loop;
    run_around([&] {
      loop.round();
      return true;
    });
  } else if (what == "grpc") {
#ifdef FLOWRAY_TEST_GRPC
    const GrpcServer server;
    run_around([&] { return server.is_reached(); });
#else
    std::printf("left out\n");
    return 0;
#endif
  } else {
    expect(false, "the argument");
  }
  if (wrongs == 0) std::printf("right\n");
  return wrongs == 0 ? 0 : 1;
}
