// What a prefill row may depend on: its own query and the positions up to its own, nothing else.
//
// Not the number of rows in the call, not how a prompt was cut into chunks, not what lies beyond
// the row's position, not the number of threads. For every variant that can run here.
#include <gtest/gtest.h>

#include <cstring>

#include "engine/core/cpu.h"
#include "kernels/attention_decode/attention_case.h"
#include "kernels/registry.h"

namespace assay {
namespace {

CaseSpec prompt(int t, DataKind kind = DataKind::kMild) {
  return {"prompt",
          kind,
          {{"t", t}, {"past", 0}, {"heads", 6}, {"group", 3}, {"d", 40}, {"pad", 8}},
          77};
}

std::vector<const RegisteredVariant*> runnable(std::string_view op) {
  std::vector<const RegisteredVariant*> found;
  for (const RegisteredVariant& variant : cpu_registry()) {
    const std::string_view id = variant.info->id;
    if (id.substr(0, id.find('.')) == op && offers(cpu_level(), variant.info->needs)) {
      found.push_back(&variant);
    }
  }
  return found;
}

// Output rows [from, to) of the prompt, computed in one call as a chunk after `from` positions.
std::vector<float> chunk(const AttentionPrefillArgs& whole, const RegisteredVariant& variant,
                         ThreadPool& pool, int from, int to) {
  const int row = whole.heads * whole.head_dim;
  std::vector<float> out(static_cast<std::size_t>((to - from) * row));
  AttentionPrefillArgs args = whole;
  args.q = whole.q + static_cast<std::int64_t>(from) * row;
  args.out = out.data();
  args.t = to - from;
  args.past = from;
  Launch launch{pool};
  variant.launch(&args, launch);
  return out;
}

bool same_bits(const float* a, const std::vector<float>& b) {
  return std::memcmp(a, b.data(), b.size() * sizeof(float)) == 0;
}

TEST(PrefillRows, DoNotDependOnTheBatchOrOnChunks) {
  constexpr int kRows = 135;
  AttentionCase bound(prompt(kRows));
  const AttentionPrefillArgs args = bound.arguments();
  const int row = args.heads * args.head_dim;
  ThreadPool one(1);
  ThreadPool three(3);
  for (const RegisteredVariant* variant : runnable("attention_prefill")) {
    SCOPED_TRACE(variant->info->id);
    const std::vector<float> whole = chunk(args, *variant, one, 0, kRows);
    for (int t = 1; t <= kRows; ++t) {
      ASSERT_TRUE(same_bits(whole.data(), chunk(args, *variant, three, 0, t))) << "first " << t;
    }
    for (const int cut : {1, 10, 31, 32, 33, 64, 100, 127, 128, 129, 134}) {
      ASSERT_TRUE(same_bits(whole.data() + cut * row, chunk(args, *variant, three, cut, kRows)))
          << "rows from " << cut;
      ASSERT_TRUE(same_bits(whole.data() + cut * row, chunk(args, *variant, one, cut, cut + 1)))
          << "row " << cut << " alone";
    }
  }
}

TEST(PrefillRows, DoNotSeeLaterPositions) {
  constexpr int kRows = 70;
  AttentionCase bound(prompt(kRows));
  AttentionPrefillArgs args = bound.arguments();
  const int row = args.heads * args.head_dim;
  const std::int64_t size = (kRows + 3) * args.position_stride;
  ThreadPool pool(1);
  for (const RegisteredVariant* variant : runnable("attention_prefill")) {
    SCOPED_TRACE(variant->info->id);
    const std::vector<float> clean = chunk(args, *variant, pool, 0, kRows);
    for (const int from : {1, 20, 31, 32, 33, 64, 69}) {
      // From this position on the cache is NaN in K and infinite in V: 0 times either is NaN.
      std::vector<std::uint16_t> k(args.k_cache, args.k_cache + size);
      std::vector<std::uint16_t> v(args.v_cache, args.v_cache + size);
      std::fill(k.begin() + from * args.position_stride, k.end(), 0x7e00);
      std::fill(v.begin() + from * args.position_stride, v.end(), 0x7c00);
      AttentionPrefillArgs spoiled = args;
      spoiled.k_cache = k.data();
      spoiled.v_cache = v.data();
      const std::vector<float> out = chunk(spoiled, *variant, pool, 0, kRows);
      const std::vector<float> before(out.begin(), out.begin() + from * row);
      ASSERT_TRUE(same_bits(clean.data(), before)) << "spoiled from " << from;
      ASSERT_NE(out[static_cast<std::size_t>(from * row)],
                out[static_cast<std::size_t>(from * row)])
          << "the row at " << from << " must show the NaN it reads";
    }
  }
}

// The share of rows whose bits agree between two variants of one op at a length.
bool agree(const char* op, const char* first, const char* second, CaseSpec spec) {
  const RegisteredVariant* a = find_cpu_variant(std::string(op) + first);
  const RegisteredVariant* b = find_cpu_variant(std::string(op) + second);
  AttentionCase bound(spec);
  ThreadPool pool(1);
  Launch launch{pool};
  bound.launch(a->launch, launch);
  const std::vector<std::byte> bytes(bound.output().begin(), bound.output().end());
  bound.poison();
  bound.launch(b->launch, launch);
  return std::memcmp(bytes.data(), bound.output().data(), bytes.size()) == 0;
}

TEST(TileLength, IsPartOfTheArithmetic) {
  const char* op = "attention_prefill";
  EXPECT_TRUE(agree(op, ".cpu.portable[tkv=32]", ".cpu.portable[tkv=64]", prompt(32)));
  EXPECT_FALSE(agree(op, ".cpu.portable[tkv=32]", ".cpu.portable[tkv=64]", prompt(48)));
  EXPECT_TRUE(agree(op, ".cpu.portable[tkv=64]", ".cpu.portable[tkv=128]", prompt(64)));
  EXPECT_FALSE(agree(op, ".cpu.portable[tkv=64]", ".cpu.portable[tkv=128]", prompt(90)));
}

}  // namespace
}  // namespace assay
