// Processes that lie to those that share a link with them: in each field of a message, in the words around
// it, and by bytes that mean nothing. Whoever reads that goes on, has what is its own, and waits for nothing
// without end. A failure names its seed; FLOWRAY_LIES_SEED=N begins there.

#include <flowray/ray.h>
#include <flowray/ray/containers.h>
#include <flowray/ray/encoding.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/sanitizers.h"
#include "ray/functions/function_registry.h"
#include "ray/transport/link.h"
#include "ray/transport/protocol.h"
#include "ray/values/value.h"

namespace flowray {
namespace {

using ray::Link;
using Bytes = std::vector<std::byte>;

/// Only a hang takes this long.
constexpr int kGuardMs = 60'000;

// ---- a link, as a process that writes where it likes sees it

/// As in ring.cpp.
constexpr uint64_t kMessageWord = uint64_t{0x4D657373} << 32;
constexpr uint64_t kPaddingWord = uint64_t{0x50616464} << 32;
constexpr size_t kRecordHead = 16;

class LinkHere {
 public:
  enum Way : size_t { kToCallee, kToCaller };

  /// Those that this process has mapped.
  static std::vector<LinkHere> all() {
    std::vector<LinkHere> found;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
      if (line.find("flowray-link") == std::string::npos) continue;
      found.push_back(LinkHere(reinterpret_cast<std::byte*>(std::stoull(line, nullptr, 16))));
    }
    return found;
  }

  Link::Control& control() const { return *reinterpret_cast<Link::Control*>(begin_); }
  ray::RingHeader& header(Way way) const { return *reinterpret_cast<ray::RingHeader*>(ring(way)); }
  std::byte* bytes(Way way) const { return ring(way) + sizeof(ray::RingHeader); }
  std::span<std::byte> all_bytes() const { return {begin_, Link::size_bytes()}; }

  /// The first call that came by it, if not many have.
  ray::Run first_call() const {
    uint64_t word = 0;
    std::memcpy(&word, bytes(kToCallee), sizeof word);
    const size_t size = std::min<size_t>(word & 0xFFFFFFFF, Link::kRingBytes / 2);
    const Bytes copy(bytes(kToCallee) + kRecordHead, bytes(kToCallee) + kRecordHead + size);
    std::vector<ray::ValuePart> parts;
    ray::Run run = ray::read_message<ray::Run>(copy, parts);
    run.parts = {};
    return run;
  }
  /// Puts the message where the other end looks for its next one, behind that word.
  void say(Way way, const Bytes& message, uint64_t word) const {
    const uint64_t read =
        header(way).read.load() % Link::kRingBytes & ~uint64_t{15};  // it may be a lie by now
    std::byte* const at = bytes(way) + read;
    const size_t room = Link::kRingBytes - read;
    if (room > kRecordHead)
      std::copy_n(message.begin(), std::min(message.size(), room - kRecordHead), at + kRecordHead);
    std::atomic_ref<uint64_t>(*reinterpret_cast<uint64_t*>(at)).store(word);
    (way == kToCallee ? control().callee_doorbell : control().caller_doorbell).ring(-1);
  }

 private:
  explicit LinkHere(std::byte* begin) : begin_(begin) {}
  std::byte* ring(Way way) const {
    return begin_ + sizeof(Link::Control) + way * ray::ring_memory_bytes(Link::kRingBytes);
  }

  std::byte* begin_;
};

/// What there is to be said that is not so.
class Lies {
 public:
  Lies(const LinkHere& link, LinkHere::Way way, uint32_t seed) : link_(link), way_(way), random_(seed) {
    random_.discard(3);
    first_task_ = link.first_call().task.value;
  }

  void tell() {
    for (uint32_t count = 1 + below(4); count > 0; --count) tell_one();
  }

 private:
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  bool one_in(uint32_t n) { return below(n) == 0; }
  uint64_t any_number() {
    const uint64_t wide = (uint64_t{random_()} << 33) ^ random_();
    return one_in(2) ? wide : wide >> below(64);
  }

  void tell_one() {
    switch (below(8)) {
      case 0:
        return change_tickets();
      case 1:
        link_.control().caller_doorbell.announce(static_cast<ray::Doorbell::How>(below(5)));
        link_.control().callee_doorbell.announce(static_cast<ray::Doorbell::How>(below(5)));
        return;
      case 2:
        link_.header(one_in(2) ? LinkHere::kToCallee : LinkHere::kToCaller).read = any_number();
        link_.header(way_).wake_writer_at = any_number();
        return;
      case 3:
        return scribble();
      case 4:
        return link_.say(way_, {}, one_in(2) ? kPaddingWord : any_number());
      default: {
        Bytes message = way_ == LinkHere::kToCaller ? answer() : call();
        if (one_in(3)) damage(message);
        const uint64_t size = one_in(8) ? any_number() & 0xFFFFFFFF : message.size();
        return link_.say(way_, message, kMessageWord | size);
      }
    }
  }

  /// To what no honest callee changes them.
  void change_tickets() {
    for (auto& word : link_.control().tickets) word = one_in(2) ? 0 : any_number() & ~uint64_t{1};
  }

  void scribble() {
    const auto all = link_.all_bytes();
    if (one_in(2)) {
      for (std::byte& byte : all) byte = static_cast<std::byte>(random_());
    } else {
      for (int i = 0; i < 2000; ++i) all[random_() % all.size()] = static_cast<std::byte>(random_());
    }
    (way_ == LinkHere::kToCallee ? link_.control().callee_doorbell : link_.control().caller_doorbell)
        .ring(-1);
  }

  void damage(Bytes& bytes) {
    for (uint32_t count = 1 + below(4); count > 0; --count)
      bytes[random_() % bytes.size()] = static_cast<std::byte>(random_());
    if (one_in(4)) bytes.resize(random_() % bytes.size());
  }

  Bytes value() {
    ray::internal::EncoderLease encoder;
    switch (below(3)) {
      case 0:
        encode(*encoder, static_cast<int>(random_()));
        break;
      case 1:
        encode(*encoder, std::string(below(60'000), 'l'));
        break;
      default:
        encode(*encoder, Array(std::vector<float>(below(3000), 1.5f)));
    }
    Bytes bytes(encoded_size_bytes(*encoder));
    write_value(*encoder, bytes.data());
    if (one_in(4)) {  // its head: how many references and arrays it has, and where
      const uint64_t number = any_number();
      std::memcpy(bytes.data() + 4 * below(4), &number, 4);
    }
    if (one_in(4)) damage(bytes);
    return bytes;
  }

  std::vector<ray::ValuePart> parts() {
    std::vector<ray::ValuePart> all(one_in(4) ? below(4) : 1);
    value_ = value();
    // In the middle of the room for a message.
    value_.resize(std::min(value_.size(), 50'000 / std::max<size_t>(all.size(), 1)));
    for (ray::ValuePart& part : all) {
      part.bytes = value_;
      part.is_error = one_in(4);
      part.object = {any_task()};
      if (one_in(6)) part.extent = {{1 + below(4)}, any_number(), any_number() >> 3};
      if (part.extent && one_in(2)) part.lender = {any_task()};
    }
    return all;
  }

  /// One that was made by the link, comes next, or never was.
  uint64_t any_task() { return one_in(6) ? any_number() >> 1 : first_task_ + below(60); }

  Bytes answer() {
    const std::vector<ray::ValuePart> all = parts();
    return bytes_of(ray::Done{{any_task()}, any_number() >> 1, all, below(2), any_number() >> 1, below(2)});
  }

  Bytes call() {
    const std::vector<ray::ValuePart> all = parts();
    const char* const functions[] = {"Neighbour::Add",  "Neighbour::Create", "Neighbour::Text",
                                     "Foreign::Create", "Foreign::Touch",    "lied_about"};
    ray::Run run;
    run.task = {any_task()};
    run.mode =
        static_cast<ray::CallMode>(one_in(6) ? below(6) : static_cast<uint32_t>(ray::CallMode::kActorCall));
    run.ticket = any_number() >> 1;
    run.function = one_in(6) ? ray::FunctionId{any_number()}
                             : ray::FunctionRegistry::id_of(functions[below(std::size(functions))]);
    if (one_in(6)) run.num_returns = static_cast<uint32_t>(any_number());
    if (one_in(6)) run.num_ahead = static_cast<uint32_t>(any_number());
    if (one_in(6)) run.is_stream = below(4);
    if (one_in(6)) run.most_ahead = below(4);
    if (one_in(6)) run.group = {any_number()};
    const std::vector<uint32_t> gpus(below(3), 7);
    if (one_in(6)) run.gpus = gpus;
    if (one_in(6)) run.lane = static_cast<uint32_t>(any_number());
    if (one_in(6)) run.environment = "{\"env_vars\":{\"LIE\":\"1\"}}";
    if (one_in(6)) run.is_its = below(3);
    run.parts = all;
    return bytes_of(run);
  }

  template <class Message>
  static Bytes bytes_of(const Message& message) {
    Bytes bytes(message_size_bytes(message));
    write_message(message, bytes.data());
    return bytes;
  }

  const LinkHere link_;
  const LinkHere::Way way_;
  std::minstd_rand random_;
  uint64_t first_task_ = 0;
  Bytes value_;
};

// ---- those who lie, and those who are lied to

int lied_about(int x) { return x; }

/// Of another class than the actors are.
class Foreign {
 public:
  static Foreign* Create() { return new Foreign; }
  size_t Touch() { return words_.emplace_back("foreign").size(); }

 private:
  std::vector<std::string> words_;
};

class Neighbour {
 public:
  static Neighbour* Create() { return new Neighbour; }
  int Pid() const { return getpid(); }
  int Add(int x) { return sum_ += x; }
  int Echo(int x) const { return x; }
  std::string Text(int bytes) const { return std::string(static_cast<size_t>(bytes) % 100'000, 't'); }

  /// The answers to all are right.
  bool Asks(const ray::ActorHandle<Neighbour>& other, int calls) const {
    for (int i = 0; i < calls; ++i) {
      if (*other.Task(&Neighbour::Echo).Remote(i).Get() != i) return false;
    }
    return !LinkHere::all().empty();
  }

  // ---- those who lie
  int LieToCaller(uint32_t seed) {
    const auto links = LinkHere::all();
    if (!links.empty()) Lies(links[0], LinkHere::kToCaller, seed).tell();
    return 7;
  }
  /// Says that all calls are answered, and answers none.
  int SayNothing() {
    for (const LinkHere& link : LinkHere::all()) {
      for (auto& word : link.control().tickets) word |= 1;
    }
    for (;;) pause();
  }
  int LieTo(const ray::ActorHandle<Neighbour>& other, uint32_t seed) {
    Greet(other);
    const auto links = LinkHere::all();
    if (!links.empty()) Lies(links[0], LinkHere::kToCallee, seed).tell();
    for (int i = 0; i < 5; ++i) await(other.Task(&Neighbour::Echo).Remote(i));
    return static_cast<int>(links.size());
  }

  // ---- those who are lied to
  /// How many links there were, and how many calls got no value.
  std::pair<int, int> SufferLies(const ray::ActorHandle<Neighbour>& liar,
                                 const ray::ActorHandle<Neighbour>& other, uint32_t seed) {
    Greet(liar);
    const auto links = static_cast<int>(LinkHere::all().size());
    std::vector<ray::ObjectRef<int>> calls;
    calls.push_back(liar.Task(&Neighbour::LieToCaller).Remote(seed));
    for (int i = 0; i < 4; ++i) calls.push_back(liar.Task(&Neighbour::Echo).Remote(i));
    const auto text = liar.Task(&Neighbour::Text).Remote(30'000);
    const auto forgotten = liar.Task(&Neighbour::Text).Remote(40'000);
    int failed = await(calls[0]);
    switch (seed % 5) {
      case 0:
        await_any(calls);
        break;
      case 1:
        ray::Cancel(calls[1]);
        break;
      case 2:
        await(other.Task(&Neighbour::Echo).Remote(calls[2]));
        break;
      case 3:
        kept_in_store_.push_back(ray::Put(calls));
        break;
      default:
        break;
    }
    for (const auto& call : calls) failed += await(call);
    failed += await(text);
    left_.insert(left_.end(), calls.begin(), calls.end());
    return {links, failed};
  }
  std::string HearNothing(const ray::ActorHandle<Neighbour>& liar) {
    Greet(liar);
    const auto call = liar.Task(&Neighbour::SayNothing).Remote();
    for (;;) {
      try {
        return std::to_string(*call.Get(50));
      } catch (const ray::RayTimeoutException&) {
      } catch (const ray::RayException& error) {
        return error.what();
      }
    }
  }
  /// What was left has come to an end.
  size_t Settle() {
    for (const auto& call : left_) {
      try {
        call.Get();
      } catch (const std::exception&) {
      }
    }
    kept_in_store_.clear();
    return std::exchange(left_, {}).size();
  }

 private:
  static void Greet(const ray::ActorHandle<Neighbour>& other) {
    for (int i = 0; i < 12; ++i) other.Task(&Neighbour::Echo).Remote(i).Get();
  }
  /// 1: no value came in time.
  template <typename T>
  static int await(const ray::ObjectRef<T>& call) {
    try {
      call.Get(15);  // long enough that the owner is asked
      return 0;
    } catch (const std::exception&) {
      return 1;
    }
  }
  static void await_any(const std::vector<ray::ObjectRef<int>>& calls) {
    try {
      ray::Wait(calls, static_cast<int>(calls.size()), 5);
    } catch (const std::exception&) {
    }
  }

  int sum_ = 0;
  std::vector<ray::ObjectRef<int>> left_;
  std::vector<ray::ObjectRef<std::vector<ray::ObjectRef<int>>>> kept_in_store_;
};

RAY_REMOTE(lied_about, Foreign::Create, &Foreign::Touch, Neighbour::Create, &Neighbour::Pid, &Neighbour::Add,
           &Neighbour::Echo, &Neighbour::Text, &Neighbour::Asks, &Neighbour::LieToCaller,
           &Neighbour::SayNothing, &Neighbour::LieTo, &Neighbour::SufferLies, &Neighbour::HearNothing,
           &Neighbour::Settle);

uint32_t first_seed() {
  const char* const given = std::getenv("FLOWRAY_LIES_SEED");
  return given == nullptr ? 1 : static_cast<uint32_t>(std::strtoul(given, nullptr, 10));
}

uint32_t num_seeds() {
  if (std::getenv("FLOWRAY_NIGHTLY") != nullptr) return 5000;
  return kSanitized ? 30 : 150;
}

class LyingLinks : public ::testing::Test {
 protected:
  LyingLinks() {
    setenv("FLOWRAY_LINKS", "1", 1);
    ray::Init({.num_cpus = 1, .object_store_memory = size_t{64} << 20, .shutdown_timeout_ms = 100});
    honest = ray::Actor(Neighbour::Create).Remote();
    other = ray::Actor(Neighbour::Create).Remote();
    pid = value(honest.Task(&Neighbour::Pid).Remote());
  }
  ~LyingLinks() override {
    ray::Shutdown();
    unsetenv("FLOWRAY_LINKS");
  }

  template <typename T>
  static T value(const ray::ObjectRef<T>& call) {
    return *call.Get(kGuardMs);
  }
  /// It lives, and calls and is called by others.
  void expect_sound() const {
    EXPECT_EQ(value(honest.Task(&Neighbour::Pid).Remote()), pid);
    EXPECT_TRUE(value(honest.Task(&Neighbour::Asks).Remote(other, 20)));
    EXPECT_TRUE(value(other.Task(&Neighbour::Asks).Remote(honest, 20)));
    EXPECT_TRUE(value(other.Task(&Neighbour::Asks).Remote(honest, 20)));
  }

  ray::ActorHandle<Neighbour> honest;
  ray::ActorHandle<Neighbour> other;
  int pid = 0;
};

TEST_F(LyingLinks, HarmNoCaller) {
  int failed = 0;
  for (uint32_t seed = first_seed(); seed < first_seed() + num_seeds() && !HasFailure(); ++seed) {
    SCOPED_TRACE("FLOWRAY_LIES_SEED=" + std::to_string(seed));
    const auto liar = ray::Actor(Neighbour::Create).Remote();
    const auto told = value(honest.Task(&Neighbour::SufferLies).Remote(liar, other, seed));
    EXPECT_GE(told.first, 1);
    failed += told.second;
    liar.Kill();
    EXPECT_EQ(value(honest.Task(&Neighbour::Settle).Remote()), 5u);
    expect_sound();
  }
  std::printf("%d calls got no value\n", failed);
  EXPECT_GT(failed, 0) << "no lie was told";
}

TEST_F(LyingLinks, HarmNoCallee) {
  for (uint32_t seed = first_seed(); seed < first_seed() + num_seeds() && !HasFailure(); ++seed) {
    SCOPED_TRACE("FLOWRAY_LIES_SEED=" + std::to_string(seed));
    const auto liar = ray::Actor(Neighbour::Create).Remote();
    EXPECT_EQ(value(liar.Task(&Neighbour::LieTo).Remote(honest, seed)), 1);
    liar.Kill();
    expect_sound();
  }
}

TEST_F(LyingLinks, KeepNobodyWaitingForAnAnswerThatIsSaidToBeThere) {
  const auto liar = ray::Actor(Neighbour::Create).Remote();
  const std::string told = value(honest.Task(&Neighbour::HearNothing).Remote(liar));
  EXPECT_NE(told.find("The actor's process sent what cannot be"), std::string::npos) << told;
  liar.Kill();
  expect_sound();
}

}  // namespace
}  // namespace flowray
