#include "engine/backend/row/sampling.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/backend/row/draw_arithmetic.h"

namespace assay {
namespace {

using namespace draw_arithmetic;

struct Choice {
  std::int32_t id;
  float logit;
};

bool likelier(const Choice& a, const Choice& b) {
  return key_of(a.logit, a.id) > key_of(b.logit, b.id);
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

void keep_top_p(std::vector<Choice>& choices, double p, float largest) {
  if (p >= 1) return;
  std::uint64_t total = 0;
  for (const Choice& choice : choices) total += weight_of(choice.logit, largest, 1);
  const std::uint64_t wanted = wanted_mass(fixed_p(p), total);
  // A heap: usually few are taken of many.
  const auto less_likely = [](const Choice& a, const Choice& b) { return likelier(b, a); };
  std::make_heap(choices.begin(), choices.end(), less_likely);
  auto end = choices.end();
  std::uint64_t sum = 0;
  do {
    std::pop_heap(choices.begin(), end, less_likely);
    --end;
    sum += weight_of(end->logit, largest, 1);
  } while (sum < wanted);
  choices.erase(choices.begin(), end);
  std::sort(choices.begin(), choices.end(), by_id);
}

// The sum passes the target at the last choice or before, since the target is below the total.
std::int32_t drawn_from(const std::vector<Choice>& choices, float largest, double temperature,
                        std::uint64_t random) {
  std::vector<std::uint64_t> weights;
  weights.reserve(choices.size());
  std::uint64_t total = 0;
  for (const Choice& choice : choices) {
    weights.push_back(weight_of(choice.logit, largest, temperature));
    total += weights.back();
  }
  const std::uint64_t target = share_of(random, total);
  std::uint64_t sum = 0;
  std::size_t at = 0;
  while ((sum += weights[at]) <= target) ++at;
  return choices[at].id;
}

}  // namespace

std::int32_t pick_token(std::span<const float> logits, const Draw& draw) {
  std::vector<Choice> choices = choices_of(logits);
  if (choices.empty()) return 0;
  const Choice top = likeliest(choices);
  const Sampling& sampling = draw.sampling;
  if (sampling.temperature == 0) return top.id;
  keep_top_k(choices, sampling.top_k);
  keep_top_p(choices, sampling.top_p, top.logit);
  return drawn_from(choices, top.logit, sampling.temperature,
                    random_number(sampling.seed, draw.step));
}

}  // namespace assay
