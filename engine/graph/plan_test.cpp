#include "engine/graph/plan.h"

#include <gtest/gtest.h>

#include "engine/core/error.h"

namespace assay {
namespace {

// A graph of three ops is enough: plans count, whatever the ops compute.
Graph small_graph() {
  Graph graph;
  graph.prefill = {{.op = "matmul"}, {.op = "rope"}, {.op = "rope"}};
  graph.decode = {{.op = "matvec"}, {.op = "rope"}};
  graph.output = {{.op = "matvec"}};
  return graph;
}

ServiceSelection small_service() {
  return {{"matmul", {{.key = "", .variant = "matmul.cpu.a"}}},
          {"rope", {{.key = "", .variant = "rope.cpu.a"}}},
          {"matvec",
           {{.key = "nkv", .low = 1, .high = 4, .variant = "matvec.cpu.near"},
            {.key = "nkv", .low = 5, .variant = "matvec.cpu.far"}}}};
}

TEST(Plan, ChunksCoverThePromptInOrder) {
  const std::vector<Chunk> chunks = chunks_of(10, 4);
  ASSERT_EQ(chunks.size(), 3u);
  EXPECT_EQ(chunks[0].first, 0);
  EXPECT_EQ(chunks[0].t, 4);
  EXPECT_EQ(chunks[1].first, 4);
  EXPECT_EQ(chunks[1].t, 4);
  EXPECT_EQ(chunks[2].first, 8);
  EXPECT_EQ(chunks[2].t, 2);
}

TEST(Plan, ChunkZeroMeansTheLongest) {
  const std::vector<Chunk> chunks = chunks_of(513, 0);
  ASSERT_EQ(chunks.size(), 2u);
  EXPECT_EQ(chunks[0].t, 512);
  EXPECT_EQ(chunks[1].t, 1);
}

TEST(Plan, AChunkRunsThePrefillListOnceAndTheLastRowTheOutputList) {
  const LaunchPlan plan = plan_launches(small_graph(), small_service(),
                                        {.prompt = 4, .chunk = 3, .all_rows = false, .steps = 0});
  EXPECT_EQ(plan.prefill,
            (LaunchCounts{{"matmul.cpu.a", 2}, {"rope.cpu.a", 4}, {"matvec.cpu.near", 1}}));
  EXPECT_TRUE(plan.decode.empty());
}

TEST(Plan, AllRowsRunTheOutputListAndAreSelectedByTheirOwnPosition) {
  const LaunchPlan plan = plan_launches(small_graph(), small_service(),
                                        {.prompt = 6, .chunk = 0, .all_rows = true, .steps = 0});
  EXPECT_EQ(
      plan.prefill,
      (LaunchCounts{
          {"matmul.cpu.a", 1}, {"rope.cpu.a", 2}, {"matvec.cpu.near", 4}, {"matvec.cpu.far", 2}}));
}

TEST(Plan, StepsAreSelectedByThePositionsThatTheyRead) {
  const LaunchPlan plan = plan_launches(small_graph(), small_service(),
                                        {.prompt = 2, .chunk = 0, .all_rows = false, .steps = 3});
  // nkv 3, 4, 5; two matvecs each.
  EXPECT_EQ(plan.decode,
            (LaunchCounts{{"matvec.cpu.near", 4}, {"matvec.cpu.far", 2}, {"rope.cpu.a", 3}}));
}

TEST(Plan, AProblemThatNoRowServesIsNamed) {
  ServiceSelection service = small_service();
  service["matvec"].pop_back();
  try {
    plan_launches(small_graph(), service, {.prompt = 4, .chunk = 0, .all_rows = false, .steps = 1});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "service map: no row of matvec serves t=1, nkv=5; add one");
  }
}

}  // namespace
}  // namespace assay
