#pragma once
/// Which sanitizer this is compiled with. gcc says it in a macro, clang 19 in a feature.

namespace flowray {

#if defined(__has_feature)
#define FLOWRAY_HAS_FEATURE(name) __has_feature(name)
#else
#define FLOWRAY_HAS_FEATURE(name) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || FLOWRAY_HAS_FEATURE(address_sanitizer)
constexpr bool kAddressSanitizer = true;
#else
constexpr bool kAddressSanitizer = false;
#endif

#if defined(__SANITIZE_THREAD__) || FLOWRAY_HAS_FEATURE(thread_sanitizer)
constexpr bool kThreadSanitizer = true;
#else
constexpr bool kThreadSanitizer = false;
#endif

#if FLOWRAY_HAS_FEATURE(memory_sanitizer)
constexpr bool kMemorySanitizer = true;
#else
constexpr bool kMemorySanitizer = false;
#endif

/// Either of those under which the tests run: slow, with a malloc and memory of their own.
constexpr bool kSanitized = kAddressSanitizer || kThreadSanitizer;

#undef FLOWRAY_HAS_FEATURE

}  // namespace flowray
