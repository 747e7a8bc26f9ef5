// Comparisons on the device: of a launch's output only these numbers come back.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>

#include "kernels/cuda_sweep/device.cuh"
#include "kernels/cuda_sweep/sweep.h"

namespace assay::sweep {

struct Tally {
  unsigned long long worst;      // |error| / budget as the bits of an f32, << 32, and its index
  unsigned long long values;     // held against fp64
  unsigned long long beyond;     // of them, outside the budget
  unsigned long long different;  // words that two outputs do not share
  unsigned long long damaged;    // canary words that were written
  double ratio() const;
  std::uint32_t index() const { return static_cast<std::uint32_t>(worst); }
};

inline constexpr std::uint64_t kCanaryWords = 128;  // on either side of an output

// An output of f32 words between canaries. poison() makes all of it NaN.
class Output {
 public:
  Output() = default;
  explicit Output(std::size_t words) : memory_(words + 2 * kCanaryWords) {}
  float* data() const { return memory_.data() + kCanaryWords; }
  std::size_t size() const { return memory_.size() - 2 * kCanaryWords; }
  // The first `words` and the canaries behind them.
  void poison(std::size_t words, cudaStream_t stream) const;

 private:
  DeviceArray<float> memory_;
};

// Rows of an output against rows of a reference: row r of (rows, columns) is got + r * stride, or
// of the listed row, and value row r, or the listed one. Index of a value: value row * columns +
// column.
struct Comparison {
  const float* got;
  std::int64_t stride;
  const int* got_rows;  // (rows); null: 0, 1, ..
  const double* value;  // (.., columns)
  const double* budget;
  const int* value_rows;  // (rows); null: 0, 1, ..
  int rows;
  int columns;
};

// Collects what the comparisons of one case find, and moves it into a Line.
class Judge {
 public:
  explicit Judge(cudaStream_t stream);

  void compare(const Comparison& comparison) const;
  // Rows of `words` words, of which outputs a and b must have the same bits.
  void require_equal(const float* a, std::int64_t stride_a, const float* b, std::int64_t stride_b,
                     int rows, std::int64_t words) const;
  void require_equal(const Output& a, const Output& b, std::int64_t words) const {
    require_equal(a.data(), words, b.data(), words, 1, words);
  }
  // Canaries around outputs of `words` words that begin `stride` words apart.
  void require_canaries(const float* output, std::int64_t stride, int outputs,
                        std::int64_t words) const;
  void require_canaries(const Output& output, std::int64_t words) const {
    require_canaries(output.data(), words, 1, words);
  }
  // Waits. Adds the tally to `line`; where its worst ratio is the line's new worst, `where` says
  // which index it was. Begins anew.
  void settle(Line& line, const std::function<std::string(std::uint32_t)>& where);

 private:
  cudaStream_t stream_;
  DeviceArray<Tally> tally_;
};

}  // namespace assay::sweep
