#include "engine/generate/sampling.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/core/mix64.h"
#include "engine/generate/exp_f64.h"

namespace assay {
namespace {

struct Choice {
  std::int32_t id;
  float logit;
};

bool likelier(const Choice& a, const Choice& b) {
  return a.logit > b.logit || (a.logit == b.logit && a.id < b.id);
}

bool by_id(const Choice& a, const Choice& b) {
  return a.id < b.id;
}

// What may be drawn at all, by id; empty where every logit is NaN.
std::vector<Choice> choices_of(std::span<const float> logits) {
  std::vector<Choice> choices;
  choices.reserve(logits.size());
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (!std::isnan(logits[i])) choices.push_back({static_cast<std::int32_t>(i), logits[i]});
  }
  return choices;
}

const Choice& likeliest(const std::vector<Choice>& choices) {
  return *std::min_element(choices.begin(), choices.end(), likelier);
}

void keep_top_k(std::vector<Choice>& choices, int k) {
  if (k == 0 || static_cast<std::size_t>(k) >= choices.size()) return;
  const auto end = choices.begin() + k;
  std::nth_element(choices.begin(), end - 1, choices.end(), likelier);
  choices.erase(end, choices.end());
  std::sort(choices.begin(), choices.end(), by_id);
}

double weight(const Choice& choice, float largest, double temperature) {
  if (choice.logit == largest) return 1;  // also where both are infinite
  return exp_f64((static_cast<double>(choice.logit) - static_cast<double>(largest)) / temperature);
}

void keep_top_p(std::vector<Choice>& choices, double p) {
  if (p >= 1) return;
  const float largest = likeliest(choices).logit;
  double total = 0;
  for (const Choice& choice : choices) total += weight(choice, largest, 1);
  // A heap: usually few are taken of many.
  const auto less_likely = [](const Choice& a, const Choice& b) { return likelier(b, a); };
  std::make_heap(choices.begin(), choices.end(), less_likely);
  auto end = choices.end();
  double sum = 0;
  do {
    std::pop_heap(choices.begin(), end, less_likely);
    --end;
    sum += weight(*end, largest, 1);
  } while (end != choices.begin() && sum < p * total);
  choices.erase(choices.begin(), end);
  std::sort(choices.begin(), choices.end(), by_id);
}

std::int32_t draw(const std::vector<Choice>& choices, double temperature, double uniform) {
  const float largest = likeliest(choices).logit;
  std::vector<double> weights;
  weights.reserve(choices.size());
  double total = 0;
  for (const Choice& choice : choices) {
    weights.push_back(weight(choice, largest, temperature));
    total += weights.back();
  }
  const double target = uniform * total;
  double sum = 0;
  // The sum ends at exactly `total`, which is above the target unless their product rounded up.
  for (std::size_t i = 0; i < choices.size(); ++i) {
    sum += weights[i];
    if (sum > target) return choices[i].id;
  }
  return likeliest(choices).id;
}

}  // namespace

double uniform_number(std::int32_t seed, int step) {
  std::uint64_t z = static_cast<std::uint64_t>(static_cast<std::uint32_t>(seed)) << 32;
  z = (z + static_cast<std::uint64_t>(step) + 1) * kMix64Step;
  return static_cast<double>(mix64(z) >> 11) * 0x1p-53;
}

std::int32_t pick_token(std::span<const float> logits, const Sampling& sampling, int step) {
  std::vector<Choice> choices = choices_of(logits);
  if (choices.empty()) return 0;
  if (sampling.temperature == 0) return likeliest(choices).id;
  keep_top_k(choices, sampling.top_k);
  keep_top_p(choices, sampling.top_p);
  return draw(choices, sampling.temperature, uniform_number(sampling.seed, step));
}

}  // namespace assay
