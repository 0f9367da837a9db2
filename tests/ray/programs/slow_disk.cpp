// A disk that takes its time, and one that is full: what goes on meanwhile. Says "right" if all was.
//   slow_disk FOLDER

#include <flowray/ray.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>

namespace {

enum class Disk : int { kQuick, kHeld, kFull };
std::atomic<Disk> disk = Disk::kQuick;
std::atomic<int> writes = 0;

void set_disk(Disk state) {
  disk = state;
  disk.notify_all();
}

ssize_t write_at(int fd, const void* bytes, size_t size, int64_t offset) {
  ++writes;
  writes.notify_all();
  disk.wait(Disk::kHeld);
  if (disk == Disk::kFull) {
    errno = ENOSPC;
    return -1;
  }
  return syscall(SYS_pwrite64, fd, bytes, size, offset);
}

}  // namespace

// The library's calls come here, by either name.
extern "C" ssize_t pwrite(int fd, const void* bytes, size_t size, off_t offset) {
  return write_at(fd, bytes, size, offset);
}
extern "C" ssize_t pwrite64(int fd, const void* bytes, size_t size, off64_t offset) {
  return write_at(fd, bytes, size, offset);
}

namespace {

namespace ray = flowray::ray;
using flowray::Array;

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int kGuardMs = 600'000;

int twice(int n) { return 2 * n; }
float first_of(const Array& array) { return array.span<float>()[0]; }
RAY_REMOTE(twice, first_of);

Array mib(int64_t count, float value) {
  return Array::full(flowray::DType::kFloat32, {count * kMiB / 4}, value);
}
bool is_all(const Array& array, float value) {
  return std::ranges::all_of(array.span<float>(), [&](float item) { return item == value; });
}

bool right = true;
void require(bool condition, const char* what) {
  if (!condition) std::printf("%s\n", what);
  right = right && condition;
}

/// A value for which another one has to go to disk, put by a thread; what that meets.
class Putting {
 public:
  Putting() : writes_before_(writes), thread_([this] { put(); }) {}
  void await_write() const { writes.wait(writes_before_); }
  bool is_done() const { return is_done_; }
  std::string await_end() {
    thread_.join();
    return error_;
  }

 private:
  void put() {
    try {
      const auto third = ray::Put(mib(30, 3));
      require(is_all(*third.Get(kGuardMs), 3), "the third value is another one");
    } catch (const ray::RayException& error) {
      error_ = error.what();
    }
    is_done_ = true;
  }

  int writes_before_;
  std::string error_;
  std::atomic<bool> is_done_ = false;
  std::thread thread_;
};

void go_on(const ray::ObjectRef<Array>& first, const ray::ObjectRef<Array>& second) {
  for (int i = 0; i < 20; ++i)
    require(*ray::Task(twice).Remote(i).Get(kGuardMs) == 2 * i, "a call gives another value");
  require(*ray::Task(first_of).Remote(first).Get(kGuardMs) == 1, "a call has another argument");
  require(is_all(*first.Get(kGuardMs), 1) && is_all(*second.Get(kGuardMs), 2), "a value is another one");
  require(*ray::Put(5).Get() == 5, "a small value is another one");
}

}  // namespace

int main(int, char** arguments) {
  alarm(300);  // a call that waits for the disk would wait without end
  ray::Init({.num_cpus = 2, .object_store_memory = 64 * kMiB, .object_spilling_directory = arguments[1]});
  {
    const auto first = ray::Put(mib(30, 1));
    const auto second = ray::Put(mib(30, 2));
    set_disk(Disk::kHeld);
    {
      Putting putting;
      putting.await_write();
      go_on(first, second);
      require(!putting.is_done(), "there was room without the disk");
      set_disk(Disk::kQuick);
      require(putting.await_end().empty(), "there is no room although the disk has some");
    }
    require(is_all(*first.Get(kGuardMs), 1) && is_all(*second.Get(kGuardMs), 2), "a value came back wrong");
    set_disk(Disk::kFull);
    {
      Putting putting;
      require(putting.await_end().find("No space left on device") != std::string::npos,
              "a full disk is not told");
      go_on(first, second);
    }
    set_disk(Disk::kHeld);
    Putting putting;  // Shutdown() ends its waiting
    putting.await_write();
    std::thread ending([] { ray::Shutdown(); });
    set_disk(Disk::kQuick);
    ending.join();
    putting.await_end();
  }
  if (right) std::printf("right\n");
  return right ? 0 : 1;
}
