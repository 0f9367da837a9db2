#pragma once

#include <flowray/ray/function.h>

#include <string>

namespace flowray::ray {

/// Opens a shared library with remote functions, as dlopen does, for as long as the process lives: its
/// functions are this program's from now on. It may have been linked with a libflowray of its own, as one
/// that Python opens has: then the two share their functions and the runtime. Opened before Init, workers
/// have it, too. Throws RuntimeError where it cannot be opened, has nothing to do with Flowray, or is of
/// another version of it.
void open_library(const std::string& path);

/// Called by set_backend: what opened libraries call is this process's runtime, too.
void tell_libraries(internal::Backend* backend) noexcept;

namespace internal {

#pragma GCC visibility push(default)

/// What one copy of Flowray in a process shows to another.
struct LibraryRuntime {
  using Cast = void* (*)(void* object);

  const char* compiler;
  /// Sizes of types that both sides use: as a rule a copy of another version differs in one of them.
  size_t sizes[4];
  void (*each_function)(void* data, void (*take)(void* data, const FunctionEntry& entry));
  void (*each_upcast)(void* data, void (*take)(void* data, uint64_t from, uint64_t to, Cast cast));
  void (*set_backend)(Backend* backend) noexcept;
};

/// Found by its name in a library that is opened.
const LibraryRuntime& library_runtime() noexcept;

#pragma GCC visibility pop

}  // namespace internal
}  // namespace flowray::ray
