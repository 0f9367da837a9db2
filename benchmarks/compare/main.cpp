// flowray-compare: serves rows to scripts/compare, one line of JSON for each line of its input; the protocol
// is in docs/measuring.md.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/rows.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(NDEBUG)
constexpr bool kMeasurable = false;
#else
constexpr bool kMeasurable = true;
#endif

namespace flowray::compare {
namespace {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') result += '\\';
    result += letter == '\n' ? ' ' : letter;
  }
  return result + '"';
}

template <class Number>
Number number_in(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !(number > 0)) {
    throw std::invalid_argument(fmt::format("'{}' is not a positive number", text));
  }
  return number;
}

/// The rows that were prepared, and the answers of each.
class Server {
 public:
  std::string answer(std::string_view line) {
    const auto [command, rest] = split(line, line.find(' '));
    if (command == "rows") return names();
    if (command == "check") return values(prepared(rest).check());
    if (command == "prepare" || command == "run") {
      const auto [name, number] = split(rest, rest.rfind(' '));
      return command == "prepare" ? prepare(name, number) : run(name, number);
    }
    throw std::invalid_argument(
        fmt::format("'{}': expected rows, prepare ROW THREADS, run ROW SECONDS, check ROW or quit", line));
  }

 private:
  static std::pair<std::string_view, std::string_view> split(std::string_view text, size_t at) {
    if (at == std::string_view::npos) return {text, {}};
    return {text.substr(0, at), text.substr(at + 1)};
  }

  static std::string names() {
    std::vector<std::string> names;
    for (const NamedRow& row : all_rows()) names.push_back(quoted(row.name));
    return fmt::format("[{}]", fmt::join(names, ", "));
  }

  static std::string values(const std::vector<double>& values) {
    for (const double value : values) {
      if (!std::isfinite(value)) throw std::runtime_error(fmt::format("a result is {}", value));
    }
    return fmt::format("{{\"values\": [{}]}}", fmt::join(values, ", "));
  }

  std::string prepare(std::string_view name, std::string_view threads) {
    for (const NamedRow& row : all_rows()) {
      if (row.name != name) continue;
      const int count = number_in<int>(threads);
      rows_.clear();  // actors of the row before would take part
      rows_[row.name] = row.make(count);
      return "{\"ok\": true}";
    }
    throw std::invalid_argument(fmt::format("no row '{}'; there are {}", name, names()));
  }

  std::string run(std::string_view name, std::string_view seconds) {
    Row& row = prepared(name);
    const double limit = number_in<double>(seconds);
    row.begin();
    const Measurement result = row.measure(limit);
    return fmt::format("{{\"iterations\": {}, \"seconds\": {}}}", result.iterations, result.seconds);
  }

  Row& prepared(std::string_view name) {
    const auto found = rows_.find(name);
    if (found == rows_.end()) throw std::invalid_argument(fmt::format("'{}' was not prepared", name));
    return *found->second;
  }

  std::map<std::string_view, std::unique_ptr<Row>> rows_;
};

void serve() {
  Server server;
  for (std::string line; std::getline(std::cin, line) && line != "quit";) {
    std::string reply;
    try {
      reply = server.answer(line);
    } catch (const std::exception& error) {  // the other rows can still be measured
      reply = fmt::format("{{\"error\": {}}}", quoted(error.what()));
    }
    std::cout << reply << std::endl;
  }
}

}  // namespace
}  // namespace flowray::compare

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--average-once") {
    flowray::compare::average_once();
    return 0;
  }
  if (argc != 2 || std::string_view(argv[1]) != "--serve") {
    std::cerr << "usage: flowray-compare --serve   (started by scripts/compare)\n";
    return 2;
  }
  if (!kMeasurable) {
    std::cerr
        << "flowray-compare: this is a debug or sanitizer build, whose times mean nothing; build the release "
           "preset\n";
    return 2;
  }
  flowray::compare::serve();
}
