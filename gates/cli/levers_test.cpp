// `assay levers`: each backend's choices by themselves, and what serves on the device of each.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/core/device.h"
#include "gates/cli/driven_program.h"
#include "gates/simulated_workspace.h"

namespace assay {
namespace {

constexpr const char* kWithoutGpu = "no NVIDIA driver here";

// A workspace with the project's own map, and a worker that says it has this GPU ("" for none).
class LeversTest : public testing::Test {
 protected:
  explicit LeversTest(const std::string& gpu = "") {
    simulated_.scenario["hello"]["gpu_key"] = gpu;
    simulated_.scenario["hello"]["gpu_absent"] = gpu.empty() ? kWithoutGpu : "";
    simulated_.save();
  }

  Finished levers(std::vector<std::string> more) const {
    more.insert(more.begin(), {"levers", "--worker", simulated_.worker()});
    return workspace_.assay(more);
  }

  // The entry of a lever in the JSON of a backend.
  nlohmann::json entry(const std::string& backend, const std::string& lever) const {
    const Finished done = levers({"--backend", backend, "--json"});
    EXPECT_EQ(done.code, 0) << done.err;
    for (const nlohmann::json& one : nlohmann::json::parse(done.out)) {
      EXPECT_EQ(one.at("backend"), backend);
      if (one.at("lever") == lever) return one;
    }
    return nullptr;
  }

  SimulatedWorkspace simulated_;
  TestWorkspace workspace_;
};

class LeversOnHopperTest : public LeversTest {
 protected:
  LeversOnHopperTest() : LeversTest("cuda-sm90") {}
};

bool has(const Finished& done, const std::string& text) {
  return done.out.find(text) != std::string::npos;
}

std::set<std::string> ids(const nlohmann::json& lever, const char* which = nullptr) {
  std::set<std::string> found;
  for (const nlohmann::json& one : lever.at("variants")) {
    if (which == nullptr || one.at(which) == true) found.insert(one.at("id"));
  }
  return found;
}

TEST_F(LeversTest, BackendsStandApart) {
  const Finished cpu = levers({"--backend", "cpu"});
  const Finished cuda = levers({"--backend", "cuda"});
  const Finished both = levers({});
  EXPECT_EQ(both.code, 0) << both.err;
  EXPECT_EQ(both.out, cpu.out + "\n" + cuda.out);
  EXPECT_FALSE(has(cpu, ".cuda."));
  EXPECT_FALSE(has(cuda, ".cpu."));
  const std::string key = device_key(cpu_level());
  EXPECT_TRUE(cpu.out.starts_with("CPU levers; this device is " + key + "\n\n")) << cpu.out;
  EXPECT_TRUE(cpu.out.ends_with("\n* in service on this device (" + key + ")\n")) << cpu.out;
}

TEST_F(LeversTest, WithoutAGpuTheMapIsShownForAny) {
  const Finished cuda = levers({"--backend", "cuda"});
  EXPECT_TRUE(cuda.out.starts_with(
      "CUDA levers; no GPU can be used: no NVIDIA driver here\n\nmatvec_f32.rows\n"
      "  * matvec_f32.cuda.warp[rows=1]                 a warp per one weight row, units of its "
      "lanes in flight; in service\n"
      "    matvec_f32.cuda.warp[rows=2]                 a warp per two weight rows, units of its "
      "lanes in flight; needs cuda-sm80\n"))
      << cuda.out;
  EXPECT_TRUE(cuda.out.ends_with("\n* in service on any GPU, as the map has it (cuda)\n"));
  const nlohmann::json lever = entry("cuda", "matvec_f32.rows");
  EXPECT_EQ(lever.at("device"), "cuda");
  EXPECT_EQ(lever.at("device_here"), false);
  EXPECT_EQ(ids(lever, "in_service"), std::set<std::string>{"matvec_f32.cuda.warp[rows=1]"});
  EXPECT_EQ(ids(lever, "runs_here"), std::set<std::string>{});
}

TEST_F(LeversOnHopperTest, TheGpuIsTheWorkers) {
  const Finished cuda = levers({"--backend", "cuda"});
  EXPECT_TRUE(cuda.out.starts_with("CUDA levers; this device is cuda-sm90\n\n")) << cuda.out;
  EXPECT_TRUE(cuda.out.ends_with("\n* in service on this device (cuda-sm90)\n")) << cuda.out;
  EXPECT_FALSE(has(cuda, "; needs cuda-sm80\n")) << cuda.out;
  const nlohmann::json lever = entry("cuda", "matvec_f32.rows");
  EXPECT_EQ(lever.at("device"), "cuda-sm90");
  EXPECT_EQ(lever.at("device_here"), true);
  EXPECT_EQ(ids(lever), ids(lever, "runs_here"));
}

TEST_F(LeversOnHopperTest, RowsOfTheDeviceComeBeforeThoseOfAnyGpu) {
  std::string map = read_text(workspace_.path("experiments/in_service.yaml"));
  map +=
      "  cuda-sm90:\n    matvec_f32: [{variant: \"matvec_f32.cuda.warp[rows=4]\", by: "
      "four-rows}]\n";
  write_text(workspace_.path("experiments/in_service.yaml"), map);
  EXPECT_EQ(ids(entry("cuda", "matvec_f32.rows"), "in_service"),
            std::set<std::string>{"matvec_f32.cuda.warp[rows=4]"});
  EXPECT_EQ(ids(entry("cuda", "matvec_f16.rows"), "in_service"),
            std::set<std::string>{"matvec_f16.cuda.warp[rows=1]"});
}

TEST_F(LeversTest, ALeverOfBothIsTwoChoices) {
  EXPECT_EQ(ids(entry("cuda", "matvec_q4k.rows")),
            (std::set<std::string>{"matvec_q4k.cuda.warp[rows=1]", "matvec_q4k.cuda.warp[rows=2]",
                                   "matvec_q4k.cuda.warp[rows=4]"}));
  const std::set<std::string> cpu = ids(entry("cpu", "matvec_q4k.rows"));
  EXPECT_GE(cpu.size(), 2u);
  EXPECT_TRUE(std::all_of(cpu.begin(), cpu.end(),
                          [](const std::string& id) { return id.starts_with("matvec_q4k.cpu."); }));
}

TEST_F(LeversTest, WithoutAWorkspaceNothingIsInService) {
  const Finished done =
      run_assay("/", {"levers", "--backend", "cuda", "--worker", simulated_.worker()});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(
      done.out.ends_with("\nno workspace here, so nothing is said of what is in service\n"));
  EXPECT_FALSE(has(done, "  * "));
}

TEST_F(LeversTest, AnotherBackend) {
  const Finished done = levers({"--backend", "gpu"});
  EXPECT_EQ(done.err, "assay: levers: --backend gpu: no such backend: write cpu or cuda\n");
  EXPECT_EQ(done.out, "");
  EXPECT_EQ(done.code, 2);
}

}  // namespace
}  // namespace assay
