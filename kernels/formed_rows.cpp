#include "kernels/formed_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/core/half.h"

namespace assay {
namespace {

constexpr double kUnit = 0x1p-24;
constexpr double kShare = 0.65;             // of a step
constexpr double kBeyond = 0x1.ffffffp127;  // rounds to an infinite f32

std::size_t whole_eights(std::size_t bytes) {
  return (bytes + 7) / 8 * 8;
}

bool finite_in_f32(double value) {
  return std::fabs(value) < kBeyond;  // false for NaN
}

double largest(std::span<const double> values) {
  double amax = 0;
  for (const double value : values) {
    if (finite_in_f32(value)) amax = std::max(amax, std::fabs(value));
  }
  return amax;
}

double nonfinite_of(const UnroundedRows& exact) {
  return static_cast<double>(std::count_if(exact.value.begin(), exact.value.end(),
                                           [](double value) { return !finite_in_f32(value); }));
}

// The power of two by which a row is divided, by frexp: amax = m 2^e with m in [1/2, 1).
double exact_scale(double amax) {
  if (amax == 0 || (amax >= 0x1p-8 && amax <= 0x1p15)) return 1;
  int e = 0;
  std::frexp(amax, &e);
  if (amax > 0x1p15) return std::ldexp(1.0, e - 15);
  return std::max(std::ldexp(1.0, e - 1), 0x1p-126);
}

}  // namespace

double half_spacing(double magnitude) {
  int e = 0;
  std::frexp(magnitude, &e);  // magnitude in [2^(e - 1), 2^e)
  return std::ldexp(1.0, std::max(e - 11, -24));
}

FormedOutput::FormedOutput(std::size_t front, std::size_t rows_bytes)
    : rows_at_(whole_eights(front)),
      counter_at_(rows_at_ + whole_eights(rows_bytes)),
      buffer_(counter_at_ + 8) {
  poison();
}

void FormedOutput::poison() {
  buffer_.poison();
  *counter() = 0;
}

std::uint64_t* FormedOutput::counter() {
  return reinterpret_cast<std::uint64_t*>(buffer_.data() + counter_at_);
}

QuantizedOutput::QuantizedOutput(std::size_t front, int t, int k)
    : FormedOutput(front, static_cast<std::size_t>(t) * static_cast<std::size_t>(k) / 32 * 38),
      count_(static_cast<std::size_t>(t) * static_cast<std::size_t>(k)) {}

QuantizedRows QuantizedOutput::rows() {
  std::byte* data = rows_data();
  return {reinterpret_cast<std::int8_t*>(data), reinterpret_cast<float*>(data + count_),
          reinterpret_cast<std::int16_t*>(data + count_ + count_ / 32 * 4)};
}

void QuantizedOutput::append_values(std::vector<double>& values) const {
  auto* self = const_cast<QuantizedOutput*>(this);
  const QuantizedRows rows = self->rows();
  for (std::size_t i = 0; i < count_; ++i) {
    values.push_back(static_cast<double>(rows.d[i / 32]) * rows.q[i]);
  }
  values.insert(values.end(), rows.d, rows.d + count_ / 32);
  for (std::size_t b = 0; b < count_ / 32; ++b) {  // 0 where the sum is that of the codes
    int sum = rows.sum[b];
    for (std::size_t i = 0; i < 32; ++i) sum -= rows.q[b * 32 + i];
    values.push_back(sum);
  }
  values.push_back(static_cast<double>(*self->counter()));
}

void QuantizedOutput::append_expected(const UnroundedRows& exact, int, std::vector<double>& value,
                                      std::vector<double>& budget) {
  const std::size_t blocks = exact.value.size() / 32;
  std::vector<double> scale(blocks);
  std::vector<double> scale_budget(blocks);
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::span<const double> block(exact.value.data() + b * 32, 32);
    const double amax = largest(block);
    scale[b] = amax < 0x1p-119 ? 0 : amax / 127;
    for (std::size_t i = 0; i < 32; ++i) {
      const bool counts = finite_in_f32(block[i]) && scale[b] != 0;
      value.push_back(counts ? block[i] : 0);
      budget.push_back(counts ? kShare * scale[b] : 0);
      if (counts) scale_budget[b] = std::max(scale_budget[b], exact.error[b * 32 + i] / 127);
    }
    if (scale[b] != 0) scale_budget[b] += kUnit * scale[b];
  }
  value.insert(value.end(), scale.begin(), scale.end());
  budget.insert(budget.end(), scale_budget.begin(), scale_budget.end());
  value.resize(value.size() + blocks, 0.0);  // sums
  value.push_back(nonfinite_of(exact));
  budget.resize(value.size(), 0.0);
}

HalvedOutput::HalvedOutput(std::size_t front, int t, int k)
    : FormedOutput(front,
                   whole_eights(static_cast<std::size_t>(t) * static_cast<std::size_t>(k) * 2) +
                       static_cast<std::size_t>(t) * 4),
      t_(static_cast<std::size_t>(t)),
      k_(static_cast<std::size_t>(k)) {}

HalfRows HalvedOutput::rows() {
  std::byte* data = rows_data();
  return {reinterpret_cast<std::uint16_t*>(data),
          reinterpret_cast<float*>(data + whole_eights(t_ * k_ * 2))};
}

void HalvedOutput::append_values(std::vector<double>& values) const {
  auto* self = const_cast<HalvedOutput*>(this);
  const HalfRows rows = self->rows();
  for (std::size_t i = 0; i < t_ * k_; ++i) {
    values.push_back(static_cast<double>(rows.scale[i / k_]) * half_to_float(rows.h[i]));
  }
  values.insert(values.end(), rows.scale, rows.scale + t_);
  values.push_back(static_cast<double>(*self->counter()));
}

void HalvedOutput::append_expected(const UnroundedRows& exact, int k, std::vector<double>& value,
                                   std::vector<double>& budget) {
  const auto width = static_cast<std::size_t>(k);
  std::vector<double> scales;
  for (std::size_t at = 0; at < exact.value.size(); at += width) {
    // As f32 has it: what is below half the smallest f32 is 0.
    const auto amax = static_cast<float>(largest({exact.value.data() + at, width}));
    const double scale = exact_scale(amax);
    for (std::size_t i = at; i < at + width; ++i) {
      const bool counts = finite_in_f32(exact.value[i]);
      value.push_back(counts ? exact.value[i] : 0);
      const double spacing = half_spacing(std::fabs(exact.value[i]) / scale) * scale;
      budget.push_back(counts ? kShare * spacing + exact.error[i] : 0);
    }
    scales.push_back(scale);
  }
  value.insert(value.end(), scales.begin(), scales.end());
  value.push_back(nonfinite_of(exact));
  budget.resize(value.size(), 0.0);
}

}  // namespace assay
