// The ops of tables. Those of the first form take a reference to two strings, those of the second (V2)
// a handle.

#include "core/checked_size.h"
#include "core/dtype_dispatch.h"
#include "core/invalid_argument.h"
#include "core/wrapping.h"
#include "files/file_contents.h"
#include "graph/graph.h"
#include "graph/kernel/blocking_call.h"
#include "graph/kernel/files_of_step.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/number_text.h"
#include "ops/queues/lookup_table.h"
#include "ops/queues/register.h"

#include <fmt/format.h>

namespace flowray::ops {
namespace {

using graph::BlockingCall;
using graph::OpTable;
using graph::ShapeContext;
using GiveUp = std::function<void()>;

// ---- making them

template <bool kIsMutable>
std::shared_ptr<graph::Resource> find_or_make_table(graph::ResourceContext& context) {
  const LookupTable::Spec asked{context.attrs().get<DType>("key_dtype"),
                                context.attrs().get<DType>("value_dtype"), kIsMutable};
  auto table = context.find_or_make<LookupTable>(
      [&](const std::string& name) { return std::make_shared<LookupTable>(name, asked); });
  if (!(table->spec() == asked)) {
    invalid_argument(fmt::format("Conflicting key/value dtypes {}->{} with {}-{} for table {}",
                                 dtype_kernel_name(asked.key), dtype_kernel_name(asked.value),
                                 dtype_kernel_name(table->spec().key), dtype_kernel_name(table->spec().value),
                                 table->name()));
  }
  return table;
}

// ---- using them

void check_keys(const LookupTable& table, const Array& keys) {
  if (keys.dtype() == table.spec().key) return;
  invalid_argument(fmt::format("Key must be type {} but got {}", dtype_kernel_name(table.spec().key),
                               dtype_kernel_name(keys.dtype())));
}

void check_pairs(const LookupTable& table, const Array& keys, const Array& values) {
  check_keys(table, keys);
  if (values.dtype() != table.spec().value) {
    invalid_argument(fmt::format("Value must be type {} but got {}", dtype_kernel_name(table.spec().value),
                                 dtype_kernel_name(values.dtype())));
  }
  if (!(keys.shape() == values.shape())) {
    invalid_argument(fmt::format("Expected shape {} for value, got {}", keys.shape().to_string(),
                                 values.shape().to_string()));
  }
}

GiveUp start_find(BlockingCall& call) {
  auto& table = call.resource<LookupTable>(0);
  const Array& keys = call.in(1);
  const Array& fallback = call.in(2);
  check_keys(table, keys);
  if (fallback.dtype() != table.spec().value) {
    invalid_argument(fmt::format("Default value must be type {} but got {}",
                                 dtype_kernel_name(table.spec().value), dtype_kernel_name(fallback.dtype())));
  }
  if (fallback.size() != 1 && !(fallback.shape() == keys.shape())) {
    invalid_argument(fmt::format("Expected shape [] or {} for default value, got {}",
                                 keys.shape().to_string(), fallback.shape().to_string()));
  }
  call.done({table.find(keys, fallback)});
  return {};
}

template <void (LookupTable::*kChange)(const Array&, const Array&)>
GiveUp start_change(BlockingCall& call) {
  auto& table = call.resource<LookupTable>(0);
  check_pairs(table, call.in(1), call.in(2));
  (table.*kChange)(call.in(1), call.in(2));
  call.done();
  return {};
}

GiveUp start_initialize(BlockingCall& call) {
  auto& table = call.resource<LookupTable>(0);
  if (call.in(1).rank() != 1) {
    invalid_argument(
        fmt::format("Keys must be a vector, but received shape{}", call.in(1).shape().to_string()));
  }
  if (call.in(2).rank() != 1) {
    invalid_argument(
        fmt::format("Values must be a vector, but received shape{}", call.in(2).shape().to_string()));
  }
  if (call.in(1).size() != call.in(2).size()) {
    invalid_argument(fmt::format("Keys and values must have the same size {} vs {}", call.in(1).size(),
                                 call.in(2).size()));
  }
  check_pairs(table, call.in(1), call.in(2));
  table.initialize(call.in(1), call.in(2));
  call.done();
  return {};
}

GiveUp start_remove(BlockingCall& call) {
  auto& table = call.resource<LookupTable>(0);
  check_keys(table, call.in(1));
  table.remove(call.in(1));
  call.done();
  return {};
}

GiveUp start_table_size(BlockingCall& call) {
  call.done({Array(call.resource<LookupTable>(0).size())});
  return {};
}

GiveUp start_export(BlockingCall& call) {
  auto [keys, values] = call.resource<LookupTable>(0).all();
  call.done({std::move(keys), std::move(values)});
  return {};
}

// ---- from a file

constexpr int64_t kLineNumber = -1;
constexpr int64_t kWholeLine = -2;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// One column of the file's lines, as the table's keys or values.
Array column(const std::vector<std::string_view>& lines, int64_t index, char delimiter, DType dtype,
             const std::string& file, int64_t first_line) {
  Array result(dtype, Shape{std::ssize(lines)});
  for (int64_t i = 0; i < std::ssize(lines); ++i) {
    if (index == kLineNumber) {
      result.mutable_data<int64_t>()[i] = checked(first_line) + i;
      continue;
    }
    std::string_view field = lines[static_cast<size_t>(i)];
    for (int64_t skip = index; index != kWholeLine && skip > 0; --skip) {
      const size_t at = field.find(delimiter);
      if (at == std::string_view::npos) {
        invalid_argument(
            fmt::format("Invalid number of columns in {} line {} ({}) : expected at least {} got {}", file, i,
                        lines[static_cast<size_t>(i)], wrapping_add(index, int64_t{1}), index - skip + 1));
      }
      field.remove_prefix(at + 1);
    }
    if (index != kWholeLine) field = field.substr(0, field.find(delimiter));
    if (dtype == DType::kString) {
      result.mutable_data<std::string>()[i] = field;
      continue;
    }
    const bool is_number = dispatch<NumberTypes>(dtype, [&]<class T>() {
      const auto value = number_from_text<T>(field);
      if (!value)
        invalid_argument(
            fmt::format("Field {} in line {} is not a valid {}.", field, i, dtype_kernel_name(dtype)));
      result.mutable_data<T>()[i] = *value;
    });
    if (!is_number) invalid_argument(fmt::format("Data type {} not supported.", dtype_kernel_name(dtype)));
  }
  return result;
}

void check_index(int64_t index, DType dtype, std::string_view what) {
  if (index == kLineNumber && dtype != DType::kInt64) {
    invalid_argument(fmt::format("{} index for line number requires table {} dtype of int64, got {}",
                                 what == "key" ? "Key" : "Value", what, dtype_kernel_name(dtype)));
  }
  if (index == kWholeLine && dtype != DType::kString && is_floating(dtype)) {
    invalid_argument(fmt::format("Expected string or integer {} for the whole line, got {}", what,
                                 dtype_kernel_name(dtype)));
  }
}

GiveUp start_initialize_from_file(BlockingCall& call) {
  auto& table = call.resource<LookupTable>(0);
  const graph::Attrs& attrs = call.attrs();
  const Array& name = call.in(1);
  if (name.size() != 1) {
    invalid_argument(fmt::format("filename should be a single string, but got {}", name.shape().to_string()));
  }
  const std::string file = name.item<std::string>();
  const auto& delimiter = attrs.get<std::string>("delimiter");
  const auto key_index = attrs.get<int64_t>("key_index");
  const auto value_index = attrs.get<int64_t>("value_index");
  const auto vocab_size = attrs.get<int64_t>("vocab_size");
  if (delimiter.size() != 1) invalid_argument("delimiter should be only 1 char");
  check_index(key_index, table.spec().key, "key");
  check_index(value_index, table.spec().value, "value");
  const std::string text = files::read_file(file, graph::files_of_step());
  std::vector<std::string_view> lines = lines_of(text);
  const auto first_line = attrs.get<int64_t>("offset");
  if (vocab_size == 0) {
    throw errors::OutOfRangeError(fmt::format("Finished reading 0 of lines from {}", file));
  }
  if (vocab_size < 0 && lines.empty()) throw errors::OutOfRangeError("Read less bytes than requested");
  if (vocab_size > 0) {
    if (std::ssize(lines) < vocab_size) {
      invalid_argument(
          fmt::format("Invalid vocab_size in {}: expected {} but got {}", file, vocab_size, lines.size()));
    }
    lines.resize(static_cast<size_t>(vocab_size));
  }
  table.initialize(column(lines, key_index, delimiter[0], table.spec().key, file, first_line),
                   column(lines, value_index, delimiter[0], table.spec().value, file, first_line));
  call.done();
  return {};
}

// ---- shapes

void find_shape(ShapeContext& context) { context.set_output(0, context.input(1)); }
void export_shape(ShapeContext& context) {
  context.set_output(0, Shape{Shape::kUnknownDim});
  context.set_output(1, Shape::unknown_rank());
}

// ---- the ops: as of queues, those without V2 take references

constexpr std::string_view kTableAttrs =
    "container:string=\"\"; shared_name:string=\"\"; use_node_name_sharing:bool=false; key_dtype:type; "
    "value_dtype:type";

constexpr graph::OpRow table_v2_row(std::string_view name, graph::ResourceFunction resource) {
  return {.name = name,
          .outputs = "table_handle:resource",
          .attrs = kTableAttrs,
          .stateful = true,
          .shape = graph::scalar_shape,
          .not_differentiable = true,
          .resource = resource};
}

constexpr graph::OpRow kLookupTableOps[] = {
    {.name = "HashTable",
     .outputs = "table_handle:ref string",
     .attrs = kTableAttrs,
     .stateful = true,
     .shape = graph::reference_handle_shape,
     .not_differentiable = true,
     .resource = find_or_make_table<false>},
    table_v2_row("HashTableV2", find_or_make_table<false>),
    table_v2_row("MutableHashTableV2", find_or_make_table<true>),
    {.name = "LookupTableFind",
     .inputs = "table_handle:ref string, keys:Tin, default_value:Tout",
     .outputs = "values:Tout",
     .attrs = "Tin:type; Tout:type",
     .shape = find_shape,
     .not_differentiable = true,
     .start = start_find},
    {.name = "LookupTableFindV2",
     .inputs = "table_handle:resource, keys:Tin, default_value:Tout",
     .outputs = "values:Tout",
     .attrs = "Tin:type; Tout:type",
     .stateful = true,
     .shape = find_shape,
     .not_differentiable = true,
     .start = start_find},
    {.name = "LookupTableInsertV2",
     .inputs = "table_handle:resource, keys:Tin, values:Tout",
     .attrs = "Tin:type; Tout:type",
     .stateful = true,
     .shape = graph::no_outputs,
     .not_differentiable = true,
     .start = start_change<&LookupTable::insert>},
    {.name = "LookupTableImportV2",
     .inputs = "table_handle:resource, keys:Tin, values:Tout",
     .attrs = "Tin:type; Tout:type",
     .stateful = true,
     .shape = graph::no_outputs,
     .start = start_change<&LookupTable::import>},
    {.name = "LookupTableRemoveV2",
     .inputs = "table_handle:resource, keys:Tin",
     .attrs = "Tin:type",
     .stateful = true,
     .shape = graph::no_outputs,
     .start = start_remove},
    {.name = "LookupTableSize",
     .inputs = "table_handle:ref string",
     .outputs = "size:int64",
     .shape = graph::scalar_shape,
     .not_differentiable = true,
     .start = start_table_size},
    {.name = "LookupTableSizeV2",
     .inputs = "table_handle:resource",
     .outputs = "size:int64",
     .stateful = true,
     .shape = graph::scalar_shape,
     .not_differentiable = true,
     .start = start_table_size},
    {.name = "LookupTableExportV2",
     .inputs = "table_handle:resource",
     .outputs = "keys:Tkeys, values:Tvalues",
     .attrs = "Tkeys:type; Tvalues:type",
     .stateful = true,
     .shape = export_shape,
     .start = start_export},
    {.name = "InitializeTableV2",
     .inputs = "table_handle:resource, keys:Tkey, values:Tval",
     .attrs = "Tkey:type; Tval:type",
     .stateful = true,
     .shape = graph::no_outputs,
     .not_differentiable = true,
     .start = start_initialize},
    {.name = "InitializeTableFromTextFile",
     .inputs = "table_handle:ref string, filename:string",
     .attrs = "key_index:int>=-2; value_index:int>=-2; vocab_size:int>=-1=-1; delimiter:string=\"\\t\"; "
              "offset:int=0",
     .shape = graph::no_outputs,
     .not_differentiable = true,
     .start = start_initialize_from_file},
    {.name = "InitializeTableFromTextFileV2",
     .inputs = "table_handle:resource, filename:string",
     .attrs = "key_index:int>=-2; value_index:int>=-2; vocab_size:int>=-1=-1; delimiter:string=\"\\t\"; "
              "offset:int=0",
     .stateful = true,
     .shape = graph::no_outputs,
     .not_differentiable = true,
     .start = start_initialize_from_file},
};

}  // namespace

void register_lookup_table_ops(OpTable& table) {
  for (const graph::OpRow& row : kLookupTableOps) table.add(row);
}

}  // namespace flowray::ops
