// What collects and writes in graph mode - losses, summaries, savers,
// datasets - while operations run at once.
#include "tf/build/collections.h"

#include <flowray/tf.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "support/idx_files.h"
#include "tf/eager/eager_runner.h"
#include "tf/eager/expect_error.h"

namespace tf = flowray::tf;
using flowray::Array;
using flowray::DType;
using flowray::expect_error;
namespace errors = flowray::errors;

namespace {

using std::string_literals::operator""s;

std::string bytes(const tf::Tensor& summary) { return summary.value().item<std::string>(); }

/// How much all collections of eager execution hold together.
size_t num_collected() {
  size_t count = 0;
  for (const auto& [key, items] : tf::internal::collections_of(tf::eagerly::eager_graph()).all())
    count += key == tf::GraphKeys::GLOBAL_STEP ? 0 : items.size();
  return count;
}

// The messages are those of TensorFlow 2.21 with eager execution.

TEST(EagerSummaries, AreTheSerializedMessages) {
  const auto eager = tf::eager();
  EXPECT_EQ(bytes(tf::summary::scalar("s", 2.0)), "\n\x08\n\x01s\x15\x00\x00\x00@"s);
  const tf::Tensor texts = tf::summary::text("t", tf::constant("a"));
  EXPECT_EQ(bytes(texts), "\n\x16\n\x01tB\x07\x08\x07\x12\x00"s + "B\x01"s + "aJ\x08\n\x06\n\x04text"s);
  EXPECT_TRUE(bytes(tf::summary::histogram("h", {1.0, 2.0})).starts_with("\n\x87\x01\n\x01h*"s));
  EXPECT_TRUE(bytes(tf::summary::image("i", tf::zeros({1, 1, 1, 1}))).find("i/image") != std::string::npos);
  const std::string audio = bytes(tf::summary::audio("au", tf::zeros({1, 2, 1}), 8000));
  EXPECT_TRUE(audio.starts_with("\nT\n\nau/audio/02F\r\x00\x00\xfa"s)) << audio;
  const std::string tensor = bytes(tf::summary::tensor_summary("x", tf::constant({1.f, 2.f})));
  EXPECT_NE(tensor.find("\n\x01xB\x12\x08\x01\x12\x04\x12\x02\x08\x02"s), std::string::npos);
}

TEST(EagerSummaries, AreNamedByTheOpenScopes) {
  const auto eager = tf::eager();
  EXPECT_EQ(bytes(tf::summary::scalar("s b", 2.0, {.family = "fam"})),
            "\n\x12\n\x0b"s + "fam/fam/s_b\x15\x00\x00\x00@"s);
  const auto scope = tf::name_scope("a");
  EXPECT_EQ(bytes(tf::summary::scalar("s b", 2.0, {.family = "fam"})),
            "\n\x14\n\x0d"s + "fam/a/fam/s_b\x15\x00\x00\x00@"s);
}

TEST(EagerSummaries, AreNotMerged) {
  const auto eager = tf::eager();
  const char* const words = "Merging tf.summary.* ops is not compatible with eager execution.";
  const tf::Tensor one = tf::summary::scalar("s", 2.0);
  expect_error<flowray::RuntimeError>([&] { tf::summary::merge({one}); }, words);
  expect_error<flowray::RuntimeError>([] { tf::summary::merge_all(); }, words);
  expect_error<flowray::RuntimeError>([] { tf::summary::scalar("s", 2.0, {.collections = {"mine"}}); },
                                      "Collections of tensors and operations");
}

TEST(EagerCollections, GatherNothing) {
  const auto eager = tf::eager();
  const size_t before = num_collected();
  tf::losses::mean_squared_error({1.f}, {2.f});
  tf::losses::add_loss(tf::constant(1.f));
  EXPECT_TRUE(tf::losses::get_losses().empty());
  tf::summary::scalar("s", 2.0);
  tf::layers::batch_normalization(tf::ones({2, 3}), {.training = true});
  EXPECT_TRUE(tf::get_collection(tf::GraphKeys::UPDATE_OPS).empty());
  const tf::Variable v(Array(1.f), {.collections = {"mine", tf::GraphKeys::LOCAL_VARIABLES}});
  tf::train::ExponentialMovingAverage(0.9).apply({v});
  EXPECT_TRUE(tf::global_variables().empty());
  EXPECT_TRUE(tf::local_variables().empty());
  EXPECT_EQ(num_collected(), before);
}

TEST(EagerCollections, RefuseTensorsAndOperations) {
  const auto eager = tf::eager();
  const tf::Tensor x = tf::constant(1.f);
  const char* const words = "Collections of tensors and operations are not supported";
  expect_error<flowray::RuntimeError>([&] { tf::add_to_collection("mine", x); }, words);
  expect_error<flowray::RuntimeError>([&] { tf::add_to_collections({"mine"}, x.op()); }, words);
  expect_error<flowray::RuntimeError>([&] { tf::get_collection_ref("mine").append(x); }, words);
  EXPECT_TRUE(tf::get_collection("mine").empty());
}

TEST(EagerCollections, HoldVariablesThatTheProgramAdds) {
  const auto eager = tf::eager();
  {
    const tf::Variable v(Array(7.f), {.name = "kept"});
    tf::add_to_collection("held", v);
  }
  ASSERT_EQ(tf::get_collection("held").size(), 1U);
  EXPECT_EQ(tf::get_collection("held").variables()[0].value().value(), Array(7.f));
  tf::get_collection_ref("held").clear();
}

TEST(EagerCollections, ComputeRegularizationOfTheVariablesThatLive) {
  const auto eager = tf::eager();
  EXPECT_TRUE(tf::losses::get_regularization_losses().empty());
  {
    const tf::Variable v =
        tf::get_variable("v", {.initializer = tf::constant({1.f, 2.f}),
                               .regularizer = [](const tf::Variable& of) { return tf::reduce_sum(of); }});
    EXPECT_EQ(tf::losses::get_regularization_loss().value(), Array(3.f));
    v.assign({3.f, 4.f});
    EXPECT_EQ(tf::losses::get_regularization_loss().value(), Array(7.f));
    EXPECT_EQ(tf::losses::get_total_loss().value(), Array(7.f));
    EXPECT_EQ(tf::losses::get_regularization_losses("v").size(), 1U);
    EXPECT_TRUE(tf::losses::get_regularization_losses("w").empty());
    tf::GradientTape tape;
    const tf::Tensor loss = tf::losses::get_regularization_loss();
    EXPECT_EQ(tape.gradient(loss, v).value(), Array({1.f, 1.f}));
  }
  EXPECT_TRUE(tf::losses::get_regularization_losses().empty());
}

TEST(EagerVariables, NeedNoInitializers) {
  const auto eager = tf::eager();
  tf::train::get_or_create_global_step();
  EXPECT_FALSE(tf::global_variables_initializer().has_value());
  EXPECT_FALSE(tf::local_variables_initializer().has_value());
  const tf::Variable v(Array(1.f));
  EXPECT_FALSE(tf::variables_initializer({v}).has_value());
  EXPECT_TRUE(tf::train::get_global_step().has_value());
}

TEST(EagerMetaGraphs, AreNone) {
  const auto eager = tf::eager();
  tf::train::get_or_create_global_step();
  const char* const words =
      "Exporting/importing meta graphs is not supported when eager execution is enabled. No graph exists "
      "when "
      "eager execution is enabled.";
  expect_error<flowray::RuntimeError>([] { tf::train::export_meta_graph(); }, words);
  expect_error<flowray::RuntimeError>([] { tf::train::import_meta_graph("x"); }, words);
  const tf::Variable v(Array(1.f), {.name = "v"});
  const tf::train::Saver saver({.var_list = {v}});
  expect_error<flowray::RuntimeError>([&] { tf::train::export_meta_graph(&saver); }, words);
}

TEST(EagerDatasets, AreGoneThrough) {
  const auto eager = tf::eager();
  std::vector<int64_t> seen;
  const tf::data::Dataset numbers =
      tf::data::Dataset::range(3).map([](const tf::Tensor& x) { return x * 2; });
  for (int round = 0; round < 2; ++round) {
    for (const std::vector<Array>& element : numbers) seen.push_back(element[0].item<int64_t>());
  }
  EXPECT_EQ(seen, (std::vector<int64_t>{0, 2, 4, 0, 2, 4}));
  for (const std::vector<Array>& element : tf::data::Dataset::range(0)) FAIL() << element.size();
}

TEST(EagerFiles, AreRead) {
  const flowray::testing::TestFolder folder;
  const std::string file = (folder.path() / "lines").string();
  std::ofstream(file) << "a\nb\n";
  const auto eager = tf::eager();
  std::vector<std::string> lines;
  for (const auto& element : tf::data::text_line_dataset(file))
    lines.push_back(element[0].item<std::string>());
  EXPECT_EQ(lines, (std::vector<std::string>{"a", "b"}));
}

TEST(EagerSaver, SavesAndRestores) {
  const flowray::testing::TestFolder folder;
  const std::filesystem::path path = folder.path() / "m";
  for (const bool sharded : {false, true}) {
    const auto eager = tf::eager();
    const tf::Variable v(Array({1.f, 2.f}), {.name = "v"});
    const tf::Variable w(Array(5), {.name = "w"});
    tf::train::Saver saver({.var_list = {v, w}, .sharded = sharded});
    EXPECT_EQ(saver.save(path, {.global_step = 3}), path.string() + "-3");
    v.assign({3.f, 4.f});
    w.assign(6);
    saver.restore(path.string() + "-3");
    EXPECT_EQ(v.value().value(), Array({1.f, 2.f}));
    EXPECT_EQ(w.value().value(), Array(5));
    EXPECT_EQ(tf::train::latest_checkpoint(folder.path()), path.string() + "-3");
    EXPECT_FALSE(std::filesystem::exists(path.string() + "-3.meta"));
  }
  // A graph's saver reads what it wrote.
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const tf::Variable v(Array({0.f, 0.f}), {.name = "v"});
  tf::Session session;
  tf::train::Saver saver;
  saver.restore(session, path.string() + "-3");
  EXPECT_EQ(session.run(v), Array({1.f, 2.f}));
  expect_error<flowray::TypeError>([&] { saver.save(path); }, "'sess' must be a Session; None");
  expect_error<flowray::TypeError>([&] { saver.restore(path); }, "'sess' must be a Session; None");
}

TEST(EagerSaver, SaysWhatItCannotDo) {
  const tf::Graph graph;
  tf::Session session(graph);
  const auto eager = tf::eager();
  expect_error<flowray::RuntimeError>(
      [] { const tf::train::Saver all; },
      "When eager execution is enabled, `var_list` must specify a list or dict "
      "of variables to save");
  const tf::Variable v(Array(1.f), {.name = "v"});
  tf::train::Saver saver({.var_list = {v}});
  expect_error<flowray::ValueError>([&] { saver.save(session, "m"); }, "no session has their values");
  expect_error<flowray::ValueError>([&] { saver.restore(session, "m"); }, "no session has their values");
  expect_error<flowray::ValueError>([&] { saver.restore("/no/such/checkpoint"); },
                                    "The passed save_path is not a valid checkpoint: /no/such/checkpoint");
  expect_error<flowray::ValueError>([&] { saver.save("/no/such/folder/m"); }, "doesn't exist, can't save.");
}

}  // namespace
