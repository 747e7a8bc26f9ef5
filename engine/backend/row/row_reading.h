// What a backend says about one row of logits, and how the host reads it from them.
//
// A session needs of each row: the top two, a digest by which two runs are compared, whether its
// numbers are finite, and perhaps a token that is drawn. On a GPU all of it is read where the
// logits lie (cuda/row_on_device.cuh), with these functions as the definition.
#pragma once

#include <cstdint>
#include <span>

#include "engine/backend/row/digest_steps.h"

namespace assay {

struct TopLogits {
  std::int32_t index = -1;  // of the largest logit
  float value = 0;
  float second = 0;  // largest of the others
};

struct RowReading {
  TopLogits top;
  RowDigest digest;
  std::uint64_t nonfinite = 0;  // among the logits
  std::int32_t drawn = -1;      // -1: not asked for
};

// By the xxHash library, at any length.
RowDigest digest_of_row(std::span<const float> logits);
std::uint64_t count_nonfinite(std::span<const float> logits);

}  // namespace assay
