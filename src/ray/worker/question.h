#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ray/worker/worker_backend.h"

namespace flowray::ray {

/// What a thread asks the owner: known from before it is sent until the answer is not wanted any more. Its
/// answer is filled in as messages come. Under the lock.
class WorkerBackend::Question {
 public:
  explicit Question(WorkerBackend& backend) : backend_(backend), id(++backend.last_request_) {
    backend_.questions_[id] = this;
  }
  ~Question() { backend_.questions_.erase(id); }
  Question(const Question&) = delete;
  Question& operator=(const Question&) = delete;

  void take(uint32_t index, internal::ValueView&& found) {
    if (values.empty()) {
      value = std::move(found);
      is_answered = true;
    } else if (index < values.size()) {
      values[index] = std::move(found);
      ++num_values;
      is_answered = values[awaited].has_value();
    }
  }

 private:
  WorkerBackend& backend_;

 public:
  const uint64_t id;
  bool is_answered = false;
  internal::ValueView value;
  /// Of several values, and which of them makes it answered.
  std::vector<std::optional<internal::ValueView>> values;
  size_t awaited = 0;
  size_t num_values = 0;  // that have come
  std::vector<bool> ready;
  ActorId actor;
  uint64_t count = 0;
  Leased leased;
  FoundNext next;
  internal::GroupSpec group;
  std::string text;
};

}  // namespace flowray::ray
