// XXH3-128 (seed 0, the default secret) in the steps by which a GPU can do it; host and device.
//
// A row of logits is known by this hash of its f32 bytes, so a backend that keeps logits on a GPU
// has to give the very bits of the xxHash library. Above 240 bytes the hash reads stripes of 64
// bytes into eight accumulators; 16 stripes are a block, after which the accumulators are
// scrambled. What a stripe adds does not depend on the accumulators. So the sums of all blocks are
// formed at once, and only scramble-and-add goes from block to block:
//
//   x = start + sum(0);  x = scramble(x) + sum(b) for b = 1, 2, ...;  digest = mix of the eight x
//
// The last block holds 1 to 1,024 bytes and is not scrambled; besides its whole stripes it takes
// the row's last 64 bytes (which overlap the stripe before, or the block before) under a key of
// their own. Rows of at most 240 bytes have other formulas: kShortestStepped.
//
// Constants and formulas: the xxHash specification. Device code reads bytes as little-endian words,
// which these functions assume of a host, too.
#pragma once

#include <cstdint>

#include "kernels/host_device.h"

namespace assay {

// XXH3-128 of a row's bytes.
struct RowDigest {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  bool operator==(const RowDigest&) const = default;
};

namespace digest_steps {

inline constexpr int kLanes = 8;  // accumulators
inline constexpr std::int64_t kStripeBytes = 64;
inline constexpr std::int64_t kBlockBytes = 1024;
inline constexpr int kStripesPerBlock = 16;
inline constexpr std::int64_t kShortestStepped = 241;  // bytes

inline constexpr std::uint32_t kPrime32 = 0x9e3779b1u;
inline constexpr std::uint64_t kPrime64a = 0x9e3779b185ebca87u;
inline constexpr std::uint64_t kPrime64b = 0xc2b2ae3d27d4eb4fu;

// Blocks of a row, the last one included.
ASSAY_HOST_DEVICE constexpr int blocks_of(std::int64_t bytes) {
  return static_cast<int>((bytes - 1) / kBlockBytes) + 1;
}

// Word `index` of the secret, 0..23.
ASSAY_HOST_DEVICE inline std::uint64_t secret_word(int index) {
  static constexpr std::uint64_t kWords[24] = {
      0xbe4ba423396cfeb8u, 0x1cad21f72c81017cu, 0xdb979083e96dd4deu, 0x1f67b3b7a4a44072u,
      0x78e5c0cc4ee679cbu, 0x2172ffcc7dd05a82u, 0x8e2443f7744608b8u, 0x4c263a81e69035e0u,
      0xcb00c391bb52283cu, 0xa32e531b8b65d088u, 0x4ef90da297486471u, 0xd8acdea946ef1938u,
      0x3f349ce33f76faa8u, 0x1d4f0bc7c7bbdcf9u, 0x3159b4cd4be0518au, 0x647378d9c97e9fc8u,
      0xc3ebd33483acc5eau, 0xeb6313faffa081c5u, 0x49daf0b751dd0d17u, 0x9e68d429265516d3u,
      0xfca1477d58be162bu, 0xce31d07ad1b8f88fu, 0x280416958f3acb45u, 0x7e404bbbcafbd7afu};
  return kWords[index];
}

// Eight bytes of the secret from a byte that starts no word.
ASSAY_HOST_DEVICE inline std::uint64_t secret_within(int byte) {
  const int shift = byte % 8 * 8;
  return secret_word(byte / 8) >> shift | secret_word(byte / 8 + 1) << (64 - shift);
}

// Accumulator `lane` before the first block.
ASSAY_HOST_DEVICE inline std::uint64_t start_of(int lane) {
  static constexpr std::uint64_t kStart[kLanes] = {
      0x00000000c2b2ae3du, 0x9e3779b185ebca87u, 0xc2b2ae3d27d4eb4fu, 0x165667b19e3779f9u,
      0x85ebca77c2b2ae63u, 0x0000000085ebca77u, 0x27d4eb2f165667c5u, 0x000000009e3779b1u};
  return kStart[lane];
}

// The eight bytes at a multiple of four bytes.
ASSAY_HOST_DEVICE inline std::uint64_t load_pair(const std::uint32_t* words) {
  return words[0] | static_cast<std::uint64_t>(words[1]) << 32;
}

// What a stripe at `words` adds to accumulator `lane`.
ASSAY_HOST_DEVICE inline std::uint64_t stripe_share(const std::uint32_t* words, int lane,
                                                    std::uint64_t key) {
  const std::uint64_t keyed = load_pair(words + 2 * lane) ^ key;
  return load_pair(words + 2 * (lane ^ 1)) +
         static_cast<std::uint64_t>(static_cast<std::uint32_t>(keyed)) * (keyed >> 32);
}

// What stripes first, first + step, ... of a block add to accumulator `lane`; those of all `first`
// below `step` add up to the block's sum. `row` (bytes / 4).
ASSAY_HOST_DEVICE inline std::uint64_t block_share(const std::uint32_t* row, std::int64_t bytes,
                                                   int block, int lane, int first, int step) {
  const std::int64_t begin = block * kBlockBytes;
  const bool last = block + 1 == blocks_of(bytes);
  const int stripes =
      last ? static_cast<int>((bytes - 1 - begin) / kStripeBytes) : kStripesPerBlock;
  std::uint64_t sum = 0;
  for (int stripe = first; stripe < stripes; stripe += step) {
    sum +=
        stripe_share(row + (begin + stripe * kStripeBytes) / 4, lane, secret_word(stripe + lane));
  }
  constexpr int kLastKey = 192 - 64 - 7;
  if (last && first == 0) {
    sum += stripe_share(row + (bytes - kStripeBytes) / 4, lane, secret_within(kLastKey + 8 * lane));
  }
  return sum;
}

// scramble(x) + next, `key` being secret_word(kStripesPerBlock + lane). In halves of 32 bits, since
// this is the whole of the chain on a GPU: the upper half's product stays off it.
ASSAY_HOST_DEVICE inline std::uint64_t chain_step(std::uint64_t x, std::uint64_t key,
                                                  std::uint64_t next) {
  const auto high = static_cast<std::uint32_t>(x >> 32);
  const std::uint32_t low =
      static_cast<std::uint32_t>(x) ^ high >> 15 ^ static_cast<std::uint32_t>(key);
  const std::uint32_t upper = (high ^ static_cast<std::uint32_t>(key >> 32)) * kPrime32 +
                              static_cast<std::uint32_t>(next >> 32);
  const std::uint64_t addend =
      static_cast<std::uint64_t>(upper) << 32 | static_cast<std::uint32_t>(next);
  return static_cast<std::uint64_t>(low) * kPrime32 + addend;
}

// The two halves of a 128-bit product, xored.
ASSAY_HOST_DEVICE inline std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

ASSAY_HOST_DEVICE inline std::uint64_t merged(const std::uint64_t* x, int secret_byte,
                                              std::uint64_t start) {
  std::uint64_t sum = start;
  for (int pair = 0; pair < kLanes / 2; ++pair) {
    const int at = secret_byte + 16 * pair;
    sum += folded_product(x[2 * pair] ^ secret_within(at), x[2 * pair + 1] ^ secret_within(at + 8));
  }
  sum = (sum ^ sum >> 37) * 0x165667919e3779f9u;
  return sum ^ sum >> 32;
}

// x (8): the accumulators after the last block.
ASSAY_HOST_DEVICE inline RowDigest finished(const std::uint64_t* x, std::int64_t bytes) {
  const auto length = static_cast<std::uint64_t>(bytes);
  return {.high = merged(x, 192 - 64 - 11, ~(length * kPrime64b)),
          .low = merged(x, 11, length * kPrime64a)};
}

}  // namespace digest_steps
}  // namespace assay
