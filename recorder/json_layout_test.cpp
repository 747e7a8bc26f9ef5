// The layout against the library's own.
#include "recorder/json_layout.h"

#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

namespace assay {
namespace {

using Json = nlohmann::json;

TEST(JsonLayout, IsTheLibrarysInPiecesAndWhole) {
  const std::string text =
      R"({"a":[],"b":{},"c":[1,-2.5,"x,{}[]: \" y"],"d":{"e":null,"f":[[],[{}],[true,false]],"g":["z",7]}})";
  const std::string want = Json::parse(text).dump(2);
  JsonLayout whole;
  whole.add(text);
  EXPECT_EQ(whole.text(), want);
  // At each bracket, comma and colon outside of the string, empty objects between pieces included.
  JsonLayout pieces;
  const std::size_t string = text.find("\"x"), end = text.find(" y\"") + 3;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t next = i == string ? end : i + 1;
    if (i != string && text[i] == '"') next = text.find('"', i + 1) + 1;
    while (i != string && next < text.size() && std::isalnum(text[next]) != 0) ++next;
    if (text[i] == '-' || std::isdigit(text[i]) != 0) {
      next = text.find_first_of(",]}", i);
    }
    pieces.add(text.substr(i, next - i));
    i = next;
  }
  EXPECT_EQ(pieces.text(), want);
  JsonLayout blanks;
  blanks.add(want);
  EXPECT_EQ(blanks.text(), want);
}

TEST(JsonLayout, LaysOutLongRunsOfNumbers) {
  Json numbers = Json::array();
  for (int i = 0; i < 3000; ++i) numbers.push_back(i * 123'456'789LL);
  const std::string compact = numbers.dump();
  JsonLayout layout;
  EXPECT_TRUE(layout.add_whole(compact));
  EXPECT_EQ(layout.text(), numbers.dump(2));
  for (const auto shape : {JsonLayout::Shape::kIndented, JsonLayout::Shape::kLine}) {
    JsonLayout words;  // no JSON, but long
    EXPECT_TRUE(words.add_whole("[" + std::string(1000, '7') + "," + std::string(255, '8') + "," +
                                    std::string(256, '9') + "]",
                                shape));
    const bool line = shape == JsonLayout::Shape::kLine;
    const std::string between = line ? ", " : ",\n  ";
    EXPECT_EQ(words.text(), (line ? "[" : "[\n  ") + std::string(1000, '7') + between +
                                std::string(255, '8') + between + std::string(256, '9') +
                                (line ? "]" : "\n]"));
  }
}

TEST(JsonLayout, PutsABodyOnOneLine) {
  JsonLayout layout;
  layout.add(R"({"a":)");
  EXPECT_TRUE(
      layout.add_whole(R"({"b":[1,-2.5,{}],"c":{"d":"e, [f]","g":[]}})", JsonLayout::Shape::kLine));
  layout.add(R"(,"h":[1]})");
  EXPECT_EQ(layout.text(),
            "{\n  \"a\": {\"b\": [1, -2.5, {}], \"c\": {\"d\": \"e, [f]\", \"g\": []}},\n"
            "  \"h\": [\n    1\n  ]\n}");
}

// Numbers of every form and length, words, strings with escapes near to and far from their ends.
Json drawn(std::mt19937& random, int depth) {
  const auto below = [&](std::uint32_t most) { return random() % most; };
  switch (below(depth > 3 ? 6 : 8)) {
    case 0:
      return static_cast<std::int64_t>(random()) * (below(2) == 0 ? -1 : 1) >> below(30);
    case 1:
      return std::ldexp(static_cast<double>(random()), static_cast<int>(below(200)) - 100);
    case 2:
      return below(2) == 0 ? Json(true) : Json(nullptr);
    case 3:
      return Json(std::string(below(60), 'x') + "\\\" , :" + std::string(below(60), 'y'));
    case 4:
      return Json(std::string(below(30), '"'));
    case 6: {
      Json object = Json::object();
      for (std::uint32_t i = below(6); i > 0; --i) {
        object["k" + std::to_string(below(1000))] = drawn(random, depth + 1);
      }
      return object;
    }
    default: {
      Json array = Json::array();
      for (std::uint32_t i = depth > 3 ? 0 : below(40); i > 0; --i) {
        array.push_back(drawn(random, depth + 1));
      }
      return array;
    }
  }
}

// The text without what a layout puts between its parts.
std::string compact(std::string_view text) {
  std::string out;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!in_string && (text[i] == ' ' || text[i] == '\n')) continue;
    out += text[i];
    if (text[i] == '"') in_string = !in_string;
    if (text[i] == '\\') out += text[++i];
  }
  return out;
}

TEST(JsonLayout, KeepsEveryCharacterOfWhatItLaysOut) {
  std::mt19937 random(20261130);
  for (int i = 0; i < 300; ++i) {
    const Json drawn_one = Json::array({drawn(random, 0), drawn(random, 0)});
    const std::string text = drawn_one.dump();
    JsonLayout indented, line;
    ASSERT_TRUE(indented.add_whole(text));
    ASSERT_EQ(indented.text(), drawn_one.dump(2));
    ASSERT_TRUE(line.add_whole(text, JsonLayout::Shape::kLine));
    ASSERT_EQ(Json::parse(line.text()), drawn_one);
    ASSERT_EQ(compact(line.text()), text);
    ASSERT_EQ(line.text().find('\n'), std::string_view::npos);
  }
}

TEST(JsonLayout, QuotesAsTheLibraryDoes) {
  for (const char* text :
       {"", "2026-11-29T20:15:04.123Z", "a\"b", "a\\b", "\x7f", "\t", "\u00e9"}) {
    EXPECT_EQ(json_quoted(text), Json(text).dump()) << text;
    JsonLayout layout;
    layout.add("{");
    layout.add_quoted(text);
    layout.add(":");
    layout.add_quoted(text);
    layout.add("}");
    EXPECT_EQ(layout.text(), Json({{text, text}}).dump(2)) << text;
  }
  EXPECT_THROW(json_quoted("\xff"), Json::exception);
}

TEST(JsonLayout, TakesOneObjectOrArrayWhereItIsToBeWhole) {
  const auto takes = [](const std::string& text) {
    JsonLayout layout;
    layout.add("{\"body\":[");
    return layout.add_whole(text);
  };
  for (const char* text : {"{}", "[]", R"({"a":"}"})", "[{}]"}) EXPECT_TRUE(takes(text)) << text;
  for (const char* text : {"", "1", "{", "}", "{]", "{}{}", "{}1", "\"a\"", "{\"a}", "[}", "][",
                           "[]]", "{}]}", "[],[]", "[] "}) {
    EXPECT_FALSE(takes(text)) << text;
  }
}

TEST(JsonLayout, GoesOnBehindAWholeBody) {
  JsonLayout layout;
  layout.add("{\"a\":");
  EXPECT_TRUE(layout.add_whole("[1]"));
  layout.add(",\"b\":");
  EXPECT_TRUE(layout.add_whole("{\"c\":\"" + std::string(100'000, 'x') + "\"}"));
  layout.add("}");
  EXPECT_EQ(layout.text(), Json({{"a", {1}}, {"b", {{"c", std::string(100'000, 'x')}}}}).dump(2));
}

}  // namespace
}  // namespace assay
