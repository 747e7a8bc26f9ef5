// Part c: matvec of every weight type at the layers of real models, in both layouts.
//
// Per row of activations one fp64 reference serves all variants. A variant is launched twice per
// layout, and all its outputs have the same bits; so have those of other variants of the same
// mechanism, whose rows per warp change no bit.
#include "kernels/matvec/matvec.h"

#include <map>

#include "kernels/cuda_sweep/exact_linear.cuh"
#include "kernels/cuda_sweep/launcher.cuh"
#include "kernels/cuda_sweep/tally.cuh"
#include "kernels/cuda_sweep/weights.cuh"

namespace assay::sweep {
namespace {

constexpr int kTokens = 3;  // of exact data: one per form

class MatvecSweep {
 public:
  MatvecSweep(DType dtype, std::vector<Subject>& subjects)
      : dtype_(dtype), subjects_(subjects), judge_(stream_), launcher_(stream_) {}

  void run(const Shape& shape) {
    shape_ = shape;
    const std::uint64_t seed =
        static_cast<std::uint64_t>(shape.n) * 1000003 + static_cast<std::uint64_t>(shape.k);
    const Weights weights(dtype_, shape, seed, stream_);
    const auto n = static_cast<std::size_t>(shape.n);
    const auto elements = static_cast<std::size_t>(kTokens * shape.k);
    value_ = DeviceArray<double>(n);
    budget_ = DeviceArray<double>(n);
    output_ = Output(n);
    x_ = DeviceArray<float>(elements);
    q_ = DeviceArray<std::int8_t>(elements);
    d_ = DeviceArray<float>(elements / 32);
    sum_ = DeviceArray<std::int16_t>(elements / 32);
    for (const Data data : {Data::kMild, Data::kOutlier, Data::kExact, Data::kLarge}) {
      draw_activations(data, seed + 77, kTokens, shape.k, x_.data(), stream_);
      quantize(x_.data(), kTokens, shape.k, {q_.data(), d_.data(), sum_.data()}, stream_);
      const int tokens = data == Data::kExact ? kTokens : 1;
      for (int token = 0; token < tokens; ++token) run_token(weights, data, token);
    }
  }

 private:
  void run_token(const Weights& weights, Data data, int token) {
    const auto at = static_cast<std::int64_t>(token) * shape_.k;
    const float* x = is_float(dtype_) ? x_.data() + at : nullptr;
    QuantizedRows xq{};
    if (x == nullptr) xq = {q_.data() + at, d_.data() + at / 32, sum_.data() + at / 32};
    exact_matvec({.dtype = dtype_,
                  .weights = weights.in(WeightLayout::kRaw),
                  .n = shape_.n,
                  .k = shape_.k,
                  .x = x,
                  .xq = xq,
                  .value = value_.data(),
                  .budget = budget_.data()},
                 stream_);
    first_of_.clear();
    stream_.wait();
    for_each_subject(subjects_, [&](Subject& subject) {
      for (const WeightLayout layout : weights.layouts()) {
        const MatvecArgs args{.weights = weights.in(layout),
                              .x = x,
                              .xq = xq,
                              .y = output_.data(),
                              .n = shape_.n,
                              .k = shape_.k,
                              .layout = layout};
        for (int repeat = 0; repeat < 2; ++repeat) run_launch(subject, args);
        ++subject.line.cases;
      }
      judge_.settle(subject.line, [&](std::uint32_t index) {
        return "n=" + std::to_string(shape_.n) + " k=" + std::to_string(shape_.k) + " " +
               to_string(data) + " row=" + std::to_string(index);
      });
    });
  }

  void run_launch(Subject& subject, const MatvecArgs& args) {
    output_.poison(output_.size(), stream_);
    launcher_.launch(subject, args);
    judge_.require_canaries(output_, shape_.n);
    judge_.compare({.got = output_.data(),
                    .stride = shape_.n,
                    .got_rows = nullptr,
                    .value = value_.data(),
                    .budget = budget_.data(),
                    .value_rows = nullptr,
                    .rows = 1,
                    .columns = shape_.n});
    const std::string mechanism = parse_variant_id(subject.variant->info->id)->mechanism;
    const auto known = first_of_.find(mechanism);
    if (known != first_of_.end()) {
      judge_.require_equal(output_.data(), shape_.n, known->second.data(), shape_.n, 1, shape_.n);
      return;
    }
    DeviceArray<float> first(output_.size());
    cuda::check(cudaMemcpyAsync(first.data(), output_.data(), first.bytes(),
                                cudaMemcpyDeviceToDevice, stream_),
                "copy of an output");
    first_of_.emplace(mechanism, std::move(first));
  }

  DType dtype_;
  std::vector<Subject>& subjects_;
  Stream stream_;
  Judge judge_;
  Launcher launcher_;
  Shape shape_{};
  DeviceArray<double> value_;
  DeviceArray<double> budget_;
  DeviceArray<float> x_;  // (kTokens, k)
  DeviceArray<std::int8_t> q_;
  DeviceArray<float> d_;
  DeviceArray<std::int16_t> sum_;
  Output output_;                                       // (n)
  std::map<std::string, DeviceArray<float>> first_of_;  // by mechanism: its first output
};

}  // namespace

void sweep_matvec(const Options& options, const Report& report) {
  for (const DTypeTraits& type : all_dtypes()) {
    std::vector<Subject> subjects =
        subjects_of(options, "matvec_" + std::string(type.suffix) + ".", "c");
    run_and_report(subjects, report, [&] {
      MatvecSweep sweep(type.dtype, subjects);
      for (const Shape& shape : shapes_of(type.dtype, true, options.quick)) sweep.run(shape);
    });
  }
}

}  // namespace assay::sweep
