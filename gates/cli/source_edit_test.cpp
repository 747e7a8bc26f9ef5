#include "gates/cli/source_edit.h"

#include <gtest/gtest.h>

#include "engine/core/error.h"

namespace assay {
namespace {

VariantName name_of(const std::string& id) {
  return *parse_variant_id(id);
}

TEST(SourceEdit, VariantLinesAreReadOverLineBreaksAndNotFromComments) {
  const std::string text =
      "// ASSAY_VARIANT(not, one, at_all);\n"
      "ASSAY_VARIANT(a_cpu_x, assay::AArgs, assay::a_x::run);\n"
      "ASSAY_VARIANT(a_cpu_x_tkv64, assay::AArgs,\n              assay::a_x::run<64, 2>);\n";
  const std::vector<VariantLine> lines = variant_lines(text);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].symbol, "a_cpu_x");
  EXPECT_EQ(lines[0].function, "assay::a_x::run");
  EXPECT_EQ(lines[1].arguments, "assay::AArgs");
  EXPECT_EQ(lines[1].function, "assay::a_x::run<64, 2>");
  EXPECT_EQ(to_string(lines[0]), "ASSAY_VARIANT(a_cpu_x, assay::AArgs, assay::a_x::run);");
}

TEST(SourceEdit, TemplateArgumentsFollowTheParameters) {
  const VariantName from = name_of("a.cpu.x[tq=64,tkv=32]");
  EXPECT_EQ(with_parameters("run<64, 32>", from, name_of("a.cpu.x[tq=64,tkv=128]")),
            "run<64, 128>");
  EXPECT_EQ(with_parameters("run", from, from), "run");
  EXPECT_EQ(with_parameters("run", from, name_of("a.cpu.x[tq=64,tkv=16]")), std::nullopt);
  EXPECT_EQ(with_parameters("run<64>", from, name_of("a.cpu.x[tq=64,tkv=16]")), std::nullopt);
  EXPECT_EQ(with_parameters("run<32, 64>", from, name_of("a.cpu.x[tq=64,tkv=16]")), std::nullopt);
  EXPECT_EQ(with_parameters("run<64, 32>", from, name_of("a.cpu.x[tkv=32,tq=16]")), std::nullopt);
}

TEST(SourceEdit, NamespaceIsRenamedAsAWord) {
  EXPECT_EQ(with_namespace("namespace assay::rope_portable {\n// rope_portable_not\n}\n"
                           "f(assay::rope_portable::run);\n",
                           "portable", "pairs"),
            "namespace assay::rope_pairs {\n// rope_portable_not\n}\nf(assay::rope_pairs::run);\n");
  EXPECT_EQ(with_namespace("namespace assay {\n}\n", "portable", "pairs"),
            "namespace assay {\n}\n");
  EXPECT_EQ(with_namespace("namespace assay::kernel {}", "portable", "pairs"),
            "namespace assay::kernel_pairs {}");
}

TEST(SourceEdit, EntryEndsAtItsOwnBrace) {
  std::size_t at = 0;
  const std::string text = "  {\"a.b.c\", \"s\", {}, \"with } in it\"},\n  {\"d\"}";
  EXPECT_EQ(info_entry(text, "a.b.c", "v.cpp", &at), "{\"a.b.c\", \"s\", {}, \"with } in it\"}");
  EXPECT_EQ(at, 2u);
  EXPECT_THROW(info_entry(text, "a.b", "v.cpp", &at), Error);
}

TEST(SourceEdit, LinesGoAboveTheMarkerThatFollows) {
  EXPECT_EQ(inserted_above("x\n  // mark\ny\n  // mark\n", "mark", 12, "new\n", "f"),
            "x\n  // mark\ny\nnew\n  // mark\n");
  try {
    inserted_above("x\n", "mark", 0, "new\n", "kernels/list.inc");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "kernels/list.inc: the comment `mark` is gone, so there is no place for the new line: "
        "put it back at the end of the list");
  }
}

}  // namespace
}  // namespace assay
