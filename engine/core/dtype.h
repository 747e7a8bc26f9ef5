// Tensor element types, as GGUF numbers them, and their block geometry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace assay {

enum class DType : std::uint32_t {  // values are GGUF's ggml_type
  kF32 = 0,
  kF16 = 1,
  kQ4_0 = 2,
  kQ4_1 = 3,
  kQ5_0 = 6,
  kQ5_1 = 7,
  kQ8_0 = 8,
  kQ4K = 12,
  kQ5K = 13,
  kQ6K = 14,
  kBF16 = 30,
};

struct DTypeTraits {
  DType dtype;
  std::string_view name;    // "q4_K": as people write it
  std::string_view suffix;  // "q4k": as it stands in an op's name
  int block;                // elements per block
  int block_bytes;          // bytes per block
};

// Every supported type, floats first.
std::span<const DTypeTraits> all_dtypes();
// f32, f16 or bf16: a kernel reads float activations with them, and quantised ones with the others.
bool is_float(DType dtype);
// Traits of a supported type.
const DTypeTraits& traits(DType dtype);
// The supported type with this GGUF number, or nothing.
std::optional<DType> dtype_from_gguf(std::uint32_t ggml_type);
// Bytes of one row of `k` elements; k must be a multiple of the block size.
std::size_t row_bytes(DType dtype, std::size_t k);

}  // namespace assay
