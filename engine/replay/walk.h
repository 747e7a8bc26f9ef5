// Decode steps over one text, at any order of positions, and what each gave.
//
// Once every position of the text is in the cache, a step at position p with the text's token reads
// what it read before and writes what is there already. So every order of positions must give each
// position the same bits, and a long context may be followed by a short one and a longer one again.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/backend/backend.h"

namespace assay::replay {

// One step, and the digest of its logits.
std::string digest_of_step(Backend& backend, std::int32_t token, int position);
std::string digest_of_row(Backend& backend, int row = 0);  // of the pass enqueued last

std::vector<int> upwards(int count);     // 0, 1, 2, ...
std::vector<int> downwards(int count);   // count - 1, ..., 0
std::vector<int> to_and_fro(int count);  // count - 1, 0, count - 2, 1, ...

// Digests of one run against those of another.
struct Comparison {
  int compared = 0;
  int different = 0;
  int first = -1;  // position of the first difference
  void add(int position, bool equal);
  bool ok() const { return compared > 0 && different == 0; }
};
std::string to_string(const Comparison& comparison);

// Steps at `order`, each held against `expected` (by position).
Comparison compare_walk(Backend& backend, std::span<const std::int32_t> tokens,
                        std::span<const int> order, std::span<const std::string> expected);

}  // namespace assay::replay
