// The same headers and calls, all right: shows that what does_not_compile/ expects is not there for
// another reason.
#include <flowray/ray.h>
#include <flowray/tf.h>
namespace ray = flowray::ray;

int plus(int a, int b);
struct Known {
  int x;
  FLOWRAY_FIELDS(x);
};
int take_known(const std::vector<Known>& x);
std::tuple<int, int> two();
RAY_REMOTE(plus, take_known, two);

void calls(ray::ObjectRef<int> number, std::vector<Known> known) {
  (void)ray::Task(plus).Remote(number, 2);
  (void)ray::Task(take_known).Remote(known);
  (void)ray::Task(two).NumReturns<2>().Remote();
}
