#pragma once
/// What outlives a step and is found again by its name: variables, queues and their like.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <typeindex>
#include <unordered_map>
#include <utility>

#include "core/mutex.h"

namespace flowray::graph {

/// Something that a handle or a reference in a graph stands for. Each kind is a class derived from this one.
class Resource {
 public:
  explicit Resource(std::string name) : name_(std::move(name)) {}
  Resource(const Resource&) = delete;
  Resource& operator=(const Resource&) = delete;
  virtual ~Resource() = default;

  const std::string& name() const { return name_; }
  /// TensorFlow's name for its kind, as errors tell it: "tensorflow::Var".
  virtual std::string_view kind() const = 0;

 private:
  const std::string name_;
};

/// `resource` as an `R`, which has a static kKind. Throws errors::InvalidArgumentError where it is of
/// another kind.
template <class R>
R& resource_as(Resource& resource);

/// Resources by container, kind and name: as in TensorFlow, a variable and a queue may have the same name.
/// Outlives single steps. Safe from many threads.
class ResourceContainers {
 public:
  /// The `R` of that name, made by `make` (returning std::shared_ptr<R>) when there is none. "" is the
  /// default container.
  template <class R, class Make>
  std::shared_ptr<R> find_or_make(const std::string& container, const std::string& name, Make make) {
    const MutexLock lock(mutex_);
    std::shared_ptr<Resource>& slot = containers_[container][{typeid(R), name}];
    if (slot == nullptr) slot = make();
    return std::static_pointer_cast<R>(slot);
  }
  template <class R>
  std::shared_ptr<R> find_or_make(const std::string& container, const std::string& name) {
    return find_or_make<R>(container, name, [&] { return std::make_shared<R>(name); });
  }
  /// Drops one; other holders' references keep it alive.
  template <class R>
  void forget(const std::string& container, const std::string& name) {
    const MutexLock lock(mutex_);
    const auto found = containers_.find(container);
    if (found != containers_.end()) found->second.erase({typeid(R), name});
  }
  /// Drops everything in `container`.
  void clear(const std::string& container);

 private:
  struct Key {
    std::type_index kind;
    std::string name;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const {
      return key.kind.hash_code() ^ std::hash<std::string>()(key.name);
    }
  };
  using Container = std::unordered_map<Key, std::shared_ptr<Resource>, KeyHash>;

  Mutex mutex_;
  std::unordered_map<std::string, Container> containers_ FLOWRAY_GUARDED_BY(mutex_);
};

/// Throws the error of resource_as.
[[noreturn]] void throw_wrong_kind(const Resource& resource, std::string_view asked);
/// Throws the error for a handle that stands for nothing.
[[noreturn]] void throw_wrong_kind(std::string_view asked);

template <class R>
R& resource_as(Resource& resource) {
  if (auto* typed = dynamic_cast<R*>(&resource)) return *typed;
  throw_wrong_kind(resource, R::kKind);
}

}  // namespace flowray::graph
