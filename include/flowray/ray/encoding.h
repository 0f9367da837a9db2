#pragma once
/// How values become bytes and back: msgpack (https://github.com/msgpack/msgpack/blob/master/spec.md) for
/// everything but the elements of arrays, which lie beside it, 64-byte aligned, and are read in place.
/// codec.h tells which types can be sent; programs meet Encoder and Decoder only when they teach it a type of
/// their own.

#include <flowray/array.h>
#include <flowray/ray/backend.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::ray {

namespace internal {

/// The types of msgpack's extension values. The numbers are part of the format.
enum class Extension : int8_t {
  kArray = 1,      ///< index (u32), dtype (u8), rank (u8), rank dimensions (i64); all little endian, as below
  kStrings = 2,    ///< rank (u8), dimensions (i64), then for each element its length (u32) and bytes
  kObjectRef = 3,  ///< index of a nested reference (u32); kNoIndex: a reference to nothing
  kActor = 4,      ///< ActorId (u64); of a handle that counts, the index of a nested reference (u32): to the
                   ///< object whose id the actor has
  kArgument = 5,   ///< index of an argument that is a reference (u32); only between arguments
  // Marks of Python's values, each with a count (u32).
  kTuple = 6,    ///< so many items follow, which read as a list elsewhere
  kPickled = 7,  ///< binary data or an Array of a pickle's bytes, so many Arrays of its buffers, and a list
                 ///< of its references follow
};

/// What a reader finds that takes values of any type.
enum class Item : uint8_t {
  kNil,
  kBool,
  kInteger,
  kFloat,
  kString,
  kBinary,
  kList,
  kMap,
  kArray,
  kObjectRef,
  kActor,
  kArgument,
  kTuple,
  kPickled,
  kNone,  ///< the end, or nothing that there is
};

/// Instead of an index: a reference to nothing, an Array without value.
inline constexpr uint32_t kNoIndex = 0xFFFFFFFFu;

/// How deep structs with FLOWRAY_FIELDS may lie in each other: bounds the stack that damaged or circular
/// values use.
inline constexpr int kMaxDepth = 500;

}  // namespace internal

/// Collects one value, or the arguments of one call. Can be cleared and used again without allocating.
/// Not thread-safe.
class Encoder {
 public:
  Encoder() noexcept = default;
  ~Encoder();
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  /// Lets go of everything that was collected; keeps the memory (up to 1 MB).
  void clear() noexcept;
  /// Of arrays alone: the value has been written.
  void let_arrays_go() noexcept { arrays_.clear(); }

  /// Nothing: Python's None.
  void write_nil();
  /// A bool.
  void write_bool(bool value);
  /// An integer, negative or not.
  void write_signed(int64_t value);
  /// An integer that is not negative.
  void write_unsigned(uint64_t value);
  /// A float32.
  void write_float(float value);
  /// A float64.
  void write_double(double value);
  /// A text, copied now.
  void write_string(std::string_view value);
  /// Bytes, copied now.
  void write_binary(std::span<const std::byte> value);
  /// `count` items follow.
  void begin_list(size_t count);
  /// `count` pairs of key and value follow.
  void begin_map(size_t count);
  /// The array's elements are shared until the value is written, not copied (those of string arrays are).
  void write_array(const Array& array);
  /// `count` elements of a one-dimensional array, copied now.
  void write_elements(DType dtype, const void* elements, size_t count);
  /// A reference inside of a value: stays a reference when it is read. null: a reference to nothing.
  void write_ref(internal::ObjectHandle* handle);
  /// A handle that does not count: the actor may end although there is this one.
  void write_actor(ActorId actor);
  /// One that counts, by a share in the object whose id the actor has.
  void write_actor(internal::ObjectHandle* share);
  /// An argument that is a reference: the function gets its value. Only between arguments.
  void argument_ref(internal::ObjectHandle* handle);
  /// kTuple or kPickled; what it counts has to follow.
  void write_mark(internal::Extension mark, uint32_t count) { write_index(mark, count); }

  /// Around the fields of a struct; throws ValueError where structs lie too deep in each other (a circle
  /// of pointers).
  void enter();
  /// The end of what enter() began.
  void leave() noexcept { --depth_; }

  // For runtimes: what was collected. The handles are held by the encoder until clear().

  /// The items, without the arrays' elements.
  std::span<const std::byte> stream() const noexcept {
    return {begin_.get(), static_cast<size_t>(cursor_ - begin_.get())};
  }
  /// Arrays whose elements are not in the stream, in the order of their indices.
  std::span<const Array> arrays() const noexcept { return arrays_; }
  /// References inside of values, in the order of their indices.
  std::span<internal::ObjectHandle* const> nested_refs() const noexcept { return nested_refs_; }
  /// Arguments that are references, in the order of their indices.
  std::span<internal::ObjectHandle* const> argument_refs() const noexcept { return argument_refs_; }
  /// Whether the value is an error (src/ray/values/value.h), to be thrown where it is read.
  bool is_error() const noexcept { return is_error_; }
  /// Makes the value an error.
  void mark_error() noexcept { is_error_ = true; }

 private:
  std::byte* reserve(size_t bytes);
  void grow(size_t bytes);
  void put(uint8_t byte);
  /// `marker` and the low `bytes` bytes of `value`, big endian.
  void put_big_endian(uint8_t marker, uint64_t value, int bytes);
  void begin_extension(internal::Extension type, size_t bytes);
  void write_index(internal::Extension type, uint32_t index);
  void write_array_head(const Array& array, uint32_t index);
  void write_strings(const Array& array);
  uint32_t hold(internal::ObjectHandle* handle, std::vector<internal::ObjectHandle*>& held);

  std::unique_ptr<std::byte[]> begin_;
  std::byte* cursor_ = nullptr;
  std::byte* end_ = nullptr;
  std::vector<Array> arrays_;
  std::vector<internal::ObjectHandle*> nested_refs_;
  std::vector<internal::ObjectHandle*> argument_refs_;
  int depth_ = 0;
  bool is_error_ = false;
};

namespace internal {

/// This thread's Encoder, cleared; another one if it is in use (a type's encode calls Put). Clears it at
/// the end.
class EncoderLease {
 public:
  EncoderLease();
  ~EncoderLease();
  EncoderLease(const EncoderLease&) = delete;
  EncoderLease& operator=(const EncoderLease&) = delete;
  Encoder& operator*() const noexcept { return *encoder_; }

 private:
  Encoder* encoder_;
  bool is_threads_own_;
};

}  // namespace internal

/// Reads one value, or the arguments of one call, item by item. Checks all it reads: bytes that are cut
/// off or damaged, and items of another type than asked for, throw errors::DataLossError and TypeError.
/// Not thread-safe.
class Decoder {
 public:
  /// `value` must stay as it is while this lives; arrays that were read in place live on without it.
  explicit Decoder(const internal::ValueView& value);
  explicit Decoder(internal::ValueView&& value) = delete;  // it would be gone
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  /// What kind of item comes next.
  internal::Item next_item() const noexcept;
  /// Whether nil comes next.
  bool next_is_nil() const noexcept;
  /// Whether an array comes next.
  bool next_is_array() const noexcept;
  /// Whether bytes come next.
  bool next_is_binary() const noexcept;
  /// Reads nil.
  void read_nil();
  /// Reads a bool.
  bool read_bool();
  /// Throws ValueError for an integer outside of [lowest, highest].
  int64_t read_signed(int64_t lowest = INT64_MIN, int64_t highest = INT64_MAX);
  /// Throws ValueError for an integer above `highest`.
  uint64_t read_unsigned(uint64_t highest = UINT64_MAX);
  /// Integers are converted.
  double read_double();
  /// A float32, or what converts to one.
  float read_float();
  /// Valid as long as the value that is read.
  std::string_view read_string();
  /// Valid as long as the value that is read.
  std::span<const std::byte> read_binary();
  /// The number of items that follow, of a tuple of Python's too: never more than there are bytes left.
  size_t read_list();
  /// The count of a mark that comes next.
  uint32_t read_mark(internal::Extension mark);
  /// A list of exactly `count` items; `what` is named in the error.
  void read_list_of(size_t count, const char* what);
  /// The number of pairs of key and value that follow.
  size_t read_map();
  /// An array; elements that may change under the reader are copied.
  Array read_array() { return read_array(Reading::kSafe); }
  /// kInPlace: whatever its dtype, an array is not copied out of the store. Its reader must bear that the
  /// process that wrote it may write there again.
  enum class Reading { kSafe, kInPlace };
  /// The same, reading as it says.
  Array read_array(Reading reading);
  /// A new handle, for the caller to keep; null: a reference to nothing.
  internal::ObjectHandle* read_ref();
  /// Reads a handle. Where handles count, this process keeps a share, for good.
  ActorId read_actor();
  struct ReadActor {
    /// The actor.
    ActorId id;
    internal::ObjectHandle* share = nullptr;  ///< for the caller to keep; null: the handle does not count
  };
  /// The same, whose share is the caller's.
  ReadActor read_actor_share();
  /// If an argument that is a reference comes next, reads it and gives its index.
  bool try_argument_ref(uint32_t& index);
  /// Throws if anything is left.
  void finish() const;

  /// Around the fields of a struct; throws where structs lie too deep in each other.
  void enter();
  /// The end of what enter() began.
  void leave() noexcept { --depth_; }

 private:
  enum class Kind : uint8_t {
    kNil,
    kBool,
    kUnsigned,
    kNegative,
    kFloat,
    kDouble,
    kString,
    kBinary,
    kList,
    kMap,
    kExtension
  };
  struct Head {
    Kind kind;
    internal::Extension extension;
    uint64_t bits;  ///< value, or length in bytes or items; of floats their bit pattern
    const std::byte* begin;
  };
  struct Body {
    const std::byte* cursor;
    const std::byte* end;
  };

  Head read_head();
  uint64_t take_big_endian(int bytes);
  std::span<const std::byte> take(uint64_t bytes);
  [[noreturn]] void fail(std::string_view what) const;
  [[noreturn]] void fail_type(const char* expected, const Head& found) const;
  std::span<const std::byte> read_extension(internal::Extension type, const char* expected);
  ObjectId nested_ref(uint32_t index) const;
  Shape read_dims(Body& body, int rank) const;
  uint64_t read_little_endian(Body& body, int bytes) const;
  Array read_strings(std::span<const std::byte> bytes) const;
  Array make_array(uint32_t index, DType dtype, const Shape& shape, Reading reading) const;
  std::optional<internal::Extension> next_extension() const noexcept;
  bool next_is_extension(internal::Extension type) const noexcept;

  const internal::ValueView& value_;
  const std::byte* begin_;  ///< of the stream
  const std::byte* cursor_;
  const std::byte* end_;
  const std::byte* refs_;
  const std::byte* array_table_;
  uint32_t num_refs_;
  uint32_t num_arrays_;
  int depth_ = 0;
};

}  // namespace flowray::ray

#pragma GCC visibility pop
