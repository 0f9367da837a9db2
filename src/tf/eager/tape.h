#pragma once
/// What happens while a tf.GradientTape records: the nodes that depend on something
/// that it watches, in their order.

#include "graph/value_node.h"

#include <cstdint>
#include <span>
#include <vector>

namespace flowray::tf::eagerly {

class Tape;

/// The tapes of one thread that record.
struct Recording {
  /// A bit for each tape that records, and for each of those that watch the variables that are read.
  uint64_t tapes = 0;
  uint64_t variable_tapes = 0;
  std::vector<Tape*> open;
};

/// The recording of the calling thread.
Recording& recording();

/// Nodes and their inputs are kept until the tape ends or is reset.
class Tape {
 public:
  /// Takes one of the process's 64 bits; throws errors::ResourceExhaustedError where there is none left.
  explicit Tape(bool watches_variables);
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;
  ~Tape();

  uint64_t bit() const { return bit_; }
  bool is_recording() const { return is_recording_; }
  void start();
  void stop() noexcept;
  /// Forgets all that was recorded and watched.
  void reset() noexcept;

  /// From now on what depends on the node is recorded.
  void watch(graph::ValueNode& node);
  void add(graph::ValueNode& node);
  /// Variables that were watched, in the order of their first use.
  const std::vector<graph::ValueNode*>& watched() const { return watched_; }

 private:
  const uint64_t bit_;
  const bool watches_variables_;
  bool is_recording_ = false;
  std::vector<graph::ValueNode*> nodes_;
  std::vector<graph::ValueNode*> watched_;
};

/// Tells the tapes that record of an op that has run. Only while there are any.
void record(graph::ValueNode& node, std::span<const graph::Endpoint> inputs, bool is_differentiable);

/// While it lives, the tapes of this thread record nothing.
class RecordingPaused {
 public:
  RecordingPaused();
  RecordingPaused(const RecordingPaused&) = delete;
  RecordingPaused& operator=(const RecordingPaused&) = delete;
  ~RecordingPaused();

 private:
  uint64_t tapes_;
  uint64_t variable_tapes_;
};

}  // namespace flowray::tf::eagerly
