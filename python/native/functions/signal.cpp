/// tf.signal: windows, frames, spectrograms and cosine transforms of signals.

#include "native/convert/bind.h"
#include "native/convert/kept_object.h"

#include <flowray/tf/signal.h>

#include <fmt/format.h>

namespace flowray::python {

namespace signal = tf::signal;

FLOWRAY_FIELDS(signal::WindowOptions, periodic, dtype, name)
FLOWRAY_FIELDS(signal::KaiserOptions, beta, dtype, name)
FLOWRAY_FIELDS(signal::VorbisOptions, dtype, name)
FLOWRAY_FIELDS(signal::FrameOptions, pad_end, pad_value, axis, name)
FLOWRAY_FIELDS(signal::MelOptions, num_mel_bins, num_spectrogram_bins, sample_rate, lower_edge_hertz,
               upper_edge_hertz, dtype, name)

namespace {

/// None: none.
signal::Window as_window(nb::handle function) {
  if (function.is_none()) return nullptr;
  return [function = KeptObject(function)](int64_t frame_length, DType dtype) {
    return kFrom<tf::Tensor>(nb::object(function(frame_length, "dtype"_a = dtype_object(dtype))));
  };
}

std::optional<std::vector<int64_t>> as_axes(nb::handle axes) {
  if (axes.is_none()) return std::nullopt;
  if (PyLong_Check(axes.ptr()) != 0) return std::vector<int64_t>{as_int(axes)};
  return as_ints(axes);
}

void check_last_axis(int64_t axis) {
  if (axis != -1) {
    PyErr_SetString(PyExc_NotImplementedError, fmt::format("`axis` must be -1. Got: {}", axis).c_str());
    nb::raise_python_error();
  }
}

void bind_windows(nb::module_& m) {
  bind(m, "hann_window", &signal::hann_window, {"window_length"});
  bind(m, "hamming_window", &signal::hamming_window, {"window_length"});
  bind(m, "kaiser_window", &signal::kaiser_window, {"window_length"});
  bind(m, "kaiser_bessel_derived_window", &signal::kaiser_bessel_derived_window, {"window_length"});
  bind(m, "vorbis_window", &signal::vorbis_window, {"window_length"});
  bind(m, "linear_to_mel_weight_matrix", &signal::linear_to_mel_weight_matrix);
  bind(m, "mfccs_from_log_mel_spectrograms", &signal::mfccs_from_log_mel_spectrograms,
       {"log_mel_spectrograms"});
}

void bind_frames(nb::module_& m) {
  bind(m, "frame", &signal::frame, {"signal", "frame_length", "frame_step"});
  bind(m, "overlap_and_add", &signal::overlap_and_add, {"signal", "frame_step"});
  const auto shift = [&](const char* name, auto function) {
    bind(m, name,
         [function](const tf::Input& x, nb::handle axes, const std::string& named) {
           return function(x, {.axes = as_axes(axes), .name = named});
         },
         {"x", {"axes", nb::none()}, {"name", nb::none()}});
  };
  shift("fftshift", &signal::fftshift);
  shift("ifftshift", &signal::ifftshift);
}

void bind_spectrograms(nb::module_& m) {
  const nb::object hann = m.attr("hann_window");
  bind(m, "stft",
       [](const tf::Input& signals, int64_t frame_length, int64_t frame_step,
          std::optional<int64_t> fft_length, nb::handle window_fn, bool pad_end, const std::string& name) {
         return signal::stft(
             signals, frame_length, frame_step,
             {.fft_length = fft_length, .window_fn = as_window(window_fn), .pad_end = pad_end, .name = name});
       },
       {"signals",
        "frame_length",
        "frame_step",
        {"fft_length", nb::none()},
        {"window_fn", hann},
        {"pad_end", false},
        {"name", nb::none()}});
  bind(m, "inverse_stft",
       [](const tf::Input& stfts, int64_t frame_length, int64_t frame_step, std::optional<int64_t> fft_length,
          nb::handle window_fn, const std::string& name) {
         return signal::inverse_stft(
             stfts, frame_length, frame_step,
             {.fft_length = fft_length, .window_fn = as_window(window_fn), .name = name});
       },
       {"stfts",
        "frame_length",
        "frame_step",
        {"fft_length", nb::none()},
        {"window_fn", hann},
        {"name", nb::none()}});
  m.def(
      "inverse_stft_window_fn",
      [](nb::handle frame_step, nb::handle forward_window_fn, nb::handle name) {
        // The scope that it may name is that of the call, which the window's nodes are not of.
        (void)name;
        const signal::Window window =
            signal::inverse_stft_window_fn(as_int(frame_step), as_window(forward_window_fn));
        return nb::cpp_function(
            [window](nb::handle frame_length, nb::handle dtype) {
              return give(window(as_int(frame_length), as_dtype(dtype)));
            },
            "frame_length"_a, "dtype"_a = dtype_object(DType::kFloat32));
      },
      "frame_step"_a, "forward_window_fn"_a = hann, "name"_a = nb::none(),
      docstring_of("signal.inverse_stft_window_fn"));
}

void bind_cosine_transforms(nb::module_& m) {
  const auto transform = [&](const char* name, auto function) {
    bind(m, name,
         [function](const tf::Input& input, int64_t type, std::optional<int64_t> n, int64_t axis,
                    const std::string& norm, const std::string& named) {
           check_last_axis(axis);
           return function(input, {.type = type, .n = n, .norm = norm, .name = named});
         },
         {"input", {"type", 2}, {"n", nb::none()}, {"axis", -1}, {"norm", nb::none()}, {"name", nb::none()}});
  };
  transform("dct", &signal::dct);
  transform("idct", &signal::idct);
  const nb::object vorbis = m.attr("vorbis_window");
  bind(m, "mdct",
       [](const tf::Input& signals, int64_t frame_length, nb::handle window_fn, bool pad_end,
          const std::string& norm, const std::string& name) {
         return signal::mdct(
             signals, frame_length,
             {.window_fn = as_window(window_fn), .pad_end = pad_end, .norm = norm, .name = name});
       },
       {"signals",
        "frame_length",
        {"window_fn", vorbis},
        {"pad_end", false},
        {"norm", nb::none()},
        {"name", nb::none()}});
  bind(m, "inverse_mdct",
       [](const tf::Input& mdcts, nb::handle window_fn, const std::string& norm, const std::string& name) {
         return signal::inverse_mdct(mdcts, {.window_fn = as_window(window_fn), .norm = norm, .name = name});
       },
       {"mdcts", {"window_fn", vorbis}, {"norm", nb::none()}, {"name", nb::none()}});
}

}  // namespace

void bind_signal(nb::module_& m) {
  nb::module_ submodule = m.def_submodule("signal");
  bind_windows(submodule);
  bind_frames(submodule);
  bind_spectrograms(submodule);
  bind_cosine_transforms(submodule);
}

}  // namespace flowray::python
