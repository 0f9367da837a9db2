#pragma once
/// tf.keras.preprocessing: sequences and texts as arrays, and tf.keras.utils.to_categorical.
///
///     namespace text = tf::keras::preprocessing::text;
///     namespace sequence = tf::keras::preprocessing::sequence;
///     text::Tokenizer words({.num_words = 1000});
///     words.fit_on_texts(reviews);
///     flowray::Array x = sequence::pad_sequences(words.texts_to_sequences(reviews), {.maxlen = 80});

#include <flowray/array.h>
#include <flowray/dtype.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::keras {

/// Numbers of words, one after the other.
using Numbers = std::vector<int64_t>;

namespace preprocessing::sequence {

struct PadSequencesOptions {
  /// The length of all; left out: that of the longest.
  std::optional<int64_t> maxlen = {};
  /// The dtype of the result.
  DType dtype = DType::kInt32;
  /// "pre": shorter ones are filled in front; "post": behind.
  std::string padding = "pre";
  /// "pre": longer ones lose their beginning; "post": their end.
  std::string truncating = "pre";
  /// What they are filled with.
  double value = 0;
};
/// Sequences as rows of one length: [sequences, maxlen]. Throws ValueError for other words than "pre" and
/// "post".
Array pad_sequences(const std::vector<Numbers>& sequences, const PadSequencesOptions& options = {});
/// The same of sequences of numbers with fractions: give a dtype of such.
Array pad_sequences(const std::vector<std::vector<double>>& sequences,
                    const PadSequencesOptions& options = {});

/// float64 [size]: the chance to take a word for skipgrams(), by its rank in a language (Zipf's law), 0 being
/// that of no word. Source: Mikolov et al., 2013.
Array make_sampling_table(int64_t size, double sampling_factor = 1e-5);

struct SkipgramsOptions {
  /// How many words on each side belong to a word.
  int64_t window_size = 4;
  /// How many couples by chance there are for each couple of neighbours.
  double negative_samples = 1;
  /// Whether couples come in an order by chance.
  bool shuffle = true;
  /// The chance of each word to be taken, as make_sampling_table() gives it; unset: 1.
  std::optional<Array> sampling_table = {};
  /// Decides the order, as Python's random.seed does; left out: chance does.
  std::optional<int64_t> seed = {};
};
/// Couples of words.
struct Skipgrams {
  /// A word, and one beside it or one by chance.
  std::vector<std::pair<int64_t, int64_t>> couples;
  /// 1: they are neighbours; 0: by chance.
  Numbers labels;
};
/// Couples of neighbours in a sequence, and couples by chance, to learn vectors of words by. 0 is no word.
/// Throws ValueError for a vocabulary below 2 with negative_samples, and a window below 1.
Skipgrams skipgrams(const Numbers& sequence, int64_t vocabulary_size, const SkipgramsOptions& options = {});

struct TimeseriesGeneratorOptions {
  /// Elements between two times of a sample.
  int64_t sampling_rate = 1;
  /// Elements between two samples.
  int64_t stride = 1;
  /// Where the first target is taken.
  int64_t start_index = 0;
  /// Where the last one is; left out: the end.
  std::optional<int64_t> end_index = {};
  /// Whether samples have their times from the last to the first.
  bool reverse = false;
  /// Samples of a batch.
  int64_t batch_size = 128;
};
/// Batches of windows of a series, each with the target behind it.
class TimeseriesGenerator {
 public:
  /// `data`: [times, ...]; `targets`: [times, ...]; `length`: of a window, in elements. Throws ValueError for
  /// other numbers of targets than times, and where no window fits.
  TimeseriesGenerator(Array data, Array targets, int64_t length,
                      const TimeseriesGeneratorOptions& options = {});
  /// The number of batches.
  int64_t size() const;
  /// Samples [batch, times, ...] and their targets [batch, ...]. Throws IndexError for others than 0 to
  /// size().
  std::pair<Array, Array> operator[](int64_t batch) const;

 private:
  Array data_, targets_;
  int64_t length_;
  TimeseriesGeneratorOptions options_;
  int64_t start_, end_;
};

}  // namespace preprocessing::sequence

namespace preprocessing::text {

/// Signs that are no letters of words.
inline constexpr const char* kFilters = "!\"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n";

struct WordOptions {
  /// Signs that stand for `split`.
  std::string filters = kFilters;
  /// Whether the letters A to Z become small ones.
  bool lower = true;
  /// What stands between words.
  std::string split = " ";
};
/// The words of a text. Throws ValueError for an empty `split`.
std::vector<std::string> text_to_word_sequence(const std::string& text, const WordOptions& options = {});

struct HashingTrickOptions {
  /// A number for a word; null: one that is the same in all programs.
  std::function<uint64_t(const std::string&)> hash_function = nullptr;
  /// What words are.
  WordOptions words = {};
};
/// A number from 1 to n - 1 for each word of a text; different words may have the same. Throws ValueError for
/// n below 2.
Numbers hashing_trick(const std::string& text, int64_t n, const HashingTrickOptions& options = {});
/// The same by the language's own hash function. (Python's gives other numbers in each process.)
Numbers one_hot(const std::string& text, int64_t n, const WordOptions& options = {});

struct TokenizerOptions {
  /// Only words with numbers below it are kept, so the num_words - 1 most frequent; left out: all.
  std::optional<int64_t> num_words = {};
  /// What words are.
  WordOptions words = {};
  /// Whether each letter is a word.
  bool char_level = false;
  /// What stands for words that are not known; it gets the number 1. Left out: they are left out.
  std::optional<std::string> oov_token = {};
};
/// Numbers for words, the most frequent first, from 1 on.
class Tokenizer {
 public:
  /// Knows no words yet.
  explicit Tokenizer(TokenizerOptions options = {});
  /// Learns the words of texts, besides those that it knows.
  void fit_on_texts(const std::vector<std::string>& texts);
  /// The numbers of their words.
  std::vector<Numbers> texts_to_sequences(const std::vector<std::string>& texts) const;
  /// The words of numbers, with spaces between them.
  std::vector<std::string> sequences_to_texts(const std::vector<Numbers>& sequences) const;
  /// float64 [texts, words]: a column for each number. `mode`: "binary", 1 where a word is there; "count",
  /// how often; "freq", its share; "tfidf". Throws ValueError for other modes, and where it knows no words.
  Array texts_to_matrix(const std::vector<std::string>& texts, const std::string& mode = "binary") const;
  /// The same of numbers.
  Array sequences_to_matrix(const std::vector<Numbers>& sequences, const std::string& mode = "binary") const;

  /// The number of each word.
  const std::map<std::string, int64_t>& word_index() const { return word_index_; }
  /// How often each word was seen.
  std::map<std::string, int64_t> word_counts() const;
  /// In how many texts.
  const std::map<std::string, int64_t>& word_docs() const { return word_docs_; }
  /// How many texts it was given.
  int64_t document_count() const { return document_count_; }

 private:
  std::vector<std::string> words_of(const std::string& text) const;
  std::optional<int64_t> unknown() const;
  bool is_kept(int64_t number) const;

  TokenizerOptions options_;
  std::vector<std::pair<std::string, int64_t>> counts_;  // in the order in which words came first
  std::map<std::string, size_t> places_;                 // in it
  std::map<std::string, int64_t> word_docs_;
  std::map<std::string, int64_t> word_index_;
  std::vector<std::string> words_;  // by number, from 1 on
  std::map<int64_t, int64_t> index_docs_;
  int64_t document_count_ = 0;
};

}  // namespace preprocessing::text

namespace utils {

struct ToCategoricalOptions {
  /// How many classes there are; left out: one more than the greatest number.
  std::optional<int64_t> num_classes = {};
  /// The dtype of the result.
  DType dtype = DType::kFloat32;
};
/// A row for each number of a class, 1 at the class and else 0: [...] gives [..., num_classes], and a last
/// dimension of 1 goes away. Throws IndexError for numbers that are no classes.
Array to_categorical(const Array& y, const ToCategoricalOptions& options = {});

}  // namespace utils
}  // namespace flowray::tf::keras

#pragma GCC visibility pop
