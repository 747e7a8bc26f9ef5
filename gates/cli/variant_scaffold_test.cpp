// Scaffolding in a copy of the real kernels: the text that comes out, and what is refused.
#include "gates/cli/variant_scaffold.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "engine/core/error.h"
#include "experiments/definition.h"
#include "gates/cli/driven_program.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

class Scaffold : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::copy(std::string(ASSAY_SOURCE_ROOT) + "/kernels", workspace.path("kernels"),
             fs::copy_options::recursive);
  }
  std::string text(const std::string& path) const { return read_text(workspace.path(path)); }
  std::string refusal(const std::string& id, const std::string& from) const {
    const Finished done = workspace.assay({"new", "variant", id, "--from", from});
    EXPECT_EQ(done.code, 2) << done.out;
    return done.err;
  }
  TestWorkspace workspace;
};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST_F(Scaffold, NewMechanismIsACopyUnderItsOwnName) {
  const Finished done =
      workspace.assay({"new", "variant", "rope.cpu.two_rows", "--from", "rope.cpu.portable"});
  ASSERT_EQ(done.code, 0) << done.err;
  const std::string file = text("kernels/rope/cpu_two_rows.cpp");
  EXPECT_EQ(count(file, "ASSAY_VARIANT("), 1u);
  EXPECT_NE(
      file.find("ASSAY_VARIANT(rope_cpu_two_rows, assay::RopeArgs, assay::rope_two_rows::rope);"),
      std::string::npos)
      << file;
  EXPECT_NE(file.find("namespace assay::rope_two_rows {"), std::string::npos);
  EXPECT_EQ(file.find("rope_portable"), std::string::npos);
  EXPECT_NE(text("kernels/cpu_sources.cmake")
                .find("  rope/cpu_two_rows.cpp\n  # assay new variant adds portable"),
            std::string::npos);
  EXPECT_NE(text("kernels/registry_cpu_portable.inc")
                .find("ASSAY_LINKED(rope_cpu_two_rows)\n// assay new variant"),
            std::string::npos);
  const std::string infos = text("kernels/rope/variants.cpp");
  for (const char* part :
       {"\"rope.cpu.two_rows\"", "\"rope_cpu_two_rows\"", "\"kernels/rope/cpu_two_rows.cpp\"",
        "\"copied from rope.cpu.portable: say here what it does\""}) {
    EXPECT_EQ(count(infos, part), 1u) << part;
  }
  EXPECT_LT(infos.find("\"rope.cpu.two_rows\""), infos.find("// assay new variant"));
}

TEST_F(Scaffold, OtherPointsOfTheMechanismStayBehind) {
  const Finished done =
      workspace.assay({"new", "variant", "attention_prefill.cpu.avx2_twin[tkv=64]", "--from",
                       "attention_prefill.cpu.avx2[tkv=64]"});
  ASSERT_EQ(done.code, 0) << done.err;
  const std::string file = text("kernels/attention_prefill/cpu_avx2_twin.cpp");
  EXPECT_EQ(count(file, "ASSAY_VARIANT("), 1u);
  EXPECT_EQ(count(file, "ASSAY_VARIANT(attention_prefill_cpu_avx2_twin_tkv64,"), 1u) << file;
  EXPECT_NE(text("kernels/registry_cpu_x86.inc")
                .find("ASSAY_LINKED(attention_prefill_cpu_avx2_twin_tkv64)\n"),
            std::string::npos);
}

TEST_F(Scaffold, NewPointOfAMechanismAddsALineToItsFile) {
  const std::string before = text("kernels/matmul/cpu_portable_q4k.cpp");
  const Finished done = workspace.assay({"new", "variant", "matmul_q4k.cpu.portable[tokens=3]",
                                         "--from", "matmul_q4k.cpu.portable[tokens=4]"});
  ASSERT_EQ(done.code, 0) << done.err;
  const std::string after = text("kernels/matmul/cpu_portable_q4k.cpp");
  const std::string line =
      "ASSAY_VARIANT(matmul_q4k_cpu_portable_tokens3, assay::MatmulArgs, "
      "assay::matmul_q4k_portable<3>);\n";
  EXPECT_EQ(after.size(), before.size() + line.size());
  EXPECT_NE(after.find(line), std::string::npos) << after;
  EXPECT_EQ(text("kernels/cpu_sources.cmake"),
            read_text(std::string(ASSAY_SOURCE_ROOT) + "/kernels/cpu_sources.cmake"));
  EXPECT_NE(text("experiments/definitions/matmul-q4k-cpu-portable-tokens3.yaml")
                .find("lever: matmul_q4k.tokens\n"),
            std::string::npos);
}

TEST_F(Scaffold, DefinitionWaitsForAHypothesis) {
  ASSERT_EQ(
      workspace.assay({"new", "variant", "rope.cpu.two_rows", "--from", "rope.cpu.portable"}).code,
      0);
  const std::string file = "experiments/definitions/rope-cpu-two-rows.yaml";
  const Finished done = workspace.assay({"propose", file});
  EXPECT_EQ(done.code, 2);
  EXPECT_NE(done.err.find("hypothesis"), std::string::npos) << done.err;
  // With a hypothesis, and a variant that this build knows, the rest of it is a valid definition.
  std::string complete = text(file);
  const std::string empty = "hypothesis:                 # TO BE WRITTEN: why should it be faster?";
  const std::size_t at = complete.find(empty);
  ASSERT_NE(at, std::string::npos);
  complete.replace(at, empty.size(), "hypothesis: two rows share a load");
  const std::size_t candidate = complete.find("\"rope.cpu.two_rows\"}");
  ASSERT_NE(candidate, std::string::npos);
  complete.replace(candidate, 19, "\"rope.cpu.portable\"");
  const Definition definition = parse_definition(complete, file);
  EXPECT_EQ(definition.slug, "rope-cpu-two-rows");
  EXPECT_EQ(definition.bar, 0.05);
}

TEST_F(Scaffold, RefusalsWriteNothing) {
  EXPECT_EQ(refusal("rope.cpu.portable", "rope.cpu.portable"),
            "assay: rope.cpu.portable: exists already; choose another mechanism or value\n");
  EXPECT_EQ(
      refusal("rope.cpu.x", "rope.cpu.portabel"),
      "assay: --from rope.cpu.portabel: no such variant; did you mean `rope.cpu.portable`?\n");
  EXPECT_EQ(
      refusal("rope", "rope.cpu.portable"),
      "assay: rope: not a variant's id; it has the form op.backend.mechanism[key=value,...], as "
      "rope.cpu.portable has\n");
  EXPECT_EQ(refusal("swiglu.cpu.x", "rope.cpu.portable"),
            "assay: swiglu.cpu.x starts from rope.cpu.portable: op and backend must be the same "
            "(rope.cpu)\n");
  EXPECT_EQ(
      refusal("rope.cpu.pairs", "rope.cpu.avx2"),
      "assay: rope.cpu.avx2 uses more than plain C++, and a file's name says which instructions "
      "it may use: begin the mechanism with avx2, as avx2_pairs\n");
  write_text(workspace.path("kernels/rope/cpu_mine.cpp"), "mine\n");
  EXPECT_EQ(refusal("rope.cpu.mine", "rope.cpu.portable"),
            "assay: kernels/rope/cpu_mine.cpp: exists already; nothing was written\n");
  EXPECT_EQ(text("kernels/rope/cpu_mine.cpp"), "mine\n");
  for (const char* list : {"kernels/cpu_sources.cmake", "kernels/registry_cpu_portable.inc",
                           "kernels/rope/variants.cpp"}) {
    EXPECT_EQ(text(list), read_text(std::string(ASSAY_SOURCE_ROOT) + "/" + list)) << list;
  }
  EXPECT_FALSE(fs::exists(workspace.path("experiments/definitions")));
}

TEST_F(Scaffold, AMissingMarkerIsNamedAndNothingIsWritten) {
  write_text(workspace.path("kernels/registry_cpu_portable.inc"), "// nothing\n");
  EXPECT_EQ(refusal("rope.cpu.two_rows", "rope.cpu.portable"),
            "assay: kernels/registry_cpu_portable.inc: the comment `assay new variant` is gone, so "
            "there is no place for the new line: put it back at the end of the list\n");
  EXPECT_FALSE(fs::exists(workspace.path("kernels/rope/cpu_two_rows.cpp")));
}

TEST(ScaffoldPlace, AWorkspaceWithoutKernelsIsRefused) {
  const TestWorkspace workspace;
  const Finished done =
      workspace.assay({"new", "variant", "rope.cpu.two_rows", "--from", "rope.cpu.portable"});
  EXPECT_EQ(done.code, 2);
  EXPECT_NE(done.err.find("this workspace holds no kernels/"), std::string::npos) << done.err;
}

}  // namespace
}  // namespace assay
