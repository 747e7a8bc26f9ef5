// Tokens for work of which only the time matters.
#pragma once

#include <cstdint>
#include <vector>

namespace assay {

// Token numbers all over the vocabulary, the same on every machine.
inline std::vector<std::int32_t> drawn_tokens(int count, int vocab) {
  std::vector<std::int32_t> tokens;
  std::uint64_t state = 1;
  for (int i = 0; i < count; ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    tokens.push_back(static_cast<std::int32_t>((state >> 33) % static_cast<std::uint64_t>(vocab)));
  }
  return tokens;
}

}  // namespace assay
