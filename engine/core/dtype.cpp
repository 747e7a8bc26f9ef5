#include "engine/core/dtype.h"

#include <array>

namespace assay {
namespace {

constexpr std::array<DTypeTraits, 11> kTraits{{
    {DType::kF32, "f32", "f32", 1, 4},
    {DType::kF16, "f16", "f16", 1, 2},
    {DType::kBF16, "bf16", "bf16", 1, 2},
    {DType::kQ4_0, "q4_0", "q4_0", 32, 18},
    {DType::kQ4_1, "q4_1", "q4_1", 32, 20},
    {DType::kQ5_0, "q5_0", "q5_0", 32, 22},
    {DType::kQ5_1, "q5_1", "q5_1", 32, 24},
    {DType::kQ8_0, "q8_0", "q8_0", 32, 34},
    {DType::kQ4K, "q4_K", "q4k", 256, 144},
    {DType::kQ5K, "q5_K", "q5k", 256, 176},
    {DType::kQ6K, "q6_K", "q6k", 256, 210},
}};

}  // namespace

std::span<const DTypeTraits> all_dtypes() {
  return kTraits;
}

bool is_float(DType dtype) {
  return traits(dtype).block == 1;
}

const DTypeTraits& traits(DType dtype) {
  for (const DTypeTraits& t : kTraits) {
    if (t.dtype == dtype) return t;
  }
  return kTraits[0];  // unreachable: every DType value is in the table
}

std::optional<DType> dtype_from_gguf(std::uint32_t ggml_type) {
  for (const DTypeTraits& t : kTraits) {
    if (static_cast<std::uint32_t>(t.dtype) == ggml_type) return t.dtype;
  }
  return std::nullopt;
}

std::size_t row_bytes(DType dtype, std::size_t k) {
  const DTypeTraits& t = traits(dtype);
  return k / static_cast<std::size_t>(t.block) * static_cast<std::size_t>(t.block_bytes);
}

}  // namespace assay
