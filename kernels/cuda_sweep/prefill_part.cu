// Part b: attention_prefill around every tile edge, behind other positions, whole and in pieces.
//
// One launch over all positions is held against fp64; every other launch must give the same bits
// for the same rows: T rows behind `past` positions, and the prompt in chunks of 512, 7 and 1.
// Those launches see a cache in which the positions behind their last row are still NaN.
#include <algorithm>
#include <cmath>

#include "kernels/attention_prefill/attention_prefill.h"
#include "kernels/cuda_sweep/cache_memory.cuh"
#include "kernels/cuda_sweep/exact_attention.cuh"
#include "kernels/cuda_sweep/launcher.cuh"
#include "kernels/cuda_sweep/tally.cuh"

namespace assay::sweep {
namespace {

struct Config {
  int head_dim;
  int kv_heads;
  int group;
  Data data;
  bool full;
};

struct Piece {
  int t;
  int past;
  int end() const { return past + t; }
};

constexpr int kFullPrompt = 3314;
constexpr int kFewPrompt = 300;

std::vector<Piece> pieces_of(const Config& config) {
  std::vector<int> lengths;
  if (config.full) {
    for (int t = 1; t <= 130; ++t) lengths.push_back(t);
    lengths.insert(lengths.end(), {255, 256, 257, 511, 512, 513, kFullPrompt});
  } else {
    lengths = {1, 2, 33, 63, 64, 65, 127, 128, 129, 257};
  }
  const std::vector<int> pasts = config.full ? std::vector{0, 37, 201, 1003} : std::vector{0, 37};
  std::vector<Piece> pieces;
  for (const int past : pasts) {
    for (const int t : lengths) pieces.push_back({t, past});
  }
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Piece& a, const Piece& b) { return a.end() < b.end(); });
  return pieces;
}

std::vector<Config> configs_of(bool quick) {
  std::vector<Config> configs = {{128, 1, 7, Data::kMild, true}, {64, 3, 3, Data::kMild, true}};
  if (quick) return {{128, 1, 7, Data::kMild, false}, {64, 3, 3, Data::kGiant, false}};
  configs.push_back({128, 2, 5, Data::kOutlier, true});
  for (const int head_dim : {64, 128}) {
    for (int group = 1; group <= 8; ++group) {
      configs.push_back({head_dim, 2, group, Data::kMild, false});
    }
    for (const Data data : {Data::kOutlier, Data::kExact, Data::kLarge, Data::kGiant}) {
      configs.push_back({head_dim, 2, 7, data, false});
    }
  }
  for (const int head_dim : {40, 80, 256}) {
    for (const int group : {1, 3, 8}) configs.push_back({head_dim, 2, group, Data::kMild, false});
  }
  return configs;
}

class PrefillSweep {
 public:
  explicit PrefillSweep(std::vector<Subject>& subjects)
      : subjects_(subjects), judge_(stream_), launcher_(stream_) {}

  void run(const Config& config) {
    config_ = config;
    pieces_ = pieces_of(config);
    positions_ = pieces_.back().end();
    heads_ = config.kv_heads * config.group;
    const std::uint64_t seed =
        1000000 + static_cast<std::uint64_t>(config.head_dim * 1000 + config.group * 100 +
                                             static_cast<int>(config.data) * 10);
    const CacheMemory whole(positions_, config.kv_heads, config.head_dim);
    draw_cache(config.data, seed * 64, positions_, whole.view(), stream_);
    GrowingCache growing(positions_, whole.view());
    const auto all = static_cast<std::size_t>(words_of(positions_));
    q_ = DeviceArray<float>(all);
    draw_queries(config.data, seed * 64 + 32, words_of(positions_), config.head_dim, q_.data(),
                 stream_);
    value_ = DeviceArray<double>(all);
    budget_ = DeviceArray<double>(all);
    once_ = Output(all);
    again_ = Output(all);
    for (const bool half : {false, true}) {
      const auto reads = half ? ActivationForm::kHalf : ActivationForm::kOfType;
      if (!any_reads(reads)) continue;
      find_values(whole.view(), half);
      for_each_subject(subjects_, [&](Subject& subject) {
        if (subject.variant->info->reads == reads) run_subject(subject, whole.view(), growing);
      });
    }
  }

 private:
  bool any_reads(ActivationForm reads) const {
    return std::any_of(subjects_.begin(), subjects_.end(), [&](const Subject& subject) {
      return subject.variant->info->reads == reads;
    });
  }

  void find_values(const Cache& cache, bool half) {
    exact_rows({.q = q_.data(),
                .cache = cache,
                .rows = positions_,
                .past = 0,
                .heads = heads_,
                .scale = scale(),
                .half = half,
                .value = value_.data(),
                .budget = budget_.data()},
               stream_);
    stream_.wait();
  }

  void run_subject(Subject& subject, const Cache& whole, GrowingCache& growing) {
    launcher_.poison();
    run_whole(subject, whole);
    growing.hide_all(stream_);
    for (const Piece& piece : pieces_) {
      growing.show(piece.end(), stream_);
      for (int repeat = 0; repeat < 2; ++repeat) run_piece(subject, growing.view(), piece);
      ++subject.line.cases;
    }
    for (const int chunk : {512, 7, 1}) run_chunks(subject, growing, chunk);
    judge_.settle(subject.line, [&](std::uint32_t index) { return place_of(index); });
  }

  // All positions in one launch -> once_.
  void run_whole(Subject& subject, const Cache& whole) {
    const Piece all{positions_, 0};
    for (const Output* output : {&once_, &again_}) {
      output->poison(static_cast<std::size_t>(words_of(positions_)), stream_);
      launch(subject, whole, all, output->data());
      judge_.require_canaries(*output, words_of(positions_));
    }
    judge_.require_equal(once_, again_, words_of(positions_));
    const int columns = heads_ * config_.head_dim;
    judge_.compare({.got = once_.data(),
                    .stride = columns,
                    .got_rows = nullptr,
                    .value = value_.data(),
                    .budget = budget_.data(),
                    .value_rows = nullptr,
                    .rows = positions_,
                    .columns = columns});
    ++subject.line.cases;
  }

  void run_piece(Subject& subject, const Cache& cache, const Piece& piece) {
    const std::int64_t words = words_of(piece.t);
    again_.poison(static_cast<std::size_t>(words), stream_);
    launch(subject, cache, piece, again_.data());
    judge_.require_equal(again_.data(), words, once_.data() + words_of(piece.past), words, 1,
                         words);
    judge_.require_canaries(again_, words);
  }

  // The prompt from its start, `chunk` rows a launch.
  void run_chunks(Subject& subject, GrowingCache& growing, int chunk) {
    const int prompt = config_.full ? kFullPrompt : kFewPrompt;
    const std::int64_t words = words_of(std::min(prompt, positions_));
    growing.hide_all(stream_);
    again_.poison(static_cast<std::size_t>(words), stream_);
    for (int past = 0; past < std::min(prompt, positions_); past += chunk) {
      const Piece piece{std::min(chunk, std::min(prompt, positions_) - past), past};
      growing.show(piece.end(), stream_);
      launch(subject, growing.view(), piece, again_.data() + words_of(past));
    }
    judge_.require_equal(again_, once_, words);
    judge_.require_canaries(again_, words);
    ++subject.line.cases;
  }

  void launch(Subject& subject, const Cache& cache, const Piece& piece, float* out) {
    const AttentionPrefillArgs args{.q = q_.data() + words_of(piece.past),
                                    .k_cache = cache.k,
                                    .v_cache = cache.v,
                                    .position_stride = cache.position_stride,
                                    .head_stride = cache.head_stride,
                                    .out = out,
                                    .t = piece.t,
                                    .past = piece.past,
                                    .heads = heads_,
                                    .kv_heads = config_.kv_heads,
                                    .head_dim = config_.head_dim,
                                    .scale = scale()};
    launcher_.launch(subject, args, piece.end());
  }

  std::string place_of(std::uint32_t index) const {
    const auto d = static_cast<std::uint32_t>(config_.head_dim);
    const auto columns = static_cast<std::uint32_t>(heads_) * d;
    return "d=" + std::to_string(d) + " group=" + std::to_string(config_.group) + " " +
           to_string(config_.data) + " position=" + std::to_string(index / columns) +
           " head=" + std::to_string(index % columns / d) + " dim=" + std::to_string(index % d);
  }

  std::int64_t words_of(int rows) const {
    return static_cast<std::int64_t>(rows) * heads_ * config_.head_dim;
  }
  float scale() const {
    return static_cast<float>(1 / std::sqrt(static_cast<double>(config_.head_dim)));
  }

  std::vector<Subject>& subjects_;
  Stream stream_;
  Judge judge_;
  Launcher launcher_;
  Config config_{};
  std::vector<Piece> pieces_;
  int positions_ = 0;
  int heads_ = 0;
  DeviceArray<float> q_;  // (positions, heads, head_dim), as all below
  DeviceArray<double> value_;
  DeviceArray<double> budget_;
  Output once_;   // of the launch over all positions
  Output again_;  // of the others
};

}  // namespace

void sweep_prefill(const Options& options, const Report& report) {
  std::vector<Subject> subjects = subjects_of(options, "attention_prefill.", "b");
  run_and_report(subjects, report, [&] {
    PrefillSweep sweep(subjects);
    for (const Config& config : configs_of(options.quick)) sweep.run(config);
  });
}

}  // namespace assay::sweep
