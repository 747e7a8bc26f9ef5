// q6_K: 16 sub-blocks of 16 values, w = d * scale * (q - 32), eight-bit scales.
//
// Each sub-block's best scale is sought alone. d then makes the largest of them -128; each integer
// scale is chosen anew among its neighbours by the error that it really leaves, and d is refitted
// to the codes as long as that helps.
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/quantize/block_fit.h"
#include "engine/quantize/quantize_block.h"

namespace assay {
namespace {

constexpr int kSubBlocks = 16;
constexpr int kWidth = 16;
constexpr int kRefits = 2;  // of d

struct Codes {
  std::uint16_t d = 0;                            // f16
  std::array<int, kSubBlocks> scales{};           // -128..127
  std::array<int, kSubBlocks * kWidth> values{};  // -32..31
  double error = 0;
};

int code_for(float x, float scale) {
  return scale == 0 ? 0 : nearest_code(x / scale, -32, 31);
}

double error_with(const float* x, const float* importance, float scale) {
  double error = 0;
  for (int i = 0; i < kWidth; ++i) {
    const float off = x[i] - scale * static_cast<float>(code_for(x[i], scale));
    error += static_cast<double>(importance[i]) * off * off;
  }
  return error;
}

// Scales and codes for a given d.
Codes encode(std::span<const float, 256> x, const float* importance,
             const std::array<float, kSubBlocks>& wanted, std::uint16_t d) {
  Codes codes{.d = d};
  const float unit = half_to_float(d);
  for (int s = 0; s < kSubBlocks; ++s) {
    const float* from = x.data() + s * kWidth;
    const float* weight = importance + s * kWidth;
    const int middle = unit == 0 ? 0 : static_cast<int>(std::lrint(wanted[s] / unit));
    double best = -1;
    for (int near = middle - 1; near <= middle + 1; ++near) {
      const int scale = std::clamp(near, -128, 127);
      const double error = error_with(from, weight, unit * static_cast<float>(scale));
      if (best >= 0 && error >= best) continue;
      best = error;
      codes.scales[s] = scale;
    }
    codes.error += best;
    const float scale = unit * static_cast<float>(codes.scales[s]);
    for (int i = 0; i < kWidth; ++i) codes.values[s * kWidth + i] = code_for(from[i], scale);
  }
  return codes;
}

// The d that suits given codes best.
std::uint16_t refitted_d(std::span<const float, 256> x, const float* importance,
                         const Codes& codes) {
  double xq = 0, qq = 0;
  for (int i = 0; i < kSubBlocks * kWidth; ++i) {
    const double q = static_cast<double>(codes.scales[i / kWidth]) * codes.values[i];
    xq += importance[i] * q * x[i];
    qq += importance[i] * q * q;
  }
  return qq == 0 ? codes.d : float_to_half(static_cast<float>(xq / qq));
}

void store(const Codes& codes, BlockQ6K& block) {
  block = {};
  block.d = codes.d;
  for (int s = 0; s < kSubBlocks; ++s) {
    block.scales[s] = static_cast<std::int8_t>(codes.scales[s]);
  }
  for (int i = 0; i < kSubBlocks * kWidth; ++i) {  // as code_of takes them apart
    const unsigned code = static_cast<unsigned>(codes.values[i] + 32);
    const int half = i / 128, quarter = i % 128 / 32, lane = i % 32;
    block.low[half * 64 + (quarter % 2) * 32 + lane] |=
        static_cast<std::uint8_t>((code & 15) << (quarter < 2 ? 0 : 4));
    block.high[half * 32 + lane] |= static_cast<std::uint8_t>(code >> 4 << (2 * quarter));
  }
}

}  // namespace

bool quantize_block(std::span<const float, 256> x, BlockQ6K& block) {
  std::array<float, 256> importance;
  importance_of(x, importance);
  std::array<float, kSubBlocks> wanted;
  float extreme = 0;
  for (int s = 0; s < kSubBlocks; ++s) {
    const std::size_t at = static_cast<std::size_t>(s) * kWidth;
    wanted[s] =
        fit_scale(x.subspan(at, kWidth), std::span(importance).subspan(at, kWidth), -32, 31).scale;
    if (std::abs(wanted[s]) > std::abs(extreme)) extreme = wanted[s];
  }
  Codes best = encode(x, importance.data(), wanted, float_to_half(extreme / -128));
  for (int refit = 0; refit < kRefits; ++refit) {
    const std::uint16_t d = refitted_d(x, importance.data(), best);
    if (d == best.d) break;
    const Codes next = encode(x, importance.data(), wanted, d);
    if (next.error >= best.error) break;
    best = next;
  }
  store(best, block);
  return std::isfinite(half_to_float(best.d));
}

}  // namespace assay
