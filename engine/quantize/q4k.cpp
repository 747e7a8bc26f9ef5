// q4_K: 8 sub-blocks of 32 values, w = d * scale * q - dmin * min, scales and mins of six bits.
//
// Each sub-block's best scale and offset are sought alone. d and dmin make the largest of them 63;
// each pair of six-bit integers is then chosen anew among its neighbours by the error that it
// really leaves, and d and dmin are refitted to the codes as long as that helps.
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/quantize/block_fit.h"
#include "engine/quantize/quantize_block.h"

namespace assay {
namespace {

constexpr int kSubBlocks = 8;
constexpr int kWidth = 32;
constexpr int kRefits = 2;  // of d and dmin
constexpr int kMost = 63;   // of a scale or a min

struct Units {
  std::uint16_t d = 0, dmin = 0;  // f16
  bool operator==(const Units&) const = default;
};

struct Codes {
  Units units;
  std::array<int, kSubBlocks> scales{}, mins{};   // 0..63
  std::array<int, kSubBlocks * kWidth> values{};  // 0..15
  double error = 0;
};

int code_for(float x, float scale, float offset) {
  return scale == 0 ? 0 : nearest_code((x + offset) / scale, 0, 15);
}

double error_with(const float* x, const float* importance, float scale, float offset) {
  double error = 0;
  for (int i = 0; i < kWidth; ++i) {
    const float off = x[i] - (scale * static_cast<float>(code_for(x[i], scale, offset)) - offset);
    error += static_cast<double>(importance[i]) * off * off;
  }
  return error;
}

int in_units(float value, float unit) {
  return unit == 0 ? 0 : static_cast<int>(std::lrint(value / unit));
}

// Scales, mins and codes for given units.
Codes encode(std::span<const float, 256> x, const float* importance,
             const std::array<AffineFit, kSubBlocks>& wanted, Units units) {
  Codes codes{.units = units};
  const float d = half_to_float(units.d), dmin = half_to_float(units.dmin);
  for (int s = 0; s < kSubBlocks; ++s) {
    const float* from = x.data() + s * kWidth;
    const int scale_middle = in_units(wanted[s].scale, d);
    const int min_middle = in_units(wanted[s].offset, dmin);
    double best = -1;
    for (int near = 0; near < 9; ++near) {
      const int scale = std::clamp(scale_middle - 1 + near / 3, 0, kMost);
      const int min = std::clamp(min_middle - 1 + near % 3, 0, kMost);
      const double error = error_with(from, importance + s * kWidth, d * static_cast<float>(scale),
                                      dmin * static_cast<float>(min));
      if (best >= 0 && error >= best) continue;
      best = error;
      codes.scales[s] = scale;
      codes.mins[s] = min;
    }
    codes.error += best;
    const float scale = d * static_cast<float>(codes.scales[s]);
    const float offset = dmin * static_cast<float>(codes.mins[s]);
    for (int i = 0; i < kWidth; ++i) {
      codes.values[s * kWidth + i] = code_for(from[i], scale, offset);
    }
  }
  return codes;
}

// The d and dmin that suit given codes best: two unknowns, least squares.
Units refitted(std::span<const float, 256> x, const float* importance, const Codes& codes) {
  double aa = 0, ab = 0, bb = 0, ax = 0, bx = 0;  // x' = d * a - dmin * b
  for (int i = 0; i < kSubBlocks * kWidth; ++i) {
    const double a = static_cast<double>(codes.scales[i / kWidth]) * codes.values[i];
    const double b = codes.mins[i / kWidth];
    const double w = importance[i];
    aa += w * a * a;
    ab += w * a * b;
    bb += w * b * b;
    ax += w * a * x[i];
    bx += w * b * x[i];
  }
  const double determinant = aa * bb - ab * ab;
  if (determinant <= 0) return codes.units;
  const double d = (ax * bb - bx * ab) / determinant;
  const double dmin = (ax * ab - bx * aa) / determinant;
  if (d <= 0 || dmin < 0) return codes.units;
  return {float_to_half(static_cast<float>(d)), float_to_half(static_cast<float>(dmin))};
}

void store(const Codes& codes, BlockQ4K& block) {
  block = {};
  block.d = codes.units.d;
  block.dmin = codes.units.dmin;
  for (int s = 0; s < 4; ++s) {  // as q4k_scale_min takes them apart
    const int scale = codes.scales[s + 4], min = codes.mins[s + 4];
    block.scales[s] = static_cast<std::uint8_t>(codes.scales[s] | scale >> 4 << 6);
    block.scales[s + 4] = static_cast<std::uint8_t>(codes.mins[s] | min >> 4 << 6);
    block.scales[s + 8] = static_cast<std::uint8_t>((scale & 15) | (min & 15) << 4);
  }
  for (int i = 0; i < kSubBlocks * kWidth; ++i) {  // as code_of does
    block.q[i / 64 * 32 + i % 32] |=
        static_cast<std::uint8_t>(codes.values[i] << (i / 32 % 2 == 0 ? 0 : 4));
  }
}

}  // namespace

bool quantize_block(std::span<const float, 256> x, BlockQ4K& block) {
  std::array<float, 256> importance;
  importance_of(x, importance);
  std::array<AffineFit, kSubBlocks> wanted;
  float scale = 0, offset = 0;
  for (int s = 0; s < kSubBlocks; ++s) {
    const std::size_t at = static_cast<std::size_t>(s) * kWidth;
    wanted[s] = fit_affine(x.subspan(at, kWidth), std::span(importance).subspan(at, kWidth), 15);
    scale = std::max(scale, wanted[s].scale);
    offset = std::max(offset, wanted[s].offset);
  }
  Codes best = encode(x, importance.data(), wanted,
                      {float_to_half(scale / kMost), float_to_half(offset / kMost)});
  for (int refit = 0; refit < kRefits; ++refit) {
    const Units units = refitted(x, importance.data(), best);
    if (units == best.units) break;
    const Codes next = encode(x, importance.data(), wanted, units);
    if (next.error >= best.error) break;
    best = next;
  }
  store(best, block);
  return std::isfinite(half_to_float(best.units.d)) &&
         std::isfinite(half_to_float(best.units.dmin));
}

}  // namespace assay
