// What can be said of a definition before anything runs.
#pragma once

#include <optional>

#include "gates/subject.h"

namespace assay {

// Error(kUsage) when the definition asks for what this version cannot judge.
void check_answerable(const Definition& definition);

struct Detectability {
  std::optional<double> pair_sd;   // of the A/A history, fraction
  std::optional<double> smallest;  // effect that would land in about 80 % of runs, fraction
};
Detectability detectability(const Definition& definition, const Subject& subject,
                            const RunContext& context, int pairs_max);

// A/A effects count for 30 days.
std::string aa_since();

}  // namespace assay
