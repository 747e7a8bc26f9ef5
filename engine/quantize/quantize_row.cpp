#include "engine/quantize/quantize_row.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "engine/core/half.h"
#include "engine/quantize/quantize_block.h"

namespace assay {
namespace {

std::string to_halves(std::span<const float> x, std::byte* out) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::uint16_t half = float_to_half(x[i]);
    if (!std::isfinite(half_to_float(half))) {
      return fmt::format("element {} is {}, more than f16 holds", i, x[i]);
    }
    std::memcpy(out + 2 * i, &half, sizeof half);
  }
  return {};
}

std::string to_bfloats(std::span<const float> x, std::byte* out) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::uint16_t half = float_to_bfloat(x[i]);
    if (!std::isfinite(bfloat_to_float(half))) {
      return fmt::format("element {} is {}, more than bf16 holds", i, x[i]);
    }
    std::memcpy(out + 2 * i, &half, sizeof half);
  }
  return {};
}

template <typename Block, std::size_t kElements>
std::string to_blocks(std::span<const float> x, std::byte* out, DType dtype) {
  for (std::size_t at = 0; at < x.size(); at += kElements) {
    Block block;
    if (!quantize_block(x.subspan(at).first<kElements>(), block)) {
      return fmt::format("elements {} to {} are more than {} holds", at, at + kElements - 1,
                         traits(dtype).name);
    }
    std::memcpy(out, &block, sizeof block);
    out += sizeof block;
  }
  return {};
}

}  // namespace

bool can_quantize_to(DType dtype) {
  switch (dtype) {
    case DType::kF32:
    case DType::kF16:
    case DType::kBF16:
    case DType::kQ8_0:
    case DType::kQ4K:
    case DType::kQ6K:
      return true;
    default:
      return false;
  }
}

std::string what_is_not_finite(std::span<const float> x) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i])) return fmt::format("element {} is {}", i, x[i]);
  }
  return {};
}

std::string quantize_row(DType dtype, std::span<const float> x, std::byte* out) {
  if (std::string problem = what_is_not_finite(x); !problem.empty()) return problem;
  switch (dtype) {
    case DType::kF32:
      std::memcpy(out, x.data(), x.size_bytes());
      return {};
    case DType::kF16:
      return to_halves(x, out);
    case DType::kBF16:
      return to_bfloats(x, out);
    case DType::kQ8_0:
      return to_blocks<BlockQ8_0, 32>(x, out, dtype);
    case DType::kQ4K:
      return to_blocks<BlockQ4K, 256>(x, out, dtype);
    case DType::kQ6K:
      return to_blocks<BlockQ6K, 256>(x, out, dtype);
    default:
      return fmt::format("{} is not a type that rows are quantised to", traits(dtype).name);
  }
}

}  // namespace assay
