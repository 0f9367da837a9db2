// Regular expressions over strings, by RE2.

#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/text/register.h"

#include <fmt/format.h>
#include <re2/re2.h>

namespace flowray::ops {

using graph::DynamicCall;
using graph::OpTable;
using graph::ShapeContext;

namespace {

/// A compiled regular expression. Throws InvalidArgumentError for one that does not parse.
class Pattern {
 public:
  explicit Pattern(const std::string& text) : expression_(text, RE2::Quiet) {
    if (!expression_.ok()) {
      throw errors::InvalidArgumentError(
          fmt::format("Invalid pattern: {}, error: {}", text, expression_.error()));
    }
  }
  const RE2& expression() const { return expression_; }

 private:
  const RE2 expression_;
};

/// A scalar input's string.
const std::string& scalar_text(const Array& array, std::string_view name) {
  if (array.rank() != 0) {
    throw errors::InvalidArgumentError(
        fmt::format("{} must be scalar, but received {}", name, array.shape().to_string()));
  }
  return *array.data<std::string>();
}

Array full_match(const Array& input, const std::string& pattern_text) {
  const Pattern pattern(pattern_text);
  Array output(DType::kBool, input.shape());
  bool* out = output.mutable_data<bool>();
  for (const std::string& text : input.span<std::string>())
    *out++ = RE2::FullMatch(text, pattern.expression());
  return output;
}

Array replace(const Array& input, const std::string& pattern_text, const std::string& rewrite, bool all) {
  const Pattern pattern(pattern_text);
  Array output = input;
  auto* texts = output.mutable_data<std::string>();
  for (int64_t i = 0; i < output.size(); ++i) {
    if (all) {
      RE2::GlobalReplace(&texts[i], pattern.expression(), rewrite);
    } else {
      RE2::Replace(&texts[i], pattern.expression(), rewrite);
    }
  }
  return output;
}

void static_full_match(DynamicCall& call) {
  call.set_out(0, full_match(call.in(0), call.attrs().get<std::string>("pattern")));
}

void regex_full_match(DynamicCall& call) {
  call.set_out(0, full_match(call.in(0), scalar_text(call.in(1), "Pattern")));
}

void static_replace(DynamicCall& call) {
  const graph::Attrs& attrs = call.attrs();
  call.set_out(0, replace(call.in(0), attrs.get<std::string>("pattern"), attrs.get<std::string>("rewrite"),
                          attrs.get<bool>("replace_global")));
}

void regex_replace(DynamicCall& call) {
  call.set_out(0, replace(call.in(0), scalar_text(call.in(1), "Pattern"), scalar_text(call.in(2), "Rewrite"),
                          call.attrs().get<bool>("replace_global")));
}

void dynamic_pattern_shape(ShapeContext& context) {
  for (int i = 1; i < context.num_inputs(); ++i) context.with_rank(i, 0);
  context.set_output(0, context.input(0));
}

constexpr graph::OpRow kRegexOps[] = {
    {.name = "StaticRegexFullMatch",
     .inputs = "input:string",
     .outputs = "output:bool",
     .attrs = "pattern:string",
     .shape = graph::unchanged_shape,
     .not_differentiable = true,
     .compute = static_full_match},
    {.name = "RegexFullMatch",
     .inputs = "input:string, pattern:string",
     .outputs = "output:bool",
     .shape = dynamic_pattern_shape,
     .not_differentiable = true,
     .compute = regex_full_match},
    {.name = "StaticRegexReplace",
     .inputs = "input:string",
     .outputs = "output:string",
     .attrs = "pattern:string; rewrite:string; replace_global:bool=true",
     .shape = graph::unchanged_shape,
     .not_differentiable = true,
     .compute = static_replace},
    {.name = "RegexReplace",
     .inputs = "input:string, pattern:string, rewrite:string",
     .outputs = "output:string",
     .attrs = "replace_global:bool=true",
     .shape = dynamic_pattern_shape,
     .not_differentiable = true,
     .compute = regex_replace},
};

}  // namespace

void register_regex_ops(OpTable& table) {
  for (const graph::OpRow& row : kRegexOps) table.add(row);
}

}  // namespace flowray::ops
