// Which token follows which in a synthetic model: succ(t) = (a t + c) mod V, one cycle through all
// V tokens, so that greedy text never settles into a short loop.
//
// The period is full when a - 1 is divisible by every prime of V, and by 4 where V is, and c and V
// have no common divisor.
#pragma once

#include <cstdint>

namespace assay {

struct Succession {
  std::uint32_t vocab = 1;
  std::uint32_t factor = 1;   // a
  std::uint32_t inverse = 1;  // of a, modulo V
  std::uint32_t shift = 0;    // c

  std::uint32_t after(std::uint32_t token) const {
    return static_cast<std::uint32_t>((std::uint64_t{factor} * token + shift) % vocab);
  }
};

// `vocab` is at least 2.
Succession succession_of(std::uint32_t vocab, std::uint64_t seed);

}  // namespace assay
