#include "cluster/transport.h"

#include <dlfcn.h>
#include <flowray/errors.h>
#include <fmt/format.h>
#include <link.h>

#include <filesystem>
#include <vector>

#include "core/buffer.h"
#include "core/sanitizers.h"

namespace flowray::cluster {
namespace {

constexpr const char* kLibrary = "libflowray-cluster.so";

/// The folder of the library or program that this function is in; empty where that is not to be found.
std::filesystem::path own_folder() {
  Dl_info info{};
  link_map* map = nullptr;
  if (dladdr1(reinterpret_cast<const void*>(&own_folder), &info, reinterpret_cast<void**>(&map),
              RTLD_DL_LINKMAP) == 0 ||
      map == nullptr)
    return {};
  // A program is called by what the shell was asked for, which may be a name in PATH.
  const char* const file = *map->l_name == '\0' ? "/proc/self/exe" : map->l_name;
  std::error_code error;
  return std::filesystem::canonical(file, error).parent_path();
}

void* open_library() {
  int flags = RTLD_NOW | RTLD_LOCAL;
  // A sanitizer replaces functions, which a deeply bound library would not see.
  if constexpr (!kAddressSanitizer && !kThreadSanitizer) flags |= RTLD_DEEPBIND;
  const auto folder = own_folder();
  std::vector<std::filesystem::path> places;
  if (!folder.empty()) places = {folder / kLibrary, folder.parent_path() / "lib" / kLibrary};
  places.emplace_back(kLibrary);
  for (const auto& place : places) {
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
  } catch (const std::exception&) {  // no caller could handle it
    return {};
  }
}

Transport& transport() {
  static Transport& opened = open_transport();
  return opened;
}

}  // namespace flowray::cluster
