// Activations arranged for panels: blocks in the panel's order, with what a term needs of a block
// as 32-bit words that an instruction can broadcast from memory. For AVX2 and AVX-512 files only.
#pragma once

#include <cstdint>

#include "kernels/matmul/panel.h"
#include "kernels/quantize_activations/quantize_activations.h"

namespace assay {
namespace {

// The sum of the codes as f32.
struct FloatSums {
  static constexpr int kWords = 1;
  static void prepare(const std::int8_t*, std::int16_t sum, std::int32_t* out) {
    const auto value = static_cast<float>(sum);
    __builtin_memcpy(out, &value, 4);
  }
};

// What the codes' offset adds to the products, to be taken off: -kOffset times the sum.
template <int kOffset>
struct OffsetSums {
  static constexpr int kWords = 1;
  static void prepare(const std::int8_t*, std::int16_t sum, std::int32_t* out) {
    out[0] = -kOffset * sum;
  }
};

// The same for each half of the block.
template <int kOffset>
struct HalfOffsetSums {
  static constexpr int kWords = 2;
  static void prepare(const std::int8_t* q, std::int16_t sum, std::int32_t* out) {
    std::int32_t first = 0;
    for (int i = 0; i < 16; ++i) first += q[i];
    out[0] = -kOffset * first;
    out[1] = -kOffset * (sum - first);
  }
};

// Token rows, blocks in the panel's order.
struct PanelTokens {
  std::int8_t* q;      // (t, blocks, 32)
  float* d;            // (t, blocks)
  std::int32_t* sums;  // (t, blocks, Sums::kWords)
  std::int64_t blocks;

  static std::int64_t bytes(std::int64_t tokens, std::int64_t blocks, int words) {
    return tokens * blocks * (32 + 4 + 4 * words);
  }
  PanelTokens(void* at, std::int64_t tokens, std::int64_t row_blocks)
      : q(static_cast<std::int8_t*>(at)),
        d(reinterpret_cast<float*>(q + tokens * row_blocks * 32)),
        sums(reinterpret_cast<std::int32_t*>(d + tokens * row_blocks)),
        blocks(row_blocks) {}

  // Rows [first, end) of xq.
  template <typename Sums>
  void fill(const QuantizedRows& xq, std::int64_t first, std::int64_t end,
            const PanelOrder& order) const {
    for (std::int64_t token = first; token < end; ++token) {
      for (int b = 0; b < blocks; ++b) {
        const std::int64_t from = token * blocks + b;
        const std::int64_t to = (token - first) * blocks + order.place(b);
        __builtin_memcpy(q + to * 32, xq.q + from * 32, 32);
        d[to] = xq.d[from];
        Sums::prepare(xq.q + from * 32, xq.sum[from], sums + to * Sums::kWords);
      }
    }
  }
};

}  // namespace
}  // namespace assay
