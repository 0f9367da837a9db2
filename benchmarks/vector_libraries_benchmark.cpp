// Our vector loops beside Highway's and SLEEF's at every CpuLevel that this machine has: a table whose cells
// are nanoseconds, the median and the least of short runs in turn; of functions also the largest error, in
// units in the last place. `--rounds N` runs of each.

#include <flowray/array.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "in_turn.h"
#include "ops/loops/inner_loops.h"
#include "ops/loops/math_loops.h"
#include "ops/reduce/reduce_loops.h"
#include "vector_libraries/float_loops.h"

namespace flowray::benchmarks {
namespace {

using ops::CpuLevel;

constexpr int64_t kElements = 4096;
constexpr float kNeverWritten = 1e30f;
constexpr int64_t kRows = 16, kInner = 256, kColumns = 64;

/// Ours and those of the libraries, all of one level, in the order of the table's columns.
struct Compared {
  CpuLevel level;
  std::vector<FloatLoops> libraries;
};

/// So many floats, 64-byte aligned as those of steps are.
Array floats(int64_t count) { return Array::uninitialized(DType::kFloat32, {count}); }

Array random_floats(int64_t count, float lowest, float highest) {
  static std::mt19937 random(1);
  std::uniform_real_distribution<float> distribution(lowest, highest);
  Array numbers = floats(count);
  std::generate_n(numbers.mutable_data<float>(), count, [&] { return distribution(random); });
  return numbers;
}

// ---- errors

using Exact = double (*)(double);

/// |y - exact| in units in the last place of a float as large as `exact`.
double error_of(float y, double exact) {
  return std::abs(static_cast<double>(y) - exact) / std::ldexp(1.0, std::ilogb(exact) - 23);
}

/// The largest error of each loop over every 61st float in [lowest, highest] whose result is normal.
std::vector<double> largest_errors(const std::vector<FloatLoop>& loops, Exact function, float lowest,
                                   float highest) {
  std::vector<double> errors(loops.size(), 0);
  std::vector<float> x, y(kElements);
  std::vector<double> exact;
  const auto compare = [&] {
    while (x.size() % 16 != 0) {
      x.push_back(x.front());
      exact.push_back(exact.front());
    }
    for (size_t i = 0; i < loops.size(); ++i) {
      if (loops[i] == nullptr) continue;
      std::fill(y.begin(), y.end(), kNeverWritten);
      loops[i](x.data(), y.data(), static_cast<int64_t>(x.size()));
      for (size_t j = 0; j < x.size(); ++j) errors[i] = std::max(errors[i], error_of(y[j], exact[j]));
    }
    x.clear();
    exact.clear();
  };
  for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 61) {
    const float number = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (!(number >= lowest && number <= highest)) continue;
    const double result = function(number);
    const double size = std::abs(result);
    if (size < std::numeric_limits<float>::min() || size > std::numeric_limits<float>::max()) continue;
    x.push_back(number);
    exact.push_back(result);
    if (x.size() == static_cast<size_t>(kElements)) compare();
  }
  if (!x.empty()) compare();
  return errors;
}

/// What the loops give for numbers where a function has an end: libraries may leave them out, TensorFlow has
/// them.
void print_ends(FloatLoop FloatLoops::* loop, const char* name, const std::vector<float>& ends) {
  struct Library {
    const char* name;
    FloatLoops (*loops)(CpuLevel);
  };
  for (const Library& library :
       {Library{"Highway", &highway_loops}, {"SLEEF", &sleef_loops}, {"SLEEF, 3.5", &coarse_sleef_loops}}) {
    const FloatLoop run = library.loops(ops::highest_cpu_level()).*loop;
    if (run == nullptr) continue;
    std::vector<float> x(16, 1), y(16);
    std::copy(ends.begin(), ends.end(), x.begin());
    run(x.data(), y.data(), 16);
    std::printf("%s:", library.name);
    for (size_t i = 0; i < ends.size(); ++i) {
      std::printf(" %s(%g) = %g", name, static_cast<double>(x[i]), static_cast<double>(y[i]));
    }
    std::printf("\n");
  }
}

// ---- the rows

void print_row(const std::string& what, CpuLevel level, const std::vector<std::string>& cells) {
  std::printf("| %s | %s |", what.c_str(), std::string(ops::name_of(level)).c_str());
  for (const std::string& cell : cells) std::printf(" %s |", cell.c_str());
  std::printf("\n");
  std::fflush(stdout);
}

/// Times those of `ways` that there are.
std::vector<std::string> cells_of(const std::vector<Repeated>& ways, int rounds) {
  std::vector<Repeated> there;
  for (const Repeated& way : ways) {
    if (way != nullptr) there.push_back(way);
  }
  const std::vector<Times> times = time_in_turn(there, rounds);
  std::vector<std::string> cells;
  auto next = times.begin();
  for (const Repeated& way : ways) cells.push_back(way == nullptr ? "" : text_of(*next++));
  return cells;
}

/// A function of one variable, and the numbers that it is timed on.
struct Function {
  std::string name;
  FloatLoop FloatLoops::* loop;
  Exact exact;
  float lowest_timed, highest_timed;
  float lowest, highest;
};

void add_function(const Compared& compared, const Function& function, int rounds) {
  const Array x = random_floats(kElements, function.lowest_timed, function.highest_timed);
  Array y = floats(kElements);
  const float* const in = x.data<float>();
  float* const out = y.mutable_data<float>();
  std::vector<FloatLoop> loops;
  std::vector<Repeated> ways;
  for (const FloatLoops& library : compared.libraries) {
    const FloatLoop loop = library.*function.loop;
    loops.push_back(loop);
    ways.push_back(loop == nullptr ? Repeated() : [=](int64_t times) {
      for (; times > 0; --times) loop(in, out, kElements);
    });
  }
  std::vector<std::string> cells = cells_of(ways, rounds);
  const std::vector<double> errors = largest_errors(loops, function.exact, function.lowest, function.highest);
  for (size_t i = 0; i < cells.size(); ++i) {
    if (loops[i] == nullptr) continue;
    char text[32];
    std::snprintf(text, sizeof text, "; %.2f", errors[i]);
    cells[i] += text;
  }
  print_row(function.name + " of 4,096; largest error", compared.level, cells);
}

/// Ends the program where a library's result is another one than ours, but for rounding.
void require_same(std::span<const float> ours, std::span<const float> other) {
  for (size_t i = 0; i < ours.size(); ++i) {
    if (std::abs(ours[i] - other[i]) < 1e-3f) continue;
    std::fprintf(stderr, "results differ: %g and %g\n", static_cast<double>(ours[i]),
                 static_cast<double>(other[i]));
    std::exit(1);
  }
}

/// The row of a loop that not all libraries have: `run(library, out)` runs a library's once.
template <class Loop, class Run>
void add_row_of(const Compared& compared, const std::string& what, Loop FloatLoops::* loop, int64_t results,
                const Run& run, int rounds) {
  Array of_ours = floats(results), of_another = floats(results);
  run(compared.libraries.front(), of_ours.mutable_data<float>());
  const std::span<float> out(of_another.mutable_data<float>(), static_cast<size_t>(results));
  std::vector<Repeated> ways;
  for (const FloatLoops& library : compared.libraries) {
    if (library.*loop == nullptr) {
      ways.emplace_back();
      continue;
    }
    std::fill(out.begin(), out.end(), kNeverWritten);
    run(library, out.data());
    require_same(of_ours.span<float>(), out);
    ways.push_back([&run, &library, out](int64_t times) {
      for (; times > 0; --times) run(library, out.data());
    });
  }
  print_row(what, compared.level, cells_of(ways, rounds));
}

void add_sums_and_product(const Compared& compared, int rounds) {
  const Array x = random_floats(kElements, -1, 1), y = random_floats(kElements, -1, 1);
  add_row_of(
      compared, "sum of two arrays of 4,096", &FloatLoops::add, kElements,
      [&](const FloatLoops& library, float* out) {
        library.add(x.data<float>(), y.data<float>(), out, kElements);
      },
      rounds);
  add_row_of(
      compared, "sum of the elements of 4,096", &FloatLoops::sum, 1,
      [&](const FloatLoops& library, float* out) { *out = library.sum(x.data<float>(), kElements); }, rounds);
  const Array a = random_floats(kRows * kInner, -1, 1), b = random_floats(kInner * kColumns, -1, 1);
  add_row_of(
      compared, "product 16 x 256 x 64", &FloatLoops::multiply, kRows * kColumns,
      [&](const FloatLoops& library, float* out) {
        library.multiply(a.data<float>(), b.data<float>(), out, kInner);
      },
      rounds);
}

// ---- ours

template <CpuLevel kLevel, ops::UnaryFunction kFunction>
void our_loop(const float* x, float* y, int64_t count) {
  static const ops::UnaryLoop kLoop = ops::math_loops(kLevel).find(kFunction, DType::kFloat32);
  kLoop(x, y, count);
}

template <CpuLevel kLevel>
void our_add(const float* x, const float* y, float* z, int64_t count) {
  static const ops::BinaryLoop kLoop =
      ops::math_loops(kLevel).find(ops::BinaryFunction::kAdd, DType::kFloat32).both;
  kLoop(x, y, z, count);
}

template <CpuLevel kLevel>
float our_sum(const float* x, int64_t count) {
  static const auto kLoop = ops::compiled_loop<ops::RowsLoop<ops::Adding, float, float>>(kLevel);
  float sum;
  kLoop(x, 1, count, &sum);
  return sum;
}

template <CpuLevel kLevel>
void our_multiply(const float* a, const float* b, float* c, int64_t k) {
  static const auto kLoop = ops::inner_loops(kLevel).multiply;
  const ops::TileRun whole{0, 0};
  kLoop({.a = a,
         .a_row = k,
         .b = b,
         .b_step = kColumns,
         .c = c,
         .c_row = kColumns,
         .rows = kRows,
         .columns = kColumns,
         .runs = &whole,
         .run_count = 1,
         .run_length = k});
}

template <CpuLevel kLevel>
constexpr FloatLoops kOurLoops = {&our_loop<kLevel, ops::UnaryFunction::kExp>,
                                  &our_loop<kLevel, ops::UnaryFunction::kLog>,
                                  &our_loop<kLevel, ops::UnaryFunction::kTanh>,
                                  &our_add<kLevel>,
                                  &our_sum<kLevel>,
                                  &our_multiply<kLevel>};

template <CpuLevel kLevel>
void add_level(int rounds) {
  if (kLevel > ops::highest_cpu_level()) return;
  const Compared compared{
      kLevel, {kOurLoops<kLevel>, highway_loops(kLevel), sleef_loops(kLevel), coarse_sleef_loops(kLevel)}};
  add_function(compared, {"exp", &FloatLoops::exp, &std::exp, -10, 10, -88, 89}, rounds);
  add_function(compared, {"log", &FloatLoops::log, &std::log, 0.01f, 100, 1.2e-38f, 3e38f}, rounds);
  add_function(compared, {"tanh", &FloatLoops::tanh, &std::tanh, -5, 5, -20, 20}, rounds);
  add_sums_and_product(compared, rounds);
}

}  // namespace
}  // namespace flowray::benchmarks

int main(int argc, char** argv) {
#ifndef NDEBUG
  std::fputs("this is a debug build: its times mean nothing\n", stderr);
  return 2;
#endif
  using flowray::ops::CpuLevel;
  const int rounds = flowray::benchmarks::rounds_of(argc, argv, 2001);
  if (rounds == 0) {
    std::fputs("usage: vector_libraries_benchmark [--rounds N]\n", stderr);
    return 2;
  }
  std::printf("| float32 | level | ours | Highway | SLEEF within 1 unit | SLEEF within 3.5 units |\n");
  std::printf("|---|---|---|---|---|---|\n");
  flowray::benchmarks::add_level<CpuLevel::kPortable>(rounds);
  flowray::benchmarks::add_level<CpuLevel::kAvx2>(rounds);
  flowray::benchmarks::add_level<CpuLevel::kAvx512>(rounds);
  using flowray::benchmarks::FloatLoops;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  flowray::benchmarks::print_ends(&FloatLoops::exp, "exp", {200, -200, kInfinity, kNan});
  flowray::benchmarks::print_ends(&FloatLoops::log, "log", {0, -1, kInfinity, kNan});
  flowray::benchmarks::print_ends(&FloatLoops::tanh, "tanh", {200, -200, kInfinity, kNan});
  return 0;
}
