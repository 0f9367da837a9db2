#include "files/gif.h"

#include <fmt/format.h>
#include <gif_lib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

namespace flowray::files {
namespace {

constexpr int kChannels = 3;

std::string text_of(int error) {
  const char* text = GifErrorString(error);
  return text == nullptr ? "Unknown error" : text;
}

int take(GifFileType* gif, GifByteType* to, int count) {
  auto& left = *static_cast<std::string_view*>(gif->UserData);
  const size_t taken = std::min(left.size(), static_cast<size_t>(std::max(count, 0)));
  std::memcpy(to, left.data(), taken);
  left.remove_prefix(taken);
  return static_cast<int>(taken);
}

struct CloseGif {
  void operator()(GifFileType* gif) const { DGifCloseFile(gif, nullptr); }
};

struct Frame {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
  bool has_colors = false;
  std::vector<GifColorType> colors = {};
  int transparent = NO_TRANSPARENT_COLOR;
  std::vector<uint8_t> indices = {};
};

/// giflib's own reading of a whole file keeps frames of any size; this one has a limit.
class FrameReader {
 public:
  explicit FrameReader(GifFileType& gif) : gif_(gif) {}

  /// All whole frames; false where something is wrong behind them.
  bool read(std::vector<Frame>& frames) {
    int transparent = NO_TRANSPARENT_COLOR;
    bool has_control = false;
    while (true) {
      GifRecordType type = UNDEFINED_RECORD_TYPE;
      if (DGifGetRecordType(&gif_, &type) == GIF_ERROR) return false;
      if (type == TERMINATE_RECORD_TYPE) return true;
      if (type == EXTENSION_RECORD_TYPE) {
        if (!read_extension(transparent, has_control)) return false;
      } else if (type == IMAGE_DESC_RECORD_TYPE) {
        Frame frame;
        frame.transparent = transparent;
        if (!read_frame(frame)) return false;
        frames.push_back(std::move(frame));
        transparent = NO_TRANSPARENT_COLOR;
        has_control = false;
      }
    }
  }

 private:
  /// The first block of graphics control before a frame counts.
  bool read_extension(int& transparent, bool& has_control) {
    int code = 0;
    GifByteType* block = nullptr;  // its length, then its bytes
    if (DGifGetExtension(&gif_, &code, &block) == GIF_ERROR) return false;
    if (block != nullptr && code == GRAPHICS_EXT_FUNC_CODE && !has_control) {
      has_control = true;
      GraphicsControlBlock control;
      if (DGifExtensionToGCB(block[0], block + 1, &control) == GIF_OK) transparent = control.TransparentColor;
    }
    while (block != nullptr) {
      if (DGifGetExtensionNext(&gif_, &block) == GIF_ERROR) return false;
    }
    return true;
  }

  bool read_frame(Frame& frame) {
    if (DGifGetImageDesc(&gif_) == GIF_ERROR) {
      // giflib says nothing where the file ends before the pixels.
      if (gif_.Error == 0 && static_cast<std::string_view*>(gif_.UserData)->empty())
        gif_.Error = D_GIF_ERR_READ_FAILED;
      return false;
    }
    const GifImageDesc& image = gif_.Image;
    if (image.Width <= 0 || image.Height <= 0) return false;
    widest_ = std::max(widest_, image.Width);
    highest_ = std::max(highest_, image.Height);
    // Every frame becomes one of the largest size.
    const size_t bytes = static_cast<size_t>(widest_) * static_cast<size_t>(highest_) * kChannels;
    if (bytes > kMostImageBytes / ++count_) return false;
    frame.left = image.Left;
    frame.top = image.Top;
    frame.width = image.Width;
    frame.height = image.Height;
    if (const ColorMapObject* map = image.ColorMap != nullptr ? image.ColorMap : gif_.SColorMap) {
      frame.has_colors = true;
      frame.colors.assign(map->Colors, map->Colors + map->ColorCount);
    }
    const auto width = static_cast<size_t>(frame.width);
    frame.indices.resize(width * static_cast<size_t>(frame.height));
    const auto read_rows = [&](int first, int step) {
      for (int y = first; y < frame.height; y += step) {
        if (DGifGetLine(&gif_, frame.indices.data() + static_cast<size_t>(y) * width, frame.width) ==
            GIF_ERROR)
          return false;
      }
      return true;
    };
    if (!image.Interlace) return read_rows(0, 1);
    return read_rows(0, 8) && read_rows(4, 8) && read_rows(2, 4) && read_rows(1, 2);
  }

  GifFileType& gif_;
  int widest_ = 0;
  int highest_ = 0;
  size_t count_ = 0;
};

/// Puts frames on top of each other.
class Canvas {
 public:
  Canvas(const std::vector<Frame>& frames, size_t count) {
    for (const Frame& frame : frames) {
      image_.width = std::max(image_.width, frame.width);
      image_.height = std::max(image_.height, frame.height);
    }
    image_.channels = kChannels;
    row_bytes_ = static_cast<size_t>(image_.width) * kChannels;
    image_.bytes.resize(count * frame_bytes());
  }

  /// False and a reason where a color is missing.
  bool put(const Frame& frame, size_t number, std::string& reason) {
    uint8_t* const target = image_.bytes.data() + number * frame_bytes();
    if (number > 0) std::copy_n(target - frame_bytes(), frame_bytes(), target);
    if (!frame.has_colors) {
      reason = fmt::format("missing color map for frame {}", number);
      return false;
    }
    const int right = std::min(frame.left + frame.width, image_.width);
    const int bottom = std::min(frame.top + frame.height, image_.height);
    for (int y = frame.top; y < bottom; ++y) {
      const uint8_t* index = frame.indices.data() + static_cast<ptrdiff_t>(y - frame.top) * frame.width;
      uint8_t* out =
          target + static_cast<size_t>(y) * row_bytes_ + static_cast<size_t>(frame.left) * kChannels;
      for (int x = frame.left; x < right; ++x, ++index, out += kChannels) {
        if (*index == frame.transparent) continue;
        if (*index >= frame.colors.size()) {
          reason =
              fmt::format("found color index {} outside of color map range {}", *index, frame.colors.size());
          return false;
        }
        const GifColorType& color = frame.colors[*index];
        out[0] = color.Red;
        out[1] = color.Green;
        out[2] = color.Blue;
      }
    }
    return true;
  }

  DecodedImage take() && { return std::move(image_); }

 private:
  size_t frame_bytes() const { return row_bytes_ * static_cast<size_t>(image_.height); }

  DecodedImage image_;
  size_t row_bytes_ = 0;
};

}  // namespace

std::optional<DecodedAnimation> decode_gif(std::string_view file, GifFrames wanted, std::string& reason) {
  std::string_view left = file;
  int error = D_GIF_SUCCEEDED;
  const std::unique_ptr<GifFileType, CloseGif> gif(DGifOpen(&left, take, &error));
  if (gif == nullptr) {
    reason = "failed to open gif file: " + text_of(error);
    return std::nullopt;
  }
  std::vector<Frame> frames;
  const bool is_whole = FrameReader(*gif).read(frames);
  if (frames.empty()) {
    reason = "failed to slurp gif file: " + text_of(is_whole ? D_GIF_ERR_NO_IMAG_DSCR : gif->Error);
    return std::nullopt;
  }
  const size_t count = wanted == GifFrames::kFirst ? 1 : frames.size();
  if (wanted == GifFrames::kOnly && count > 1)
    return DecodedAnimation{.frames = static_cast<int>(count), .image = {}};
  Canvas canvas(frames, count);
  for (size_t i = 0; i < count; ++i) {
    if (!canvas.put(frames[i], i, reason)) return std::nullopt;
  }
  return DecodedAnimation{.frames = static_cast<int>(count), .image = std::move(canvas).take()};
}

}  // namespace flowray::files
