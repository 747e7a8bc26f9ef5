#include "recorder/record_values.h"

#include <gtest/gtest.h>

#include "recorder/correction.h"
#include "recorder/markdown_code.h"
#include "recorder/timed_attempt.h"

namespace assay {
namespace {

using Lines = std::vector<std::string>;

std::vector<RecordValue> values() {
  ExperimentView view;
  view.attempts = {timed_attempt()};
  AttemptView& attempt = view.attempts[0];
  attempt.opened.ordinal = 1;
  attempt.verdict_run = "r1";
  GateResult gate{"ab", "green", "", "", {}, 12.5};
  gate.values = {{"baseline_ms", 110.25}, {"baseline_rate", 446.794}, {"rate_unit", "tok/s"}};
  attempt.gates = {{"r1", "", gate},
                   {"r1", "", {"parity", "green", "", "", {{"cases", 24}, {"worst", "a|b"}}, 0.5}}};
  return record_values(view, std::nullopt);
}

std::string text_of(const std::string& name) {
  for (const RecordValue& value : values()) {
    if (value.name == name) return value.text;
  }
  return "none";
}

TEST(RecordValues, HaveTheUnitsOfTheHouse) {
  EXPECT_EQ(text_of("ab.effect"), "+10.00 %");
  EXPECT_EQ(text_of("ab.low"), "+8.00 %");
  EXPECT_EQ(text_of("ab.pairs"), "8 pairs");
  EXPECT_EQ(text_of("confirmation.effect"), "+9.50 %");
  EXPECT_EQ(text_of("guard0.effect"), "-0.10 %");
  EXPECT_EQ(text_of("bar"), "+5.00 %");
  EXPECT_EQ(text_of("ab.baseline_time"), "110.250 ms");
  EXPECT_EQ(text_of("ab.baseline_rate"), "446.79 tok/s");
  EXPECT_EQ(text_of("ab.seconds"), "12.50 s");
  EXPECT_EQ(text_of("parity.cases"), "24");
  EXPECT_EQ(text_of("attempt1.ab.effect"), "+10.00 %");
  EXPECT_EQ(text_of("verdict"), "LAND");
  EXPECT_EQ(text_of("parity.worst"), "none");  // would act in a table
}

TEST(RecordValues, StandInThePlaceOfTheirNamesOutsideOfCode) {
  EXPECT_EQ(with_values("{{ab.effect}} ({{ ab.low }}), `{{ab.low}}`, {{ab.nothing}} {{", values()),
            "+10.00 % (+8.00 %), `{{ab.low}}`, {{ab.nothing}} {{");
  EXPECT_EQ(with_values("```\n{{bar}}\n```\n{{bar}}", values()), "```\n{{bar}}\n```\n+5.00 %");
}

TEST(RecordValues, AnUnknownNameIsToldWithItsPlaceAndTheNearest) {
  EXPECT_EQ(
      unknown_names("n.md", "one\n\u00e4 {{ab.efect}} {{zzz}} `{{no}}`\n", "tile", values()),
      (Lines{"n.md:2:3: {{ab.efect}} is no value of tile; did you mean `ab.effect`?",
             "n.md:2:16: {{zzz}} is no value of tile; `assay show tile --values` lists them"}));
}

// text, what is said of it ("" for nothing), both without path and place.
struct TypedCase {
  const char* text;
  const char* said;
};

TEST(TypedNumbers, AreRightRoughFarOrClose) {
  const std::string effect =
      " was typed by hand, and ab.effect is +10.00 %: write {{ab.effect}}, or the number that is "
      "meant in other words";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"a gain of 10.00 %", ""},  // as stored
      {"a gain of 10 %", ""},     // rounded
      {"a gain of +10.0 %", ""},  // with its sign
      {"a gain of 10.3 %", "10.3 %" + effect},
      {"a gain of 10.3%", "10.3 %" + effect},
      {"about 10.3 %", ""},      // says itself that it is rough
      {"less than 10.3 %", ""},  //
      {"a gain of 22 %", ""},    // another number
      {"10.3 percent", ""},      // no unit of the list
      {"10.3 ms", ""},           // nothing near in milliseconds
      {"110.4 ms",
       "110.4 ms was typed by hand, and ab.baseline_time is 110.250 ms: write "
       "{{ab.baseline_time}}, or the number that is meant in other words"},
      {"110.25 ms, 446.8 tok/s", ""},  //
      {"over 8 pairs", ""},            //
      {"in 2 pairs", ""},              // the confirmation's
      {"`10.3 %`", ""},                // code
      {"v10.3 % and 1.10.3 %", ""},    // part of a word
      {"8.9 to 9.1 %",
       "9.1 % was typed by hand, and confirmation.effect is +9.50 %: write "
       "{{confirmation.effect}}, or the number that is meant in other words"},
      {"a loss of -10.3 %", ""},     // no result is negative there
      {"{{ab.effect}} of 5 %", ""},  // the bar
  };
  for (const auto& [text, said] : cases) {
    const Lines lines = typed_numbers("n.md", text, values(), {});
    if (said.empty()) {
      EXPECT_EQ(lines, Lines{}) << text;
      continue;
    }
    ASSERT_EQ(lines.size(), 1u) << text;
    EXPECT_EQ(lines[0].substr(lines[0].find(": ") + 2), said) << text;
  }
  EXPECT_EQ(typed_numbers("n.md", "one\n two 10.3 %\n", values(), {})[0].substr(0, 11),
            "n.md:2:6: 1");
}

TEST(TypedNumbers, AValueOfARecordThatIsSpokenOfIsRight) {
  const std::vector<RecordValue> cited{{"ab.effect", "+10.30 %", 10.3, "%", true}};
  EXPECT_EQ(typed_numbers("n.md", "10.3 %", values(), cited), Lines{});
}

TEST(TypedNumbers, LongAndHostileTextEnds) {
  const std::string digits(1 << 20, '7');
  EXPECT_EQ(typed_numbers("n.md", digits + " %", values(), {}), Lines{});
  std::string braces;
  for (int i = 0; i < 200'000; ++i) braces += "{{";
  EXPECT_EQ(with_values(braces, values()), braces);
  std::string close, unknown;
  for (int i = 0; i < 200'000; ++i) {
    close += "10.3%;";
    unknown += "{{x}}";
  }
  EXPECT_EQ(typed_numbers("n.md", close, values(), {}).size(), kMostFaults);
  EXPECT_EQ(unknown_names("n.md", unknown, "t", values()).size(), kMostFaults);
  EXPECT_EQ(unknown_names("n.md", "a" + std::string(1 << 20, '`') + "{{x}}", "t", values()).size(),
            1u);
}

TEST(Corrections, AreOneLineOutAndIn) {
  const Correction correction{"2026-11-30", "lessons", "3 %", "no gain."};
  const std::string line = "2026-11-30 (lessons): it said \"3 %\"; correct is: no gain.";
  EXPECT_EQ(correction_line(correction), line);
  const auto read = corrections_in("free words\n\n" + line + "\n2026-13 (x): it said \"\n");
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].said, "3 %");
  EXPECT_EQ(read[0].correct, "no gain.");
  EXPECT_EQ(with_corrections("a 3 % gain", "lessons", read),
            "a 3 % (corrected 2026-11-30, see Corrections) gain");
  EXPECT_EQ(with_corrections("a 3 % gain", "background", read), "a 3 % gain");
}

TEST(MarkdownCode, SpansAndFences) {
  const std::string text = "a `b` ``c`d`` `e\n~~~\nf\n~~~\ng";
  std::string plain;
  const std::vector<bool> code = code_in(text);
  for (std::size_t i = 0; i < text.size(); ++i) plain += code[i] ? '.' : text[i];
  EXPECT_EQ(plain, "a ... ....... `e\n...\n.\n...\ng");
}

}  // namespace
}  // namespace assay
