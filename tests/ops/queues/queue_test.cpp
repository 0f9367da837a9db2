// Queues without a graph: which op may go on when. Texts, orders and numbers are what TensorFlow 2.21 says
// and gives in the same situations.

#include "ops/queues/queue.h"

#include <flowray/errors.h>
#include <gtest/gtest.h>

#include <optional>

namespace flowray::ops {
namespace {

QueueSpec ints(int64_t capacity) { return {{DType::kInt32}, {Shape()}, capacity}; }
QueueTuple element(int32_t value) { return {Array(value)}; }
std::vector<QueueTuple> elements(std::initializer_list<int32_t> values) {
  std::vector<QueueTuple> tuples;
  for (const int32_t value : values) tuples.push_back(element(value));
  return tuples;
}

/// What became of an attempt.
class Told {
 public:
  Queue::Done here() {
    return [this](QueueOutcome outcome) {
      EXPECT_FALSE(outcome_.has_value()) << "told twice";
      outcome_ = std::move(outcome);
    };
  }
  bool waits() const { return !outcome_.has_value(); }
  bool ok() const { return !waits() && outcome_->code == Code::kOk; }
  Code code() const { return outcome_.value().code; }
  const std::string& text() const { return outcome_.value().text; }
  const Array& array(size_t i = 0) const { return outcome_.value().tuple.at(i); }

 private:
  std::optional<QueueOutcome> outcome_;
};

Queue::Done unheard() {
  return [](QueueOutcome) {};
}

Array take_one(Queue& queue) {
  Told told;
  queue.dequeue(told.here());
  return told.ok() ? told.array() : Array();
}

TEST(FifoQueue, GivesInTheOrderInWhichItGot) {
  FifoQueue queue("q", ints(3));
  Told put;
  queue.enqueue(elements({1, 2, 3}), put.here());
  EXPECT_TRUE(put.ok());
  EXPECT_EQ(queue.size(), 3);
  EXPECT_EQ(take_one(queue), Array(1));
  Told two;
  queue.dequeue_many(2, false, two.here());
  EXPECT_EQ(two.array(), Array({2, 3}));
  EXPECT_EQ(queue.size(), 0);
}

TEST(FifoQueue, LetsThoseWaitForWhomThereIsNoRoom) {
  FifoQueue queue("q", ints(2));
  Told many;
  Told next;
  queue.enqueue(elements({1, 2, 3}), many.here());
  queue.enqueue({element(4)}, next.here());
  EXPECT_TRUE(many.waits());
  EXPECT_EQ(queue.size(), 2);
  EXPECT_EQ(take_one(queue), Array(1));
  EXPECT_TRUE(many.ok());
  EXPECT_TRUE(next.waits());
  EXPECT_EQ(take_one(queue), Array(2));
  EXPECT_TRUE(next.ok());
  EXPECT_EQ(take_one(queue), Array(3));
  EXPECT_EQ(take_one(queue), Array(4));
}

TEST(FifoQueue, ServesThoseWhoWaitInTheirOrder) {
  FifoQueue queue("q", ints(10));
  Told many;
  Told one;
  queue.dequeue_many(2, false, many.here());
  queue.dequeue(one.here());
  Told put;
  queue.enqueue({element(1)}, put.here());
  EXPECT_EQ(queue.size(), 0);  // the first keeps it
  EXPECT_TRUE(one.waits());
  queue.enqueue(elements({2, 3}), unheard());
  EXPECT_EQ(many.array(), Array({1, 2}));
  EXPECT_EQ(one.array(), Array(3));
}

TEST(FifoQueue, WithNoRoomAtAllHandsNothingOver) {
  FifoQueue queue("q", ints(0));
  Told put;
  Told got;
  const auto putting = queue.enqueue({element(1)}, put.here());
  queue.dequeue(got.here());
  EXPECT_TRUE(put.waits());
  EXPECT_TRUE(got.waits());
  queue.cancel(putting);
  queue.close(false, unheard());
  EXPECT_EQ(got.code(), Code::kOutOfRange);
}

TEST(FifoQueue, TellsAtItsEndWhatItLacks) {
  FifoQueue queue("q", ints(5));
  queue.enqueue({element(1)}, unheard());
  Told waiting;
  queue.dequeue_many(2, false, waiting.here());
  EXPECT_EQ(queue.size(), 0);
  Told closed;
  queue.close(false, closed.here());
  EXPECT_TRUE(closed.ok());
  EXPECT_TRUE(queue.is_closed());
  EXPECT_EQ(waiting.code(), Code::kOutOfRange);
  EXPECT_EQ(waiting.text(),
            "FIFOQueue 'q' is closed and has insufficient elements (requested 1, current size 0)");
  EXPECT_EQ(queue.size(), 1);  // what it had taken is back
  Told more;
  queue.dequeue_many(2, false, more.here());
  EXPECT_EQ(more.text(),
            "FIFOQueue 'q' is closed and has insufficient elements (requested 2, current size 1)");
  EXPECT_EQ(take_one(queue), Array(1));
  Told none;
  queue.dequeue(none.here());
  EXPECT_EQ(none.code(), Code::kOutOfRange);
  EXPECT_EQ(none.text(),
            "FIFOQueue 'q' is closed and has insufficient elements (requested 1, current size 0)");
}

TEST(FifoQueue, GivesFewerAtItsEndToWhoTakesFewer) {
  FifoQueue queue("q", ints(5));
  queue.enqueue({element(7)}, unheard());
  Told waiting;
  queue.dequeue_many(3, true, waiting.here());
  EXPECT_TRUE(waiting.waits());
  queue.close(false, unheard());
  EXPECT_EQ(waiting.array(), Array(std::vector<int32_t>{7}));
  Told none;
  queue.dequeue_many(2, true, none.here());
  EXPECT_EQ(none.text(),
            "FIFOQueue 'q' is closed and has insufficient elements (requested 2, current size 0)");
}

TEST(FifoQueue, TakesNothingMoreOnceItIsClosed) {
  FifoQueue queue("q", ints(5));
  queue.close(false, unheard());
  Told put;
  queue.enqueue({element(1)}, put.here());
  EXPECT_EQ(put.code(), Code::kCancelled);
  EXPECT_EQ(put.text(), "FIFOQueue 'q' is closed.");
  Told nothing;
  queue.enqueue({}, nothing.here());
  EXPECT_TRUE(nothing.ok());
  Told again;
  queue.close(false, again.here());
  EXPECT_EQ(again.code(), Code::kCancelled);
  EXPECT_EQ(again.text(), "Queue 'q' is already closed.");
  Told cancelling;
  queue.close(true, cancelling.here());
  EXPECT_TRUE(cancelling.ok());
}

TEST(FifoQueue, IsClosedOnlyWhenWhatWaitsIsIn) {
  FifoQueue queue("q", ints(1));
  queue.enqueue({element(1)}, unheard());
  Told put;
  Told closed;
  queue.enqueue({element(2)}, put.here());
  queue.close(false, closed.here());
  EXPECT_TRUE(closed.waits());
  EXPECT_FALSE(queue.is_closed());
  EXPECT_EQ(take_one(queue), Array(1));
  EXPECT_TRUE(put.ok());
  EXPECT_TRUE(closed.ok());
  EXPECT_TRUE(queue.is_closed());
  EXPECT_EQ(take_one(queue), Array(2));
}

TEST(FifoQueue, DropsWhatWaitsWhenItIsClosedSo) {
  FifoQueue queue("q", ints(1));
  queue.enqueue({element(1)}, unheard());
  Told put;
  Told closing;
  queue.enqueue({element(2)}, put.here());
  queue.close(false, closing.here());
  Told closed;
  queue.close(true, closed.here());
  EXPECT_TRUE(closed.ok());
  EXPECT_EQ(put.code(), Code::kCancelled);
  EXPECT_EQ(put.text(), "Enqueue operation was cancelled");
  EXPECT_EQ(closing.code(), Code::kCancelled);
  EXPECT_EQ(take_one(queue), Array(1));
}

TEST(FifoQueue, ForgetsAnAttemptThatIsCancelled) {
  FifoQueue queue("q", ints(2));
  Told many;
  Told after;
  const auto attempt = queue.dequeue_many(3, false, many.here());
  queue.dequeue_many(2, false, after.here());
  queue.enqueue(elements({1, 2}), unheard());
  queue.cancel(attempt);
  EXPECT_EQ(many.code(), Code::kCancelled);
  EXPECT_EQ(many.text(), "Dequeue operation was cancelled");
  EXPECT_EQ(after.array(), Array({1, 2}));  // what the first had taken was put back
  queue.cancel(attempt);                    // is over: nothing happens
  Told put;
  const auto putting = queue.enqueue(elements({3, 4, 5}), put.here());
  queue.cancel(putting);
  EXPECT_EQ(put.text(), "Enqueue operation was cancelled");
  EXPECT_EQ(queue.size(), 2);
  EXPECT_EQ(take_one(queue), Array(3));
}

TEST(FifoQueue, ChecksShapesWhereItHasThem) {
  FifoQueue queue("q", {{DType::kFloat32, DType::kInt32}, {Shape{2}, Shape()}, 5});
  const auto text_of = [&](auto call) {
    try {
      call();
    } catch (const errors::InvalidArgumentError& error) {
      return error.message();
    }
    return std::string("accepted");
  };
  Told told;
  EXPECT_EQ(text_of([&] { queue.enqueue({{Array({1.f, 2.f, 3.f}), Array(1)}}, told.here()); }),
            "Shape mismatch in tuple component 0. Expected [2], got [3]");
  EXPECT_EQ(text_of([&] { (void)queue.rows_of({Array({{1.f, 2.f, 3.f}}), Array(std::vector<int32_t>{1})}); }),
            "Shape mismatch in tuple component 0. Expected [1,2], got [1,3]");
  EXPECT_EQ(text_of([&] { (void)queue.rows_of({Array({{1.f, 2.f}}), Array({1, 2})}); }),
            "Shape mismatch in tuple component 1. Expected [1], got [2]");
  FifoQueue open("q", {{DType::kFloat32, DType::kInt32}, {}, 5});
  EXPECT_EQ(
      text_of([&] { (void)open.rows_of({Array({{1.f, 2.f}}), Array({1, 2})}); }),
      "All input tensors must have the same size in the 0th dimension. Component 1 has 2, and should have 1");
  EXPECT_EQ(text_of([&] { open.dequeue_many(2, false, told.here()); }),
            "FIFOQueue's DequeueMany and DequeueUpTo require the components to have specified shapes.");
  EXPECT_TRUE(told.waits());
  const auto rows = open.rows_of({Array({{1.f, 2.f}, {3.f, 4.f}}), Array({"a", "b"})});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1][0], Array({3.f, 4.f}));
  EXPECT_EQ(rows[1][1], Array("b"));
}

TEST(FifoQueue, GivesNoneToWhoWantsNone) {
  FifoQueue queue("q", {{DType::kFloat32}, {Shape{2}}, 5});
  queue.close(false, unheard());
  Told told;
  queue.dequeue_many(0, false, told.here());
  EXPECT_EQ(told.array().shape(), (Shape{0, 2}));
}

TEST(PaddingQueue, FillsUpWithZeros) {
  PaddingQueue queue("q", {{DType::kInt32, DType::kString}, {Shape{Shape::kUnknownDim, 2}, Shape()}, 5});
  queue.enqueue({{Array({{1, 2}}), Array("a")}}, unheard());
  queue.enqueue({{Array({{3, 4}, {5, 6}}), Array("b")}}, unheard());
  Told told;
  queue.dequeue_many(2, false, told.here());
  EXPECT_EQ(told.array(0), Array({{{1, 2}, {0, 0}}, {{3, 4}, {5, 6}}}));
  EXPECT_EQ(told.array(1), Array({"a", "b"}));
  Told none;
  queue.dequeue_many(0, false, none.here());
  EXPECT_EQ(none.array().shape(), (Shape{0, 0, 2}));
  EXPECT_THROW(queue.enqueue({{Array({{1, 2, 3}}), Array("a")}}, none.here()), errors::InvalidArgumentError);
}

TEST(PaddingQueue, FillsUpInEveryOpenDimension) {
  PaddingQueue queue("q", {{DType::kInt32}, {Shape{Shape::kUnknownDim, Shape::kUnknownDim}}, 5});
  queue.enqueue({{Array({{1, 2, 3}})}}, unheard());
  queue.enqueue({{Array({{4}, {5}})}}, unheard());
  queue.enqueue({{Array(DType::kInt32, {0, 2})}}, unheard());
  Told told;
  queue.dequeue_many(3, false, told.here());
  EXPECT_EQ(told.array(), Array({{{1, 2, 3}, {0, 0, 0}}, {{4, 0, 0}, {5, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}}));
}

TEST(PaddingQueue, SpeaksAsTensorFlowsDoes) {
  PaddingQueue queue("q", ints(5));
  queue.close(false, unheard());
  Told one;
  Told many;
  Told put;
  queue.dequeue(one.here());
  queue.dequeue_many(2, false, many.here());
  queue.enqueue({element(1)}, put.here());
  EXPECT_EQ(one.text(),
            "FIFOQueue 'q' is closed and has insufficient elements (requested 1, current size 0)");
  EXPECT_EQ(many.text(),
            "PaddingFIFOQueue 'q' is closed and has insufficient elements (requested 2, current size 0)");
  EXPECT_EQ(put.text(), "FIFOQueue 'q' is closed.");
}

std::vector<QueueTuple> up_to(int32_t count) {
  std::vector<QueueTuple> tuples;
  for (int32_t i = 0; i < count; ++i) tuples.push_back(element(i));
  return tuples;
}

TEST(ShuffleQueue, GivesInTensorFlowsOrder) {
  ShuffleQueue queue("q", ints(20), {.min_after_dequeue = 0, .seed = 7, .seed2 = 9});
  queue.enqueue(up_to(10), unheard());
  Told many;
  queue.dequeue_many(10, false, many.here());
  EXPECT_EQ(many.array(), Array({1, 8, 6, 5, 7, 2, 4, 9, 3, 0}));
  queue.enqueue(up_to(10), unheard());
  for (const int expected : {1, 6, 4, 3, 0, 9, 2, 7, 8, 5}) EXPECT_EQ(take_one(queue), Array(expected));
}

TEST(ShuffleQueue, KeepsSomeForMixingUntilItIsClosed) {
  ShuffleQueue queue("q", ints(20), {.min_after_dequeue = 4, .seed = 7, .seed2 = 9});
  queue.enqueue(up_to(6), unheard());
  EXPECT_EQ(take_one(queue), Array(1));
  EXPECT_EQ(take_one(queue), Array(0));
  Told three;
  queue.dequeue_many(3, false, three.here());
  EXPECT_TRUE(three.waits());
  EXPECT_EQ(queue.size(), 4);
  queue.close(false, unheard());
  EXPECT_EQ(three.array(), Array({2, 5, 3}));
  Told more;
  queue.dequeue_many(3, false, more.here());
  EXPECT_EQ(more.text(),
            "RandomShuffleQueue 'q' is closed and has insufficient elements (requested 3, current size 1)");
  Told rest;
  queue.dequeue_many(3, true, rest.here());
  EXPECT_EQ(rest.array(), Array(std::vector<int32_t>{4}));
}

TEST(PriorityQueue, GivesTheSmallestFirst) {
  PriorityQueue queue("q", {{DType::kInt64, DType::kString}, {Shape(), Shape()}, 5});
  const Array priorities(std::vector<int64_t>{3, 1, 3, 2});
  queue.enqueue(queue.rows_of({priorities, Array({"c", "a", "d", "b"})}), unheard());
  Told told;
  queue.dequeue_many(4, false, told.here());
  EXPECT_EQ(told.array(0), Array(std::vector<int64_t>{1, 2, 3, 3}));
  EXPECT_EQ(told.array(1), Array({"a", "b", "c", "d"}));
}

TEST(PriorityQueue, GivesSeveralAtOnceOrNone) {
  PriorityQueue queue("q", {{DType::kInt64}, {Shape()}, 5});
  queue.enqueue({{Array(int64_t{1})}}, unheard());
  Told told;
  queue.dequeue_many(2, false, told.here());
  EXPECT_EQ(queue.size(), 1);  // a smaller one may come
  queue.close(false, unheard());
  EXPECT_EQ(told.text(),
            "PriorityQueue 'q' is closed and has insufficient elements (requested 2, current size 1)");
}

TEST(FifoQueue, DoesNotTakeAnyNumberOfRowsWithoutElements) {
  FifoQueue queue("q", {{DType::kFloat32}, {Shape{0}}, -1});
  EXPECT_THROW(queue.rows_of({Array(DType::kFloat32, {int64_t{1} << 40, 0})}),
               errors::ResourceExhaustedError);
}

}  // namespace
}  // namespace flowray::ops
