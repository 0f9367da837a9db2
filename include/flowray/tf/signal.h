#pragma once
/// tf.signal: windows, and Fourier transforms of real numbers. Nodes and names are those of TensorFlow's
/// window_ops and fft_ops; frames, spectrograms and cosine transforms are made of fewer nodes than there.

#include <flowray/tf/input.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::signal {

// ---- windows

struct WindowOptions {
  /// For Fourier transforms; else symmetric, for filters.
  Input periodic = true;
  /// float16, float32 or float64.
  DType dtype = DType::kFloat32;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// 0.5 - 0.5 * cos(2 pi i / n): a vector of `window_length`, an integer scalar. Throws ValueError for a
/// vector, or another dtype.
Tensor hann_window(const Input& window_length, const WindowOptions& options = {});
/// 0.54 - 0.46 * cos(2 pi i / n): a vector as of hann_window.
Tensor hamming_window(const Input& window_length, const WindowOptions& options = {});

struct KaiserOptions {
  /// How narrow the window is: 0 is a rectangle.
  double beta = 12;
  /// float16, float32 or float64.
  DType dtype = DType::kFloat32;
  /// The name of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// The Kaiser window: I0(beta sqrt(1 - x^2)) / I0(beta) for x from -1 to 1, a vector of `window_length`.
Tensor kaiser_window(int64_t window_length, const KaiserOptions& options = {});
/// The Kaiser-Bessel-derived window of an even `window_length`, with which mdct and inverse_mdct give back
/// what they were given.
Tensor kaiser_bessel_derived_window(int64_t window_length, const KaiserOptions& options = {});

struct VorbisOptions {
  /// float16, float32 or float64.
  DType dtype = DType::kFloat32;
  /// The name of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// sin(pi / 2 * sin(pi / n * (i + 0.5))^2): a vector of `window_length`, as Vorbis has it.
Tensor vorbis_window(int64_t window_length, const VorbisOptions& options = {});

// ---- Fourier transforms

struct RealTransformOptions {
  /// The sizes of the transformed dimensions; left out: those of the tensor. Longer ones are filled with
  /// zeros, shorter ones cut off.
  OptionalInput fft_length = {};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// The transform over the last dimension, which is cut to fft_length / 2 + 1:
/// the rest are conjugates. float32 or float64; throws ValueError for other dtypes.
Tensor rfft(const Input& input_tensor, const RealTransformOptions& options = {});
/// rfft over the last two dimensions.
Tensor rfft2d(const Input& input_tensor, const RealTransformOptions& options = {});
/// The inverse of rfft: complex64 or complex128 to real numbers.
Tensor irfft(const Input& input_tensor, const RealTransformOptions& options = {});
/// The inverse of rfft2d.
Tensor irfft2d(const Input& input_tensor, const RealTransformOptions& options = {});

struct ShiftOptions {
  /// Which dimensions; left out: all of them.
  std::optional<std::vector<int64_t>> axes = std::nullopt;
  /// The name of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// Moves the frequency 0 to the middle: each dimension is rolled by half its size, rounded down. Throws
/// ValueError for a tensor of unknown rank without `axes`.
Tensor fftshift(const Input& x, const ShiftOptions& options = {});
/// Undoes fftshift, for odd sizes, too.
Tensor ifftshift(const Input& x, const ShiftOptions& options = {});

// ---- frames and spectrograms

struct FrameOptions {
  /// Whether the end is filled up so that each step has a frame; else what does not fill one is dropped; true
  /// where no sample may be lost.
  bool pad_end = false;
  /// What it is filled with.
  Input pad_value = 0;
  /// Which dimension is cut into frames.
  int64_t axis = -1;
  /// The name of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// [..., samples, ...] -> [..., frames, frame_length, ...]: windows of `frame_length` samples, one each
/// `frame_step`. Throws ValueError for sizes that are not positive.
Tensor frame(const Input& signal, int64_t frame_length, int64_t frame_step, const FrameOptions& options = {});
/// [..., frames, frame_length] -> [..., samples]: frames that begin `frame_step` apart,
/// added up where they overlap.
Tensor overlap_and_add(const Input& signal, int64_t frame_step, const NameOption& options = {});

/// A window of a length and dtype.
using Window = std::function<Tensor(int64_t frame_length, DType dtype)>;
/// hann_window, as spectrograms take it.
Tensor window_of_hann(int64_t frame_length, DType dtype);
/// vorbis_window, as cosine transforms take it.
Tensor window_of_vorbis(int64_t frame_length, DType dtype);

struct SpectrogramOptions {
  /// The size of the transform; left out: the least power of 2 that holds a frame.
  std::optional<int64_t> fft_length = std::nullopt;
  /// What each frame is multiplied by; nullptr: nothing.
  Window window_fn = window_of_hann;
  /// As of frame; the inverse has no end to fill up.
  bool pad_end = false;
  /// The name of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// The spectrum of each frame: [..., samples] -> [..., frames, fft_length / 2 + 1], complex.
Tensor stft(const Input& signals, int64_t frame_length, int64_t frame_step,
            const SpectrogramOptions& options = {});
/// [..., frames, fft_length / 2 + 1] -> [..., samples]. With the window of inverse_stft_window_fn it gives
/// back what stft was given, but at the ends. Throws ValueError for `pad_end`.
Tensor inverse_stft(const Input& stfts, int64_t frame_length, int64_t frame_step,
                    const SpectrogramOptions& options = {});
/// The window for inverse_stft after an stft with `forward`.
Window inverse_stft_window_fn(int64_t frame_step, Window forward = window_of_hann);

// ---- cosine transforms

struct CosineOptions {
  /// 1 to 4.
  int64_t type = 2;
  /// The length that the last dimension is cut or filled up to; left out: its own.
  std::optional<int64_t> n = std::nullopt;
  /// "ortho", or empty: none.
  std::string norm = {};
  /// The name of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// The discrete cosine transform of the last dimension, whose size must be known. Throws ValueError for an
/// unknown type or norm, for a norm of type 1 and for type 1 of one element.
Tensor dct(const Input& input, const CosineOptions& options = {});
/// Its inverse but for a factor: 1 / (2 n), of type 1 1 / (2 (n - 1)); with "ortho" none.
Tensor idct(const Input& input, const CosineOptions& options = {});

struct ModifiedCosineOptions {
  /// What each frame is multiplied by; nullptr: nothing.
  Window window_fn = window_of_vorbis;
  /// As of frame; the inverse has no end to fill up.
  bool pad_end = false;
  /// "ortho", or empty: none.
  std::string norm = {};
  /// The name of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// The modified cosine transform of frames that overlap by half: [..., samples] -> [..., frames,
/// frame_length / 2]. Throws ValueError for a length that 4 does not divide.
Tensor mdct(const Input& signals, int64_t frame_length, const ModifiedCosineOptions& options = {});
/// Its inverse: [..., frames, n] -> [..., samples]. Throws ValueError for `pad_end`.
Tensor inverse_mdct(const Input& mdcts, const ModifiedCosineOptions& options = {});

// ---- mel scale

struct MelOptions {
  /// How many bands of the mel scale there are.
  int64_t num_mel_bins = 20;
  /// How many frequencies a spectrum has, 0 and half the rate among them.
  int64_t num_spectrogram_bins = 129;
  /// Samples a second.
  double sample_rate = 8000;
  /// Where the lowest band begins, at least 0.
  double lower_edge_hertz = 125;
  /// Where the highest band ends, at most half the rate.
  double upper_edge_hertz = 3800;
  /// float16, float32 or float64.
  DType dtype = DType::kFloat32;
  /// The name of its node; empty: the function's own.
  std::string name = {};
};
/// [num_spectrogram_bins, num_mel_bins]: triangles that overlap by half, to multiply spectra with. Throws
/// ValueError for edges and sizes that do not fit.
Tensor linear_to_mel_weight_matrix(const MelOptions& options = {});
/// Cepstral coefficients of logarithms of mel spectra: [..., bins] -> [..., bins].
Tensor mfccs_from_log_mel_spectrograms(const Input& log_mel_spectrograms, const NameOption& options = {});

}  // namespace flowray::tf::signal

#pragma GCC visibility pop
