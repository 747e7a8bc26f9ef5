#include "engine/replay/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace assay::replay {
namespace {

struct Normaliser {
  double top = 0;
  double log_sum = 0;  // ln of the sum of e^(logit - top)
  double log_of(float logit) const { return logit - top - log_sum; }
};

Normaliser normaliser(std::span<const float> logits) {
  Normaliser found{.top = *std::max_element(logits.begin(), logits.end())};
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - found.top);
  found.log_sum = std::log(sum);
  return found;
}

bool finite(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); });
}

}  // namespace

TwoBest two_best(std::span<const float> logits) {
  TwoBest best{.first = 0, .second = 1};
  const auto value = [&](int i) { return logits[static_cast<std::size_t>(i)]; };
  if (value(1) > value(0)) std::swap(best.first, best.second);
  for (int i = 2; i < static_cast<int>(logits.size()); ++i) {
    if (value(i) > value(best.first)) {
      best.second = best.first;
      best.first = i;
    } else if (value(i) > value(best.second)) {
      best.second = i;
    }
  }
  best.margin = value(best.first) - value(best.second);
  return best;
}

double kl_divergence(std::span<const float> p, std::span<const float> q) {
  if (!finite(p) || !finite(q)) return std::numeric_limits<double>::quiet_NaN();
  const Normaliser of_p = normaliser(p);
  const Normaliser of_q = normaliser(q);
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double log_p = of_p.log_of(p[i]);
    sum += std::exp(log_p) * (log_p - of_q.log_of(q[i]));
  }
  return sum;
}

void Agreement::add(std::span<const float> base, std::span<const float> other) {
  ++rows;
  if (!finite(base) || !finite(other)) {
    ++nonfinite;
    return;
  }
  if (std::memcmp(base.data(), other.data(), base.size_bytes()) == 0) return;
  ++different;
  for (std::size_t i = 0; i < base.size(); ++i) {
    largest_difference = std::max(largest_difference, std::fabs(double{base[i]} - other[i]));
  }
  const TwoBest here = two_best(base);
  const TwoBest there = two_best(other);
  const double gap_there = double{other[static_cast<std::size_t>(here.first)]} -
                           other[static_cast<std::size_t>(here.second)];
  drift = std::max(drift, std::fabs(here.margin - gap_there));
  if (here.first != there.first) {
    ++flips;
    widest_flip = std::max<double>(widest_flip, std::max(here.margin, there.margin));
  }
  kl_sum += kl_divergence(base, other);
}

std::string to_string(const Agreement& agreement) {
  return fmt::format(
      "{} rows ({} of other bits): {} flips, the widest margin {:.4f}, drift {:.4f}, largest "
      "|dlogit| {:.4f}, mean KL {:.3e}{}",
      agreement.rows, agreement.different, agreement.flips, agreement.widest_flip, agreement.drift,
      agreement.largest_difference, agreement.mean_kl(),
      agreement.nonfinite == 0 ? "" : fmt::format("; {} rows are not finite", agreement.nonfinite));
}

}  // namespace assay::replay
