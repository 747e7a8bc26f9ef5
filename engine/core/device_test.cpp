#include "engine/core/device.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

using Keys = std::vector<std::string>;

TEST(Device, KeysFallBackToOlderDevicesOfTheFamily) {
  EXPECT_EQ(fallback_keys("cpu-avx512vnni"), (Keys{"cpu-avx512vnni", "cpu-avx2", "cpu"}));
  EXPECT_EQ(fallback_keys("cpu-avx2"), (Keys{"cpu-avx2", "cpu"}));
  EXPECT_EQ(fallback_keys("cpu"), (Keys{"cpu"}));
  EXPECT_EQ(fallback_keys("cuda-sm90"),
            (Keys{"cuda-sm90", "cuda-sm89", "cuda-sm86", "cuda-sm80", "cuda"}));
  EXPECT_EQ(fallback_keys("cuda"), (Keys{"cuda"}));
}

TEST(Device, ForeignKeysStandAlone) {
  EXPECT_EQ(fallback_keys("sm90"), (Keys{"sm90"}));
  EXPECT_EQ(fallback_keys(""), (Keys{""}));
}

TEST(Device, KeysAndLevelsCorrespond) {
  for (const std::string& key : known_device_keys()) {
    SCOPED_TRACE(key);
    const std::optional<DeviceLevel> level = parse_device_key(key);
    ASSERT_TRUE(level);
    if (key != "cuda") {
      EXPECT_EQ(device_key(*level), key);  // "cuda" is sm80 by another name
    }
  }
  for (const CpuLevel level : {CpuLevel::kPortable, CpuLevel::kAvx2, CpuLevel::kAvx512Vnni}) {
    EXPECT_EQ(parse_device_key(device_key(level)), DeviceLevel(level));
  }
  EXPECT_EQ(device_key(cuda_device(87)), "cuda-sm86");
  EXPECT_EQ(device_key(cuda_device(103)), "cuda-sm100");
  EXPECT_FALSE(parse_device_key("cpu-avx"));
  EXPECT_FALSE(parse_device_key("CPU"));
}

TEST(Device, OffersWhatItsLevelAndTheOlderOnesNeed) {
  EXPECT_TRUE(offers(CpuLevel::kAvx2, CpuLevel::kPortable));
  EXPECT_FALSE(offers(CpuLevel::kAvx2, CpuLevel::kAvx512Vnni));
  EXPECT_TRUE(offers(cuda_device(90), CudaLevel::kSm80));
  EXPECT_FALSE(offers(cuda_device(86), CudaLevel::kSm90));
  EXPECT_FALSE(offers(cuda_device(90), CpuLevel::kPortable));
  EXPECT_FALSE(offers(CpuLevel::kAvx512Vnni, CudaLevel::kSm80));
}

TEST(Device, InstructionsOfOneCapabilityAloneAreOnNoNewerDevice) {
  EXPECT_TRUE(offers(cuda_device(90), CudaLevel::kSm90a));
  EXPECT_FALSE(offers(cuda_device(100), CudaLevel::kSm90a));
  EXPECT_FALSE(offers(cuda_device(89), CudaLevel::kSm90a));
  EXPECT_EQ(need_name(CudaLevel::kSm90a), "cuda-sm90a");
  EXPECT_EQ(need_name(CudaLevel::kSm90), "cuda-sm90");
}

TEST(Device, BackendsHaveNames) {
  for (const BackendKind backend : {BackendKind::kCpu, BackendKind::kCuda}) {
    EXPECT_EQ(parse_backend(to_string(backend)), backend);
  }
  EXPECT_FALSE(parse_backend("gpu"));
}

}  // namespace
}  // namespace assay
