// dequantize_row of every type against the values of the PyPI package gguf, by hash; the blocks are
// those of scripts/dequantize_golden.py.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "engine/core/sha256.h"
#include "kernels/blocks.h"

namespace assay {
namespace {

std::uint32_t mixed(std::uint32_t value) {
  value *= 0x9e3779b1u;
  value ^= value >> 15;
  value *= 0x85ebca77u;
  return value ^ value >> 13;
}

struct Type {
  const char* name;  // the key in the file
  DType dtype;
  std::size_t bytes;                // of a block, or of 32 floats
  std::vector<std::size_t> halves;  // where its 16-bit floats begin
};

std::vector<std::uint8_t> blocks_of(const Type& type) {
  std::vector<std::uint8_t> bytes;
  for (std::uint32_t b = 0; b < 512; ++b) {
    for (std::uint32_t j = 0; j < type.bytes; ++j) {
      bytes.push_back(static_cast<std::uint8_t>(b < 256 ? b + 37 * j : mixed(b * 1024 + j)));
    }
    std::uint8_t* block = &bytes[b * type.bytes];
    for (const std::size_t at : type.halves) block[at + 1] &= 0xbf;
  }
  return bytes;
}

std::string hash_of(const Type& type) {
  const std::vector<std::uint8_t> bytes = blocks_of(type);
  const int elements = type.bytes >= 144 ? 256 : 32;
  std::vector<float> values(512 * static_cast<std::size_t>(elements));
  dequantize_row(type.dtype, bytes.data(), static_cast<int>(values.size()), values.data());
  return sha256_hex(std::string(reinterpret_cast<const char*>(values.data()), values.size() * 4));
}

TEST(DequantizeRow, IsThePackageGgufsBitForBit) {
  std::vector<std::size_t> every_half;
  for (std::size_t at = 0; at < 64; at += 2) every_half.push_back(at);
  const std::vector<Type> types = {
      {"q4_0", DType::kQ4_0, 18, {0}},      {"q4_1", DType::kQ4_1, 20, {0, 2}},
      {"q5_0", DType::kQ5_0, 22, {0}},      {"q5_1", DType::kQ5_1, 24, {0, 2}},
      {"q8_0", DType::kQ8_0, 34, {0}},      {"q4_k", DType::kQ4K, 144, {0, 2}},
      {"q5_k", DType::kQ5K, 176, {0, 2}},   {"q6_k", DType::kQ6K, 210, {208}},
      {"f16", DType::kF16, 64, every_half}, {"bf16", DType::kBF16, 64, every_half}};
  std::ifstream file(ASSAY_SOURCE_ROOT "/kernels/dequantize_golden.json");
  const nlohmann::json golden = nlohmann::json::parse(file).at("sha256");
  EXPECT_EQ(golden.size(), types.size());
  EXPECT_EQ(types.size() + 1, all_dtypes().size()) << "all but f32, which is copied";
  for (const Type& type : types) EXPECT_EQ(hash_of(type), golden.at(type.name)) << type.name;
}

}  // namespace
}  // namespace assay
