#pragma once

#include <cstdint>

#include "core/function_ref.h"

namespace flowray {

/// Something that can split a range of independent work over threads. Kernels ask for nothing more than this.
class Parallel {
 public:
  virtual ~Parallel() = default;

  /// The greatest number of pieces that may run at the same time, the caller's included; at least 1.
  virtual int workers() const = 0;

  /// Runs body(begin, end, worker) over disjoint pieces that cover [0, count), and returns when all
  /// have ended.
  ///
  /// 0 <= worker < workers(), and no two pieces of one call with the same worker run at the same time, so
  /// `worker` may index scratch space. Pieces hold at least `min_per_worker` items (below 1 counts as 1), but
  /// for the last. All of it may run in the caller, as one piece with worker 0. count <= 0 runs nothing. If
  /// bodies throw, one exception reaches the caller after every piece has ended.
  virtual void for_range(int64_t count, int64_t min_per_worker,
                         const FunctionRef<void(int64_t begin, int64_t end, int worker)>& body) = 0;
};

/// A Parallel that runs everything in the caller.
class Serial final : public Parallel {
 public:
  int workers() const override { return 1; }

  void for_range(int64_t count, int64_t /*min_per_worker*/,
                 const FunctionRef<void(int64_t begin, int64_t end, int worker)>& body) override {
    if (count > 0) body(0, count, 0);
  }
};

}  // namespace flowray
