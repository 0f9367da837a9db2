// EXPECTED: tf::cond: a branch gives a tensor, what converts to one, an operation, or a tuple or
// EXPECTED: tf::cond: both branches must give the same number of values
// EXPECTED: tf::while_loop: the body must give as many values as there are loop variables
#include <flowray/tf.h>

#include <tuple>
namespace tf = flowray::tf;

void branches(tf::Tensor t) {
  tf::cond(t, [&] { (void)tf::no_op(); }, [&] { (void)tf::no_op(); });
  tf::cond(t, [&] { return std::tuple(t, t); }, [&] { return std::tuple(t); });
  tf::while_loop([](auto i, auto) { return i < 3; }, [](auto i, auto a) { return std::tuple(i + 1); },
                 {0, t});
}
