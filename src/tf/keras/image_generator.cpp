// Batches of images that chance changes. The numbers that are drawn are those of tf_keras, in the same order.
#include <flowray/errors.h>
#include <flowray/tf/dtypes.h>
#include <flowray/tf/keras/image_preprocessing.h>

#include "core/mutex.h"
#include "files/file_error.h"
#include "tf/keras/batches.h"
#include "tf/keras/image_sizes.h"
#include "tf/keras/numpy_random.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <random>
#include <set>
#include <string_view>

namespace flowray::tf::keras {
namespace {

using preprocessing::image::FlowFromDirectoryOptions;
using preprocessing::image::FlowOptions;
using preprocessing::image::ImageSize;
using preprocessing::image::LoadImageOptions;
using preprocessing::image::ShiftRange;

NumpyRandom by_chance() { return NumpyRandom(std::random_device()()); }

double moved_by(const ShiftRange& range, int64_t size, NumpyRandom& random) {
  double by = 0;
  if (!range.choices().empty()) {
    by = random.choice(range.choices());
    by *= random.choice({-1, 1});
  } else {
    if (range.range() == 0) return 0;
    by = random.uniform(-range.range(), range.range());
  }
  return range.range() < 1 ? by * static_cast<double>(size) : by;
}

Array flipped(const Array& x, bool horizontal, bool vertical) {
  if (!horizontal && !vertical) return x;
  const int64_t height = x.dim(0);
  const int64_t width = x.dim(1);
  const int64_t channels = x.dim(2);
  Array made = Array::uninitialized(DType::kFloat32, x.shape());
  float* out = made.mutable_data<float>();
  for (int64_t row = 0; row < height; ++row) {
    for (int64_t column = 0; column < width; ++column) {
      const int64_t from_row = vertical ? height - 1 - row : row;
      const int64_t from_column = horizontal ? width - 1 - column : column;
      out = std::copy_n(x.data<float>() + (from_row * width + from_column) * channels, channels, out);
    }
  }
  return made;
}

struct Moments {
  double mean = 0, deviation = 0;
};
/// Of every `stride`th element from the first one on.
Moments moments_of(std::span<const float> values, size_t first, size_t stride) {
  double sum = 0;
  double squares = 0;
  size_t count = 0;
  for (size_t i = first; i < values.size(); i += stride, ++count) sum += static_cast<double>(values[i]);
  const double mean = count == 0 ? 0 : sum / static_cast<double>(count);
  for (size_t i = first; i < values.size(); i += stride) {
    const double distance = static_cast<double>(values[i]) - mean;
    squares += distance * distance;
  }
  return {mean, count == 0 ? 0 : std::sqrt(squares / static_cast<double>(count))};
}

constexpr double kBesideDeviations = 1e-6;

/// The share of the examples that a subset is, of all where it is empty.
std::pair<double, double> part_of(const std::string& subset, double validation_split) {
  if (subset.empty()) return {0, 1};
  if (subset == "validation") return {0, validation_split};
  if (subset == "training") return {validation_split, 1};
  throw ValueError(fmt::format("Invalid subset name: {} ; expected \"training\" or \"validation\".", subset));
}

/// Which values there are.
std::set<std::string_view> distinct(const Array& values) {
  std::set<std::string_view> seen;
  if (values.dtype() == DType::kString) {
    for (const std::string& text : values.span<std::string>()) seen.insert(text);
    return seen;
  }
  const size_t bytes = dtype_size(values.dtype());
  for (size_t i = 0; i < values.size_bytes(); i += bytes)
    seen.emplace(static_cast<const char*>(values.raw_data()) + i, bytes);
  return seen;
}

void check_same_length(const Array& x, const Array& part, const char* what, const char* name) {
  if (!part.has_value()) return;
  if (part.rank() > 0 && part.dim(0) == x.dim(0)) return;
  throw ValueError(fmt::format(
      "`x` (images tensor) and {} should have the same length. Found: x.shape = {}, {}.shape = {}", what,
      x.shape().to_tuple_string(), name, part.shape().to_tuple_string()));
}

void check_batch_size(int64_t batch_size) {
  if (batch_size < 1) throw ValueError(fmt::format("batch_size is {}, but at least 1", batch_size));
}

// ---- folders

namespace fs = std::filesystem;

bool is_image(const fs::path& path) {
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const char* const other : {".ppm", ".tif", ".tiff"}) {
    if (ending != other) continue;
    throw ValueError(fmt::format(
        "'{}' is not read here\nConvert it into PNG, JPEG or BMP, or move it elsewhere.", path.string()));
  }
  return ending == ".png" || ending == ".jpg" || ending == ".jpeg" || ending == ".bmp";
}

/// The images below a folder: by their folders, and then by their names.
std::vector<fs::path> images_in(const fs::path& folder, bool follow_links) {
  std::vector<fs::path> found;
  const auto options =
      follow_links ? fs::directory_options::follow_directory_symlink : fs::directory_options::none;
  try {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, options)) {
      if (!entry.is_directory() && is_image(entry.path())) found.push_back(entry.path());
    }
  } catch (const fs::filesystem_error& error) {
    files::throw_file_error(error.path1().empty() ? folder : error.path1(), error.code().value());
  }
  std::ranges::sort(found, {}, [](const fs::path& path) {
    return std::pair(path.parent_path().string(), path.filename().string());
  });
  return found;
}

std::vector<std::string> classes_in(const fs::path& folder) {
  std::vector<std::string> names;
  try {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      if (entry.is_directory()) names.push_back(entry.path().filename().string());
    }
  } catch (const fs::filesystem_error& error) {
    files::throw_file_error(folder, error.code().value());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

namespace preprocessing::image {

std::vector<double> ShiftRange::choices_below(int range) {
  constexpr int kMost = 1 << 16;
  if (range > kMost)
    throw ValueError(fmt::format("Images are moved by {} pixels at most, not {}", kMost, range));
  std::vector<double> numbers(static_cast<size_t>(std::max(range, 0)));
  std::iota(numbers.begin(), numbers.end(), 0.0);
  return numbers;
}

double ShiftRange::greatest() const { return choices_.empty() ? 0 : *std::ranges::max_element(choices_); }

// ---- one image

ImageDataGenerator::ImageDataGenerator(ImageDataGeneratorOptions options) : options_(std::move(options)) {
  const double split = options_.validation_split;
  if (split != 0 && !(split > 0 && split < 1)) {
    throw ValueError(
        fmt::format("`validation_split` must be strictly between 0 and 1.  Received: {}", split));
  }
  // What needs something else has it.
  if (options_.featurewise_std_normalization) options_.featurewise_center = true;
  if (options_.samplewise_std_normalization) options_.samplewise_center = true;
  const auto& [darkest, brightest] = options_.brightness_range.value_or(std::pair(1.0, 1.0));
  for (const double number :
       {options_.rotation_range, options_.width_shift_range.range(), options_.height_shift_range.range(),
        options_.shear_range, options_.zoom_range.first, options_.zoom_range.second,
        options_.channel_shift_range, darkest, brightest, options_.rescale.value_or(1)}) {
    if (!std::isfinite(number)) throw ValueError("ImageDataGenerator: all ranges must be finite numbers");
  }
  apply_affine_transform(Array(DType::kFloat32, {1, 1, 1}), {},
                         {options_.fill_mode, options_.cval, options_.interpolation_order});  // throws
}

ImageTransform ImageDataGenerator::draw_transform(const ImageSize& size, NumpyRandom& random) const {
  ImageTransform drawn;
  const auto both_ways = [&](double range) { return range == 0 ? 0 : random.uniform(-range, range); };
  drawn.affine.theta = both_ways(options_.rotation_range);
  drawn.affine.tx = moved_by(options_.height_shift_range, size.height, random);
  drawn.affine.ty = moved_by(options_.width_shift_range, size.width, random);
  drawn.affine.shear = both_ways(options_.shear_range);
  const auto& [least, greatest] = options_.zoom_range;
  if (least != 1 || greatest != 1) {
    drawn.affine.zx = random.uniform(least, greatest);
    drawn.affine.zy = random.uniform(least, greatest);
  }
  drawn.flip_horizontal = random.random() < 0.5 && options_.horizontal_flip;
  drawn.flip_vertical = random.random() < 0.5 && options_.vertical_flip;
  if (options_.channel_shift_range != 0)
    drawn.channel_shift_intensity = both_ways(options_.channel_shift_range);
  if (options_.brightness_range.has_value())
    drawn.brightness = random.uniform(options_.brightness_range->first, options_.brightness_range->second);
  return drawn;
}

ImageTransform ImageDataGenerator::get_random_transform(const ImageSize& size,
                                                        std::optional<uint32_t> seed) const {
  NumpyRandom random = seed.has_value() ? NumpyRandom(*seed) : by_chance();
  return draw_transform(size, random);
}

Array ImageDataGenerator::apply_transform(const Array& x, const ImageTransform& transform) const {
  Array made = apply_affine_transform(x, transform.affine,
                                      {options_.fill_mode, options_.cval, options_.interpolation_order});
  made = made.astype(DType::kFloat32);
  if (transform.channel_shift_intensity.has_value())
    made = apply_channel_shift(made, *transform.channel_shift_intensity);
  made = flipped(made, transform.flip_horizontal, transform.flip_vertical);
  if (transform.brightness.has_value()) made = apply_brightness_shift(made, *transform.brightness, false);
  return made;
}

Array ImageDataGenerator::random_transform(const Array& x, std::optional<uint32_t> seed) const {
  if (!x.has_value() || x.rank() != 3)
    throw ValueError("random_transform: an image is [height, width, channels]");
  return apply_transform(x, get_random_transform({x.dim(0), x.dim(1)}, seed));
}

Array ImageDataGenerator::standardize(const Array& x) const {
  if ((options_.featurewise_center && !mean_.has_value()) ||
      (options_.featurewise_std_normalization && !std_.has_value())) {
    throw ValueError(
        "This ImageDataGenerator specifies `featurewise_center`, but it hasn't been fit on any training "
        "data. "
        "Fit it first by calling `.fit(numpy_data)`.");
  }
  if (!x.has_value() || x.rank() < 1)
    throw ValueError("standardize: give it an image, [height, width, channels], or several");
  Array made = options_.preprocessing_function ? options_.preprocessing_function(x) : x;
  if (!(made.shape() == x.shape())) {
    throw ValueError(fmt::format("preprocessing_function gave an image of shape {} for one of shape {}",
                                 made.shape().to_tuple_string(), x.shape().to_tuple_string()));
  }
  made = made.astype(DType::kFloat32);
  const std::span<float> values(made.mutable_data<float>(), static_cast<size_t>(made.size()));
  const auto each = [&](const auto& change) { std::ranges::transform(values, values.begin(), change); };
  if (options_.rescale.has_value())
    each([by = static_cast<float>(*options_.rescale)](float v) { return v * by; });
  const Moments moments = moments_of(values, 0, 1);
  if (options_.samplewise_center)
    each([mean = static_cast<float>(moments.mean)](float v) { return v - mean; });
  if (options_.samplewise_std_normalization)
    each([by = static_cast<float>(moments.deviation + kBesideDeviations)](float v) { return v / by; });
  const size_t channels = static_cast<size_t>(x.dim(-1));
  if (mean_.has_value() && options_.featurewise_center) {
    if (mean_->size() != x.dim(-1)) {
      throw ValueError(fmt::format("The generator was fit on images of {} channels, and this one has {}",
                                   mean_->size(), channels));
    }
    for (size_t i = 0; i < values.size(); ++i) values[i] -= mean_->data<float>()[i % channels];
  }
  if (std_.has_value() && options_.featurewise_std_normalization) {
    for (size_t i = 0; i < values.size(); ++i)
      values[i] /= std_->data<float>()[i % channels] + static_cast<float>(kBesideDeviations);
  }
  return made;
}

void ImageDataGenerator::fit(const Array& x, const FitOptions& options) {
  if (!x.has_value() || x.rank() != 4) {
    throw ValueError(fmt::format("Input to `.fit()` should have rank 4. Got array with shape: {}",
                                 x.has_value() ? x.shape().to_tuple_string() : "none"));
  }
  if (options.rounds < 1) throw ValueError(fmt::format("rounds is {}, but at least 1", options.rounds));
  NumpyRandom random = options.seed.has_value() ? NumpyRandom(*options.seed) : by_chance();
  std::vector<float> seen;
  const Array all = x.astype(DType::kFloat32);
  for (int64_t round = 0; round < (options.augment ? options.rounds : 1); ++round) {
    for (int64_t i = 0; i < all.dim(0); ++i) {
      Array image = all.rows(i, i + 1).reshape({all.dim(1), all.dim(2), all.dim(3)});
      const std::span<float> values(image.mutable_data<float>(), static_cast<size_t>(image.size()));
      if (options_.rescale.has_value()) {
        for (float& value : values) value *= static_cast<float>(*options_.rescale);
      }
      if (options.augment) image = apply_transform(image, draw_transform({all.dim(1), all.dim(2)}, random));
      seen.insert(seen.end(), image.data<float>(), image.data<float>() + image.size());
    }
  }
  const size_t channels = static_cast<size_t>(x.dim(3));
  Array mean(DType::kFloat32, {x.dim(3)});
  Array deviation(DType::kFloat32, {x.dim(3)});
  for (size_t c = 0; c < channels; ++c) {
    const Moments moments = moments_of(seen, c, channels);
    mean.mutable_data<float>()[c] = static_cast<float>(moments.mean);
    deviation.mutable_data<float>()[c] = static_cast<float>(moments.deviation);
  }
  mean_ = std::move(mean);
  std_ = std::move(deviation);
}

// ---- batches

struct ImageBatches::State {
  State(ImageDataGenerator generator_, int64_t batch_size_, bool shuffle_, std::optional<uint32_t> seed_)
      : generator(std::move(generator_)), batch_size(batch_size_), shuffle(shuffle_), seed(seed_) {}

  const ImageDataGenerator generator;
  const int64_t batch_size;
  const bool shuffle;
  const std::optional<uint32_t> seed;

  // what there is
  int64_t num_images = 0;
  Examples examples;  // `x` without an array: images are in files
  ImageSize size;
  int64_t channels = 0;
  bool repeats_images = false;  // of class_mode "input"
  LoadImageOptions loading;
  fs::path folder;
  std::vector<std::string> filenames;
  std::vector<int64_t> classes;
  std::map<std::string, int64_t> class_indices;

  // where next() is
  Mutex mutex;
  NumpyRandom random FLOWRAY_GUARDED_BY(mutex) = by_chance();
  std::vector<int64_t> order FLOWRAY_GUARDED_BY(mutex);
  int64_t batch_index FLOWRAY_GUARDED_BY(mutex) = 0;
  uint32_t num_seen FLOWRAY_GUARDED_BY(mutex) = 0;

  void begin_batch() FLOWRAY_REQUIRES(mutex) {
    if (num_images == 0) throw ValueError("There are no images.");
    if (seed.has_value()) random = NumpyRandom(*seed + num_seen);
    ++num_seen;
  }
  void set_order() FLOWRAY_REQUIRES(mutex) {
    order.resize(static_cast<size_t>(num_images));
    std::iota(order.begin(), order.end(), int64_t{0});
    if (shuffle) order = random.permutation(num_images);
  }
  /// Which images a batch has, and what is done to each.
  struct Drawn {
    std::vector<int64_t> numbers;
    std::vector<ImageTransform> transforms;
  };
  Drawn draw_from(int64_t first) FLOWRAY_REQUIRES(mutex) {
    const auto begin = order.begin() + first;
    Drawn drawn = {{begin, begin + std::min(batch_size, num_images - first)}, {}};
    for (size_t i = 0; i < drawn.numbers.size(); ++i)
      drawn.transforms.push_back(generator.draw_transform(size, random));
    return drawn;
  }
  Array image(int64_t number) const {
    if (examples.x.empty())
      return load_img((folder / filenames[static_cast<size_t>(number)]).string(), loading);
    return examples.x[0].rows(number, number + 1).reshape({size.height, size.width, channels});
  }
  /// Without the lock: files are read, and the program is asked.
  std::vector<Array> batch_of(const Drawn& drawn) const {
    const std::vector<int64_t>& numbers = drawn.numbers;
    Array images = Array::uninitialized(
        DType::kFloat32, {static_cast<int64_t>(numbers.size()), size.height, size.width, channels});
    float* out = images.mutable_data<float>();
    for (size_t i = 0; i < numbers.size(); ++i) {
      const Array made =
          generator.standardize(generator.apply_transform(image(numbers[i]), drawn.transforms[i]));
      out = std::copy_n(made.data<float>(), made.size(), out);
    }
    std::vector<Array> batch = {images};
    if (repeats_images) batch.push_back(images);
    const Examples others = Examples{{}, examples.y, examples.weights}.at(numbers);
    batch.insert(batch.end(), others.y.begin(), others.y.end());
    batch.insert(batch.end(), others.weights.begin(), others.weights.end());
    return batch;
  }
};

int64_t ImageBatches::num_images() const { return state_->num_images; }

int64_t ImageBatches::size() const {
  return state_->num_images / state_->batch_size + (state_->num_images % state_->batch_size != 0 ? 1 : 0);
}

std::vector<Array> ImageBatches::next() {
  State& state = *state_;
  const auto draw = [&state] {
    const MutexLock lock(state.mutex);
    state.begin_batch();
    if (state.batch_index == 0) state.set_order();
    const int64_t first = state.batch_index * state.batch_size;
    state.batch_index = state.num_images - first > state.batch_size ? state.batch_index + 1 : 0;
    return state.draw_from(first);
  };
  return state.batch_of(draw());
}

std::vector<Array> ImageBatches::operator[](int64_t i) {
  if (i < 0 || i >= size()) {
    throw ValueError(fmt::format("Asked to retrieve element {}, but the Sequence has length {}", i, size()));
  }
  State& state = *state_;
  const auto draw = [&state, i] {
    const MutexLock lock(state.mutex);
    state.begin_batch();
    if (state.order.empty()) state.set_order();
    return state.draw_from(i * state.batch_size);
  };
  return state.batch_of(draw());
}

void ImageBatches::on_epoch_end() {
  const MutexLock lock(state_->mutex);
  state_->set_order();
}

void ImageBatches::reset() {
  const MutexLock lock(state_->mutex);
  state_->batch_index = 0;
}

const std::vector<int64_t>& ImageBatches::classes() const { return state_->classes; }
const std::map<std::string, int64_t>& ImageBatches::class_indices() const { return state_->class_indices; }
const std::vector<std::string>& ImageBatches::filenames() const { return state_->filenames; }

data::Dataset ImageBatches::dataset() const {
  const data::TensorSpec images = {DType::kFloat32,
                                   {-1, state_->size.height, state_->size.width, state_->channels}};
  std::vector<data::TensorSpec> spec = {images};
  if (state_->repeats_images) spec.push_back(images);
  for (const std::vector<Array>* const part : {&state_->examples.y, &state_->examples.weights}) {
    for (const Array& array : *part) {
      std::vector<int64_t> dims(array.shape().dims().begin(), array.shape().dims().end());
      dims[0] = -1;
      spec.push_back({array.dtype(), TensorShape(dims)});
    }
  }
  const auto walk = [batches = *this]() -> data::ElementGenerator {
    return [batches, i = int64_t{0}]() mutable -> data::GeneratedElement {
      if (i < batches.size()) return batches[i++];
      batches.on_epoch_end();
      return std::nullopt;
    };
  };
  return data::Dataset::from_generator(walk, spec);
}

ImageBatches ImageDataGenerator::flow(const Array& x, const Array& y, const FlowOptions& options) const {
  check_batch_size(options.batch_size);
  if (!x.has_value() || x.rank() != 4) {
    throw ValueError(fmt::format(
        "Input data in `NumpyArrayIterator` should have rank 4. You passed an array with shape {}",
        x.has_value() ? x.shape().to_tuple_string() : "none"));
  }
  const Array weights = options.sample_weight.value_or(Array());
  check_same_length(x, y, "`y` (labels)", "y");
  check_same_length(x, weights, "`sample_weight`", "sample_weight");
  const auto [from, to] = part_of(options.subset, options_.validation_split);
  const auto count = static_cast<double>(x.dim(0));
  const auto split = static_cast<int64_t>(count * options_.validation_split);
  if (!options.subset.empty() && y.has_value() &&
      distinct(y.rows(0, split)) != distinct(y.rows(split, y.dim(0)))) {
    throw ValueError(
        "Training and validation subsets have different number of classes after the split. If your numpy "
        "arrays are sorted by the label, you might want to shuffle them.");
  }
  const auto begin = static_cast<int64_t>(count * from);
  const auto end = static_cast<int64_t>(count * to);
  auto state =
      std::make_shared<ImageBatches::State>(*this, options.batch_size, options.shuffle, options.seed);
  state->num_images = end - begin;
  state->size = {x.dim(1), x.dim(2)};
  state->channels = x.dim(3);
  state->examples.x = {x.rows(begin, end).astype(DType::kFloat32)};
  if (y.has_value()) state->examples.y = {y.rows(begin, end)};
  if (weights.has_value()) state->examples.weights = {weights.rows(begin, end)};
  return ImageBatches(std::move(state));
}

namespace {

/// What a batch has beside its images, for all images.
std::vector<Array> truths_of(const std::string& class_mode, const std::vector<int64_t>& classes,
                             int64_t num_classes) {
  const auto count = static_cast<int64_t>(classes.size());
  if (class_mode == "binary" || class_mode == "sparse") {
    Array numbers(DType::kFloat32, {count});
    std::ranges::transform(classes, numbers.mutable_data<float>(),
                           [](int64_t number) { return static_cast<float>(number); });
    return {numbers};
  }
  if (class_mode == "input" || class_mode == "none") return {};
  if (class_mode != "categorical") {
    throw ValueError(fmt::format(
        "Invalid class_mode: {}; expected one of: 'categorical', 'binary', 'sparse', 'input', None\nNone is "
        "\"none\" here.",
        class_mode));
  }
  Array rows(DType::kFloat32, {count, num_classes});
  for (size_t i = 0; i < classes.size(); ++i)
    rows.mutable_data<float>()[i * static_cast<size_t>(num_classes) + static_cast<size_t>(classes[i])] = 1;
  return {rows};
}

int64_t channels_in(const std::string& color_mode) {
  if (color_mode == "rgb") return 3;
  if (color_mode == "rgba") return 4;
  if (color_mode == "grayscale") return 1;
  throw ValueError(
      fmt::format("Invalid color mode: {}; expected \"rgb\", \"rgba\", or \"grayscale\".", color_mode));
}

}  // namespace

ImageBatches ImageDataGenerator::flow_from_directory(const std::string& directory,
                                                     const FlowFromDirectoryOptions& options) const {
  check_batch_size(options.batch_size);
  check_resizing(options.target_size, options.interpolation);
  auto state =
      std::make_shared<ImageBatches::State>(*this, options.batch_size, options.shuffle, options.seed);
  state->channels = channels_in(options.color_mode);
  state->size = options.target_size;
  state->folder = directory;
  state->loading = {options.color_mode, options.target_size, options.interpolation};
  state->repeats_images = options.class_mode == "input";
  const auto [from, to] = part_of(options.subset, options_.validation_split);
  const std::vector<std::string> names = options.classes.empty() ? classes_in(directory) : options.classes;
  for (const std::string& name : names) {
    const int64_t number = std::ssize(state->class_indices);
    if (!state->class_indices.emplace(name, number).second)
      throw ValueError(fmt::format("The class '{}' is given twice.", name));
    const std::vector<fs::path> images = images_in(state->folder / name, options.follow_links);
    const auto count = static_cast<double>(images.size());
    for (auto i = static_cast<size_t>(count * from); i < static_cast<size_t>(count * to); ++i) {
      state->filenames.push_back(images[i].lexically_relative(state->folder).string());
      state->classes.push_back(number);
    }
  }
  state->num_images = std::ssize(state->filenames);
  if (state->num_images == 0 && !options.subset.empty()) {
    throw ValueError(
        fmt::format("The subset '{}' has no images.\nvalidation_split is {}: it has that share of each "
                    "class, rounded down.",
                    options.subset, options_.validation_split));
  }
  if (state->num_images == 0) {
    throw ValueError(fmt::format(
        "There are no images in the folders of '{}'\nEach of them is a class, with PNG, JPEG or BMP files.",
        directory));
  }
  state->examples.y = truths_of(options.class_mode, state->classes, std::ssize(names));
  fmt::print("Found {} images belonging to {} classes.\n", state->num_images, names.size());
  return ImageBatches(std::move(state));
}

}  // namespace preprocessing::image
}  // namespace flowray::tf::keras
