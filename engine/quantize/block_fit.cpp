#include "engine/quantize/block_fit.h"

namespace assay {
namespace {

constexpr int kStarts = 6;  // each way from the scale that spans the range
constexpr int kRounds = 3;  // of codes and scale in turn

// The least-squares scale for the codes that `scale` gives, and what remains.
ScaleFit refit_scale(std::span<const float> x, std::span<const float> importance, float scale,
                     int lowest, int highest) {
  const float inverse = 1.0f / scale;
  double xq = 0, qq = 0, xx = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double q = nearest_code(x[i] * inverse, lowest, highest);
    const double w = importance[i];
    xq += w * x[i] * q;
    qq += w * q * q;
    xx += w * x[i] * x[i];
  }
  if (qq == 0) return {.scale = 0, .error = xx};
  return {.scale = static_cast<float>(xq / qq), .error = xx - xq * xq / qq};
}

// The same for a scale and an offset that is not negative.
AffineFit refit_affine(std::span<const float> x, std::span<const float> importance,
                       const AffineFit& from, int highest) {
  const float inverse = 1.0f / from.scale;
  double s = 0, q1 = 0, q2 = 0, x1 = 0, xq = 0, xx = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double q = nearest_code((x[i] + from.offset) * inverse, 0, highest);
    const double w = importance[i];
    s += w;
    q1 += w * q;
    q2 += w * q * q;
    x1 += w * x[i];
    xq += w * x[i] * q;
    xx += w * x[i] * x[i];
  }
  const double determinant = s * q2 - q1 * q1;
  double scale = 0, offset = 0;
  if (determinant > 1e-12 * s * q2) {
    scale = (s * xq - x1 * q1) / determinant;
    offset = (q1 * xq - q2 * x1) / determinant;
  } else {  // all codes are equal: the scale stays, the offset does the rest
    scale = from.scale;
    offset = (scale * q1 - x1) / s;
  }
  if (offset < 0) {  // without an offset
    offset = 0;
    scale = q2 > 0 ? xq / q2 : 0;
  }
  if (scale <= 0) return {.scale = 0, .offset = 0, .error = xx};
  const double error = xx + scale * scale * q2 + offset * offset * s - 2 * scale * xq +
                       2 * offset * x1 - 2 * scale * offset * q1;
  return {.scale = static_cast<float>(scale), .offset = static_cast<float>(offset), .error = error};
}

}  // namespace

void importance_of(std::span<const float> x, std::span<float> out) {
  double squares = 0;
  for (const float value : x) squares += static_cast<double>(value) * value;
  // They sum to 1, so that squares of tiny and of huge weights stay within a float.
  const double mean = squares / static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double own = static_cast<double>(x[i]) * x[i];
    out[i] = mean > 0 ? static_cast<float>((mean + own) / (2 * squares)) : 0;
  }
}

ScaleFit fit_scale(std::span<const float> x, std::span<const float> importance, int lowest,
                   int highest) {
  float extreme = 0;
  double nothing = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::abs(x[i]) > std::abs(extreme)) extreme = x[i];
    nothing += static_cast<double>(importance[i]) * x[i] * x[i];
  }
  ScaleFit best{.scale = 0, .error = nothing};
  for (int start = -kStarts; start <= kStarts; ++start) {
    // `lowest` reaches further than `highest`: it takes the value of the largest magnitude.
    const float codes = static_cast<float>(lowest) * (1 + 0.03f * static_cast<float>(start));
    ScaleFit fit{.scale = extreme / codes, .error = 0};
    for (int round = 0; round < kRounds; ++round) {
      if (!std::isnormal(fit.scale)) break;
      const ScaleFit next = refit_scale(x, importance, fit.scale, lowest, highest);
      if (round > 0 && next.error >= fit.error) break;  // the codes have settled
      fit = next;
      if (fit.error < best.error) best = fit;
    }
  }
  return best;
}

AffineFit fit_affine(std::span<const float> x, std::span<const float> importance, int highest) {
  float least = 0, most = x[0];  // an offset is not negative: the range begins at 0 or below
  double nothing = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    least = std::min(least, x[i]);
    most = std::max(most, x[i]);
    nothing += static_cast<double>(importance[i]) * x[i] * x[i];
  }
  if (most == least) most = 0;  // all equal: any scale will do
  AffineFit best{.scale = 0, .offset = 0, .error = nothing};
  for (int start = -kStarts; start <= kStarts; ++start) {
    const float codes = static_cast<float>(highest) * (1 + 0.03f * static_cast<float>(start));
    AffineFit fit{.scale = (most - least) / codes, .offset = -least, .error = 0};
    for (int round = 0; round < kRounds; ++round) {
      if (!std::isnormal(fit.scale)) break;
      const AffineFit next = refit_affine(x, importance, fit, highest);
      if (round > 0 && next.error >= fit.error) break;  // the codes have settled
      fit = next;
      if (fit.error < best.error) best = fit;
    }
  }
  return best;
}

}  // namespace assay
