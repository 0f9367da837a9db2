#include "ray/transport/descriptor_socket.h"

#include <fcntl.h>
#include <flowray/errors.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string_view>

namespace flowray::ray {
namespace {

using Received = DescriptorSocket::Received;
using Sent = DescriptorSocket::Sent;
using Wait = DescriptorSocket::Wait;

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string text_of(const DescriptorSocket::Message& message) {
  return {reinterpret_cast<const char*>(message.bytes.data()), message.bytes.size()};
}

size_t open_descriptors() {
  const std::filesystem::directory_iterator entries("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(entries), end(entries)));
}

TEST(DescriptorSocket, KeepsTheBoundsAndTheOrderOfMessages) {
  auto [here, there] = DescriptorSocket::make_pair();
  DescriptorSocket::Message message;
  EXPECT_EQ(there.receive(message, Wait::kNo), Received::kNothingNow);
  EXPECT_EQ(here.send(bytes_of("one")), Sent::kAll);
  EXPECT_EQ(here.send(bytes_of("three")), Sent::kAll);
  ASSERT_EQ(there.receive(message), Received::kMessage);
  EXPECT_EQ(text_of(message), "one");
  ASSERT_EQ(there.receive(message), Received::kMessage);
  EXPECT_EQ(text_of(message), "three");
  EXPECT_EQ(there.receive(message, Wait::kNo), Received::kNothingNow);
  EXPECT_EQ(there.send(bytes_of("back")), Sent::kAll);
  ASSERT_EQ(here.receive(message), Received::kMessage);
  EXPECT_EQ(text_of(message), "back");
}

TEST(DescriptorSocket, TellsTheEndFromNothingAndFromErrors) {
  auto [here, there] = DescriptorSocket::make_pair();
  DescriptorSocket::Message message;
  here.send(bytes_of("last"));
  here.close();
  ASSERT_EQ(there.receive(message), Received::kMessage);
  EXPECT_EQ(there.receive(message), Received::kEnd);
  EXPECT_EQ(there.receive(message, Wait::kNo), Received::kEnd);
  EXPECT_EQ(there.send(bytes_of("late")), Sent::kPeerGone);
  EXPECT_THROW(here.receive(message), errors::InvalidArgumentError);
}

TEST(DescriptorSocket, EndsThoughTheOtherEndLeftMessagesUnread) {
  auto [here, there] = DescriptorSocket::make_pair();
  here.send(bytes_of("unread"));
  there.close();
  DescriptorSocket::Message message;
  EXPECT_EQ(here.receive(message), Received::kEnd);
}

TEST(DescriptorSocket, PassesDescriptorsToAnotherProcess) {
  auto [here, there] = DescriptorSocket::make_pair();
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  const pid_t child = fork();
  if (child == 0) {
    DescriptorSocket::Message message;
    there.receive(message);
    const bool right = message.descriptors.size() == 2 && text_of(message) == "write" &&
                       fcntl(message.descriptors[0].get(), F_GETFD) == FD_CLOEXEC &&
                       write(message.descriptors[1].get(), "x", 1) == 1;
    _exit(right ? 0 : 1);
  }
  const int descriptors[] = {reading.get(), writing.get()};
  EXPECT_EQ(here.send(bytes_of("write"), descriptors), Sent::kAll);
  char got = 0;
  EXPECT_EQ(read(reading.get(), &got, 1), 1);
  EXPECT_EQ(got, 'x');
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(DescriptorSocket, ClosesWhatNobodyTook) {
  const size_t before = open_descriptors();
  {
    auto [here, there] = DescriptorSocket::make_pair();
    const std::vector<int> many(DescriptorSocket::kMaxDescriptors, 0);
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(here.send(bytes_of("many"), many), Sent::kAll);
    }
    DescriptorSocket::Message message;
    ASSERT_EQ(there.receive(message), Received::kMessage);
    EXPECT_EQ(message.descriptors.size(), many.size());
    ASSERT_EQ(there.receive(message), Received::kMessage);
  }
  EXPECT_EQ(open_descriptors(), before);
}

TEST(DescriptorSocket, SaysSoWhenItMayNotTakeTheDescriptors) {
  auto [here, there] = DescriptorSocket::make_pair();
  const int some[] = {0, 1, 2};
  ASSERT_EQ(here.send(bytes_of("some"), some), Sent::kAll);
  const size_t open = open_descriptors();
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const auto lowest_free = static_cast<rlim_t>(Descriptor(dup(0)).get());
  const rlimit few{lowest_free + 1, before.rlim_max};  // one of the three finds a place
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  DescriptorSocket::Message message;
  const Received received = there.receive(message);
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(received, Received::kMessage);
  EXPECT_EQ(text_of(message), "some");
  EXPECT_TRUE(message.descriptors_lost);
  EXPECT_TRUE(message.descriptors.empty());
  EXPECT_EQ(open_descriptors(), open);
}

TEST(DescriptorSocket, RefusesWhatDoesNotFitIntoAMessage) {
  auto [here, there] = DescriptorSocket::make_pair();
  const std::vector<std::byte> longest(DescriptorSocket::kMaxMessageBytes);
  const std::vector<std::byte> too_long(DescriptorSocket::kMaxMessageBytes + 1);
  const std::vector<int> too_many(DescriptorSocket::kMaxDescriptors + 1, 0);
  const int closed[] = {-1};
  EXPECT_EQ(here.send(longest), Sent::kAll);
  EXPECT_THROW(here.send(too_long), errors::InvalidArgumentError);
  EXPECT_THROW(here.send({}), errors::InvalidArgumentError);
  EXPECT_THROW(here.send(bytes_of("many"), too_many), errors::InvalidArgumentError);
  EXPECT_THROW(here.send(bytes_of("closed"), closed), errors::InvalidArgumentError);
  DescriptorSocket::Message message;
  ASSERT_EQ(there.receive(message), Received::kMessage);
  EXPECT_EQ(message.bytes.size(), longest.size());
}

TEST(DescriptorSocket, DoesNotWaitForRoomUnlessAsked) {
  auto [here, there] = DescriptorSocket::make_pair();
  const std::vector<std::byte> message(DescriptorSocket::kMaxMessageBytes);
  int sent = 0;
  while (here.send(message, {}, Wait::kNo) == Sent::kAll) ASSERT_LT(++sent, 100000);
  EXPECT_GT(sent, 1);
  there.shut_down();
  EXPECT_EQ(here.send(message, {}, Wait::kNo), Sent::kPeerGone);
}

}  // namespace
}  // namespace flowray::ray
