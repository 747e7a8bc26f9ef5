// The lists agree: infos, ids, symbols, sources, references, linked code.
#include "kernels/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <vector>

#include "kernels/reference.h"

namespace assay {
namespace {

TEST(VariantLists, IdsParseBackAndGiveTheSymbol) {
  for (const OpVariants& op : all_ops()) {
    for (const VariantInfo& info : op.variants) {
      const auto name = parse_variant_id(info.id);
      ASSERT_TRUE(name.has_value()) << info.id;
      EXPECT_EQ(to_string(*name), info.id);
      EXPECT_EQ(launch_symbol(*name), info.symbol);
      EXPECT_EQ(name->op, op.op.op);
      EXPECT_EQ(name->backend, to_string(info.needs.backend)) << info.id;
    }
  }
}

TEST(VariantLists, IdsAreUnique) {
  std::set<std::string_view> ids;
  std::set<std::string_view> symbols;
  for (const OpVariants& op : all_ops()) {
    for (const VariantInfo& info : op.variants) {
      EXPECT_TRUE(ids.insert(info.id).second) << info.id;
      EXPECT_TRUE(symbols.insert(info.symbol).second) << info.symbol;
    }
  }
}

TEST(VariantLists, SourcesExistAndAreNamedByMechanism) {
  for (const OpVariants& op : all_ops()) {
    for (const VariantInfo& info : op.variants) {
      EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(ASSAY_SOURCE_ROOT) / info.source))
          << info.source;
      const auto name = parse_variant_id(info.id);
      EXPECT_NE(info.source.find("/" + name->backend + "_" + name->mechanism),
                std::string_view::npos)
          << info.id;
      EXPECT_FALSE(info.summary.empty()) << info.id;
    }
  }
}

// An op that the CPU has at all is one that every CPU has.
TEST(VariantLists, EveryOpBeginsWithAPortableVariantOrIsCudas) {
  for (const OpVariants& op : all_ops()) {
    ASSERT_FALSE(op.variants.empty()) << op.op.op;
    const bool on_cpu = std::any_of(op.variants.begin(), op.variants.end(), [](const auto& info) {
      return info.needs.backend == BackendKind::kCpu;
    });
    EXPECT_EQ(op.variants.front().needs == CpuLevel::kPortable, on_cpu) << op.op.op;
  }
}

TEST(VariantLists, CompoundOpsAreCudasAlone) {
  std::vector<std::string_view> without_cpu;
  for (const OpVariants& op : all_ops()) {
    if (op.variants.front().needs.backend == BackendKind::kCuda) without_cpu.push_back(op.op.op);
  }
  EXPECT_EQ(without_cpu,
            (std::vector<std::string_view>{"add_rms_norm_quantize", "add_rms_norm_halve",
                                           "swiglu_quantize", "swiglu_halve", "rope_store"}));
}

TEST(VariantLists, FindsOpsAndVariantsByName) {
  ASSERT_NE(find_op("matmul_q4k"), nullptr);
  EXPECT_EQ(find_op("matmul_q4k")->op.phase, Phase::kPrefill);
  EXPECT_EQ(find_op("matmul_q3k"), nullptr);
  ASSERT_NE(find_variant("matmul_q4k.cpu.portable[tokens=4]"), nullptr);
  EXPECT_EQ(find_variant("matmul_q4k.cpu.portable[tokens=5]"), nullptr);
  EXPECT_EQ(find_variant("matmul_q4k"), nullptr);
}

TEST(CpuRegistry, HoldsEveryPortableVariantInTheOrderOfTheOps) {
  std::vector<std::string_view> listed;
  for (const OpVariants& op : all_ops()) {
    for (const VariantInfo& info : op.variants) {
      if (find_cpu_variant(info.id) != nullptr) listed.push_back(info.id);
      if (info.needs == CpuLevel::kPortable) {
        EXPECT_NE(find_cpu_variant(info.id), nullptr) << info.id;
      }
    }
  }
  std::vector<std::string_view> registered;
  for (const RegisteredVariant& variant : cpu_registry()) registered.push_back(variant.info->id);
  EXPECT_EQ(registered, listed);
}

TEST(CpuRegistry, UnknownIdIsNull) {
  EXPECT_EQ(find_cpu_variant("add.cpu.nothing"), nullptr);
}

TEST(References, OnePerOpInTheSameOrder) {
  ASSERT_EQ(all_references().size(), all_ops().size());
  for (std::size_t i = 0; i < all_ops().size(); ++i) {
    EXPECT_EQ(all_references()[i].op, all_ops()[i].op.op);
    EXPECT_FALSE(all_references()[i].cases().empty()) << all_ops()[i].op.op;
  }
}

}  // namespace
}  // namespace assay
