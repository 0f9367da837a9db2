// A program as Ray's documentation teaches to write one for its C++ API: nothing in it is of Flowray. Prints
// what the test expects.

#include <ray/api.h>
#include <unistd.h>

#include <cassert>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#pragma GCC diagnostic ignored "-Wextra-semi"  // of MSGPACK_DEFINE(...);
#ifdef __clang__                               // Ray's programs have a semicolon behind RAY_REMOTE(...)
#pragma clang diagnostic ignored "-Wextra-semi"
#pragma clang diagnostic ignored "-Wc++98-compat-extra-semi"
#endif

namespace app {

enum class Colour { kRed, kBlue };

}  // namespace app

MSGPACK_ADD_ENUM(app::Colour);

namespace app {

struct Point {
  int x = 0;
  double y = 0;
  std::vector<std::string> tags;
  MSGPACK_DEFINE(x, y, tags);
};

class Shape {
 public:
  std::string name;
  std::map<std::string, Point> corners;
  Colour colour = Colour::kRed;
  MSGPACK_DEFINE(name, corners, colour);
};

int Plus(int a, int b) { return a + b; }
int Plus(int a, int b, int c) { return a + b + c; }
int Square(int x) { return x * x; }
void Nothing() {}
Shape Move(Shape shape, int by) {
  for (auto& [name, corner] : shape.corners) corner.x += by;
  return shape;
}
int Throw(const std::string& text) { throw std::runtime_error(text); }
int Slow() {
  for (;;) pause();
}

class Counter {
 public:
  explicit Counter(int init) : count_(init) {}
  static Counter* Create() { return new Counter(0); }
  static Counter* CreateFrom(int init) { return new Counter(init); }
  int Add(int x) {
    count_ += x;
    return count_;
  }
  int Get() const { return count_; }
  int Exit() {
    ray::ExitActor();
    return 1;
  }
  bool WasRestarted() { return ray::WasCurrentActorRestarted(); }
  std::string Namespace() { return ray::GetNamespace(); }

 private:
  int count_;
};

int AddInTask(ray::ActorHandle<Counter> counter, int x) {
  return *counter.Task(&Counter::Add).Remote(x).Get();
}
int Nested(int x) {
  auto inner = ray::Task(Square).Remote(x);
  return *ray::Get(inner) + 1;
}

RAY_REMOTE(RAY_FUNC(Plus, int, int), RAY_FUNC(Plus, int, int, int));
RAY_REMOTE(Square, Nothing, Move, Throw, Slow, AddInTask, Nested)
RAY_REMOTE(Counter::Create, RAY_FUNC(Counter::CreateFrom, int), &Counter::Add, &Counter::Get, &Counter::Exit,
           &Counter::WasRestarted, &Counter::Namespace);

#define CHECK(condition)                                                         \
  if (!(condition)) {                                                            \
    std::cerr << __FILE__ << ":" << __LINE__ << ": " << #condition << std::endl; \
    std::exit(1);                                                                \
  }

void Tasks() {
  CHECK(*ray::Task(RAY_FUNC(Plus, int, int)).Remote(1, 2).Get() == 3);
  CHECK(*ray::Task(RAY_FUNC(Plus, int, int, int)).Remote(1, 2, 3).Get() == 6);
  ray::ObjectRef<int> put = ray::Put(7);
  ray::ObjectRef<int> square = ray::Task(Square).Remote(put);
  std::shared_ptr<int> value = ray::Get(square);
  CHECK(*value == 49);
  ray::Task(Nothing).Remote().Get();
  std::vector<ray::ObjectRef<int>> refs;
  for (int i = 0; i < 3; i++) refs.emplace_back(ray::Task(Square).SetName("square").Remote(i));
  std::vector<std::shared_ptr<int>> values = ray::Get(refs);
  CHECK(*values[2] == 4);
  ray::WaitResult<int> waited = ray::Wait(refs, 3, 10000);
  std::list<ray::ObjectRef<int>> ready = waited.ready;
  CHECK(ready.size() == 3 && waited.unready.empty());
  CHECK(*ray::Task(Nested).Remote(3).Get() == 10);
  CHECK(*ray::Task(Square).SetResource("CPU", 1.0).Remote(2).Get(10000) == 4);
  std::unordered_map<std::string, double> resources{{"CPU", 1.0}};
  CHECK(*ray::Task(Square).SetResources(resources).Remote(2).Get() == 4);
}

void Values() {
  Shape shape;
  shape.name = "triangle";
  shape.colour = Colour::kBlue;
  shape.corners["a"] = Point{1, 0.5, {"first", "last"}};
  auto moved = ray::Task(Move).Remote(shape, 10).Get();
  CHECK(moved->name == "triangle" && moved->colour == Colour::kBlue);
  CHECK(moved->corners.at("a").x == 11 && moved->corners.at("a").tags.size() == 2);
}

void Actors() {
  ray::ActorHandle<Counter> actor =
      ray::Actor(RAY_FUNC(Counter::CreateFrom, int)).SetName("counter").SetMaxRestarts(1).Remote(5);
  auto object_ref = actor.Task(&Counter::Add).Remote(3);
  CHECK(*object_ref.Get() == 8);
  boost::optional<ray::ActorHandle<Counter>> found = ray::GetActor<Counter>("counter");
  CHECK(found && *(*found).Task(&Counter::Get).Remote().Get() == 8);
  CHECK(!ray::GetActor<Counter>("nobody"));
  CHECK(*ray::Task(AddInTask).Remote(actor, 2).Get() == 10);
  CHECK(!*actor.Task(&Counter::WasRestarted).Remote().Get());
  actor.Kill(false);
  CHECK(*actor.Task(&Counter::WasRestarted).Remote().Get());
  CHECK(*actor.Task(&Counter::Namespace).Remote().Get() == "docs");
  actor.Kill();
  auto other = ray::Actor(Counter::Create).SetMaxConcurrency(2).Remote();
  try {
    other.Task(&Counter::Exit).Remote().Get();
    CHECK(false);
  } catch (const ray::internal::RayActorException& e) {
    CHECK(std::string(e.what()).find("ExitActor") != std::string::npos);
  }
}

void NamesByTexts() {
  CHECK(ray::internal::GetRayRuntime() != nullptr);
  std::vector<ray::ObjectRef<int>> refs{ray::Put(3), ray::Task(Square).Remote(4)};
  const std::vector<std::string> ids = ray::ObjectRefsToObjectIDs(refs);
  CHECK(ids[0] == refs[0].ID());
  std::vector<std::shared_ptr<int>> values = ray::Get<int>(ids);
  CHECK(*values[0] == 3 && *values[1] == 16);
  CHECK(*ray::Get<int>(ids, 10000)[1] == 16);
  CHECK(ray::internal::GetRayRuntime()->Wait(ids, 2, 10000) == std::vector<bool>({true, true}));
  auto actor = ray::Actor(Counter::Create).SetName("by its text").Remote();
  const std::string actor_id = ray::internal::GetRayRuntime()->GetActorId("by its text", "");
  CHECK(actor_id == actor.ID());
  CHECK(ray::internal::GetRayRuntime()->GetActorId("nobody", "").empty());
  CHECK(ray::internal::GetRayRuntime()->GetNamespace() == "docs");
  ray::internal::GetRayRuntime()->KillActor(actor_id, true);
  try {
    actor.Task(&Counter::Get).Remote().Get();
    CHECK(false);
  } catch (const ray::internal::RayActorException&) {
  }
#if __has_include(<msgpack.hpp>) && !defined(FLOWRAY_RAY_API_ALONE)
  auto packed = ray::internal::Serializer::Serialize(5);
  CHECK(!ray::internal::Serializer::HasError(packed.data(), packed.size()));
  char nil_and_more[] = {static_cast<char>(0xC0), 1};
  CHECK(ray::internal::Serializer::HasError(nil_and_more, 2) &&
        !ray::internal::Serializer::HasError(nil_and_more, 1));
#endif
}

/// Packed by msgpack-cxx where it is there: a reference in it keeps its object, an actor can be called.
struct Held {
  ray::ObjectRef<int> ref;
  ray::ActorHandle<Counter> counter;
  int n = 0;
  MSGPACK_DEFINE_ARRAY(ref, counter, n)
};
int AddHeld(const Held& held) {
  return *held.counter.Task(&Counter::Add).Remote(*held.ref.Get() + held.n).Get();
}
Held MakeHeld(ray::ActorHandle<Counter> counter) { return {ray::Put(30), counter, 3}; }

RAY_REMOTE(AddHeld, MakeHeld);

void ReferencesInside() {
  auto counter = ray::Actor(Counter::Create).Remote();
  Held held{ray::Task(Square).Remote(3), counter, 1};
  const auto sum = ray::Task(AddHeld).Remote(held);
  held.ref = {};
  CHECK(*sum.Get() == 10);
  const std::shared_ptr<Held> made = ray::Task(MakeHeld).Remote(counter).Get();
  CHECK(*made->ref.Get() == 30 && made->n == 3);
  CHECK(*ray::Task(AddHeld).Remote(*made).Get() == 43);
  const std::shared_ptr<Held> empty = ray::Put(Held{}).Get();
  CHECK(!empty->ref.has_value() && empty->n == 0);
  counter.Kill();
}

void Errors() {
  try {
    ray::Task(Throw).Remote(std::string("as asked")).Get();
    CHECK(false);
  } catch (ray::internal::RayTaskException& e) {
    CHECK(std::string(e.what()).find("as asked") != std::string::npos);
  }
  try {
    ray::Task(Slow).Remote().Get(10);
    CHECK(false);
  } catch (ray::internal::RayTimeoutException&) {
  } catch (ray::internal::RayException& e) {
    CHECK(false);
  }
}

}  // namespace app

int main(int argc, char** argv) {
  ray::RayConfig config;
  config.local_mode = false;
  config.ray_namespace = "docs";
  config.code_search_path = {"."};
  config.head_args = {"--num-cpus", "2", "--num-gpus=0"};
  ray::Init(config, argc, argv);
  if (!ray::IsInitialized() || !ray::internal::GetRayRuntime() || ray::GetNamespace() != "docs") return 1;
  app::Tasks();
  app::Values();
  app::Actors();
  app::NamesByTexts();
  app::ReferencesInside();
  app::Errors();
  RAYLOG(WARNING) << "a line of the log, " << 1;
  std::cout << "all as Ray's" << std::endl;
  ray::Shutdown();
  return ray::internal::GetRayRuntime() == nullptr ? 0 : 1;
}
