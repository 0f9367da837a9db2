// EXPECTED: a pointer means nothing in another process
// EXPECTED: FLOWRAY_FIELDS
// EXPECTED: specialise flowray::ray::Codec for it
#include <flowray/ray.h>
namespace ray = flowray::ray;

struct Unknown {
  int x;
};
int take_pointer(int* x);
int take_unknown(const std::vector<Unknown>& x);

void calls(int* pointer, std::vector<Unknown> unknown) {
  (void)ray::Task(take_pointer).Remote(pointer);
  (void)ray::Task(take_unknown).Remote(unknown);
}
