#include "experiments/historical.h"

#include <gtest/gtest.h>

#include "engine/core/error.h"

namespace assay {
namespace {

const char* const kRevert =
    "id: hist-7\n"
    "slug: four-warps\n"
    "title: Four warps\n"
    "levers: attention_decode.mechanism\n"
    "op: attention_decode\n"
    "class: reorder\n"
    "verdict: REVERT\n"
    "reason: no-gain\n"
    "device: NVIDIA X1\n"
    "date: 2026-09-07\n"
    "asked: Is it faster?\n"
    "found: It is not.\n"
    "effects: [{what: kernel, before: 21.1, after: 34.7, unit: us, change: \"+64 %\"}]\n"
    "veto: Idle lanes.\n"
    "retry_when: Lanes are full.\n"
    "lessons: [Count rows first.]\n"
    "meets: {op: attention_decode, changes: [mechanism]}\n";

std::string without(std::string text, const std::string& part, const std::string& by = "") {
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), by);
}

std::string refusal(const std::string& text) {
  try {
    parse_historical(text, "hist-7.yaml");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "accepted";
}

TEST(Historical, ReadsAnEntry) {
  const HistoricalEntry entry = parse_historical(kRevert, "hist-7.yaml");
  EXPECT_EQ(entry.stem(), "hist-7-four-warps");
  EXPECT_EQ(historical_origin(entry), "from another GPU (NVIDIA X1), not measured here");
  ASSERT_EQ(entry.effects.size(), 1u);
  EXPECT_EQ(entry.effects[0].after, 34.7);
  EXPECT_EQ(entry.lever_class, LeverClass::kReorder);
  EXPECT_EQ(entry.retry_when, "Lanes are full.");
  ASSERT_TRUE(entry.meets);
  EXPECT_EQ(entry.meets->describe(), "op attention_decode, changes mechanism");
  EXPECT_EQ(historical_json(entry).at("historical"), true);
}

TEST(Historical, MistakesShowTheirPlace) {
  EXPECT_EQ(refusal(without(kRevert, "hist-7", "0007")),
            "hist-7.yaml:1:5: `id` is `0007`; historical entries are called hist-1, hist-2, ...\n"
            "id: 0007\n"
            "    ^");
  EXPECT_EQ(refusal(without(kRevert, "veto: Idle lanes.\n")),
            "hist-7.yaml:1:1: a historical entry needs the key `veto`\n"
            "id: hist-7\n"
            "^");
  EXPECT_EQ(refusal(without(kRevert, "verdict: REVERT", "verdict: LAND")),
            "hist-7.yaml:8:1: `reason` belongs to a REVERT\n"
            "reason: no-gain\n"
            "^");
  EXPECT_EQ(refusal(without(kRevert, "before: 21.1", "before: fast")),
            "hist-7.yaml:13:34: `before` must be a number, not `fast`\n"
            "effects: [{what: kernel, before: fast, after: 34.7, unit: us, change: \"+64 %\"}]\n"
            "                                 ^");
  EXPECT_EQ(refusal(without(kRevert, "2026-09-07", "yesterday")),
            "hist-7.yaml:10:7: `date` is `yesterday`; write it as 2026-01-31\n"
            "date: yesterday\n"
            "      ^");
}

TEST(Historical, TheProjectHasThreeAndTheyAreFoundByIdAndStem) {
  const HistoricalEntries read = read_historical(ASSAY_SOURCE_ROOT);
  EXPECT_EQ(read.faults, std::vector<std::string>());
  ASSERT_EQ(read.entries.size(), 3u);
  EXPECT_EQ(read.entries[0].id, "hist-42");
  EXPECT_EQ(read.entries[1].id, "hist-60");
  EXPECT_EQ(read.entries[2].id, "hist-68");
  EXPECT_EQ(find_historical(read.entries, "hist-60"), &read.entries[1]);
  EXPECT_EQ(find_historical(read.entries, read.entries[2].stem()), &read.entries[2]);
  EXPECT_EQ(find_historical(read.entries, "hist-6"), nullptr);
  EXPECT_TRUE(read_historical("/nowhere").entries.empty());
}

}  // namespace
}  // namespace assay
