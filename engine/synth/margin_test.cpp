// Whether the margin gate has power on a synthetic model: the planted token is on top nearly
// always, most margins can be told from noise, and some are close calls.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "engine/backend/cpu/cpu_backend.h"
#include "engine/backend/cpu/service_of_level.h"
#include "engine/generate/session.h"
#include "engine/gguf/file.h"
#include "engine/synth/image.h"

namespace assay {
namespace {

struct SynthEngine {
  explicit SynthEngine(const std::string& name)
      : image(parse_synth_name(name), 2, [] {}),
        file(GgufFile::from_memory(image.bytes(), name)),
        model(read_model(file)),
        graph(build_graph(model)),
        service(service_of_level(cpu_level())),
        backend(model, graph, service, {.context = 512, .threads = 2}, progress),
        session(model, backend) {}

  SynthImage image;
  GgufFile file;
  Model model;
  Graph graph;
  ServiceSelection service;
  std::atomic<std::uint64_t> progress{0};
  CpuBackend backend;
  Session session;
};

class SynthMargin : public testing::TestWithParam<const char*> {};

TEST_P(SynthMargin, ThePlantedTokenIsOnTopWithMarginsThatCanBeTested) {
  SynthEngine engine(GetParam());
  const Succession map = succession_of(parse_synth_name(GetParam()));
  int planted = 0, testable = 0, close = 0, steps = 0;
  float largest = 0;
  for (std::uint32_t first : {3u, 400u, 801u, 1200u, 1999u}) {
    WorkRequest request;
    for (std::uint32_t i = 0; i < 32; ++i) {  // words that do not follow each other
      request.prompt.push_back(static_cast<std::int32_t>((first + i * i * 37) % 2000));
    }
    request.steps = 256;
    const WorkReply reply = engine.session.work(request);
    ASSERT_EQ(reply.nonfinite, 0u);
    for (std::size_t step = 0; step < reply.tokens.size(); ++step) {
      const float margin = reply.margins[step + 1];
      const auto token = static_cast<std::uint32_t>(reply.tokens[step]);
      planted += static_cast<std::uint32_t>(reply.top[step + 1]) == map.after(token) ? 1 : 0;
      testable += margin > 0.1F ? 1 : 0;
      close += margin < 0.5F ? 1 : 0;
      largest = std::max(largest, margin);
      ++steps;
    }
  }
  RecordProperty("planted", planted);
  RecordProperty("testable", testable);
  RecordProperty("close", close);
  EXPECT_EQ(steps, 1280);
  EXPECT_GE(planted, 1216);   // 95 %
  EXPECT_GE(testable, 1024);  // 80 %
  EXPECT_GE(close, 1);
  EXPECT_GT(largest, 5.0F);
}

INSTANTIATE_TEST_SUITE_P(EveryQuant, SynthMargin,
                         testing::Values("synth:tiny-q4_k_m", "synth:tiny-q8_0", "synth:tiny-f16"));

}  // namespace
}  // namespace assay
