#include "cluster/link/frame_reader.h"

#include "cluster/link/frame_writer.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace flowray::cluster {
namespace {

using Outcome = FrameReader::Outcome;

class FrameReaderTest : public ::testing::Test {
 protected:
  FrameReaderTest() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()), 0); }
  ~FrameReaderTest() override {
    for (const int end : ends_) ::close(end);
  }

  void write(std::string_view bytes) {
    ASSERT_EQ(::send(ends_[0], bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  Outcome next(FrameReader& reader) { return reader.next(ends_[1], frame_); }
  std::string body() const { return {reinterpret_cast<const char*>(frame_.body.data()), frame_.body.size()}; }

  static std::string bytes_of(FrameHead head, const std::string& text, const std::string& details,
                              const std::string& body) {
    head.text_bytes = static_cast<uint32_t>(text.size());
    head.details_bytes = static_cast<uint32_t>(details.size());
    head.body_bytes = body.size();
    std::string bytes(sizeof(head), '\0');
    std::memcpy(bytes.data(), &head, sizeof(head));
    return bytes + text + details + body;
  }

  size_t body_size() const { return frame_.body.size(); }

  std::array<int, 2> ends_{};
  Frame frame_;
};

TEST_F(FrameReaderTest, TakesFramesThatComeByteByByte) {
  FrameReader reader(nullptr, kMostBodyBytes);
  const std::string bytes =
      bytes_of({.kind = FrameKind::kResponse, .code = 3, .number = 7}, "text", "details", "body");
  for (size_t i = 0; i + 1 < bytes.size(); ++i) {
    write(bytes.substr(i, 1));
    ASSERT_EQ(next(reader), Outcome::kNothingYet) << i;
  }
  write(bytes.substr(bytes.size() - 1));
  ASSERT_EQ(next(reader), Outcome::kFrame);
  EXPECT_EQ(frame_.head.code, 3);
  EXPECT_EQ(frame_.head.number, 7u);
  EXPECT_EQ(frame_.text, "text");
  EXPECT_EQ(frame_.details, "details");
  EXPECT_EQ(body(), "body");
  EXPECT_EQ(next(reader), Outcome::kNothingYet);
}

TEST_F(FrameReaderTest, TakesSeveralThatComeAtOnce) {
  FrameReader reader(nullptr, kMostBodyBytes);
  std::string bytes;
  for (int i = 0; i < 100; ++i)
    bytes += bytes_of({.number = 1}, "m", "", std::string(static_cast<size_t>(i), 'x'));
  write(bytes);
  for (size_t i = 0; i < 100; ++i) {
    ASSERT_EQ(next(reader), Outcome::kFrame);
    EXPECT_EQ(body(), std::string(i, 'x'));
    EXPECT_NE(frame_.owner, nullptr);
  }
  EXPECT_EQ(next(reader), Outcome::kNothingYet);
}

TEST_F(FrameReaderTest, TakesLargeBodiesBetweenSmallOnes) {
  FrameReader reader(nullptr, kMostBodyBytes);
  std::string large(500'000, 'a');
  for (size_t i = 0; i < large.size(); i += 97) large[i] = static_cast<char>(i);
  const std::string bytes =
      bytes_of({}, "m", "", "first") + bytes_of({}, "m", "", large) + bytes_of({}, "m", "", "last");
  std::vector<std::string> bodies;
  for (size_t sent = 0; sent < bytes.size();) {
    const size_t part = std::min<size_t>(bytes.size() - sent, 30'000);
    write(std::string_view(bytes).substr(sent, part));
    sent += part;
    while (next(reader) == Outcome::kFrame) bodies.push_back(body());
  }
  ASSERT_EQ(bodies.size(), 3u);
  EXPECT_EQ(bodies[0], "first");
  EXPECT_EQ(bodies[1], large);
  EXPECT_EQ(bodies[2], "last");
}

TEST_F(FrameReaderTest, PassesOverWhatIsTooLarge) {
  for (const size_t size : {11, 100'000}) {
    FrameReader reader(nullptr, 10);
    write(bytes_of({.number = 1}, "m", "", std::string(size, 'x')));
    write(bytes_of({.number = 2}, "m", "", "0123456789"));
    ASSERT_EQ(next(reader), Outcome::kFrame);
    EXPECT_EQ(frame_.head.body_bytes, size);
    EXPECT_EQ(frame_.owner, nullptr);
    ASSERT_EQ(next(reader), Outcome::kFrame);
    EXPECT_EQ(frame_.head.number, 2u);
    EXPECT_EQ(body(), "0123456789");
  }
}

TEST_F(FrameReaderTest, PassesOverWhatThereIsNoMemoryFor) {
  FrameReader reader([](size_t) { return Memory(); }, kMostBodyBytes);
  write(bytes_of({.number = 1}, "m", "", std::string(100'000, 'x')));
  write(bytes_of({.number = 2}, "m", "", ""));
  ASSERT_EQ(next(reader), Outcome::kFrame);
  EXPECT_EQ(frame_.owner, nullptr);
  ASSERT_EQ(next(reader), Outcome::kFrame);
  EXPECT_NE(frame_.owner, nullptr);
}

TEST_F(FrameReaderTest, IsOverWhereNoFrameComes) {
  FrameHead large{.number = 1};
  large.body_bytes = kMostBodyBytes + 1;
  FrameHead long_text{.number = 1};
  long_text.text_bytes = kMostTextBytes + 1;
  const FrameHead other{.kind = static_cast<FrameKind>(99)};
  for (const FrameHead& head : {large, long_text, other}) {
    FrameReader reader(nullptr, kMostBodyBytes);
    write({reinterpret_cast<const char*>(&head), sizeof(head)});
    EXPECT_EQ(next(reader), Outcome::kOver);
    std::array<char, 64> rest{};
    (void)!::recv(ends_[1], rest.data(), rest.size(), MSG_DONTWAIT);
  }
}

TEST_F(FrameReaderTest, IsOverWhenTheOtherSideHasGone) {
  FrameReader reader(nullptr, kMostBodyBytes);
  write(bytes_of({}, "m", "", "body").substr(0, 34));
  ::shutdown(ends_[0], SHUT_RDWR);
  EXPECT_EQ(next(reader), Outcome::kOver);
}

TEST_F(FrameReaderTest, EndsWithWhateverBytesCome) {
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    FrameReader reader(nullptr, 1 << 20);
    std::string bytes =
        bytes_of({.number = 1}, "method", "", "some body") + bytes_of({.number = 2}, "m", "", "x");
    for (int changed = 0; changed < 3; ++changed)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    write(bytes);
    for (int frames = 0; next(reader) == Outcome::kFrame; ++frames) ASSERT_LE(frames, 2);
    std::array<char, 4096> rest{};
    while (::recv(ends_[1], rest.data(), rest.size(), MSG_DONTWAIT) > 0) {
    }
  }
}

/// What the socket does not take at once goes when there is room, in order.
TEST_F(FrameReaderTest, TakesWhatTheWriterCouldNotPutAtOnce) {
  bool wants_room = false;
  FrameWriter writer([&](bool wants) { wants_room = wants; });
  const std::string large(3 << 20, 'l');
  Message body;
  for (int i = 0; i < 100; ++i) body.add(std::string(1000, static_cast<char>('a' + i % 26)));
  writer.send(ends_[0], {.number = 1}, "m", {}, Message(large));
  writer.send(ends_[0], {.number = 2}, "method", "details", body);
  EXPECT_TRUE(wants_room);
  FrameReader reader(nullptr, kMostBodyBytes);
  int frames = 0;
  while (frames < 2) {
    writer.go_on(ends_[0]);
    if (next(reader) != Outcome::kFrame) continue;
    ++frames;
    EXPECT_EQ(frame_.head.number, static_cast<uint64_t>(frames));
    if (frames == 1) {
      EXPECT_EQ(body_size(), large.size());
    }
  }
  EXPECT_FALSE(wants_room);
  EXPECT_EQ(frame_.text, "method");
  EXPECT_EQ(frame_.details, "details");
  ASSERT_EQ(body_size(), 100'000u);
  EXPECT_EQ(static_cast<char>(frame_.body[99'999]), 'a' + 99 % 26);
}

}  // namespace
}  // namespace flowray::cluster
