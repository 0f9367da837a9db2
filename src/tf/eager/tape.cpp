#include "tf/eager/tape.h"

#include "core/mutex.h"
#include "core/thread_owned.h"
#include "tf/gradients/body_gradient.h"

#include <atomic>
#include <utility>

namespace flowray::tf::eagerly {
namespace {

/// The bits of the tapes that there are.
class TapeBits {
 public:
  uint64_t take() {
    const MutexLock lock(mutex_);
    if (taken_ == ~uint64_t{0}) {
      throw errors::ResourceExhaustedError(
          "There are 64 gradient tapes already\nLet tapes end: del tape, or a block around each of them.");
    }
    const uint64_t bit = ~taken_ & (taken_ + 1);
    taken_ |= bit;
    return bit;
  }
  void give_back(uint64_t bit) {
    const MutexLock lock(mutex_);
    taken_ &= ~bit;
  }

 private:
  Mutex mutex_;
  uint64_t taken_ FLOWRAY_GUARDED_BY(mutex_) = 0;
};

TapeBits& tape_bits() {
  static TapeBits bits;
  return bits;
}

uint64_t next_time() {
  static std::atomic<uint64_t> time{0};
  return time.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

Recording& recording() { return ThreadOwned<Recording>::get(); }

Tape::Tape(bool watches_variables) : bit_(tape_bits().take()), watches_variables_(watches_variables) {}

Tape::~Tape() {
  stop();
  reset();
  tape_bits().give_back(bit_);
}

void Tape::start() {
  Recording& here = recording();
  here.open.push_back(this);
  here.tapes |= bit_;
  if (watches_variables_) here.variable_tapes |= bit_;
  is_recording_ = true;
}

void Tape::stop() noexcept {
  if (!is_recording_) return;
  Recording& here = recording();
  std::erase(here.open, this);
  here.tapes &= ~bit_;
  here.variable_tapes &= ~bit_;
  is_recording_ = false;
}

/// The last ones first, so that each goes alone and not with all that it was made from.
void Tape::reset() noexcept {
  while (!nodes_.empty()) {
    graph::ValueNode* const node = nodes_.back();
    nodes_.pop_back();
    node->set_tapes(node->tapes() & ~bit_);
    if (node->tapes() == 0 && !node->keeps_inputs()) node->drop_inputs();
    node->release();
  }
  for (graph::ValueNode* node : watched_) {
    node->set_tapes(node->tapes() & ~bit_);
    node->release();
  }
  watched_.clear();
}

void Tape::watch(graph::ValueNode& node) {
  if ((node.tapes() & bit_) != 0) return;
  node.retain();
  watched_.push_back(&node);
  node.set_tapes(node.tapes() | bit_);
}

void Tape::add(graph::ValueNode& node) {
  node.retain();
  nodes_.push_back(&node);
}

void record(graph::ValueNode& node, std::span<const graph::Endpoint> inputs, bool is_differentiable) {
  Recording& here = recording();
  uint64_t tapes = 0;
  for (const graph::Endpoint& input : inputs) {
    graph::ValueNode& from = graph::value_node(input);
    if (from.is_trainable() && (here.variable_tapes & ~from.tapes()) != 0) {
      for (Tape* tape : here.open) {
        if ((here.variable_tapes & tape->bit()) != 0) tape->watch(from);
      }
    }
    if (tf::is_differentiable(input.dtype())) tapes |= from.tapes();
  }
  tapes &= here.tapes;
  if (tapes == 0 || !is_differentiable) return;
  bool any = false;
  for (int i = 0; i < node.num_outputs(); ++i) {
    any = any || (!is_ref(node.output_dtype(i)) && tf::is_differentiable(node.output_dtype(i)));
  }
  if (!any) return;
  node.set_tapes(tapes);
  node.keep_inputs(inputs);
  node.set_time(next_time());
  for (Tape* tape : here.open) {
    if ((tapes & tape->bit()) != 0) tape->add(node);
  }
}

RecordingPaused::RecordingPaused()
    : tapes_(std::exchange(recording().tapes, 0)),
      variable_tapes_(std::exchange(recording().variable_tapes, 0)) {}
RecordingPaused::~RecordingPaused() {
  recording().tapes = tapes_;
  recording().variable_tapes = variable_tapes_;
}

}  // namespace flowray::tf::eagerly
