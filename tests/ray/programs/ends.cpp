// A driver that ends in the way that its argument names, with all at work: an actor, a task that never ends,
// values in the store, arrays that lie there, and a thread that waits. Says "ready" before.

#include <flowray/ray.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

namespace ray = flowray::ray;
using flowray::Array;

int pauses() {
  for (;;) pause();
}

class Holder {
 public:
  static Holder* Create() { return new Holder; }
  int Hold(Array values) {
    values_ = std::move(values);
    return getpid();
  }

 private:
  Array values_;
};

RAY_REMOTE(pauses, Holder::Create, &Holder::Hold);

Array large() { return Array(std::vector<float>(1 << 20, 1.0f)); }

struct AtTheEnd {
  ray::ObjectRef<Array> ref;
  std::shared_ptr<Array> array;
  ray::ObjectRef<int> never;
};
AtTheEnd kept;  // goes after main

void end(const std::string& how) {
  if (how == "exit") std::exit(3);
  if (how == "_exit") _exit(4);
  if (how == "throw") throw std::runtime_error("out of main");
  if (how == "Shutdown") ray::Shutdown();
  if (how == "Get") kept.never.Get();
  if (how == "pause") pauses();
}

}  // namespace

int main(int argc, char** argv) {
  ray::Init({.num_cpus = 2, .object_store_memory = size_t{64} << 20});
  kept.ref = ray::Put(large());
  kept.array = kept.ref.Get();
  kept.never = ray::Task(pauses).Remote();
  const auto holder = ray::Actor(Holder::Create).Remote();
  holder.Task(&Holder::Hold).Remote(kept.ref).Get();
  std::atomic<bool> waits{false};
  std::thread([&waits] {
    waits = true;
    try {
      kept.never.Get();
    } catch (const ray::RayException&) {  // of Shutdown
    }
  }).detach();
  while (!waits) std::this_thread::yield();
  std::printf("ready\n");
  std::fflush(stdout);
  end(argc > 1 ? argv[1] : "");
}
