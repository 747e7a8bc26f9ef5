// The bits of a synthetic model's weights, as pure functions of (seed, tensor, block).
//
// Method: a 64-bit finaliser over a counter gives words; nibbles and bytes of the words are the
// codes and scales of a block, and the f16 factors are constants of the tensor. No floating point,
// no quantiser and no state: any order, any number of threads and any processor give the same bits.
// Everything is constexpr and needs <cstdint> and mix64.h only, so that a CUDA file may include
// this header (with --expt-relaxed-constexpr) and have the same bits on a device, one block per
// thread.
//
// Codes: q4_K codes are uniform in 0..15 and the sub-block's min is 7.5 times its scale, so that
// weights are symmetric about 0. f16 and q8_0 codes are the odd numbers of -127..127. Rows of the
// output matrix have "wide" codes instead (the sum of four nibbles, -30..30, standard deviation
// 9.2), which leave room for the planted part; q6_K codes are wide everywhere. Scales of
// sub-blocks are 16..31.
//
// The planted part: a row v of the output matrix gets one number added to its codes, with the sign
// that the embedding of the token before v has there, at a share of its places that says how firmly
// v follows that token. The places are drawn by hash as well.
#pragma once

#include <cstdint>

#include "engine/core/mix64.h"

namespace assay {

// What a block of the embedding looks like, for its signs.
enum class SynthSigns : std::uint32_t { kNone, kQ4K, kCodes };

// The map of next tokens, and how an output row shows it. `signs` is kNone for any other tensor.
struct SynthPlant {
  SynthSigns signs = SynthSigns::kNone;
  std::uint64_t embedding_key = 0;
  std::uint32_t vocab = 1;
  std::uint32_t inverse = 1;  // of the map's factor, modulo vocab
  std::uint32_t shift = 0;    // below vocab
  std::int32_t code = 0;      // added at planted places
  std::uint32_t weak = 0;     // the least firmness, in sixteenths
  std::uint32_t density = 0;  // places in 256 per sixteenth of firmness, times 65,536
};

// One tensor of codes.
struct SynthRecipe {
  std::uint64_t key = 0;
  std::uint32_t row_blocks = 1;    // blocks of a row
  std::uint16_t d = 0;             // f16 bits of the blocks' factor
  std::uint16_t d_min = 0;         // f16 bits of 7.5 d; q4_K only
  std::uint16_t halves[256] = {};  // f16 tensors: bits of the weight of each code (as a byte)
  SynthPlant plant;
};

constexpr std::uint64_t synth_key(std::uint64_t seed, std::uint64_t tensor) {
  return mix64(mix64(seed + kMix64Step) + tensor * kMix64Step);
}

// Words of a block: 0 scales, 1..64 codes, 65..96 planted places.
inline constexpr std::uint32_t kBlockWords = 128;
inline constexpr std::uint32_t kFirstCodeWord = 1;
inline constexpr std::uint32_t kFirstPlaceWord = 65;

constexpr std::uint64_t synth_word(std::uint64_t key, std::uint64_t block, std::uint32_t index) {
  return mix64(key + (block * kBlockWords + index + 1) * kMix64Step);
}

constexpr std::uint8_t byte_of(std::uint64_t word, int index) {
  return static_cast<std::uint8_t>(word >> (8 * index));
}

constexpr void put_half(std::uint8_t* out, std::uint16_t bits) {
  out[0] = static_cast<std::uint8_t>(bits);
  out[1] = static_cast<std::uint8_t>(bits >> 8);
}

// ---- codes of a block in the order of its elements; n is 32 or 256

constexpr void odd_codes(std::uint64_t key, std::uint64_t block, std::int8_t* codes, int n) {
  for (int i = 0; i < n; i += 8) {
    const std::uint32_t index = kFirstCodeWord + static_cast<std::uint32_t>(i / 8);
    const std::uint64_t word = synth_word(key, block, index) | 0x0101010101010101u;
    for (int b = 0; b < 8; ++b) codes[i + b] = static_cast<std::int8_t>(byte_of(word, b));
  }
}

constexpr void wide_codes(std::uint64_t key, std::uint64_t block, std::int8_t* codes, int n) {
  constexpr std::uint64_t kNibbles = 0x0f0f0f0f0f0f0f0fu;
  for (int i = 0; i < n; i += 8) {
    const std::uint32_t index = kFirstCodeWord + static_cast<std::uint32_t>(i / 4);
    const std::uint64_t a = synth_word(key, block, index);
    const std::uint64_t b = synth_word(key, block, index + 1);
    const std::uint64_t sums =
        (a & kNibbles) + ((a >> 4) & kNibbles) + (b & kNibbles) + ((b >> 4) & kNibbles);
    for (int k = 0; k < 8; ++k) codes[i + k] = static_cast<std::int8_t>(byte_of(sums, k) - 30);
  }
}

// ---- the planted part

// The token whose successor is `token`.
constexpr std::uint32_t token_before(const SynthPlant& plant, std::uint32_t token) {
  const std::uint64_t shifted = std::uint64_t{token} + plant.vocab - plant.shift;
  return static_cast<std::uint32_t>(shifted % plant.vocab * plant.inverse % plant.vocab);
}

// How many standard deviations of a logit the planted part is worth, in sixteenths: little for one
// row in eight, so that margins are small at times, 7 to 12 for the others.
constexpr std::uint32_t firmness(std::uint64_t key, std::uint64_t row, std::uint32_t weak) {
  const std::uint64_t word = synth_word(~key, row, 0);
  return word % 8 == 0 ? weak : 112 + static_cast<std::uint32_t>((word >> 3) % 81);
}

// 1 where the embedding's element is negative, else 0.
constexpr void negative_elements(const SynthPlant& plant, std::uint64_t block,
                                 std::uint8_t* negative, int n) {
  for (int i = 0; i < (plant.signs == SynthSigns::kCodes ? n : n / 2); i += 8) {
    const std::uint32_t index = kFirstCodeWord + static_cast<std::uint32_t>(i / 8);
    const std::uint64_t word = synth_word(plant.embedding_key, block, index);
    for (int b = 0; b < 8; ++b) {
      const std::uint8_t byte = byte_of(word, b);
      if (plant.signs == SynthSigns::kCodes) {
        negative[i + b] = byte >> 7;
      } else {  // a byte of two codes: 32 low nibbles, then their 32 high nibbles
        const int at = i / 32 * 64 + i % 32 + b;
        negative[at] = (byte >> 3 & 1) ^ 1;
        negative[at + 32] = byte >> 7 ^ 1;
      }
    }
  }
}

// `limit`: codes stay within +-limit.
constexpr void plant_codes(const SynthRecipe& recipe, std::uint64_t block, std::int8_t* codes,
                           int n, int limit) {
  const SynthPlant& plant = recipe.plant;
  const std::uint64_t row = block / recipe.row_blocks;
  const std::uint64_t before = token_before(plant, static_cast<std::uint32_t>(row));
  std::uint8_t negative[256] = {};
  negative_elements(plant, before * recipe.row_blocks + block % recipe.row_blocks, negative, n);
  const std::uint32_t places = static_cast<std::uint32_t>(
      std::uint64_t{firmness(recipe.key, row, plant.weak)} * plant.density >> 16);
  for (int i = 0; i < n; i += 8) {
    const std::uint32_t index = kFirstPlaceWord + static_cast<std::uint32_t>(i / 8);
    const std::uint64_t word = synth_word(recipe.key, block, index);
    for (int b = 0; b < 8; ++b) {
      const int change = byte_of(word, b) < places ? plant.code : 0;
      const int code = codes[i + b] + (negative[i + b] != 0 ? -change : change);
      codes[i + b] = static_cast<std::int8_t>(code > limit ? limit : code < -limit ? -limit : code);
    }
  }
}

// Codes of an f16 or q8_0 block.
constexpr void byte_codes(const SynthRecipe& recipe, std::uint64_t block, std::int8_t* codes) {
  if (recipe.plant.signs == SynthSigns::kNone) {
    odd_codes(recipe.key, block, codes, 32);
    return;
  }
  wide_codes(recipe.key, block, codes, 32);
  plant_codes(recipe, block, codes, 32, 127);
}

// ---- whole blocks, as they lie in the file

// 32 elements, 64 bytes.
constexpr void f16_block(const SynthRecipe& recipe, std::uint64_t block, std::uint8_t* out) {
  std::int8_t codes[32] = {};
  byte_codes(recipe, block, codes);
  for (int i = 0; i < 32; ++i) {
    put_half(out + 2 * i, recipe.halves[static_cast<std::uint8_t>(codes[i])]);
  }
}

// 32 elements, 34 bytes.
constexpr void q8_0_block(const SynthRecipe& recipe, std::uint64_t block, std::uint8_t* out) {
  std::int8_t codes[32] = {};
  byte_codes(recipe, block, codes);
  put_half(out, recipe.d);
  for (int i = 0; i < 32; ++i) out[2 + i] = static_cast<std::uint8_t>(codes[i]);
}

// 256 elements, 144 bytes. A sub-block's scale and min are one number of 16..31.
constexpr void q4k_block(const SynthRecipe& recipe, std::uint64_t block, std::uint8_t* out) {
  put_half(out, recipe.d);
  put_half(out + 2, recipe.d_min);
  const std::uint64_t scales = synth_word(recipe.key, block, 0);
  for (int j = 0; j < 4; ++j) {
    const std::uint8_t low = scales >> (4 * j) & 15;
    const std::uint8_t high = scales >> (4 * j + 16) & 15;
    out[4 + j] = out[8 + j] = static_cast<std::uint8_t>(16 + low + 64);
    out[12 + j] = static_cast<std::uint8_t>(high | high << 4);
  }
  for (int i = 0; i < 128; i += 8) {
    const std::uint32_t index = kFirstCodeWord + static_cast<std::uint32_t>(i / 8);
    const std::uint64_t word = synth_word(recipe.key, block, index);
    for (int b = 0; b < 8; ++b) out[16 + i + b] = byte_of(word, b);
  }
}

// 256 elements, 210 bytes.
constexpr void q6k_block(const SynthRecipe& recipe, std::uint64_t block, std::uint8_t* out) {
  std::int8_t codes[256] = {};
  wide_codes(recipe.key, block, codes, 256);
  if (recipe.plant.signs != SynthSigns::kNone) plant_codes(recipe, block, codes, 256, 31);
  std::uint8_t q[256] = {};
  for (int i = 0; i < 256; ++i) q[i] = static_cast<std::uint8_t>(codes[i] + 32);
  for (int half = 0; half < 2; ++half) {  // of 128 elements: four runs of 32
    const std::uint8_t* from = q + 128 * half;
    for (int l = 0; l < 32; ++l) {
      const int a = from[l], b = from[l + 32], c = from[l + 64], d = from[l + 96];
      out[64 * half + l] = static_cast<std::uint8_t>((a & 15) | (c & 15) << 4);
      out[64 * half + l + 32] = static_cast<std::uint8_t>((b & 15) | (d & 15) << 4);
      out[128 + 32 * half + l] =
          static_cast<std::uint8_t>(a >> 4 | b >> 4 << 2 | c >> 4 << 4 | d >> 4 << 6);
    }
  }
  const std::uint64_t scales = synth_word(recipe.key, block, 0);
  for (int j = 0; j < 16; ++j)
    out[192 + j] = static_cast<std::uint8_t>(16 + (scales >> (4 * j) & 15));
  put_half(out + 208, recipe.d);
}

// ---- f32 vectors, element by element, as bits

inline constexpr std::uint32_t kOutliers = 8;  // channels of a norm that weigh 16

// 1, and 16 in one channel of each eighth of the vector. `length` is a multiple of 8.
constexpr std::uint32_t outlier_norm_element(std::uint64_t key, std::uint32_t length,
                                             std::uint32_t i) {
  const std::uint32_t part = length / kOutliers;
  const bool outlier = synth_word(key, 0, i / part) % part == i % part;
  return outlier ? 0x41800000u : 0x3f800000u;
}

// Of either sign, between 1/8 and 1/4 in magnitude.
constexpr std::uint32_t bias_element(std::uint64_t key, std::uint32_t i) {
  const std::uint64_t word = synth_word(key, i, 0);
  return 0x3e000000u | static_cast<std::uint32_t>(word >> 41) |
         (static_cast<std::uint32_t>(word & 1) << 31);
}

}  // namespace assay
