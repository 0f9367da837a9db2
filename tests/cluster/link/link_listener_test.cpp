#include "cluster/link/link_listener.h"

#include "cluster/answers.h"
#include "cluster/link/call_links.h"
#include "cluster/link/frame_writer.h"
#include "cluster/link/link_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <condition_variable>
#include <future>
#include <latch>
#include <mutex>
#include <random>
#include <thread>

namespace flowray::cluster {
namespace {

using ::testing::HasSubstr;

constexpr auto kNever = Channel::Deadline::max();

std::string text_of(const Message& message) {
  std::string text;
  for (const auto& piece : message.pieces())
    text.append(reinterpret_cast<const char*>(piece.bytes.data()), piece.bytes.size());
  return text;
}

Response echo(const Request& request) {
  Message reply(std::string(request.method) + " ");
  reply.add({request.bytes, request.owner});
  return {std::move(reply), {}};
}

/// Waits until it is told that nobody waits for its answer.
class UntilGivenUp {
 public:
  Response operator()(const Request& request) {
    const Cancellation::Listening listening(request.cancellation, [this] {
      const std::lock_guard lock(mutex_);
      is_told_ = true;
      told_.notify_all();
    });
    began.count_down();
    std::unique_lock lock(mutex_);
    told_.wait(lock, [this] { return is_told_; });
    ended.count_down();
    return {{}, {1, "cancelled"}};
  }
  std::latch began{1};
  std::latch ended{1};

 private:
  std::mutex mutex_;
  std::condition_variable told_;
  bool is_told_ = false;
};

class LinkListenerTest : public ::testing::Test {
 protected:
  void serve(std::function<Response(const Request&)> answer, int64_t most_message_bytes = INT32_MAX) {
    listener_.emplace(answering(std::move(answer)), allocate_from_pool, most_message_bytes);
    ASSERT_TRUE(listener_->introduction().has_value());
    calls_ = std::make_unique<CallLinks>(*listener_->introduction(), nullptr);
    link_ = connect();
  }
  /// The handler of a new listener.
  UntilGivenUp& wait_until_given_up() {
    listener_.reset();
    handler_.emplace();
    serve(std::ref(*handler_));
    return *handler_;
  }
  /// When it is up.
  std::shared_ptr<LinkClient> connect() {
    auto link = LinkClient::connect(*listener_->introduction(), nullptr);
    while (link->state() == LinkClient::State::kConnecting) std::this_thread::yield();
    return link;
  }
  void TearDown() override {
    if (link_ != nullptr) link_->let_go();
  }

  Response call(std::string text, Channel::Deadline deadline = kNever, Cancellation* cancellation = nullptr) {
    return calls_->call("/s/m", Message(std::move(text)), deadline, cancellation).value();
  }
  struct Started {
    std::future<Response> response;
    std::function<void()> give_up;
  };
  Started start(std::string text, Channel::Deadline deadline = kNever) {
    const auto promise = std::make_shared<std::promise<Response>>();
    Channel::Done done = [promise](Response response) { promise->set_value(std::move(response)); };
    Started started{promise->get_future(), link_->start("/s/m", Message(std::move(text)), deadline, done)};
    EXPECT_NE(started.give_up, nullptr);
    return started;
  }

  std::optional<UntilGivenUp> handler_;  // ends after what calls it
  std::optional<LinkListener> listener_;
  std::unique_ptr<CallLinks> calls_;
  std::shared_ptr<LinkClient> link_;
};

TEST_F(LinkListenerTest, AnswersThoseThatWaitAndThoseThatDoNot) {
  serve(echo);
  EXPECT_EQ(text_of(call("hello").message), "/s/m hello");
  EXPECT_EQ(text_of(call("").message), "/s/m ");
  Response response = start("hello").response.get();
  EXPECT_EQ(text_of(response.message), "/s/m hello");
  EXPECT_TRUE(response.thread_has_time);
}

TEST_F(LinkListenerTest, BringsLargeMessagesInOnePiece) {
  serve(echo);
  std::string large(20 << 20, 'a');
  for (size_t i = 0; i < large.size(); i += 4099) large[i] = static_cast<char>(i);
  for (const Response& response : {call(large), start(large).response.get()}) {
    ASSERT_EQ(response.message.pieces().size(), 1u);
    EXPECT_TRUE(text_of(response.message) == "/s/m " + large);
  }
}

TEST_F(LinkListenerTest, BringsErrorsWithTheirDetails) {
  serve([](const Request&) {
    return Response{{}, {9, "the table is not there", std::string("\x0a\x00 bytes", 8)}};
  });
  for (const Response& response : {call("x"), start("x").response.get()}) {
    EXPECT_EQ(response.status.code, 9);
    EXPECT_EQ(response.status.text, "the table is not there");
    EXPECT_EQ(response.status.details, std::string("\x0a\x00 bytes", 8));
  }
}

TEST_F(LinkListenerTest, CutsTextsAsTheNetworkDoes) {
  serve([](const Request&) { return Response{{}, {3, std::string(20'000, 'x')}}; });
  EXPECT_EQ(call("x").status.text, std::string(3072, 'x') + " ... [truncated]");
}

TEST_F(LinkListenerTest, AnswersManyRequestsThatWaitForEachOther) {
  constexpr int kRequests = 50;
  std::latch all_here(kRequests);
  serve([&](const Request& request) {
    all_here.arrive_and_wait();
    return echo(request);
  });
  std::vector<Started> started;
  for (int i = 0; i < kRequests - 1; ++i) started.push_back(start(std::to_string(i)));
  EXPECT_EQ(text_of(call("last").message), "/s/m last");
  for (int i = 0; i < kRequests - 1; ++i)
    EXPECT_EQ(text_of(started[static_cast<size_t>(i)].response.get().message), "/s/m " + std::to_string(i));
  listener_.reset();
}

TEST_F(LinkListenerTest, AnswersRequestsOfManyThreads) {
  serve(echo);
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        const std::string text = std::to_string(1000 * t + i);
        right += text_of(call(text).message) == "/s/m " + text;
        right += text_of(start(text).response.get().message) == "/s/m " + text;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 1600);
}

TEST_F(LinkListenerTest, TellsTheServerOfADeadline) {
  for (const bool waits : {false, true}) {
    UntilGivenUp& handler = wait_until_given_up();
    const auto deadline = std::chrono::system_clock::now() + std::chrono::milliseconds(50);
    const Response response = waits ? call("x", deadline) : start("x", deadline).response.get();
    EXPECT_EQ(response.status.code, 4);
    handler.ended.wait();
    link_->let_go();
  }
}

TEST_F(LinkListenerTest, TellsTheServerThatTheClientGaveUp) {
  UntilGivenUp& handler = wait_until_given_up();
  Started started = start("x");
  handler.began.wait();
  started.give_up();
  started.give_up();
  EXPECT_EQ(started.response.get().status.code, 1);
  handler.ended.wait();
}

TEST_F(LinkListenerTest, TellsTheServerThatTheCallIsCancelled) {
  UntilGivenUp& handler = wait_until_given_up();
  Cancellation cancellation;
  auto client = std::async(std::launch::async, [&] { return call("x", kNever, &cancellation); });
  handler.began.wait();
  cancellation.cancel();
  EXPECT_EQ(client.get().status.code, 1);
  handler.ended.wait();
}

TEST_F(LinkListenerTest, GivesUpForAClientThatHasGone) {
  UntilGivenUp& handler = wait_until_given_up();
  Descriptor socket = connect_to(listener_->introduction()->name);
  ASSERT_TRUE(socket);
  FrameWriter writer([](bool) {});
  writer.send(socket.number(), {.kind = FrameKind::kHello}, listener_->introduction()->secret, {}, {});
  writer.send(socket.number(), {.kind = FrameKind::kRequest, .number = 1}, "/s/m", {}, {});
  handler.began.wait();
  socket = Descriptor();
  handler.ended.wait();
}

TEST_F(LinkListenerTest, EndsWithRequestsUnderWay) {
  UntilGivenUp& handler = wait_until_given_up();
  Started started = start("x");
  handler.began.wait();
  listener_.reset();
  EXPECT_EQ(started.response.get().status.code, static_cast<int>(Code::kUnavailable));
  EXPECT_TRUE(handler.ended.try_wait());
  EXPECT_EQ(calls_->call("/s/m", Message("x"), kNever, nullptr), std::nullopt);
  EXPECT_TRUE(calls_->is_in_vain());
  EXPECT_EQ(link_->state(), LinkClient::State::kOver);
}

TEST_F(LinkListenerTest, EndsWhileRequestsCome) {
  for (int i = 0; i < 50; ++i) {
    serve(echo);
    std::latch all_here(4);
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 4; ++caller) {
      callers.emplace_back([&, waits = caller % 2 == 0] {
        bool is_first = true;
        while (true) {
          std::optional<Response> response;
          if (waits) {
            response = calls_->call("/s/m", Message("x"), kNever, nullptr);
          } else {
            const auto promise = std::make_shared<std::promise<Response>>();
            Channel::Done done = [promise](Response answer) { promise->set_value(std::move(answer)); };
            if (link_->start("/s/m", Message("x"), kNever, done) != nullptr)
              response = promise->get_future().get();
          }
          if (std::exchange(is_first, false)) all_here.count_down();
          if (!response.has_value() || !response->status.ok()) return;
        }
      });
    }
    all_here.wait();
    listener_.reset();
    for (std::thread& caller : callers) caller.join();
  }
}

TEST_F(LinkListenerTest, RefusesWhatIsTooLargeWithAdvice) {
  serve(echo, 1000);
  for (const size_t size : {1001, 1'000'000}) {
    const Response response = call(std::string(size, 'x'));
    EXPECT_EQ(response.status.code, 8);
    EXPECT_THAT(response.status.text, HasSubstr("--max-message-bytes"));
  }
  EXPECT_EQ(text_of(call("x").message), "/s/m x");
}

TEST_F(LinkListenerTest, TakesNoLargerAnswersThanTheClientWants) {
  serve(echo);
  CallLinks calls(*listener_->introduction(), nullptr, 1000);
  for (const size_t size : {995, 996, 1'000'000}) {  // behind "/s/m "
    const Response response = calls.call("/s/m", Message(std::string(size, 'x')), kNever, nullptr).value();
    EXPECT_EQ(response.status.code, size == 995 ? 0 : 8);
    if (size == 996) {
      EXPECT_THAT(response.status.text, HasSubstr("Received message larger than max (1001 vs. 1000)\n"));
    }
  }
}

TEST_F(LinkListenerTest, TurnsAwayThoseThatDoNotKnowTheSecret) {
  std::atomic<int> requests{0};
  serve([&](const Request& request) {
    ++requests;
    return echo(request);
  });
  for (const std::string& secret :
       {std::string("wrong"), std::string(), listener_->introduction()->secret + "0"}) {
    Introduction guess{listener_->introduction()->name, secret};
    CallLinks calls(guess, nullptr);
    EXPECT_EQ(calls.call("/s/m", Message("x"), kNever, nullptr), std::nullopt);
  }
  EXPECT_EQ(requests, 0);
  listener_.reset();
}

TEST_F(LinkListenerTest, GoesOnWhateverAClientSends) {
  serve(echo);
  std::mt19937 random(11);
  const int rounds = std::getenv("FLOWRAY_NIGHTLY") != nullptr ? 100'000 : 500;
  for (int i = 0; i < rounds; ++i) {
    Descriptor socket = connect_to(listener_->introduction()->name);
    while (!socket) socket = connect_to(listener_->introduction()->name);  // many have still to be accepted
    FrameWriter writer([](bool) {});
    writer.send(socket.number(), {.kind = FrameKind::kHello}, listener_->introduction()->secret, {}, {});
    std::string bytes;
    for (int frames = 0; frames < 3; ++frames) {
      FrameHead head{.kind = static_cast<FrameKind>(1 + random() % 7), .number = random() % 3};
      head.text_bytes = 4;
      head.body_bytes = random() % 8;
      bytes.append(reinterpret_cast<const char*>(&head), sizeof(head));
      bytes.append(4 + head.body_bytes, 'x');
    }
    for (int changed = static_cast<int>(random() % 3); changed > 0; --changed)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    (void)!::send(socket.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (i % 50 == 0) {
      EXPECT_EQ(text_of(call("hello").message), "/s/m hello");
    }
  }
  EXPECT_EQ(text_of(start("hello").response.get().message), "/s/m hello");
}

TEST_F(LinkListenerTest, EndsALinkWithTheLastOfItsCalls) {
  std::latch goes_on(1);
  serve([&](const Request& request) {
    goes_on.wait();
    return echo(request);
  });
  Started started = start("x");
  link_->let_go();
  EXPECT_EQ(link_->state(), LinkClient::State::kUp);
  goes_on.count_down();
  EXPECT_EQ(text_of(started.response.get().message), "/s/m x");
  while (link_->state() != LinkClient::State::kOver) std::this_thread::yield();
  listener_.reset();
}

/// Looks every 25 ms, so that a server is given up after 0.25 s and a client after 0.6.
class SilentPeers : public LinkListenerTest {
 protected:
  static void SetUpTestSuite() { ::setenv("FLOWRAY_KEEPALIVE_MS", "200", 1); }
  static void TearDownTestSuite() { ::unsetenv("FLOWRAY_KEEPALIVE_MS"); }
};

/// Welcomes a client, as a server does, and then neither reads nor closes, as one that was stopped.
class StoppedServer {
 public:
  StoppedServer() : socket_(listen_at(introduction.name)) { EXPECT_TRUE(socket_); }
  void welcome_next() {
    while (!(accepted_ = accept_from(socket_.number()))) std::this_thread::yield();
    FrameReader reader(nullptr, kMostBodyBytes);
    Frame frame;
    while (reader.next(accepted_.number(), frame) != FrameReader::Outcome::kFrame) std::this_thread::yield();
    EXPECT_EQ(frame.head.kind, FrameKind::kHello);
    FrameWriter([](bool) {}).send(accepted_.number(), {.kind = FrameKind::kWelcome}, {}, {}, {});
  }
  const Introduction introduction{"flowray-" + random_word(), "secret"};

 private:
  Descriptor socket_;
  Descriptor accepted_;
};

TEST_F(SilentPeers, AreUnavailableForThoseThatWait) {
  StoppedServer server;
  CallLinks calls(server.introduction, nullptr);
  // With a body that the socket does not take whole, too.
  for (const size_t size : {1, 10'000'000}) {
    auto client = std::async(std::launch::async, [&] {
      return calls.call("/s/m", Message(std::string(size, 'x')), kNever, nullptr).value();
    });
    server.welcome_next();
    ASSERT_EQ(client.wait_for(std::chrono::seconds(20)), std::future_status::ready);
    EXPECT_EQ(client.get().status.code, 14);
  }
}

TEST_F(SilentPeers, AreUnavailableForThoseThatDoNot) {
  StoppedServer server;
  for (const size_t size : {1, 10'000'000}) {
    link_ = LinkClient::connect(server.introduction, nullptr);
    server.welcome_next();
    while (link_->state() == LinkClient::State::kConnecting) std::this_thread::yield();
    std::vector<Started> started;
    for (int i = 0; i < 3; ++i) started.push_back(start(std::string(size, 'x')));
    for (Started& one : started) {
      ASSERT_EQ(one.response.wait_for(std::chrono::seconds(20)), std::future_status::ready);
      EXPECT_EQ(one.response.get().status.code, 14);
    }
    EXPECT_EQ(link_->state(), LinkClient::State::kOver);
  }
}

TEST_F(SilentPeers, AreGivenUpAsClients) {
  UntilGivenUp& handler = wait_until_given_up();
  const Descriptor socket = connect_to(listener_->introduction()->name);
  ASSERT_TRUE(socket);
  FrameWriter writer([](bool) {});
  writer.send(socket.number(), {.kind = FrameKind::kHello}, listener_->introduction()->secret, {}, {});
  writer.send(socket.number(), {.kind = FrameKind::kRequest, .number = 1}, "/s/m", {}, {});
  handler.began.wait();
  handler.ended.wait();
}

/// A server whose handlers take long is not silent.
TEST_F(SilentPeers, AreNotThoseThatAreBusy) {
  serve([](const Request& request) {
    std::this_thread::sleep_for(std::chrono::seconds(3));
    return echo(request);
  });
  std::vector<Started> started;
  for (int i = 0; i < 20; ++i) started.push_back(start("x"));
  EXPECT_EQ(text_of(call("x").message), "/s/m x");
  for (Started& one : started) EXPECT_EQ(text_of(one.response.get().message), "/s/m x");
  listener_.reset();
}

}  // namespace
}  // namespace flowray::cluster
