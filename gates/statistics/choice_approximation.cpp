#include "gates/statistics/choice_approximation.h"

#include <cmath>
#include <numbers>
#include <vector>

namespace assay {
namespace {

// Cumulant generating function of the sum, and its first two derivatives.
struct Cumulants {
  double k = 0, k1 = 0, k2 = 0;
};

Cumulants cumulants(std::span<const double> choices, std::size_t width, double theta) {
  Cumulants sum;
  for (std::size_t row = 0; row < choices.size(); row += width) {
    const double first = choices[row];
    double m0 = 0;  // moments of the tilted choices, relative to the first: no overflow near it
    double m1 = 0;
    double m2 = 0;
    for (std::size_t i = 0; i < width; ++i) {
      const double offset = choices[row + i] - first;
      const double tilted = std::exp(theta * offset);
      m0 += tilted;
      m1 += tilted * offset;
      m2 += tilted * offset * offset;
    }
    sum.k += theta * first + std::log(m0 / static_cast<double>(width));
    sum.k1 += first + m1 / m0;
    sum.k2 += m2 / m0 - (m1 / m0) * (m1 / m0);
  }
  return sum;
}

double upper_tail(double z) {
  return 0.5 * std::erfc(z / std::numbers::sqrt2);
}

}  // namespace

double approximate_choice_tail(std::span<const double> choices, int width) {
  const auto columns = static_cast<std::size_t>(width);
  double observed = 0;
  for (std::size_t row = 0; row < choices.size(); row += columns) observed += choices[row];
  const Cumulants even = cumulants(choices, columns, 0);
  if (!(observed > even.k1) || even.k2 <= 0) return 1;
  double theta = 0;
  Cumulants tilted = even;
  for (int i = 0; i < 30; ++i) {  // Newton; the derivative only falls where choices run out
    const double step = (observed - tilted.k1) / tilted.k2;
    theta += step;
    tilted = cumulants(choices, columns, theta);
    if (std::fabs(step) < 1e-7 * theta) break;
    const double most = theta * observed - tilted.k;
    // Nearly all mass on the observed choices: the tail is that one point.
    if (!(tilted.k2 > 1e-9 * even.k2) || !(most > 0)) {
      return std::pow(static_cast<double>(width), -static_cast<double>(choices.size() / columns));
    }
  }
  const double r = std::sqrt(2 * (theta * observed - tilted.k));
  const double u = theta * std::sqrt(tilted.k2);
  if (r < 1e-4) return upper_tail(r);
  const double bell = std::exp(-r * r / 2) / std::sqrt(2 * std::numbers::pi);
  return upper_tail(r) + bell * (1 / u - 1 / r);
}

int rare_signed_rank(int n, double p) {
  const int total = n * (n + 1) / 2;
  std::vector<double> probability(static_cast<std::size_t>(total) + 1, 0.0);
  probability[0] = 1;
  for (int rank = 1; rank <= n; ++rank) {
    for (int sum = total; sum >= 0; --sum) {
      const auto at = static_cast<std::size_t>(sum);
      const double with = sum >= rank ? probability[at - static_cast<std::size_t>(rank)] : 0.0;
      probability[at] = 0.5 * (probability[at] + with);
    }
  }
  double tail = 0;
  for (int sum = total; sum >= 0; --sum) {
    tail += probability[static_cast<std::size_t>(sum)];
    if (tail > p) return sum + 1;
  }
  return 0;
}

}  // namespace assay
