#pragma once
/// What TensorBoard shows of a training.

#include <flowray/tf.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>

namespace lenet {

namespace tf = flowray::tf;

/// Writes loss, accuracy and images/s of each step into an event file: one folder is one run in TensorBoard.
class StepLog {
 public:
  /// Makes the folder and the file. Throws as tf::summary::FileWriter where that cannot be.
  StepLog(const std::filesystem::path& logdir, int64_t images_per_step);

  /// For TensorBoard's Graphs tab.
  void graph_made(const tf::Graph& graph) { writer_.add_graph(graph); }
  /// Loss and accuracy are those of the step's batch; images/s is the rate of the last steps, with what there
  /// was to wait for between them. About 2 us; throws as FileWriter's add_summary.
  void step_done(float loss, float accuracy);
  /// What is told so far is in the file.
  void flush() { writer_.flush(); }

 private:
  using Clock = std::chrono::steady_clock;
  double images_per_second();

  tf::summary::FileWriter writer_;
  const int64_t images_per_step_;
  int64_t done_ = 0;
  std::deque<Clock::time_point> ends_{
      Clock::now()};  // of the last steps; before them, of the one before, or the start
};

}  // namespace lenet
