// EXPECTED: Task() takes no member function
// EXPECTED: the method is one of another class than the actor's
// EXPECTED: Actor() takes a factory
// EXPECTED: the function must return a std::tuple, std::pair or std::array
// EXPECTED: std::tuple has another number of items
#include <flowray/ray.h>
namespace ray = flowray::ray;

struct A {
  static A* Create();
  int run();
};
struct B {
  int run();
};
int number();
std::tuple<int, int> two();

void calls(ray::ActorHandle<A> actor) {
  (void)ray::Task(&A::run);
  (void)actor.Task(&B::run);
  (void)ray::Actor(number);
  (void)ray::Task(number).NumReturns<2>().Remote();
  (void)ray::Task(two).NumReturns<3>().Remote();
}
