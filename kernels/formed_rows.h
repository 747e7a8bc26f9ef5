// The output of ops that end in quantised or halved rows, as their references see it.
//
// Such an op computes f32 values with a small error and rounds them; a value near a rounding
// boundary may fall on either side, so codes cannot be compared. What they stand for can:
//   quantised  d * q within 0.65 d of the exact value (half a step, and room for the value's own
//              error), d within the error of the block's largest value, the sum of codes exactly
//   halved     scale * h within 0.65 of f16's spacing there, the scale exactly
// and the counter exactly. One buffer holds everything that is compared as bytes: `front` bytes of
// the op's own, the rows, the counter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/halve_activations/halve_activations.h"
#include "kernels/quantize_activations/quantize_activations.h"
#include "kernels/reference.h"

namespace assay {

// Values in fp64 and how far from them a kernel's may be before they are rounded. A value beyond
// f32, or NaN, is one that the kernel must count and write as 0.
struct UnroundedRows {
  std::vector<double> value;  // (t, k)
  std::vector<double> error;  // (t, k)
};

// What both forms share: the buffer and its places.
class FormedOutput {
 public:
  FormedOutput(std::size_t front, std::size_t rows_bytes);
  void poison();  // the counter is 0: kernels add to it
  std::byte* front() { return buffer_.data(); }
  const std::byte* front() const { return buffer_.data(); }
  std::uint64_t* counter();
  std::span<const std::byte> bytes() const { return {buffer_.data(), buffer_.size()}; }
  bool intact() const { return buffer_.intact(); }

 protected:
  std::byte* rows_data() { return buffer_.data() + rows_at_; }

 private:
  std::size_t rows_at_;
  std::size_t counter_at_;
  GuardedBuffer buffer_;
};

class QuantizedOutput : public FormedOutput {
 public:
  QuantizedOutput(std::size_t front, int t, int k);
  QuantizedRows rows();
  void append_values(std::vector<double>& values) const;
  static void append_expected(const UnroundedRows& exact, int k, std::vector<double>& value,
                              std::vector<double>& budget);

 private:
  std::size_t count_;  // t * k
};

class HalvedOutput : public FormedOutput {
 public:
  HalvedOutput(std::size_t front, int t, int k);
  HalfRows rows();
  void append_values(std::vector<double>& values) const;
  static void append_expected(const UnroundedRows& exact, int k, std::vector<double>& value,
                              std::vector<double>& budget);

 private:
  std::size_t t_;
  std::size_t k_;
};

// Distance of neighbouring f16 values around a number of that magnitude.
double half_spacing(double magnitude);

}  // namespace assay
