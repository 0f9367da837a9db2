// A program of Ray's that says `using namespace ray` and has classes whose names only Flowray's headers know
// otherwise.

#include <ray/api.h>

using namespace ray;
using namespace ray::internal;

struct Async {};
struct Decoder {};
struct Encoder {};
struct Gauge {};
struct Generator {};
struct Item {};
struct Json {};
struct Metric {};
struct Sum {};

class Counter {
 public:
  static Counter* Create() { return new Counter; }
  int Add(int by) { return count_ += by; }

 private:
  int count_ = 0;
};
int Twice(int x) { return 2 * x; }

RAY_REMOTE(Twice, Counter::Create, &Counter::Add);

int main(int argc, char** argv) {
  RayConfig config;
  Init(config, argc, argv);
  const Counter own;
  static_cast<void>(own);
  static_cast<void>(sizeof(Async) + sizeof(Decoder) + sizeof(Encoder) + sizeof(Gauge) + sizeof(Generator) +
                    sizeof(Item) + sizeof(Json) + sizeof(Metric) + sizeof(Sum));
  ActorHandle<Counter> counter = Actor(Counter::Create).SetName("counter").Remote();
  std::vector<ObjectRef<int>> refs{counter.Task(&Counter::Add).Remote(1), Task(Twice).Remote(2), Put(3)};
  WaitResult<int> waited = Wait(refs, 3, 10000);
  if (waited.ready.size() != 3 || !GetActor<Counter>("counter")) return 1;
  CallOptions options;
  options.name = "a task";
  try {
    Get(refs);
  } catch (const RayTaskException& error) {
    RAYLOG(ERROR) << error.what();
  }
  Shutdown();
  return 0;
}
