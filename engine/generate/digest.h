// XXH3-128 of logits and of whole pieces of work, as 32 hex digits.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/backend/row/digest_steps.h"

namespace assay {

// Of a row that a backend has read.
std::string hex_of(const RowDigest& digest);
// Of a logits row's f32 bytes.
std::string digest_of(std::span<const float> logits);
// Of all rows' digests (their hex text, in order), then the fed tokens' int32 bytes.
std::string digest_of(const std::vector<std::string>& rows, std::span<const std::int32_t> tokens);

}  // namespace assay
