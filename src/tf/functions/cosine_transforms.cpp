#include <flowray/tf/array.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/signal.h>
#include <flowray/tf/slicing.h>

#include "tf/build/composite.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace flowray::tf::signal {
namespace {

void check_norm(const std::string& norm) {
  if (!norm.empty() && norm != "ortho") {
    throw ValueError(fmt::format("Unknown normalization. Expected None or 'ortho', got: {}", norm));
  }
}

void check_transform(int64_t type, const Tensor& input, const CosineOptions& options) {
  check_norm(options.norm);
  if (type < 1 || type > 4) {
    throw ValueError(fmt::format("Types I, II, III and IV (I)DCT are supported. Got: {}", type));
  }
  if (options.n && *options.n < 1) throw ValueError("n should be a positive integer or None");
  if (!input.shape().has_rank() || input.shape().rank() < 1 || input.shape().dim(-1) < 1) {
    throw ValueError("The last dimension of the input to a cosine transform must be known.");
  }
  if (type == 1 && !options.norm.empty()) {
    throw ValueError("Normalization is not supported for the Type-I DCT.");
  }
}

/// Cut or filled up with zeros.
Tensor of_length(const Tensor& x, int64_t length) {
  const int64_t size = x.shape().dim(-1);
  if (length <= size) {
    return length == size ? x : tf::Tensor(x[{ellipsis, Slice{{}, static_cast<int>(length)}}]);
  }
  const int64_t rank = x.shape().rank();
  Array paddings(DType::kInt32, {rank, 2});
  paddings.mutable_data<int32_t>()[2 * rank - 1] = static_cast<int32_t>(length - size);
  return pad(x, paddings);
}

Tensor complex_of(const Input& real_part, const Input& imaginary_part, DType dtype) {
  return apply_op({.op = "Complex",
                   .args = {real_part, imaginary_part},
                   .attrs = {{"Tout", dtype == DType::kFloat64 ? DType::kComplex128 : DType::kComplex64}}});
}

/// factor * exp(sign * i * pi * k / (2 n)) for k from 0 to n - 1, as a constant.
Tensor turns(int64_t n, double sign, double factor, DType dtype) {
  Array real_part(DType::kFloat64, {n});
  Array imaginary_part(DType::kFloat64, {n});
  for (int64_t k = 0; k < n; ++k) {
    const double angle = std::numbers::pi * static_cast<double>(k) / (2.0 * static_cast<double>(n));
    real_part.mutable_data<double>()[k] = factor * std::cos(angle);
    imaginary_part.mutable_data<double>()[k] = sign * factor * std::sin(angle);
  }
  return complex_of(real_part.astype(dtype), imaginary_part.astype(dtype), dtype);
}

/// `first` for the first place, `others` for the rest.
Array weights(int64_t n, double first, double others, DType dtype) {
  Array values(DType::kFloat64, {n});
  for (int64_t k = 0; k < n; ++k) values.mutable_data<double>()[k] = k == 0 ? first : others;
  return values.astype(dtype);
}

Tensor cut(const Tensor& x, int64_t n) { return x[{ellipsis, Slice{{}, static_cast<int>(n)}}]; }
Input length_input(int64_t n) { return Input::list({static_cast<int>(n)}); }

Tensor type_1(const Tensor& x, int64_t n) {
  if (n < 2) throw ValueError("Type-I DCT requires dimension > 1");
  const Tensor back = reverse(x, Input::list({-1}))[{ellipsis, Slice{1, -1}}];
  return real(rfft(concat({x, back}, -1)));
}
Tensor type_2(const Tensor& x, int64_t n, bool ortho) {
  const Tensor spectrum = cut(rfft(x, {.fft_length = length_input(2 * n)}), n);
  const Tensor result = real(spectrum * turns(n, -1, 2, x.dtype()));
  if (!ortho) return result;
  const double first = 0.5 / std::sqrt(static_cast<double>(n));
  return result * weights(n, first, first * std::numbers::sqrt2, x.dtype());
}
Tensor type_3(const Tensor& x, int64_t n, bool ortho) {
  const double size = static_cast<double>(n);
  const double first = ortho ? std::sqrt(size) : size;
  const Tensor scaled = x * weights(n, first, ortho ? std::sqrt(size / 2) : size, x.dtype());
  const Tensor spectrum = turns(n, 1, 2, x.dtype()) * complex_of(scaled, zeros_like(scaled), x.dtype());
  return cut(irfft(spectrum, {.fft_length = length_input(2 * n)}), n);
}
Tensor type_4(const Tensor& x, int64_t n, bool ortho) {
  const Tensor doubled = type_2(of_length(x, 2 * n), 2 * n, false);
  const Tensor odd = doubled[{ellipsis, Slice{1, {}, 2}}];
  return ortho ? odd * std::sqrt(0.5 / static_cast<double>(n)) : odd;
}

Tensor transformed(const Tensor& input, int64_t type, const CosineOptions& options) {
  check_transform(type, input, options);
  const int64_t n = options.n ? *options.n : input.shape().dim(-1);
  const Tensor x = of_length(input, n);
  const bool ortho = !options.norm.empty();
  switch (type) {
    case 1:
      return type_1(x, n);
    case 2:
      return type_2(x, n, ortho);
    case 3:
      return type_3(x, n, ortho);
    default:
      return type_4(x, n, ortho);
  }
}

/// Without a window each direction scales by the root of 1/2, as everywhere two frames are added up.
Tensor windowed(const Tensor& frames, const Window& window, int64_t length) {
  if (window == nullptr) return frames * (1 / std::numbers::sqrt2);
  return frames * window(length, frames.dtype());
}

}  // namespace

Tensor dct(const Input& input, const CosineOptions& options) {
  Composite scope({{"input", input}}, options.name, "dct", input.where());
  return transformed(scope.convert(input, "input"), options.type, options);
}

Tensor idct(const Input& input, const CosineOptions& options) {
  Composite scope({{"input", input}}, options.name, "idct", input.where());
  const int64_t type = options.type == 2 ? 3 : options.type == 3 ? 2 : options.type;
  return transformed(scope.convert(input, "input"), type, options);
}

Tensor mdct(const Input& signals, int64_t frame_length, const ModifiedCosineOptions& options) {
  Composite scope({{"signals", signals}}, options.name, "mdct", signals.where());
  check_norm(options.norm);
  const Tensor samples = scope.convert(signals, "signals");
  if (frame_length % 4 != 0) throw ValueError("The frame length must be a multiple of 4.");
  Tensor frames = frame(samples, frame_length, frame_length / 2, {.pad_end = options.pad_end});
  frames = windowed(frames, options.window_fn, frame_length);
  const std::vector<Tensor> quarters = split(frames, 4, -1);
  const auto reversed = [](const Tensor& x) { return reverse(x, Input::list({-1})); };
  const Tensor first = -reversed(quarters[2]) - quarters[3];
  const Tensor second = quarters[0] - reversed(quarters[1]);
  return dct(concat({first, second}, -1), {.type = 4, .norm = options.norm});
}

Tensor inverse_mdct(const Input& mdcts, const ModifiedCosineOptions& options) {
  Composite scope({{"mdcts", mdcts}}, options.name, "inverse_mdct", mdcts.where());
  if (options.pad_end) throw ValueError("inverse_mdct has no `pad_end`: it is mdct's.");
  check_norm(options.norm);
  const Tensor spectra = scope.convert(mdcts, "mdcts");
  Tensor values = dct(spectra, {.type = 4, .norm = options.norm});
  const int64_t half = spectra.shape().dim(-1);
  if (options.norm.empty()) values = values * (0.5 / static_cast<double>(half));
  const std::vector<Tensor> parts = split(values, 2, -1);
  const auto reversed = [](const Tensor& x) { return reverse(x, Input::list({-1})); };
  Tensor frames = concat({parts[1], -reversed(parts[1]), -reversed(parts[0]), -parts[0]}, -1);
  frames = windowed(frames, options.window_fn, 2 * half);
  return overlap_and_add(frames, half);
}

Tensor mfccs_from_log_mel_spectrograms(const Input& log_mel_spectrograms, const NameOption& options) {
  Composite scope({{"log_mel_spectrograms", log_mel_spectrograms}}, options.name,
                  "mfccs_from_log_mel_spectrograms", log_mel_spectrograms.where());
  const Tensor spectra = scope.convert(log_mel_spectrograms, "log_mel_spectrograms");
  const Tensor coefficients = dct(spectra);
  return coefficients * (1 / std::sqrt(2.0 * static_cast<double>(spectra.shape().dim(-1))));
}

namespace {

double mel_of(double hertz) { return 1127.0 * std::log1p(hertz / 700.0); }

void check_mel(const MelOptions& options) {
  if (options.num_mel_bins <= 0) {
    throw ValueError(fmt::format("num_mel_bins must be positive. Got: {}", options.num_mel_bins));
  }
  if (options.num_spectrogram_bins < 2) {
    throw ValueError(
        fmt::format("num_spectrogram_bins must be at least 2. Got: {}", options.num_spectrogram_bins));
  }
  if (options.lower_edge_hertz < 0) {
    throw ValueError(fmt::format("lower_edge_hertz must be non-negative. Got: {}", options.lower_edge_hertz));
  }
  if (options.lower_edge_hertz >= options.upper_edge_hertz) {
    throw ValueError(fmt::format("lower_edge_hertz {} >= upper_edge_hertz {}", options.lower_edge_hertz,
                                 options.upper_edge_hertz));
  }
  if (options.sample_rate <= 0) {
    throw ValueError(fmt::format("sample_rate must be positive. Got: {}", options.sample_rate));
  }
  if (options.upper_edge_hertz > options.sample_rate / 2) {
    throw ValueError(
        fmt::format("upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). Got "
                    "upper_edge_hertz: {} for sample_rate: {}",
                    options.upper_edge_hertz, options.sample_rate));
  }
  if (!is_floating(options.dtype)) {
    throw ValueError(
        fmt::format("dtype must be a floating point type. Got: <dtype: '{}'>", dtype_name(options.dtype)));
  }
}

}  // namespace

Tensor linear_to_mel_weight_matrix(const MelOptions& options) {
  check_mel(options);
  const int64_t bins = options.num_spectrogram_bins;
  const int64_t bands = options.num_mel_bins;
  const double low = mel_of(options.lower_edge_hertz);
  const double width = (mel_of(options.upper_edge_hertz) - low) / static_cast<double>(bands + 1);
  Array matrix(DType::kFloat64, {bins, bands});
  for (int64_t i = 0; i < bins; ++i) {
    const double hertz = options.sample_rate / 2 * static_cast<double>(i) / static_cast<double>(bins - 1);
    for (int64_t j = 0; j < bands; ++j) {
      const double place = (mel_of(hertz) - low) / width - static_cast<double>(j);
      // The frequency 0 belongs to no band.
      matrix.mutable_data<double>()[i * bands + j] = i == 0 ? 0 : std::max(0.0, std::min(place, 2 - place));
    }
  }
  const std::string name = options.name.empty() ? "linear_to_mel_weight_matrix" : options.name;
  return constant(matrix.astype(options.dtype), {.name = name});
}

}  // namespace flowray::tf::signal
