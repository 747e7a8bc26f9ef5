// Operands of the cases, drawn so that every machine gets the same bits.
//
// SplitMix64 gives the bits; a normal is twelve uniforms minus six, which needs additions only, and
// those IEEE arithmetic fixes. Box-Muller was rejected: log and cos differ between C libraries.
#include <cmath>
#include <cstring>

#include "engine/core/mix64.h"
#include "kernels/blocks.h"
#include "kernels/reference.h"

namespace assay {
namespace {

std::uint16_t half_scale(CaseRandom& random, double typical) {
  // One in sixteen is negative, one in sixteen a sixty-fourth (often an f16 subnormal).
  const std::uint64_t draw = random.next() % 16;
  double value = typical * (0.5 + random.uniform());
  if (draw == 0) value = -value;
  if (draw == 1) value /= 64;
  return float_to_half(static_cast<float>(value));
}

void random_bytes(CaseRandom& random, void* out, std::size_t count) {
  auto* bytes = static_cast<std::uint8_t*>(out);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(random.next() >> 56);
}

// The offset of half the codes' range, so that weights have a mean of about zero.
template <typename Block>
void fill_offset(CaseRandom&, double, Block&) {}
void fill_offset(CaseRandom& random, double scale, BlockQ4_1& block) {
  block.m = half_scale(random, -7.5 * scale);
}
void fill_offset(CaseRandom& random, double scale, BlockQ5_1& block) {
  block.m = half_scale(random, -15.5 * scale);
}
void fill_offset(CaseRandom& random, double scale, BlockQ4K& block) {
  block.dmin = half_scale(random, 7.5 * scale);
}
void fill_offset(CaseRandom& random, double scale, BlockQ5K& block) {
  block.dmin = half_scale(random, 15.5 * scale);
}

// Blocks of random bytes with scales of about `scale`.
template <typename Block>
void fill_blocks(CaseRandom& random, std::size_t elements, double scale, std::byte* out) {
  for (std::size_t i = 0; i < elements / kBlockElements<Block>; ++i) {
    Block block;
    random_bytes(random, &block, sizeof block);
    block.d = half_scale(random, scale);
    fill_offset(random, scale, block);
    std::memcpy(out + i * sizeof block, &block, sizeof block);
  }
}

}  // namespace

std::uint64_t CaseRandom::next() {
  return mix64(state_ += kMix64Step);
}

double CaseRandom::uniform() {
  return static_cast<double>(next() >> 11) * 0x1p-53;
}

float CaseRandom::normal() {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += uniform();
  return static_cast<float>(sum);
}

float CaseRandom::draw(DataKind kind, std::size_t index) {
  switch (kind) {
    case DataKind::kMild:
      return normal();
    case DataKind::kOutlier: {
      const float mild = normal();
      return uniform() < 0.001 ? mild + 10 * normal() : mild;
    }
    case DataKind::kGiant: {
      const float mild = normal();
      if (index % 97 != 13) return mild;
      const float giant = 57 + 81 * static_cast<float>(uniform());
      return next() % 2 == 0 ? giant : -giant;
    }
    case DataKind::kExact: {
      const float power = std::ldexp(1.0f, static_cast<int>(next() % 9) - 4);
      return next() % 2 == 0 ? power : -power;
    }
    case DataKind::kZero: {
      const std::uint64_t bits = next();
      if (bits % 2 == 0) return 0.0f;
      const float denormal = static_cast<float>(bits >> 41) * 0x1p-149f;
      return bits % 4 == 1 ? denormal : -denormal;
    }
  }
  return 0.0f;
}

void CaseRandom::fill_weights(DType dtype, int rows, int k, std::byte* out) {
  const std::size_t elements = static_cast<std::size_t>(rows) * static_cast<std::size_t>(k);
  const double deviation = 1 / std::sqrt(static_cast<double>(k));  // of a weight, about
  switch (dtype) {
    case DType::kF32:
      for (std::size_t i = 0; i < elements; ++i) {
        const float w = static_cast<float>(normal() * deviation);
        std::memcpy(out + 4 * i, &w, 4);
      }
      return;
    case DType::kF16:
      for (std::size_t i = 0; i < elements; ++i) {
        const std::uint16_t w = float_to_half(static_cast<float>(normal() * deviation));
        std::memcpy(out + 2 * i, &w, 2);
      }
      return;
    case DType::kBF16:
      for (std::size_t i = 0; i < elements; ++i) {
        const std::uint16_t w = float_to_bfloat(static_cast<float>(normal() * deviation));
        std::memcpy(out + 2 * i, &w, 2);
      }
      return;
    case DType::kQ4_0:
      return fill_blocks<BlockQ4_0>(*this, elements, deviation / 4.6, out);
    case DType::kQ4_1:
      return fill_blocks<BlockQ4_1>(*this, elements, deviation / 4.6, out);
    case DType::kQ5_0:
      return fill_blocks<BlockQ5_0>(*this, elements, deviation / 9.2, out);
    case DType::kQ5_1:
      return fill_blocks<BlockQ5_1>(*this, elements, deviation / 9.2, out);
    case DType::kQ8_0:
      return fill_blocks<BlockQ8_0>(*this, elements, deviation / 74, out);
    case DType::kQ4K:
      return fill_blocks<BlockQ4K>(*this, elements, deviation / 170, out);
    case DType::kQ5K:
      return fill_blocks<BlockQ5K>(*this, elements, deviation / 340, out);
    case DType::kQ6K:
      return fill_blocks<BlockQ6K>(*this, elements, deviation / 1370, out);
  }
}

}  // namespace assay
