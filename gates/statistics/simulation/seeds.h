// Where every random number of the simulation comes from. Committed before the code that uses it.
//
// One seed per section of the suite: the first 16 hexadecimal digits of the SHA-256 of "assay
// simulation: NAME", so that none could be chosen for its result (a test computes them again). A
// cell and an experiment take their own stream from their section's seed.
#pragma once

#include <cstdint>

namespace assay::simulation {

inline constexpr std::uint64_t kPilotSeed = 0xf2639f11dfbf43e2u;        // pilot
inline constexpr std::uint64_t kRatesSeed = 0xcb763df72e5a9222u;        // rates
inline constexpr std::uint64_t kMutantsSeed = 0xc1616794a16aec76u;      // mutants
inline constexpr std::uint64_t kPowerSeed = 0x873ebdad096ef448u;        // power
inline constexpr std::uint64_t kDesignsSeed = 0x13127e9639b3e370u;      // designs
inline constexpr std::uint64_t kRulesSeed = 0x65c5df82eb2cf7f6u;        // rules
inline constexpr std::uint64_t kAdversariesSeed = 0x3aed09f4ede29011u;  // adversaries

}  // namespace assay::simulation
