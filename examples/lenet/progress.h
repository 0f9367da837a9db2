#pragma once
/// How a training shows that it goes on.

#include <chrono>
#include <cstdint>
#include <memory>

namespace lenet {

/// Told of every step; shows some.
class Progress {
 public:
  virtual ~Progress() = default;
  /// A step of `images` images is done; loss and accuracy are those of its batch.
  virtual void step_done(float loss, float accuracy) = 0;
  /// Nothing more comes; the output stands at the beginning of a line.
  virtual void end() = 0;
};

/// On standard output: a bar that is drawn again about ten times a second if that is a terminal, else a line
/// every 100 steps. Loss and accuracy are means of the steps since the last time.
std::unique_ptr<Progress> show_progress(int64_t steps, int64_t images_per_step);

}  // namespace lenet
