// What A/A runs have in common, for those just measured and for those on record.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <string>

#include "gates/cli/counted.h"
#include "gates/cli/percent.h"

namespace assay {

struct AaSummary {
  std::size_t runs = 0, excluding = 0;  // `excluding`: whose interval excludes zero
  double squares = 0, variance = 0;

  void add(double estimate, double pair_sd, bool excludes_zero) {
    ++runs;
    excluding += excludes_zero ? 1 : 0;
    squares += estimate * estimate;
    variance += pair_sd * pair_sd;
  }
  double rms_effect() const { return std::sqrt(squares / static_cast<double>(runs)); }
  double pair_sd() const { return std::sqrt(variance / static_cast<double>(runs)); }
  std::string text() const {
    return fmt::format("{}: pair sd {}, rms effect {}; {} of {} intervals exclude zero",
                       counted(runs, "run"), plain_percent(pair_sd()), plain_percent(rms_effect()),
                       excluding, runs);
  }
};

}  // namespace assay
