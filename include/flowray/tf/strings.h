#pragma once
/// tf.strings: functions of strings whose op depends on the arguments. Element by element, in the shape of
/// the input, unless it says otherwise. Throws TypeError for what holds no strings,
/// where the function is called.

#include <flowray/tf/input.h>
#include <flowray/tf/sparse_tensor.h>

#include <optional>
#include <string>

#pragma GCC visibility push(default)

namespace flowray::tf {

/// Whether each string matches the regular expression (RE2) from end to end. A number of nodes less, and the
/// expression compiled once, where the pattern is one text of the program and no tensor.
Tensor regex_full_match(const Input& input, const Input& pattern, const NameOption& options = {});

struct RegexReplaceOptions {
  /// Every match of a string, not its first alone; false where only the first counts, as a prefix.
  bool replace_global = true;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// The strings with `rewrite` in place of what matches; \\1 to \\9 in it stand for the groups.
Tensor regex_replace(const Input& input, const Input& pattern, const Input& rewrite,
                     const RegexReplaceOptions& options = {});

struct ReduceJoinOptions {
  /// The dimensions to join along, in this order; none: all, the last one first.
  OptionalInput axis = {};
  /// Keeps joined dimensions, with size 1; true where the result meets the input again.
  bool keep_dims = false;
  /// Between two strings.
  std::string separator = {};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// The strings along dimensions as one string.
Tensor reduce_join(const Input& inputs, const ReduceJoinOptions& options = {});

struct StringSplitOptions {
  /// Each of its characters ends a piece; the empty string: each byte is a piece.
  Input sep = " ";
  /// Whether pieces of no characters are left out; false for tables, in which an empty field counts.
  bool skip_empty = true;
  /// The name of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// The pieces of a vector of strings, those of each in a row.
SparseTensor string_split(const Input& source, const StringSplitOptions& options = {});

namespace strings {

struct SplitOptions {
  /// As a whole ends a piece; left out, or the empty string: white space, without pieces of no characters.
  Input sep = "";
  /// The most pieces that are cut off a string; -1: all.
  int64_t maxsplit = -1;
  /// The name of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// The pieces of a string, or of each of a vector of strings, in a row.
/// Throws ValueError for more dimensions.
SparseTensor split(const Input& input, const SplitOptions& options = {});

}  // namespace strings

}  // namespace flowray::tf

#pragma GCC visibility pop
