#include "tf/build/user_line.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>
#include <utility>

namespace flowray::tf {
namespace {

std::atomic<LineSource> line_source{nullptr};

/// The graph whose line yields to those of functions that are called, for this thread.
thread_local const graph::Graph* yielding = nullptr;

/// The line of the call around the user's function that this thread is in: the errors' where that function
/// is one of the library's.
thread_local SourceLine line_around;

/// Whether a file is one of the program: neither in this library nor in what its templates are made of. (A
/// program that is compiled as src/tf/... from where it stands is taken for the library.)
bool is_of_program(std::string_view file) {
  for (const std::string_view own : {"src/tf/", "src/glue/", "python/native/"}) {
    if (file.starts_with(own)) return false;
  }
  for (const std::string_view headers :
       {"include/flowray/", "include/c++/"}) {  // wherever they are installed
    const size_t begin = file.find(headers);
    if (begin == 0 || (begin != std::string_view::npos && file[begin - 1] == '/')) return false;
  }
  return true;
}

/// Each call asks several times, mostly of the same few files: what was found is kept by the address of the
/// file's name, which is a literal.
bool is_in_program(Input::Where where) {
  if (where.line() == 0) return false;
  struct Known {
    const char* file = nullptr;
    bool is_of_program = false;
  };
  static thread_local std::array<Known, 16> all_known;
  const char* const file = where.file_name();
  const auto address = reinterpret_cast<uintptr_t>(file);
  Known& known = all_known[(address >> 3 ^ address >> 8) % all_known.size()];
  if (known.file != file) known = {file, is_of_program(file)};
  return known.is_of_program;
}

}  // namespace

void set_line_source(LineSource source) { line_source.store(source, std::memory_order_release); }

Input::Where first_in_program(Input::Where first, Input::Where second) {
  return is_in_program(first) ? first : second;
}

Input::Where place_in_program(std::span<const Input* const> inputs) {
  for (const Input* input : inputs) {
    if (is_in_program(input->where())) return input->where();
  }
  return {};
}

Input::Where place_in_program(std::span<const Input> inputs) {
  for (const Input& input : inputs) {
    if (is_in_program(input.where())) return input.where();
  }
  return {};
}

Input::Where place_in_program(const List<Input>& list) {
  return is_in_program(list.where()) ? list.where() : place_in_program(std::span(list.items()));
}

ErrorLine::ErrorLine(Input::Where where) : before_(line_of_call()) {
  if (before_.line != 0) return;
  line_of_call() = is_in_program(where) ? SourceLine{where.file_name(), where.line()} : line_around;
}

ErrorLine::~ErrorLine() { line_of_call() = before_; }

UserLine::UserLine(graph::Graph& graph, Input::Where where) : errors_(where), graph_(graph) {
  if (graph.is_eager()) {  // whose nodes no error names by a line
    eager_call_.emplace();
    return;
  }
  SourceLine& current = graph.scopes().line;
  if (current.line != 0 && yielding != &graph) return;
  const LineSource source = line_source.load(std::memory_order_acquire);
  SourceLine line = source == nullptr ? SourceLine() : source();
  if (line.line == 0 && is_in_program(where)) line = {where.file_name(), where.line()};
  if (line.line == 0) return;
  is_set_ = true;
  before_ = std::exchange(current, line);
  yielding_before_ = std::exchange(yielding, nullptr);
}

UserLine::~UserLine() {
  if (!is_set_) return;
  graph_.scopes().line = before_;
  yielding = yielding_before_;
}

LinesOfTheirOwn::LinesOfTheirOwn(graph::Graph& graph)
    : yielding_before_(std::exchange(yielding, &graph)),
      line_before_(std::exchange(line_of_call(), SourceLine())),
      around_before_(std::exchange(line_around, line_before_.line == 0 ? line_around : line_before_)) {}

LinesOfTheirOwn::~LinesOfTheirOwn() {
  yielding = yielding_before_;
  line_of_call() = line_before_;
  line_around = around_before_;
}

}  // namespace flowray::tf
