#pragma once
/// Strings, and values shown as text: what each file of the family adds to the table.

#include "graph/op_schema.h"

namespace flowray::ops {

/// Assert, Print, PrintV2, CheckNumerics, Timestamp.
void register_debugging_ops(graph::OpTable& table);
/// StringJoin, StringFormat, AsString, StringToNumber, StringLower, StringUpper, StringLength.
void register_string_ops(graph::OpTable& table);
/// StaticRegexFullMatch, RegexFullMatch, StaticRegexReplace, RegexReplace.
void register_regex_ops(graph::OpTable& table);

}  // namespace flowray::ops
