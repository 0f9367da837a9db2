#include "cluster/transport.h"

#include <dlfcn.h>
#include <flowray/errors.h>
#include <fmt/format.h>

#include <filesystem>

#include "core/buffer.h"
#include "core/sanitizers.h"

namespace flowray::cluster {
namespace {

constexpr const char* kLibrary = "libflowray-cluster.so";

/// The folder of the library or program that this function is in.
std::filesystem::path own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0 || info.dli_fname == nullptr) return {};
  return std::filesystem::canonical(info.dli_fname).parent_path();
}

void* open_library() {
  int flags = RTLD_NOW | RTLD_LOCAL;
  // A sanitizer replaces functions, which a deeply bound library would not see.
  if constexpr (!kAddressSanitizer && !kThreadSanitizer) flags |= RTLD_DEEPBIND;
  const auto folder = own_folder();
  for (const auto& place :
       {folder / kLibrary, folder.parent_path() / "lib" / kLibrary, std::filesystem::path(kLibrary)}) {
    if (void* library = dlopen(place.c_str(), flags)) return library;
    // A file that is there and cannot be opened is not passed over for another one.
    if (place.has_parent_path() && std::filesystem::exists(place)) return nullptr;
  }
  return nullptr;
}

Transport& open_transport() {
  void* library = open_library();
  if (library == nullptr) {
    const char* reason = dlerror();
    throw errors::UnavailableError(fmt::format(
        "Servers and clusters need {}, which cannot be opened: {}\nBuild or install it beside libflowray.",
        kLibrary, reason != nullptr ? reason : "it is not there"));
  }
  const auto make = reinterpret_cast<TransportFunction>(dlsym(library, "flowray_cluster_transport"));
  Transport* transport = make == nullptr ? nullptr : make(kTransportVersion);
  if (transport == nullptr) {
    throw errors::UnavailableError(
        fmt::format("{} is of another version than this libflowray; install both from one build.", kLibrary));
  }
  return *transport;
}

}  // namespace

Memory allocate_from_pool(size_t size_bytes) {
  try {
    auto owner = std::make_shared<const BufferRef>(Buffer::allocate(size_bytes));
    return {(*owner)->data(), owner};
  } catch (const std::exception&) {  // what it says goes to nobody who could do something about it
    return {};
  }
}

Transport& transport() {
  static Transport& opened = open_transport();
  return opened;
}

}  // namespace flowray::cluster
