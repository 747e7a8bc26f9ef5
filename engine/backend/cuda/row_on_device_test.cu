// What a row of logits gives on a GPU against the host: digests, counts, drawn tokens.
//
//   assay-row-on-device-test
//
// One line per part, "ok" or "FAILED"; times are printed and judged by nobody. Exit 0; 3 when
// something differs; 77 without a GPU.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <set>
#include <thread>
#include <vector>

#include "engine/backend/cuda/cuda_device.h"
#include "engine/backend/cuda/row_on_device.cuh"
#include "engine/core/mix64.h"
#include "engine/core/thread_pool.h"

namespace assay {
namespace {

using cuda::check;

constexpr int kLargest = 152'064;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::uint64_t number_at(std::uint64_t seed, std::uint64_t index) {
  return mix64((seed << 32 | index) * kMix64Step + 1);
}

float bits_as_float(std::uint64_t bits) {
  const auto low = static_cast<std::uint32_t>(bits);
  float value = 0;
  std::memcpy(&value, &low, sizeof value);
  return value;
}

// About N(0, 1).
float normal_at(std::uint64_t seed, std::uint64_t index) {
  double sum = -2;
  for (std::uint64_t i = 0; i < 4; ++i) {
    sum += static_cast<double>(number_at(seed + i + 1, index) >> 11) * 0x1p-53;
  }
  return static_cast<float>(sum * std::sqrt(3.0));
}

// A row on the device and what is read from it.
class Bench {
 public:
  Bench() : scratch_(kLargest), row_(kLargest, "a row"), result_(1, "a result") {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  ~Bench() { cudaStreamDestroy(stream_); }

  cudaStream_t stream() const { return stream_; }
  RowPlace place(int vocab) const { return {row_.data(), vocab, &result_.data()->row, &scratch_}; }
  // Behind the row the buffer keeps what it had.
  void put(const std::vector<float>& row, const TopLogits& top = {}) {
    RowReading reading;
    reading.top = top;
    reading.drawn = -7;
    check(cudaMemcpyAsync(row_.data(), row.data(), row.size() * sizeof(float),
                          cudaMemcpyHostToDevice, stream_),
          "copy of a row");
    check(cudaMemcpyAsync(&result_.data()->row, &reading, sizeof reading, cudaMemcpyHostToDevice,
                          stream_),
          "copy of a reading");
    check(cudaStreamSynchronize(stream_), "copies");
  }
  RowReading get() const {
    RowReading reading;
    check(cudaMemcpyAsync(&reading, &result_.data()->row, sizeof reading, cudaMemcpyDeviceToHost,
                          stream_),
          "copy of a reading");
    check(cudaStreamSynchronize(stream_), "reading a row");
    return reading;
  }
  // Mean time of `launch` in microseconds, of 200 one after another.
  double time(const std::function<void()>& launch) const {
    constexpr int kRounds = 200;
    cudaEvent_t begin = nullptr;
    cudaEvent_t end = nullptr;
    check(cudaEventCreate(&begin), "cudaEventCreate");
    check(cudaEventCreate(&end), "cudaEventCreate");
    launch();
    check(cudaEventRecord(begin, stream_), "cudaEventRecord");
    for (int i = 0; i < kRounds; ++i) launch();
    check(cudaEventRecord(end, stream_), "cudaEventRecord");
    check(cudaEventSynchronize(end), "timed launches");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end), "cudaEventElapsedTime");
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    return 1000.0 * ms / kRounds;
  }

 private:
  RowScratch scratch_;
  DeviceArray<float> row_;
  DeviceArray<DeviceResult> result_;
  cudaStream_t stream_ = nullptr;
};

bool report(const char* what, std::size_t checked, std::size_t failed) {
  std::printf("%s %s: %zu checked, %zu differ\n", failed == 0 && checked > 0 ? "ok" : "FAILED",
              what, checked, failed);
  std::fflush(stdout);
  return failed == 0 && checked > 0;
}

bool reads_as_the_host(const RowReading& reading, const std::vector<float>& row) {
  return reading.digest == digest_of_row(row) && reading.nonfinite == count_nonfinite(row);
}

std::vector<float> random_bits(std::size_t count, std::uint64_t seed) {
  std::vector<float> row(count);
  for (std::size_t i = 0; i < count; ++i) row[i] = bits_as_float(number_at(seed, i));
  return row;
}

bool test_digests(Bench& bench) {
  std::set<int> sizes{kLargest, 151'936, 128'256, 32'000, 32'768 * 4};
  for (int floats = 61; floats <= 1250; ++floats) sizes.insert(floats);
  for (int block = 5; block < 594; block += 19) {  // chains of all lengths modulo a tile
    for (const int apart : {-16, -1, 0, 1, 16}) sizes.insert(block * 256 + apart);
  }
  for (int block = 126; block < 132; ++block) sizes.insert(block * 256);
  std::size_t failed = 0;
  for (const int size : sizes) {
    const std::vector<float> row = random_bits(static_cast<std::size_t>(size), 1);
    bench.put(row);
    digest_on_device(bench.place(size), bench.stream());
    if (reads_as_the_host(bench.get(), row)) continue;
    if (++failed <= 10) std::printf("  a row of %d floats differs\n", size);
  }
  return report("digests and counts of non-finite logits", sizes.size(), failed);
}

// As a captured step has it.
bool test_replay(Bench& bench) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  check(cudaStreamBeginCapture(bench.stream(), cudaStreamCaptureModeThreadLocal), "capture");
  digest_on_device(bench.place(kLargest), bench.stream());
  check(cudaStreamEndCapture(bench.stream(), &graph), "end of a capture");
  check(cudaGraphInstantiate(&exec, graph, 0), "cudaGraphInstantiate");
  std::size_t failed = 0;
  constexpr std::size_t kRows = 20;
  for (std::uint64_t i = 0; i < kRows; ++i) {
    const std::vector<float> row =
        i == 0 ? std::vector<float>(kLargest, kNan) : random_bits(kLargest, 100 + i);
    bench.put(row);
    for (int again = 0; again < 3; ++again) {
      check(cudaGraphLaunch(exec, bench.stream()), "cudaGraphLaunch");
    }
    failed += reads_as_the_host(bench.get(), row) ? 0 : 1;
  }
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  return report("replays of a captured digest", kRows, failed);
}

struct Kind {
  const char* name;
  float (*logit)(std::uint64_t seed, std::uint64_t index);
};

constexpr Kind kKinds[] = {
    {"random", [](std::uint64_t s, std::uint64_t i) { return 2 * normal_at(s, i); }},
    {"peaked", [](std::uint64_t s, std::uint64_t i) { return 12 * normal_at(s, i); }},
    {"flat", [](std::uint64_t, std::uint64_t) { return 1.5f; }},
    {"ties", [](std::uint64_t s, std::uint64_t i) { return std::rint(1.5f * normal_at(s, i)); }},
    {"NaN", [](std::uint64_t s,
               std::uint64_t i) { return number_at(s, i) % 3 == 0 ? kNan : normal_at(s, i); }},
    {"infinities",
     [](std::uint64_t s, std::uint64_t i) {
       const std::uint64_t of = number_at(s, i) % 97;
       return of == 0 && s % 2 == 0 ? kInfinity : of < 30 ? -kInfinity : normal_at(s, i);
     }},
    {"denormals",
     [](std::uint64_t s, std::uint64_t i) {
       return bits_as_float(number_at(s, i) & 0x80000007u);  // both zeros, too
     }},
    {"any bits", [](std::uint64_t s, std::uint64_t i) { return bits_as_float(number_at(s, i)); }},
    {"lowest", [](std::uint64_t, std::uint64_t) { return -kInfinity; }},
    {"no number", [](std::uint64_t, std::uint64_t) { return kNan; }},
};

TopLogits top_of(const std::vector<float>& row) {
  TopLogits top{.index = 0, .value = row[0]};
  for (std::size_t i = 1; i < row.size(); ++i) {
    if (std::isnan(row[i]) || !(std::isnan(top.value) || row[i] > top.value)) continue;
    top = {.index = static_cast<std::int32_t>(i), .value = row[i]};
  }
  return top;
}

// Every setting at a row, and different random numbers.
std::vector<Draw> draws_at(int vocab, std::int32_t seed) {
  std::vector<Draw> draws;
  int step = 0;
  for (const int k : {0, 1, 40, 1000, vocab}) {
    for (const double p : {1.0, 0.9, 0.5, 1e-9}) {
      for (const double temperature : {0.0, 0.3, 0.8, 1.0, 2.0}) {
        draws.push_back(
            {.sampling = {.temperature = temperature, .top_k = k, .top_p = p, .seed = seed},
             .step = step++});
      }
    }
  }
  return draws;
}

std::size_t differing_draws(Bench& bench, ThreadPool& pool, const std::vector<float>& row,
                            const std::vector<Draw>& draws) {
  std::vector<std::int32_t> expected(draws.size());
  pool.parallel_for(static_cast<std::int64_t>(draws.size()), 1,
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t i = begin; i < end; ++i) {
                        const auto at = static_cast<std::size_t>(i);
                        expected[at] = pick_token(row, draws[at]);
                      }
                    });
  const int vocab = static_cast<int>(row.size());
  bench.put(row, top_of(row));
  std::size_t failed = 0;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    draw_on_device(bench.place(vocab), draws[i], bench.stream());
    const std::int32_t drawn = bench.get().drawn;
    if (drawn == expected[i]) continue;
    const Sampling& s = draws[i].sampling;
    if (++failed <= 3) {
      std::printf("  %d tokens, k %d, p %g, T %g: drew %d, expected %d\n", vocab, s.top_k, s.top_p,
                  s.temperature, drawn, expected[i]);
    }
  }
  return failed;
}

bool test_draws(Bench& bench) {
  ThreadPool pool(static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 16u)));
  bool good = true;
  std::size_t all = 0;
  for (const Kind& kind : kKinds) {
    std::size_t checked = 0;
    std::size_t failed = 0;
    for (const int vocab : {61, 300, 511, 4099, 32'000, kLargest}) {
      for (std::uint64_t seed = 10; seed < (vocab < 10'000 ? 12 : 11); ++seed) {
        std::vector<float> row(static_cast<std::size_t>(vocab));
        for (std::size_t i = 0; i < row.size(); ++i) row[i] = kind.logit(seed, i);
        const std::vector<Draw> draws = draws_at(vocab, static_cast<std::int32_t>(seed));
        failed += differing_draws(bench, pool, row, draws);
        checked += draws.size();
      }
    }
    const std::string name = std::string("draws, ") + kind.name;
    good = report(name.c_str(), checked, failed) && good;
    all += checked;
  }
  std::printf("%zu draws\n", all);
  return good;
}

void print_times(Bench& bench) {
  std::vector<float> row(kLargest);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = kKinds[0].logit(5, i);
  bench.put(row, top_of(row));
  const RowPlace place = bench.place(kLargest);
  std::printf("%d logits: digest and count %.1f us", kLargest,
              bench.time([&] { digest_on_device(place, bench.stream()); }));
  const auto draw = [&](int k, double p) {
    return bench.time([&] {
      draw_on_device(place, {.sampling = {.temperature = 0.8, .top_k = k, .top_p = p}, .step = 1},
                     bench.stream());
    });
  };
  std::printf("; draw %.1f us, with top-k 40 %.1f, with top-p 0.9 %.1f, with both %.1f\n",
              draw(0, 1), draw(40, 1), draw(0, 0.9), draw(40, 0.9));
}

int run() {
  const CudaDevice device = cuda_device_here();
  if (device.capability == 0) {
    std::printf("skipped: %s\n", device.why.c_str());
    return 77;
  }
  Bench bench;
  bool good = test_digests(bench);
  good = test_replay(bench) && good;
  good = test_draws(bench) && good;
  print_times(bench);
  return good ? 0 : 3;
}

}  // namespace
}  // namespace assay

int main() {
  try {
    return assay::run();
  } catch (const std::exception& error) {
    std::printf("FAILED %s\n", error.what());
    return 3;
  }
}
