// The numeric kernels of LeNet-5 (batch 100) and of shapes up to ResNet-50's, each beside oneDNN's call for
// the same shape in the same layout, small products and convolutions beside libxsmm's, too, where that was
// found. `ours`, `onednn` and `libxsmm` are followed by the number of threads.

#include <benchmark/benchmark.h>
#include <oneapi/dnnl/dnnl.hpp>
#if defined(FLOWRAY_LIBXSMM)
#include <libxsmm.h>
#endif

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "core/parallel.h"
#include "kernels/conv_arrays.h"
#include "ops/loops/conv_loops.h"
#include "ops/loops/cpu_level.h"
#include "ops/loops/gemm.h"
#include "ops/loops/pool_loops.h"
#if defined(FLOWRAY_LIBXSMM)
#include "kernels/libxsmm_conv.h"
#endif

// From libgomp, which oneDNN runs on; its header is gcc's alone.
extern "C" void omp_set_num_threads(int);

namespace flowray::ops {
namespace {

/// The caller and one thread that waits for work by spinning, then sleeps.
class TwoThreads final : public Parallel {
 public:
  TwoThreads() : helper_([this] { help(); }) {}
  ~TwoThreads() override {
    is_over_ = true;
    submit();
    helper_.join();
  }

  int workers() const override { return 2; }

  void for_range(int64_t count, int64_t min_per_worker,
                 const FunctionRef<void(int64_t, int64_t, int)>& body) override {
    if (count < 2 * min_per_worker || count < 2) {
      if (count > 0) body(0, count, 0);
      return;
    }
    body_ = &body;
    begin_ = (count + 1) / 2;
    end_ = count;
    submit();
    body(0, begin_, 0);
    wait_until(done_, submitted_.load());
  }

 private:
  void submit() {
    submitted_.fetch_add(1);
    submitted_.notify_one();
  }

  static void wait_until(std::atomic<int64_t>& counter, int64_t value) {
    for (int i = 0; i < 20'000; ++i) {
      if (counter.load(std::memory_order_acquire) >= value) return;
      __builtin_ia32_pause();
    }
    for (int64_t now = counter.load(); now < value; now = counter.load()) counter.wait(now);
  }

  void help() {
    for (int64_t turn = 1;; ++turn) {
      wait_until(submitted_, turn);
      if (is_over_) return;
      (*body_)(begin_, end_, 1);
      done_.store(turn);
      done_.notify_one();
    }
  }

  const FunctionRef<void(int64_t, int64_t, int)>* body_ = nullptr;
  int64_t begin_ = 0;
  int64_t end_ = 0;
  std::atomic<bool> is_over_{false};
  alignas(64) std::atomic<int64_t> submitted_{0};
  alignas(64) std::atomic<int64_t> done_{0};
  std::thread helper_;
};

Parallel& threads(int count) {
  static Serial one;
  static TwoThreads two;
  return count == 1 ? static_cast<Parallel&>(one) : two;
}

/// 64-byte aligned floats in [-1, 1).
std::shared_ptr<float> random_floats(int64_t size) {
  constexpr std::align_val_t kAlignment{64};
  auto* data =
      static_cast<float*>(::operator new(static_cast<size_t>(size) * sizeof(float) + 64, kAlignment));
  static std::mt19937 random(1);
  for (int64_t i = 0; i < size; ++i) data[i] = static_cast<float>(random() >> 8) / (1 << 23) - 1;
  return {data, [](float* p) { ::operator delete(p, kAlignment); }};
}

std::shared_ptr<float> bytes(size_t size) {
  return random_floats(static_cast<int64_t>(size / sizeof(float)) + 16);
}

using Work = std::function<void()>;

void add_case(const std::string& name, double multiply_adds, const std::function<Work()>& make,
              int omp_threads) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State& state) {
                                 omp_set_num_threads(omp_threads);
                                 const Work work = make();
                                 work();
                                 for (auto _ : state) work();
                                 if (multiply_adds > 0) {
                                   state.counters["GFLOP/s"] = benchmark::Counter(
                                       2e-9 * multiply_adds, benchmark::Counter::kIsIterationInvariantRate);
                                 }
                               })
      ->Unit(benchmark::kMicrosecond)
      ->UseRealTime();
}

/// Registers our kernel and oneDNN's, each with one and with two threads.
void add_pair(const std::string& name, double multiply_adds, const std::function<Work(Parallel&)>& ours,
              const std::function<Work()>& onednn) {
  for (const int count : {1, 2}) {
    add_case(name + "/ours/" + std::to_string(count), multiply_adds, [=] { return ours(threads(count)); }, 1);
  }
  for (const int count : {1, 2}) {
    add_case(name + "/onednn/" + std::to_string(count), multiply_adds, onednn, count);
  }
}

// oneDNN.

using Tag = dnnl::memory::format_tag;

const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

dnnl::memory::desc floats(const dnnl::memory::dims& dims, Tag tag) {
  return {dims, dnnl::memory::data_type::f32, tag};
}

/// Runs a primitive on memory that it allocates itself, one for each argument.
Work run_primitive(const dnnl::primitive& primitive,
                   const std::vector<std::pair<int, dnnl::memory::desc>>& arguments) {
  std::unordered_map<int, dnnl::memory> memories;
  std::vector<std::shared_ptr<float>> arrays;
  for (const auto& [key, desc] : arguments) {
    arrays.push_back(bytes(desc.get_size()));
    memories.emplace(key, dnnl::memory(desc, engine(), arrays.back().get()));
  }
  return
      [primitive, memories, arrays, stream = dnnl::stream(engine())] { primitive.execute(stream, memories); };
}

struct ConvDescs {
  explicit ConvDescs(const Conv2DShape& s)
      : in(floats({s.batch, s.in_channels, s.in_height, s.in_width}, Tag::nhwc)),
        filter(floats({s.out_channels, s.in_channels, s.filter_height, s.filter_width}, Tag::hwio)),
        out(floats({s.batch, s.out_channels, s.out_height, s.out_width}, Tag::nhwc)),
        strides{s.stride_height, s.stride_width},
        pads{s.pad_top, s.pad_left},
        pads_after{(s.out_height - 1) * s.stride_height + s.filter_height - s.in_height - s.pad_top,
                   (s.out_width - 1) * s.stride_width + s.filter_width - s.in_width - s.pad_left} {}

  dnnl::convolution_forward::primitive_desc forward() const {
    return {{dnnl::prop_kind::forward_training, dnnl::algorithm::convolution_direct, in, filter, out, strides,
             pads, pads_after},
            engine()};
  }

  dnnl::memory::desc in, filter, out;
  dnnl::memory::dims strides, pads, pads_after;
};

Work onednn_forward(const Conv2DShape& shape) {
  const ConvDescs d(shape);
  return run_primitive(dnnl::convolution_forward(d.forward()),
                       {{DNNL_ARG_SRC, d.in}, {DNNL_ARG_WEIGHTS, d.filter}, {DNNL_ARG_DST, d.out}});
}

Work onednn_backward_input(const Conv2DShape& shape) {
  const ConvDescs d(shape);
  const dnnl::convolution_backward_data::primitive_desc primitive(
      {dnnl::algorithm::convolution_direct, d.in, d.filter, d.out, d.strides, d.pads, d.pads_after}, engine(),
      d.forward());
  return run_primitive(dnnl::convolution_backward_data(primitive),
                       {{DNNL_ARG_DIFF_DST, d.out}, {DNNL_ARG_WEIGHTS, d.filter}, {DNNL_ARG_DIFF_SRC, d.in}});
}

Work onednn_backward_filter(const Conv2DShape& shape) {
  const ConvDescs d(shape);
  const dnnl::convolution_backward_weights::primitive_desc primitive(
      {dnnl::algorithm::convolution_direct, d.in, d.filter, d.out, d.strides, d.pads, d.pads_after}, engine(),
      d.forward());
  return run_primitive(dnnl::convolution_backward_weights(primitive),
                       {{DNNL_ARG_SRC, d.in}, {DNNL_ARG_DIFF_DST, d.out}, {DNNL_ARG_DIFF_WEIGHTS, d.filter}});
}

Work onednn_gemm(const GemmShape& s) {
  const dnnl::memory::desc a = floats({s.m, s.k}, s.transpose_a ? Tag::ba : Tag::ab);
  const dnnl::memory::desc b = floats({s.k, s.n}, s.transpose_b ? Tag::ba : Tag::ab);
  const dnnl::memory::desc c = floats({s.m, s.n}, Tag::ab);
  const dnnl::matmul::primitive_desc primitive({a, b, c}, engine());
  return run_primitive(dnnl::matmul(primitive),
                       {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}});
}

#if defined(FLOWRAY_LIBXSMM)
/// libxsmm's own product for small shapes; it calls a BLAS for large ones, which is not libxsmm. Its matrices
/// are stored by columns: B and A change places.
void add_libxsmm(const std::string& name, const GemmShape& s) {
  const auto n = static_cast<int>(s.n), m = static_cast<int>(s.m), k = static_cast<int>(s.k);
  const float one = 1, zero = 0;
  const libxsmm_smmfunction product = libxsmm_smmdispatch(n, m, k, &n, &k, &n, &one, &zero, nullptr, nullptr);
  if (product == nullptr) return;  // no code for this shape
  add_case(
      name + "/libxsmm/1", static_cast<double>(s.m) * s.n * s.k,
      [=]() -> Work {
        return [=, a = random_floats(s.m * s.k), b = random_floats(s.k * s.n), c = random_floats(s.m * s.n)] {
          product(b.get(), a.get(), c.get());
        };
      },
      1);
}
#else
void add_libxsmm(const std::string&, const GemmShape&) {}
#endif

struct PoolDescs {
  PoolDescs(const Pool2DShape& s, bool is_max)
      : algorithm(is_max ? dnnl::algorithm::pooling_max : dnnl::algorithm::pooling_avg_exclude_padding),
        in(floats({s.batch, s.channels, s.in_height, s.in_width}, Tag::nhwc)),
        out(floats({s.batch, s.channels, s.out_height, s.out_width}, Tag::nhwc)),
        strides{s.stride_height, s.stride_width},
        window{s.window_height, s.window_width},
        pads{s.pad_top, s.pad_left} {}

  dnnl::pooling_forward::primitive_desc forward() const {
    return {{dnnl::prop_kind::forward_training, algorithm, in, out, strides, window, pads, pads}, engine()};
  }

  dnnl::algorithm algorithm;
  dnnl::memory::desc in, out;
  dnnl::memory::dims strides, window, pads;
};

Work onednn_pool(const Pool2DShape& shape, bool is_max) {
  const PoolDescs d(shape, is_max);
  const auto primitive = d.forward();
  std::vector<std::pair<int, dnnl::memory::desc>> arguments{{DNNL_ARG_SRC, d.in}, {DNNL_ARG_DST, d.out}};
  if (is_max) arguments.emplace_back(DNNL_ARG_WORKSPACE, primitive.workspace_desc());
  return run_primitive(dnnl::pooling_forward(primitive), arguments);
}

Work onednn_pool_gradient(const Pool2DShape& shape, bool is_max) {
  const PoolDescs d(shape, is_max);
  const auto forward = d.forward();
  const dnnl::pooling_backward::primitive_desc primitive(
      {d.algorithm, d.in, d.out, d.strides, d.window, d.pads, d.pads}, engine(), forward);
  std::vector<std::pair<int, dnnl::memory::desc>> arguments{{DNNL_ARG_DIFF_DST, d.out},
                                                            {DNNL_ARG_DIFF_SRC, d.in}};
  if (is_max) {
    // The workspace must hold the places of maxima, not random bytes: let the forward pass fill one.
    auto in = bytes(d.in.get_size()), out = bytes(d.out.get_size()),
         places = bytes(forward.workspace_desc().get_size());
    dnnl::memory workspace(forward.workspace_desc(), engine(), places.get());
    dnnl::stream stream(engine());
    dnnl::pooling_forward(forward).execute(stream, {{DNNL_ARG_SRC, dnnl::memory(d.in, engine(), in.get())},
                                                    {DNNL_ARG_DST, dnnl::memory(d.out, engine(), out.get())},
                                                    {DNNL_ARG_WORKSPACE, workspace}});
    const std::unordered_map<int, dnnl::memory> memories{
        {DNNL_ARG_DIFF_DST, dnnl::memory(d.out, engine(), out.get())},
        {DNNL_ARG_DIFF_SRC, dnnl::memory(d.in, engine(), in.get())},
        {DNNL_ARG_WORKSPACE, workspace}};
    return [memories, stream, run = dnnl::pooling_backward(primitive),
            arrays = std::vector{in, out, places}] { run.execute(stream, memories); };
  }
  return run_primitive(dnnl::pooling_backward(primitive), arguments);
}

// Ours.

Work our_conv(const Conv2DShape& s, ConvKind kind, ConvArrays arrays, Parallel& p) {
  const auto [in, filter, out] = arrays;
  if (kind == ConvKind::kForward) {
    const Conv2D<float> conv(s);
    return [=, &p, space = bytes(conv.workspace_bytes(p.workers()))] {
      conv.run(in.get(), filter.get(), nullptr, out.get(), space.get(), p);
    };
  }
  if (kind == ConvKind::kBackwardFilter) {
    const Conv2DBackwardFilter<float> conv(s);
    return [=, &p, space = bytes(conv.workspace_bytes(p.workers()))] {
      conv.run(in.get(), out.get(), filter.get(), space.get(), p);
    };
  }
  const Conv2DBackwardInput<float> conv(s);
  return [=, &p, space = bytes(conv.workspace_bytes(p.workers()))] {
    conv.run(filter.get(), out.get(), in.get(), space.get(), p);
  };
}

double multiply_adds_of(const Conv2DShape& s) {
  return static_cast<double>(filter_size(s)) * s.batch * s.out_height * s.out_width;
}

#if defined(FLOWRAY_LIBXSMM)
/// The shape with as much padding behind the image as before it, the only one that libxsmm has.
Conv2DShape with_even_padding(Conv2DShape s) {
  s.pad_top = ((s.out_height - 1) * s.stride_height + s.filter_height - s.in_height + 1) / 2;
  s.pad_left = ((s.out_width - 1) * s.stride_width + s.filter_width - s.in_width + 1) / 2;
  return s;
}

/// Whether the floats are the same but for rounding.
bool are_near(const float* expected, const float* found, int64_t count) {
  float largest = 0;
  for (int64_t i = 0; i < count; ++i) largest = std::max(largest, std::abs(expected[i]));
  return std::equal(expected, expected + count, found,
                    [&](float a, float b) { return std::abs(a - b) <= 1e-4f * largest; });
}

/// The image with zeros around it.
std::shared_ptr<float> padded_image(const Conv2DShape& s, const float* image) {
  const int64_t width = s.in_width + 2 * s.pad_left, height = s.in_height + 2 * s.pad_top;
  const int64_t size = s.batch * height * width * s.in_channels;
  auto padded = random_floats(size);
  std::fill_n(padded.get(), size, 0.0f);
  const int64_t row = s.in_width * s.in_channels;
  for (int64_t i = 0; i < s.batch * s.in_height; ++i) {
    const int64_t y = i / s.in_height * height + s.pad_top + i % s.in_height;
    std::copy_n(image + i * row, row, padded.get() + (y * width + s.pad_left) * s.in_channels);
  }
  return padded;
}

/// libxsmm's convolution with the arrays that it was bound to; of `given` it gets all but the result.
struct BoundConv {
  BoundConv(const Conv2DShape& s, ConvKind kind, const ConvArrays& given, bool is_padded, int thread_count)
      : arrays(given), conv(s, kind, is_padded, threads(thread_count), thread_count) {
    if (is_padded) arrays.in = padded_image(s, given.in.get());
    arrays.result(kind) = random_floats(result_size(s, kind));
    scratch = bytes(conv.scratch_bytes());
    conv.bind(arrays, scratch.get());
  }

  ConvArrays arrays;
  std::shared_ptr<float> scratch;
  LibxsmmConv conv;
};

/// libxsmm's with one and two threads where its result is ours, else with an image that we have padded for
/// it; where that is another one, too, says why there is none.
void add_libxsmm(const std::string& name, const Conv2DShape& given, ConvKind kind, const ConvArrays& arrays) {
  const Conv2DShape s = with_even_padding(given);
  const int64_t size = result_size(s, kind);
  ConvArrays ours = arrays;
  ours.result(kind) = random_floats(size);
  our_conv(s, kind, ours, threads(1))();
  const auto add = [&](bool is_padded, int count) {
    const auto make = [=] { return std::make_shared<BoundConv>(s, kind, arrays, is_padded, count); };
    const auto bound = make();
    bound->conv.run();
    std::string failure = bound->conv.failure();
    if (failure.empty() && !are_near(ours.result(kind).get(), bound->arrays.result(kind).get(), size)) {
      failure = "its result is another one than ours";
    }
    const std::string full_name = name + "/libxsmm/" + std::to_string(count);
    if (!failure.empty()) {
      std::printf("%s%s: %s\n", full_name.c_str(), is_padded ? ", padded by us" : "", failure.c_str());
      return false;
    }
    const auto make_work = [=]() -> Work { return [mine = make()] { mine->conv.run(); }; };
    add_case(full_name, multiply_adds_of(s), make_work, 1);
    return true;
  };
  for (const int count : {1, 2}) {
    if (!add(false, count) && kind != ConvKind::kBackwardInput) add(true, count);
  }
}
#else
void add_libxsmm(const std::string&, const Conv2DShape&, ConvKind, const ConvArrays&) {}
#endif

void add_conv(const std::string& name, const Conv2DShape& s, bool with_input_gradient) {
  const ConvArrays arrays{random_floats(in_size(s)), random_floats(filter_size(s)),
                          random_floats(out_size(s))};
  const auto add = [&](const std::string& full_name, ConvKind kind, const std::function<Work()>& onednn) {
    add_pair(
        full_name, multiply_adds_of(s), [=](Parallel& p) { return our_conv(s, kind, arrays, p); }, onednn);
    add_libxsmm(full_name, s, kind, arrays);
  };
  add(name + " forward", ConvKind::kForward, [=] { return onednn_forward(s); });
  add(name + " backward filter", ConvKind::kBackwardFilter, [=] { return onednn_backward_filter(s); });
  if (!with_input_gradient) return;
  add(name + " backward input", ConvKind::kBackwardInput, [=] { return onednn_backward_input(s); });
}

void add_gemm(const std::string& name, const GemmShape& s) {
  auto make = [=](Parallel& p) -> Work {
    const Gemm<float> gemm(s);
    return [=, &p, a = random_floats(s.m * s.k), b = random_floats(s.k * s.n), c = random_floats(s.m * s.n),
            space = bytes(gemm.workspace_bytes(p.workers()))] {
      gemm.run(a.get(), b.get(), nullptr, c.get(), space.get(), p);
    };
  };
  add_pair(name, static_cast<double>(s.m) * s.n * s.k, make, [=] { return onednn_gemm(s); });
  if (!s.transpose_a && !s.transpose_b && s.m <= 128 && s.k <= 512) add_libxsmm(name, s);
}

void add_pool(const std::string& name, const Pool2DShape& s) {
  const int64_t in_elements = s.batch * s.in_height * s.in_width * s.channels;
  const int64_t out_elements = s.batch * s.out_height * s.out_width * s.channels;
  auto in = random_floats(in_elements), out = random_floats(out_elements),
       gradient = random_floats(out_elements);
  auto in_gradient = random_floats(in_elements);
  auto average = [=](Parallel& p) -> Work {
    return [=, &p, pool = AveragePool2D<float>(s)] { pool.run(in.get(), out.get(), p); };
  };
  auto average_gradient = [=](Parallel& p) -> Work {
    return
        [=, &p, pool = AveragePool2DGradient<float>(s)] { pool.run(gradient.get(), in_gradient.get(), p); };
  };
  auto max = [=](Parallel& p) -> Work {
    return [=, &p, pool = MaxPool2D<float>(s)] { pool.run(in.get(), out.get(), p); };
  };
  auto max_gradient = [=](Parallel& p) -> Work {
    MaxPool2D<float>(s).run(in.get(), out.get(), p);
    return [=, &p, pool = MaxPool2DGradient<float>(s)] {
      pool.run(in.get(), out.get(), gradient.get(), in_gradient.get(), p);
    };
  };
  add_pair(name + " average", 0, average, [=] { return onednn_pool(s, false); });
  add_pair(name + " average gradient", 0, average_gradient, [=] { return onednn_pool_gradient(s, false); });
  add_pair(name + " max", 0, max, [=] { return onednn_pool(s, true); });
  add_pair(name + " max gradient", 0, max_gradient, [=] { return onednn_pool_gradient(s, true); });
}

void add_lenet(int64_t batch) {
  add_conv("lenet conv1",
           {.batch = batch,
            .in_height = 28,
            .in_width = 28,
            .in_channels = 1,
            .filter_height = 5,
            .filter_width = 5,
            .out_channels = 6,
            .out_height = 28,
            .out_width = 28,
            .pad_top = 2,
            .pad_left = 2},
           false);
  add_conv("lenet conv2",
           {.batch = batch,
            .in_height = 14,
            .in_width = 14,
            .in_channels = 6,
            .filter_height = 5,
            .filter_width = 5,
            .out_channels = 16,
            .out_height = 10,
            .out_width = 10},
           true);
  add_pool("lenet pool1", {.batch = batch,
                           .in_height = 28,
                           .in_width = 28,
                           .channels = 6,
                           .window_height = 2,
                           .window_width = 2,
                           .stride_height = 2,
                           .stride_width = 2,
                           .out_height = 14,
                           .out_width = 14});
  add_pool("lenet pool2", {.batch = batch,
                           .in_height = 10,
                           .in_width = 10,
                           .channels = 16,
                           .window_height = 2,
                           .window_width = 2,
                           .stride_height = 2,
                           .stride_width = 2,
                           .out_height = 5,
                           .out_width = 5});
  add_gemm("lenet fc1 forward", {.m = batch, .n = 120, .k = 400});
  add_gemm("lenet fc1 backward input", {.m = batch, .n = 400, .k = 120, .transpose_b = true});
  add_gemm("lenet fc1 backward weights", {.m = 400, .n = 120, .k = batch, .transpose_a = true});
  add_gemm("lenet fc2 forward", {.m = batch, .n = 10, .k = 120});
  add_gemm("lenet fc2 backward input", {.m = batch, .n = 120, .k = 10, .transpose_b = true});
  add_gemm("lenet fc2 backward weights", {.m = 120, .n = 10, .k = batch, .transpose_a = true});
}

Conv2DShape same_3x3(int64_t batch, int64_t side, int64_t channels) {
  return {.batch = batch,
          .in_height = side,
          .in_width = side,
          .in_channels = channels,
          .filter_height = 3,
          .filter_width = 3,
          .out_channels = channels,
          .out_height = side,
          .out_width = side,
          .pad_top = 1,
          .pad_left = 1};
}

void add_wider() {
  for (const int64_t side : {16, 32, 64, 128, 256, 512, 1024, 2048}) {
    add_gemm("gemm " + std::to_string(side), {.m = side, .n = side, .k = side});
  }
  add_gemm("gemm 1024 transposed a", {.m = 1024, .n = 1024, .k = 1024, .transpose_a = true});
  add_gemm("gemm 1024 transposed b", {.m = 1024, .n = 1024, .k = 1024, .transpose_b = true});
  add_gemm("gemm 1x1024x1024", {.m = 1, .n = 1024, .k = 1024});
  add_gemm("gemm 32x1000x2048", {.m = 32, .n = 1000, .k = 2048});
  add_conv("conv 7x7 224x224x3",
           {.batch = 2,
            .in_height = 224,
            .in_width = 224,
            .in_channels = 3,
            .filter_height = 7,
            .filter_width = 7,
            .out_channels = 64,
            .out_height = 112,
            .out_width = 112,
            .stride_height = 2,
            .stride_width = 2,
            .pad_top = 2,
            .pad_left = 2},
           false);
  add_conv("conv 3x3 56x56x64", same_3x3(4, 56, 64), true);
  add_conv("conv 3x3 28x28x128", same_3x3(4, 28, 128), true);
  add_conv("conv 3x3 14x14x256", same_3x3(4, 14, 256), true);
  add_conv("conv 3x3 7x7x512", same_3x3(8, 7, 512), true);
  add_conv("conv 1x1 28x28x256",
           {.batch = 4,
            .in_height = 28,
            .in_width = 28,
            .in_channels = 256,
            .filter_height = 1,
            .filter_width = 1,
            .out_channels = 256,
            .out_height = 28,
            .out_width = 28},
           true);
}

}  // namespace
}  // namespace flowray::ops

int main(int argc, char** argv) {
#ifndef NDEBUG
  std::fputs("this is a debug build: its times mean nothing\n", stderr);
  return 2;
#endif
  std::printf("CPU level: %s\n", std::string(flowray::ops::name_of(flowray::ops::cpu_level())).c_str());
  flowray::ops::add_lenet(100);
  flowray::ops::add_wider();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
