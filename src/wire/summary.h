#pragma once
/// TensorFlow's Summary (tensorflow/core/framework/summary.proto) and HistogramProto: what summary ops
/// put out.

#include "wire/message.h"
#include "wire/tensor_proto.h"

#include <variant>

namespace flowray::wire {

struct HistogramProto {
  double min = 0;
  double max = 0;
  double num = 0;
  double sum = 0;
  double sum_squares = 0;
  std::vector<double> bucket_limit;  // upper ends
  std::vector<double> bucket;        // counts

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.HistogramProto";
  static constexpr auto fields() {
    using M = HistogramProto;
    return std::tuple(field(1, "min", &M::min), field(2, "max", &M::max), field(3, "num", &M::num),
                      field(4, "sum", &M::sum), field(5, "sum_squares", &M::sum_squares),
                      field(6, "bucket_limit", &M::bucket_limit), field(7, "bucket", &M::bucket));
  }
};

/// How a tensor is to be shown.
struct SummaryMetadata {
  struct PluginData {
    Text plugin_name;
    Bytes content;
    std::string unknown;
    static constexpr auto fields() {
      return std::tuple(field(1, "plugin_name", &PluginData::plugin_name),
                        field(2, "content", &PluginData::content));
    }
  };
  std::optional<PluginData> plugin_data;
  Text display_name;
  Text summary_description;
  int32_t data_class = 0;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.SummaryMetadata";
  static constexpr auto fields() {
    using M = SummaryMetadata;
    return std::tuple(field(1, "plugin_data", &M::plugin_data), field(2, "display_name", &M::display_name),
                      field(3, "summary_description", &M::summary_description),
                      field(4, "data_class", &M::data_class));
  }
};

struct Summary {
  struct Image {
    int32_t height = 0;
    int32_t width = 0;
    int32_t colorspace = 0;  // channels: 1 grey, 3 RGB, 4 RGBA
    Bytes encoded_image_string;
    std::string unknown;
    static constexpr auto fields() {
      using M = Image;
      return std::tuple(field(1, "height", &M::height), field(2, "width", &M::width),
                        field(3, "colorspace", &M::colorspace),
                        field(4, "encoded_image_string", &M::encoded_image_string));
    }
  };
  struct Audio {
    float sample_rate = 0;
    int64_t num_channels = 0;
    int64_t length_frames = 0;
    Bytes encoded_audio_string;
    Text content_type;
    std::string unknown;
    static constexpr auto fields() {
      using M = Audio;
      return std::tuple(field(1, "sample_rate", &M::sample_rate), field(2, "num_channels", &M::num_channels),
                        field(3, "length_frames", &M::length_frames),
                        field(4, "encoded_audio_string", &M::encoded_audio_string),
                        field(5, "content_type", &M::content_type));
    }
  };
  struct Value {
    using Content = std::variant<std::monostate, float, Image, HistogramProto, Audio, Box<TensorProto>>;

    Text tag;
    Text node_name;
    std::optional<SummaryMetadata> metadata;
    Content content;
    std::string unknown;
    static constexpr auto fields() {
      using M = Value;
      return std::tuple(field(1, "tag", &M::tag), choice<1>(2, "simple_value", &M::content),
                        choice<2>(4, "image", &M::content), choice<3>(5, "histo", &M::content),
                        choice<4>(6, "audio", &M::content), field(7, "node_name", &M::node_name),
                        choice<5>(8, "tensor", &M::content), field(9, "metadata", &M::metadata));
    }
  };
  std::vector<Value> value;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.Summary";
  static constexpr auto fields() { return std::tuple(field(1, "value", &Summary::value)); }
};

}  // namespace flowray::wire
