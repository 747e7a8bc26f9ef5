#include "engine/worker/kernel_profile.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

const ProfiledRegistry kRegistry = {
    .ids = {"embed.cuda.rows", "matvec_q4k.cuda.warp[rows=1]", "rope_store.cuda.separate"},
    .symbols = {"embed_cuda_rows", "matvec_q4k_cuda_warp_rows1", "rope_store_cuda_separate"}};

TracedKernel kernel(const char* name, std::int64_t start, std::int64_t end, WatchedLaunch launch,
                    std::uint64_t replay = 0) {
  return {.name = name,
          .start_ns = start,
          .end_ns = end,
          .registers = 40,
          .static_shared = 16,
          .dynamic_shared = 32,
          .grid = {static_cast<int>(start), 1, 1},
          .block = {128, 1, 1},
          .replay = replay,
          .launch = launch};
}

constexpr const char* kEmbed = "void assay::embed_cuda_rows::gather(assay::EmbedArgs)";
constexpr const char* kMatvec = "void assay::matvec_cuda_warp::rows<1>(assay::MatvecArgs)";

const ProfiledVariant* find(const ProfileReply& reply, const std::string& id) {
  for (const ProfiledVariant& variant : reply.variants) {
    if (variant.variant == id) return &variant;
  }
  return nullptr;
}

TEST(KernelProfile, KernelsAreAddedUpByVariantAndNameAndSortedByTime) {
  const ProfileReply reply =
      add_up({.kernels = {kernel(kEmbed, 100, 103, {0, 1}), kernel(kMatvec, 104, 124, {1, 1}),
                          kernel(kMatvec, 126, 136, {1, 2})},
              .dropped = 2},
             kRegistry);
  EXPECT_EQ(nlohmann::json(reply.kernels).dump(),
            R"([{"block":[128,1,1],"dynamic_shared":32,"grid":[104,1,1],)"
            R"~("kernel":"void assay::matvec_cuda_warp::rows<1>(assay::MatvecArgs)","launches":2,)~"
            R"("max_ns":20,"min_ns":10,"registers":40,"static_shared":16,"total_ns":30,)"
            R"("variant":"matvec_q4k.cuda.warp[rows=1]"},)"
            R"({"block":[128,1,1],"dynamic_shared":32,"grid":[100,1,1],)"
            R"~("kernel":"void assay::embed_cuda_rows::gather(assay::EmbedArgs)","launches":1,)~"
            R"("max_ns":3,"min_ns":3,"registers":40,"static_shared":16,"total_ns":3,)"
            R"("variant":"embed.cuda.rows"}])");
  EXPECT_EQ(reply.dropped, 2u);
  EXPECT_EQ(reply.span_ns, 36);
  EXPECT_EQ(reply.busy_ns, 33);
  EXPECT_EQ(reply.gap_ns, 3);
  EXPECT_EQ(reply.wait_ns, 0);
  EXPECT_EQ(reply.passes, 1u);
}

TEST(KernelProfile, IdleTimeBeforeAPassIsTheHosts) {
  const ProfileReply reply =
      add_up({.kernels = {kernel(kEmbed, 0, 10, {0, 1}), kernel(kMatvec, 12, 20, {1, 1}),
                          kernel(kEmbed, 70, 80, {0, 2}), kernel(kMatvec, 81, 90, {1, 2})}},
             kRegistry);
  EXPECT_EQ(reply.passes, 2u);
  EXPECT_EQ(reply.gap_ns, 3);
  EXPECT_EQ(reply.wait_ns, 50);
  EXPECT_EQ(reply.busy_ns + reply.gap_ns + reply.wait_ns, reply.span_ns);
}

TEST(KernelProfile, OverlappingKernelsAreBusyTimeOnce) {
  const ProfileReply reply =
      add_up({.kernels = {kernel(kMatvec, 0, 10, {1, 1}), kernel(kMatvec, 6, 8, {1, 2}),
                          kernel(kMatvec, 9, 15, {1, 3})}},
             kRegistry);
  EXPECT_EQ(reply.busy_ns, 15);
  EXPECT_EQ(reply.gap_ns, 0);
  EXPECT_EQ(reply.kernels[0].total_ns, 18);
}

// A launch of several kernels is one launch; a captured one is one in each replay.
TEST(KernelProfile, LaunchesAreCountedOncePerReplay) {
  const ProfileReply reply =
      add_up({.kernels = {kernel(kMatvec, 0, 1, {1, 7}, 90), kernel("rotate", 1, 2, {2, 3}, 90),
                          kernel("store", 2, 3, {2, 3}, 90), kernel(kMatvec, 3, 4, {1, 7}, 91),
                          kernel("rotate", 4, 5, {2, 3}, 91), kernel("store", 5, 6, {2, 3}, 91)}},
             kRegistry);
  ASSERT_EQ(reply.variants.size(), 2u);
  EXPECT_EQ(find(reply, "matvec_q4k.cuda.warp[rows=1]")->traced, 2u);
  EXPECT_EQ(find(reply, "matvec_q4k.cuda.warp[rows=1]")->kernels, 2u);
  EXPECT_EQ(find(reply, "rope_store.cuda.separate")->traced, 2u);
  EXPECT_EQ(find(reply, "rope_store.cuda.separate")->kernels, 4u);
}

TEST(KernelProfile, WhatTheBackendEnqueuesItselfBelongsToNoVariant) {
  const ProfileReply reply =
      add_up({.kernels = {kernel(kMatvec, 0, 5, {1, 1}),
                          kernel("void assay::digest_rows::fold(float const*)", 5, 9, {1, 1}),
                          kernel("void assay::cuda::to_halves<3>(int)", 9, 10, {1, 1}),
                          kernel("memset", 10, 12, {-1, 0})}},
             kRegistry);
  EXPECT_EQ(find(reply, "matvec_q4k.cuda.warp[rows=1]")->kernels, 2u);
  ASSERT_EQ(reply.variants.size(), 1u);
  EXPECT_EQ(reply.kernels[1].kernel, "void assay::digest_rows::fold(float const*)");
  EXPECT_EQ(reply.kernels[1].variant, "");
  EXPECT_EQ(reply.kernels[2].variant, "");
}

TEST(KernelProfile, NamespacesThatAreMechanisms) {
  const auto of = [](const char* name) { return is_of_a_mechanism(name, kRegistry.symbols); };
  EXPECT_TRUE(of("void assay::embed_cuda_rows::gather<4>(assay::EmbedArgs)"));
  EXPECT_TRUE(of("assay::matvec_cuda_warp::rows(assay::MatvecArgs)"));
  EXPECT_TRUE(of("void assay::matvec_q4k_cuda_warp::rows(assay::MatvecArgs)"));
  EXPECT_TRUE(of("nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_TNT"));
  EXPECT_TRUE(of("void cutlass::Kernel2<assay::digest>(int)"));
  EXPECT_TRUE(of("void assay::cuda::dequantize<3>(int)"));
  EXPECT_FALSE(of("void assay::matvec_cuda_war::rows(int)"));
  EXPECT_FALSE(of("void assay::embed_cuda_rows_of_four::gather(int)"));
  EXPECT_FALSE(of("void assay::synth_on_device::write_blocks<1, 2>(int)"));
  EXPECT_FALSE(of("void assay::(anonymous namespace)::fold(int)"));
}

TEST(KernelProfile, NothingRecordedIsNoTime) {
  const ProfileReply reply = add_up({}, kRegistry);
  EXPECT_EQ(reply.span_ns, 0);
  EXPECT_TRUE(reply.kernels.empty());
}

}  // namespace
}  // namespace assay
