#include "experiments/yaml_quotes.h"

#include <gtest/gtest.h>

#include "engine/core/error.h"
#include "experiments/yaml_source.h"

namespace assay {
namespace {

TEST(YamlQuotes, AQuoteEndsAtItsOwnKind) {
  EXPECT_EQ(quote_end("\"a'b\" c", 0), 5U);
  EXPECT_EQ(quote_end(R"("a\"b" c)", 0), 6U);
  EXPECT_EQ(quote_end("'a''b' c", 0), 6U);
  EXPECT_EQ(quote_end("'a''", 0), kNoEnd);
  EXPECT_EQ(quote_end("\"a\\\"", 0), kNoEnd);
}

TEST(YamlQuotes, WhatOpensNoQuoteIsLeftAlone) {
  for (const char* text : {
           "a: the cache's 'own' words\n",
           "a: b # don't\nc: \"d\"\n",
           "a: >\n  don't\n\n  \"do\nb: c\n",
           "- |\n  'x\n- y\n",
           "a: \"two\n  lines\"\nb: {c: 'd', e: \"f\"}\n",
           "a: {b: it's, c: d}\n",
           "",
           "]]}}\n",
       }) {
    EXPECT_FALSE(open_quote(text)) << text;
  }
}

TEST(YamlQuotes, TheFirstWithoutAnEndIsFound) {
  const auto never = open_quote("a: b\nc: \"d\ne: f\n");
  ASSERT_TRUE(never);
  EXPECT_EQ(never->offset, 8U);
  EXPECT_FALSE(never->closed);
  const auto swallows = open_quote("a: 'b\nc: {d: 'e', f: 'g'}\n");
  ASSERT_TRUE(swallows);
  EXPECT_EQ(swallows->offset, 3U);
  EXPECT_TRUE(swallows->closed);
}

std::string refusal(const std::string& text) {
  try {
    const YamlSource source(text, "d.yaml");
    return "accepted";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(YamlQuotes, AFileIsRefusedAtTheOpeningQuote) {
  EXPECT_EQ(refusal("slug: a\ntitle: \"Longer\nbar: 5%\n"),
            "d.yaml:2:8: this quote is never closed\ntitle: \"Longer\n       ^");
  EXPECT_EQ(refusal("slug: a\ntitle: 'Longer\nbar: 5%\n"),
            "d.yaml:2:8: this quote is never closed\ntitle: 'Longer\n       ^");
  EXPECT_EQ(refusal("slug: a\ntitle: \"Longer\nbar: {x: \"y\"}\n"),
            "d.yaml:2:8: this quote is not closed before the next one opens\n"
            "title: \"Longer\n       ^");
  EXPECT_EQ(refusal("slug: a\nlist: [\"b, c]\nbar: 5%\n"),
            "d.yaml:2:8: this quote is never closed\nlist: [\"b, c]\n       ^");
}

}  // namespace
}  // namespace assay
