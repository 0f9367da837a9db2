#pragma once
/// What loops tell the compiler.

/// A function that loops of every CpuLevel share: compiled where it is called, for the level of its caller.
#define FLOWRAY_ALWAYS_INLINE [[gnu::always_inline]] inline

/// Put before a loop whose iterations are independent even where its pointers are equal (an output written
/// over an input): without it the compiler takes the slow path there.
#if defined(__clang__)
#define FLOWRAY_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define FLOWRAY_INDEPENDENT _Pragma("GCC ivdep")
#endif

// Sanitizers would make the register tiles, which have no loops left, take minutes to compile. The tests
// guard them by arrays that end where memory ends.
#define FLOWRAY_UNCHECKED no_sanitize("address", "undefined")
#define FLOWRAY_INLINE_LAMBDA __attribute__((always_inline, FLOWRAY_UNCHECKED))
#define FLOWRAY_INLINE inline FLOWRAY_INLINE_LAMBDA
#define FLOWRAY_NOT_INLINE __attribute__((noinline))
#define FLOWRAY_TILE __attribute__((FLOWRAY_UNCHECKED))
