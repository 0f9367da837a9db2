#include "lenet/step_log.h"

namespace lenet {
namespace {

constexpr double kFlushSeconds = 5;  // how far behind TensorBoard may be
constexpr size_t kStepsInRate = 10;  // as many as the actors make between two averages unless told otherwise

}  // namespace

StepLog::StepLog(const std::filesystem::path& logdir, int64_t images_per_step)
    : writer_(logdir, {.flush_secs = kFlushSeconds}), images_per_step_(images_per_step) {}

void StepLog::step_done(float loss, float accuracy) {
  writer_.add_summary({{"loss", loss}, {"accuracy", accuracy}, {"images/s", images_per_second()}}, ++done_);
}

double StepLog::images_per_second() {
  ends_.push_back(Clock::now());
  const std::chrono::duration<double> took = ends_.back() - ends_.front();
  const auto images = static_cast<double>(static_cast<int64_t>(ends_.size() - 1) * images_per_step_);
  if (ends_.size() > kStepsInRate) ends_.pop_front();
  return images / took.count();
}

}  // namespace lenet
