// The branch-free widening of f16 agrees with engine/core/half.h on every f16 value.
#include "kernels/online_softmax.h"

#include <gtest/gtest.h>

#include "engine/core/half.h"

namespace assay {
namespace {

TEST(WidenHalf, AgreesOnEveryValue) {
  for (std::uint32_t h = 0; h < 0x10000; ++h) {
    const auto bits = static_cast<std::uint16_t>(h);
    ASSERT_EQ(std::bit_cast<std::uint32_t>(widen_half(bits)),
              std::bit_cast<std::uint32_t>(half_to_float(bits)))
        << "of " << h;
  }
}

}  // namespace
}  // namespace assay
