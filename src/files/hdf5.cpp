#include "files/hdf5.h"

#include <flowray/errors.h>

#include "core/checked_size.h"
#include "core/mutex.h"
#include "files/hdf5_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace flowray::files {
namespace {

using Library = Hdf5Library;
using Id = Library::Id;

constexpr size_t kMostOfAText = 64512;  // of an attribute, as tf.keras has it
constexpr int64_t kMostOfAByte = 1024;  // numbers that a compressed byte stands for

/// The library may be called by one thread at a time.
Mutex& library_mutex() {
  static Mutex mutex;
  return mutex;
}

/// The library takes two files in memory for one where they have the same name, and looks whether there is
/// such a file on the disk: there is none below /dev/null. Under the mutex.
std::string next_name() {
  static int64_t number = 0;
  return fmt::format("/dev/null/flowray{}", ++number);
}

/// Closes what it is given at its end.
class Closed {
 public:
  Closed(Id id, Library::Status (*close)(Id), const char* what) : id_(id), close_(close) {
    if (id < 0) throw errors::DataLossError(fmt::format("The HDF5 library cannot {}.", what));
  }
  Closed(const Closed&) = delete;
  Closed& operator=(const Closed&) = delete;
  ~Closed() { close_(id_); }
  Id get() const { return id_; }

 private:
  Id id_;
  Library::Status (*close_)(Id);
};

void check(Library::Status status, const char* what) {
  if (status < 0) throw errors::DataLossError(fmt::format("The HDF5 library cannot {}.", what));
}

/// How something is found without going to other files: a file that somebody sends could name any.
class Inside {
 public:
  Inside(const Library& hdf5, Id access_class)
      : list_(hdf5.create_list(access_class), hdf5.close_list, "make a list") {
    const auto refuse = [](const char*, const char*, const char*, const char*, unsigned*, Id, void*) {
      return Library::Status{-1};
    };
    check(hdf5.set_external_links(list_.get(), refuse, nullptr), "refuse links to other files");
  }
  Id get() const { return list_.get(); }

 private:
  Closed list_;
};

std::string place_of(const std::string& path) { return path.empty() ? "/" : path; }

void add_groups(const Library& hdf5, Id file, const std::string& path) {
  for (size_t end = 0; end != std::string::npos && !path.empty();) {
    end = path.find('/', end + 1);
    const std::string part = path.substr(0, end);
    if (hdf5.link_exists(file, part.c_str(), Library::kDefault) > 0) continue;
    const Closed made(
        hdf5.create_group(file, part.c_str(), Library::kDefault, Library::kDefault, Library::kDefault),
        hdf5.close_group, "make a group");
  }
}

void add_groups_above(const Library& hdf5, Id file, const std::string& path) {
  if (const size_t slash = path.rfind('/'); slash != std::string::npos)
    add_groups(hdf5, file, path.substr(0, slash));
}

/// Texts of one size, as NumPy's arrays of bytes are stored.
void write_texts(const Library& hdf5, Id file, const std::string& group, const std::string& name,
                 const std::vector<std::string>& texts) {
  size_t size = 1;
  for (const std::string& text : texts) size = std::max(size, text.size());
  std::string all;
  for (const std::string& text : texts) all += text + std::string(size - text.size(), '\0');
  const Closed place(hdf5.open_group(file, place_of(group).c_str(), Library::kDefault), hdf5.close_group,
                     "open a group");
  const Closed type(hdf5.copy_type(hdf5.text_type), hdf5.close_type, "make a type");
  check(hdf5.set_type_size(type.get(), size), "set the size of a type");
  check(hdf5.set_text_padding(type.get(), Library::kNullPadded), "set the padding of a type");
  const Library::Size count = texts.size();
  const Closed space(hdf5.create_space(1, &count, nullptr), hdf5.close_space, "make a space");
  const Closed attribute(hdf5.create_attribute(place.get(), name.c_str(), type.get(), space.get(),
                                               Library::kDefault, Library::kDefault),
                         hdf5.close_attribute, "make an attribute");
  if (!texts.empty())
    check(hdf5.write_attribute(attribute.get(), type.get(), all.data()), "write an attribute");
}

}  // namespace

// ---- writing

Hdf5Writer::Hdf5Writer() {
  const Library& hdf5 = Library::get();
  const MutexLock lock(library_mutex());
  const Closed access(hdf5.create_list(hdf5.file_access), hdf5.close_list, "make a list");
  check(hdf5.set_core(access.get(), size_t{1} << 20, /*backing_store=*/false), "keep a file in memory");
  file_ = hdf5.create_file(next_name().c_str(), Library::kTruncate, Library::kDefault, access.get());
  check(file_ < 0 ? -1 : 0, "make a file in memory");
}

Hdf5Writer::~Hdf5Writer() {
  const MutexLock lock(library_mutex());
  Library::get().close_file(file_);
}

void Hdf5Writer::add_group(const std::string& path) {
  const MutexLock lock(library_mutex());
  add_groups(Library::get(), file_, path);
}

/// As h5py stores bytes: beside the attribute, which holds 64 KB itself.
void Hdf5Writer::set_text(const std::string& group, const std::string& name, const std::string& text) {
  const Library& hdf5 = Library::get();
  const MutexLock lock(library_mutex());
  const Closed place(hdf5.open_group(file_, place_of(group).c_str(), Library::kDefault), hdf5.close_group,
                     "open a group");
  const Closed type(hdf5.copy_type(hdf5.text_type), hdf5.close_type, "make a type");
  check(hdf5.set_type_size(type.get(), Library::kVariable), "set the size of a type");
  const Closed space(hdf5.create_scalar_space(Library::kScalar), hdf5.close_space, "make a space");
  const Closed attribute(hdf5.create_attribute(place.get(), name.c_str(), type.get(), space.get(),
                                               Library::kDefault, Library::kDefault),
                         hdf5.close_attribute, "make an attribute");
  const char* const pointer = text.c_str();
  check(hdf5.write_attribute(attribute.get(), type.get(), static_cast<const void*>(&pointer)),
        "write an attribute");
}

/// What is too much for one attribute stands in several, NAME0, NAME1 and so on.
void Hdf5Writer::set_texts(const std::string& group, const std::string& name,
                           const std::vector<std::string>& texts) {
  size_t size = 1;
  for (const std::string& text : texts) size = std::max(size, text.size());
  if (size > kMostOfAText) {
    throw ValueError(fmt::format(
        "The following attributes cannot be saved to HDF5 file because they are larger than {} bytes: {}...",
        kMostOfAText, texts.front().substr(0, 40)));
  }
  const MutexLock lock(library_mutex());
  const size_t of_one = kMostOfAText / size;
  if (texts.size() <= of_one) return write_texts(Library::get(), file_, group, name, texts);
  for (size_t begin = 0, number = 0; begin < texts.size(); begin += of_one, ++number) {
    const auto first = texts.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = texts.begin() + static_cast<std::ptrdiff_t>(std::min(begin + of_one, texts.size()));
    write_texts(Library::get(), file_, group, fmt::format("{}{}", name, number), {first, last});
  }
}

void Hdf5Writer::set_integer(const std::string& path, int64_t value) {
  const Library& hdf5 = Library::get();
  const MutexLock lock(library_mutex());
  add_groups_above(hdf5, file_, path);
  const Closed space(hdf5.create_scalar_space(Library::kScalar), hdf5.close_space, "make a space");
  const Closed array(hdf5.create_array(file_, path.c_str(), hdf5.file_integer_type, space.get(),
                                       Library::kDefault, Library::kDefault, Library::kDefault),
                     hdf5.close_array, "make an array");
  check(hdf5.write_array(array.get(), hdf5.integer_type, Library::kDefault, Library::kDefault,
                         Library::kDefault, &value),
        "write an array");
}

void Hdf5Writer::set_array(const std::string& path, const Array& values) {
  const Library& hdf5 = Library::get();
  const Array floats = values.astype(DType::kFloat32);
  const MutexLock lock(library_mutex());
  add_groups_above(hdf5, file_, path);
  const std::vector<Library::Size> dims(floats.shape().dims().begin(), floats.shape().dims().end());
  const Closed space(dims.empty() ? hdf5.create_scalar_space(Library::kScalar)
                                  : hdf5.create_space(static_cast<int>(dims.size()), dims.data(), nullptr),
                     hdf5.close_space, "make a space");
  const Closed array(hdf5.create_array(file_, path.c_str(), hdf5.file_float_type, space.get(),
                                       Library::kDefault, Library::kDefault, Library::kDefault),
                     hdf5.close_array, "make an array");
  if (floats.size() == 0) return;
  check(hdf5.write_array(array.get(), hdf5.float_type, Library::kDefault, Library::kDefault,
                         Library::kDefault, floats.raw_data()),
        "write an array");
}

std::string Hdf5Writer::bytes() {
  const Library& hdf5 = Library::get();
  const MutexLock lock(library_mutex());
  check(hdf5.flush(file_, Library::kGlobal), "finish a file");
  const int64_t size = hdf5.image(file_, nullptr, 0);
  check(size < 0 ? -1 : 0, "tell the size of a file");
  std::string bytes(static_cast<size_t>(size), '\0');
  check(hdf5.image(file_, bytes.data(), bytes.size()) < 0 ? -1 : 0, "give a file");
  return bytes;
}

// ---- reading

Hdf5Reader::Hdf5Reader(std::string bytes, std::string path)
    : bytes_(std::move(bytes)), path_(std::move(path)) {
  const Library& hdf5 = Library::get();
  const MutexLock lock(library_mutex());
  const Closed access(hdf5.create_list(hdf5.file_access), hdf5.close_list, "make a list");
  check(hdf5.set_core(access.get(), size_t{1} << 20, /*backing_store=*/false), "keep a file in memory");
  if (!bytes_.empty() && hdf5.set_image(access.get(), bytes_.data(), bytes_.size()) >= 0)
    file_ = hdf5.open_file(next_name().c_str(), Library::kReadOnly, access.get());
  // Of a file in memory the library reads zeros behind its end, where it ought to go on.
  Library::Size size = 0;
  if (file_ >= 0 && hdf5.file_size(file_, &size) >= 0 && size <= bytes_.size()) return;
  if (file_ >= 0) hdf5.close_file(file_);
  throw errors::DataLossError(fmt::format(
      "Unable to open file {} (file signature not found)\nIt is not an HDF5 file, or only a part of one.",
      path_));
}

Hdf5Reader::~Hdf5Reader() {
  const MutexLock lock(library_mutex());
  Library::get().close_file(file_);
}

bool Hdf5Reader::has_group(const std::string& path) const {
  const MutexLock lock(library_mutex());
  const Library& hdf5 = Library::get();
  const Inside inside(hdf5, hdf5.link_access);
  return hdf5.link_exists(file_, path.c_str(), inside.get()) > 0;
}

bool Hdf5Reader::has_attribute(const std::string& group, const std::string& name) const {
  const Library& hdf5 = Library::get();
  const MutexLock lock(library_mutex());
  const Inside inside(hdf5, hdf5.group_access);
  const Closed place(hdf5.open_group(file_, place_of(group).c_str(), inside.get()), hdf5.close_group,
                     "open a group");
  return hdf5.attribute_exists(place.get(), name.c_str()) > 0;
}

namespace {

std::vector<std::string> texts_of(const Library& hdf5, Id attribute, Id type, size_t count) {
  std::vector<std::string> texts;
  if (hdf5.is_variable_text(type) > 0) {
    std::vector<char*> pointers(count);
    check(hdf5.read_attribute(attribute, type, static_cast<void*>(pointers.data())), "read an attribute");
    for (char* const text : pointers) {
      texts.emplace_back(text == nullptr ? "" : text);
      hdf5.free_memory(text);
    }
    return texts;
  }
  const size_t size = hdf5.type_size(type);
  const int64_t total = CheckedSize(static_cast<int64_t>(size)) * count;
  std::string all(static_cast<size_t>(total), '\0');
  check(hdf5.read_attribute(attribute, type, all.data()), "read an attribute");
  for (size_t i = 0; i < count; ++i) {
    const std::string text = all.substr(i * size, size);
    texts.push_back(text.substr(0, text.find('\0')));
  }
  return texts;
}

}  // namespace

std::vector<std::string> Hdf5Reader::texts(const std::string& group, const std::string& name) const {
  const Library& hdf5 = Library::get();
  const MutexLock lock(library_mutex());
  const Inside inside(hdf5, hdf5.group_access);
  const Closed place(hdf5.open_group(file_, place_of(group).c_str(), inside.get()), hdf5.close_group,
                     "open a group");
  std::vector<std::string> all;
  const auto add = [&](const std::string& one) {
    if (hdf5.attribute_exists(place.get(), one.c_str()) <= 0) return false;
    const Closed attribute(hdf5.open_attribute(place.get(), one.c_str(), Library::kDefault),
                           hdf5.close_attribute, "open an attribute");
    const Closed type(hdf5.attribute_type(attribute.get()), hdf5.close_type, "tell the type of an attribute");
    const Closed space(hdf5.attribute_space(attribute.get()), hdf5.close_space,
                       "tell the size of an attribute");
    const int64_t count = hdf5.space_points(space.get());
    if (count <= 0) return true;  // a list of none may be one of numbers
    if (hdf5.type_class(type.get()) != Library::kTextClass) {
      throw errors::DataLossError(
          fmt::format("The attribute '{}' of '{}' in {} has no texts.", one, place_of(group), path_));
    }
    for (std::string& text : texts_of(hdf5, attribute.get(), type.get(), static_cast<size_t>(count)))
      all.push_back(std::move(text));
    return true;
  };
  if (add(name)) return all;
  for (int number = 0; add(fmt::format("{}{}", name, number));) ++number;
  return all;
}

/// An array of the file, open.
class Hdf5Reader::OpenArray {
 public:
  OpenArray(const Library& hdf5, Id file, const std::string& path, const std::string& file_path)
      : inside_(hdf5, hdf5.array_access),
        array_(opened(hdf5, file, inside_.get(), path, file_path), hdf5.close_array, "open an array"),
        space_(hdf5.array_space(array_.get()), hdf5.close_space, "tell the shape of an array") {
    const Closed list(hdf5.array_list(array_.get()), hdf5.close_list, "tell how an array is stored");
    if (hdf5.num_external_files(list.get()) != 0 || hdf5.layout(list.get()) == Library::kVirtualLayout) {
      throw errors::DataLossError(
          fmt::format("The array '{}' of {} stands in other files\nCopy its numbers into the file itself.",
                      path, file_path));
    }
    const int rank = hdf5.space_rank(space_.get());
    check(rank, "tell the shape of an array");
    std::vector<Library::Size> dims(static_cast<size_t>(rank));
    if (rank > 0) check(hdf5.space_dims(space_.get(), dims.data(), nullptr), "tell the shape of an array");
    std::vector<int64_t> sizes;
    CheckedSize count(1);
    for (const Library::Size dim : dims) {
      sizes.push_back(static_cast<int64_t>(dim));
      count *= static_cast<int64_t>(dim);
    }
    // An empty space has no dimensions, as a scalar's.
    if (hdf5.space_points(space_.get()) != count)
      throw errors::DataLossError(fmt::format("The array '{}' of {} has no numbers.", path, file_path));
    shape_ = Shape(sizes);
  }

  Id id() const { return array_.get(); }
  const Shape& shape() const { return shape_; }

 private:
  static Id opened(const Library& hdf5, Id file, Id access, const std::string& path,
                   const std::string& file_path) {
    const Id array = hdf5.open_array(file, path.c_str(), access);
    if (array >= 0) return array;
    throw errors::DataLossError(fmt::format(
        "Unable to open object '{}' in {}: it is not one of the file's arrays.", path, file_path));
  }

  Inside inside_;
  Closed array_;
  Closed space_;
  Shape shape_;
};

Shape Hdf5Reader::shape(const std::string& path) const {
  const Library& hdf5 = Library::get();
  const MutexLock lock(library_mutex());
  return OpenArray(hdf5, file_, path, path_).shape();
}

int64_t Hdf5Reader::integer(const std::string& path) const {
  const Library& hdf5 = Library::get();
  const MutexLock lock(library_mutex());
  const OpenArray array(hdf5, file_, path, path_);
  if (array.shape().num_elements() != 1)
    throw errors::DataLossError(fmt::format("The array '{}' of {} is not one integer.", path, path_));
  int64_t value = 0;
  check(hdf5.read_array(array.id(), hdf5.integer_type, Library::kDefault, Library::kDefault,
                        Library::kDefault, &value),
        "read an array");
  return value;
}

Array Hdf5Reader::array(const std::string& path) const {
  const Library& hdf5 = Library::get();
  const MutexLock lock(library_mutex());
  const OpenArray array(hdf5, file_, path, path_);
  // A file may tell of more than it has, which is read as zeros; compressed, numbers take a thousandth.
  const int64_t most = CheckedSize(static_cast<int64_t>(bytes_.size())) * kMostOfAByte;
  if (array.shape().num_elements() > most) {
    throw errors::DataLossError(
        fmt::format("The array '{}' of {} has {} numbers, more than a file of {} bytes can hold.", path,
                    path_, array.shape().num_elements(), bytes_.size()));
  }
  Array values = Array::uninitialized(DType::kFloat32, array.shape());
  if (values.size() > 0) {
    check(hdf5.read_array(array.id(), hdf5.float_type, Library::kDefault, Library::kDefault,
                          Library::kDefault, values.mutable_raw_data()),
          "read an array");
  }
  return values;
}

}  // namespace flowray::files
