// kv_store counts what it stores as infinite or NaN, once per value, and adds to the counter.
#include "kernels/kv_store/kv_store.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "engine/core/cpu.h"
#include "kernels/registry.h"

namespace assay {
namespace {

TEST(KvStore, CountsValuesThatAreNotFiniteInF16) {
  constexpr int kHeadDim = 12;  // a register of eight and a tail
  for (const char* id : {"kv_store.cpu.portable", "kv_store.cpu.avx2"}) {
    const RegisteredVariant* variant = find_cpu_variant(id);
    if (variant == nullptr || !offers(cpu_level(), variant->info->needs)) continue;
    SCOPED_TRACE(id);
    std::vector<float> k(2 * kHeadDim, 1.0f);
    std::vector<float> v(2 * kHeadDim, -1.0f);
    k[0] = std::numeric_limits<float>::quiet_NaN();
    k[kHeadDim + 11] = std::numeric_limits<float>::infinity();
    v[9] = 65520.0f;   // rounds to infinity
    v[10] = 65519.0f;  // rounds to 65,504
    v[kHeadDim] = -1e30f;
    std::vector<std::uint16_t> k_cache(3 * kHeadDim, 0);
    std::vector<std::uint16_t> v_cache(3 * kHeadDim, 0);
    std::uint64_t nonfinite = 100;
    const KvStoreArgs args{.k = k.data(),
                           .v = v.data(),
                           .k_cache = k_cache.data(),
                           .v_cache = v_cache.data(),
                           .position_stride = kHeadDim,
                           .head_stride = kHeadDim,
                           .t = 2,
                           .kv_heads = 1,
                           .head_dim = kHeadDim,
                           .first_position = 1,
                           .nonfinite = &nonfinite};
    ThreadPool pool(1);
    Launch launch{pool};
    variant->launch(&args, launch);
    EXPECT_EQ(nonfinite, 104u);
    EXPECT_EQ(v_cache[kHeadDim + 9], 0x7c00);
    EXPECT_EQ(v_cache[kHeadDim + 10], 0x7bff);
    EXPECT_EQ(k_cache[0], 0) << "position 0 is not this call's";
  }
}

}  // namespace
}  // namespace assay
