// The first difference of two texts, as a finding says it.
#include "recorder/text_difference.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace assay {
namespace {

const std::string kFromDatabase =
    "; `assay index` writes it from the database, `git checkout -- a.json` restores what was "
    "committed";

TEST(TextDifference, OfADocumentIsALine) {
  EXPECT_EQ(text_difference("a.md", "one\ntwo\n", "one\nthree\n"),
            "a.md:2: is \"two\", should be \"three\"; `assay index` writes it again");
  EXPECT_EQ(text_difference("a.md", "one\n", "one\nthree\n"),
            "a.md:2: is the end of the file, should be \"three\"; `assay index` writes it again");
  EXPECT_EQ(text_difference("a.md", "one", "one\n"),
            "a.md:1: differs in its line ends only; `assay index` writes it again");
}

TEST(TextDifference, OfTextThatIsNoUtf8IsShownAllTheSame) {
  const std::string said = text_difference("a.json", "{\"a\": \"b\"}\n", "{\"a\": \"\xaa\"}\n");
  EXPECT_EQ(said.find("a.json:1: is \"{\"a\": \"b\"}\", the database says "), 0u) << said;
}

TEST(TextDifference, OfJsonInAnotherLayoutIsTheWordThatWasChanged) {
  const nlohmann::json json = {{"at", {1, 2}}, {"body", "a \\\" { \n b"}, {"kind", "look"}};
  nlohmann::json changed = json;
  changed["body"] = "a \\\" { \n c";
  const std::string line = "  \"body\": \"a \\\\\\\" { \\n ";
  EXPECT_EQ(text_difference("a.json", changed.dump(4), json.dump(2)),
            "a.json:6: is \"  " + line + "c\",\", the database says \"" + line + "b\",\"" +
                kFromDatabase);
  EXPECT_EQ(text_difference("a.json", json.dump(), json.dump(2)),
            "a.json:1: says the same in another layout; `assay index` writes it again");
}

TEST(TextDifference, OfJsonASpaceWithinAStringCounts) {
  EXPECT_EQ(
      text_difference("a.json", "{\"a\":\"x y\"}", "{\"a\": \"xy\"}"),
      "a.json:1: is \"{\"a\":\"x y\"}\", the database says \"{\"a\": \"xy\"}\"" + kFromDatabase);
}

}  // namespace
}  // namespace assay
