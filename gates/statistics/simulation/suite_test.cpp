// The suite as a test: what `assay-simulate` runs with 10,000 experiments per cell, reduced so that
// two busy cores do it beside other tests. Bounds grant the binomial error of the smaller number,
// except in the sections that decide whether a fault of the procedure would be seen: those are run
// in full.
#include "gates/statistics/simulation/suite.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>

namespace assay::simulation {
namespace {

constexpr int kReduced = 1000;
const SuiteOptions kFew = {.experiments = kReduced, .scenario = ""};

void expect_kept(const Table& table) {
  for (const std::string& sentence : table.broken()) ADD_FAILURE() << sentence;
  if (testing::Test::HasFailure()) std::printf("%s\n", table.markdown().c_str());
}

TEST(SimulationSuite, FalseLandStaysBelowTheLimit) {
  expect_kept(false_land_section(kFew));
}

TEST(SimulationSuite, MutantsExceedTheLimitThatTheProcedureKeeps) {
  expect_kept(mutants_section({}));
}

TEST(SimulationSuite, WhatIsWorthHavingLands) {
  expect_kept(power_section(kFew));
}

TEST(SimulationSuite, TwoNoisyCoresTellTenPercentFromNothing) {
  expect_kept(two_cores_section({.experiments = 2000, .scenario = ""}));
}

TEST(SimulationSuite, WeakDesignsAreSeenToBeWeak) {
  expect_kept(designs_section(kFew));
}

TEST(SimulationSuite, AdversariesWithinTheRulesGainNothing) {
  const Table table = adversaries_section(kFew);
  expect_kept(table);
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    EXPECT_EQ(table.rows[1].figures[i]->rate, table.rows[0].figures[i]->rate)
        << "peeking changed an outcome, " << table.columns[i];
  }
}

TEST(SimulationSuite, OursKeepsItsErrorWhereOtherRulesDoNot) {
  const Table table = rules_sections({.experiments = 2000, .scenario = "normal"}).front();
  const auto& figures = table.rows.front().figures;
  EXPECT_LT(figures[5]->rate, 0.019);             // ours
  EXPECT_GT(figures[3]->rate, 0.4);               // best of 5
  EXPECT_GT(figures[2]->rate, figures[5]->rate);  // min > max of three
}

struct Ended {
  int exit_code = -1;
  std::string output;
};

Ended simulate(const std::string& arguments) {
  Ended ended;
  FILE* pipe =
      popen((std::string(ASSAY_BIN) + "/assay-simulate " + arguments + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return ended;
  char buffer[4096];
  for (std::size_t read; (read = fread(buffer, 1, sizeof(buffer), pipe)) > 0;) {
    ended.output.append(buffer, read);
  }
  ended.exit_code = WEXITSTATUS(pclose(pipe));
  return ended;
}

TEST(AssaySimulate, TheSameArgumentsGiveTheSameOutput) {
  const Ended first = simulate("--experiments 100 --scenario slot");
  EXPECT_EQ(first.exit_code, 0) << first.output;
  EXPECT_NE(first.output.find("| slot | "), std::string::npos);
  EXPECT_NE(first.output.find(" 0 broken; 100 experiments per cell\n"), std::string::npos);
  EXPECT_EQ(first.output, simulate("--experiments 100 --scenario slot").output);
}

TEST(AssaySimulate, WrongUsageEndsWithTwo) {
  const Ended unknown = simulate("--scenario noise");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_EQ(unknown.output.substr(0, 52), "assay-simulate: there is no scenario \"noise\"; the su");
  EXPECT_EQ(simulate("--experiments 3").exit_code, 2);
  const Ended unwritable = simulate("--json /no/such/file");
  EXPECT_EQ(unwritable.exit_code, 2);
  EXPECT_EQ(unwritable.output,
            "assay-simulate: /no/such/file: cannot be written; is its folder there?\n");
}

}  // namespace
}  // namespace assay::simulation
