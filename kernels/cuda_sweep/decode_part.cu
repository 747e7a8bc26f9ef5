// Part a: attention_decode at every length of the cache.
//
// For each head_dim, kind of data and group one fp64 pass gives all lengths. Then a variant meets
// the lengths in rising order over a cache in which later positions are still NaN, twice each: with
// nkv as an argument, and with the position on the device and a wrong nkv. Outputs of a batch of
// lengths lie between canaries in slots and are compared together; the part of the workspace that
// the splits use is NaN before each launch.
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "kernels/attention_decode/attention_decode.h"
#include "kernels/cuda_sweep/cache_memory.cuh"
#include "kernels/cuda_sweep/exact_attention.cuh"
#include "kernels/cuda_sweep/launcher.cuh"
#include "kernels/cuda_sweep/tally.cuh"

namespace assay::sweep {
namespace {

constexpr int kKvHeads = 2;
constexpr int kMostGroup = 8;
constexpr int kBatch = 32;                               // lengths that are compared together
constexpr std::size_t kPoisoned = std::size_t{2} << 20;  // of the workspace, before each launch

// Lengths that have a reference: 1 .. dense, and a few long ones.
struct Lengths {
  int dense;
  std::vector<int> longer;
  int most() const { return longer.back(); }
  int rows() const { return dense + static_cast<int>(longer.size()); }
  int of_row(int row) const {
    return row < dense ? row + 1 : longer[static_cast<std::size_t>(row - dense)];
  }
  // (most), as ExactPrefixes::row_of.
  std::vector<int> row_of() const {
    std::vector<int> rows_of(static_cast<std::size_t>(most()), -1);
    for (int row = 0; row < rows(); ++row) rows_of[static_cast<std::size_t>(of_row(row) - 1)] = row;
    return rows_of;
  }
  // Rows that are launched for a kind of data.
  std::vector<int> wanted(Data data) const {
    std::vector<int> chosen_rows;
    for (int row = 0; row < rows(); ++row) {
      const bool every = data == Data::kMild || data == Data::kGiant;
      const int length = of_row(row);
      if (every || length <= 1100 || length % 13 == 0 || row >= dense) chosen_rows.push_back(row);
    }
    return chosen_rows;
  }
};

std::vector<int> counting(int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

class DecodeSweep {
 public:
  DecodeSweep(const Options& options, std::vector<Subject>& subjects)
      : options_(options),
        subjects_(subjects),
        lengths_{options.quick ? 300 : 4200,
                 options.quick ? std::vector{8191} : std::vector{8191, 32767, 131071}},
        judge_(stream_),
        launcher_(stream_),
        row_of_(std::span<const int>(lengths_.row_of())),
        positions_(std::span<const int>(counting(lengths_.most()))) {}

  void run() {
    for (const int head_dim : {64, 128}) {
      for (const Data data :
           {Data::kMild, Data::kGiant, Data::kOutlier, Data::kExact, Data::kLarge}) {
        if (options_.quick && data > Data::kMild && data != Data::kGiant) continue;
        run_data(head_dim, data);
      }
    }
  }

 private:
  void run_data(int head_dim, Data data) {
    head_dim_ = head_dim;
    data_ = data;
    const std::uint64_t seed =
        1000 + static_cast<std::uint64_t>(head_dim) * 10 + static_cast<std::uint64_t>(data);
    const CacheMemory whole(lengths_.most(), kKvHeads, head_dim);
    draw_cache(data, seed * 64, lengths_.most(), whole.view(), stream_);
    GrowingCache growing(lengths_.most(), whole.view());
    rows_ = lengths_.wanted(data);
    value_rows_ = DeviceArray<int>(std::span<const int>(rows_));
    for (int group = 1; group <= kMostGroup; ++group) {
      if (options_.quick && group != 1 && group != 7 && group != 8) continue;
      run_group(group, seed * 64 + 32, whole.view(), growing);
    }
  }

  void run_group(int group, std::uint64_t seed, const Cache& whole, GrowingCache& growing) {
    heads_ = kKvHeads * group;
    const auto columns = static_cast<std::size_t>(columns_of_row());
    const auto reference = static_cast<std::size_t>(lengths_.rows()) * columns;
    q_ = DeviceArray<float>(columns);
    value_ = DeviceArray<double>(reference);
    budget_ = DeviceArray<double>(reference);
    slots_ = DeviceArray<float>(2 * kBatch * slot_words());
    draw_queries(data_, seed, columns_of_row(), head_dim_, q_.data(), stream_);
    const PrefixScratch scratch(heads_, lengths_.most());
    exact_prefixes({.q = q_.data(),
                    .cache = whole,
                    .positions = lengths_.most(),
                    .heads = heads_,
                    .scale = scale(),
                    .row_of = row_of_.data(),
                    .value = value_.data(),
                    .budget = budget_.data()},
                   scratch, stream_);
    stream_.wait();
    for_each_subject(subjects_, [&](Subject& subject) { run_subject(subject, growing); });
  }

  void run_subject(Subject& subject, GrowingCache& growing) {
    growing.hide_all(stream_);
    for (std::size_t first = 0; first < rows_.size(); first += kBatch) {
      const auto count = static_cast<int>(std::min<std::size_t>(kBatch, rows_.size() - first));
      slots_.poison(stream_);
      for (int i = 0; i < count; ++i) {
        const int length = lengths_.of_row(rows_[first + static_cast<std::size_t>(i)]);
        growing.show(length, stream_);
        launch_twice(subject, growing.view(), length, output_of(2 * i));
      }
      subject.line.cases += static_cast<std::uint64_t>(count);
      judge_batch(first, count);
    }
    judge_.settle(subject.line, [&](std::uint32_t index) { return place_of(index); });
  }

  void launch_twice(Subject& subject, const Cache& cache, int length, float* out) {
    AttentionDecodeArgs args{.q = q_.data(),
                             .k_cache = cache.k,
                             .v_cache = cache.v,
                             .position_stride = cache.position_stride,
                             .head_stride = cache.head_stride,
                             .out = out,
                             .nkv = length,
                             .heads = heads_,
                             .kv_heads = kKvHeads,
                             .head_dim = head_dim_,
                             .scale = scale()};
    launcher_.poison(kPoisoned);
    launcher_.launch(subject, args, length);
    args.out = out + slot_words();
    args.nkv = length / 2 + 1;  // not to be used
    launcher_.poison(kPoisoned);
    launcher_.launch(subject, args, lengths_.most(), positions_.data() + length - 1);
  }

  void judge_batch(std::size_t first, int count) const {
    const auto slot = static_cast<std::int64_t>(slot_words());
    judge_.compare({.got = output_of(0),
                    .stride = 2 * slot,
                    .got_rows = nullptr,
                    .value = value_.data(),
                    .budget = budget_.data(),
                    .value_rows = value_rows_.data() + first,
                    .rows = count,
                    .columns = columns_of_row()});
    judge_.require_equal(output_of(0), 2 * slot, output_of(1), 2 * slot, count, columns_of_row());
    judge_.require_canaries(output_of(0), slot, 2 * count, columns_of_row());
  }

  std::string place_of(std::uint32_t index) const {
    const auto columns = static_cast<std::uint32_t>(columns_of_row());
    const auto d = static_cast<std::uint32_t>(head_dim_);
    return "d=" + std::to_string(head_dim_) + " group=" + std::to_string(heads_ / kKvHeads) + " " +
           to_string(data_) +
           " nkv=" + std::to_string(lengths_.of_row(static_cast<int>(index / columns))) +
           " head=" + std::to_string(index % columns / d) + " dim=" + std::to_string(index % d);
  }

  int columns_of_row() const { return heads_ * head_dim_; }
  std::size_t slot_words() const {
    return static_cast<std::size_t>(columns_of_row()) + 2 * kCanaryWords;
  }
  float* output_of(int slot) const {
    return slots_.data() + static_cast<std::size_t>(slot) * slot_words() + kCanaryWords;
  }
  float scale() const { return static_cast<float>(1 / std::sqrt(static_cast<double>(head_dim_))); }

  const Options& options_;
  std::vector<Subject>& subjects_;
  Lengths lengths_;
  Stream stream_;
  Judge judge_;
  Launcher launcher_;
  DeviceArray<int> row_of_;
  DeviceArray<int> positions_;
  // Of the data and group that are run.
  int head_dim_ = 0;
  int heads_ = 0;
  Data data_ = Data::kMild;
  std::vector<int> rows_;
  DeviceArray<int> value_rows_;
  DeviceArray<float> q_;
  DeviceArray<double> value_;
  DeviceArray<double> budget_;
  DeviceArray<float> slots_;  // (2 kBatch) outputs between canaries
};

}  // namespace

void sweep_decode(const Options& options, const Report& report) {
  std::vector<Subject> subjects = subjects_of(options, "attention_decode.", "a");
  run_and_report(subjects, report, [&] { DecodeSweep(options, subjects).run(); });
}

}  // namespace assay::sweep
