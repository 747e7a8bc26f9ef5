// docs/text_form.md against the program: its lists of fields are those that are written.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "recorder/calibration_form.h"
#include "recorder/played_history.h"
#include "recorder/text_form.h"

namespace assay {
namespace {

using Fields = std::set<std::string>;

// The page's tables: by the section's title, or by "record", "run", "event" of "field of a ...".
std::map<std::string, Fields> fields_of_page() {
  std::map<std::string, Fields> fields;
  std::istringstream page(read_text(std::string(ASSAY_SOURCE_ROOT) + "/docs/text_form.md"));
  std::string line, title, table;
  while (std::getline(page, line)) {
    if (line.rfind("### ", 0) == 0) title = line.substr(4);
    if (line.rfind("| field of ", 0) == 0) {
      const std::string head = line.substr(11, line.find(" |", 11) - 11);
      table = head.substr(head.find(' ') + 1);
    } else if (line.rfind("| field |", 0) == 0) {
      table = title;
    } else if (line.rfind("| `", 0) == 0) {
      fields[table].insert(line.substr(3, line.find('`', 3) - 3));
    }
  }
  return fields;
}

Fields keys(const nlohmann::json& object) {
  Fields keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

TEST(TextFormPage, HasTheFieldsThatAreWritten) {
  const TemporaryFolder folder;
  Store store(folder.path() + "/assay.db");
  play_proposal(store, "tile", definition_text("tile"));
  const auto record = nlohmann::json::parse(export_experiment(store, *store.find("tile")));
  const std::map<std::string, Fields> expected{
      {"record", keys(record)},
      {"run", keys(record.at("runs")[0])},
      {"event", keys(record.at("runs")[0].at("events")[0])},
      {"run-opened", keys(record.at("runs")[0].at("events")[0].at("body"))},
      {"proposed", keys(Proposed())},
      {"attempt-opened", keys(AttemptOpened())},
      {"gate-result", keys(GateResult())},
      {"plan-frozen", {"plan", "aa"}},
      {"sample", keys(PairSample())},
      {"look", keys(Look())},
      {"verdict", keys(VerdictBody())},
      {"applied", keys(Applied())},
      {"closed", keys(Closed())},
      {"run-ended", keys(RunEnded())},
      {"effect", keys(AaEffect())},
  };
  EXPECT_EQ(fields_of_page(), expected);
  EXPECT_EQ(record.at("format"), "assay-record");
  EXPECT_EQ(record.at("version"), 1);
}

// Every kind is described, or said to stay in its database.
TEST(TextFormPage, NamesEveryKindOfEvent) {
  const std::string page = read_text(std::string(ASSAY_SOURCE_ROOT) + "/docs/text_form.md");
  for (int kind = 0; kind <= static_cast<int>(EventKind::kRunEnded); ++kind) {
    const std::string name = to_string(static_cast<EventKind>(kind));
    const bool described = page.find("\n### " + name + "\n") != std::string::npos;
    const bool own = page.find("`" + name + "`") != std::string::npos;
    EXPECT_TRUE(described || own) << name;
  }
}

}  // namespace
}  // namespace assay
