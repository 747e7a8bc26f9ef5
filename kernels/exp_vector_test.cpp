// The exponential has the same bits in plain C++, in AVX2 and in AVX-512.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "engine/core/cpu.h"
#include "kernels/exp.h"
#include "kernels/exp_array.h"

namespace assay {
namespace {

void expect_the_bits_of_plain_code(void (*exp_array)(const float*, float*, std::size_t)) {
  constexpr std::size_t kCount = 4096;
  constexpr std::uint32_t kStep = 613;  // odd: visits all residues; seven million points in all
  std::vector<float> x(kCount);
  std::vector<float> vector(kCount);
  std::uint64_t pattern = 0;
  std::uint64_t compared = 0;
  while (pattern < 0x100000000u) {
    for (float& value : x) {
      value = std::bit_cast<float>(static_cast<std::uint32_t>(pattern));
      pattern += kStep;
    }
    exp_array(x.data(), vector.data(), kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
      const float scalar = exp_f32(x[i]);
      if (std::isnan(x[i])) {
        ASSERT_TRUE(std::isnan(scalar) && std::isnan(vector[i]));
      } else {
        ASSERT_EQ(std::memcmp(&scalar, &vector[i], 4), 0) << "at " << x[i];
      }
      ++compared;
    }
  }
  EXPECT_GT(compared, 7000000u);
}

TEST(ExpVector, Avx2HasTheBitsOfPlainCode) {
  if (cpu_level() < CpuLevel::kAvx2) GTEST_SKIP() << "no AVX2 here";
  expect_the_bits_of_plain_code(exp_avx2_array);
}

TEST(ExpVector, Avx512HasTheBitsOfPlainCode) {
  if (cpu_level() < CpuLevel::kAvx512Vnni) GTEST_SKIP() << "no AVX-512 here";
  expect_the_bits_of_plain_code(exp_avx512_array);
}

}  // namespace
}  // namespace assay
