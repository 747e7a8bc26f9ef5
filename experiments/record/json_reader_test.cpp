// The quick reader against the library's own.
#include "experiments/record/json_reader.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/error.h"

namespace assay {
namespace {

using Json = nlohmann::json;

// The value with the type of each number; or what is thrown.
std::string told(const std::string& text, Json (*read)(std::string_view)) {
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

Json library(std::string_view text) {
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

// Two segments, with keys that are known, in order.
const std::string kSample =
    R"({"dropped":"","environment":"e\"1","labels":"AB","ordinal":3,"runner_ns":[1,22],"stage":"ab",)"
    R"("telemetry":{"before":{"load_average":0.5}},"worker_ns":[10,-20]})";

Event event_of(const std::string& text) {
  Event event;
  event.run = "r";
  event.kind = EventKind::kSample;
  event.stored_sample = text;
  return event;
}

TEST(JsonReader, ReadsASampleAsTheLibraryDoes) {
  for (const std::string& text : std::vector<std::string>{
           kSample, "{}", R"({"labels":"AB"})", R"({"worker_ns":[1.5,2]})", R"({"ordinal":-1})",
           R"({"a":1,"labels":"AB","z":[{}]})", R"({"labels":"AB","dropped":"x"})",
           R"({"runner_ns":[]})", R"({ "labels" : "AB" })", R"({"labels":"\u00e9"})"}) {
    const PairSample want = library(text).get<PairSample>();
    EXPECT_EQ(Json(read_sample(text)), Json(want)) << text;
    EXPECT_EQ(Json(sample_of(event_of(text))), Json(want)) << text;
  }
  EXPECT_EQ(read_sample(kSample).worker_ns, (std::vector<std::int64_t>{10, -20}));
  EXPECT_EQ(read_sample(kSample).telemetry["before"]["load_average"], 0.5);
}

TEST(JsonReader, RefusesWhatIsNoSample) {
  for (const std::string& text : std::vector<std::string>{
           "", "[]", "7", "{", kSample + "x", kSample.substr(0, 60), R"({"labels":7})",
           R"({"worker_ns":["a"]})", R"({"worker_ns":[1,]})"}) {
    EXPECT_THROW(read_sample(text), Json::exception) << text;
    const std::string stored = text.empty() ? " " : text;
    EXPECT_THROW(sample_of(event_of(stored)), Error) << text;
  }
}

}  // namespace
}  // namespace assay
