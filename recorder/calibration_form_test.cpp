// A/A effects as text: what one machine measured counts on the next.
#include "recorder/calibration_form.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "engine/core/error.h"
#include "recorder/document.h"
#include "recorder/played_history.h"

namespace assay {
namespace {

class Calibrations : public testing::Test {
 protected:
  Calibrations() : here(folder.path() + "/here.db"), there(folder.path() + "/there.db") {
    first = play_calibration(there, "gpu/embedded");
    second = play_calibration(there, "cpu/embedded");
  }
  std::string refusal(const std::string& text) {
    try {
      import_calibrations(here, text);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kCheckFound);
      EXPECT_TRUE(here.aa_effects().empty());
      return error.what();
    }
    return "imported";
  }
  // Their text with a part in it replaced.
  std::string edited(const std::string& part, const std::string& by) const {
    std::string text = export_calibrations(there);
    const std::size_t at = text.find(part);
    EXPECT_NE(at, std::string::npos) << part;
    return text.replace(at, part.size(), by);
  }

  TemporaryFolder folder;
  Store here, there;
  AaEffect first, second;
};

TEST_F(Calibrations, CountWhereTheyAreBrought) {
  const std::string text = export_calibrations(there);
  EXPECT_EQ(import_calibrations(here, text), 2);
  EXPECT_EQ(import_calibrations(here, text), 0);
  EXPECT_EQ(export_calibrations(here), text);
  const std::vector<AaEffect> effects = here.aa_history("gpu/embedded", "2026-11-01");
  ASSERT_EQ(effects.size(), 1U);
  EXPECT_EQ(nlohmann::json(effects[0]), nlohmann::json(first));
  EXPECT_EQ(import_calibrations(there, text), 0) << "its own";
}

TEST_F(Calibrations, AnEffectWithOtherValuesIsRefused) {
  ASSERT_EQ(import_calibrations(here, export_calibrations(there)), 2);
  const std::string text = edited("0.002", "0.003");
  try {
    import_calibrations(here, text);
    FAIL() << "must throw";
  } catch (const Error& error) {
    const std::string id = std::min(first.id, second.id);  // they are of the same time
    EXPECT_EQ(std::string(error.what()), "6: A/A effect " + id + ": is in the database " +
                                             folder.path() + "/here.db with other values");
  }
}

TEST_F(Calibrations, IncompleteTextLeavesNothing) {
  const std::string id = std::max(first.id, second.id);
  EXPECT_EQ(refusal(edited("assay-calibrations", "assay-record")), "1: not calibrations of Assay");
  EXPECT_EQ(refusal(edited("\"version\": 1", "\"version\": 2")).substr(4),
            "version 2 of the form, this program reads 1; update it");
  EXPECT_EQ(refusal(edited("\"id\": \"" + id + "\"", "\"id\": 7")),
            "1: a part is missing or of the wrong type");
  EXPECT_EQ(refusal(edited("\"pair_values\": [", "\"pair_values\": [\"x\", ")),
            "6: a part is missing or of the wrong type in effect " + std::min(first.id, second.id));
  EXPECT_EQ(refusal("{"), "1: not JSON: cut off, edited, or with a merge conflict in it");
}

TEST_F(Calibrations, AnEffectThatNobodyMeasuredIsRefused) {
  const auto refused = [&](const nlohmann::json& change) {
    nlohmann::json text = nlohmann::json::parse(export_calibrations(there));
    text["effects"][0].update({{"id", "e1"}});
    text["effects"][0].update(change);
    const std::string said = refusal(text.dump());
    EXPECT_EQ(said.substr(0, 3), "1: ") << said;
    return said.substr(3);
  };
  EXPECT_EQ(refused({{"at", "yesterday"}}),
            "A/A effect e1: its time is \"yesterday\", which is none");
  EXPECT_EQ(refused({{"at", "9999-99-99T00:00:00.000Z"}}),
            "A/A effect e1: its time is \"9999-99-99T00:00:00.000Z\", which is none");
  EXPECT_EQ(refused({{"id", "\x1b[31m"}}),
            "A/A effect \\x1b[31m: its id is no name: empty, too long, or with control characters");
  EXPECT_EQ(refused({{"host", "\x1b[2J"}}),
            "A/A effect e1: its host is no name: empty, too long, or with control characters");
  EXPECT_EQ(refused({{"key", ""}}),
            "A/A effect e1: its key is no name: empty, too long, or with control characters");
  EXPECT_EQ(
      refused({{"pair_values", {0.001, -1e308}}}),
      "A/A effect e1: a pair's value is -1e+308, and no two equal arms differ by more than 3");
  EXPECT_EQ(refused({{"pair_values", nlohmann::json::array()}}),
            "A/A effect e1: has 0 pairs; 1 to 10000 can be");
}

TEST_F(Calibrations, AWorkspaceBringsAndChecksThem) {
  write_all(there, folder.path());
  const std::string path = folder.path() + "/" + kCalibrationsPath;
  const ImportReport report = import_workspace(here, folder.path());
  EXPECT_EQ(report.lines,
            std::vector<std::string>{"imported 2 A/A effects from results/calibrations.json"});
  EXPECT_TRUE(report.findings.empty());
  EXPECT_TRUE(check_files(here, folder.path()).empty());
  play_calibration(here, "gpu/embedded");
  EXPECT_EQ(check_files(here, folder.path()).size(), 1U);
  EXPECT_TRUE(write_calibrations(here, folder.path()));
  EXPECT_TRUE(check_files(here, folder.path()).empty());
  std::filesystem::remove(path);
  write_text(path, "{");
  Store other(folder.path() + "/other.db");
  const ImportReport damaged = import_workspace(other, folder.path());
  ASSERT_EQ(damaged.findings.size(), 1U);
  EXPECT_EQ(damaged.findings[0].text,
            "results/calibrations.json:1: not JSON: cut off, edited, or with a merge conflict in "
            "it; restore it (git checkout -- results/calibrations.json), or move it away and run "
            "`assay index`");
}

TEST_F(Calibrations, AFieldThatIsNotKnownIsRefused) {
  for (const std::string before : {"  \"effects\"", "      \"host\""}) {
    const std::string with = edited(before, "\"reviewed\": true,\n" + before);
    const auto line =
        std::count(with.begin(), with.begin() + static_cast<long>(with.find("\"reviewed")), '\n');
    EXPECT_EQ(refusal(with), std::to_string(1 + line) +
                                 ": has the field \"reviewed\", which this program does not know; "
                                 "update the program, or take the field out");
  }
}

TEST_F(Calibrations, NoFileWhereNothingWasMeasured) {
  EXPECT_FALSE(write_calibrations(here, folder.path()));
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/" + kCalibrationsPath));
}

}  // namespace
}  // namespace assay
