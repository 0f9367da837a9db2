#include "graph/resource/resource.h"

#include <flowray/errors.h>

#include <fmt/format.h>

namespace flowray::graph {

void ResourceContainers::clear(const std::string& container) {
  Container dropped;  // ends outside of the lock
  const MutexLock lock(mutex_);
  const auto found = containers_.find(container);
  if (found == containers_.end()) return;
  dropped = std::move(found->second);
  containers_.erase(found);
}

void throw_wrong_kind(const Resource& resource, std::string_view asked) {
  throw errors::InvalidArgumentError(
      fmt::format("Trying to access a handle's resource using the wrong type. The handle points to a "
                  "resource (name '{}') of type "
                  "'{}' but you are trying to access the resource as type '{}'",
                  resource.name(), resource.kind(), asked));
}

void throw_wrong_kind(std::string_view asked) {
  throw errors::InvalidArgumentError(fmt::format(
      "A handle of a resource of type '{}' was expected, but got a value that is not a handle", asked));
}

}  // namespace flowray::graph
