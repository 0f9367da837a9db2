#pragma once
/// The rows of scripts/compare that Flowray serves; docs/measuring.md says what one iteration of each is.

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace flowray::compare {

/// Work to be measured: a graph, a session and what feeds it, made by the constructor.
class Row {
 public:
  virtual ~Row() = default;
  /// Back to the given weights, outside of the clock.
  virtual void begin() {}
  /// So many iterations.
  virtual void run(int64_t iterations) = 0;
  /// Results of a short run from the given weights, which every side must agree on.
  virtual std::vector<double> check() = 0;
};

struct NamedRow {
  std::string_view name;
  /// For sessions of so many threads; 0: all.
  std::unique_ptr<Row> (*make)(int threads);
};

/// All of them, in the order of the table.
const std::vector<NamedRow>& all_rows();

// The families, each in its own file.
std::unique_ptr<Row> make_scalar_add(int threads);
std::unique_ptr<Row> make_scalar_add_run(int threads);
std::unique_ptr<Row> make_linear_regression(int threads);
std::unique_ptr<Row> make_lenet5(int threads);

}  // namespace flowray::compare
