// Large products are cut so that each level of the cache holds one operand: a block of B (kBlockSteps rows,
// up to kBlockColumns columns) is packed into panels, which stay in the outer cache while all of A passes by;
// a block of A (kBlockRows rows of those steps) stays in the second level while the panels pass by; a panel
// feeds one row of tiles after the other from the first.

#include "ops/loops/gemm.h"

#include <algorithm>

#include "ops/loops/gemm_plain.h"
#include "ops/loops/inner_loops.h"
#include "ops/loops/pack.h"

namespace flowray::ops {
namespace {

constexpr int64_t kBlockSteps = 256;
constexpr int64_t kBlockRows = 240;
constexpr int64_t kBlockColumns = 768;

// A worker is not worth waking for less than about 4 us of one core's work: of arithmetic, or of reading a
// matrix once.
constexpr int64_t kMultiplyAddsPerWorker = 400'000;
constexpr int64_t kElementsPerWorker = 40'000;

// Rows that are passed on as finished should still be in the second level cache, and leave room there.
constexpr int64_t kFinishedElements = 8 * 1024;

// Columns of A that lie a multiple of so many floats apart fall on few places of the first level cache and
// push each other out.
constexpr int64_t kCollidingStride = 128;

struct Range {
  int64_t begin;
  int64_t end;
  int64_t size() const { return end - begin; }
};

/// Part `index` of `parts` about equal parts of [0, total).
Range part_of(int64_t total, int64_t index, int64_t parts) {
  return {total * index / parts, total * (index + 1) / parts};
}

/// How a product is cut into independent tasks: a grid of row blocks by column blocks (whole panels).
struct Grid {
  int64_t row_blocks;
  int64_t rows;
  int64_t column_blocks;
  int64_t columns;
};

Grid grid_for(const GemmShape& shape, const InnerLoops& loops, int workers) {
  const double multiply_adds = static_cast<double>(shape.m) * static_cast<double>(shape.n) *
                               static_cast<double>(shape.k);  // which may not fit an integer
  const auto tasks = static_cast<int64_t>(
      std::clamp<double>(multiply_adds / static_cast<double>(kMultiplyAddsPerWorker), 1, workers));
  // Columns first: blocks of columns share no part of B, so none is packed twice.
  const int64_t panels = parts_of(shape.n, loops.panel_columns);
  const int64_t panels_per_block = parts_of(panels, std::min(panels, tasks));
  const int64_t column_blocks = parts_of(panels, panels_per_block);
  const int64_t rows = round_up(parts_of(shape.m, parts_of(tasks, column_blocks)), loops.tile_rows);
  return {parts_of(shape.m, rows), rows, column_blocks, panels_per_block * loops.panel_columns};
}

/// A matrix and a vector whose rows' inner products are the result: A and B if B has one column, or B and A.
bool is_dot_products(const GemmShape& s) { return s.n == 1 ? !s.transpose_a : s.m == 1 && s.transpose_b; }

bool packs_a(const GemmShape& s, const Grid& grid, const InnerLoops& loops) {
  return s.transpose_a && s.m % kCollidingStride == 0 && grid.columns > loops.panel_columns;
}

int64_t packed_b_elements(const GemmShape& shape, const Grid& grid) {
  return std::min(kBlockSteps, shape.k) * std::min(kBlockColumns, grid.columns);
}

int64_t packed_a_elements(const GemmShape& shape, const Grid& grid, const InnerLoops& loops) {
  return packs_a(shape, grid, loops) ? round_up(std::min(kBlockSteps, shape.k) * kBlockRows, 16) : 0;
}

int64_t scratch_elements(const GemmShape& shape, const Grid& grid, const InnerLoops& loops) {
  return packed_b_elements(shape, grid) + packed_a_elements(shape, grid, loops);
}

struct Operands {
  const float* a;
  const float* b;
  const float* bias;
  float* c;
  const FinishedElements* finished;
};

/// One task: some rows and columns of C. `scratch` is its worker's.
class Task {
 public:
  Task(const GemmShape& shape, const GemmEpilogue& epilogue, const InnerLoops& loops, const Grid& grid,
       const Operands& operands, float* scratch)
      : shape_(shape),
        epilogue_(epilogue),
        loops_(loops),
        operands_(operands),
        packed_b_(scratch),
        packed_a_(packs_a(shape, grid, loops) ? scratch + packed_b_elements(shape, grid) : nullptr) {}

  void run(Range rows, Range columns) const {
    for (int64_t column = columns.begin; column < columns.end; column += kBlockColumns) {
      run_columns(rows, {column, std::min(columns.end, column + kBlockColumns)});
    }
  }

 private:
  void run_columns(Range rows, Range columns) const {
    // A matrix of one panel lies as it would be packed.
    const bool is_panel = shape_.n <= loops_.panel_columns;
    const bool is_b_in_place = !shape_.transpose_b && columns.size() % loops_.width == 0 &&
                               (is_panel || rows.size() <= 2 * loops_.tile_rows);
    const int64_t blocks = std::max<int64_t>(1, parts_of(shape_.k, kBlockSteps));
    for (int64_t block = 0; block < blocks; ++block) {
      const Range steps = part_of(shape_.k, block, blocks);
      const bool tells = operands_.finished != nullptr && steps.end == shape_.k;
      const int64_t most_rows =
          tells ? std::clamp(kFinishedElements / columns.size() / loops_.tile_rows * loops_.tile_rows,
                             int64_t{loops_.tile_rows}, kBlockRows)
                : kBlockRows;
      if (!is_b_in_place) pack_b(columns, steps);
      for (int64_t row = rows.begin; row < rows.end; row += most_rows) {
        const Range block_rows{row, std::min(rows.end, row + most_rows)};
        run_block(block_rows, columns, steps, is_b_in_place);
        if (tells) tell(block_rows, columns);
      }
    }
  }

  void tell(Range rows, Range columns) const {
    if (columns.size() == shape_.n) return (*operands_.finished)(rows.begin * shape_.n, rows.end * shape_.n);
    for (int64_t row = rows.begin; row < rows.end; ++row)
      (*operands_.finished)(row* shape_.n + columns.begin, row * shape_.n + columns.end);
  }

  /// Calls body(panel_columns, panel) for each panel of `columns` and the place of its packed form of so
  /// many steps.
  template <typename Body>
  void for_panels(Range columns, int64_t steps, Body body) const {
    float* panel = packed_b_;
    while (columns.begin < columns.end) {
      const Range panel_columns{columns.begin, std::min(columns.end, columns.begin + loops_.panel_columns)};
      body(panel_columns, panel);
      panel += padded(panel_columns) * steps;
      columns.begin = panel_columns.end;
    }
  }

  int64_t padded(Range columns) const { return round_up(columns.size(), loops_.width); }

  void pack_b(Range columns, Range steps) const {
    for_panels(columns, steps.size(), [&](Range panel_columns, float* panel) {
      const int64_t size = panel_columns.size();
      const int64_t row = padded(panel_columns);
      if (shape_.transpose_b) {
        const float* from = operands_.b + panel_columns.begin * shape_.k + steps.begin;
        pack_transposed(from, shape_.k, size, steps.size(), panel, row, row);
      } else {
        const float* from = operands_.b + steps.begin * shape_.n + panel_columns.begin;
        pack_rows(from, shape_.n, steps.size(), size, panel, row, row);
      }
    });
  }

  void run_block(Range rows, Range columns, Range steps, bool is_b_in_place) const {
    const TileRun run{0, 0};
    const bool is_last = steps.end == shape_.k;
    TileProduct p;
    point_at_a(p, rows, steps);
    p.rows = rows.size();
    p.runs = &run;
    p.run_count = 1;  // of no length if k is 0
    p.run_length = steps.size();
    p.c_row = shape_.n;
    p.add_to_c = epilogue_.add_to_c || steps.begin > 0;
    p.relu = is_last && epilogue_.relu;
    for_panels(columns, steps.size(), [&](Range panel_columns, const float* panel) {
      const int64_t column = panel_columns.begin;
      p.b = is_b_in_place ? operands_.b + steps.begin * shape_.n + column : panel;
      p.b_step = is_b_in_place ? shape_.n : padded(panel_columns);
      p.c = operands_.c + rows.begin * shape_.n + column;
      p.columns = panel_columns.size();
      p.bias = is_last && epilogue_.bias ? operands_.bias + column : nullptr;
      loops_.multiply(p);
    });
  }

  void point_at_a(TileProduct& p, Range rows, Range steps) const {
    p.a_row = shape_.transpose_a ? 1 : shape_.k;
    p.a_step = shape_.transpose_a ? shape_.m : 1;
    p.a = operands_.a + rows.begin * p.a_row + steps.begin * p.a_step;
    if (packed_a_ == nullptr) return;
    pack_rows(p.a, shape_.m, steps.size(), rows.size(), packed_a_, rows.size(), rows.size());
    p.a = packed_a_;
    p.a_step = rows.size();
  }

  const GemmShape& shape_;
  const GemmEpilogue& epilogue_;
  const InnerLoops& loops_;
  const Operands& operands_;
  float* packed_b_;
  float* packed_a_;
};

int64_t dot_products_per_worker(const GemmShape& shape) { return kElementsPerWorker / (shape.k + 1) + 1; }

/// Where the result is a vector of inner products: `count` of them.
void run_dot_products(const GemmShape& shape, const GemmEpilogue& epilogue, const InnerLoops& loops,
                      const Operands& operands, Parallel& parallel) {
  const bool is_a_matrix = shape.n == 1;
  const float* matrix = is_a_matrix ? operands.a : operands.b;
  const float* vector = is_a_matrix ? operands.b : operands.a;
  auto run_rows = [&](int64_t begin, int64_t end, int /*worker*/) {
    loops.dot_rows({.matrix = matrix + begin * shape.k,
                    .vector = vector,
                    .rows = end - begin,
                    .length = shape.k,
                    .add_to_out = epilogue.add_to_c,
                    .out = operands.c + begin});
    for (int64_t row = begin; row < end; ++row) {
      float& c = operands.c[row];
      if (epilogue.bias) c += operands.bias[is_a_matrix ? 0 : row];
      if (epilogue.relu && c < 0) c = 0;
    }
    if (operands.finished != nullptr) (*operands.finished)(begin, end);
  };
  parallel.for_range(shape.m * shape.n, dot_products_per_worker(shape), run_rows);
}

/// Drops transposes that change nothing in memory.
GemmShape without_idle_transposes(GemmShape s) {
  if (s.m == 1 || s.k == 1) s.transpose_a = false;
  if (s.n == 1 || s.k == 1) s.transpose_b = false;
  return s;
}

}  // namespace

template <typename T>
Gemm<T>::Gemm(const GemmShape& shape, const GemmEpilogue& epilogue, CpuLevel level)
    : shape_(without_idle_transposes(shape)), epilogue_(epilogue), level_(level) {}

template <typename T>
size_t Gemm<T>::workspace_bytes(int /*workers*/) const {
  return 0;
}

template <typename T>
void Gemm<T>::run(const T* a, const T* b, const T* bias, T* c, void* /*workspace*/, Parallel& parallel,
                  const FinishedElements* finished) const {
  multiply_plainly(shape_, epilogue_, a, b, bias, c, parallel, finished);
}

template <typename T>
int64_t Gemm<T>::piece_elements(int /*workers*/) const {
  return shape_.n;
}

template <typename T>
bool Gemm<T>::is_shared(int workers) const {
  return shape_.m >= workers * plain_rows_per_worker(shape_);
}

template <>
size_t Gemm<float>::workspace_bytes(int workers) const {
  if (shape_.m == 0 || shape_.n == 0 || is_dot_products(shape_)) return 0;
  const InnerLoops& loops = inner_loops(level_);
  return static_cast<size_t>(workers * scratch_elements(shape_, grid_for(shape_, loops, workers), loops)) *
         sizeof(float);
}

template <>
int64_t Gemm<float>::piece_elements(int workers) const {
  if (shape_.m == 0 || shape_.n == 0 || is_dot_products(shape_)) return 1;
  const Grid grid = grid_for(shape_, inner_loops(level_), workers);
  return grid.column_blocks == 1 && shape_.n <= kBlockColumns ? shape_.n : 1;
}

template <>
bool Gemm<float>::is_shared(int workers) const {
  if (shape_.m == 0 || shape_.n == 0) return true;
  if (is_dot_products(shape_)) return shape_.m * shape_.n >= workers * dot_products_per_worker(shape_);
  const Grid grid = grid_for(shape_, inner_loops(level_), workers);
  return grid.row_blocks * grid.column_blocks >= workers;
}

template <>
void Gemm<float>::run(const float* a, const float* b, const float* bias, float* c, void* workspace,
                      Parallel& parallel, const FinishedElements* finished) const {
  if (shape_.m == 0 || shape_.n == 0) return;
  const InnerLoops& loops = inner_loops(level_);
  const Operands operands{a, b, bias, c, finished};
  if (is_dot_products(shape_)) return run_dot_products(shape_, epilogue_, loops, operands, parallel);
  const Grid grid = grid_for(shape_, loops, parallel.workers());
  auto run_tasks = [&](int64_t index, int64_t end, int worker) {
    float* scratch = static_cast<float*>(workspace) + worker * scratch_elements(shape_, grid, loops);
    const Task task(shape_, epilogue_, loops, grid, operands, scratch);
    for (; index < end; ++index) {
      const int64_t row = index / grid.column_blocks * grid.rows;
      const int64_t column = index % grid.column_blocks * grid.columns;
      task.run({row, std::min(shape_.m, row + grid.rows)},
               {column, std::min(shape_.n, column + grid.columns)});
    }
  };
  parallel.for_range(grid.row_blocks * grid.column_blocks, 1, run_tasks);
}

template class Gemm<float>;
template class Gemm<double>;
template class Gemm<int32_t>;
template class Gemm<int64_t>;

}  // namespace flowray::ops
