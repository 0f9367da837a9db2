// Programs that walk through datasets. What is expected is counted out by hand.
#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "support/error_words.h"

namespace flowray::tf {
namespace {

using data::Dataset;
using data::Iterator;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

using Rows = std::vector<std::vector<int64_t>>;

class DatasetTest : public ::testing::Test {
 protected:
  /// The first component of each element, as a list of int64.
  Rows read(const Dataset& dataset, size_t most = 100) {
    const Iterator iterator = dataset.make_initializable_iterator();
    const Tensor next = iterator.get_next()[0];
    Session session;
    session.run(iterator.initializer());
    Rows rows;
    while (rows.size() < most) {
      try {
        const Array value = session.run(next).astype(int64);
        rows.emplace_back(value.data<int64_t>(), value.data<int64_t>() + value.size());
      } catch (const errors::OutOfRangeError&) {
        break;
      }
    }
    return rows;
  }

  template <class F>
  static std::string error_of(const F& f) {
    try {
      f();
    } catch (const Error& error) {
      return testing::without_line(error);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "nothing";
  }

  Graph graph_;
  GraphScope scope_ = graph_.as_default();
};

TEST_F(DatasetTest, GivesRowsInOrderAndThenEnds) {
  const Iterator iterator = Dataset::from_tensor_slices({{1.5, 2.5}, {7, 8}}).make_one_shot_iterator();
  const auto [x, y] = iterator.get_next<2>();
  Session session;
  for (int i = 0; i < 2; ++i) {
    const auto [a, b] = session.run({x, y});
    EXPECT_EQ(a, Array(1.5f + static_cast<float>(i)));
    EXPECT_EQ(b, Array(7 + i));
  }
  EXPECT_THAT(error_of([&] { session.run(x); }), HasSubstr("End of sequence"));
}

TEST_F(DatasetTest, BatchesRepeatsTakesSkipsAndShards) {
  const Dataset d = Dataset::range(5);
  EXPECT_EQ(read(d.batch(2)), (Rows{{0, 1}, {2, 3}, {4}}));
  EXPECT_EQ(read(d.batch(2, {.drop_remainder = true})), (Rows{{0, 1}, {2, 3}}));
  EXPECT_EQ(read(d.take(2).repeat(2)), (Rows{{0}, {1}, {0}, {1}}));
  EXPECT_EQ(read(d.repeat(), 7), (Rows{{0}, {1}, {2}, {3}, {4}, {0}, {1}}));
  EXPECT_EQ(read(d.skip(3)), (Rows{{3}, {4}}));
  EXPECT_EQ(read(d.shard(2, 1)), (Rows{{1}, {3}}));
  EXPECT_EQ(read(d.skip(4).concatenate(d.take(1))), (Rows{{4}, {0}}));
  EXPECT_EQ(read(d.take(1).enumerate(5)), (Rows{{5}}));
  EXPECT_EQ(read(d.batch(2).unbatch()), read(d));
  EXPECT_EQ(read(d.prefetch(2).cache()), read(d));
  EXPECT_EQ(read(Dataset::range(10, 0, -4)), (Rows{{10}, {6}, {2}}));
  EXPECT_EQ(read(Dataset::range(0)), Rows());
}

TEST_F(DatasetTest, UnbatchGivesNoRowsOfAnElementOfTwoSizes) {
  const Dataset pairs = Dataset::from_tensor_slices({{1, 2, 2}, {1, 3, 2}}).map([](auto a, auto b) {
    return std::tuple(fill({a}, a), fill({b}, b));
  });
  const Iterator iterator = pairs.unbatch().make_one_shot_iterator();
  const auto [a, b] = iterator.get_next<2>();
  Session session;
  EXPECT_EQ(session.run(a), Array(1));
  EXPECT_THAT(error_of([&] { session.run(a); }),
              HasSubstr("Input element must have the same batch size in each component."));
  EXPECT_EQ(session.run(b), Array(2));
  EXPECT_EQ(session.run(b), Array(2));
  for (int i = 0; i < 2; ++i) EXPECT_THAT(error_of([&] { session.run(a); }), HasSubstr("End of sequence"));
  EXPECT_EQ(error_of([] { (void)Dataset::from_tensors({{1, 2}, {1, 2, 3}}).unbatch(); }),
            "`unbatch()` is only supported for datasets of elements whose components have a matching leading "
            "dimension. Encountered both 2 and 3.");
}

TEST_F(DatasetTest, AListInWhatAFunctionGivesIsOneTensor) {
  const Dataset d = Dataset::range(2).map([](auto x) { return std::vector<Input>{x, {x, x + int64_t{5}}}; });
  EXPECT_EQ(d.output_shapes(), (std::vector<TensorShape>{{}, {2}}));
  EXPECT_EQ(read(d.map([](auto, auto pair) { return pair; })), (Rows{{0, 5}, {1, 6}}));
}

TEST_F(DatasetTest, PadsToTheLongestOfABatch) {
  const Dataset d = Dataset::range(1, 4).map([](auto n) { return fill(reshape(n, {1}), n); });
  EXPECT_EQ(read(d.padded_batch(3, {.padding_values = {int64_t{-1}}})),
            (Rows{{1, -1, -1, 2, 2, -1, 3, 3, 3}}));
  EXPECT_EQ(read(d.padded_batch(2, {.padded_shapes = {{4}}})),
            (Rows{{1, 0, 0, 0, 2, 2, 0, 0}, {3, 3, 3, 0}}));
}

TEST_F(DatasetTest, CallsFunctionsThatUseWhatIsAround) {
  const Tensor factor = placeholder(int64, {});
  const Dataset d =
      Dataset::range(4).map([&](auto x) { return std::tuple(x * factor, x); }).filter([](auto product, auto) {
        return product > 0;
      });
  const Iterator iterator = d.make_initializable_iterator();
  const auto [product, x] = iterator.get_next<2>();
  Session session;
  for (const int64_t by : {10, 100}) {
    session.run(iterator.initializer(), {{factor, Array(by)}});
    EXPECT_EQ(session.run(product), Array(by));
    EXPECT_EQ(session.run(product), Array(2 * by));
    EXPECT_EQ(session.run(x), Array(int64_t{3}));
  }
}

TEST_F(DatasetTest, FunctionsReadVariables) {
  const Variable v(int64_t{3}, {.name = "v"});
  const Iterator iterator =
      Dataset::range(9).map([&](auto x) { return x + v; }).make_initializable_iterator();
  const Tensor next = iterator.get_next<1>();
  Session session;
  session.run(global_variables_initializer());
  session.run(iterator.initializer());
  EXPECT_EQ(session.run(next), Array(int64_t{3}));
  EXPECT_EQ(session.run(next), Array(int64_t{4}));
}

TEST_F(DatasetTest, FunctionsInFunctionsUseWhatIsAroundBoth) {
  const Tensor outer = constant(100, int64);
  const Dataset d = Dataset::range(3).flat_map(
      [&](auto x) { return Dataset::range(x).map([&](auto y) { return outer + x * 10 + y; }); });
  EXPECT_EQ(read(d), (Rows{{110}, {120}, {121}}));
}

TEST_F(DatasetTest, FunctionsHaveBranchesAndLoops) {
  const Dataset d = Dataset::range(4).map([](auto x) {
    const Tensor doubled = cond(x > 1, [&] { return x * 2; }, [&] { return x; });
    return while_loop([](auto n) { return n < 10; }, [](auto n) { return n + 3; }, {doubled})[0];
  });
  EXPECT_EQ(read(d), (Rows{{12}, {10}, {10}, {12}}));
}

TEST_F(DatasetTest, InterleavesAndZips) {
  const Dataset d = Dataset::range(1, 4).interleave(
      [](auto x) { return Dataset::from_tensors({x}).repeat(3); }, {.cycle_length = 2, .block_length = 2});
  EXPECT_EQ(read(d), (Rows{{1}, {1}, {2}, {2}, {1}, {2}, {3}, {3}, {3}}));
  const Iterator both = Dataset::zip({Dataset::range(5), Dataset::range(3, 5)}).make_one_shot_iterator();
  const auto [a, b] = both.get_next<2>();
  Session session;
  EXPECT_THAT(session.run({a, b}), ElementsAre(Array(int64_t{0}), Array(int64_t{3})));
}

TEST_F(DatasetTest, WindowsAreDatasets) {
  const Dataset d = Dataset::range(5).window(2, {.shift = 1, .drop_remainder = true});
  const std::vector<data::TensorSpec> inner = d.element_spec()[0].dataset;
  const Dataset sums = d.flat_map([&](auto window) { return Dataset(window, inner).batch(2); });
  EXPECT_EQ(read(sums), (Rows{{0, 1}, {1, 2}, {2, 3}, {3, 4}}));
}

TEST_F(DatasetTest, ShufflesAreOrdersOfAll) {
  const Dataset d = Dataset::range(20).shuffle(20, {.seed = 5});
  const Rows rows = read(d.repeat(2));
  ASSERT_EQ(rows.size(), 40u);
  const Rows first(rows.begin(), rows.begin() + 20);
  const Rows second(rows.begin() + 20, rows.end());
  EXPECT_EQ(std::set(first.begin(), first.end()).size(), 20u);
  EXPECT_EQ(std::set(second.begin(), second.end()).size(), 20u);
  EXPECT_NE(first, second);
  EXPECT_EQ(read(d.repeat(2)), rows);
  const Dataset same = Dataset::range(20).shuffle(20, {.seed = 5, .reshuffle_each_iteration = false});
  const Rows twice = read(same.repeat(2));
  EXPECT_EQ(Rows(twice.begin(), twice.begin() + 20), Rows(twice.begin() + 20, twice.end()));
}

TEST_F(DatasetTest, OneIteratorWalksThroughSeveralDatasets) {
  const Dataset train = Dataset::range(3);
  const Dataset test = Dataset::range(10, 12);
  const Iterator iterator = Iterator::from_structure({{int64, {}}});
  const Tensor next = iterator.get_next<1>();
  const Operation use_train = iterator.make_initializer(train);
  const Operation use_test = iterator.make_initializer(test);
  Session session;
  EXPECT_THROW(session.run(next), errors::FailedPreconditionError);
  session.run(use_train);
  EXPECT_EQ(session.run(next), Array(int64_t{0}));
  session.run(use_test);
  EXPECT_EQ(session.run(next), Array(int64_t{10}));
  session.run(use_train);
  EXPECT_EQ(session.run(next), Array(int64_t{0}));
}

TEST_F(DatasetTest, AFedHandleChoosesTheIterator) {
  const Tensor handle = placeholder(string, {});
  const Iterator chosen = Iterator::from_string_handle(handle, {{int64, {}}});
  const Tensor next = chosen.get_next<1>();
  const Iterator low = Dataset::range(3).make_one_shot_iterator();
  const Iterator high = Dataset::range(100, 103).make_one_shot_iterator();
  Session session;
  const Array low_handle = session.run(low.string_handle());
  const Array high_handle = session.run(high.string_handle());
  EXPECT_EQ(session.run(next, {{handle, low_handle}}), Array(int64_t{0}));
  EXPECT_EQ(session.run(next, {{handle, high_handle}}), Array(int64_t{100}));
  EXPECT_EQ(session.run(next, {{handle, low_handle}}), Array(int64_t{1}));
}

TEST_F(DatasetTest, ReadsLinesOfFiles) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "flowray_dataset_test";
  std::filesystem::create_directories(folder);
  const std::string a = folder / "a.txt";
  const std::string b = folder / "b.txt";
  std::ofstream(a) << "1\n2\n";
  std::ofstream(b) << "3";
  const Dataset d =
      data::text_line_dataset({a, b}).map([](auto line) { return cast(equal(line, "2"), int64); });
  EXPECT_EQ(read(d), (Rows{{0}, {1}, {0}}));
  EXPECT_THAT(error_of([&] { read(data::text_line_dataset((folder / "none").string())); }),
              HasSubstr("No such file or directory"));
}

TEST_F(DatasetTest, TheGraphMayGoThroughAFile) {
  const Iterator iterator =
      Dataset::range(3).map([](auto x) { return x * x; }).batch(3).make_one_shot_iterator();
  const Tensor next = identity(iterator.get_next<1>(), {.name = "squares"});
  const GraphDef definition = graph_.as_graph_def();
  Graph other;
  const GraphScope scope = other.as_default();
  import_graph_def(definition, {.name = ""});
  Session session(other);
  EXPECT_EQ(session.run(other.get_tensor_by_name("squares:0")), Array(std::vector<int64_t>{0, 1, 4}));
}

TEST_F(DatasetTest, SaysWhatDoesNotFit) {
  const Dataset d = Dataset::range(3);
  EXPECT_EQ(error_of([] { Dataset::from_tensor_slices(3); }),
            "Unbatching a tensor is only supported for rank >= 1");
  EXPECT_EQ(error_of([] { Dataset::from_tensor_slices({constant(3), constant(4)}); }),
            "Unbatching a tensor is only supported for rank >= 1");
  EXPECT_EQ(error_of([] { Dataset::from_tensor_slices({{1, 2}, {1, 2, 3}}); }),
            "Dimensions 2 and 3 are not compatible");
  EXPECT_EQ(error_of([] { Dataset::from_tensor_slices(std::vector<Tensor>()); }),
            "Invalid `element`. `element` should not be empty.");
  EXPECT_EQ(error_of([&] { (void)d.concatenate(Dataset::from_tensors({1.0})); }),
            "Incompatible dataset elements:\n  TensorSpec(shape=(), dtype=tf.int64, name=None) vs.   "
            "TensorSpec(shape=(), dtype=tf.float32, name=None)");
  EXPECT_EQ(error_of([&] { (void)d.filter([](auto x) { return x; }); }),
            "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its return type is "
            "TensorSpec(shape=(), dtype=tf.int64, name=None).");
  EXPECT_EQ(error_of([&] { (void)d.unbatch(); }), "Cannot unbatch an input with scalar components.");
  EXPECT_THAT(
      error_of([&] { (void)d.map([](Tensor x, Tensor y) { return x + y; }); }),
      HasSubstr("the function takes 2 arguments but an element has 1 component\nWrite a function of 1 "
                "tensor, or of"));
  EXPECT_THAT(error_of([] { (void)Dataset().batch(2); }), HasSubstr("None values not supported."));
  EXPECT_THAT(error_of([&] { (void)d.map([](Tensor) { return Tensor(); }); }),
              HasSubstr("None values not supported."));
  EXPECT_THAT(error_of([&] { (void)d.make_one_shot_iterator().initializer(); }),
              HasSubstr("The iterator does not have an initializer."));
  EXPECT_THAT(error_of([&] { (void)Iterator::from_structure({{float32, {}}}).make_initializer(d); }),
              HasSubstr("Expected output types tf.float32 but got dataset with output types tf.int64."));
  EXPECT_THAT(error_of([&] { (void)d.take(1, {.name = "a b"}); }), HasSubstr("Invalid `name`."));
}

TEST_F(DatasetTest, AOneShotIteratorHasNoState) {
  const Variable v(int64_t{3}, {.name = "v"});
  EXPECT_THAT(
      error_of([&] { Dataset::range(3).map([&](auto x) { return x + v; }).make_one_shot_iterator(); }),
      HasSubstr("Cannot capture a stateful node (name:v, type:VariableV2) by value."));
  EXPECT_EQ(error_of([] {
              Dataset::from_tensors({placeholder(float32, {}, {.name = "p"})}).make_one_shot_iterator();
            }),
            "Cannot capture a placeholder (name:p, type:Placeholder) by value.");
}

TEST_F(DatasetTest, AOneShotIteratorWaitsForNothing) {
  Dataset checked;
  {
    const ControlDependenciesGuard after = control_dependencies({Assert(false, {"never"})});
    checked = Dataset::from_tensors({identity(constant(7))});
  }
  const Tensor seven = checked.make_one_shot_iterator().get_next()[0];
  Session session;
  EXPECT_EQ(session.run(seven), Array(7));
}

TEST_F(DatasetTest, ALoopOfTheProgramReadsElements) {
  const Dataset d = Dataset::from_tensor_slices({{1.0, 2.0, 3.0}, {1, 2, 3}}).batch(2);
  std::vector<std::vector<Array>> seen;
  for (const std::vector<Array>& element : d) seen.push_back(element);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_THAT(seen[0], ElementsAre(Array({1.0f, 2.0f}), Array({1, 2})));
  EXPECT_THAT(seen[1], ElementsAre(Array(std::vector<float>{3.0f}), Array(std::vector<int32_t>{3})));
  for (const auto& element : Dataset::range(0)) ADD_FAILURE() << element.size();
}

TEST_F(DatasetTest, ALoopReadsVariablesOfTheDefaultSession) {
  const Variable v(int64_t{5}, {.name = "v"});
  const Dataset d = Dataset::range(2).map([&](auto x) { return x + v; });
  EXPECT_THAT(error_of([&] { (void)d.begin(); }), HasSubstr("Attempting to use uninitialized value v"));
  Session session;
  session.run(global_variables_initializer());
  const SessionScope as_default = session.as_default();
  int64_t expected = 5;
  for (const auto& element : d) EXPECT_EQ(element[0], Array(expected++));
  EXPECT_EQ(expected, 7);
}

TEST_F(DatasetTest, ATensorOfAFunctionStaysInIt) {
  Tensor kept;
  (void)Dataset::range(3).map([&](Tensor x) { return kept = x + 1; });
  EXPECT_THAT(error_of([&] { (void)(kept + constant(int64_t{1})); }),
              AllOf(HasSubstr("must be from the same graph"), HasSubstr("let the function return it")));
  Session session;
  EXPECT_THAT(error_of([&] { session.run(kept); }),
              AllOf(HasSubstr("is not an element of this graph.)\n'add' was made in a function of a dataset"),
                    Not(HasSubstr("thread"))));
  EXPECT_THAT(error_of([&] { session.run(constant(1), {{kept, int64_t{1}}}); }),
              HasSubstr("is not an element of this graph.\n'add' was made in a function of a dataset"));
}

TEST_F(DatasetTest, SlicesOneTensorArrayOrVector) {
  const Rows rows = {{1, 2}, {3, 4}, {5, 6}};
  const std::vector<std::vector<int>> vectors = {{1, 2}, {3, 4}, {5, 6}};
  const Array array = array_of(vectors);
  EXPECT_EQ(read(Dataset::from_tensor_slices(vectors)), rows);
  EXPECT_EQ(read(Dataset::from_tensor_slices(array)), rows);
  EXPECT_EQ(read(Dataset::from_tensor_slices(constant(array))), rows);
  EXPECT_EQ(read(Dataset::from_tensor_slices(Input(array))), rows);
  EXPECT_EQ(read(Dataset::from_tensor_slices(std::vector<int>{7, 8})), (Rows{{7}, {8}}));
  EXPECT_EQ(read(Dataset::from_tensors(constant({7, 8}))), (Rows{{7, 8}}));
}

TEST_F(DatasetTest, TakesNumbersInBracesForOneVector) {
  EXPECT_EQ(read(Dataset::from_tensor_slices({7, 8, 9})), (Rows{{7}, {8}, {9}}));
  EXPECT_EQ(read(Dataset::from_tensor_slices({7})), (Rows{{7}}));
  EXPECT_EQ(Dataset::from_tensor_slices({"one.txt", "two.txt"}).element_spec()[0],
            (data::TensorSpec{string, TensorShape{}}));
  // Of lists each is a component, as in a tuple of Python's.
  EXPECT_EQ(Dataset::from_tensor_slices({{7, 8}, {1, 2}}).element_spec().size(), 2u);
}

// ---- read ahead, in threads of the dataset's own

/// The first `count` of what was made so far, which waits until there are so many.
Array wait_for(Session& session, const Tensor& several) {
  constexpr int64_t kHangGuard_ms = 60'000;
  return session.run(several, {}, {.timeout_in_ms = kHangGuard_ms});
}

TEST_F(DatasetTest, PrefetchMakesElementsBeforeTheyAreAskedForButNoMoreThanItMay) {
  const FIFOQueue made(100, {int64}, {.shapes = {TensorShape()}});
  const Dataset numbers = Dataset::range(10).map([&](const Tensor& x) {
    const Operation told = made.enqueue({x});
    const auto first = control_dependencies({told});
    return identity(x);
  });
  const Tensor next = numbers.prefetch(3).make_initializable_iterator().get_next()[0];
  const Operation begin = graph_.get_operation_by_name("MakeIterator");
  const Tensor four = made.dequeue_many(4)[0];
  const Tensor one = made.dequeue()[0];
  const Tensor rest = made.size();
  Session session;
  session.run(begin);
  EXPECT_EQ(session.run(rest), Array(0));  // nothing begins before somebody asks
  EXPECT_EQ(session.run(next), Array(int64_t{0}));
  EXPECT_EQ(wait_for(session, four), Array(std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(session.run(next), Array(int64_t{1}));
  EXPECT_EQ(wait_for(session, one), Array(int64_t{4}));
  EXPECT_EQ(session.run(rest), Array(0));
}

TEST_F(DatasetTest, PrefetchGivesErrorsInTheirPlacesAndGoesOn) {
  const Dataset inverse = Dataset::range(4).map([](const Tensor& x) { return floordiv(int64_t{6}, x - 1); });
  const Iterator iterator = inverse.prefetch(2).make_initializable_iterator();
  const Tensor next = iterator.get_next()[0];
  Session session;
  session.run(iterator.initializer());
  EXPECT_EQ(session.run(next), Array(int64_t{-6}));
  EXPECT_THROW(session.run(next), errors::InvalidArgumentError);
  EXPECT_EQ(session.run(next), Array(int64_t{6}));
  EXPECT_EQ(session.run(next), Array(int64_t{3}));
  EXPECT_THROW(session.run(next), errors::OutOfRangeError);
  EXPECT_THROW(session.run(next), errors::OutOfRangeError);
}

TEST_F(DatasetTest, WaitsForPrefetchNoLongerThanTheStepMay) {
  const FIFOQueue source(100, {int64}, {.shapes = {TensorShape()}});
  const Iterator iterator = Dataset::range(4)
                                .map([&](const Tensor& x) { return x + source.dequeue()[0]; })
                                .prefetch(2)
                                .make_initializable_iterator();
  const Tensor next = iterator.get_next()[0];
  const Operation give = source.enqueue({int64_t{10}});
  {
    Session session;
    session.run(iterator.initializer());
    EXPECT_THROW(session.run(next, {}, {.timeout_in_ms = 20}), errors::DeadlineExceededError);
    session.run(give);
    EXPECT_EQ(session.run(next), Array(int64_t{10}));
  }  // while the second element is waited for
  Session another;
  another.run(iterator.initializer());
  another.run(give);
  EXPECT_EQ(another.run(next), Array(int64_t{10}));
  another.run(iterator.initializer());  // the walk before ends, in the middle of an element
  another.run(give);
  another.run(give);
  EXPECT_THAT(error_of([&] { another.close(); }), "nothing");
}

TEST_F(DatasetTest, ElementsMadeAtOnceKeepTheirOrder) {
  Rows squares;
  for (int64_t i = 0; i < 500; ++i) squares.push_back({i * i});
  const auto square = [](const Tensor& x) { return x * x; };
  EXPECT_EQ(read(Dataset::range(500).map(square, {.num_parallel_calls = 4}), 1000), squares);
  EXPECT_EQ(read(Dataset::range(500).map(square, {.num_parallel_calls = data::AUTOTUNE}).prefetch(7), 1000),
            squares);
  EXPECT_THAT(error_of([&] { (void)read(Dataset::range(5).map(square, {.num_parallel_calls = 0})); }),
              HasSubstr("num_parallel_calls must be greater than zero."));
}

TEST_F(DatasetTest, InterleavedDatasetsThatAreReadAheadKeepTheirTurns) {
  const auto ten = [](const Tensor& x) { return Dataset::range(x * 10, x * 10 + 3); };
  const Rows turns = read(Dataset::range(7).interleave(ten, {.cycle_length = 3, .block_length = 2}));
  EXPECT_EQ(turns.size(), 21u);
  for (const int64_t calls : {int64_t{1}, int64_t{2}, int64_t{5}, data::AUTOTUNE}) {
    EXPECT_EQ(read(Dataset::range(7).interleave(
                  ten, {.cycle_length = 3, .block_length = 2, .num_parallel_calls = calls})),
              turns);
  }
}

TEST_F(DatasetTest, InterleaveReadsAheadInAThreadForEachOpenDataset) {
  const FIFOQueue made(100, {int64}, {.shapes = {TensorShape()}});
  const auto ten = [&](const Tensor& x) {
    return Dataset::range(x * 10, x * 10 + 5).map([&](const Tensor& y) {
      const Operation told = made.enqueue({y});
      const auto first = control_dependencies({told});
      return identity(y);
    });
  };
  const Iterator iterator =
      Dataset::range(2)
          .interleave(ten, {.cycle_length = 2, .block_length = 1, .num_parallel_calls = 2})
          .make_initializable_iterator();
  const Tensor next = iterator.get_next()[0];
  const Tensor three = made.dequeue_many(3)[0];
  Session session;
  session.run(iterator.initializer());
  EXPECT_EQ(session.run(next), Array(int64_t{0}));
  EXPECT_EQ(wait_for(session, three),
            Array(std::vector<int64_t>{0, 1, 2}));  // two ahead of the one that was taken
  EXPECT_EQ(session.run(next), Array(int64_t{10}));
}

TEST_F(DatasetTest, CallsThatDrawNumbersComeOneAfterTheOther) {
  graph_.set_random_seed(3);
  const auto draw = [](const Tensor& x) {
    return cast(random_uniform({}, {.maxval = 1e6f, .seed = 1}), int64) + 0 * x;
  };
  const Rows alone = read(Dataset::range(20).map(draw));
  EXPECT_EQ(read(Dataset::range(20).map(draw, {.num_parallel_calls = 4})), alone);
  EXPECT_EQ(std::set<std::vector<int64_t>>(alone.begin(), alone.end()).size(), 20u);
}

// ---- states and keys

TEST_F(DatasetTest, ReducesToTheStateAfterTheLastElement) {
  const Tensor total =
      Dataset::range(5).reduce({int64_t{100}}, [](const Tensor& sum, const Tensor& x) { return sum + x; })[0];
  const std::vector<Tensor> both = Dataset::range(5).reduce(
      {int64_t{1}, 0}, [](const Tensor& product, const Tensor& count, const Tensor& x) {
        return std::tuple(product * (x + 1), count + 1);
      });
  Session session;
  EXPECT_EQ(session.run(total), Array(int64_t{110}));
  EXPECT_EQ(session.run(both[0]), Array(int64_t{120}));
  EXPECT_EQ(session.run(both[1]), Array(5));
  EXPECT_THAT(
      error_of([] { (void)Dataset::range(5).reduce({0}, [](const Tensor&, const Tensor& x) { return x; }); }),
      HasSubstr("The element types for the new state must match the initial state. Expected <dtype: 'int32'> "
                "but got <dtype: 'int64'>."));
}

TEST_F(DatasetTest, AReductionKeepsTheNumberOfItsStates) {
  const Dataset d = Dataset::range(5);
  EXPECT_THAT(error_of([&] {
                (void)d.reduce({int64_t{0}, int64_t{1}},
                               [](const Tensor& sum, const Tensor&, const Tensor&) { return sum; });
              }),
              HasSubstr("The element classes for the new state must match the initial state. Expected 2 "
                        "tensors; got 1 of them."));
  EXPECT_THAT(error_of([&] {
                (void)d.reduce({int64_t{0}, 1.0f}, [](const Tensor& sum, const Tensor& x, const Tensor&) {
                  return std::tuple(x, sum);
                });
              }),
              HasSubstr("Expected (tf.int64, tf.float32) but got (tf.float32, tf.int64)."));
}

TEST_F(DatasetTest, AReductionWithoutEndEndsWithItsStep) {
  const Tensor endless = Dataset::range(5).repeat().reduce(
      {int64_t{0}}, [](const Tensor& sum, const Tensor& x) { return sum + x; })[0];
  Session session;
  EXPECT_THROW(session.run(endless, {}, {.timeout_in_ms = 20}), errors::DeadlineExceededError);
}

TEST_F(DatasetTest, RowsWithoutElementsThatAreSkippedEndWithTheStep) {
  const int64_t many = int64_t{1} << 59;
  const Tensor last = Dataset::from_tensor_slices(constant(Array(DType::kFloat32, {many, 0})))
                          .skip(many - 1)
                          .reduce({0}, [](const Tensor& count, const Tensor&) { return count + 1; })[0];
  Session session;
  EXPECT_THROW(session.run(last, {}, {.timeout_in_ms = 20}), errors::DeadlineExceededError);
}

TEST_F(DatasetTest, ScansGiveWhatFollowsFromTheElementsBefore) {
  const Dataset sums = Dataset::range(5).scan(
      {int64_t{0}}, [](const Tensor& sum, const Tensor& x) { return std::tuple(sum + x, sum); });
  EXPECT_EQ(read(sums), (Rows{{0}, {0}, {1}, {3}, {6}}));
}

TEST_F(DatasetTest, GroupsElementsOfOneKey) {
  const auto parity = [](const Tensor& x) { return x % 2; };
  const auto batches = [](const Tensor&, const Dataset& group) { return group.batch(10); };
  EXPECT_EQ(read(Dataset::range(7).group_by_window(parity, batches, 2)), (Rows{{0, 2}, {1, 3}, {4, 6}, {5}}));
  const Dataset other =
      Dataset::range(7).group_by_window(parity, batches, [](const Tensor& key) { return key + 1; });
  EXPECT_EQ(read(other), (Rows{{0}, {2}, {1, 3}, {4}, {6}, {5}}));
  EXPECT_THAT(error_of([&] { (void)read(Dataset::range(7).group_by_window(parity, batches, 0)); }),
              HasSubstr("Window size must be greater than zero, but got 0."));
}

TEST_F(DatasetTest, UniqueLeavesOutWhatWasThere) {
  EXPECT_EQ(read(Dataset::from_tensor_slices(std::vector<int64_t>{3, 1, 3, 2, 1}).unique()),
            (Rows{{3}, {1}, {2}}));
  EXPECT_THAT(error_of([] { (void)Dataset::from_tensor_slices({1.0, 2.0}).unique(); }),
              HasSubstr("does not support type <dtype: 'float32'> --"));
}

TEST_F(DatasetTest, HasASingleElement) {
  const Tensor only = Dataset::range(3, 4).get_single_element()[0];
  const Tensor none = Dataset::range(0).get_single_element()[0];
  const Tensor many = Dataset::range(2).get_single_element()[0];
  Session session;
  EXPECT_EQ(session.run(only), Array(int64_t{3}));
  EXPECT_THAT(error_of([&] { session.run(none); }), HasSubstr("Dataset was empty."));
  EXPECT_THAT(error_of([&] { session.run(many); }), HasSubstr("Dataset had more than one element."));
}

}  // namespace
}  // namespace flowray::tf
