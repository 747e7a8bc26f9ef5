#include "engine/protocol/messages.h"

#include <gtest/gtest.h>

#include <limits>

namespace assay {
namespace {

using Json = nlohmann::json;

TEST(Messages, AWorkRequestHasItsDefaultsWhereFieldsAreLeftOut) {
  const auto request = Json::parse(R"({"prompt": [3, 1], "steps": 4})").get<WorkRequest>();
  EXPECT_EQ(request.phase, "decode");
  EXPECT_EQ(request.prompt, (std::vector<std::int32_t>{3, 1}));
  EXPECT_EQ(request.steps, 4);
  EXPECT_EQ(request.chunk, 0);
  EXPECT_TRUE(request.forced.empty());
  EXPECT_FALSE(request.all_rows);
  EXPECT_FALSE(request.logits);
  EXPECT_EQ(request.temperature, 0);
  EXPECT_EQ(request.top_k, 0);
  EXPECT_EQ(request.top_p, 1);
  EXPECT_EQ(request.seed, 0);
}

TEST(Messages, AServiceRowIsWrittenWithAllItsFields) {
  const ServiceRow row{.key = "nkv", .low = 3, .high = 9, .variant = "rope.cpu.portable"};
  EXPECT_EQ(Json(row).dump(), R"({"high":9,"key":"nkv","low":3,"variant":"rope.cpu.portable"})");
}

TEST(Messages, AServiceRowWithOnlyAVariantServesEveryLength) {
  const auto row = Json::parse(R"({"variant": "rope.cpu.portable"})").get<ServiceRow>();
  EXPECT_EQ(row, (ServiceRow{.key = "",
                             .low = 1,
                             .high = std::numeric_limits<int>::max(),
                             .variant = "rope.cpu.portable"}));
}

TEST(Messages, AServiceRowWithoutAVariantIsRefused) {
  EXPECT_THROW(Json::parse(R"({"key": "t"})").get<ServiceRow>(), Json::out_of_range);
}

TEST(Messages, ALoadRequestSurvivesTheWire) {
  LoadRequest sent;
  sent.model = "embedded";
  sent.context = 64;
  sent.threads = 2;
  sent.service["rope"] = {{.key = "t", .low = 1, .high = 7, .variant = "rope.cpu.portable"},
                          {.key = "t", .low = 8, .variant = "rope.cpu.avx2"}};
  const auto received = Json::parse(Json(sent).dump()).get<LoadRequest>();
  EXPECT_EQ(received.model, "embedded");
  EXPECT_EQ(received.backend, "cpu");
  EXPECT_EQ(received.context, 64);
  EXPECT_EQ(received.threads, 2);
  EXPECT_EQ(received.service, sent.service);
}

TEST(Messages, AWorkReplyKeepsFloatsAndCountersExactly) {
  WorkReply sent;
  sent.margins = {0.1f, 3.4028235e38f, 1e-45f};
  sent.elapsed_ns = 9007199254740993;  // not a double
  sent.nonfinite = 18446744073709551615u;
  sent.decode_counts = {{"rope.cpu.portable", 12}};
  const auto received = Json::parse(Json(sent).dump()).get<WorkReply>();
  EXPECT_EQ(received.margins, sent.margins);
  EXPECT_EQ(received.elapsed_ns, sent.elapsed_ns);
  EXPECT_EQ(received.nonfinite, sent.nonfinite);
  EXPECT_EQ(received.decode_counts, sent.decode_counts);
}

TEST(Messages, KernelCasesReplyCarriesEveryFieldOfACase) {
  KernelCase sent{.name = "n=8 mild",
                  .output_offset = 64,
                  .output_bytes = 32,
                  .values_offset = 16,
                  .values = 8,
                  .guards_intact = false,
                  .repeatable = false,
                  .launches = 3};
  const Json json = Json(KernelCasesReply{.cases = {sent}, .counts = {{"a.cpu.b", 3}}});
  EXPECT_EQ(json.dump(),
            R"({"cases":[{"guards_intact":false,"launches":3,"name":"n=8 mild","output_bytes":32,)"
            R"("output_offset":64,"repeatable":false,"values":8,"values_offset":16}],)"
            R"("counts":{"a.cpu.b":3}})");
  const auto received = json.get<KernelCasesReply>();
  EXPECT_EQ(Json(received), json);
}

TEST(Messages, ResourcesReplyCarriesEveryFieldOfAKernel) {
  const Json json = Json(ResourcesReply{.kernels = {{.kernel = "attend<64>",
                                                     .threads = 128,
                                                     .registers = 40,
                                                     .local_bytes = 8,
                                                     .static_shared = 512,
                                                     .dynamic_shared = 1024,
                                                     .blocks_per_sm = 12,
                                                     .blocks_computed = -1,
                                                     .tight = "registers"}}});
  EXPECT_EQ(json.dump(),
            R"({"kernels":[{"blocks_computed":-1,"blocks_per_sm":12,"dynamic_shared":1024,)"
            R"("kernel":"attend<64>","local_bytes":8,"registers":40,"static_shared":512,)"
            R"("threads":128,"tight":"registers"}]})");
  EXPECT_EQ(Json(json.get<ResourcesReply>()), json);
}

TEST(Messages, AProfileReplySurvivesTheWire) {
  ProfileReply sent;
  sent.untraced.decode_ns = 9007199254740993;  // not a double
  sent.traced.decode_counts = {{"rope.cuda.pairs", 12}};
  sent.kernels = {{.kernel = "void assay::rope_cuda_pairs::rotate(assay::RopeArgs)",
                   .variant = "rope.cuda.pairs",
                   .launches = 12,
                   .total_ns = 24'000,
                   .min_ns = 1'900,
                   .max_ns = 2'200,
                   .registers = 22,
                   .static_shared = 16,
                   .dynamic_shared = 48,
                   .grid = {7, 1, 1},
                   .block = {128, 2, 1}}};
  sent.variants = {{.variant = "rope.cuda.pairs",
                    .planned = 12,
                    .traced = 12,
                    .kernels = 12,
                    .bytes = 1.5e9,
                    .flops = 3}};
  sent.passes = 6;
  sent.span_ns = 40'000;
  sent.busy_ns = 24'000;
  sent.gap_ns = 6'000;
  sent.wait_ns = 10'000;
  sent.dropped = 1;
  const Json json = sent;
  EXPECT_EQ(json["kernels"].dump(),
            R"([{"block":[128,2,1],"dynamic_shared":48,"grid":[7,1,1],)"
            R"~("kernel":"void assay::rope_cuda_pairs::rotate(assay::RopeArgs)","launches":12,)~"
            R"("max_ns":2200,"min_ns":1900,"registers":22,"static_shared":16,"total_ns":24000,)"
            R"("variant":"rope.cuda.pairs"}])");
  const auto received = Json::parse(json.dump()).get<ProfileReply>();
  EXPECT_EQ(Json(received), json);
  EXPECT_EQ(received.untraced.decode_ns, sent.untraced.decode_ns);
  EXPECT_EQ(received.variants[0].bytes, 1.5e9);
}

TEST(Messages, ALoadIsNotForProfilingUnlessItSaysSo) {
  EXPECT_FALSE(Json::parse("{}").get<LoadRequest>().profile);
  EXPECT_TRUE(Json::parse(R"({"profile": true})").get<LoadRequest>().profile);
}

}  // namespace
}  // namespace assay
