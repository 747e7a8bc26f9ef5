// What every backend checks about a pass: faults of the caller, so each is an Error(kInternal).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "engine/backend/backend.h"

namespace assay {

// What a backend was made for; `name` begins the messages.
struct PassLimits {
  std::string name;  // "cpu backend"
  int max_rows = 0;
  int context = 0;  // positions
  int vocab = 0;
};

// The rows of a pass fit, and each token is one of the vocabulary.
void check_pass(const PassLimits& limits, std::span<const std::int32_t> tokens, int first);
// A pass of `t` rows has this row.
void check_row(const PassLimits& limits, int row, int t);
// The argmax is a token.
void check_top(const PassLimits& limits, const TopLogits& top);

}  // namespace assay
