// SplitMix64: the state steps by kMix64Step, and mix64 of a state is its number. The one source of
// reproducible numbers in the project; nothing but <cstdint>, so that device code may include it.
#pragma once

#include <cstdint>

namespace assay {

inline constexpr std::uint64_t kMix64Step = 0x9e3779b97f4a7c15u;

// Each bit of the input flips about half of the output.
constexpr std::uint64_t mix64(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace assay
