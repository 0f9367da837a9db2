#include <flowray/tf/array.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/signal.h>
#include <flowray/tf/slicing.h>

#include "core/checked_size.h"
#include "tf/build/composite.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace flowray::tf::signal {
namespace {

int64_t positive(int64_t value, const char* what) {
  if (value <= 0) throw ValueError(fmt::format("{} must be positive. Got: {}", what, value));
  return value;
}

/// The size of a dimension: a number where it is known.
Input size_of(const Tensor& x, int64_t axis) {
  if (x.shape().dim(axis) >= 0) return Input(checked_int32("The size of the signal", x.shape().dim(axis)));
  return Input(shape(x)[Index(static_cast<int>(axis))]);
}
int known(const Input& size) { return static_cast<int>(size.literal()->to_array().item<int32_t>()); }

/// How many frames there are.
Input frame_count(const Input& size, int length, int step, bool pad_end) {
  if (size.literal() != nullptr) {
    const int n = known(size);
    return Input(pad_end ? (n + step - 1) / step : n < length ? 0 : 1 + (n - length) / step);
  }
  if (pad_end) return Input(-floordiv(-*size.tensor(), step));
  return Input(maximum(0, 1 + floordiv(*size.tensor() - length, step)));
}

/// [size of what is before the last `kept` dimensions..., sizes of `last`].
Tensor reshaped(const Tensor& x, const Tensor& like, int64_t kept, const std::vector<Input>& last) {
  return reshape(x, concat({shape(like)[Index(Slice{{}, static_cast<int>(-kept)})], Input::list(last)}, 0));
}

std::optional<int64_t> known_rank(const Tensor& x) {
  if (!x.shape().has_rank()) return std::nullopt;
  return x.shape().rank();
}

Tensor last_filled(const Tensor& x, int64_t more) {
  const int64_t rank = *known_rank(x);
  Array paddings(DType::kInt32, {rank, 2});
  paddings.mutable_data<int32_t>()[2 * rank - 1] = static_cast<int32_t>(more);
  return pad(x, paddings);
}

int64_t length_of_transform(const SpectrogramOptions& options, int64_t frame_length) {
  if (options.fft_length) return positive(*options.fft_length, "fft_length");
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(frame_length)));
}

void check_at_least(const Tensor& x, int64_t rank) {
  if (!x.shape().has_rank()) throw ValueError("The rank of the signal must be known.");
  if (x.shape().rank() < rank) {
    throw ValueError(fmt::format("Shape {} must have rank at least {}", x.shape().to_tuple_string(), rank));
  }
}

}  // namespace

Tensor frame(const Input& signal, int64_t frame_length, int64_t frame_step, const FrameOptions& options) {
  Composite scope({{"signal", signal}, {"pad_value", options.pad_value}}, options.name, "frame",
                  signal.where());
  const int length = static_cast<int>(positive(frame_length, "frame_length"));
  const int step = static_cast<int>(positive(frame_step, "frame_step"));
  Tensor samples = scope.convert(signal, "signal");
  check_at_least(samples, 1);
  const int64_t rank = samples.shape().rank();
  const int64_t axis = options.axis < 0 ? options.axis + rank : options.axis;
  if (axis < 0 || axis >= rank) {
    throw ValueError(fmt::format("axis must be in the range [-{0}, {0}). Got: {1}", rank, options.axis));
  }
  const Input size = size_of(samples, axis);
  const Input count = frame_count(size, length, step, options.pad_end);
  if (options.pad_end) {
    const Input more = count.literal() != nullptr
                           ? Input(std::max(0, length + step * (known(count) - 1) - known(size)))
                           : Input(maximum(0, length + step * (*count.tensor() - 1) - size));
    std::vector<Input> paddings(rank, Input{0, 0});
    paddings.at(axis) = Input::list({0, more});
    const Tensor value = scope.convert_like(options.pad_value, samples, "pad_value");
    samples = apply_op({.op = "PadV2", .args = {samples, stack(paddings), value}});
  }
  const Tensor starts = expand_dims(range(count) * step, 1);
  const Tensor places = starts + expand_dims(range(length), 0);
  return gather(samples, places, {.name = scope.result_name(), .axis = static_cast<int>(axis)});
}

Tensor overlap_and_add(const Input& signal, int64_t frame_step, const NameOption& options) {
  Composite scope({{"signal", signal}}, options.name, "overlap_and_add", signal.where());
  const Tensor frames = scope.convert(signal, "signal");
  check_at_least(frames, 2);
  const int step = static_cast<int>(positive(frame_step, "frame_step"));
  const int64_t length = frames.shape().dim(-1);
  if (length < 0) throw ValueError("The length of the frames must be known.");
  const Input count = size_of(frames, frames.shape().rank() - 2);
  const int parts = static_cast<int>((length + step - 1) / step);
  // Part i of frame f belongs to step f + i: rows that are each longer by one place move part i there.
  Tensor cut = reshape(frames, Input::list({-1, count, static_cast<int>(length)}));
  cut = pad(cut, Input{{0, 0}, {0, parts}, {0, static_cast<int>(parts * step - length)}});
  const Input longer = count.literal() != nullptr ? Input(known(count) + parts) : Input(count + parts);
  cut = reshape(cut, Input::list({-1, longer, parts, step}));
  cut = transpose(cut, {0, 2, 1, 3});
  const Input places = longer.literal() != nullptr ? Input(known(longer) * parts) : Input(longer * parts);
  const Input rows = longer.literal() != nullptr ? Input(known(longer) - 1) : Input(longer - 1);
  const Input kept = rows.literal() != nullptr ? Input(known(rows) * parts) : Input(rows * parts);
  cut = reshape(cut, Input::list({-1, places, step}));
  cut = cut[{Slice{}, Slice{{}, kept}}];
  const Tensor sums = reduce_sum(reshape(cut, Input::list({-1, parts, rows, step})), 1);
  const Input samples = count.literal() != nullptr
                            ? Input((known(count) - 1) * step + static_cast<int>(length))
                            : Input((*count.tensor() - 1) * step + static_cast<int>(length));
  const Input all = rows.literal() != nullptr ? Input(known(rows) * step) : Input(rows * step);
  const Tensor joined = reshape(sums, Input::list({-1, all}))[{Slice{}, Slice{{}, samples}}];
  return reshaped(joined, frames, 2, {samples});
}

Tensor window_of_hann(int64_t frame_length, DType dtype) {
  return hann_window(static_cast<int>(frame_length), {.dtype = dtype});
}
Tensor window_of_vorbis(int64_t frame_length, DType dtype) {
  return vorbis_window(frame_length, {.dtype = dtype});
}

Tensor stft(const Input& signals, int64_t frame_length, int64_t frame_step,
            const SpectrogramOptions& options) {
  Composite scope({{"signals", signals}}, options.name, "stft", signals.where());
  const Tensor samples = scope.convert(signals, "signals");
  check_at_least(samples, 1);
  const int64_t size = length_of_transform(options, positive(frame_length, "frame_length"));
  Tensor frames = frame(samples, frame_length, frame_step, {.pad_end = options.pad_end});
  if (options.window_fn != nullptr) frames = frames * options.window_fn(frame_length, frames.dtype());
  return rfft(frames, {.fft_length = Input::list({static_cast<int>(size)})});
}

Tensor inverse_stft(const Input& stfts, int64_t frame_length, int64_t frame_step,
                    const SpectrogramOptions& options) {
  Composite scope({{"stfts", stfts}}, options.name, "inverse_stft", stfts.where());
  if (options.pad_end) throw ValueError("inverse_stft has no `pad_end`: it is stft's.");
  const Tensor spectra = scope.convert(stfts, "stfts");
  check_at_least(spectra, 2);
  const int64_t size = length_of_transform(options, positive(frame_length, "frame_length"));
  Tensor frames = irfft(spectra, {.fft_length = Input::list({static_cast<int>(size)})});
  if (frame_length < size) frames = frames[{ellipsis, Slice{{}, static_cast<int>(frame_length)}}];
  if (frame_length > size) frames = last_filled(frames, frame_length - size);
  if (options.window_fn != nullptr) frames = frames * options.window_fn(frame_length, frames.dtype());
  return overlap_and_add(frames, frame_step);
}

Window inverse_stft_window_fn(int64_t frame_step, Window forward) {
  positive(frame_step, "frame_step");
  return [frame_step, forward = std::move(forward)](int64_t frame_length, DType dtype) {
    const Tensor window = forward(frame_length, dtype);
    const int overlaps = static_cast<int>((frame_length + frame_step - 1) / frame_step);
    const int step = static_cast<int>(frame_step);
    // For each place within a step, the sum of squares that all frames over it contribute.
    const Tensor squares = last_filled(square(window), overlaps * frame_step - frame_length);
    const Tensor sums = reduce_sum(reshape(squares, {overlaps, step}), 0, {.keepdims = true});
    const Tensor all = reshape(tile(sums, {overlaps, 1}), {overlaps * step});
    return window / all[Index(Slice{{}, static_cast<int>(frame_length)})];
  };
}

namespace {

Tensor rolled(const char* name, const Input& x, const ShiftOptions& options, int sign) {
  Composite scope({{"x", x}}, options.name, name, x.where());
  const Tensor values = scope.convert(x, "x");
  std::vector<int32_t> axes;
  if (options.axes) {
    axes.assign(options.axes->begin(), options.axes->end());
  } else {
    check_at_least(values, 0);
    for (int64_t i = 0; i < values.shape().rank(); ++i) axes.push_back(static_cast<int32_t>(i));
  }
  std::vector<Input> shifts;
  for (const int32_t axis : axes) {
    const Input size = size_of(values, axis);
    shifts.push_back(size.literal() != nullptr ? Input(sign * (known(size) / 2))
                                               : Input(sign * floordiv(size, 2)));
  }
  if (axes.empty()) return identity(values);
  return apply_op({.op = "Roll", .args = {values, stack(shifts), Array(axes)}});
}

}  // namespace

Tensor fftshift(const Input& x, const ShiftOptions& options) { return rolled("fftshift", x, options, 1); }
Tensor ifftshift(const Input& x, const ShiftOptions& options) { return rolled("ifftshift", x, options, -1); }

}  // namespace flowray::tf::signal
