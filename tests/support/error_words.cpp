#include "support/error_words.h"

#include <algorithm>
#include <cstdlib>

namespace flowray::testing {
namespace {

/// "FAILED_PRECONDITION" is the code of FailedPreconditionError.
std::string class_of_code(Code code) {
  std::string name;
  bool begins_word = true;
  for (const char c : code_name(code)) {
    if (c != '_') name += begins_word || c < 'A' || c > 'Z' ? c : static_cast<char>(c - 'A' + 'a');
    begins_word = c == '_';
  }
  return name + "Error";
}

}  // namespace

std::string class_of(const Error& error) {
  if (dynamic_cast<const ValueError*>(&error) != nullptr) return "ValueError";
  if (dynamic_cast<const TypeError*>(&error) != nullptr) return "TypeError";
  if (dynamic_cast<const KeyError*>(&error) != nullptr) return "KeyError";
  if (dynamic_cast<const RuntimeError*>(&error) != nullptr) return "RuntimeError";
  if (dynamic_cast<const IndexError*>(&error) != nullptr) return "IndexError";
  const auto* const coded = dynamic_cast<const errors::OpError*>(&error);
  return coded == nullptr ? "another class" : class_of_code(coded->code());
}

std::string first_sentence(const std::string& message) {
  size_t end = message.find('\n');
  for (const char* stop :
       {". ", " and with computed input tensors", " and with input tensors computed", " (graphs are <"}) {
    end = std::min(end, message.find(stop));
  }
  std::string sentence = message.substr(0, end);
  if (sentence.ends_with('.')) sentence.pop_back();
  return sentence;
}

std::string words_of(const Error& error) {
  const std::string kind = class_of(error);
  return kind == "UnimplementedError" ? kind : kind + ": " + first_sentence(error.message());
}

std::string without_line(const Error& error) {
  return error.message().substr(0, error.message().find("\nThe call was made at "));
}

std::vector<int> lines_named(std::string_view message, std::string_view file) {
  const std::string place = " made at " + std::string(file) + ":";
  std::vector<int> lines;
  for (size_t at = message.find(place); at != std::string_view::npos; at = message.find(place, at + 1))
    lines.push_back(std::atoi(message.data() + at + place.size()));
  return lines;
}

}  // namespace flowray::testing
