// A step of one addition: what a step costs by itself.

#include <flowray/tf.h>

#include "compare/rows.h"

namespace flowray::compare {
namespace {

class ScalarAdd : public Row {
 public:
  explicit ScalarAdd(int threads) : session_(graph_, {.intra_op_parallelism_threads = threads}) {
    const auto scope = graph_.as_default();
    a_ = tf::placeholder(tf::float32, {});
    b_ = tf::placeholder(tf::float32, {});
    sum_ = a_ + b_;
    add_ = session_.make_callable(sum_, {a_, b_});
  }

  void run(int64_t iterations) override {
    for (int64_t i = 0; i < iterations; ++i) add_(one_, two_);
  }

  std::vector<double> check() override { return {add_(Array(1.5f), Array(2.25f)).item<float>()}; }

 protected:
  tf::Graph graph_;
  tf::Session session_;
  tf::Tensor a_, b_, sum_;
  const Array one_ = Array(1.0f), two_ = Array(2.0f);  // in braces they would be vectors

 private:
  tf::Callable add_;
};

class ScalarAddRun final : public ScalarAdd {
 public:
  using ScalarAdd::ScalarAdd;

  void run(int64_t iterations) override {
    for (int64_t i = 0; i < iterations; ++i) session_.run(sum_, {{a_, one_}, {b_, two_}});
  }

  std::vector<double> check() override {
    return {session_.run(sum_, {{a_, Array(1.5f)}, {b_, Array(2.25f)}}).item<float>()};
  }
};

}  // namespace

std::unique_ptr<Row> make_scalar_add(int threads) { return std::make_unique<ScalarAdd>(threads); }
std::unique_ptr<Row> make_scalar_add_run(int threads) { return std::make_unique<ScalarAddRun>(threads); }

}  // namespace flowray::compare
