#pragma once
/// The rows of scripts/compare that Flowray serves; docs/measuring.md says what one iteration of each is.

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace flowray::compare {

struct Measurement {
  int64_t iterations = 0;
  double seconds = 0;
};

/// Work to be measured: a graph, a session and what feeds it, or actors and objects, made by the constructor.
class Row {
 public:
  virtual ~Row() = default;
  /// Back to the given weights, outside of the clock.
  virtual void begin() {}
  /// So many iterations.
  virtual void run(int64_t iterations) = 0;
  /// Runs for about `seconds`, reading the clock every 2.5 to 10 ms.
  virtual Measurement measure(double seconds);
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
std::unique_ptr<Row> make_small_mlp(int threads);
std::unique_ptr<Row> make_large_mlp(int threads);
std::unique_ptr<Row> make_cnn(int threads);
std::unique_ptr<Row> make_lstm(int threads);
std::unique_ptr<Row> make_build_large_graph(int threads);
std::unique_ptr<Row> make_first_run_of_large_graph(int threads);
std::unique_ptr<Row> make_eager_add(int threads);
std::unique_ptr<Row> make_eager_regression(int threads);
std::unique_ptr<Row> make_served_regression(int threads);
std::unique_ptr<Row> make_parameter_server_step(int threads);
std::unique_ptr<Row> make_put_small(int threads);
std::unique_ptr<Row> make_get_small(int threads);
std::unique_ptr<Row> make_put_large(int threads);
std::unique_ptr<Row> make_get_large(int threads);
std::unique_ptr<Row> make_task(int threads);
std::unique_ptr<Row> make_pipelined_tasks(int threads);
std::unique_ptr<Row> make_actor_call(int threads);
std::unique_ptr<Row> make_pipelined_actor_calls(int threads);
std::unique_ptr<Row> make_two_actors(int threads);
std::unique_ptr<Row> make_echo(int threads);
std::unique_ptr<Row> make_weight_averaging(int threads);
std::unique_ptr<Row> make_start(int threads);

/// Starts the runtime of tasks and actors, if it does not run yet.
void need_runtime();
/// The program of `start to first result`: one iteration of weight averaging, its weights printed.
void average_once();

}  // namespace flowray::compare
