// argmax where a case of the reference cannot go: no number at all, and both zeros.
#include "kernels/argmax/argmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "engine/core/cpu.h"
#include "kernels/registry.h"

namespace assay {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kLowest = -std::numeric_limits<float>::infinity();

struct Found {
  std::int32_t index = -7;
  float value = 0;
  float second = 0;
};

class Argmax : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    variant_ = find_cpu_variant(GetParam());
    if (variant_ == nullptr || !offers(cpu_level(), variant_->info->needs)) {
      GTEST_SKIP() << GetParam() << " cannot run here";
    }
  }
  Found find(const std::vector<float>& x) const {
    Found found;
    const ArgmaxArgs args{.x = x.data(),
                          .index = &found.index,
                          .value = &found.value,
                          .second = &found.second,
                          .k = static_cast<int>(x.size())};
    ThreadPool pool(1);
    Launch launch{pool};
    variant_->launch(&args, launch);
    return found;
  }
  const RegisteredVariant* variant_ = nullptr;
};

TEST_P(Argmax, WithoutAnyNumberReportsTheFirstNaN) {
  const Found found = find(std::vector<float>(11, kNaN));
  EXPECT_EQ(found.index, 0);
  EXPECT_TRUE(std::isnan(found.value));
  EXPECT_EQ(found.second, kLowest);
}

TEST_P(Argmax, MinusInfinityBeatsNaN) {
  std::vector<float> x(13, kNaN);
  x[4] = kLowest;
  x[9] = kLowest;
  const Found found = find(x);
  EXPECT_EQ(found.index, 4);
  EXPECT_EQ(found.value, kLowest);
}

TEST_P(Argmax, ZerosOfBothSignsTie) {
  for (int first = 0; first < 9; ++first) {
    std::vector<float> x(10, -1.0f);
    x[static_cast<std::size_t>(first)] = first % 2 == 0 ? -0.0f : 0.0f;
    x[9] = first % 2 == 0 ? 0.0f : -0.0f;
    const Found found = find(x);
    EXPECT_EQ(found.index, first);
    EXPECT_FALSE(std::signbit(found.second)) << "the runner-up's zero is positive";
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, Argmax,
                         testing::Values("argmax.cpu.portable", "argmax.cpu.avx2"),
                         [](const auto& id) {
                           return std::string(id.param).substr(std::string("argmax.cpu.").size());
                         });

}  // namespace
}  // namespace assay
