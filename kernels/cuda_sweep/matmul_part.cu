// Part d: matmul of every weight type at the layers of real models, from one row to 3,314.
//
// Variants read halves. One fp64 pass gives the first 130 rows and a sample of the later ones. The
// launch of 130 rows is held against it; the launches of 1 to 129, 512 and 3,314 rows must repeat
// its rows bit for bit, so that a row does not depend on the others, and the long ones are held
// against the sample. Activations behind the last row, up to the padding, are NaN; what a variant
// leaves in the padded rows of the output is its own affair.
#include "kernels/matmul/matmul.h"

#include <algorithm>

#include "kernels/cuda_sweep/exact_linear.cuh"
#include "kernels/cuda_sweep/launcher.cuh"
#include "kernels/cuda_sweep/tally.cuh"
#include "kernels/cuda_sweep/weights.cuh"

namespace assay::sweep {
namespace {

constexpr int kWhole = 130;  // rows that every launch is compared with
constexpr int kLongs[] = {512, 3314};
constexpr int kMost = 3314;

// The first 130 rows, sixteen up to 512, and some of the rest with the last: rising.
std::vector<int> sampled_rows() {
  std::vector<int> rows;
  for (int row = 0; row < kWhole; ++row) rows.push_back(row);
  for (int row = 141; row < kLongs[0]; row += 24) rows.push_back(row);
  for (int row = kLongs[0]; row < kMost; row += 63) rows.push_back(row);
  rows.push_back(kMost - 1);
  return rows;
}

std::vector<int> prefixes_of(Data data, bool quick) {
  if (data != Data::kMild || quick) return {1, 63, 64, 65, 127, 128, 129};
  std::vector<int> prefixes;
  for (int t = 1; t < kWhole; ++t) prefixes.push_back(t);
  return prefixes;
}

class MatmulSweep {
 public:
  MatmulSweep(DType dtype, bool quick, std::vector<Subject>& subjects)
      : dtype_(dtype),
        quick_(quick),
        subjects_(subjects),
        judge_(stream_),
        launcher_(stream_),
        sample_(sampled_rows()),
        sample_on_device_(std::span<const int>(sample_)) {}

  void run(const Shape& shape) {
    shape_ = shape;
    const std::uint64_t seed =
        static_cast<std::uint64_t>(shape.n) * 1000003 + static_cast<std::uint64_t>(shape.k) + 5;
    const Weights weights(dtype_, shape, seed, stream_);
    const auto n = static_cast<std::size_t>(shape.n);
    const auto k = static_cast<std::size_t>(shape.k);
    const auto rows = static_cast<std::size_t>(cuda_padded_rows(kMost));
    launcher_.need(n * k);
    matrix_ = n * k;
    x_ = DeviceArray<float>(std::size_t{kMost} * k);
    halves_ = DeviceArray<std::uint16_t>(rows * k);
    scales_ = DeviceArray<float>(rows);
    shown_halves_ = DeviceArray<std::uint16_t>(rows * k);
    shown_scales_ = DeviceArray<float>(rows);
    value_ = DeviceArray<double>(sample_.size() * n);
    budget_ = DeviceArray<double>(sample_.size() * n);
    whole_ = Output(static_cast<std::size_t>(cuda_padded_rows(kWhole)) * n);
    other_ = Output(rows * n);
    for_each_subject(subjects_, [&](Subject& subject) { prepare(subject); });
    for (const Data data : {Data::kMild, Data::kOutlier, Data::kExact, Data::kLarge}) {
      run_data(weights, data, seed + 77);
    }
  }

 private:
  // The vendor's library makes its plan before a launch, as a backend does.
  void prepare(Subject& subject) {
    if (parse_variant_id(subject.variant->info->id)->mechanism != "cublaslt") return;
    if (launcher_.blas() == nullptr) {
      subject.line.absent = "cuBLASLt is not there";
      return;
    }
    launcher_.blas()->prepare(shape_.n, shape_.k);
  }

  void run_data(const Weights& weights, Data data, std::uint64_t seed) {
    draw_activations(data, seed, kMost, shape_.k, x_.data(), stream_);
    halve(x_.data(), kMost, shape_.k, {halves_.data(), scales_.data()}, stream_);
    exact_half_matmul({.dtype = dtype_,
                       .weights = weights.in(WeightLayout::kRaw),
                       .n = shape_.n,
                       .k = shape_.k,
                       .xh = {halves_.data(), scales_.data()},
                       .rows = sample_on_device_.data(),
                       .count = static_cast<int>(sample_.size()),
                       .value = value_.data(),
                       .budget = budget_.data()},
                      stream_);
    stream_.wait();
    for_each_subject(subjects_, [&](Subject& subject) {
      run_whole(subject, weights);
      for (const int t : prefixes_of(data, quick_)) require_prefix(subject, weights, t);
      for (const int t : kLongs) {
        if (t == kMost && quick_) continue;
        run_long(subject, weights, t);
      }
      judge_.settle(subject.line, [&](std::uint32_t index) { return place_of(data, index); });
    });
  }

  // The launch of 130 rows -> whole_, in every layout.
  void run_whole(Subject& subject, const Weights& weights) {
    hide_rows();
    show_rows(kWhole);
    launch(subject, weights, WeightLayout::kRaw, kWhole, whole_);
    compare(whole_, kWhole);
    for (const WeightLayout layout : weights.layouts()) {
      launch(subject, weights, layout, kWhole, other_);
      judge_.require_equal(other_, whole_, words_of(kWhole));
    }
    hide_rows();
  }

  void require_prefix(Subject& subject, const Weights& weights, int t) {
    show_rows(t);
    launch(subject, weights, WeightLayout::kRaw, t, other_);
    judge_.require_equal(other_, whole_, words_of(t));
  }

  void run_long(Subject& subject, const Weights& weights, int t) {
    show_rows(t);
    launch(subject, weights, WeightLayout::kRaw, t, other_);
    judge_.require_equal(other_, whole_, words_of(kWhole));
    compare(other_, t);
  }

  void launch(Subject& subject, const Weights& weights, WeightLayout layout, int t,
              const Output& y) {
    const std::int64_t room = words_of(cuda_padded_rows(t));
    y.poison(static_cast<std::size_t>(room), stream_);
    launcher_.poison(cuda_workspace_bytes(matrix_));
    const MatmulArgs args{.weights = weights.in(layout),
                          .x = nullptr,
                          .xq = {nullptr, nullptr, nullptr},
                          .y = y.data(),
                          .t = t,
                          .n = shape_.n,
                          .k = shape_.k,
                          .xh = {shown_halves_.data(), shown_scales_.data()},
                          .layout = layout};
    launcher_.launch(subject, args);
    judge_.require_canaries(y, room);
    ++subject.line.cases;
  }

  // The sampled rows before row t.
  void compare(const Output& y, int t) const {
    const auto end = std::lower_bound(sample_.begin(), sample_.end(), t);
    judge_.compare({.got = y.data(),
                    .stride = shape_.n,
                    .got_rows = sample_on_device_.data(),
                    .value = value_.data(),
                    .budget = budget_.data(),
                    .value_rows = nullptr,
                    .rows = static_cast<int>(end - sample_.begin()),
                    .columns = shape_.n});
  }

  // What a launch sees of the activations: rows 0 .. t - 1, the rest NaN. t only grows until
  // hide_rows.
  void hide_rows() {
    shown_halves_.poison(stream_);
    shown_scales_.poison(stream_);
    shown_ = 0;
  }
  void show_rows(int t) {
    if (t <= shown_) return;
    const auto from = static_cast<std::size_t>(shown_);
    const auto count = static_cast<std::size_t>(t) - from;
    const auto k = static_cast<std::size_t>(shape_.k);
    copy(shown_halves_.data() + from * k, halves_.data() + from * k, count * k * 2);
    copy(shown_scales_.data() + from, scales_.data() + from, count * 4);
    shown_ = t;
  }
  void copy(void* to, const void* from, std::size_t bytes) const {
    cuda::check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_),
                "copy of activations");
  }

  std::string place_of(Data data, std::uint32_t index) const {
    const auto n = static_cast<std::uint32_t>(shape_.n);
    return "n=" + std::to_string(n) + " k=" + std::to_string(shape_.k) + " " + to_string(data) +
           " token=" + std::to_string(sample_[index / n]) + " row=" + std::to_string(index % n);
  }
  std::int64_t words_of(int rows) const { return static_cast<std::int64_t>(rows) * shape_.n; }

  DType dtype_;
  bool quick_;
  std::vector<Subject>& subjects_;
  Stream stream_;
  Judge judge_;
  Launcher launcher_;
  std::vector<int> sample_;  // rows that have a reference
  DeviceArray<int> sample_on_device_;
  Shape shape_{};
  std::size_t matrix_ = 0;  // elements
  int shown_ = 0;
  DeviceArray<float> x_;  // (kMost, k)
  DeviceArray<std::uint16_t> halves_;
  DeviceArray<float> scales_;
  DeviceArray<std::uint16_t> shown_halves_;  // (padded rows, k)
  DeviceArray<float> shown_scales_;
  DeviceArray<double> value_;  // (sample, n)
  DeviceArray<double> budget_;
  Output whole_;  // of 130 rows
  Output other_;  // of other launches
};

}  // namespace

void sweep_matmul(const Options& options, const Report& report) {
  for (const DTypeTraits& type : all_dtypes()) {
    std::vector<Subject> subjects =
        subjects_of(options, "matmul_" + std::string(type.suffix) + ".", "d");
    run_and_report(subjects, report, [&] {
      MatmulSweep sweep(type.dtype, options.quick, subjects);
      for (const Shape& shape : shapes_of(type.dtype, false, options.quick)) sweep.run(shape);
    });
  }
}

}  // namespace assay::sweep
