// Expected values are tf_keras 2.21's, or by hand.
#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace flowray::tf::keras::preprocessing::text {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

TEST(TextPreprocessing, FindsWords) {
  EXPECT_THAT(text_to_word_sequence("The cat, the DOG; a\tbird!"),
              ElementsAre("the", "cat", "the", "dog", "a", "bird"));
  EXPECT_THAT(text_to_word_sequence("A-b_c", {.filters = "-", .lower = false}), ElementsAre("A", "b_c"));
  EXPECT_THAT(text_to_word_sequence("a, b", {.filters = "", .split = ", "}), ElementsAre("a", "b"));
  EXPECT_TRUE(text_to_word_sequence("").empty());
  EXPECT_THROW(text_to_word_sequence("a", {.split = ""}), ValueError);
}

TEST(TextPreprocessing, HashesWords) {
  const HashingTrickOptions by_length{.hash_function = [](const std::string& word) { return word.size(); }};
  EXPECT_EQ(hashing_trick("a bb ccc dddd", 4, by_length), (Numbers{2, 3, 1, 2}));
  const Numbers numbers = one_hot("cat dog cat", 50);
  EXPECT_EQ(numbers[0], numbers[2]);
  EXPECT_THAT(numbers, Each(::testing::AllOf(::testing::Ge(1), ::testing::Le(49))));
  EXPECT_THROW(one_hot("cat", 1), ValueError);
}

const std::vector<std::string> kTexts = {"the cat sat", "the dog sat on the cat", "a bird"};

TEST(TextPreprocessing, NumbersWordsByHowOftenTheyCome) {
  Tokenizer words;
  words.fit_on_texts(kTexts);
  EXPECT_EQ(words.word_index(),
            (std::map<std::string, int64_t>{
                {"the", 1}, {"cat", 2}, {"sat", 3}, {"dog", 4}, {"on", 5}, {"a", 6}, {"bird", 7}}));
  EXPECT_EQ(words.word_counts().at("the"), 3);
  EXPECT_EQ(words.word_docs().at("the"), 2);
  EXPECT_EQ(words.document_count(), 3);
  EXPECT_THAT(words.texts_to_sequences({"The bird sat on my dog"}), ElementsAre(Numbers{1, 7, 3, 5, 4}));
  EXPECT_THAT(words.sequences_to_texts({{1, 7, 99, 0}, {}}), ElementsAre("the bird", ""));
}

TEST(TextPreprocessing, KeepsTheMostFrequentWords) {
  Tokenizer words({.num_words = 4, .oov_token = "?"});
  words.fit_on_texts(kTexts);
  EXPECT_THAT(words.texts_to_sequences({"the cat sat somewhere"}), ElementsAre(Numbers{2, 3, 1, 1}));
  EXPECT_THAT(words.sequences_to_texts({{2, 7, 3}}), ElementsAre("the ? cat"));
}

TEST(TextPreprocessing, TakesLettersForWords) {
  Tokenizer letters({.char_level = true});
  letters.fit_on_texts({"Abba\xc3\xa4"});
  EXPECT_EQ(letters.word_index(), (std::map<std::string, int64_t>{{"a", 1}, {"b", 2}, {"\xc3\xa4", 3}}));
}

TEST(TextPreprocessing, MakesMatrices) {
  Tokenizer words({.num_words = 4});
  words.fit_on_texts(kTexts);
  const std::vector<std::string> one = {"the the cat"};
  const auto row = [&](const char* mode) {
    const Array matrix = words.texts_to_matrix(one, mode);
    return std::vector<double>(matrix.span<double>().begin(), matrix.span<double>().end());
  };
  EXPECT_THAT(row("binary"), ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(row("count"), ElementsAre(0, 2, 1, 0));
  EXPECT_THAT(row("freq"), ElementsAre(0, 2.0 / 3, 1.0 / 3, 0));
  // (1 + log(count)) * log(1 + documents / (1 + documents with it)); "the" and "cat" are in two of three.
  const Array tfidf = words.texts_to_matrix(one, "tfidf");
  EXPECT_NEAR(tfidf.span<double>()[1], (1 + std::log(2.0)) * std::log(2.0), 1e-12);
  EXPECT_NEAR(tfidf.span<double>()[2], std::log(2.0), 1e-12);
  EXPECT_THROW(words.texts_to_matrix(one, "other"), ValueError);
  EXPECT_THROW(Tokenizer().texts_to_matrix(one), ValueError);
  EXPECT_THROW(Tokenizer({.num_words = 3}).texts_to_matrix(one, "tfidf"), ValueError);
}

}  // namespace
}  // namespace flowray::tf::keras::preprocessing::text
