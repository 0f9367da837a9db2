// tf.keras.preprocessing.text.
#include <flowray/errors.h>
#include <flowray/tf/keras/preprocessing.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace flowray::tf::keras::preprocessing::text {
namespace {

std::string in_small_letters(std::string text) {
  std::ranges::transform(text, text.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
  });
  return text;
}

/// FNV-1a: the same for a word in all programs.
uint64_t hash_of(const std::string& word) {
  uint64_t hash = 0xcbf29ce484222325U;
  for (const char letter : word) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
  return hash;
}

/// The letters of a text, which have one to four bytes in UTF-8.
std::vector<std::string> letters_of(const std::string& text) {
  std::vector<std::string> letters;
  for (const char byte : text) {
    const bool goes_on = (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U && !letters.empty();
    if (!goes_on) letters.emplace_back();
    letters.back() += byte;
  }
  return letters;
}

}  // namespace

std::vector<std::string> text_to_word_sequence(const std::string& text, const WordOptions& options) {
  if (options.split.empty()) throw ValueError("empty separator\nGive a `split` between words.");
  std::string spaced;
  for (const char letter : options.lower ? in_small_letters(text) : text) {
    if (options.filters.find(letter) != std::string::npos) {
      spaced += options.split;
    } else {
      spaced += letter;
    }
  }
  std::vector<std::string> words;
  for (size_t begin = 0; begin <= spaced.size();) {
    const size_t end = std::min(spaced.find(options.split, begin), spaced.size());
    if (end > begin) words.push_back(spaced.substr(begin, end - begin));
    begin = end + options.split.size();
  }
  return words;
}

Numbers hashing_trick(const std::string& text, int64_t n, const HashingTrickOptions& options) {
  if (n < 2)
    throw ValueError(fmt::format("hashing_trick: n is {}, but at least 2: 0 is no word's number", n));
  Numbers numbers;
  for (const std::string& word : text_to_word_sequence(text, options.words)) {
    const uint64_t hash = options.hash_function != nullptr ? options.hash_function(word) : hash_of(word);
    numbers.push_back(static_cast<int64_t>(hash % static_cast<uint64_t>(n - 1)) + 1);
  }
  return numbers;
}

Numbers one_hot(const std::string& text, int64_t n, const WordOptions& options) {
  return hashing_trick(text, n, {.words = options});
}

// ---- Tokenizer

Tokenizer::Tokenizer(TokenizerOptions options) : options_(std::move(options)) {}

std::vector<std::string> Tokenizer::words_of(const std::string& text) const {
  if (!options_.char_level) return text_to_word_sequence(text, options_.words);
  return letters_of(options_.words.lower ? in_small_letters(text) : text);
}

void Tokenizer::fit_on_texts(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    ++document_count_;
    const std::vector<std::string> words = words_of(text);
    for (const std::string& word : words) {
      const auto [place, is_new] = places_.try_emplace(word, counts_.size());
      if (is_new) counts_.emplace_back(word, 0);
      ++counts_[place->second].second;
    }
    for (const std::string& word : std::set<std::string>(words.begin(), words.end())) ++word_docs_[word];
  }
  auto ranked = counts_;
  std::ranges::stable_sort(ranked, std::greater<>(), [](const auto& counted) { return counted.second; });
  words_.clear();
  if (options_.oov_token.has_value()) words_.push_back(*options_.oov_token);
  for (const auto& [word, count] : ranked) words_.push_back(word);
  word_index_.clear();
  for (size_t i = 0; i < words_.size(); ++i) word_index_[words_[i]] = static_cast<int64_t>(i) + 1;
  for (const auto& [word, count] : word_docs_) index_docs_[word_index_.at(word)] = count;
}

std::map<std::string, int64_t> Tokenizer::word_counts() const { return {counts_.begin(), counts_.end()}; }

/// The number of the word for those that are not known.
std::optional<int64_t> Tokenizer::unknown() const {
  if (!options_.oov_token.has_value()) return {};
  const auto found = word_index_.find(*options_.oov_token);
  return found == word_index_.end() ? std::nullopt : std::optional(found->second);
}

bool Tokenizer::is_kept(int64_t number) const {
  return options_.num_words.value_or(0) == 0 || number < *options_.num_words;
}

std::vector<Numbers> Tokenizer::texts_to_sequences(const std::vector<std::string>& texts) const {
  std::vector<Numbers> all;
  for (const std::string& text : texts) {
    Numbers& numbers = all.emplace_back();
    for (const std::string& word : words_of(text)) {
      const auto found = word_index_.find(word);
      const bool is_known = found != word_index_.end() && is_kept(found->second);
      const std::optional<int64_t> number = is_known ? std::optional(found->second) : unknown();
      if (number.has_value()) numbers.push_back(*number);
    }
  }
  return all;
}

std::vector<std::string> Tokenizer::sequences_to_texts(const std::vector<Numbers>& sequences) const {
  std::vector<std::string> texts;
  for (const Numbers& sequence : sequences) {
    std::string& text = texts.emplace_back();
    for (const int64_t number : sequence) {
      const bool is_known = number >= 1 && number <= static_cast<int64_t>(words_.size()) && is_kept(number);
      const std::optional<int64_t> shown = is_known ? std::optional(number) : unknown();
      if (!shown.has_value()) continue;
      text += (text.empty() ? "" : " ") + words_[static_cast<size_t>(*shown) - 1];
    }
  }
  return texts;
}

Array Tokenizer::texts_to_matrix(const std::vector<std::string>& texts, const std::string& mode) const {
  return sequences_to_matrix(texts_to_sequences(texts), mode);
}

Array Tokenizer::sequences_to_matrix(const std::vector<Numbers>& sequences, const std::string& mode) const {
  if (options_.num_words.value_or(0) == 0 && word_index_.empty())
    throw ValueError("Specify a dimension (`num_words` argument), or fit on some text data first.");
  if (mode == "tfidf" && document_count_ == 0)
    throw ValueError("Fit the Tokenizer on some data before using tfidf mode.");
  if (mode != "binary" && mode != "count" && mode != "freq" && mode != "tfidf")
    throw ValueError(
        fmt::format("Unknown vectorization mode: {}\nIt is binary, count, freq or tfidf.", mode));
  const int64_t columns = options_.num_words.value_or(0) != 0 ? *options_.num_words
                                                              : static_cast<int64_t>(word_index_.size()) + 1;
  Array matrix(DType::kFloat64, {static_cast<int64_t>(sequences.size()), columns});
  double* row = matrix.mutable_data<double>();
  for (const Numbers& sequence : sequences) {
    std::map<int64_t, double> counts;
    for (const int64_t number : sequence) {
      if (number < 0) throw IndexError(fmt::format("sequences_to_matrix: there is no word {}", number));
      if (number < columns) ++counts[number];
    }
    for (const auto& [number, count] : counts) {
      const auto documents = index_docs_.find(number);
      const auto seen = static_cast<double>(documents == index_docs_.end() ? 0 : documents->second);
      double& value = row[number];
      value = mode == "binary" ? 1 : mode == "count" ? count : count / static_cast<double>(sequence.size());
      if (mode == "tfidf")
        value = (1 + std::log(count)) * std::log(1 + static_cast<double>(document_count_) / (1 + seen));
    }
    row += columns;
  }
  return matrix;
}

}  // namespace flowray::tf::keras::preprocessing::text
