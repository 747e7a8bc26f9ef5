// Random numbers of one simulated experiment. Its own generator (SplitMix64, Box and Muller), so
// that a seed means the same with every standard library.
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

#include "engine/core/mix_stream.h"

namespace assay::simulation {

class Random {
 public:
  // The stream of experiment number `index` of the cell named `cell`: it depends on nothing else,
  // so neither the number of threads nor a filter by scenario changes a result.
  Random(std::uint64_t seed, std::string_view cell, std::int64_t index) {
    std::uint64_t hash = seed;
    for (const char letter : cell) {
      hash = mix64(hash + kMix64Step + static_cast<unsigned char>(letter));
    }
    stream_ = MixStream(mix64(hash + kMix64Step * static_cast<std::uint64_t>(index)));
  }

  double uniform() { return stream_.uniform(); }  // [0, 1)

  bool coin() { return uniform() < 0.5; }
  double sign() { return coin() ? 1.0 : -1.0; }

  double normal() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    const double angle = 6.283185307179586 * uniform();
    spare_ = radius * std::sin(angle);
    has_spare_ = true;
    return radius * std::cos(angle);
  }

  // Student t with `df` > 2 (a whole number) degrees of freedom, scaled to standard deviation 1.
  double student(int df) {
    const double top = normal();
    double squares = 0;
    for (int i = 0; i < df; ++i) {
      const double value = normal();
      squares += value * value;
    }
    return top / std::sqrt(squares / df) * std::sqrt((df - 2.0) / df);
  }

 private:
  MixStream stream_;
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace assay::simulation
