// Datasets of the lines and records of files: one of the files' names, and for each of them that of the file.
#include <flowray/tf/array.h>
#include <flowray/tf/data.h>
#include <flowray/tf/debugging.h>
#include <flowray/tf/math.h>
#include <flowray/tf/strings.h>

#include "core/checked_size.h"
#include "tf/build/apply_op.h"
#include "tf/build/unset.h"
#include "tf/data/dataset_parts.h"

#include <fmt/format.h>

#include <functional>
#include <utility>

namespace flowray::tf::data {
namespace {

/// The names as a vector, whatever their shape.
Dataset dataset_of_names(const Input& filenames) {
  DatasetCall call(graph_of({{"filenames", filenames}}), {}, filenames.where());
  const Tensor names = to_tensor(call.graph(), filenames, "Const");
  if (base_dtype(names.dtype()) != DType::kString) {
    throw TypeError(
        fmt::format("The `filenames` argument must contain `tf.string` elements. Got `tf.{}` elements.",
                    dtype_name(base_dtype(names.dtype()))));
  }
  call.take_list({reshape(names, {-1}, {.name = "flat_filenames"})}).set("is_files", true);
  return call.make("TensorSliceDataset", {{DType::kString, TensorShape()}});
}

std::vector<TensorSpec> strings() { return {{DType::kString, TensorShape()}}; }

Dataset dataset_of_files(const Input& filenames, const std::string& name,
                         const std::function<Dataset(const Tensor& file)>& open) {
  const auto open_one = [&](const std::vector<Tensor>& components) { return open(components[0]); };
  return dataset_of_names(filenames).flat_map_elements(open_one, {name}, filenames.where());
}

Dataset lines_or_records(const char* op, const Input& filenames, const FilesOptions& options) {
  return dataset_of_files(filenames, options.name, [&](const Tensor& file) {
    DatasetCall call(default_graph(), {}, filenames.where());
    constexpr int64_t kBufferBytes = 256 * 1024;
    call.take(file)
        .take(options.compression_type.has_value() ? *options.compression_type : Input(""),
              "compression_type", DType::kString)
        .take(options.buffer_size.has_value() ? *options.buffer_size : Input(kBufferBytes), "buffer_size");
    return call.make(op, strings());
  });
}

Tensor bytes_of(const Tensor& text) {
  graph::Attrs attrs;
  attrs.set("out_type", DType::kUint8);
  return apply_op({.op = "DecodeRaw", .args = {text}, .attrs = std::move(attrs)});
}

}  // namespace

Dataset Dataset::list_files(const Input& file_pattern, const ListFilesOptions& options) {
  const CallScope outer({{"file_pattern", file_pattern}}, file_pattern.where());
  const graph::NameScope scope(outer.graph(), "list_files");
  const Tensor pattern = to_tensor(outer.graph(), file_pattern, "file_pattern", DType::kString);
  const Tensor matching = apply_op({.op = "MatchingFiles", .args = {Input(pattern)}});
  const Tensor is_found = greater(shape(matching)[0], 0, {.name = "match_not_empty"});
  const Tensor message =
      add("No files matched pattern: ", reduce_join(pattern, {.separator = ", "}), {.name = "message"});
  const Operation found = Assert(is_found, {message}, 1, {.name = "assert_not_empty"});
  Tensor files;
  {
    const ControlDependenciesGuard first = control_dependencies({found});
    files = identity(matching);
  }
  DatasetCall call(outer.graph(), options.name, file_pattern.where());
  const Dataset names = call.take_list({files}).set("is_files", true).make("TensorSliceDataset", strings());
  if (!options.shuffle) return names;
  const Tensor size = maximum(shape(files, {.out_type = DType::kInt64})[0], int64_t{1});
  return names.shuffle(size, {.seed = options.seed, .name = options.name});
}

Dataset text_line_dataset(const Input& filenames, const FilesOptions& options) {
  return lines_or_records("TextLineDataset", filenames, options);
}

Dataset tf_record_dataset(const Input& filenames, const FilesOptions& options) {
  return lines_or_records("TFRecordDataset", filenames, options);
}

Dataset fixed_length_record_dataset(const Input& filenames, const Input& record_bytes,
                                    const FixedLengthRecordOptions& options) {
  const auto bytes_or = [](const OptionalInput& given, int64_t otherwise) {
    return given.has_value() ? *given : Input(otherwise);
  };
  return dataset_of_files(filenames, options.name, [&](const Tensor& file) {
    DatasetCall call(default_graph(), {}, filenames.where());
    constexpr int64_t kBufferBytes = 256 * 1024;
    call.take(file)
        .take(bytes_or(options.header_bytes, 0), "header_bytes")
        .take(record_bytes, "record_bytes")
        .take(bytes_or(options.footer_bytes, 0), "footer_bytes")
        .take(bytes_or(options.buffer_size, kBufferBytes), "buffer_size")
        .take(options.compression_type.has_value() ? *options.compression_type : Input(""),
              "compression_type", DType::kString);
    return call.make("FixedLengthRecordDatasetV2", strings());
  });
}

Dataset csv_dataset(const Input& filenames, const std::vector<RecordDefault>& record_defaults,
                    const CsvOptions& options) {
  DatasetCall call(graph_of({{"filenames", filenames}}), {}, filenames.where());
  call.take(filenames, "filenames", DType::kString)
      .take(options.compression_type.has_value() ? *options.compression_type : Input(""), "compression_type",
            DType::kString);
  std::vector<Tensor> defaults(record_defaults.size());
  std::vector<TensorSpec> spec(record_defaults.size());
  for (size_t i = 0; i < record_defaults.size(); ++i) {
    if (record_defaults[i].value().has_value()) continue;
    defaults[i] = constant(Array(record_defaults[i].required(), {0}));
  }
  for (size_t i = 0; i < record_defaults.size(); ++i) {
    const OptionalInput& value = record_defaults[i].value();
    if (value.has_value()) {
      check_set(*value, element_name("record_defaults", i));
      defaults[i] = to_tensor(call.graph(), *value, fmt::format("record_defaults_{}", i));
    }
    spec[i] = {base_dtype(defaults[i].dtype()), TensorShape()};
  }
  constexpr int64_t kBufferBytes = 4 * 1024 * 1024;
  call.take(options.buffer_size.has_value() ? *options.buffer_size : Input(kBufferBytes), "buffer_size")
      .take(options.header, "header", DType::kBool)
      .take(options.field_delim, "field_delim", DType::kString)
      .take(options.use_quote_delim, "use_quote_delim", DType::kBool)
      .take(options.na_value, "na_value", DType::kString)
      .take(Array(options.select_cols), "select_cols")
      .take_list(defaults)
      .take(Array(std::vector<int64_t>()), "exclude_cols");
  return call.make("CSVDatasetV2", std::move(spec));
}

Dataset idx_dataset(const Input& images, const Input& labels, const IdxOptions& options) {
  // Behind a number for the dtype and one for the dimensions, four bytes together, stand the sizes of these.
  constexpr int64_t kImageHeaderBytes = 16;
  constexpr int64_t kLabelHeaderBytes = 8;
  const std::vector<int64_t> shape = {options.rows, options.columns};
  const Dataset pixels = fixed_length_record_dataset(images, int64_t{checked(options.rows) * options.columns},
                                                     {.header_bytes = kImageHeaderBytes,
                                                      .compression_type = options.compression_type})
                             .map([&](const auto& bytes) { return reshape(bytes_of(bytes), shape); });
  const Dataset kinds =
      fixed_length_record_dataset(
          labels, 1, {.header_bytes = kLabelHeaderBytes, .compression_type = options.compression_type})
          .map([](const auto& bytes) { return bytes_of(bytes)[0]; });
  return Dataset::zip({pixels, kinds});
}

}  // namespace flowray::tf::data
