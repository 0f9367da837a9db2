// Datasets, and handles that stand for none where datasets are made of them.
#include "tf/unset_uses.h"

#include <gtest/gtest.h>

namespace flowray::unset_uses {
namespace {

using tf::data::Dataset;
using tf::data::Iterator;

// clang-format off
constexpr Use kArguments[] = {
    USE("tensors", Dataset::from_tensors({x, none})),
    USE("tensors", Dataset::from_tensor_slices({x, none})),
    USE("stop", Dataset::range(none)),
    USE("start", Dataset::range(none, 3)),
    USE("step", Dataset::range(0, 3, none)),
    USE("batch_size", Dataset::range(3).batch(none)),
    USE("drop_remainder", Dataset::range(3).batch(2, {.drop_remainder = none})),
    USE("batch_size", Dataset::range(3).padded_batch(none)),
    USE("drop_remainder", Dataset::range(3).padded_batch(2, {.drop_remainder = none})),
    USE_ALONE("padding_values[0]", Dataset::range(3).padded_batch(2, {.padding_values = {none}})),
    USE("size", Dataset::range(3).window(none)),
    USE("shift", Dataset::range(3).window(2, {.shift = none})),
    USE("stride", Dataset::range(3).window(2, {.stride = none})),
    USE("drop_remainder", Dataset::range(3).window(2, {.drop_remainder = none})),
    USE("buffer_size", Dataset::range(3).shuffle(none)),
    USE("count", Dataset::range(3).repeat(none)),
    USE("count", Dataset::range(3).take(none)),
    USE("count", Dataset::range(3).skip(none)),
    USE("num_shards", Dataset::range(3).shard(none, 0)),
    USE("index", Dataset::range(3).shard(2, none)),
    USE("filename", Dataset::range(3).cache(none)),
    USE("buffer_size", Dataset::range(3).prefetch(none)),
    USE("start", Dataset::range(3).enumerate(none)),
    USE("filenames", tf::data::text_line_dataset(none)),
    USE("compression_type", tf::data::text_line_dataset("f", {.compression_type = none})),
    USE("buffer_size", tf::data::text_line_dataset("f", {.buffer_size = none})),
    USE("filenames", tf::data::tf_record_dataset(none)),
    USE("filenames", tf::data::fixed_length_record_dataset(none, 2)),
    USE("record_bytes", tf::data::fixed_length_record_dataset("f", none)),
    USE("header_bytes", tf::data::fixed_length_record_dataset("f", 2, {.header_bytes = none})),
    USE("footer_bytes", tf::data::fixed_length_record_dataset("f", 2, {.footer_bytes = none})),
    USE("filenames", tf::data::csv_dataset(none, {tf::int32})),
    USE_ALONE("record_defaults[1]", tf::data::csv_dataset("f", {tf::int32, none})),
    USE("compression_type", tf::data::csv_dataset("f", {tf::int32}, {.compression_type = none})),
    USE("buffer_size", tf::data::csv_dataset("f", {tf::int32}, {.buffer_size = none})),
    USE("header", tf::data::csv_dataset("f", {tf::int32}, {.header = none})),
    USE("field_delim", tf::data::csv_dataset("f", {tf::int32}, {.field_delim = none})),
    USE("use_quote_delim", tf::data::csv_dataset("f", {tf::int32}, {.use_quote_delim = none})),
    USE("na_value", tf::data::csv_dataset("f", {tf::int32}, {.na_value = none})),
    USE("string_handle", Iterator::from_string_handle(none, {{tf::int64, {}}})),
    USE_ALONE("variant_tensor", Dataset(none, {})),
    USE_ALONE("datasets[1]", Dataset::zip({Dataset::range(3), Dataset()})),
    USE_ALONE("dataset", Dataset::range(3).concatenate(Dataset())),
    USE_ALONE("dataset", Iterator::from_structure({{tf::int64, {}}}).make_initializer(Dataset())),
    USE_ALONE("num_parallel_calls",
              Dataset::range(3).map([](auto i) { return i; }, {.num_parallel_calls = none})),
    USE_ALONE("cycle_length",
              Dataset::range(3).interleave([](auto i) { return Dataset::range(i); }, {.cycle_length = none})),
    USE_ALONE("block_length",
              Dataset::range(3).interleave([](auto i) { return Dataset::range(i); }, {.block_length = none})),
};

constexpr Use kMethods[] = {
    USE_ALONE("batch()", Dataset().batch(2)),
    USE_ALONE("padded_batch()", Dataset().padded_batch(2)),
    USE_ALONE("unbatch()", Dataset().unbatch()),
    USE_ALONE("window()", Dataset().window(2)),
    USE_ALONE("shuffle()", Dataset().shuffle(2)),
    USE_ALONE("repeat()", Dataset().repeat()),
    USE_ALONE("take()", Dataset().take(2)),
    USE_ALONE("skip()", Dataset().skip(2)),
    USE_ALONE("shard()", Dataset().shard(2, 0)),
    USE_ALONE("cache()", Dataset().cache()),
    USE_ALONE("ignore_errors()", Dataset().ignore_errors()),
    USE_ALONE("prefetch()", Dataset().prefetch(2)),
    USE_ALONE("concatenate()", Dataset().concatenate(Dataset::range(3))),
    USE_ALONE("enumerate()", Dataset().enumerate()),
    USE_ALONE("map()", Dataset().map([](const tf::Tensor& i) { return i; })),
    USE_ALONE("filter()", Dataset().filter([](const tf::Tensor& i) { return i > 1; })),
    USE_ALONE("take_while()", Dataset().take_while([](const tf::Tensor& i) { return i > 1; })),
    USE_ALONE("flat_map()", Dataset().flat_map([](const tf::Tensor& i) { return Dataset::range(i); })),
    USE_ALONE("interleave()", Dataset().interleave([](const tf::Tensor& i) { return Dataset::range(i); })),
    USE_ALONE("make_one_shot_iterator()", Dataset().make_one_shot_iterator()),
    USE_ALONE("make_initializable_iterator()", Dataset().make_initializable_iterator()),
    USE_ALONE("begin()", Dataset().begin()),
    USE_ALONE("get_next()", Iterator().get_next()),
    USE_ALONE("make_initializer()", Iterator().make_initializer(Dataset::range(3))),
    USE_ALONE("string_handle()", Iterator().string_handle()),
};

/// What functions return, by the names that the header has for them.
constexpr Use kReturned[] = {
    USE_ALONE("'fn' returned at [0]", Dataset::range(3).map([&](auto) { return none; })),
    USE_ALONE("'fn' returned at [1]", Dataset::range(3).map([&](auto i) { return std::tuple(i, none); })),
    USE_ALONE("'predicate' returned at [0]", Dataset::range(3).filter([&](auto) { return none; })),
    USE_ALONE("'predicate' returned at [0]", Dataset::range(3).take_while([&](auto) { return none; })),
    USE_ALONE("'fn' returned", Dataset::range(3).flat_map([&](auto) { return Dataset(); })),
    USE_ALONE("'fn' returned", Dataset::range(3).interleave([&](auto) { return Dataset(); })),
};
// clang-format on

TEST(UnsetInDatasets, AreNamedAsArguments) {
  for (const Use& use : kArguments) EXPECT_EQ(wrong_name(use), "") << use.call;
}

TEST(UnsetInDatasets, AreNamedByTheirPlaceInAList) {
  for (const Use& use : kArguments) EXPECT_EQ(wrong_name_in_list(use), "") << use.call;
}

TEST(UnsetInDatasets, AreRefusedByMethods) {
  for (const Use& use : kMethods) {
    const std::string called = std::string(use.argument) + " was called on an unset tf::data::";
    EXPECT_EQ(wrong([&] { return use.make(Handles()); }, called), "") << use.call;
  }
}

TEST(UnsetInDatasets, AreToldOfTheFunctionThatReturnedThem) {
  for (const Use& use : kReturned) {
    const std::string returned = "What " + std::string(use.argument) + " is an unset tf::";
    EXPECT_EQ(wrong([&] { return use.make(Handles()); }, returned), "") << use.call;
  }
}

}  // namespace
}  // namespace flowray::unset_uses
