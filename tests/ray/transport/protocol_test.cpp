#include "ray/transport/protocol.h"

#include <flowray/errors.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

namespace flowray::ray {
namespace {

using ::testing::ElementsAre;

/// The bytes of one message, aligned as in a ring; of exactly its length, so that a sanitizer sees who
/// reads beyond.
class Bytes {
 public:
  explicit Bytes(std::span<const std::byte> bytes) : words_((bytes.size() + 7) / 8), size_(bytes.size()) {
    if (!bytes.empty()) std::memcpy(words_.data(), bytes.data(), bytes.size());
  }
  template <class Message>
  static Bytes of(const Message& message) {
    Bytes bytes{std::vector<std::byte>(message_size_bytes(message))};
    write_message(message, bytes.data());
    return bytes;
  }
  std::byte* data() { return reinterpret_cast<std::byte*>(words_.data()); }
  std::span<const std::byte> span() const {
    return {reinterpret_cast<const std::byte*>(words_.data()), size_};
  }
  bool operator==(const Bytes&) const = default;

 private:
  std::vector<uint64_t> words_;
  size_t size_;
};

std::vector<std::byte> some_bytes(size_t count) {
  std::vector<std::byte> bytes(count);
  for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i + 1);
  return bytes;
}

/// Values of every form that a message may carry.
struct Parts {
  const std::vector<std::byte> five = some_bytes(5);
  std::array<ValuePart, 3> list{};
  Parts() {
    list[0].object = {11};
    list[0].bytes = five;
    list[1].is_error = true;
    list[1].bytes = std::span(five).first(1);
    list[2].object = {13};
    list[2].extent = {{3}, uint64_t{1} << 40, uint64_t{5} << 33};
  }
  void expect_same(std::span<const ValuePart> read) const {
    ASSERT_EQ(read.size(), list.size());
    for (size_t i = 0; i < list.size(); ++i) {
      EXPECT_EQ(read[i].object, list[i].object) << i;
      EXPECT_EQ(read[i].is_error, list[i].is_error) << i;
      EXPECT_EQ(read[i].extent, list[i].extent) << i;
      EXPECT_TRUE(std::ranges::equal(read[i].bytes, list[i].bytes)) << i;
    }
  }
};

const Parts kParts;
const std::array<ObjectId, 3> kIds{ObjectId{1}, ObjectId{~uint64_t{0}}, ObjectId{uint64_t{1} << 40}};
const std::array<uint32_t, 3> kGpus{0, 7, 1023};
const std::array<uint32_t, 2> kGroupSizes{22, 1};
const std::array<uint64_t, 4> kCalls{74, 75, 76, 77};
const std::array<uint8_t, 5> kReady{1, 0, 1, 1, 0};

/// Every message, with values in all fields that show which is which.
template <class F>
void with_each_message(const F& use) {
  use(ray::Run{{1}, CallMode::kActorCall, 2, {3}, 4, 5, 1, 6, {7}, kGpus, kParts.list, 8});
  use(RunArguments{{5}, std::span(kParts.list).first(2)});
  use(Value{7, 8, std::span(kParts.list).subspan(2, 1)});
  use(Waited{9, kReady});
  use(Leased{10, {11}, 13, 64, uint64_t{12} << 32, "why not"});
  use(Freed{{{13}, 14, 15}});
  use(FoundActor{16, {17}});
  use(Exit{});
  use(Forget{{18}});
  use(BecomeActor{{18}, 19, 20, 21, kGroupSizes, {22}});
  use(KeepCheckpoint{std::span(kParts.list).first(1)});
  use(Started{19});
  use(Done{{20}, 21, kParts.list, 1});
  use(Submit{{CallMode::kMakeActor,
              {22},
              {23},
              {24},
              {25, 26, {27}, 28, 29, 1, 1, 30, {31}, 32, 1},
              "name",
              "function",
              "a class",
              "x",
              "groups",
              std::string_view("A=1\0", 4),
              kIds},
             {26},
             std::span(kParts.list).first(1)});
  use(PutValue{std::span(kParts.list).first(1), 1});
  use(GetValues{27, kIds});
  use(WaitFor{28, 29, kIds});
  use(Cancel{30});
  use(Adopt{{31}});
  use(Release{kIds});
  use(ReadEnded{std::span(kIds).first(1)});
  use(Lease{32, uint64_t{33} << 32, 1});
  use(KillActor{{34}, 1});
  use(FindActor{35, "somebody"});
  use(WantRegion{{36}});
  use(Interrupt{{37}, 1});
  use(Cancelled{38, "why not"});
  use(CancelCall{39, {40}, 1, 0});
  use(ExitActorCall{});
  use(Taken{{43}, 44});
  use(FoundNext{45, internal::NextItem::kItem, {46}});
  use(Give{{47}, 48, std::span(kParts.list).first(1)});
  use(AskNext{49, {50}, 1});
  use(MakeGroup{{51},
                1,
                "a group",
                std::string_view("x\0"
                                 "1\0\0",
                                 5)});
  use(RemoveGroup{{52}});
  use(AskGroup{53, {54}});
  use(ToldGroup{55,
                {56},
                2,
                3,
                "a group",
                std::string_view("x\0"
                                 "1\0\0",
                                 5)});
  use(AskPendingCalls{57, {58}});
  use(ToldPendingCalls{59, 60});
  use(Linked{{61}, 1, {62}, {63}, 64});
  use(LinkEnded{{65}, std::span(kParts.list).first(1)});
  use(Handed{{66}, {78}});
  use(AskLink{{67}, 68});
  use(LinkMade{{69}, 1});
  use(LinkClosed{{70}});
  use(Promise{{71}, {72}, {79}});
  use(AnswerFor{{73}, std::span(kParts.list).first(1)});
  use(RanLinked{kCalls});
  use(AskResources{41, internal::WhichResources::kFree});
  use(ToldResources{42, std::string_view("CPU\0"
                                         "1000\0",
                                         9)});
}

template <class Message>
Message read_back(const Bytes& bytes, std::vector<ValuePart>& parts) {
  EXPECT_EQ(message_kind(bytes.span()), Message::kKind);
  return read_message<Message>(bytes.span(), parts);
}

// Kind, mode and lane, task, ticket, function, numbers of values: 8 bytes each; one value: 8 for the length
// of the list, 16 before its 8 bytes.
TEST(Protocol, SendsOfARunWhatFewHaveOnlyToThose) {
  const std::vector<std::byte> eight = some_bytes(8);
  std::array<ValuePart, 1> one{};
  one[0].bytes = eight;
  ray::Run run{{1}, CallMode::kTask, 2, {3}};
  run.parts = one;
  EXPECT_EQ(message_size_bytes(run), 80u);
  std::vector<ValuePart> parts;
  const Bytes plain = Bytes::of(run);
  const auto read = read_back<ray::Run>(plain, parts);
  EXPECT_EQ(read.ticket, 2u);
  EXPECT_EQ(read.is_stream, 0u);
  EXPECT_EQ(read.most_ahead, 0u);
  EXPECT_EQ(read.group, ObjectId{});
  EXPECT_TRUE(read.gpus.empty());
  ASSERT_EQ(read.parts.size(), 1u);
  EXPECT_TRUE(std::ranges::equal(read.parts[0].bytes, eight));

  run.group = {9};
  EXPECT_EQ(message_size_bytes(run), 80u + 32u);
  const Bytes grouped = Bytes::of(run);
  EXPECT_EQ(read_back<ray::Run>(grouped, parts).group, ObjectId{9});
}

TEST(Protocol, ReadsTheMessagesToAWorkerAsTheyWereWritten) {
  std::vector<ValuePart> parts;
  const Bytes run_bytes =
      Bytes::of(ray::Run{{1}, CallMode::kActorCall, 2, {3}, 4, 5, 1, 6, {7}, kGpus, kParts.list, 8});
  const auto run = read_back<ray::Run>(run_bytes, parts);
  EXPECT_EQ(run.task, TaskId{1});
  EXPECT_EQ(run.mode, CallMode::kActorCall);
  EXPECT_EQ(run.ticket, 2u);
  EXPECT_TRUE(std::ranges::equal(run.gpus, kGpus));
  EXPECT_EQ(run.function, FunctionId{3});
  EXPECT_EQ(run.num_returns, 4u);
  EXPECT_EQ(run.num_ahead, 5u);
  EXPECT_EQ(run.lane, 8u);
  EXPECT_EQ(lane_of_run(run_bytes.span()), 8u);
  kParts.expect_same(run.parts);

  const Bytes arguments_bytes = Bytes::of(RunArguments{{5}, kParts.list});
  const auto arguments = read_back<RunArguments>(arguments_bytes, parts);
  EXPECT_EQ(arguments.task, TaskId{5});
  kParts.expect_same(arguments.parts);

  const Bytes value_bytes = Bytes::of(Value{7, 8, kParts.list});
  const auto value = read_back<Value>(value_bytes, parts);
  EXPECT_EQ(value.request, 7u);
  EXPECT_EQ(value.index, 8u);
  kParts.expect_same(value.parts);

  const Bytes waited_bytes = Bytes::of(Waited{9, kReady});
  const auto waited = read_back<Waited>(waited_bytes, parts);
  EXPECT_EQ(waited.request, 9u);
  EXPECT_THAT(waited.ready, ElementsAre(1, 0, 1, 1, 0));

  const Bytes leased_bytes = Bytes::of(Leased{10, {11}, 13, 64, uint64_t{12} << 32, "why not"});
  const auto leased = read_back<Leased>(leased_bytes, parts);
  EXPECT_EQ(leased.request, 10u);
  EXPECT_EQ(leased.lease, 13u);
  EXPECT_EQ(leased.offset, 64u);
  EXPECT_EQ(leased.slab, SlabId{11});
  EXPECT_EQ(leased.size_bytes, uint64_t{12} << 32);
  EXPECT_EQ(leased.text, "why not");

  EXPECT_EQ(read_back<Freed>(Bytes::of(Freed{{{13}, 14, 15}}), parts).extent, (Extent{{13}, 14, 15}));
  EXPECT_EQ(read_back<FoundActor>(Bytes::of(FoundActor{16, {17}}), parts).request, 16u);
  EXPECT_EQ(read_back<FoundActor>(Bytes::of(FoundActor{16, {17}}), parts).actor, ActorId{17});
  read_back<Exit>(Bytes::of(Exit{}), parts);
  EXPECT_EQ(read_back<Forget>(Bytes::of(Forget{{18}}), parts).slab, SlabId{18});
  EXPECT_EQ(read_back<Interrupt>(Bytes::of(Interrupt{{37}}), parts).task, TaskId{37});
  const Bytes cancelled_bytes = Bytes::of(Cancelled{38, "why not"});
  const auto cancelled = read_back<Cancelled>(cancelled_bytes, parts);
  EXPECT_EQ(cancelled.request, 38u);
  EXPECT_EQ(cancelled.refusal, "why not");
  const Bytes become_bytes = Bytes::of(BecomeActor{{18}, 19, 20, 21, kGroupSizes, {22}});
  const auto become = read_back<BecomeActor>(become_bytes, parts);
  EXPECT_EQ(become.actor, ActorId{18});
  EXPECT_EQ(become.max_concurrency, 19u);
  EXPECT_EQ(become.num_threads, 20u);
  EXPECT_EQ(become.restarts, 21u);
  EXPECT_TRUE(std::ranges::equal(become.group_sizes, kGroupSizes));
  EXPECT_EQ(become.checkpoint, ObjectId{22});
}

TEST(Protocol, ReadsTheMessagesOfAWorkerAsTheyWereWritten) {
  std::vector<ValuePart> parts;
  EXPECT_EQ(read_back<Started>(Bytes::of(Started{19}), parts).pid, 19u);

  const Bytes done_bytes = Bytes::of(Done{{20}, 21, kParts.list, 1, 22, 1});
  const auto done = read_back<Done>(done_bytes, parts);
  EXPECT_EQ(done.task, TaskId{20});
  EXPECT_EQ(done.run_ns, 21u);
  EXPECT_EQ(done.has_thrown, 1u);
  EXPECT_EQ(done.begin_ns, 22u);
  EXPECT_EQ(done.is_final, 1u);
  kParts.expect_same(done.parts);

  const auto cancel = read_back<CancelCall>(Bytes::of(CancelCall{39, {40}, 1, 2}), parts);
  EXPECT_EQ(cancel.request, 39u);
  EXPECT_EQ(cancel.object, ObjectId{40});
  EXPECT_EQ(cancel.force, 1u);
  EXPECT_EQ(cancel.recursive, 2u);
  const Bytes submit_bytes = Bytes::of(Submit{{CallMode::kMakeActor,
                                               {22},
                                               {23},
                                               {24},
                                               {25, 26, {27}, 28, 29},
                                               "name",
                                               "function",
                                               "a class",
                                               "x",
                                               "groups",
                                               std::string_view("A=1\0", 4),
                                               kIds},
                                              {26},
                                              kParts.list});
  const auto submit = read_back<Submit>(submit_bytes, parts);
  EXPECT_EQ(submit.parent, TaskId{26});
  EXPECT_EQ(submit.mode, CallMode::kMakeActor);
  EXPECT_EQ(submit.function, FunctionId{22});
  EXPECT_EQ(submit.actor, ActorId{23});
  EXPECT_EQ(submit.first_return, ObjectId{24});
  EXPECT_EQ(submit.terms.num_returns, 25u);
  EXPECT_EQ(submit.terms.max_retries, 26u);
  EXPECT_EQ(submit.terms.resources.cpu_milli, 27u);
  EXPECT_EQ(submit.terms.max_concurrency, 28u);
  EXPECT_EQ(submit.terms.num_threads, 29u);
  EXPECT_EQ(submit.name, "name");
  EXPECT_EQ(submit.function_name, "function");
  EXPECT_EQ(submit.class_name, "a class");
  EXPECT_EQ(submit.concurrency_groups, "groups");
  EXPECT_EQ(submit.environment, std::string_view("A=1\0", 4));
  EXPECT_TRUE(std::ranges::equal(submit.refs, kIds));
  kParts.expect_same(submit.parts);

  const Bytes put_bytes = Bytes::of(PutValue{kParts.list, 1});
  const auto put = read_back<PutValue>(put_bytes, parts);
  kParts.expect_same(put.parts);
  EXPECT_EQ(put.is_read, 1u);

  const Bytes get_bytes = Bytes::of(GetValues{27, kIds});
  EXPECT_EQ(read_back<GetValues>(get_bytes, parts).request, 27u);
  EXPECT_TRUE(std::ranges::equal(read_back<GetValues>(get_bytes, parts).objects, kIds));

  const Bytes wait_bytes = Bytes::of(WaitFor{28, 29, kIds});
  const auto wait = read_back<WaitFor>(wait_bytes, parts);
  EXPECT_EQ(wait.request, 28u);
  EXPECT_EQ(wait.count, 29u);
  EXPECT_TRUE(std::ranges::equal(wait.objects, kIds));

  EXPECT_EQ(read_back<Cancel>(Bytes::of(Cancel{30}), parts).request, 30u);
  EXPECT_EQ(read_back<Adopt>(Bytes::of(Adopt{{31}}), parts).object, ObjectId{31});
  const Bytes release_bytes = Bytes::of(Release{kIds});
  EXPECT_TRUE(std::ranges::equal(read_back<Release>(release_bytes, parts).objects, kIds));
  const Bytes ended_bytes = Bytes::of(ReadEnded{kIds});
  EXPECT_TRUE(std::ranges::equal(read_back<ReadEnded>(ended_bytes, parts).objects, kIds));

  const auto lease = read_back<Lease>(Bytes::of(Lease{32, uint64_t{33} << 32, 1}), parts);
  EXPECT_EQ(lease.only_if_free, 1u);
  EXPECT_EQ(lease.request, 32u);
  EXPECT_EQ(lease.size_bytes, uint64_t{33} << 32);
  const auto kill = read_back<KillActor>(Bytes::of(KillActor{{34}, 1}), parts);
  EXPECT_EQ(kill.actor, ActorId{34});
  EXPECT_EQ(kill.may_restart, 1u);
  const Bytes find_bytes = Bytes::of(FindActor{35, "somebody"});
  EXPECT_EQ(read_back<FindActor>(find_bytes, parts).request, 35u);
  EXPECT_EQ(read_back<FindActor>(find_bytes, parts).name, "somebody");
}

TEST(Protocol, ReadsEmptyLists) {
  std::vector<ValuePart> parts(3);
  const Bytes bytes = Bytes::of(Submit{});
  const auto submit = read_back<Submit>(bytes, parts);
  EXPECT_TRUE(submit.refs.empty());
  EXPECT_TRUE(submit.parts.empty());
  EXPECT_TRUE(submit.name.empty());
}

TEST(Protocol, RefusesEveryMessageThatEndsTooEarly) {
  size_t num_refused = 0;
  with_each_message([&]<class Message>(const Message& message) {
    const Bytes whole = Bytes::of(message);
    for (size_t length = 0; length < whole.span().size(); ++length) {
      const Bytes part(whole.span().first(length));
      std::vector<ValuePart> parts;
      if (length < 8) {
        EXPECT_EQ(message_kind(part.span()), 0u);
      }
      try {
        const auto read = read_message<Message>(part.span(), parts);
        // Only the zeros behind the last list may be missing.
        EXPECT_EQ(Bytes::of(read), whole) << "message " << Message::kKind << " cut at " << length;
        EXPECT_GT(length + 8, whole.span().size());
      } catch (const errors::DataLossError& error) {
        ++num_refused;
        EXPECT_NE(error.message().find("ends too early"), std::string::npos);
      }
    }
  });
  EXPECT_GT(num_refused, 1000u);
}

/// Reads every byte that the message refers to.
template <class T>
void touch(const T&, uint64_t&) {}
void touch(std::string_view text, uint64_t& sum) {
  for (const char c : text) sum += static_cast<unsigned char>(c);
}
template <class T>
void touch(std::span<const T> items, uint64_t& sum) {
  for (const std::byte byte : std::as_bytes(items)) sum += static_cast<uint64_t>(byte);
}
void touch_parts(std::span<const ValuePart> parts, uint64_t& sum) {
  for (const ValuePart& part : parts) touch(part.bytes, sum);
}

template <class Message>
uint64_t touch_all(const Message& message) {
  uint64_t sum = 0;
  if constexpr (requires { message.parts; }) touch_parts(message.parts, sum);
  if constexpr (requires { message.refs; }) touch(message.refs, sum);
  if constexpr (requires { message.objects; }) touch(message.objects, sum);
  if constexpr (requires { message.ready; }) touch(message.ready, sum);
  if constexpr (requires { message.text; }) touch(message.text, sum);
  if constexpr (requires { message.name; }) touch(message.name, sum);
  if constexpr (requires { message.function_name; }) touch(message.function_name, sum);
  if constexpr (requires { message.class_name; }) touch(message.class_name, sum);
  return sum;
}

TEST(Protocol, ReadsNothingBeyondADamagedMessage) {
  size_t num_refused = 0;
  with_each_message([&]<class Message>(const Message& message) {
    const Bytes whole = Bytes::of(message);
    for (size_t at = 8; at < whole.span().size(); ++at) {
      for (const int value : {0x00, 0x01, 0x7F, 0x80, 0xFF}) {
        Bytes damaged(whole.span());
        damaged.data()[at] = static_cast<std::byte>(value);
        std::vector<ValuePart> parts;
        try {
          const auto read = read_message<Message>(damaged.span(), parts);
          EXPECT_LE(touch_all(read), 255 * damaged.span().size());
          EXPECT_LE(message_size_bytes(read), damaged.span().size() + 8);
        } catch (const errors::DataLossError&) {
          ++num_refused;
        }
      }
    }
  });
  EXPECT_GT(num_refused, 500u);
}

}  // namespace
}  // namespace flowray::ray
