#include "cluster/transport.h"

#include "cluster/answers.h"
#include "cluster/faulty_proxy.h"
#include "cluster/network_fixture.h"

#include <condition_variable>
#include <future>
#include <latch>
#include <mutex>
#include <optional>
#include <thread>

namespace flowray::cluster {
namespace {

std::string text_of(const Message& message) {
  std::string text;
  for (const auto& piece : message.pieces()) {
    text.append(reinterpret_cast<const char*>(piece.bytes.data()), piece.bytes.size());
  }
  return text;
}

Message copy_of(std::span<const std::byte> bytes) {
  return Message(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

class TransportTest : public NetworkTest {};

struct Served {
  explicit Served(std::function<Response(const Request&)> answer) {
    std::string error;
    listener = transport().listen({.address = "localhost:0"}, answering(std::move(answer)),
                                  allocate_from_pool, error);
    EXPECT_NE(listener, nullptr) << error;
    channel = transport().connect("localhost:" + std::to_string(listener->port()));
  }
  Response call(std::string_view method, std::string text) {
    return channel->call(method, Message(std::move(text)), Channel::Deadline::max(), nullptr);
  }
  std::unique_ptr<Listener> listener;
  std::unique_ptr<Channel> channel;
};

TEST_F(TransportTest, BringsARequestAndItsAnswer) {
  Served served([](const Request& request) {
    Message reply(std::string(request.method) + " ");
    reply.add({request.bytes, request.owner});
    return Response{std::move(reply), {}};
  });
  const Response reply = served.call("/tensorflow.MasterService/RunStep", "hello");
  EXPECT_EQ(reply.status.code, 0) << reply.status.text;
  EXPECT_EQ(text_of(reply.message), "/tensorflow.MasterService/RunStep hello");
}

TEST_F(TransportTest, BringsEmptyAndLargeMessages) {
  Served served([](const Request& request) { return Response{copy_of(request.bytes), {}}; });
  EXPECT_EQ(text_of(served.call("/s/echo", "").message), "");
  std::string large(20 << 20, 'a');
  for (size_t i = 0; i < large.size(); i += 4099) large[i] = static_cast<char>(i);
  EXPECT_EQ(text_of(served.call("/s/echo", large).message), large);
}

/// Before it has been told whose server that is, too: the answer to that question comes over the same way.
TEST_F(TransportTest, NoticesAChangedByteOfTheFirstRequest) {
  Served served([](const Request& request) { return Response{copy_of(request.bytes), {}}; });
  FaultyProxy proxy(served.listener->port());
  const auto channel = transport().connect("localhost:" + std::to_string(proxy.port()));
  proxy.change_text("what is sent");
  const Response answer =
      channel->call("/s/echo", Message("what is sent"), Channel::Deadline::max(), nullptr);
  EXPECT_EQ(answer.status.code, static_cast<int>(Code::kUnavailable)) << text_of(answer.message);
  EXPECT_NE(answer.status.text.find("its checksum differs"), std::string::npos) << answer.status.text;
}

/// A message of protobuf's: field 1, a number, and field 2 with `content`.
std::string message_with(const std::string& content) {
  std::string message = "\x08\x07\x12";
  for (size_t length = content.size(); length != 0; length >>= 7) {
    message += static_cast<char>((length & 0x7f) | (length >= 0x80 ? 0x80 : 0));
  }
  return message + content;
}

TEST_F(TransportTest, PutsARequestTogetherSoThatItsLargeContentIsAligned) {
  size_t misalignment = 1;
  Served served([&](const Request& request) {
    const auto* content = request.bytes.data() + request.bytes.size() - (3 << 20);
    misalignment = reinterpret_cast<uintptr_t>(content) % 64;
    return Response{copy_of(request.bytes.last(1)), {}};
  });
  EXPECT_EQ(text_of(served.call("/s/m", message_with(message_with(std::string(3 << 20, 'x')))).message), "x");
  EXPECT_EQ(misalignment, 0u);
}

TEST_F(TransportTest, RefusesARequestThatThereIsNoMemoryFor) {
  std::string error;
  const auto nothing = [](size_t) { return Memory(); };
  const auto listener = transport().listen(
      {.address = "localhost:0"}, answering([](const Request&) { return Response{}; }), nothing, error);
  ASSERT_NE(listener, nullptr) << error;
  const auto channel = transport().connect("localhost:" + std::to_string(listener->port()));
  const Message large(std::string(3 << 20, 'x'));
  EXPECT_EQ(channel->call("/s/m", large, Channel::Deadline::max(), nullptr).status.code, 8);
}

/// As if gRPC took no more than 100,000 bytes at once, and between two machines.
class LargeMessages : public TransportTest {
 protected:
  void SetUp() override {
    TransportTest::SetUp();
    ::setenv("FLOWRAY_MESSAGE_BYTES", "100000", 1);
    ::setenv("FLOWRAY_NETWORK_ONLY", "1", 1);
  }
  void TearDown() override {
    ::unsetenv("FLOWRAY_MESSAGE_BYTES");
    ::unsetenv("FLOWRAY_NETWORK_ONLY");
  }
  static std::string text(size_t size) {
    std::string made(size, 'a');
    for (size_t i = 0; i < size; i += 4099) made[i] = static_cast<char>(i);
    return made;
  }
};

TEST_F(LargeMessages, GoInPartsBothWays) {
  Served served([](const Request& request) { return Response{copy_of(request.bytes), {}}; });
  for (const size_t size : {99'999, 100'000, 100'001, 200'000, 1'234'567}) {
    const std::string sent = text(size);
    const Response answer = served.call("/s/echo", sent);
    ASSERT_TRUE(answer.status.ok()) << answer.status.text;
    EXPECT_TRUE(text_of(answer.message) == sent) << size;
    std::promise<Response> heard;
    (void)served.channel->start("/s/echo", Message(sent), {},
                                [&heard](Response response) { heard.set_value(std::move(response)); });
    EXPECT_TRUE(text_of(heard.get_future().get().message) == sent) << size;
  }
}

TEST_F(LargeMessages, AreAnswersOfTheFirstCallToo) {
  Served served([](const Request&) { return Response{Message(text(300'000)), {}}; });
  EXPECT_TRUE(text_of(served.call("/s/m", "").message) == text(300'000));
}

TEST_F(LargeMessages, AreAlignedAsOthers) {
  size_t misalignment = 1;
  Served served([&](const Request& request) {
    const auto* content = request.bytes.data() + request.bytes.size() - (3 << 20);
    misalignment = reinterpret_cast<uintptr_t>(content) % 64;
    return Response{copy_of(request.bytes.last(1)), {}};
  });
  EXPECT_EQ(text_of(served.call("/s/m", message_with(message_with(std::string(3 << 20, 'x')))).message), "x");
  EXPECT_EQ(misalignment, 0u);
}

TEST_F(LargeMessages, KeepToTheServersLimit) {
  std::string error;
  const auto listener =
      transport().listen({.address = "localhost:0", .most_message_bytes = 500'000},
                         answering([](const Request&) { return Response{}; }), allocate_from_pool, error);
  ASSERT_NE(listener, nullptr) << error;
  const auto channel = transport().connect("localhost:" + std::to_string(listener->port()));
  EXPECT_TRUE(channel->call("/s/m", Message(text(500'000)), Channel::Deadline::max(), nullptr).status.ok());
  const Status status =
      channel->call("/s/m", Message(text(500'001)), Channel::Deadline::max(), nullptr).status;
  EXPECT_EQ(status.code, 8);
  EXPECT_EQ(status.text.substr(0, 54), "Received message larger than max (500001 vs. 500000)\nS");
}

TEST_F(LargeMessages, EndAtTheirDeadlineAndWhenTheyAreGivenUp) {
  std::latch came(1);
  std::latch let_go(1);
  Served served([&](const Request& request) {
    if (request.method == "/s/m") came.count_down();
    let_go.wait();
    return Response{Message(text(300'000)), {}};
  });
  const auto soon = std::chrono::system_clock::now() + std::chrono::milliseconds(300);
  EXPECT_EQ(served.channel->call("/s/late", Message(text(300'000)), soon, nullptr).status.code, 4);
  Cancellation cancellation;
  std::thread canceller([&] {
    came.wait();
    cancellation.cancel();
  });
  EXPECT_EQ(served.channel->call("/s/m", Message(text(300'000)), Channel::Deadline::max(), &cancellation)
                .status.code,
            1);
  canceller.join();
  let_go.count_down();
}

TEST_F(LargeMessages, OfNobodyAreRefused) {
  Served served([](const Request& request) { return Response{copy_of(request.bytes), {}}; });
  EXPECT_EQ(served.call("/flowray.Parts1/Put", "short").status.code, 3);
  EXPECT_EQ(served.call("/flowray.Parts1/Take", "short").status.code, 3);
  const std::string head(32, 'x');  // of a message that has no such part
  EXPECT_EQ(served.call("/flowray.Parts1/Put", head + "more").status.code, 10);
  EXPECT_EQ(served.call("/flowray.Parts1/Take", head).status.code, 10);
}

TEST_F(LargeMessages, GetNoMemoryForMoreThanFourRequestsMayHave) {
  Served served([](const Request& request) { return Response{copy_of(request.bytes), {}}; });
  const auto first_part = [](uint64_t name, uint64_t size_bytes) {
    const uint64_t head[4] = {name, name, 0, size_bytes};
    return std::string(reinterpret_cast<const char*>(head), sizeof(head)) + "beginning";
  };
  constexpr uint64_t kMost = INT32_MAX;
  for (uint64_t name = 1; name <= 4; ++name)
    EXPECT_TRUE(served.call("/flowray.Parts1/Put", first_part(name, kMost)).status.ok());
  EXPECT_EQ(served.call("/flowray.Parts1/Put", first_part(5, kMost)).status.code, 8);
}

TEST_F(TransportTest, BringsErrors) {
  Served served([](const Request&) { return Response{{}, {9, "the table is not there"}}; });
  const Response reply = served.call("/s/m", "x");
  EXPECT_EQ(reply.status.code, 9);
  EXPECT_EQ(reply.status.text, "the table is not there");
}

TEST_F(TransportTest, CutsTheTextsOfErrorsThatClientsWouldNotTake) {
  Served served([](const Request&) { return Response{{}, {3, std::string(20'000, 'x')}}; });
  const Response reply = served.call("/s/m", "x");
  EXPECT_EQ(reply.status.code, 3);
  EXPECT_EQ(reply.status.text, std::string(3072, 'x') + " ... [truncated]");
}

TEST_F(TransportTest, AnswersManyRequestsThatWaitForEachOther) {
  constexpr int kCallers = 50;
  std::latch all_here(kCallers);
  Served served([&](const Request& request) {
    all_here.arrive_and_wait();
    return Response{copy_of(request.bytes), {}};
  });
  std::vector<std::thread> callers;
  std::atomic<int> right{0};
  for (int i = 0; i < kCallers; ++i) {
    callers.emplace_back(
        [&, text = std::to_string(i)] { right += text_of(served.call("/s/m", text).message) == text; });
  }
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(right, kCallers);
}

/// A handler that returns when it is told that nobody waits for its answer any more.
class Sleeper {
 public:
  Response operator()(const Request& request) {
    Cancellation::Listening listening(request.cancellation, [this] {
      const std::lock_guard lock(mutex_);
      told_ = true;
      changed_.notify_all();
    });
    began.count_down();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return told_; });
    ended.count_down();
    return Response{{}, {1, "cancelled"}};
  }
  std::latch began{1};
  std::latch ended{1};

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool told_ = false;
};

TEST_F(TransportTest, TellsTheServerOfADeadline) {
  Sleeper sleeper;
  Served served(std::ref(sleeper));
  const auto deadline = std::chrono::system_clock::now() + std::chrono::milliseconds(100);
  const Response reply = served.channel->call("/s/m", Message("x"), deadline, nullptr);
  EXPECT_EQ(reply.status.code, 4);
  sleeper.ended.wait();
}

TEST_F(TransportTest, TellsTheServerThatTheClientGaveUp) {
  Sleeper sleeper;
  Served served(std::ref(sleeper));
  Cancellation cancellation;
  std::thread client([&] {
    EXPECT_EQ(served.channel->call("/s/m", Message("x"), Channel::Deadline::max(), &cancellation).status.code,
              1);
  });
  sleeper.began.wait();
  cancellation.cancel();
  client.join();
  sleeper.ended.wait();
}

TEST_F(TransportTest, EndsWithRequestsUnderWay) {
  Sleeper sleeper;
  Served served(std::ref(sleeper));
  Response reply;
  std::thread client([&] { reply = served.call("/s/m", "x"); });
  sleeper.began.wait();
  served.listener.reset();
  client.join();
  EXPECT_EQ(reply.status.code, static_cast<int>(Code::kUnavailable));
  EXPECT_TRUE(sleeper.ended.try_wait());
}

TEST_F(TransportTest, EndsWhileRequestsCome) {
  constexpr int kListeners = 50;
  constexpr int kCallers = 4;
  for (int i = 0; i < kListeners; ++i) {
    Served served([](const Request& request) { return Response{copy_of(request.bytes), {}}; });
    std::latch all_here(kCallers);
    std::vector<std::thread> callers;
    for (int caller = 0; caller < kCallers; ++caller) {
      callers.emplace_back([&] {
        Response reply = served.call("/s/m", "x");
        all_here.count_down();
        while (reply.status.ok()) reply = served.call("/s/m", "x");
        EXPECT_EQ(reply.status.code, 14) << reply.status.text;  // nobody cancelled it
      });
    }
    all_here.wait();
    served.listener.reset();
    for (std::thread& caller : callers) caller.join();
  }
}

TEST_F(TransportTest, SaysThatAnAddressIsTaken) {
  Served served([](const Request&) { return Response{}; });
  std::string error;
  const std::string address = "localhost:" + std::to_string(served.listener->port());
  EXPECT_EQ(transport().listen({.address = address}, answering([](const Request&) { return Response{}; }),
                               allocate_from_pool, error),
            nullptr);
  EXPECT_NE(error.find(address), std::string::npos) << error;
}

TEST_F(TransportTest, FailsWhereNobodyListens) {
  int port = 0;
  {
    Served served([](const Request&) { return Response{}; });
    port = served.listener->port();
  }
  const auto channel = transport().connect("localhost:" + std::to_string(port));
  EXPECT_EQ(channel->call("/s/m", Message("x"), Channel::Deadline::max(), nullptr).status.code, 14);
}

/// By a link, which the first call asks for.
TEST_F(TransportTest, GoesOnWithoutTheNetworkOnOneMachine) {
  Served served([](const Request& request) { return Response{copy_of(request.bytes), {}}; });
  bool is_by_link = false;
  while (!is_by_link) {
    const auto answered = std::make_shared<std::promise<Response>>();
    (void)served.channel->start("/s/m", Message("x"), {},
                                [answered](Response response) { answered->set_value(std::move(response)); });
    const Response response = answered->get_future().get();
    EXPECT_EQ(text_of(response.message), "x");
    is_by_link = response.thread_has_time;
  }
  EXPECT_EQ(text_of(served.call("/s/m", "y").message), "y");
}

TEST_F(TransportTest, FindsAServerThatHasTakenThePlaceOfAnother) {
  std::optional<Served> first;
  first.emplace([](const Request&) { return Response{Message("first"), {}}; });
  const auto channel = std::move(first->channel);
  const auto call = [&] { return channel->call("/s/m", Message("x"), Channel::Deadline::max(), nullptr); };
  const auto start = [&] {
    const auto answered = std::make_shared<std::promise<Response>>();
    (void)channel->start("/s/m", Message("x"), {},
                         [answered](Response response) { answered->set_value(std::move(response)); });
    return answered->get_future().get();
  };
  while (!start().thread_has_time) EXPECT_EQ(text_of(call().message), "first");
  for (int i = 0; i < 10; ++i) EXPECT_EQ(text_of(call().message), "first");
  const std::string address = "localhost:" + std::to_string(first->listener->port());
  first.reset();
  EXPECT_EQ(call().status.code, 14);
  EXPECT_EQ(start().status.code, 14);
  std::string error;
  const auto second = transport().listen(
      {.address = address}, answering([](const Request&) { return Response{Message("second"), {}}; }),
      allocate_from_pool, error);
  ASSERT_NE(second, nullptr) << error;
  Response response = start();
  while (!response.thread_has_time) {
    if (response.status.ok()) {
      EXPECT_EQ(text_of(response.message), "second");
    }
    response = start();
  }
  EXPECT_EQ(text_of(response.message), "second");
  EXPECT_EQ(text_of(call().message), "second");
}

/// A channel that is made while others wait at a stuck connection does not share it, nor do those that leave
/// it later.
TEST_F(LargeMessages, GoOverANewConnectionWhereTheOldOneIsStuck) {
  Served served([](const Request& request) { return Response{copy_of(request.bytes), {}}; });
  FaultyProxy proxy(served.listener->port());
  const std::string address = "localhost:" + std::to_string(proxy.port());
  const auto first = transport().connect(address);
  const auto second = transport().connect(address);
  const auto call = [](Channel& channel) {
    const auto deadline = std::chrono::system_clock::now() + std::chrono::seconds(60);
    return channel.call("/s/m", Message("x"), deadline, nullptr).status.code;
  };
  const auto wait_a_little = [](Channel& channel) {
    const auto answered = std::make_shared<std::promise<Response>>();
    const auto deadline = std::chrono::system_clock::now() + std::chrono::milliseconds(100);
    (void)channel.start("/s/m", Message("x"), {.deadline = deadline, .waits_for_server = true},
                        [answered](Response response) { answered->set_value(std::move(response)); });
    return answered->get_future().get().status.code;
  };
  // By the second one it knows that the server is of this make.
  while (proxy.num_connections() < 2) ASSERT_EQ(call(*first), 0);
  EXPECT_EQ(call(*second), 0);
  proxy.set(FaultyProxy::Fault::kStuck);
  while (proxy.fault() == FaultyProxy::Fault::kStuck) std::this_thread::yield();
  EXPECT_EQ(wait_a_little(*first), 4);
  EXPECT_EQ(call(*first), 0);
  const auto third = transport().connect(address);
  for (int i = 0; i < 20; ++i) ASSERT_EQ(call(*third), 0);
  while (wait_a_little(*second) != 0) {
  }
}

TEST(Cancellation, IsHeardOnceByThoseWhoListen) {
  Cancellation cancellation;
  int heard = 0;
  {
    Cancellation::Listening early(cancellation, [&] { heard += 100; });
  }
  Cancellation::Listening now(cancellation, [&] { ++heard; });
  EXPECT_FALSE(cancellation.is_cancelled());
  cancellation.cancel();
  cancellation.cancel();
  EXPECT_TRUE(cancellation.is_cancelled());
  EXPECT_EQ(heard, 1);
  Cancellation::Listening late(cancellation, [&] { heard += 10; });
  EXPECT_EQ(heard, 11);
}

}  // namespace
}  // namespace flowray::cluster
