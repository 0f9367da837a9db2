// STANDARD: c++17
// FIRST: Flowray needs C++20: compile with -std=c++20
#include <flowray/ray.h>
#include <flowray/tf.h>

int main() {
  flowray::ray::Init();
  flowray::tf::Session session;
}
