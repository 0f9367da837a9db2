#include "ray/transport/ring.h"

#include <flowray/errors.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <deque>
#include <new>
#include <random>
#include <thread>
#include <vector>

#include "ray/transport/shared_region.h"

namespace flowray::ray {
namespace {

constexpr int64_t kForEver = -1;

/// A ring of `capacity` bytes in shared memory, and a doorbell for each end.
struct Channel {
  explicit Channel(size_t capacity)
      : region(SharedRegion::create("ring test", 128 + ring_memory_bytes(capacity))),
        reader_bell(*new(region.data()) Doorbell),
        writer_bell(*new(region.data() + 64) Doorbell) {}
  std::span<std::byte> memory() const { return region.bytes().subspan(128); }
  std::span<std::byte> messages() const { return memory().subspan(sizeof(RingHeader)); }
  RingHeader& header() const { return *reinterpret_cast<RingHeader*>(memory().data()); }

  SharedRegion region;
  Doorbell& reader_bell;
  Doorbell& writer_bell;
};

/// Sizes and contents that both ends work out for themselves.
class Messages {
 public:
  explicit Messages(size_t greatest) : size_(0, greatest) {}
  std::vector<std::byte> next() {
    std::vector<std::byte> message(size_(random_));
    for (std::byte& value : message) value = static_cast<std::byte>(random_());
    return message;
  }

 private:
  std::mt19937 random_{20260101};
  std::uniform_int_distribution<size_t> size_;
};

bool write(RingWriter& writer, const std::vector<std::byte>& message) {
  std::byte* const room = writer.reserve(message.size());
  if (room == nullptr) return false;
  EXPECT_EQ(reinterpret_cast<uintptr_t>(room) % 16, 0u);
  if (!message.empty()) std::memcpy(room, message.data(), message.size());
  writer.commit(message.size());
  return true;
}

bool same(std::span<const std::byte> got, const std::vector<std::byte>& expected) {
  return got.data() != nullptr && std::equal(got.begin(), got.end(), expected.begin(), expected.end());
}

TEST(Ring, HasMemoryOfTheRightSize) {
  alignas(64) static std::byte memory[sizeof(RingHeader) + 2048 + 64];
  const auto of = [](size_t bytes, size_t offset) { return std::span<std::byte>(memory + offset, bytes); };
  EXPECT_NO_THROW(RingWriter(of(sizeof(RingHeader) + 1024, 0)));
  EXPECT_NO_THROW(RingReader(of(sizeof(RingHeader) + 2048, 64)));
  EXPECT_THROW(RingWriter(of(sizeof(RingHeader) + 1025, 0)), errors::InvalidArgumentError);
  EXPECT_THROW(RingReader(of(sizeof(RingHeader) + 512, 0)), errors::InvalidArgumentError);
  EXPECT_THROW(RingReader(of(sizeof(RingHeader) + 1024, 16)), errors::InvalidArgumentError);
  EXPECT_THROW(RingReader(of(10, 0)), errors::InvalidArgumentError);
}

TEST(Ring, GivesMessagesInOrderAndThenNone) {
  Channel channel(1024);
  RingWriter writer(channel.memory());
  RingReader reader(channel.memory());
  EXPECT_TRUE(reader.empty());
  EXPECT_EQ(reader.peek().data(), nullptr);
  const std::vector<std::byte> first(5, std::byte{1});
  const std::vector<std::byte> second;
  ASSERT_TRUE(write(writer, first));
  ASSERT_TRUE(write(writer, second));
  EXPECT_FALSE(reader.empty());
  EXPECT_TRUE(same(reader.peek(), first));
  EXPECT_TRUE(same(reader.peek(), first));
  reader.pop();
  EXPECT_TRUE(same(reader.peek(), second));
  reader.pop();
  EXPECT_TRUE(reader.empty());
  EXPECT_EQ(reader.peek().data(), nullptr);
}

TEST(Ring, SaysHowFarItIsRead) {
  const Channel channel(1024);
  RingWriter writer(channel.memory());
  RingReader reader(channel.memory());
  EXPECT_TRUE(writer.has_read(writer.position()));
  ASSERT_TRUE(write(writer, std::vector<std::byte>(10)));
  const uint64_t first = writer.position();
  ASSERT_TRUE(write(writer, std::vector<std::byte>(10)));
  EXPECT_FALSE(writer.has_read(first));
  reader.peek();
  reader.pop();
  EXPECT_TRUE(writer.has_read(first));
  EXPECT_FALSE(writer.has_read(writer.position()));
}

TEST(Ring, PublishesLessThanWasReserved) {
  Channel channel(1024);
  RingWriter writer(channel.memory());
  RingReader reader(channel.memory());
  for (int i = 0; i < 100; ++i) {
    std::byte* const room = writer.reserve(300);
    ASSERT_NE(room, nullptr);
    room[0] = static_cast<std::byte>(i);
    writer.commit(1);
    ASSERT_TRUE(same(reader.peek(), {static_cast<std::byte>(i)}));
    reader.pop();
  }
}

TEST(Ring, CarriesRandomMessagesAsAQueueDoes) {
  Channel channel(1024);
  RingWriter writer(channel.memory());
  RingReader reader(channel.memory());
  Messages messages(writer.max_message_bytes());
  std::deque<std::vector<std::byte>> model;
  std::mt19937 random(7);
  std::vector<std::byte> waiting = messages.next();
  size_t refused = 0;
  for (int step = 0; step < 20000; ++step) {
    if (random() % 2 == 0) {
      if (write(writer, waiting)) {
        model.push_back(std::exchange(waiting, messages.next()));
      } else {
        ASSERT_FALSE(model.empty()) << "an empty ring has room for every message";
        ++refused;
      }
    } else if (!model.empty()) {
      ASSERT_TRUE(same(reader.peek(), model.front()));
      reader.pop();
      model.pop_front();
    } else {
      ASSERT_EQ(reader.peek().data(), nullptr);
    }
  }
  EXPECT_GT(refused, 100u);
}

TEST(Ring, RefusesWhatIsLongerThanItsGreatestMessage) {
  Channel channel(1024);
  RingWriter writer(channel.memory());
  EXPECT_EQ(writer.max_message_bytes(), 496u);
  EXPECT_EQ(writer.reserve(497), nullptr);
  EXPECT_EQ(writer.reserve(~size_t{0}), nullptr);
  EXPECT_FALSE(writer.ask_for_room(497));
  EXPECT_NE(writer.reserve(496), nullptr);
}

TEST(Ring, TellsTheReaderWhenTheWriterWaitsAndHalfIsFree) {
  Channel channel(1024);
  RingWriter writer(channel.memory());
  RingReader reader(channel.memory());
  const std::vector<std::byte> message(48);  // 64 bytes with its header: 15 and the next header's place
  for (int i = 0; i < 15; ++i) ASSERT_TRUE(write(writer, message));
  ASSERT_FALSE(write(writer, message));
  EXPECT_FALSE(reader.take_writer_waits());
  ASSERT_FALSE(writer.ask_for_room(message.size()));
  int consumed = 0;
  while (!reader.take_writer_waits()) {
    ASSERT_NE(reader.peek().data(), nullptr);
    reader.pop();
    ++consumed;
  }
  EXPECT_EQ(consumed, 7);  // 15 - 7 records of 64 bytes are half of the ring
  EXPECT_FALSE(reader.take_writer_waits());
  EXPECT_TRUE(writer.ask_for_room(message.size()));
  EXPECT_FALSE(reader.take_writer_waits());
}

// Writes `count` messages and sleeps whenever the ring is full.
void write_all(Channel& channel, int count, int64_t spin_us) {
  RingWriter writer(channel.memory());
  Messages messages(200);
  for (int i = 0; i < count; ++i) {
    const std::vector<std::byte> message = messages.next();
    while (!write(writer, message)) {
      if (spin_until([&] { return writer.reserve(message.size()) != nullptr; }, spin_us)) continue;
      channel.writer_bell.announce(Doorbell::How::kFutex);
      if (writer.ask_for_room(message.size())) {
        channel.writer_bell.cancel();
      } else {
        channel.writer_bell.sleep(kForEver);
      }
    }
    channel.reader_bell.ring(-1);
  }
}

// Reads them and sleeps whenever there is none; the number of messages that were right.
int read_all(Channel& channel, int count, int64_t spin_us) {
  RingReader reader(channel.memory());
  Messages messages(200);
  int right = 0;
  for (int i = 0; i < count; ++i) {
    while (!spin_until([&] { return !reader.empty(); }, spin_us)) {
      channel.reader_bell.announce(Doorbell::How::kFutex);
      if (reader.take_writer_waits()) channel.writer_bell.ring(-1);
      if (reader.empty()) {
        channel.reader_bell.sleep(kForEver);
      } else {
        channel.reader_bell.cancel();
      }
    }
    right += same(reader.peek(), messages.next()) ? 1 : 0;
    reader.pop();
    if (reader.take_writer_waits()) channel.writer_bell.ring(-1);
  }
  return right;
}

TEST(Ring, CarriesMessagesBetweenThreadsThatSleep) {
  Channel channel(1024);
  std::thread writer([&] { write_all(channel, 20000, 0); });
  EXPECT_EQ(read_all(channel, 20000, 0), 20000);
  writer.join();
}

TEST(Ring, CarriesMessagesBetweenThreadsThatSpin) {
  Channel channel(4096);
  std::thread writer([&] { write_all(channel, 20000, 20); });
  EXPECT_EQ(read_all(channel, 20000, 20), 20000);
  writer.join();
}

TEST(Ring, CarriesMessagesBetweenProcesses) {
  for (const int64_t spin_us : {0, 20}) {
    Channel channel(2048);
    const pid_t child = fork();
    if (child == 0) {
      write_all(channel, 50000, spin_us);
      _exit(0);
    }
    EXPECT_EQ(read_all(channel, 50000, spin_us), 50000);
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
}

/// Reads until nothing more comes; false if the ring is found broken. Every byte given lies within the ring.
bool read_garbage(Channel& channel) {
  RingReader reader(channel.memory());
  const auto messages = channel.messages();
  try {
    for (int i = 0; i < 1000; ++i) {
      const auto message = reader.peek();
      if (message.data() == nullptr) return true;
      EXPECT_GE(message.data(), messages.data());
      EXPECT_LE(message.data() + message.size(), messages.data() + messages.size());
      reader.pop();
    }
  } catch (const errors::DataLossError&) {
    return false;
  }
  return true;
}

TEST(Ring, ReportsABrokenWriterAndReadsNothingOutside) {
  Channel channel(1024);
  const auto put = [&](size_t offset, uint64_t word) {
    std::memcpy(channel.messages().data() + offset, &word, 8);
  };
  constexpr uint64_t kMessage = uint64_t{0x4D657373} << 32;
  constexpr uint64_t kPadding = uint64_t{0x50616464} << 32;
  for (const uint64_t word :
       {uint64_t{1}, ~uint64_t{0}, kMessage | 497, kMessage | 0xFFFFFFFF, kPadding, kPadding | 16}) {
    put(0, word);
    EXPECT_FALSE(read_garbage(channel)) << std::hex << word;
  }
  put(0, kMessage | 480);
  put(496, kMessage | 490);
  put(496 + 16 + 496, kMessage | 1);  // its 16 bytes would end behind the ring
  EXPECT_FALSE(read_garbage(channel));
}

TEST(Ring, SurvivesRandomBytes) {
  Channel channel(1024);
  std::mt19937_64 random(3);
  const uint64_t kinds[] = {uint64_t{0x4D657373} << 32, uint64_t{0x50616464} << 32, 0, ~uint64_t{0}};
  int broken = 0;
  for (int round = 0; round < 5000; ++round) {
    for (size_t offset = 0; offset < 1024; offset += 16) {
      const uint64_t word = kinds[random() % 4] | (random() % 64) | (random() % 8 == 0 ? random() >> 32 : 0);
      std::memcpy(channel.messages().data() + offset, &word, 8);
    }
    broken += read_garbage(channel) ? 0 : 1;
  }
  EXPECT_GT(broken, 1000);
}

TEST(Ring, NeverWritesOutsideWhateverTheReaderSays) {
  Channel channel(1024);
  RingWriter writer(channel.memory());
  std::mt19937_64 random(5);
  for (int i = 0; i < 20000; ++i) {
    channel.header().read.store(random() >> (random() % 64));
    const size_t bytes = random() % 500;
    std::byte* const room = writer.reserve(bytes);
    if (room == nullptr) continue;
    ASSERT_GE(room, channel.messages().data());
    ASSERT_LE(room + bytes, channel.messages().data() + channel.messages().size());
    writer.commit(bytes);
  }
}

TEST(Doorbell, DoesNotSleepWhenItWasRungAfterTheAnnouncement) {
  Doorbell bell;
  bell.announce(Doorbell::How::kFutex);
  bell.ring(-1);
  EXPECT_TRUE(bell.sleep(kForEver));
}

TEST(Doorbell, SleepsUntilTheTimeIsOverIfItRangBeforeTheAnnouncementOnly) {
  Doorbell bell;
  bell.ring(-1);
  bell.announce(Doorbell::How::kFutex);
  EXPECT_FALSE(bell.sleep(2000));
  bell.announce(Doorbell::How::kFutex);
  EXPECT_FALSE(bell.sleep(0));
}

TEST(Doorbell, RingsTheEventOfWhoWaitsInPollOncePerSleep) {
  Descriptor event(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  Doorbell bell;
  uint64_t rung = 0;
  bell.ring(event.get());
  EXPECT_LT(read(event.get(), &rung, sizeof(rung)), 0) << "nobody slept";
  bell.announce(Doorbell::How::kEvent);
  bell.ring(event.get());
  bell.ring(event.get());
  pollfd wait{event.get(), POLLIN, 0};
  EXPECT_EQ(poll(&wait, 1, -1), 1);
  ASSERT_EQ(read(event.get(), &rung, sizeof(rung)), 8);
  EXPECT_EQ(rung, 1u);
  bell.announce(Doorbell::How::kEvent);
  bell.cancel();
  bell.ring(event.get());
  EXPECT_LT(read(event.get(), &rung, sizeof(rung)), 0);
}

TEST(Doorbell, WakesTheSleeperOfEitherOfTwo) {
  Descriptor event(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  Doorbell futex;
  Doorbell polled;
  uint64_t rung = 0;
  futex.announce(Doorbell::How::kFutex);
  Doorbell::ring_both(futex, polled, event.get());
  EXPECT_TRUE(futex.sleep(kForEver));
  EXPECT_LT(read(event.get(), &rung, sizeof(rung)), 0) << "nobody polls";
  futex.announce(Doorbell::How::kFutex);
  polled.announce(Doorbell::How::kEvent);
  Doorbell::ring_both(futex, polled, event.get());
  Doorbell::ring_both(futex, polled, event.get());
  EXPECT_TRUE(futex.sleep(kForEver));
  ASSERT_EQ(read(event.get(), &rung, sizeof(rung)), 8);
  EXPECT_EQ(rung, 1u);
}

TEST(Doorbell, WakesWhoSleepsOnSeveral) {
  if (!Doorbell::can_sleep_on_several()) GTEST_SKIP() << "Linux before 5.16";
  Doorbell one;
  Doorbell two;
  Doorbell* const bells[] = {&one, &two};
  for (Doorbell* const rung : bells) {
    one.announce(Doorbell::How::kFutex);
    two.announce(Doorbell::How::kFutex);
    std::thread ringer([&] { rung->ring(-1); });
    EXPECT_TRUE(Doorbell::sleep_on_any(bells, kForEver));
    ringer.join();
    EXPECT_FALSE(one.would_wake() || two.would_wake()) << "nobody sleeps any more";
  }
  one.announce(Doorbell::How::kFutex);
  two.announce(Doorbell::How::kFutex);
  EXPECT_FALSE(Doorbell::sleep_on_any(bells, 1));
  EXPECT_FALSE(one.would_wake() || two.would_wake());
}

TEST(Doorbell, IsWokenThoughWhoRangItDiedBeforeWaking) {
  SharedRegion region = SharedRegion::create("bell", sizeof(Doorbell));
  auto& bell = *new (region.data()) Doorbell;
  auto& word = *reinterpret_cast<std::atomic<uint32_t>*>(region.data());
  const pid_t child = fork();
  if (child == 0) {
    bell.announce(Doorbell::How::kFutex);
    _exit(bell.sleep(kForEver) ? 0 : 1);
  }
  while (word.load() != static_cast<uint32_t>(Doorbell::How::kFutex)) std::this_thread::yield();
  word.store(0);  // as ring() does before its system call
  bell.ring(-1);  // finds nobody asleep
  bell.wake(-1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(Doorbell, SleepsOnAfterASignal) {
  static std::atomic<int> signals{0};
  struct sigaction action{};
  action.sa_handler = [](int) { ++signals; };
  struct sigaction before{};
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  Doorbell bell;
  std::atomic<bool> awake{false};
  bell.announce(Doorbell::How::kFutex);
  std::thread sleeper([&] {
    EXPECT_TRUE(bell.sleep(kForEver));
    awake = true;
  });
  for (int i = 1; i <= 3; ++i) {
    pthread_kill(sleeper.native_handle(), SIGUSR1);
    while (signals.load() < i) std::this_thread::yield();
  }
  EXPECT_FALSE(awake);
  bell.ring(-1);
  sleeper.join();
  EXPECT_TRUE(awake);
  sigaction(SIGUSR1, &before, nullptr);
}

TEST(SpinUntil, LooksOnceWithoutTimeAndEndsWhenItIsTrue) {
  int looks = 0;
  EXPECT_FALSE(spin_until([&] { return ++looks < 0; }, 0));
  EXPECT_EQ(looks, 1);
  EXPECT_TRUE(spin_until([&] { return ++looks > 10; }, 1000000));
  EXPECT_EQ(looks, 11);
  EXPECT_FALSE(spin_until([] { return false; }, 10));
}

}  // namespace
}  // namespace flowray::ray
