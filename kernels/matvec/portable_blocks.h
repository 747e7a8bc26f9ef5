// Rows of 32-blocks (and q5_K) times quantised activations in plain C++, any format.
//
// A 32-block is unpacked once (codes as 16 bits, scale and offset as f32) and then meets kTokens
// activation rows. Terms and their order: kernels/matvec/README.md.
#pragma once

#include <cstdint>

#include "kernels/blocks.h"
#include "kernels/matvec/lane_sum.h"
#include "kernels/matvec/wide_activations.h"

namespace assay {

struct UnpackedBlock {
  std::int16_t q[32];
  float scale;
  float offset;
};

// Sixteen bytes of nibbles: elements 0..15 low, 16..31 high.
inline void unpack_nibbles(const std::uint8_t* bytes, std::int16_t* q) {
  for (int i = 0; i < 16; ++i) {
    q[i] = static_cast<std::int16_t>(bytes[i] & 0x0f);
    q[16 + i] = static_cast<std::int16_t>(bytes[i] >> 4);
  }
}
// Bit i of `high` onto element i, by a comparison that compilers turn into vector code.
inline void unpack_fifth_bits(const std::uint8_t* high, std::int16_t* q) {
  constexpr std::int16_t kBit[8] = {1, 2, 4, 8, 16, 32, 64, 128};
  for (int byte = 0; byte < 4; ++byte) {
    const auto bits = static_cast<std::int16_t>(high[byte]);
    for (int i = 0; i < 8; ++i) {
      const auto set = static_cast<std::int16_t>((bits & kBit[i]) != 0 ? 16 : 0);
      q[8 * byte + i] = static_cast<std::int16_t>(q[8 * byte + i] | set);
    }
  }
}
inline void shift_codes(std::int16_t* q, int offset) {
  for (int i = 0; i < 32; ++i) q[i] = static_cast<std::int16_t>(q[i] - offset);
}

inline void unpack_codes(const BlockQ4_0& block, int, std::int16_t* q) {
  unpack_nibbles(block.q, q);
  shift_codes(q, 8);
}
inline void unpack_codes(const BlockQ4_1& block, int, std::int16_t* q) {
  unpack_nibbles(block.q, q);
}
inline void unpack_codes(const BlockQ5_0& block, int, std::int16_t* q) {
  unpack_nibbles(block.q, q);
  unpack_fifth_bits(block.high, q);
  shift_codes(q, 16);
}
inline void unpack_codes(const BlockQ5_1& block, int, std::int16_t* q) {
  unpack_nibbles(block.q, q);
  unpack_fifth_bits(block.high, q);
}
inline void unpack_codes(const BlockQ5K& block, int sub, std::int16_t* q) {
  const std::uint8_t* bytes = block.q + sub / 2 * 32;
  const int shift = sub % 2 * 4;
  const int bit = 1 << sub;
  for (int i = 0; i < 32; ++i) q[i] = static_cast<std::int16_t>(bytes[i] >> shift & 0x0f);
  for (int i = 0; i < 32; ++i) {
    const auto set = static_cast<std::int16_t>((block.high[i] & bit) != 0 ? 16 : 0);
    q[i] = static_cast<std::int16_t>(q[i] | set);
  }
}

// out[i] = row . x[first + i] for kTokens token rows. q4_K and q6_K have their own.
template <int kTokens, typename Block>
inline void dot_wide(const Block* row, const WideRows& x, int first, int k, float* out) {
  float lanes[kTokens][8] = {};
  UnpackedBlock w;
  for (int b = 0; b < k / 32; ++b) {
    constexpr int kParts = kBlockElements<Block> / 32;
    const Block& block = row[b / kParts];
    unpack_codes(block, b % kParts, w.q);
    w.scale = scale_of(block, b % kParts * 32);
    w.offset = offset_of(block, b % kParts * 32);
    for (int i = 0; i < kTokens; ++i) {
      const std::int64_t at = static_cast<std::int64_t>(first + i) * (k / 32) + b;
      const float high = w.scale * static_cast<float>(dot_32(w.q, x.q + at * 32));
      const float low = w.offset * static_cast<float>(x.sum[at]);
      lanes[i][b % 8] += (kHasOffset<Block> ? high - low : high) * x.d[at];
    }
  }
  for (int i = 0; i < kTokens; ++i) out[i] = sum_lanes(lanes[i]);
}

}  // namespace assay
