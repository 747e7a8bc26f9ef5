// The text of a profile, from records that nobody measured.
#include "gates/cli/profile_text.h"

#include <gtest/gtest.h>

#include "recorder/query.h"

namespace assay {
namespace {

// Two steps of four kernels of a matvec, a GEMM's two kernels, and one that the backend enqueued.
ProfileReply profile() {
  ProfileReply reply;
  reply.kernels = {
      {.kernel = "void assay::matvec_cuda_warp::rows<(assay::DType)12, 1>(assay::MatvecArgs)",
       .variant = "matvec_q4k.cuda.warp[rows=1]",
       .launches = 8,
       .total_ns = 80'000,
       .grid = {1, 1, 1},
       .block = {128, 1, 1}},
      {.kernel = "nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_TNT",
       .variant = "matmul_q4k.cuda.cublaslt",
       .launches = 2,
       .total_ns = 60'000,
       .grid = {1, 1, 1},
       .block = {128, 1, 1}},
      {.kernel = "void assay::cuda::dequantize<3>(int)",
       .variant = "matmul_q4k.cuda.cublaslt",
       .launches = 2,
       .total_ns = 40'000,
       .grid = {1, 1, 1},
       .block = {128, 1, 1}},
      {.kernel = "void assay::digest_rows::fold(float const*)",
       .variant = "",
       .launches = 1,
       .total_ns = 20'000,
       .grid = {1, 1, 1},
       .block = {128, 1, 1}}};
  reply.variants = {{.variant = "matmul_q4k.cuda.cublaslt",
                     .planned = 2,
                     .traced = 2,
                     .kernels = 4,
                     .bytes = 1e6,
                     .flops = 39.5e9},
                    {.variant = "matvec_q4k.cuda.warp[rows=1]",
                     .planned = 8,
                     .traced = 8,
                     .kernels = 8,
                     .bytes = 180'400'000,
                     .flops = 1e9}};
  reply.passes = 2;
  reply.span_ns = 300'000;
  reply.busy_ns = 200'000;
  reply.gap_ns = 10'000;
  reply.wait_ns = 90'000;
  reply.untraced.elapsed_ns = 400'000;
  reply.traced.elapsed_ns = 440'000;
  return reply;
}

ProfileView view_of(const ProfileReply& reply, const std::string& device) {
  return {.reply = reply,
          .device = device,
          .ceilings = find_device_ceilings(device),
          .steps = 2,
          .step = "step"};
}

TEST(ProfileText, TheTableHoldsEachVariantAgainstItsCeiling) {
  const ProfileReply reply = profile();
  const auto cells = profile_cells(view_of(reply, "NVIDIA H200"));
  using Row = std::vector<std::string>;
  ASSERT_EQ(cells.size(), 5u);
  EXPECT_EQ(cells[0], (Row{"op", "variant", "kernel", "launches/step", "us", "share", "a launch",
                           "rate", "of ceiling"}));
  // 180.4 MB in 80 us.
  EXPECT_EQ(cells[1],
            (Row{"matvec_q4k", "cuda.warp[rows=1]", "matvec_cuda_warp::rows<(DType)12, 1>", "4",
                 "10.00", "40.0 %", "22.6 MB", "2.25 TB/s", "50 %"}));
  // Both kernels of the GEMM together: 39.5 GFLOP in 100 us.
  EXPECT_EQ(cells[2],
            (Row{"matmul_q4k", "cuda.cublaslt", "nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_TNT", "1",
                 "30.00", "30.0 %", "19.8 GFLOP", "395.00 TFLOP/s", "50 %"}));
  EXPECT_EQ(cells[3], (Row{"matmul_q4k", "cuda.cublaslt", "cuda::dequantize<3>", "1", "20.00",
                           "20.0 %", "", "", ""}));
  EXPECT_EQ(cells[4], (Row{"-", "-", "digest_rows::fold", "0.5", "20.00", "10.0 %", "", "", ""}));
  EXPECT_NE(format_cells(cells, TableFormat::kTable).find("395.00 TFLOP/s"), std::string::npos);
}

// 180.4 MB at 4.51 TB/s are 40 us, 39.5 GFLOP at 790 TFLOP/s are 50 us, 13 kernels 13.39 us.
TEST(ProfileText, TheLinesBelow) {
  const ProfileReply reply = profile();
  const ProfileView view = view_of(reply, "NVIDIA H200");
  EXPECT_NEAR(predicted_step_s(view), (40e-6 + 50e-6 + 13 * 1.03e-6) / 2, 1e-12);
  EXPECT_EQ(
      profile_lines(view),
      "ceilings of NVIDIA H200: 4.51 TB/s read, 790 TFLOP/s vendor GEMM, 638 TFLOP/s mma.sync; "
      "what "
      "stays in the L2 cache may exceed the first\n"
      "a step: span 0.150 ms of which kernels 0.100 ms, gaps 0.005 ms, waiting for the host 0.045 "
      "ms; sum over kernels 0.100 ms\n"
      "wall time of a step: 0.200 ms untraced, 0.220 ms traced (+10.0 %)\n"
      "predicted step 0.052 ms from bytes and FLOP at their ceilings + 6.5 kernels x 1.03 us; "
      "measured 0.200 ms\n");
}

TEST(ProfileText, AnUnknownDeviceHasNoCeiling) {
  const ProfileReply reply = profile();
  const ProfileView view = view_of(reply, "Some GPU");
  EXPECT_EQ(profile_cells(view)[1][7], "2.25 TB/s");
  EXPECT_EQ(profile_cells(view)[1][8], "");
  EXPECT_EQ(predicted_step_s(view), 0);
  EXPECT_EQ(profile_lines(view).substr(0, 60),
            "unknown device: no ceiling (Some GPU was not measured)\na ste");
  EXPECT_NE(profile_lines(view).find("predicted step: none, since the device has no ceiling here; "
                                     "measured 0.200 ms\n"),
            std::string::npos);
}

TEST(ProfileText, BytesAloneAreSaidSo) {
  ProfileReply reply = profile();
  reply.variants.erase(reply.variants.begin());
  EXPECT_NE(profile_lines(view_of(reply, "NVIDIA H200")).find("from bytes at the ceiling + "),
            std::string::npos);
}

TEST(ProfileText, KernelNamesAreShortened) {
  EXPECT_EQ(short_kernel_name("void assay::rope_cuda_pairs::rotate(assay::RopeArgs, int const*)"),
            "rope_cuda_pairs::rotate");
  EXPECT_EQ(short_kernel_name("void assay::x::k<(assay::DType)12, true>(assay::Args)"),
            "x::k<(DType)12, true>");
  EXPECT_EQ(short_kernel_name("void assay::(anonymous namespace)::k<2>(int)"),
            "(anonymous namespace)::k<2>");
  EXPECT_EQ(short_kernel_name("abcdefghijklmnopqrstuvwxyz", 15), "abcdefgh...wxyz");
  EXPECT_EQ(short_kernel_name("nvjet_hsh"), "nvjet_hsh");
}

}  // namespace
}  // namespace assay
