// What CUDA kernels take, where there is a GPU; elsewhere, that the worker says what is missing.
#include <gtest/gtest.h>

#include <cstdio>

#include "engine/backend/cuda/cuda_device.h"
#include "engine/worker/worker.h"
#include "kernels/registry_cuda.h"

namespace assay {
namespace {

using Json = nlohmann::json;

class ResourcesTest : public testing::Test {
 protected:
  Json ask(std::string_view variant) {
    const Json request = {{"request", "resources"}, {"variant", variant}};
    return Json::parse(worker_.answer(request.dump()));
  }
  ProgressCounter progress_;
  Worker worker_{progress_};
};

TEST_F(ResourcesTest, WithoutAGpuTheWorkerSaysWhatIsMissing) {
  const CudaDevice gpu = cuda_device_here();
  if (gpu.capability != 0) GTEST_SKIP() << "there is a GPU: " << gpu.name;
  const Json expected = {{"error", {{"kind", 13}, {"message", "resources: " + gpu.why}}}};
  EXPECT_EQ(ask("rope.cuda.pairs"), expected);
}

// Prints a table: it is what one wants to read of a new kernel.
TEST_F(ResourcesTest, BothCountsOfBlocksAgreeForEveryVariant) {
  const CudaDevice gpu = cuda_device_here();
  if (gpu.capability != 90) GTEST_SKIP() << "no GPU of capability 9.0: " << gpu.why;
  for (const CudaVariant& variant : cuda_registry()) {
    const Json reply = ask(variant.info->id);
    ASSERT_FALSE(reply.contains("error")) << variant.info->id << ": " << reply.dump();
    const auto resources = reply.get<ResourcesReply>();
    EXPECT_FALSE(resources.kernels.empty()) << variant.info->id;
    std::printf("%s\n", std::string(variant.info->id).c_str());
    for (const KernelResources& use : resources.kernels) {
      std::printf("  %4d threads %3d registers %4d local %6d + %6d shared %2d blocks (%s)  %.60s\n",
                  use.threads, use.registers, use.local_bytes, use.static_shared,
                  use.dynamic_shared, use.blocks_per_sm, use.tight.c_str(), use.kernel.c_str());
      EXPECT_GT(use.blocks_per_sm, 0) << use.kernel;
      EXPECT_EQ(use.blocks_computed, use.blocks_per_sm) << Json(use).dump();
    }
  }
}

}  // namespace
}  // namespace assay
