// Finding the scale, and the offset, with which small integers come closest to given weights.
//
// Both fits minimise sum importance * (x - x')^2 over a sub-block of a few dozen values. The codes
// are integers, so the error has many minima in the scale: from a spread of starting scales, codes
// and scale are improved in turn (given codes, the best scale is a linear least-squares problem;
// given the scale, the best code of a value is the nearest) and the best end is kept. Rejected: the
// range of the values alone (a quarter to a third more error on weights of a normal distribution).
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace assay {

// How much a weight's error counts when a scale is sought. An output's error is the sum of weight
// errors times activations that nobody knows here; large weights tend to sit where activations are
// large, so they count more: mean square of the block plus the weight's own square.
void importance_of(std::span<const float> x, std::span<float> out);

// The nearest code to an unrounded one, however far away that is.
inline int nearest_code(float value, int lowest, int highest) {
  return static_cast<int>(
      std::lrint(std::clamp(value, static_cast<float>(lowest), static_cast<float>(highest))));
}

struct ScaleFit {
  float scale = 0;  // x' = scale * code; negative where that is better
  double error = 0;
};
// Codes lowest..highest, with 0 among them.
ScaleFit fit_scale(std::span<const float> x, std::span<const float> importance, int lowest,
                   int highest);

struct AffineFit {
  float scale = 0;  // x' = scale * code - offset; neither is negative
  float offset = 0;
  double error = 0;
};
// Codes 0..highest.
AffineFit fit_affine(std::span<const float> x, std::span<const float> importance, int highest);

}  // namespace assay
