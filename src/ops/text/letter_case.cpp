#include "ops/text/letter_case.h"

#include "ops/text/letter_case_tables.h"
#include "ops/text/utf8.h"

#include <algorithm>
#include <span>
#include <vector>

namespace flowray::ops {
namespace {

/// The row of a table in order whose range holds `code`, or null.
template <class Row>
const Row* find_range(std::span<const Row> rows, uint32_t code) {
  const auto it = std::ranges::lower_bound(rows, code, {}, &Row::last);
  return it != rows.end() && it->first <= code ? &*it : nullptr;
}

struct Mapping {
  char first;  // of ASCII's letters that change
  int32_t distance;
  std::span<const LetterRun> runs;
  std::span<const LetterExpansion> expansions;
};
constexpr Mapping kUpper{'a', 'A' - 'a', kUpperRuns, kUpperExpansions};
constexpr Mapping kLower{'A', 'a' - 'A', kLowerRuns, kLowerExpansions};

void append_changed(std::string& text, uint32_t code, const Mapping& mapping) {
  if (code < 0x80) {
    const bool changes = code - static_cast<uint32_t>(mapping.first) < 26;
    text += static_cast<char>(changes ? static_cast<int32_t>(code) + mapping.distance
                                      : static_cast<int32_t>(code));
    return;
  }
  const auto expansion = std::ranges::lower_bound(mapping.expansions, code, {}, &LetterExpansion::letter);
  if (expansion != mapping.expansions.end() && expansion->letter == code) {
    text += expansion->text;
    return;
  }
  const LetterRun* run = find_range(mapping.runs, code);
  const bool changes = run != nullptr && (code - run->first) % static_cast<uint32_t>(run->step) == 0;
  append_utf8(text, changes ? static_cast<uint32_t>(static_cast<int32_t>(code) + run->distance) : code);
}

std::vector<uint32_t> characters_of(std::string_view text) {
  std::vector<uint32_t> codes;
  text = text.substr(0, text.find('\0'));
  while (!text.empty()) {
    const Utf8Character next = next_utf8(text);
    codes.push_back(next.code);
    text.remove_prefix(next.size);
  }
  return codes;
}

bool is_cased(uint32_t code) { return find_range<LetterRange>(kCased, code) != nullptr; }
bool is_ignorable(uint32_t code) { return find_range<LetterRange>(kCaseIgnorable, code) != nullptr; }

/// Whether character `at` ends a word: a letter stands somewhere before it, none follows.
bool ends_word(const std::vector<uint32_t>& codes, size_t at) {
  size_t before = at;
  while (before > 0 && is_ignorable(codes[before - 1])) --before;
  if (before == 0 || !is_cased(codes[before - 1])) return false;
  size_t after = at + 1;
  while (after < codes.size() && is_ignorable(codes[after])) ++after;
  return after == codes.size() || !is_cased(codes[after]);
}

}  // namespace

std::string utf8_to_upper(std::string_view text) {
  std::string changed;
  for (const uint32_t code : characters_of(text)) append_changed(changed, code, kUpper);
  return changed;
}

std::string utf8_to_lower(std::string_view text) {
  constexpr uint32_t kCapitalSigma = 0x3a3;
  constexpr uint32_t kFinalSigma = 0x3c2;
  std::string changed;
  const std::vector<uint32_t> codes = characters_of(text);
  for (size_t i = 0; i < codes.size(); ++i) {
    if (codes[i] == kCapitalSigma && ends_word(codes, i)) {
      append_utf8(changed, kFinalSigma);
    } else {
      append_changed(changed, codes[i], kLower);
    }
  }
  return changed;
}

}  // namespace flowray::ops
