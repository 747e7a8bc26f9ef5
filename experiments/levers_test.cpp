#include "experiments/levers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace assay {
namespace {

VariantInfo info(std::string_view id) {
  return {id, "", "", CpuLevel::kPortable, {}, ""};
}

std::vector<std::string> names(const std::vector<Lever>& levers) {
  std::vector<std::string> all;
  for (const Lever& lever : levers) all.push_back(lever.name);
  return all;
}

TEST(Levers, AParameterIsALeverWithinOneMechanismOnly) {
  const VariantInfo variants[] = {info("matvec.cpu.avx2[rows=4,ahead=2]"),
                                  info("matvec.cpu.avx2[rows=8,ahead=2]"),
                                  info("matvec.cpu.vnni[rows=16,ahead=3]")};
  const OpVariants ops[] = {{{"matvec", Phase::kDecode, {}}, variants}};
  const std::vector<Lever> all = derive_levers(ops);
  EXPECT_EQ(names(all), (std::vector<std::string>{"matvec.mechanism", "matvec.rows"}));
  EXPECT_EQ(all[0].variants.size(), 3u);
  EXPECT_EQ(all[1].op, "matvec");
  EXPECT_EQ(all[1].variants, (std::vector<std::string>{"matvec.cpu.avx2[rows=4,ahead=2]",
                                                       "matvec.cpu.avx2[rows=8,ahead=2]"}));
}

TEST(Levers, OneFormPerBackendIsNoChoice) {
  const VariantInfo variants[] = {info("add.cpu.portable"), info("add.cuda.vectors")};
  const OpVariants ops[] = {{{"add", Phase::kBoth, {}}, variants}};
  EXPECT_TRUE(derive_levers(ops).empty());
}

TEST(Levers, TheMechanismLeverLeavesOutABackendWithOneForm) {
  const VariantInfo variants[] = {info("add.cpu.portable"), info("add.cpu.avx2"),
                                  info("add.cuda.vectors")};
  const OpVariants ops[] = {{{"add", Phase::kBoth, {}}, variants}};
  const std::vector<Lever> all = derive_levers(ops);
  ASSERT_EQ(names(all), (std::vector<std::string>{"add.mechanism"}));
  EXPECT_EQ(all[0].variants, (std::vector<std::string>{"add.cpu.portable", "add.cpu.avx2"}));
}

TEST(Levers, TheRegisteredOnesHaveTwoPointsOrMoreOfTheirOp) {
  const std::vector<Lever> all = levers();
  ASSERT_FALSE(all.empty());
  std::set<std::string> seen;
  for (const Lever& lever : all) {
    EXPECT_TRUE(seen.insert(lever.name).second) << lever.name << " stands twice";
    EXPECT_GE(lever.variants.size(), 2u) << lever.name;
    EXPECT_EQ(lever.name.rfind(lever.op + ".", 0), 0u) << lever.name;
    for (const std::string& id : lever.variants) {
      ASSERT_NE(find_variant(id), nullptr) << id;
      EXPECT_EQ(parse_variant_id(id)->op, lever.op);
    }
  }
}

TEST(Levers, AttentionTilesAreALever) {
  const Lever* lever = find_lever("attention_prefill.tkv");
  ASSERT_NE(lever, nullptr);
  for (const char* id :
       {"attention_prefill.cpu.avx2[tkv=32]", "attention_prefill.cpu.avx2[tkv=64]"}) {
    EXPECT_EQ(std::count(lever->variants.begin(), lever->variants.end(), id), 1) << id;
  }
}

TEST(Levers, AnUnknownNameIsNull) {
  EXPECT_EQ(find_lever("attention_prefill.luck"), nullptr);
  EXPECT_EQ(find_lever("attention_prefill"), nullptr);
  EXPECT_EQ(find_lever(""), nullptr);
}

}  // namespace
}  // namespace assay
