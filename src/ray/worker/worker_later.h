#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "ray/worker/worker_backend.h"

namespace flowray::ray {

/// The answer of a call whose function may have returned.
class WorkerBackend::Later final : public internal::LaterAnswer {
 public:
  Later(WorkerBackend& backend, const Run& run);
  ~Later() override;

  std::span<Encoder> results() noexcept override { return {results_.get(), run_.num_returns}; }
  void send(bool succeeded) override;
  void fail_for_good() override { fails_for_good_ = true; }
  void when_cancelled(std::function<void()> told) override;
  void exit_actor() override;

 private:
  friend class WorkerBackend;

  WorkerBackend& backend_;
  const std::unique_ptr<Encoder[]> results_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  Run run_;  // without its values
  bool is_sent_ = false;
  bool fails_for_good_ = false;
  // Under the backend's lock.
  bool is_cancelled_ = false;
  bool was_told_ = false;  // of that, where it has awaited a value
  std::function<void()> when_cancelled_;
};

}  // namespace flowray::ray
