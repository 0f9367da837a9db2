#pragma once
/// ObjectRef<T>: a value that may still be computed, and that may lie in another process.

#include <flowray/ray/backend.h>
#include <flowray/ray/containers.h>
#include <flowray/ray/errors.h>

#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::ray {

namespace internal {

/// What all ObjectRefs are, whatever their type: a share in an object.
class AnyRef {
 public:
  AnyRef() noexcept = default;
  /// Takes over one reference of the handle.
  explicit AnyRef(ObjectHandle* handle) noexcept : handle_(handle) {}
  AnyRef(const AnyRef& other) noexcept : handle_(other.handle_) {
    if (handle_ != nullptr) handle_->retain();
  }
  AnyRef(AnyRef&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  AnyRef& operator=(AnyRef other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~AnyRef() {
    if (handle_ != nullptr) handle_->release();
  }

  ObjectHandle* handle() const noexcept { return handle_; }
  ObjectId object() const noexcept { return handle_ == nullptr ? ObjectId{} : handle_->id(); }

 private:
  ObjectHandle* handle_ = nullptr;
};

/// The handle; throws RayException for a reference to nothing.
ObjectHandle* require_handle(const AnyRef& ref);
/// An id for people: 16 hexadecimal digits; empty for none.
std::string id_text(uint64_t id);
/// What such a text names; 0 for an empty one. Throws RayException for anything else.
uint64_t id_of_text(const std::string& text);
/// A new handle of the object that the text names; null for an empty one. Throws RayException.
ObjectHandle* handle_of_text(const std::string& text);

/// When a Get or Wait that is given `timeout_ms` must end; none for -1.
Deadline deadline_after(int timeout_ms);
/// Waits for the value. Throws RayTimeoutException, or the error that the value is.
ValueView get_value(const AnyRef& ref, Deadline deadline, int timeout_ms);

/// What Get returns: a shared pointer to the value; nothing for ObjectRef<void>.
template <typename T>
struct GetResult {
  using One = std::shared_ptr<T>;
  using Many = std::vector<std::shared_ptr<T>>;
};
template <>
struct GetResult<void> {
  using One = void;
  using Many = void;
};

}  // namespace internal

/// A reference to a value of type T in the object store, or to the result of a call that still runs. Copies
/// share it; the runtime frees the value after the last one, in whatever process that is. Default-made it
/// refers to nothing. As with std::shared_ptr, one ObjectRef may be read from many threads and copies of it
/// used freely.
template <typename T>
class ObjectRef : public internal::AnyRef {
 public:
  static_assert(std::is_same_v<T, std::decay_t<T>>,
                "an ObjectRef refers to values, not to references or const types");
  using AnyRef::AnyRef;
  /// A reference to the object with that ID(), which this process's own runtime knows and which
  /// is still referenced. Throws RayException if there is none, and in workers: references
  /// reach these inside of values. Not explicit, as Ray's is not.
  ObjectRef(const std::string& id) : AnyRef(internal::handle_of_text(id)) {}
  /// For templates.
  static bool IsObjectRef() { return true; }

  /// Waits until the value is there and reads it. Arrays in it are those of the object store, not copies.
  /// Throws RayTaskException if the function that should make it threw, RayActorException or
  /// RayWorkerException if its process died, UnreconstructableException if it is lost.
  typename internal::GetResult<T>::One Get() const { return Get(-1); }
  /// Throws RayTimeoutException if the value is not there after `timeout_ms`; 0 does not wait, -1 waits
  /// without end.
  typename internal::GetResult<T>::One Get(const int& timeout_ms) const {
    return GetBefore(internal::deadline_after(timeout_ms), timeout_ms);
  }

  /// The object's identity as text; empty if it refers to nothing.
  std::string ID() const { return internal::id_text(object().value); }
  /// Whether it refers to an object at all.
  bool has_value() const noexcept { return handle() != nullptr; }
  /// Whether both refer to one object.
  bool operator==(const ObjectRef& other) const noexcept { return object() == other.object(); }

  /// For Flowray itself: Get with a deadline that several share.
  typename internal::GetResult<T>::One GetBefore(internal::Deadline deadline, int timeout_ms) const {
    const internal::ValueView value = internal::get_value(*this, deadline, timeout_ms);
    if constexpr (!std::is_void_v<T>) return std::make_shared<T>(decode_value<T>(value));
  }
};

/// Inside of a value a reference stays a reference.
template <typename T>
struct Codec<ObjectRef<T>> {
  static void encode(Encoder& out, const ObjectRef<T>& value) { out.write_ref(value.handle()); }
  static ObjectRef<T> decode(Decoder& in) { return ObjectRef<T>(in.read_ref()); }
};

/// What Wait returns, each in the order in which they were given.
template <typename T>
struct WaitResult {
  /// The references whose values are there: at most as many as were waited for.
  std::vector<ObjectRef<T>> ready;
  /// The others.
  std::vector<ObjectRef<T>> unready;
};

}  // namespace flowray::ray

#pragma GCC visibility pop
