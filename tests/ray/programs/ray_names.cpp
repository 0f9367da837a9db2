// The names and behaviour that the tests in Ray's repository use of its C++ API, in a program of our own;
// docs/ray-api.md lists them. Prints what the test expects.

#include <ray/api.h>
#include <ray/api/function_manager.h>
#include <ray/api/metric.h>
#include <ray/api/ray_runtime_holder.h>
#include <signal.h>
#include <unistd.h>

#include <any>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#ifdef __clang__  // Ray's programs have a semicolon behind RAY_REMOTE(...)
#pragma clang diagnostic ignored "-Wextra-semi"
#pragma clang diagnostic ignored "-Wc++98-compat-extra-semi"
#endif

using namespace ray::internal;

// A field of RuntimeEnv of the program's own type.
#if __has_include(<nlohmann/json.hpp>) && !defined(FLOWRAY_RAY_API_ALONE)
struct Packages {
  std::vector<std::string> names;
};
void to_json(json& out, const Packages& packages) { out = json{{"packages", packages.names}}; }
void from_json(const json& in, Packages& packages) {
  in.at("packages").get_to(packages.names);
  if (packages.names.empty()) throw std::invalid_argument("no packages");
}
#endif

// Types that msgpack-cxx knows by adaptors alone, as a class of another library is: made from nothing, and
// from a value only.
#if __has_include(<msgpack.hpp>) && !defined(FLOWRAY_RAY_API_ALONE)
namespace other_library {
struct Date {
  int year = 0;
  int day = 0;
};
class Price {
 public:
  explicit Price(int64_t cents) : cents_(cents) {}
  int64_t cents() const { return cents_; }

 private:
  int64_t cents_;
};
}  // namespace other_library

template <>
struct msgpack::adaptor::pack<other_library::Date> {
  template <typename Stream>
  msgpack::packer<Stream>& operator()(msgpack::packer<Stream>& out, const other_library::Date& date) const {
    return out.pack_array(2).pack(date.year).pack(date.day);
  }
};
template <>
struct msgpack::adaptor::convert<other_library::Date> {
  const msgpack::object& operator()(const msgpack::object& from, other_library::Date& date) const {
    if (from.type != msgpack::type::ARRAY || from.via.array.size != 2) throw msgpack::type_error();
    date = {from.via.array.ptr[0].as<int>(), from.via.array.ptr[1].as<int>()};
    return from;
  }
};
template <>
struct msgpack::adaptor::object_with_zone<other_library::Date> {
  void operator()(msgpack::object::with_zone& out, const other_library::Date& date) const {
    out << std::vector<int>{date.year, date.day};
  }
};
template <>
struct msgpack::adaptor::pack<other_library::Price> {
  template <typename Stream>
  msgpack::packer<Stream>& operator()(msgpack::packer<Stream>& out, const other_library::Price& price) const {
    return out.pack(price.cents());
  }
};
template <>
struct msgpack::adaptor::as<other_library::Price> {
  other_library::Price operator()(const msgpack::object& from) const {
    return other_library::Price(from.as<int64_t>());
  }
};

struct Offer {
  other_library::Date until;
  std::vector<other_library::Date> days;
  MSGPACK_DEFINE(until, days)
};
other_library::Date DayAfter(other_library::Date date) { return {date.year, date.day + 1}; }
other_library::Price Twice(const other_library::Price& price) {
  return other_library::Price(2 * price.cents());
}
Offer Longer(Offer offer, const std::map<std::string, other_library::Date>& dates) {
  for (const auto& [name, date] : dates) offer.days.push_back(date);
  offer.until = offer.days.back();
  return offer;
}
class Calendar {
 public:
  static Calendar* Make(other_library::Date today) { return new Calendar(today); }
  explicit Calendar(other_library::Date today) : today_(today) {}
  other_library::Date Today() const { return today_; }

 private:
  other_library::Date today_;
};
RAY_REMOTE(DayAfter, Twice, Longer, Calendar::Make, &Calendar::Today);
#endif

#define CHECK(condition)                                                         \
  if (!(condition)) {                                                            \
    std::cerr << __FILE__ << ":" << __LINE__ << ": " << #condition << std::endl; \
    std::exit(1);                                                                \
  }
#define CHECK_THROWS(expression, type) \
  try {                                \
    (void)(expression);                \
    CHECK(false);                      \
  } catch (const type&) {              \
  }

int One() { return 1; }
int Next(int x) { return x + 1; }
int Sum(int x, int y) { return x + y; }
std::array<int, 100000> SameArray(std::array<int, 100000> array) { return array; }
int Broken() { throw std::logic_error("broken on purpose"); }
int BrokenWithMore() {
  RayException error("broken");
  error.msg_ += " on purpose, and more";
  throw error;
}
void Quiet(int, int) {}
std::string SpaceInTask() { return ray::GetNamespace(); }
std::string Variable(std::string name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}
int Unlisted(int x) { return x; }
int Many() { return 0; }
int Many(int i) { return i + 1; }
int Many(int i, int j) { return i + j; }

class Tally {
 public:
  Tally(int first, bool fails) : count_(first), was_made_again_(ray::WasCurrentActorRestarted()) {
    if (fails) throw std::invalid_argument("not to be made");
  }
  static Tally* Make() { return new Tally(0, false); }
  static Tally* Make(int first) { return new Tally(first, false); }
  static Tally* Make(int a, int b) { return new Tally(a + b, false); }
  static Tally* MakeBroken() { return new Tally(0, true); }

  int Next() { return ++count_; }
  int Add(int x) { return count_ += x; }
  int Count() { return count_; }
  int Exit() {
    ray::ExitActor();
    return 1;
  }
  uint64_t Pid() { return static_cast<uint64_t>(getpid()); }
  bool MadeAgainInConstructor() { return was_made_again_; }
  bool MadeAgainInCall() { return ray::WasCurrentActorRestarted(); }
  bool HasRuntime() { return ray::IsInitialized(); }
  std::string Space() { return ray::GetNamespace(); }
  std::string Environment(const std::string& name) { return Variable(name); }
  int Fail() { throw std::invalid_argument("as asked"); }
  int NextOf(ray::ActorHandle<Tally> other) { return *other.Task(&Tally::Next).Remote().Get(); }
  ray::ActorHandle<Tally> Child(std::string name) {
    auto child = ray::Actor(RAY_FUNC(Tally::Make)).SetName(name).Remote();
    child.Task(&Tally::Count).Remote().Get();
    return child;
  }
  int ValueOf(ray::ObjectRef<int> ref) { return *ref.Get(); }
  std::vector<std::byte> Bytes(std::vector<std::byte> bytes) { return bytes; }
  std::string Text(const std::string& text) { return text; }
  std::vector<std::string> Texts(const std::vector<std::string>& texts) { return texts; }
  std::vector<std::any> Anything(const std::vector<std::any>& values) { return values; }

 private:
  int count_;
  bool was_made_again_;
};

class Gatherer {
 public:
  static Gatherer* Make() { return new Gatherer; }
  /// Returns when three calls are in it.
  std::string Gather() {
    ++here_;
    while (here_ < 3) usleep(100);
    return "ok";
  }

 private:
  std::atomic<int> here_{0};
};

// As msgpack-cxx's these need no semicolon behind.
struct AsList {
  int number = 0;
  std::string text;
  MSGPACK_DEFINE_ARRAY(number, text)
};
struct AsMap {
  std::vector<AsList> lists;
  MSGPACK_DEFINE_MAP(lists)
};
struct Both {
  AsMap map;
  MSGPACK_DEFINE(map)
};
Both WithOneMore(Both both, AsList list) {
  both.map.lists.push_back(list);
  return both;
}
RAY_REMOTE(WithOneMore);

RAY_REMOTE(One, Next, Sum, SameArray, Broken, BrokenWithMore, Quiet, SpaceInTask, Variable);
RAY_REMOTE(RAY_FUNC(Many));
RAY_REMOTE(RAY_FUNC(Many, int));
RAY_REMOTE(RAY_FUNC(Many, int, int));
RAY_REMOTE(RAY_FUNC(Tally::Make), RAY_FUNC(Tally::Make, int), RAY_FUNC(Tally::Make, int, int),
           Tally::MakeBroken, &Tally::Next, &Tally::Add, &Tally::Count, &Tally::Exit, &Tally::Pid,
           &Tally::MadeAgainInConstructor, &Tally::MadeAgainInCall, &Tally::HasRuntime, &Tally::Space,
           &Tally::Environment, &Tally::Fail, &Tally::NextOf, &Tally::Child, &Tally::ValueOf, &Tally::Bytes,
           &Tally::Text, &Tally::Texts, &Tally::Anything);
RAY_REMOTE(Gatherer::Make, &Gatherer::Gather);

void TasksAndValues() {
  auto put = ray::Put(12345);
  CHECK(*(ray::Get(put)) == 12345);
  CHECK(*ray::Task(One).SetName("a name").SetResources({{"CPU", 1.0}}).Remote().Get() == 1);
  auto one = ray::Task(One).Remote();
  auto two = ray::Task(Next).Remote(one);
  auto three = ray::Task(Sum).Remote(two, one);
  std::vector<ray::ObjectRef<int>> refs{one, two, three};
  ray::WaitResult<int> result = ray::Wait(refs, 3, 60000);
  CHECK(result.ready.size() == 3 && result.unready.empty());
  const auto values = ray::Get<int>(refs);
  CHECK(*values[0] == 1 && *values[1] == 2 && *values[2] == 3);
  ray::Task(Quiet).Remote(1, 2).Get();
  CHECK(*ray::Task(RAY_FUNC(Many, int)).Remote(ray::Task(RAY_FUNC(Many)).Remote()).Get() == 1);
  CHECK(*ray::Task(RAY_FUNC(Many, int, int)).Remote(1, 3).Get() == 4);
  std::array<int, 100000> array{};
  array[99999] = 7;
  auto large = ray::Put(array);
  CHECK(*ray::Get(ray::Task(SameArray).Remote(large)) == array);
  CHECK_THROWS(ray::Task(Unlisted), RayException);
  try {
    ray::Task(Broken).Remote().Get();
    CHECK(false);
  } catch (RayTaskException& e) {
    CHECK(std::string(e.what()).find("std::logic_error") != std::string::npos);
  }
}

void Actors() {
  ray::ActorHandle<Tally> named =
      ray::Actor(RAY_FUNC(Tally::Make)).SetMaxRestarts(1).SetName("a name").Remote();
  CHECK(*named.Task(&Tally::HasRuntime).Remote().Get());
  CHECK(*named.Task(&Tally::Next).SetName("a call").SetResources({{"CPU", 1.0}}).Remote().Get() == 1);
  auto found = ray::GetActor<Tally>("a name");
  CHECK(found);
  auto& handle = *found;
  CHECK(*handle.Task(&Tally::Next).Remote().Get() == 2);
  CHECK(!ray::GetActor<Tally>("nobody's"));
  CHECK(!*handle.Task(&Tally::MadeAgainInConstructor).Remote().Get());
  handle.Kill(false);
  CHECK(*handle.Task(&Tally::Next).Remote().Get() == 1);
  CHECK(*handle.Task(&Tally::MadeAgainInConstructor).Remote().Get());
  CHECK(*handle.Task(&Tally::MadeAgainInCall).Remote().Get());
  handle.Kill();
  CHECK_THROWS(handle.Task(&Tally::Next).Remote().Get(), RayActorException);
  CHECK(!ray::GetActor<Tally>("a name"));

  auto tally = ray::Actor(RAY_FUNC(Tally::Make, int)).Remote(1);
  auto six = tally.Task(&Tally::Add).Remote(5);
  auto other = ray::Actor(RAY_FUNC(Tally::Make, int, int)).Remote(six, 0);
  CHECK(*other.Task(&Tally::Add).Remote(six).Get() == 12);
  CHECK(*tally.Task(&Tally::NextOf).Remote(other).Get() == 13);
  CHECK(*tally.Task(&Tally::Child).Remote("child").Get()->Task(&Tally::Next).Remote().Get() == 1);
  CHECK(*tally.Task(&Tally::ValueOf).Remote(ray::Put(3)).Get() == 3);
  CHECK_THROWS(tally.Task(&Tally::Fail).Remote().Get(), RayTaskException);
  CHECK_THROWS(ray::Actor(Tally::MakeBroken).Remote().Task(&Tally::Next).Remote().Get(), RayActorException);
  auto gatherer = ray::Actor(Gatherer::Make).SetMaxConcurrency(3).Remote();
  std::vector<ray::ObjectRef<std::string>> gathered;
  for (int i = 0; i < 3; i++) gathered.push_back(gatherer.Task(&Gatherer::Gather).Remote());
  CHECK(*gathered[2].Get() == "ok");
  const auto pid = static_cast<pid_t>(*tally.Task(&Tally::Pid).Remote().Get());
  CHECK_THROWS(tally.Task(&Tally::Exit).Remote().Get(), RayActorException);
  while (kill(pid, 0) == 0 || errno != ESRCH) usleep(100);
}

void TypesThatTravel() {
  auto first = ray::Actor(RAY_FUNC(Tally::Make)).Remote();
  CHECK(*ray::ActorHandle<Tally>::FromBytes(first.ID()).Task(&Tally::Next).Remote().Get() == 1);
  const auto both = ray::Task(WithOneMore).Remote(Both{{{{1, "one"}}}}, ray::Put(AsList{2, "two"})).Get();
  CHECK(both->map.lists.size() == 2 && both->map.lists[0].text == "one" && both->map.lists[1].number == 2);
  auto tally = ray::Actor(RAY_FUNC(Tally::Make)).Remote();
  const std::vector<std::byte> bytes{std::byte{0}, std::byte{255}};
  CHECK(*tally.Task(&Tally::Bytes).Remote(bytes).Get() == bytes);
  CHECK(*tally.Task(&Tally::Text).Remote(std::string("a\0b", 3)).Get() == std::string("a\0b", 3));
  CHECK(tally.Task(&Tally::Texts).Remote(std::vector<std::string>{"a", ""}).Get()->size() == 2);
  const std::vector<std::any> sent{
      uint64_t{5}, int64_t{-5}, 1.5, true, std::string("text"), std::vector<char>{'a', 'b'}, std::any()};
  const auto got = *tally.Task(&Tally::Anything).Remote(sent).Get();
  CHECK(std::any_cast<uint64_t>(got[0]) == 5 && std::any_cast<int64_t>(got[1]) == -5);
  CHECK(std::any_cast<double>(got[2]) == 1.5 && std::any_cast<bool>(got[3]));
  CHECK(std::any_cast<std::string>(got[4]) == "text");
  CHECK((std::any_cast<std::vector<char>>(got[5]) == std::vector<char>{'a', 'b'}) && !got[6].has_value());
}

void TypesWithAdaptors() {
#if FLOWRAY_HAS_MSGPACK
  using other_library::Date;
  const auto next = ray::Task(DayAfter).Remote(Date{2026, 331});
  CHECK(next.Get()->year == 2026 && next.Get()->day == 332);
  CHECK(ray::Task(DayAfter).Remote(next).Get()->day == 333);
  CHECK(ray::Get(ray::Put(Date{1, 2}))->day == 2);
  CHECK(ray::Task(Twice).Remote(other_library::Price(250)).Get()->cents() == 500);
  const std::map<std::string, Date> dates{{"a", {2027, 1}}, {"b", {2027, 2}}};
  const auto offer = ray::Task(Longer).Remote(Offer{{2026, 1}, {{2026, 3}}}, dates).Get();
  CHECK(offer->days.size() == 3 && offer->days[0].day == 3 && offer->until.day == 2);
  CHECK(ray::Actor(Calendar::Make).Remote(next).Task(&Calendar::Today).Remote().Get()->day == 332);
#endif
}

void Resources() {
  std::unordered_map<std::string, double> amounts{{"", 1}};
  CHECK_THROWS(CheckTaskOptions(amounts), RayException);
  amounts = {{"some", 0}};
  CHECK_THROWS(CheckTaskOptions(amounts), RayException);
  amounts = {{"some", 2.5}};
  CHECK_THROWS(CheckTaskOptions(amounts), RayException);
  CheckTaskOptions({{"some", 2.0}, {"other", 0.5}});
  CHECK(*ray::Task(One).SetResource("tape", 2.0).Remote().Get() == 1);
  std::vector<ray::ObjectRef<int>> never{ray::Task(One).SetResource("CPU", 10000.0).Remote()};
  never.push_back(ray::Actor(RAY_FUNC(Tally::Make))
                      .SetResources({{"CPU", 10000.0}})
                      .Remote()
                      .Task(&Tally::Next)
                      .Remote());
  auto result = ray::Wait(never, 1, 50);
  CHECK(result.ready.empty() && result.unready.size() == 2);
}

ray::PlacementGroup GroupOf(const std::string& name, double cpus) {
  std::vector<std::unordered_map<std::string, double>> bundles{{{"CPU", cpus}}};
  return ray::CreatePlacementGroup({name, bundles, ray::PlacementStrategy::PACK});
}

void PlacementGroups() {
  auto group = GroupOf("group", 1);
  CHECK(group.Wait(60));
  CHECK_THROWS(GroupOf("group", 1), RayException);
  CHECK(ray::GetAllPlacementGroups().size() == 1);
  CHECK(ray::GetPlacementGroupById(group.GetID()).GetID() == group.GetID());
  CHECK(ray::GetPlacementGroup("group").GetID() == group.GetID());
  CHECK(*ray::Task(One).SetResources({{"CPU", 1.0}}).SetPlacementGroup(group, 0).Remote().Get() == 1);
  auto actor =
      ray::Actor(RAY_FUNC(Tally::Make)).SetResources({{"CPU", 1.0}}).SetPlacementGroup(group, 0).Remote();
  CHECK(*actor.Task(&Tally::Next).Remote().Get() == 1);
  auto too_large =
      ray::Actor(RAY_FUNC(Tally::Make)).SetResources({{"CPU", 2.0}}).SetPlacementGroup(group, 0).Remote();
  std::vector<ray::ObjectRef<int>> never{too_large.Task(&Tally::Next).Remote()};
  CHECK(ray::Wait(never, 1, 50).unready.size() == 1);
  ray::RemovePlacementGroup(group.GetID());
  CHECK(ray::GetPlacementGroupById(group.GetID()).GetState() == ray::PlacementGroupState::REMOVED);
  CHECK(ray::GetPlacementGroup("nobody's").GetID().empty());
  ray::RemovePlacementGroup(group.GetID());
  auto never_there = GroupOf("large", 10000);
  CHECK(!never_there.Wait(0));
  ray::RemovePlacementGroup(never_there.GetID());
}

void NamespacesAndEnvironments() {
  auto actor = ray::Actor(RAY_FUNC(Tally::Make)).SetName("there", "elsewhere").Remote();
  CHECK(*actor.Task(&Tally::HasRuntime).Remote().Get());
  CHECK(!ray::GetActor<Tally>("there") && !ray::GetActor<Tally>("there", "nowhere"));
  CHECK(ray::GetActor<Tally>("there", "elsewhere"));
  CHECK(ray::GetNamespace() == "names" && *ray::Task(SpaceInTask).Remote().Get() == "names");
  CHECK(*actor.Task(&Tally::Space).Remote().Get() == "names");
  ray::RuntimeEnv env;
  CHECK_THROWS(env.Get<std::string>("working_dir"), RayRuntimeEnvException);
  env.Set("working_dir", "https://somewhere/dir.zip");
  CHECK_THROWS(env.SetJsonStr("pip", "{12"), RayRuntimeEnvException);
  CHECK_THROWS(env.GetJsonStr("pip"), RayRuntimeEnvException);
  env.SetJsonStr("pip", R"({"packages":["requests"]})");
  CHECK(env.GetJsonStr("pip") == R"({"packages":["requests"]})");
  CHECK(ray::RuntimeEnv::Deserialize(env.Serialize()).Get<std::string>("working_dir") ==
        "https://somewhere/dir.zip");
  CHECK(env.Remove("working_dir") && env.Remove("pip") && !env.Remove("pip") && env.Empty());
#if __has_include(<nlohmann/json.hpp>) && !defined(FLOWRAY_RAY_API_ALONE)
  env.Set("pip", Packages{{"requests", "torch"}});
  CHECK(env.GetJsonStr("pip") == R"({"packages":["requests","torch"]})");
  CHECK(env.Get<Packages>("pip").names.at(1) == "torch");
  env.SetJsonStr("pip", R"({"packages":[]})");
  CHECK_THROWS(env.Get<Packages>("pip"), RayRuntimeEnvException);
  CHECK(env.Remove("pip"));
#endif
  env.Set("env_vars", std::map<std::string, std::string>{{"KEY", "value"}});
  CHECK(*ray::Task(Variable).Remote("KEY").Get() == "of all");
  CHECK(*ray::Task(Variable).SetRuntimeEnv(env).Remote("KEY").Get() == "value");
  auto with = ray::Actor(RAY_FUNC(Tally::Make)).SetRuntimeEnv(env).Remote();
  CHECK(*with.Task(&Tally::Environment).Remote("KEY").Get() == "value");
}

void RuntimeByTexts() {
  auto runtime = RayRuntimeHolder::Instance().Runtime();
  CHECK(runtime != nullptr && GetRayRuntime() != nullptr);
  CHECK(!runtime->IsLocalMode());
  CHECK(FunctionManager::GetClassNameByFuncName("Tally::Next") == "Tally");
  CHECK(FunctionManager::GetClassNameByFuncName("RAY_FUNC(Tally::Make, std::string)") == "Tally");
  CHECK(FunctionManager::GetClassNameByFuncName("RAY_FUNC(&Tally::Next)") == "Tally");
  CHECK(FunctionManager::Instance().GetFunctionName(One) == "One");
  CHECK_THROWS(FunctionManager::Instance().RegisterRemoteFunction("One", One), RayException);
  CHECK_THROWS(RemoteFunctionHolder(std::string()), RayException);
  auto ref = ray::Put(5);
  runtime->AddLocalReference(ref.ID());
  const std::string id = ref.ID();
  ref = ray::ObjectRef<int>();
  CHECK(*ray::ObjectRef<int>(id).Get() == 5);
  runtime->RemoveLocalReference(id);
  CHECK_THROWS(ray::ObjectRef<int>(id), RayException);
  const ray::ObjectRef<int> six = ray::Put(6);
  const std::vector<ray::ObjectRef<int>> by_ids{six.ID(), six.ID()};
  const auto value_of = [](const ray::ObjectRef<int>& of) { return *of.Get(); };
  CHECK(value_of(by_ids[1]) == 6 && value_of(six.ID()) == 6);
  auto made = ray::Actor(RAY_FUNC(Tally::Make)).Remote();
  const auto next_of = [](const ray::ActorHandle<Tally>& of) {
    return *ray::ActorHandle<Tally>(of).Task(&Tally::Next).Remote().Get();
  };
  CHECK(next_of(made.ID()) == 1);
  const ray::ActorHandleXlang of_other_language = made.ID();
  CHECK(of_other_language.ID() == made.ID());
#if FLOWRAY_HAS_MSGPACK
  const std::string put =
      runtime->Put(std::make_shared<msgpack::sbuffer>(Serializer::Serialize(std::make_pair(1, "text"))));
  const auto bytes = runtime->Get(put, 60000);
  const auto pair = Serializer::Deserialize<std::pair<int, std::string>>(bytes->data(), bytes->size());
  CHECK(pair.first == 1 && pair.second == "text");
  CHECK((ray::ObjectRef<std::pair<int, std::string>>(put).Get()->second == "text"));
  std::vector<TaskArg> args(2);
  args[0].buf = Serializer::Serialize(3);
  args[1].id = runtime->Put(std::make_shared<msgpack::sbuffer>(Serializer::Serialize(4)));
  const std::string sum = runtime->Call(RemoteFunctionHolder("Sum"), args, {});
  CHECK(*ray::ObjectRef<int>(sum).Get() == 7);
  const auto sums = runtime->Get(std::vector<std::string>{sum});
  CHECK(Serializer::Deserialize<int>(sums[0]->data(), sums[0]->size()) == 7);
  std::vector<TaskArg> none;
  const std::string actor = runtime->CreateActor(RemoteFunctionHolder("", "RAY_FUNC(Tally::Make)"), none, {});
  const std::string next = runtime->CallActor(RemoteFunctionHolder("Tally::Next"), actor, none, {});
  CHECK(*ray::ObjectRef<int>(next).Get() == 1);
  for (const std::string& held : {put, *args[1].id, sum, next}) runtime->RemoveLocalReference(held);
  const std::vector<std::any> any{std::string("a"), int64_t{-3}, uint64_t{4}};
  const auto packed = Serializer::Serialize(any);
  const auto unpacked = Serializer::Deserialize<std::vector<std::any>>(packed.data(), packed.size());
  CHECK(std::any_cast<int64_t>(unpacked[1]) == -3);
#endif
}

/// An error that a program says more in before it throws it on.
void AddToError() {
  try {
    ray::Task(Broken).Remote().Get();
  } catch (RayTaskException& error) {
    error.msg_ = "step 3: " + error.msg_;
    throw;
  }
}

void Errors() {
  const RayTimeoutException late("too late");
  CHECK(late.msg_ == "too late" && std::string(late.what()) == "too late");
  try {
    AddToError();
    CHECK(false);
  } catch (const RayException& error) {
    CHECK(std::string(error.what()).starts_with("step 3: 'Broken' failed"));
    CHECK(std::string(error.what()) == error.msg_);
  }
  try {
    ray::Task(BrokenWithMore).Remote().Get();
    CHECK(false);
  } catch (const RayTaskException& error) {
    CHECK(error.msg_.find("broken on purpose, and more") != std::string::npos);
  }
}

void FunctionsOfOtherLanguages() {
  CHECK(is_python_v<ray::PyFunction<int>> && is_python_v<ray::PyActorClass>);
  CHECK(is_java_v<ray::JavaFunction<int>> && is_java_v<ray::JavaActorMethod<void>>);
  CHECK(is_x_lang_v<ray::PyActorMethod<int>> && is_x_lang_v<ray::JavaActorClass>);
  CHECK(!is_x_lang_v<decltype(&One)> && !is_python_v<ray::JavaFunction<int>>);
  static_assert(std::is_same_v<std::invoke_result_t<ray::PyFunction<std::string>>, std::string>);
  static_assert(std::is_same_v<std::invoke_result_t<ray::PyActorMethod<int>>, int>);
  static_assert(std::is_same_v<std::invoke_result_t<ray::JavaFunction<void>>, void>);
  static_assert(std::is_same_v<std::invoke_result_t<ray::JavaActorMethod<double>>, double>);
  static_assert(std::is_void_v<std::invoke_result_t<ray::PyActorClass>>);
  static_assert(std::is_void_v<std::invoke_result_t<ray::JavaActorClass>>);
  CHECK(ray::PyFunction<int>({"module", "function"})() == 0);
}

void Metrics() {
  ray::Gauge gauge("names_gauge", "a gauge", "unit", {"tag"});
  ray::Counter counter("names_counter", "a counter", "unit", {"tag"});
  ray::Histogram histogram("names_histogram", "a histogram", "unit", {1, 10}, {"tag"});
  ray::Sum sum("names_sum", "a sum", "unit", {"tag"});
  const std::unordered_map<std::string, std::string> tags{{"tag", "value"}};
  gauge.Set(1, tags);
  counter.Inc(1, tags);
  histogram.Observe(2, tags);
  sum.Record(3, tags);
}

std::promise<bool> opened;
bool WaitToBeOpened() { return opened.get_future().get(); }
bool OpenAndGet(ray::ObjectRef<bool> waiting) {
  const auto result = ray::Wait(std::vector<ray::ObjectRef<bool>>{waiting}, 1, 10);
  opened.set_value(result.ready.empty());
  return *ray::Get(waiting);
}
RAY_REMOTE(WaitToBeOpened, OpenAndGet);

/// A task that waits for what a later one does, which gets a reference to it.
void LocalMode() {
  ray::RayConfig config;
  config.local_mode = true;
  ray::Init(config);
  CHECK(RayRuntimeHolder::Instance().Runtime()->IsLocalMode());
  auto waiting = ray::Task(WaitToBeOpened).Remote();
  CHECK(*ray::Task(OpenAndGet).Remote(waiting).Get());
  auto tally = ray::Actor(RAY_FUNC(Tally::Make)).Remote();
  auto one = tally.Task(&Tally::Add).Remote(ray::Task(One).Remote());
  CHECK(*tally.Task(&Tally::Add).Remote(one).Get() == 2);
  CHECK_THROWS(ray::Task(Broken).Remote().Get(), RayTaskException);
  ray::Shutdown();
}

int main(int argc, char** argv) {
  LocalMode();
  ray::Init();
  CHECK(ray::IsInitialized());
  ray::Shutdown();
  CHECK(!ray::IsInitialized());
  ray::RayConfig config;
  config.ray_namespace = "names";
  config.default_actor_lifetime = ray::ActorLifetime::DETACHED;
  config.head_args = {"--num-cpus", "4", "--resources", "{\"tape\":2}"};
  ray::RuntimeEnv env;
  env.Set("env_vars", std::map<std::string, std::string>{{"KEY", "of all"}});
  config.runtime_env = env;
  ray::Init(config, argc, argv);
  TasksAndValues();
  Actors();
  TypesThatTravel();
  TypesWithAdaptors();
  Resources();
  PlacementGroups();
  NamespacesAndEnvironments();
  RuntimeByTexts();
  Errors();
  FunctionsOfOtherLanguages();
  Metrics();
  ray::Shutdown();
  std::cout << "all names" << std::endl;
  return 0;
}
