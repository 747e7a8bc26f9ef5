// The tensors of a synthetic model: names, shapes, types, and the recipe for the bits of each.
//
// Magnitudes, by random matrix arithmetic on an input of rms 1 (L layers, width D):
//   embedding rms 1; the output of q, k, v, gate and up rms 1 each; attn_output 1 / sqrt(2 L) and
//   ffn_down 1 / (0.6 sqrt(2 L)), 0.6 being the rms of silu(gate) up, so that all layers together
//   add about as much as the embedding brought; logits of standard deviation 2.
// A weight that does so has standard deviation gain / sqrt(columns). attn_norm and ffn_norm weigh
// 16 in 8 channels, as trained models do, and their readers are smaller by sqrt(1 + 2040 / D).
//
// The planted part has the strength of about `firmness` standard deviations of a logit: code and
// share of places multiply to 15 firmness r / sqrt(D). 15: a wide code's deviation of 9.2, over the
// share of the embedding in the last layer's output. r: by how much the planted codes themselves
// raise the deviation of unrelated tokens' logits, sqrt(1 + 0.74 (code / 9.2)^2) at the mean share;
// so the code is the least that suffices for firmness 12 (12 for tiny, 6 for the 1.5b, 4 and 3 for
// larger ones). One row in eight has a firmness of sqrt(2 ln V) only (3.9 to 5), about the largest
// deviation among V unrelated logits: now and then such a row is a close call, or loses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/dtype.h"
#include "engine/core/thread_pool.h"
#include "engine/synth/blocks.h"
#include "engine/synth/model_name.h"
#include "engine/synth/succession.h"

namespace assay {

enum class SynthKind { kCodes, kOnes, kOutlierNorm, kBias };

struct SynthTensor {
  std::string name;
  DType dtype = DType::kF32;
  std::uint32_t columns = 0;
  std::uint32_t rows = 0;  // 0: a vector
  SynthKind kind = SynthKind::kCodes;
  SynthRecipe recipe;
  std::uint64_t offset = 0;  // bytes from the start of the data section, multiple of 32

  std::uint32_t block_elements() const;  // that generate_blocks makes at a time
  std::uint32_t block_bytes() const;
  std::uint64_t blocks() const;
  std::uint64_t bytes() const { return blocks() * block_bytes(); }
};

// In the order of the file. A tensor's key is drawn from the seed and its place in this list.
std::vector<SynthTensor> tensors_of(const SynthModel& model);
Succession succession_of(const SynthModel& model);

// Writes the bytes of `count` blocks from `first` on.
void generate_blocks(const SynthTensor& tensor, std::uint64_t first, std::uint64_t count,
                     std::byte* out);
// The same bytes, by all threads of the pool.
void generate_blocks(const SynthTensor& tensor, std::uint64_t first, std::uint64_t count,
                     std::byte* out, ThreadPool& pool);

}  // namespace assay
