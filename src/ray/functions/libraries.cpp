#include "ray/functions/libraries.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <vector>

#include "core/guarded.h"
#include "ray/functions/function_registry.h"

namespace flowray::ray {
namespace {

using internal::FunctionEntry;
using internal::LibraryRuntime;

constexpr const char* kNameOfRuntime = "_ZN7flowray3ray8internal15library_runtimeEv";

/// Whether a library with a runtime of its own was opened; without one, the list below is never allocated.
std::atomic<bool> has_other_runtimes{false};

Guarded<std::vector<const LibraryRuntime*>>& other_runtimes() {
  static auto* const runtimes = new Guarded<std::vector<const LibraryRuntime*>>();
  return *runtimes;
}

bool is_same_version(const LibraryRuntime& one, const LibraryRuntime& other) {
  return std::string_view(one.compiler) == other.compiler && std::ranges::equal(one.sizes, other.sizes);
}

void take_function(void*, const FunctionEntry& entry) { registered_functions().add(entry.name, entry); }

void take_upcast(void*, uint64_t from, uint64_t to, LibraryRuntime::Cast cast) {
  registered_functions().add_upcast(from, to, cast);
}

}  // namespace

void open_library(const std::string& path) {
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const reason = dlerror();
    throw RuntimeError("The library '" + path +
                       "' cannot be opened: " + (reason == nullptr ? "unknown reason" : reason));
  }
  auto* const find = reinterpret_cast<const LibraryRuntime& (*)() noexcept>(dlsym(handle, kNameOfRuntime));
  if (find == nullptr) {
    throw RuntimeError("The library '" + path +
                       "' has no remote functions: RAY_REMOTE registers them, and it is linked with "
                       "flowray::flowray.");
  }
  const LibraryRuntime& runtime = find();
  if (&runtime == &internal::library_runtime()) return;  // it uses this copy
  if (!is_same_version(runtime, internal::library_runtime())) {
    throw RuntimeError("The library '" + path +
                       "' was linked with another version of Flowray, or compiled by another compiler (" +
                       runtime.compiler + "); build it with what is installed here.");
  }
  runtime.each_function(nullptr, take_function);
  runtime.each_upcast(nullptr, take_upcast);
  auto others = other_runtimes().lock();
  if (std::ranges::find(*others, &runtime) == others->end()) others->push_back(&runtime);
  has_other_runtimes = true;
  runtime.set_backend(internal::backend_of_process());
}

void tell_libraries(internal::Backend* backend) noexcept {
  if (!has_other_runtimes) return;
  for (const LibraryRuntime* runtime : *other_runtimes().lock()) runtime->set_backend(backend);
}

}  // namespace flowray::ray
