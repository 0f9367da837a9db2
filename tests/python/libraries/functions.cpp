/// Remote functions and an actor that Python's tests call by their names, and that call Python's.

#include <flowray/ray.h>

#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ray = flowray::ray;

namespace {

int Plus(int a, int b) { return a + b; }
double Half(double x) { return x / 2; }
std::string Greet(const std::string& name) { return "hello, " + name; }
std::vector<double> Doubled(std::vector<double> values) {
  for (double& value : values) value *= 2;
  return values;
}
std::map<std::string, int> Lengths(const std::vector<std::string>& words) {
  std::map<std::string, int> lengths;
  for (const std::string& word : words) lengths[word] = static_cast<int>(word.size());
  return lengths;
}
std::vector<std::byte> Reversed(std::vector<std::byte> bytes) { return {bytes.rbegin(), bytes.rend()}; }
flowray::Array Scaled(const flowray::Array& array, float by) {
  flowray::Array scaled = array;
  float* const data = scaled.mutable_data<float>();
  for (int64_t i = 0; i < scaled.size(); ++i) data[i] *= by;
  return scaled;
}
int Fail(int code) { throw std::out_of_range("code " + std::to_string(code)); }
int FailWithNul() { throw flowray::ValueError(std::string("zero \0 one", 10)); }
int Sum(const std::vector<ray::ObjectRef<int>>& refs) {
  return std::accumulate(refs.begin(), refs.end(), 0,
                         [](int sum, const ray::ObjectRef<int>& ref) { return sum + *ref.Get(); });
}

class Counter {
 public:
  explicit Counter(int start) : value_(start) {}
  static Counter* Create(int start) {
    if (start < 0) throw std::invalid_argument("a counter starts at 0 or above");
    return new Counter(start);
  }
  int Add(int x) { return value_ += x; }

 private:
  int value_;
};

const char* const kModule = "called_from_cpp";

/// Python's function with a value, and with a reference to one of C++'s.
int PlusOfPython(int a, int b) {
  const ray::ObjectRef<int> sum = ray::Task(Plus).Remote(a, b);
  return *ray::Task(ray::PyFunction<int>{kModule, "plus"}).SetMaxRetries(0).Remote(sum, 100).Get();
}
std::map<std::string, std::vector<double>> MeansOfPython(
    const std::map<std::string, std::vector<double>>& rows) {
  return *ray::Task(ray::PyFunction<std::map<std::string, std::vector<double>>>{kModule, "with_means"})
              .Remote(rows)
              .Get();
}
std::vector<int> CountInPython(int start) {
  ray::ActorHandleXlang counter =
      ray::Actor(ray::PyActorClass{kModule, "Counter"}).SetName("from C++").Remote(start);
  const auto first = counter.Task(ray::PyActorMethod<int>{"add"}).Remote(1);
  const auto second = ray::GetActor("from C++")->Task(ray::PyActorMethod<int>{"add"}).Remote(first);
  std::vector<int> counted = {*first.Get(), *second.Get()};
  counter.Kill();
  return counted;
}
ray::ActorHandleXlang GiveCounter() { return ray::Actor(ray::PyActorClass{kModule, "Counter"}).Remote(5); }
std::string ErrorOfPython() {
  try {
    ray::Task(ray::PyFunction<int>{kModule, "fail"}).Remote("no").Get();
  } catch (const ray::RayTaskException& error) {
    try {
      error.rethrow_cause();
    } catch (const flowray::ValueError& cause) {
      return error.failure().class_name + ": " + cause.message();
    }
  }
  return "no error";
}
std::string ErrorOfMissing() {
  try {
    ray::Task(ray::PyFunction<int>{kModule, "nowhere"}).Remote().Get();
  } catch (const ray::RayTaskException& error) {
    return error.failure().class_name;
  }
  return "no error";
}

RAY_REMOTE(Plus, Half, Greet, Doubled, Lengths, Reversed, Scaled, Fail, FailWithNul, Sum, Counter::Create,
           &Counter::Add, PlusOfPython, MeansOfPython, CountInPython, GiveCounter, ErrorOfPython,
           ErrorOfMissing);

}  // namespace
