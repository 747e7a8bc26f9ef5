#include "gates/statistics/simulation/table.h"

#include <gtest/gtest.h>

namespace assay::simulation {
namespace {

TEST(Figure, BoundsHoldAsWrittenInTheFullSuite) {
  EXPECT_FALSE((Figure{0.019, 10'000, Bound::kAtMost, 0.019}.is_broken()));
  EXPECT_TRUE((Figure{0.0191, 10'000, Bound::kAtMost, 0.019}.is_broken()));
  EXPECT_FALSE((Figure{0.9, 20'000, Bound::kAtLeast, 0.9}.is_broken()));
  EXPECT_TRUE((Figure{0.8999, 20'000, Bound::kAtLeast, 0.9}.is_broken()));
  EXPECT_TRUE((Figure{0.1, 10'000, Bound::kAbove, 0.1}.is_broken()));
  EXPECT_FALSE((Figure{0.1001, 10'000, Bound::kAbove, 0.1}.is_broken()));
  EXPECT_FALSE((Figure{1, 10'000}.is_broken()));
}

TEST(Figure, FewerExperimentsGrantTheirBinomialError) {
  // sqrt(0.09 / 100) = 0.03, sqrt(0.09 / 10000) = 0.003; three times the difference.
  const Figure figure{0.9, 100, Bound::kAtLeast, 0.9};
  EXPECT_NEAR(figure.allowance(), 0.081, 1e-12);
  EXPECT_TRUE((Figure{0.81, 100, Bound::kAtLeast, 0.9}.is_broken()));
  EXPECT_FALSE((Figure{0.82, 100, Bound::kAtLeast, 0.9}.is_broken()));
}

Table example() {
  return {"Rates",
          "A note.",
          "case",
          {"x", "y"},
          {{"one", {Figure{0.02, 10'000, Bound::kAtMost, 0.019}, Figure{0.5, 10'000}}},
           {"two", {std::nullopt, Figure{0.25, 10'000, Bound::kAbove, 0.1}}}}};
}

TEST(Table, PrintsItsBoundsAndWhatBrokeThem) {
  EXPECT_EQ(example().markdown(),
            "### Rates\n\nA note.\n\n| case | x | y |\n|---|---:|---:|\n"
            "| one | **0.0200, not <= 0.019** | 0.5000 |\n"
            "| two |  | 0.2500 (> 0.1) |\n");
  EXPECT_EQ(example().broken(),
            (std::vector<std::string>{"Rates: one, x: 0.0200 is not <= 0.019 (allowance 0.0000)"}));
}

TEST(Table, ItsJsonHoldsTheSame) {
  const nlohmann::json json = example();
  EXPECT_EQ(json["rows"][0]["name"], "one");
  EXPECT_EQ(json["rows"][0]["figures"]["x"], (nlohmann::json{{"rate", 0.02},
                                                             {"experiments", 10'000},
                                                             {"bound", "<="},
                                                             {"limit", 0.019},
                                                             {"broken", true}}));
  EXPECT_FALSE(json["rows"][1]["figures"].contains("x"));
}

}  // namespace
}  // namespace assay::simulation
