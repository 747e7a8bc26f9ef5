// `profile` where it cannot be served: what the worker says.
#include <gtest/gtest.h>

#include "engine/backend/cpu/service_of_level.h"
#include "engine/backend/cuda/cuda_device.h"
#include "engine/worker/worker.h"

namespace assay {
namespace {

using Json = nlohmann::json;

class ProfileTest : public testing::Test {
 protected:
  Json ask(Json request, const std::string& name) {
    request["request"] = name;
    return Json::parse(worker_.answer(request.dump()));
  }
  ProgressCounter progress_;
  Worker worker_{progress_};
};

Json error(int kind, const std::string& message) {
  return {{"error", {{"kind", kind}, {"message", message}}}};
}

TEST_F(ProfileTest, AModelThatWasLoadedWithoutItIsNotProfiled) {
  const LoadRequest load{.model = "synth:tiny-q8_0",
                         .service = service_of_level(CpuLevel::kPortable),
                         .context = 16,
                         .threads = 1};
  EXPECT_EQ(ask(load, "load")["reply"], "load");
  EXPECT_EQ(
      ask({{"prompt", {1}}}, "profile"),
      error(2, "profile: the model was loaded without it; send `load` with \"profile\": true"));
}

TEST_F(ProfileTest, WithoutAGpuTheWorkerSaysWhatIsMissing) {
  const CudaDevice gpu = cuda_device_here();
  if (gpu.capability != 0) GTEST_SKIP() << "there is a GPU: " << gpu.name;
  EXPECT_EQ(ask({{"model", "embedded"}, {"backend", "cuda"}, {"profile", true}}, "load"),
            error(13, "load: profile: " + gpu.why));
}

}  // namespace
}  // namespace assay
