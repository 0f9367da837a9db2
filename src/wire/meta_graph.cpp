#include "wire/meta_graph.h"

#include <protozero/pbf_builder.hpp>

namespace flowray::wire {
namespace {

// The numbers of the fields.
enum class MetaGraphField : protozero::pbf_tag_type { kGraphDef = 2, kSaverDef = 3 };
enum class SaverField : protozero::pbf_tag_type {
  kFilenameTensorName = 1,
  kSaveTensorName = 2,
  kRestoreOpName = 3,
  kMaxToKeep = 4,
  kKeepEveryNHours = 6,
  kVersion = 7
};
constexpr int32_t kVersion2 = 2;
constexpr float kKeepEveryNHours = 10000;  // that is: no checkpoint for good

}  // namespace

std::string encode_meta_graph(std::string_view graph_def, const SaverDef& saver) {
  std::string message;
  protozero::pbf_builder<MetaGraphField> meta(message);
  meta.add_message(MetaGraphField::kGraphDef, graph_def.data(), graph_def.size());
  protozero::pbf_builder<SaverField> fields(meta, MetaGraphField::kSaverDef);
  fields.add_string(SaverField::kFilenameTensorName, saver.filename_tensor_name);
  fields.add_string(SaverField::kSaveTensorName, saver.save_tensor_name);
  fields.add_string(SaverField::kRestoreOpName, saver.restore_op_name);
  fields.add_int32(SaverField::kMaxToKeep, saver.max_to_keep);
  fields.add_float(SaverField::kKeepEveryNHours, kKeepEveryNHours);
  fields.add_enum(SaverField::kVersion, kVersion2);
  return message;
}

}  // namespace flowray::wire
