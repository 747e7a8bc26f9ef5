#include "engine/synth/succession.h"

#include <numeric>
#include <utility>

#include "engine/synth/blocks.h"

namespace assay {
namespace {

// The least number that a - 1 must be a multiple of.
std::uint32_t step_of(std::uint32_t vocab) {
  std::uint32_t step = vocab % 4 == 0 ? 2 : 1;
  std::uint32_t rest = vocab;
  for (std::uint32_t prime = 2; prime * prime <= rest; ++prime) {
    if (rest % prime != 0) continue;
    step *= prime;
    while (rest % prime == 0) rest /= prime;
  }
  return rest > 1 ? step * rest : step;
}

// a^-1 modulo V, by Euclid's algorithm; they have no common divisor.
std::uint32_t inverse_of(std::uint32_t a, std::uint32_t vocab) {
  std::int64_t r0 = vocab, r1 = a, s0 = 0, s1 = 1;
  while (r1 != 0) {
    const std::int64_t quotient = r0 / r1;
    r0 = std::exchange(r1, r0 - quotient * r1);
    s0 = std::exchange(s1, s0 - quotient * s1);
  }
  return static_cast<std::uint32_t>((s0 % vocab + vocab) % vocab);
}

}  // namespace

Succession succession_of(std::uint32_t vocab, std::uint64_t seed) {
  Succession map{.vocab = vocab};
  const std::uint32_t step = step_of(vocab);
  // Near 5/8 of V, so that neighbours part; a prime V leaves a = 1 only.
  map.factor = 1 + step * (vocab / 8 * 5 / step);
  map.inverse = inverse_of(map.factor, vocab);
  map.shift = static_cast<std::uint32_t>(synth_key(seed, ~std::uint64_t{0}) % vocab);
  while (std::gcd(map.shift, vocab) != 1) map.shift = (map.shift + 1) % vocab;
  return map;
}

}  // namespace assay
