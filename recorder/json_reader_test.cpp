// The quick reader and the quick layout against the library's own.
#include "recorder/json_reader.h"

#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <vector>

#include "recorder/json_layout.h"

namespace assay {
namespace {

using Json = nlohmann::json;

// The value with the type of each number; or what is thrown.
std::string told(const std::string& text, Json (*read)(const std::string&)) {
  try {
    const Json value = read(text);
    const Json flat = value.flatten();
    std::string types;
    for (const auto& [path, part] : flat.items()) {
      types += path + "=" + std::to_string(static_cast<int>(part.type())) + " ";
    }
    return value.dump() + " " + std::to_string(static_cast<int>(value.type())) + " " + types;
  } catch (const Json::exception& exception) {
    return exception.what();
  }
}

Json library(const std::string& text) {
  return Json::parse(text);
}

TEST(JsonReader, GivesWhatTheLibraryGives) {
  const std::string deep(200, '[');
  for (
      const std::string& text : std::vector<std::string>{
          R"({"a":[1,-2,0,-0,3.5,-1e-9,1E+2,683.2760000000001],"b":{"c":null,"d":true},"e":false})",
          R"({"b":1,"a":2})",
          R"({"a":1,"a":2})",
          R"({"a": 1})",
          "[]",
          "{}",
          "[[],{}]",
          R"("x")",
          R"(["\"\\\/\b\f\n\r\t","é","\u00e9\ud83d\ude00"])",
          "[\"\x7f\"]",
          "[\"a\nb\"]",
          "[18446744073709551615,18446744073709551616,-9223372036854775808,-9223372036854775809]",
          "[1e400]",
          "[1e-400]",
          "[01]",
          "[1.]",
          "[.5]",
          "[-]",
          "[+1]",
          "[1e]",
          "[nul]",
          "[1,]",
          "[1",
          "{\"a\"}",
          "{\"a\":1",
          "[1]x",
          "[\"",
          "[\"\\",
          "[\"\\x\"]",
          "[\"\xff\"]",
          "",
          " ",
          "nan",
          deep,
          deep + std::string(200, ']'),
          "[0.1,5e-324,1.7976931348623157e308]"}) {
    EXPECT_EQ(told(text, read_json), told(text, library)) << text;
  }
}

TEST(JsonLayout, IsTheLibrarysInPiecesAndWhole) {
  const std::string text =
      R"({"a":[],"b":{},"c":[1,-2.5,"x,{}[]: \" y"],"d":{"e":null,"f":[[],[{}],[true,false]]}})";
  const std::string want = Json::parse(text).dump(2);
  JsonLayout whole;
  whole.add(text);
  EXPECT_EQ(whole.take(), want);
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
  EXPECT_EQ(pieces.take(), want);
  JsonLayout blanks;
  blanks.add(want);
  EXPECT_EQ(blanks.take(), want);
}

TEST(JsonLayout, TakesOneObjectOrArrayOnly) {
  for (const char* text : {"{}", "[]", R"({"a":"}"})", "[{}]"}) EXPECT_TRUE(is_laid_out(text));
  for (const char* text : {"", "1", "{", "}", "{]", "{}{}", "{}1", "\"a\"", "{\"a}", "[}", "]["}) {
    EXPECT_FALSE(is_laid_out(text)) << text;
  }
}

}  // namespace
}  // namespace assay
