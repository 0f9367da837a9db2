// Whole files read and written. Reading takes time, and what it gives may be another thing in the next run:
// so these ops are started, like those that wait, and never folded.

#include "files/file_contents.h"

#include "graph/kernel/blocking_call.h"
#include "graph/kernel/files_of_step.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/file/register.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::ops {
namespace {

using graph::BlockingCall;
using graph::OpTable;
using graph::ShapeContext;
using GiveUp = std::function<void()>;

const std::string& scalar_text(const BlockingCall& call, int i, std::string_view what) {
  const Array& text = call.in(i);
  if (text.rank() == 0) return *text.data<std::string>();
  throw errors::InvalidArgumentError(
      fmt::format("{} tensor must be scalar, but had shape: {}", what, text.shape().to_string()));
}

GiveUp start_read_file(BlockingCall& call) {
  const std::string& name = scalar_text(call, 0, "Input filename");
  call.done({Array(files::read_file(name, graph::files_of_step()))});
  return {};
}

GiveUp start_write_file(BlockingCall& call) {
  const std::string& name = scalar_text(call, 0, "Input filename");
  files::write_file(name, scalar_text(call, 1, "Contents"), graph::files_of_step());
  call.done();
  return {};
}

GiveUp start_matching_files(BlockingCall& call) {
  if (call.in(0).rank() > 1) {
    throw errors::InvalidArgumentError(fmt::format(
        "Input patterns tensor must be scalar or vector, but had shape: {}", call.in(0).shape().to_string()));
  }
  std::vector<std::string> names;
  for (const std::string& pattern : call.in(0).span<std::string>()) {
    const std::vector<std::string> found = files::matching_files(pattern, graph::files_of_step());
    names.insert(names.end(), found.begin(), found.end());
  }
  std::ranges::sort(names);
  call.done({Array(names)});
  return {};
}

void scalars_shape(ShapeContext& context) {
  for (int i = 0; i < context.num_inputs() && !context.running(); ++i) (void)context.with_rank(i, 0);
  for (int i = 0; i < context.num_outputs(); ++i) context.set_output(i, Shape());
}

void matching_files_shape(ShapeContext& context) {
  if (context.input(0).rank() > 1 && !context.running()) {
    ShapeContext::fail(fmt::format("Shape must be at most rank 1 but is rank {}", context.input(0).rank()));
  }
  context.set_output(0, Shape{Shape::kUnknownDim});
}

constexpr graph::OpRow kFileContentsOps[] = {
    {.name = "ReadFile",
     .inputs = "filename:string",
     .outputs = "contents:string",
     .shape = scalars_shape,
     .start = start_read_file},
    {.name = "WriteFile",
     .inputs = "filename:string, contents:string",
     .stateful = true,
     .shape = scalars_shape,
     .start = start_write_file},
    {.name = "MatchingFiles",
     .inputs = "pattern:string",
     .outputs = "filenames:string",
     .shape = matching_files_shape,
     .start = start_matching_files},
};

}  // namespace

void register_file_contents_ops(OpTable& table) {
  for (const graph::OpRow& row : kFileContentsOps) table.add(row);
}

}  // namespace flowray::ops
