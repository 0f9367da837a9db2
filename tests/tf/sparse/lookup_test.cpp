// tests/oracle/programs/lookup.py in C++, and values.
#include "support/golden_graph.h"

#include <flowray/tf/array.h>
#include <flowray/tf/collections.h>
#include <flowray/tf/data.h>
#include <flowray/tf/lookup.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace flowray {
namespace {

namespace lookup = tf::lookup;
using lookup::TextFileIndex;
using ::testing::ElementsAre;

/// Of this process alone; goes with the test.
class Folder {
 public:
  Folder() { std::filesystem::create_directories(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  const std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("flowray_lookup_test" + std::to_string(::getpid()));
};

tf::Tensor words(const char* name = "words") {
  return tf::placeholder(tf::string, {tf::None}, {.name = name});
}

lookup::TextFileInitializer lines_of(const char* file) {
  return {file, tf::string, TextFileIndex::WHOLE_LINE, tf::int64, TextFileIndex::LINE_NUMBER};
}

GOLDEN_PROGRAM(lookup_of_files) {
  const lookup::StaticHashTable table(lines_of("words.txt"), -1);
  table.lookup(words());
  table.size();
  const lookup::TextFileInitializer columns(
      "columns.txt", tf::int64, 1, tf::string, 0,
      {.vocab_size = 3, .delimiter = ",", .name = "columns", .value_index_offset = 2});
  const lookup::StaticHashTable other(columns, "none", {.name = "other"});
  other.lookup(tf::placeholder(tf::int64, {2, tf::None}, {.name = "numbers"}), {.name = "found"});
  other.size({.name = "count"});
  tf::tables_initializer();
}

GOLDEN_PROGRAM(lookup_of_sparse_words) {
  const lookup::StaticHashTable table(lines_of("words.txt"), -1);
  table.lookup(tf::sparse_placeholder(tf::string, {3, 4}, {.name = "sp"}));
}

GOLDEN_PROGRAM(lookup_with_buckets) {
  const lookup::StaticVocabularyTable table(lines_of("words.txt"), 5);
  table.lookup(words());
  table.lookup(tf::sparse_placeholder(tf::string, {3, 4}, {.name = "sp"}), {.name = "found"});
  table.size();
  const lookup::IdTableWithHashBuckets buckets(7);
  buckets.lookup(words("others"));
  buckets.size({.name = "count"});
  const lookup::TextFileInitializer lines("numbers.txt", tf::int64, -2, tf::int64, -1);
  const lookup::IdTableWithHashBuckets numbers(
      lookup::StaticHashTable(lines, -1), 2,
      {.hasher_spec = lookup::StrongHashSpec(1, 2), .name = "numbers", .key_dtype = tf::int32});
  numbers.lookup(tf::placeholder(tf::int32, {tf::None}, {.name = "ids"}));
}

GOLDEN_PROGRAM(lookup_of_indices) {
  const auto table = lookup::index_table_from_file("words.txt", {.num_oov_buckets = 2});
  table.lookup(words());
  const auto other =
      lookup::index_table_from_file("words.txt", {.vocab_size = 4, .default_value = 9, .name = "named"});
  other.lookup(words("others"));
  const auto back = lookup::index_to_string_table_from_file("words.txt", {.default_value = "nothing"});
  back.lookup(tf::placeholder(tf::int64, {tf::None}, {.name = "ids"}));
}

GOLDEN_PROGRAM(lookup_that_changes) {
  const lookup::MutableHashTable table(tf::string, tf::int64, -1);
  auto given = words();
  table.insert(given, tf::placeholder(tf::int64, {tf::None}, {.name = "ids"}));
  table.lookup(words("wanted"));
  table.size();
  table.remove(words("gone"), {.name = "away"});
}

// ---- values

class LookupTables : public ::testing::Test {
 protected:
  const tf::Graph graph_;
  const tf::GraphScope scope_ = graph_.as_default();
};

TEST_F(LookupTables, GiveTheValuesOfKeys) {
  const lookup::StaticHashTable table(
      lookup::KeyValueTensorInitializer({"a", "b"}, std::vector<int64_t>{10, 20}), -1);
  tf::Session session;
  session.run(tf::tables_initializer());
  EXPECT_EQ(session.run(table.lookup({"b", "c", "a"})), Array(std::vector<int64_t>{20, -1, 10}));
  EXPECT_EQ(session.run(table.size()), Array(int64_t{2}));
  const tf::SparseTensor sparse({{0, 1}, {1, 0}}, {"b", "x"}, {2, 2});
  EXPECT_EQ(session.run(table.lookup(sparse)).values, Array(std::vector<int64_t>{20, -1}));
  const auto [keys, values] = table.export_all();
  EXPECT_EQ(session.run(table.lookup(keys)), session.run(values));
  EXPECT_EQ(table.name(), "hash_table");
  EXPECT_TRUE(table.initializer().has_value());
}

TEST_F(LookupTables, ReadVocabularyFiles) {
  const Folder folder;
  const std::string file = (folder / "words.txt").string();
  std::ofstream(file) << "red\ngreen\nblue\n";
  const auto ids = lookup::index_table_from_file(file, {.num_oov_buckets = 1});
  const auto back = lookup::index_to_string_table_from_file(file);
  tf::Session session;
  session.run(tf::tables_initializer());
  EXPECT_EQ(session.run(ids.lookup({"blue", "red", "pink"})), Array(std::vector<int64_t>{2, 0, 3}));
  EXPECT_EQ(session.run(ids.size()), Array(int64_t{4}));
  EXPECT_EQ(session.run(back.lookup(std::vector<int64_t>{1, 7})),
            Array(std::vector<std::string>{"green", "UNK"}));
}

TEST_F(LookupTables, CountTheWordsOfAList) {
  const auto ids = lookup::index_table_from_tensor({"x", "y"}, {.default_value = 5});
  const auto words = lookup::index_to_string_table_from_tensor({"x", "y"});
  const auto of_numbers = lookup::index_table_from_tensor({7, 9}, {.dtype = tf::int32});
  tf::Session session;
  session.run(tf::tables_initializer());
  EXPECT_EQ(session.run(ids.lookup({"y", "z"})), Array(std::vector<int64_t>{1, 5}));
  EXPECT_EQ(session.run(words.lookup(std::vector<int64_t>{0, 1})), Array(std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(session.run(of_numbers.lookup(std::vector<int64_t>{9, 8})), Array(std::vector<int64_t>{1, -1}));
}

TEST_F(LookupTables, ChangeFromStepToStep) {
  const lookup::MutableHashTable table(tf::string, tf::int64, -1);
  const auto given = table.insert({"a", "b"}, {1, 2});
  const auto taken = table.remove({"a"});
  const auto found = table.lookup({"a", "b"});
  tf::Session session;
  session.run(given);
  EXPECT_EQ(session.run(found), Array(std::vector<int64_t>{1, 2}));
  session.run(taken);
  EXPECT_EQ(session.run(found), Array(std::vector<int64_t>{-1, 2}));
  EXPECT_EQ(session.run(table.size()), Array(int64_t{1}));
  const auto [keys, values] = table.export_all();
  EXPECT_EQ(session.run(keys), Array(std::vector<std::string>{"b"}));
  EXPECT_EQ(session.run(values), Array(std::vector<int64_t>{2}));
}

TEST_F(LookupTables, WorkInFunctionsOfDatasets) {
  const lookup::StaticVocabularyTable words(
      lookup::KeyValueTensorInitializer({"a", "b"}, std::vector<int64_t>{0, 1}), 1);
  const lookup::MutableHashTable counts(tf::string, tf::int64, -1);
  const auto inserted = counts.insert({"b"}, std::vector<int64_t>{7});
  const auto dataset = tf::data::Dataset::from_tensor_slices({"b", "c"}).map([&](const tf::Tensor& word) {
    return std::vector<tf::Tensor>{words.lookup(word), words.size(), counts.lookup(word), counts.size(),
                                   counts.export_all().values};
  });
  const auto iterator = dataset.make_initializable_iterator();
  const auto element = iterator.get_next<5>();
  tf::Session session;
  session.run({tf::tables_initializer(), inserted});
  session.run(iterator.initializer());
  EXPECT_THAT(session.run({element[0], element[1], element[2], element[3], element[4]}),
              ElementsAre(Array(int64_t{1}), Array(int64_t{3}), Array(int64_t{7}), Array(int64_t{1}),
                          Array(std::vector<int64_t>{7})));
  EXPECT_EQ(session.run(element[0]), Array(int64_t{2}));
}

TEST_F(LookupTables, OfAFunctionBelongToTheProgram) {
  const auto dataset = tf::data::Dataset::from_tensor_slices({"b", "c"}).map([](const tf::Tensor& word) {
    const lookup::StaticHashTable table(
        lookup::KeyValueTensorInitializer({"a", "b"}, std::vector<int64_t>{10, 20}), -1);
    return table.lookup(word);
  });
  EXPECT_EQ(graph_.get_operation_by_name("hash_table").type(), "HashTableV2");
  EXPECT_THROW((void)dataset.make_one_shot_iterator(), tf::ValueError);
  const auto iterator = dataset.make_initializable_iterator();
  const tf::Tensor number = iterator.get_next()[0];
  tf::Session session;
  session.run(iterator.initializer());
  EXPECT_EQ(session.run(number), Array(int64_t{20}));  // each call fills it
}

TEST_F(LookupTables, RefuseWhatDoesNotFit) {
  const lookup::StaticHashTable table(lookup::KeyValueTensorInitializer({"a"}, std::vector<int64_t>{1}), -1);
  EXPECT_THROW((void)table.lookup(tf::constant({1, 2})), tf::TypeError);
  EXPECT_THROW(lookup::StaticVocabularyTable(lines_of("words.txt"), 0), tf::ValueError);
  EXPECT_THROW(lookup::IdTableWithHashBuckets(0), tf::ValueError);
  EXPECT_THROW(lookup::IdTableWithHashBuckets(1, {.hasher_spec = {.hasher = "none"}}), tf::ValueError);
  EXPECT_THROW(lines_of(""), tf::ValueError);
  EXPECT_THROW(lookup::TextFileInitializer("f", tf::string, -3, tf::int64, -1), tf::ValueError);
  EXPECT_THROW(lookup::TextFileInitializer("f", tf::string, -2, tf::float32, -1), tf::ValueError);
  EXPECT_THROW(lookup::TextFileInitializer("f", tf::string, -2, tf::int64, -1, {.vocab_size = 0}),
               tf::ValueError);
  EXPECT_THROW(lookup::index_table_from_file("f", {.num_oov_buckets = -1}), tf::ValueError);
  EXPECT_THROW(lookup::index_table_from_tensor({"a"}, {.dtype = tf::int64}), tf::ValueError);
  EXPECT_THROW(lookup::MutableHashTable(tf::string, tf::int64, {1, 2}), tf::ValueError);
}

}  // namespace
}  // namespace flowray
