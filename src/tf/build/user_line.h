#pragma once
/// The line of the user's program: of the nodes that a call makes, and of the errors that come of it.

#include <flowray/tf/input.h>

#include "core/source_line.h"
#include "graph/graph.h"
#include "graph/value_node.h"

#include <optional>
#include <span>
#include <vector>

namespace flowray::tf {

/// Tells the line of a program that is not written in C++, {"", 0} for none: a front door sets it once, and
/// it is asked where the outermost function begins. Its file names live as long as the process.
using LineSource = SourceLine (*)();
void set_line_source(LineSource source);

/// While it lives, errors made on this thread name the user's line (line_of_call); an outer one wins. For
/// what looks at its arguments before there is a UserLine, and for what makes no nodes.
class ErrorLine {
 public:
  explicit ErrorLine(Input::Where where);
  ErrorLine(const ErrorLine&) = delete;
  ErrorLine& operator=(const ErrorLine&) = delete;
  ~ErrorLine();

 private:
  SourceLine before_;
};

/// Remembers the user's line for all nodes made while it lives, and for errors; an outer one wins. A place in
/// this library, or in a header of the standard library's, counts as none: a function of the language that
/// calls another one hands it its own place, which says nothing to the user,
/// and one further in may be the program's.
class UserLine {
 public:
  UserLine(graph::Graph& graph, Input::Where where);
  UserLine(const UserLine&) = delete;
  UserLine& operator=(const UserLine&) = delete;
  ~UserLine();

 private:
  ErrorLine errors_;
  graph::Graph& graph_;
  std::optional<graph::ValuePool::Call> eager_call_;
  bool is_set_ = false;
  SourceLine before_;
  const graph::Graph* yielding_before_ = nullptr;
};

/// While a function of the user's is called back: nodes that it makes are of its own lines, and so are
/// errors; one that the function makes itself is of none. Where it has none, being one of the library's, the
/// line around stays.
class LinesOfTheirOwn {
 public:
  explicit LinesOfTheirOwn(graph::Graph& graph);
  LinesOfTheirOwn(const LinesOfTheirOwn&) = delete;
  LinesOfTheirOwn& operator=(const LinesOfTheirOwn&) = delete;
  ~LinesOfTheirOwn();

 private:
  const graph::Graph* yielding_before_;
  SourceLine line_before_;
  SourceLine around_before_;
};

/// The first of two places, unless only the second is one of the program.
Input::Where first_in_program(Input::Where first, Input::Where second);
/// The first place of the program among those of the arguments.
Input::Where place_in_program(std::span<const Input* const> inputs);
Input::Where place_in_program(std::span<const Input> inputs);
inline Input::Where place_in_program(const std::vector<Input>& inputs) {
  return place_in_program(std::span(inputs));
}
/// The place of the call which the list was made for; where the library made the list,
/// that of its first item.
Input::Where place_in_program(const List<Input>& list);

}  // namespace flowray::tf
