#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace flowray {

/// Lets this thread's arithmetic take subnormal numbers for zero, and give zero instead of them, from now on:
/// as TensorFlow's threads do. A processor needs a hundred cycles and more for each of them otherwise, and
/// weights that training has decayed are full of them.
inline void flush_subnormals() {
#if defined(__x86_64__)
  constexpr unsigned kFlushResultsAndOperands = 0x8040;
  _mm_setcsr(_mm_getcsr() | kFlushResultsAndOperands);
#endif
}

/// The same while it lives.
class FlushSubnormals {
 public:
#if defined(__x86_64__)
  FlushSubnormals() : before_(_mm_getcsr()) { flush_subnormals(); }
  ~FlushSubnormals() { _mm_setcsr(before_); }
#else
  FlushSubnormals() = default;
  ~FlushSubnormals() {}
#endif
  FlushSubnormals(const FlushSubnormals&) = delete;
  FlushSubnormals& operator=(const FlushSubnormals&) = delete;

 private:
#if defined(__x86_64__)
  const unsigned before_;
#endif
};

/// While it lives, this thread's arithmetic has subnormal numbers as others expect it: for their code on
/// threads of ours, or in the middle of our work on theirs.
class KeepSubnormals {
 public:
#if defined(__x86_64__)
  KeepSubnormals() : before_(_mm_getcsr()) {
    constexpr unsigned kFlushResultsAndOperands = 0x8040;
    _mm_setcsr(before_ & ~kFlushResultsAndOperands);
  }
  ~KeepSubnormals() { _mm_setcsr(before_); }
#else
  KeepSubnormals() = default;
  ~KeepSubnormals() {}
#endif
  KeepSubnormals(const KeepSubnormals&) = delete;
  KeepSubnormals& operator=(const KeepSubnormals&) = delete;

 private:
#if defined(__x86_64__)
  const unsigned before_;
#endif
};

}  // namespace flowray
