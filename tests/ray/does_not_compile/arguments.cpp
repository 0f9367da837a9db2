// EXPECTED: the number of arguments is not that of the function's parameters
// EXPECTED: a function pointer has no default arguments
// EXPECTED: an argument cannot be converted to the type of the function's parameter
// EXPECTED: the value that the ObjectRef refers to is not of the parameter's type
// EXPECTED: the function takes an ObjectRef to another type than the one passed
// EXPECTED: an ObjectRef<void> has no value that could be passed
#include <flowray/ray.h>
namespace ray = flowray::ray;

int plus(int a, int b);
int with_default(int a, int b = 2);
int through(ray::ObjectRef<int> ref);

void calls(ray::ObjectRef<int> number, ray::ObjectRef<double> real, ray::ObjectRef<std::string> text,
           ray::ObjectRef<void> none) {
  (void)ray::Task(plus).Remote(1);
  (void)ray::Task(with_default).Remote(1);
  (void)ray::Task(plus).Remote(1, 2, 3);
  (void)ray::Task(plus).Remote(1, "two");
  (void)ray::Task(plus).Remote(number, real);
  (void)ray::Task(plus).Remote(number, text);
  (void)ray::Task(through).Remote(text);
  (void)ray::Task(plus).Remote(number, none);
}
