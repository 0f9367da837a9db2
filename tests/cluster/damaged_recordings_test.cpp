// What TensorFlow's client asked a server (tests/golden/requests.txt), whole, and again and again with one
// request damaged: an error or another answer, and never a crash or an end that does not come.
// FLOWRAY_NIGHTLY asks for more, FLOWRAY_SEED for other damages.

#include "cluster/answers.h"
#include "cluster/damaged_answers.h"
#include "cluster/recorded_requests.h"
#include "core/sanitizers.h"

#include <flowray/errors.h>

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace flowray::cluster {
namespace {

/// A client that goes when its answer does not come: what waits for another client (an element of a queue)
/// waits for ever.
class Patience {
 public:
  Patience() : thread_([this] { watch(); }) {}
  ~Patience() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

  Response call(Master& master, const std::string& method, const std::string& bytes) {
    const std::string path = "/tensorflow.MasterService/" + method;
    // An allocation of exactly that size: reading over its end is found.
    const auto exact = std::make_shared<std::vector<std::byte>>(bytes.size());
    std::ranges::copy(std::as_bytes(std::span(bytes)), exact->begin());
    Cancellation cancellation;
    wait_for(&cancellation);
    Response response = answer_of(master, {path, *exact, exact, cancellation});
    wait_for(nullptr);
    return response;
  }

 private:
  static constexpr std::chrono::milliseconds kPatience{100};

  void wait_for(Cancellation* call) {
    const std::lock_guard lock(mutex_);
    call_ = call;
    ++num_changes_;
    changed_.notify_one();
  }
  void watch() {
    std::unique_lock lock(mutex_);
    while (!ended_) {
      const uint64_t seen = num_changes_;
      const auto has_changed = [&] { return ended_ || num_changes_ != seen; };
      if (call_ == nullptr) {
        changed_.wait(lock, has_changed);
      } else if (!changed_.wait_for(lock, kPatience, has_changed)) {
        call_->cancel();
        changed_.wait(lock, has_changed);
      }
    }
  }

  std::mutex mutex_;  // guards what follows, and is held while a call is cancelled
  std::condition_variable changed_;
  Cancellation* call_ = nullptr;
  uint64_t num_changes_ = 0;
  bool ended_ = false;
  std::thread thread_;
};

class DamagedRecordings : public ::testing::Test {
 protected:
  /// The codes of the answers. `damaged` is asked in place of request `place`. Nothing is left behind but a
  /// variable's value.
  std::vector<int> replay(const RecordedUse& step, std::optional<size_t> place = {},
                          const std::string& damaged = {}) {
    std::vector<std::string> sessions;
    std::vector<int> codes;
    for (size_t i = 0; i < step.requests.size(); ++i) {
      const std::string& method = step.requests[i].method;
      const std::string bytes = with_sessions(i == place ? damaged : step.requests[i].bytes, sessions);
      const Response response = patience_.call(master_, method, bytes);
      expect_answer_or_fault_of_client(response.status, bytes);
      codes.push_back(response.status.code);
      if (method == "CreateSession") sessions.push_back(handle_in(response));
    }
    patience_.call(master_, "Reset", "");
    return codes;
  }

  /// The field 1 of a CreateSessionResponse: tag, length, handle.
  static std::string handle_in(const Response& response) {
    if (!response.status.ok() || response.message.pieces().empty()) return "no session";
    const auto bytes = response.message.pieces()[0].bytes;
    return std::string(reinterpret_cast<const char*>(bytes.data()) + 2, kHandleSize);
  }

  /// In place of "session-00000000", what the first CreateSession was answered, and so on.
  static std::string with_sessions(std::string bytes, const std::vector<std::string>& sessions) {
    for (size_t i = 0; i < sessions.size(); ++i) {
      const std::string recorded = recorded_session(i);
      if (sessions[i].size() != kHandleSize) continue;
      for (size_t at = 0; (at = bytes.find(recorded, at)) != std::string::npos;) {
        bytes.replace(at, kHandleSize, sessions[i]);
      }
    }
    return bytes;
  }

  static constexpr size_t kHandleSize = 16;
  Task task_{{}, {}, {}, Security()};
  Master master_{task_};
  Patience patience_;
};

std::string flip_bits(std::string bytes, std::mt19937& random) {
  for (size_t n = 1 + random() % 4; n > 0; --n)
    bytes[random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);
  return bytes;
}
std::string cut_off(std::string bytes, std::mt19937& random) {
  bytes.resize(random() % bytes.size());
  return bytes;
}
std::string take_out(std::string bytes, std::mt19937& random) {
  return bytes.erase(random() % bytes.size(), 1 + random() % 16);
}
/// A stretch of bytes once more, now and then a field as it is.
std::string repeat(std::string bytes, std::mt19937& random) {
  const std::string stretch = bytes.substr(random() % bytes.size(), 1 + random() % 64);
  return bytes.insert(random() % bytes.size(), stretch);
}
/// Where a length stands now and then, a huge one.
std::string put_huge_length(std::string bytes, std::mt19937& random) {
  static constexpr std::array<std::string_view, 4> kLengths = {
      "\xff\xff\xff\xff\x07", "\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "\x80\x80\x80\x80\x80\x01",
      "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"};
  return bytes.replace(random() % bytes.size(), 1, kLengths[random() % kLengths.size()]);
}
std::string put_any_byte(std::string bytes, std::mt19937& random) {
  bytes[random() % bytes.size()] = static_cast<char>(random());
  return bytes;
}

std::string damaged(const std::string& bytes, std::mt19937& random) {
  static constexpr std::array kDamages = {flip_bits, cut_off,         take_out,
                                          repeat,    put_huge_length, put_any_byte};
  return kDamages[random() % kDamages.size()](bytes, random);
}

TEST_F(DamagedRecordings, AreEachOfTheTenCalls) {
  std::set<std::string> methods;
  for (const RecordedUse& step : recorded_uses()) {
    for (const RecordedRequest& request : step.requests) methods.insert(request.method);
  }
  EXPECT_EQ(methods.size(), 10u);
}

TEST_F(DamagedRecordings, EndInAnError) {
  const auto steps = recorded_uses();
  ASSERT_GT(steps.size(), 20u);
  std::vector<std::vector<int>> whole;
  for (const RecordedUse& step : steps) whole.push_back(replay(step));

  const char* wanted_seed = std::getenv("FLOWRAY_SEED");
  const auto seed = static_cast<uint32_t>(wanted_seed != nullptr ? std::atoi(wanted_seed) : 1);
  const int num_rounds = std::getenv("FLOWRAY_NIGHTLY") != nullptr ? 100'000 : kSanitized ? 100 : 1'000;
  std::cout << "seed " << seed << ", " << num_rounds << " rounds\n";
  std::mt19937 random(seed);
  for (int round = 0; round < num_rounds; ++round) {
    for (const RecordedUse& step : steps) {
      const size_t place = random() % step.requests.size();
      const std::string& bytes = step.requests[place].bytes;
      if (bytes.empty()) continue;
      const std::vector<int> codes = replay(step, place, damaged(bytes, random));
      ASSERT_FALSE(HasFatalFailure()) << step.name << ", request " << place << " in round " << round;
      const auto& undamaged = whole[static_cast<size_t>(&step - steps.data())];
      for (size_t i = 0; i < place; ++i) {
        if (codes[i] == static_cast<int>(Code::kCancelled)) continue;  // a busy machine: patience was over
        ASSERT_EQ(codes[i], undamaged[i]) << step.name << ", request " << i;
      }
    }
  }
  for (size_t i = 0; i < steps.size(); ++i) EXPECT_EQ(replay(steps[i]), whole[i]) << steps[i].name;
}

}  // namespace
}  // namespace flowray::cluster
