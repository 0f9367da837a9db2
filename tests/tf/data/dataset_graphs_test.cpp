// tests/oracle/programs/dataset.py in C++.
#include "support/golden_graph.h"

#include <flowray/tf.h>

namespace flowray {
namespace {

using tf::data::Dataset;

constexpr int64_t kUnknown = Shape::kUnknownDim;

GOLDEN_PROGRAM(dataset_sources) {
  Dataset::from_tensors({tf::constant({1.0f, 2.0f})});
  Dataset::from_tensors({1, {2.0, 3.0}});
  Dataset::from_tensor_slices({Array({{1, 2}, {3, 4}, {5, 6}})});
  Dataset::from_tensor_slices(
      {Array(std::vector<float>(6)).reshape({3, 2}), Array(std::vector<int64_t>{1, 2, 3})});
  Dataset::from_tensor_slices({tf::placeholder(tf::float32, {kUnknown, 4}, {.name = "rows"})});
  Dataset::range(5);
  Dataset::range(1, 5);
  Dataset::range(1, 10, 3);
}

GOLDEN_PROGRAM(dataset_files) {
  tf::data::text_line_dataset("a.txt");
  tf::data::text_line_dataset({"a.txt", "b.txt"}, {.compression_type = "GZIP", .buffer_size = 1024});
  tf::data::text_line_dataset(tf::placeholder(tf::string, {kUnknown}, {.name = "files"}));
  tf::data::tf_record_dataset("a.tfrecord");
  tf::data::tf_record_dataset({"a.tfrecord", "b.tfrecord"},
                              {.compression_type = "ZLIB", .buffer_size = 4096});
  tf::data::fixed_length_record_dataset("a.bin", 16);
  tf::data::fixed_length_record_dataset(std::vector<std::string>{"a.bin"}, 16,
                                        {.header_bytes = 4, .footer_bytes = 2, .buffer_size = 100});
}

GOLDEN_PROGRAM(dataset_batches) {
  const Dataset d = Dataset::range(10);
  (void)d.batch(4);
  (void)d.batch(4, {.drop_remainder = true});
  (void)d.batch(tf::placeholder(tf::int64, {}, {.name = "size"}));
  (void)d.batch(2).batch(3);
  (void)d.padded_batch(4, {.padded_shapes = {{}}});
  const Dataset pairs =
      Dataset::from_tensor_slices({Array({{1.0f, 2.0f}}), Array(std::vector<std::string>{"a"})});
  (void)pairs.padded_batch(2, {.padded_shapes = {{kUnknown}, {}}, .drop_remainder = true});
  (void)pairs.padded_batch(2, {.padded_shapes = {{3}, {}}, .padding_values = {-1.0, "-"}});
  (void)d.batch(2).unbatch();
  (void)d.window(3);
  (void)d.window(3, {.shift = 1, .stride = 2, .drop_remainder = true});
}

GOLDEN_PROGRAM(dataset_orders) {
  const Dataset d = Dataset::range(10);
  (void)d.shuffle(5);
  (void)d.shuffle(5, {.seed = 3});
  (void)d.shuffle(5, {.seed = 3, .reshuffle_each_iteration = false});
  (void)d.repeat();
  (void)d.repeat(3);
  (void)d.take(3);
  (void)d.skip(2);
  (void)d.shard(3, 1);
  (void)d.cache();
  (void)d.cache("there");
  (void)d.prefetch(2);
  (void)d.concatenate(Dataset::range(3));
  Dataset::zip({d, d.take(4)});
  Dataset::zip({d, d, d});
  (void)d.enumerate(5);
}

GOLDEN_PROGRAM(dataset_shuffles_of_a_seeded_graph) {
  tf::set_random_seed(7);
  const Dataset d = Dataset::range(10);
  (void)d.shuffle(5);
  (void)d.shuffle(5, {.seed = 3});
}

GOLDEN_PROGRAM(dataset_functions) {
  const tf::Tensor k = tf::constant(3, tf::int64);
  const Dataset d = Dataset::range(10);
  (void)d.map([&](auto x) { return x * k; });
  (void)d.map([](auto x) { return std::tuple(x, tf::cast(x, tf::float32)); }, {.num_parallel_calls = 2});
  (void)d.map([](tf::Tensor x) { return x; },
              {.num_parallel_calls = tf::data::AUTOTUNE, .deterministic = false});
  (void)d.filter([](auto x) { return x > 3; });
  (void)d.flat_map([](auto x) { return Dataset::from_tensors({x}).repeat(x); });
  (void)d.interleave([](auto x) { return Dataset::from_tensors({x}).repeat(2); },
                     {.cycle_length = 3, .block_length = 2});
  (void)d.interleave([](auto x) { return Dataset::from_tensors({x}); },
                     {.cycle_length = 2, .num_parallel_calls = 2});
  (void)d.take_while([](auto x) { return x < 4; });
  (void)Dataset::from_tensor_slices({{1, 2}, {3.0, 4.0}}).map([](auto, auto b) { return b; });
  (void)d.take(1);
}

GOLDEN_PROGRAM(dataset_iterators) {
  const Dataset d = Dataset::from_tensor_slices({{1.0, 2.0}, {1, 2}}).batch(2);
  const tf::data::Iterator once = d.make_one_shot_iterator();
  (void)once.get_next();
  (void)once.get_next({.name = "again"});
  (void)d.make_initializable_iterator({.shared_name = "shared"}).get_next();
  const auto structure =
      tf::data::Iterator::from_structure({{tf::float32, {kUnknown}}, {tf::int32, {kUnknown}}});
  (void)structure.make_initializer(d);
  (void)structure.make_initializer(d, {.name = "other"});
  (void)structure.get_next<2>();
  (void)structure.string_handle();
  const tf::Tensor handle = tf::placeholder(tf::string, {}, {.name = "handle"});
  const auto fed = tf::data::Iterator::from_string_handle(handle, d.element_spec());
  (void)fed.get_next();
  (void)fed.string_handle({.name = "text"});
}

GOLDEN_PROGRAM(dataset_in_scopes) {
  tf::Tensor x;
  {
    auto scope = tf::name_scope("input");
    const Dataset d = Dataset::range(5).map([](auto n) { return n + 1; }).batch(2);
    const auto it = d.make_initializable_iterator();
    auto device = tf::device("/cpu:0");
    x = it.get_next<1>();
  }
  tf::negative(x);
}

GOLDEN_PROGRAM(dataset_states) {
  const Dataset d = Dataset::range(10);
  const auto sum = [](const tf::Tensor& total, const tf::Tensor& x) { return total + x; };
  d.reduce({tf::constant(0, tf::int64)}, sum);
  d.reduce({tf::constant(0, tf::int64), tf::constant(0)},
           [](const tf::Tensor& total, const tf::Tensor& count, const tf::Tensor& x) {
             return std::tuple(total + x, count + 1);
           });
  const Dataset pairs = Dataset::from_tensor_slices({Array({1.0f, 2.0f}), Array({3.0f, 4.0f})});
  pairs.reduce(
      {0.0}, [](const tf::Tensor& total, const tf::Tensor& x, const tf::Tensor& y) { return total + x * y; });
  d.reduce({tf::constant(std::vector<int64_t>(), tf::int64)},
           [](const tf::Tensor& seen, const tf::Tensor& x) {
             return tf::concat({seen, tf::Input::list({x})}, 0);
           });
  (void)d.scan({tf::constant(0, tf::int64)},
               [](const tf::Tensor& total, const tf::Tensor& x) { return std::tuple(total + x, total * x); });
  (void)d.scan({int64_t{1}, 2.0}, [](const tf::Tensor& a, const tf::Tensor& b, const tf::Tensor& x) {
    return std::tuple(a * x, b, a, b);
  });
  (void)d.unique();
  Dataset::from_tensors({1, {2.0, 3.0}}).get_single_element();
}

GOLDEN_PROGRAM(dataset_groups) {
  const Dataset d = Dataset::range(10);
  const auto rest = [](const tf::Tensor& x) { return x % 3; };
  const auto fours = [](const tf::Tensor&, const Dataset& group) { return group.batch(4); };
  (void)d.group_by_window(rest, fours, 4);
  (void)d.group_by_window(rest, fours, [](const tf::Tensor& key) { return key + 1; });
  const Dataset pairs = Dataset::from_tensor_slices({Array({1, 2}), Array({3.0f, 4.0f})});
  (void)pairs.group_by_window(
      [](const tf::Tensor& x, const tf::Tensor&) { return tf::cast(x, tf::int64); },
      [](const tf::Tensor& key, const Dataset& group) {
        return group.map([key](const tf::Tensor&, const tf::Tensor& y) { return std::tuple(key, y); });
      },
      2);
}

GOLDEN_PROGRAM(dataset_choices) {
  using tf::data::experimental::choose_from_datasets;
  using tf::data::experimental::map_and_batch;
  using tf::data::experimental::sample_from_datasets;
  const Dataset three = Dataset::range(3);
  const Dataset five = Dataset::range(5);
  tf::data::experimental::random_dataset();
  sample_from_datasets({three, five});
  sample_from_datasets({three, five}, {.weights = {0.25, 0.75}, .seed = 3});
  sample_from_datasets({three, five},
                       {.weights = tf::constant({0.5, 0.5}), .seed = 3, .stop_on_empty_dataset = true});
  sample_from_datasets({three, five},
                       {.weights_of_each = Dataset::from_tensors({Array({0.5f, 0.5f})}).repeat(), .seed = 3});
  choose_from_datasets({three, five}, Dataset::range(2).repeat());
  choose_from_datasets({three, five}, three, {.stop_on_empty_dataset = true});
  map_and_batch(three, [](auto x) { return x * x; }, 2);
  map_and_batch(three, [](auto x) { return x; }, 2, {.num_parallel_calls = 3, .drop_remainder = true});
}

GOLDEN_PROGRAM(dataset_lists_of_files) {
  (void)Dataset::list_files("*.txt", {.shuffle = false});
  (void)Dataset::list_files("*.txt", {.seed = 3});
  (void)Dataset::list_files({"a*.txt", "b*.txt"});
}

GOLDEN_PROGRAM(dataset_csv) {
  tf::data::csv_dataset("a.csv", {tf::float32, 5, "none"});
  tf::data::csv_dataset({"a.csv", "b.csv"}, {tf::string, tf::constant({2.5f})},
                        {.compression_type = "GZIP",
                         .buffer_size = 1000,
                         .header = true,
                         .field_delim = ";",
                         .use_quote_delim = false,
                         .na_value = "NA",
                         .select_cols = {0, 3}});
  (void)Dataset::range(3).ignore_errors();
  (void)Dataset::range(3).ignore_errors(true);
}

}  // namespace
}  // namespace flowray
