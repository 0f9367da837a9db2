// Data sets in MNIST's format: tf::examples::DataSet and read_data_sets.

#include <flowray/tf/errors.h>
#include <flowray/tf/examples.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>
#include <numeric>
#include <random>

#include "core/philox.h"
#include "files/idx.h"

namespace flowray::tf::examples {

// The pixels stay bytes: a batch is converted when it is asked for, which costs no more than copying four
// times the bytes, and saves 140 MB and the time of converting all of them at the start.
struct DataSet::Examples {
  Array pixels;        // uint8 [N, rows, columns]
  Array labels;        // as the caller wants them
  Shape image_shape;   // of one image, as the caller wants it
  int64_t image_size;  // pixels of one image
  DType dtype;

  mutable std::once_flag images_made;
  mutable Array images;

  Shape shape_of(int64_t count) const { return Shape{count}.concatenate(image_shape); }
};

namespace {

constexpr int64_t kClasses = 10;
constexpr float kWhite = 255.0f;

void check_examples(const Array& images, const Array& labels, const DataSetOptions& options) {
  if (options.dtype != float32 && options.dtype != uint8) {
    throw TypeError(
        fmt::format("Invalid image dtype {}, expected uint8 or float32", dtype_name(options.dtype)));
  }
  if (images.dtype() != uint8 || images.rank() != 3) {
    throw ValueError(fmt::format("images are {} {}; expected uint8 [N, rows, columns]",
                                 dtype_name(images.dtype()), images.shape().to_string()));
  }
  if (labels.dtype() != uint8 || labels.shape() != Shape{images.dim(0)}) {
    throw ValueError(fmt::format("labels are {} {}; expected uint8 [{}], one for each image",
                                 dtype_name(labels.dtype()), labels.shape().to_string(), images.dim(0)));
  }
  if (images.dim(0) > std::numeric_limits<int32_t>::max()) {
    throw ValueError(fmt::format("{} images; expected at most 2147483647", images.dim(0)));
  }
}

/// What next_batch relies on, as the bytes may come from elsewhere.
void check_state(const DataSetState& state) {
  const auto check = [](bool holds, const char* what) {
    if (!holds) throw ValueError(fmt::format("the state of a DataSet does not fit together: {}", what));
  };
  check(state.dtype == float32 || state.dtype == uint8, "dtype");
  check(state.pixels.dtype() == uint8 && state.pixels.rank() == 3, "pixels are not uint8 [N, rows, columns]");
  const int64_t count = state.pixels.dim(0);
  const bool is_one_hot = state.labels.dtype() == float32 && state.labels.shape() == Shape{count, kClasses};
  const bool is_number = state.labels.dtype() == uint8 && state.labels.shape() == Shape{count};
  check(is_one_hot || is_number, "labels");
  check(static_cast<int64_t>(state.order.size()) == count, "order has another length");
  check(std::all_of(state.order.begin(), state.order.end(),
                    [&](int32_t row) { return row >= 0 && row < count; }),
        "order names an example that is not there");
  check(state.next_in_order >= 0 && state.next_in_order <= count, "next_in_order");
}

/// The place of the first label that is not a class; -1 if all are.
int64_t find_wrong_label(std::span<const uint8_t> labels) {
  const auto wrong =
      std::find_if(labels.begin(), labels.end(), [](uint8_t label) { return label >= kClasses; });
  return wrong == labels.end() ? -1 : wrong - labels.begin();
}

Array to_one_hot(const Array& labels) {
  Array result(float32, {labels.size(), kClasses});
  float* row = result.mutable_data<float>();
  for (const uint8_t label : labels.span<uint8_t>()) {
    row[label] = 1.0f;
    row += kClasses;
  }
  return result;
}

void scale(const uint8_t* pixels, int64_t count, float* out) {
  for (int64_t i = 0; i < count; ++i) out[i] = static_cast<float>(pixels[i]) / kWhite;
}

uint64_t unforeseen_seed() {
  std::random_device device;
  return uint64_t{device()} << 32 | device();
}

/// The numbers 0 to order.size() - 1 in an order that depends on the seed and the number of the shuffle only.
void shuffle_all(std::vector<int32_t>& order, uint64_t seed, uint64_t number) {
  std::iota(order.begin(), order.end(), 0);
  Philox random(seed, number);
  Philox::Words words{};
  for (size_t left = order.size(), drawn = 0; left > 1; --left, ++drawn) {
    if (drawn % words.size() == 0) words = random.next();
    const uint64_t other = uint64_t{words[drawn % words.size()]} * left >> 32;
    std::swap(order[left - 1], order[other]);
  }
}

/// Rows of one array, put together.
Array gather_rows(const Array& from, std::span<const int32_t> rows) {
  Shape shape = from.shape();
  shape.set_dim(0, static_cast<int64_t>(rows.size()));
  Array result = Array::uninitialized(from.dtype(), shape);
  const size_t row_bytes = from.size_bytes() / static_cast<size_t>(from.dim(0));
  const auto* source = static_cast<const std::byte*>(from.raw_data());
  auto* target = static_cast<std::byte*>(result.mutable_raw_data());
  for (const int32_t row : rows) {
    std::memcpy(target, source + static_cast<size_t>(row) * row_bytes, row_bytes);
    target += row_bytes;
  }
  return result;
}

}  // namespace

DataSet::DataSet(const Array& images, const Array& labels, const DataSetOptions& options)
    : seed_(options.seed ? static_cast<uint64_t>(*options.seed) : unforeseen_seed()) {
  check_examples(images, labels, options);
  if (const int64_t wrong = find_wrong_label(labels.span<uint8_t>()); wrong >= 0) {
    throw ValueError(fmt::format("label {} is {}; expected classes from 0 to {}", wrong,
                                 labels.data<uint8_t>()[wrong], kClasses - 1));
  }
  auto examples = std::make_shared<Examples>();
  examples->pixels = images;
  examples->labels = options.one_hot ? to_one_hot(labels) : labels;
  examples->image_size = images.dim(1) * images.dim(2);  // size: of an array that is there
  examples->image_shape =
      options.reshape ? Shape{examples->image_size} : Shape{images.dim(1), images.dim(2), 1};
  examples->dtype = options.dtype;
  examples_ = std::move(examples);
  order_.resize(static_cast<size_t>(images.dim(0)));
  std::iota(order_.begin(), order_.end(), 0);
}

DataSetState DataSet::state() const {
  if (examples_ == nullptr) return {};
  return {.pixels = examples_->pixels,
          .labels = examples_->labels,
          .dtype = examples_->dtype,
          .reshape = examples_->image_shape.rank() == 1,
          .order = order_,
          .next_in_order = next_in_order_,
          .epochs_completed = epochs_completed_,
          .seed = seed_,
          .shuffles = shuffles_};
}

DataSet DataSet::from_state(DataSetState state) {
  DataSet set;
  if (!state.pixels.has_value()) return set;
  check_state(state);
  auto examples = std::make_shared<Examples>();
  const Array& pixels = state.pixels;
  examples->image_size = pixels.dim(1) * pixels.dim(2);  // size: of an array that is there
  examples->image_shape =
      state.reshape ? Shape{examples->image_size} : Shape{pixels.dim(1), pixels.dim(2), 1};
  examples->pixels = std::move(state.pixels);
  examples->labels = std::move(state.labels);
  examples->dtype = state.dtype;
  set.examples_ = std::move(examples);
  set.order_ = std::move(state.order);
  set.next_in_order_ = state.next_in_order;
  set.epochs_completed_ = state.epochs_completed;
  set.seed_ = state.seed;
  set.shuffles_ = state.shuffles;
  return set;
}

int64_t DataSet::num_examples() const { return static_cast<int64_t>(order_.size()); }

const Array& DataSet::images() const {
  static const Array kNone;
  if (examples_ == nullptr) return kNone;
  const Examples& all = *examples_;
  std::call_once(all.images_made, [&] {
    const Shape shape = all.shape_of(num_examples());
    if (all.dtype == uint8) {
      all.images = all.pixels.reshape(shape);
      return;
    }
    all.images = Array::uninitialized(float32, shape);
    scale(all.pixels.data<uint8_t>(), all.pixels.size(), all.images.mutable_data<float>());
  });
  return all.images;
}

const Array& DataSet::labels() const {
  static const Array kNone;
  return examples_ == nullptr ? kNone : examples_->labels;
}

void DataSet::start_epoch(bool shuffle) {
  next_in_order_ = 0;
  if (shuffle) shuffle_all(order_, seed_, shuffles_++);
}

std::pair<Array, Array> DataSet::next_batch(int64_t batch_size, const NextBatchOptions& options) {
  if (batch_size < 1) throw ValueError(fmt::format("batch_size is {}; expected at least 1", batch_size));
  if (num_examples() == 0) throw ValueError("next_batch of a DataSet without examples");
  if (epochs_completed_ == 0 && next_in_order_ == 0) start_epoch(options.shuffle);

  std::vector<int32_t> rows;
  rows.reserve(static_cast<size_t>(batch_size));
  for (int64_t missing = batch_size; missing > 0;) {
    if (next_in_order_ == num_examples()) {
      ++epochs_completed_;
      start_epoch(options.shuffle);
    }
    const int64_t count = std::min(missing, num_examples() - next_in_order_);
    rows.insert(rows.end(), order_.begin() + next_in_order_, order_.begin() + next_in_order_ + count);
    next_in_order_ += count;
    missing -= count;
  }

  const Examples& all = *examples_;
  Array images;
  if (all.dtype == uint8) {
    images = gather_rows(all.pixels, rows).reshape(all.shape_of(batch_size));
  } else {
    images = Array::uninitialized(float32, all.shape_of(batch_size));
    float* out = images.mutable_data<float>();
    for (const int32_t row : rows) {
      scale(all.pixels.data<uint8_t>() + row * all.image_size, all.image_size, out);
      out += all.image_size;
    }
  }
  return {std::move(images), gather_rows(all.labels, rows)};
}

namespace {

struct ImagesAndLabels {
  std::filesystem::path images_path;
  Array images;  // uint8 [N, rows, columns]
  Array labels;  // uint8 [N]
};

[[noreturn]] void throw_wrong_content(const std::filesystem::path& path, const std::string& complaint) {
  throw errors::DataLossError(fmt::format("'{}' {}", path.string(), complaint));
}

/// `name` in the directory, else `name`.gz.
std::filesystem::path find_file(const std::filesystem::path& directory, const std::string& name) {
  std::error_code ignored;  // what is wrong shows when the file is read
  if (!std::filesystem::exists(directory, ignored)) {
    throw errors::NotFoundError(
        fmt::format("'{}' does not exist; expected a directory with MNIST's four files, such as {}",
                    directory.string(), name));
  }
  for (const std::string& spelling : {name, name + ".gz"}) {
    if (std::filesystem::exists(directory / spelling, ignored)) return directory / spelling;
  }
  throw errors::NotFoundError(fmt::format(
      "'{}' does not exist, with .gz neither; expected one of MNIST's four files (train and t10k, "
      "images-idx3-ubyte and labels-idx1-ubyte)",
      (directory / name).string()));
}

/// An idx file of so many dimensions with something in it.
Array read_array(const std::filesystem::path& path, const char* what, size_t rank) {
  const files::IdxFile file = files::read_idx(path);
  const Shape shape(file.dims);
  if (file.dims.size() != rank) {
    throw_wrong_content(path,
                        fmt::format("holds an array of shape {}; expected {}", shape.to_string(), what));
  }
  if (shape.num_elements() == 0) {
    throw_wrong_content(path, fmt::format("is empty, its shape is {}; expected {}", shape.to_string(), what));
  }
  return Array::from(file.data, shape);
}

ImagesAndLabels read_part(const std::filesystem::path& directory, const std::string& part) {
  const auto images_path = find_file(directory, part + "-images-idx3-ubyte");
  const auto labels_path = find_file(directory, part + "-labels-idx1-ubyte");
  ImagesAndLabels result{images_path, read_array(images_path, "images, [number, rows, columns]", 3),
                         read_array(labels_path, "labels, [number]", 1)};
  if (result.labels.dim(0) != result.images.dim(0)) {
    throw_wrong_content(labels_path,
                        fmt::format("holds {} labels; expected {}, as '{}' holds so many images",
                                    result.labels.dim(0), result.images.dim(0), images_path.string()));
  }
  if (const int64_t wrong = find_wrong_label(result.labels.span<uint8_t>()); wrong >= 0) {
    throw_wrong_content(
        labels_path,
        fmt::format("holds {} as its label number {}, counted from 0; expected classes from 0 to {}",
                    result.labels.data<uint8_t>()[wrong], wrong, kClasses - 1));
  }
  return result;
}

}  // namespace

DataSets read_data_sets(const std::filesystem::path& directory, const ReadDataSetsOptions& options) {
  const ImagesAndLabels train = read_part(directory, "train");
  const ImagesAndLabels test = read_part(directory, "t10k");
  if (test.images.dim(1) != train.images.dim(1) || test.images.dim(2) != train.images.dim(2)) {
    throw_wrong_content(test.images_path,
                        fmt::format("holds images of {}x{}; expected {}x{}, as in '{}'", test.images.dim(1),
                                    test.images.dim(2), train.images.dim(1), train.images.dim(2),
                                    train.images_path.string()));
  }
  const int64_t count = train.images.dim(0);
  const int64_t validation = options.validation_size;
  if (validation < 0 || validation > count) {
    throw ValueError(
        fmt::format("Validation size should be between 0 and {}. Received: {}.", count, validation));
  }
  const DataSetOptions each{options.one_hot, options.dtype, options.reshape, options.seed};
  const auto rows = [&](int64_t begin, int64_t end) {
    return DataSet(train.images.rows(begin, end), train.labels.rows(begin, end), each);
  };
  return {rows(validation, count), rows(0, validation), DataSet(test.images, test.labels, each)};
}

}  // namespace flowray::tf::examples
