// assay laws [LAW]: what is known to hold, on what evidence, and what verdicts have said of it
// since.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine/core/error.h"
#include "engine/core/json_output.h"
#include "experiments/historical.h"
#include "experiments/law_state.h"
#include "experiments/nearest_name.h"
#include "gates/cli/command.h"
#include "gates/cli/told_historical.h"
#include "gates/cli/workspace.h"
#include "recorder/query.h"
#include "recorder/visible_text.h"

namespace assay {
namespace {

struct Known {
  Law law;
  LawState state;
  std::vector<std::string> missing;  // evidence that is nowhere here
};

std::string named(const std::vector<LawRecord>& records) {
  std::vector<std::string> names;
  for (const LawRecord& record : records) {
    const std::string name = fmt::format("{:04}", record.number);
    if (names.empty() || names.back() != name) names.push_back(name);  // two attempts of one
  }
  return names.empty() ? "-" : fmt::format("{}", fmt::join(names, ", "));
}

std::string how(const LawRecord& record) {
  const std::string verdict = record.verdict + (record.reason.empty() ? "" : " " + record.reason);
  return fmt::format("{:04} {} ({}{})", record.number, record.slug,
                     verdict.empty() ? "no verdict, bits equal" : verdict,
                     record.device.empty() ? "" : ", " + record.device);
}

std::vector<Known> gather(const Workspace& workspace, const HistoricalEntries& historical) {
  const std::vector<LawRecord> records = law_records(workspace.store());
  std::vector<Known> all;
  for (const Law& law : read_laws(workspace.root())) {
    Known known{law, state_of(law, records), {}};
    for (const std::string& slug : law.evidence) {
      const bool here = find_historical(historical.entries, slug) != nullptr ||
                        workspace.store().find(slug).has_value();
      if (!here) known.missing.push_back(slug);
    }
    all.push_back(std::move(known));
  }
  return all;
}

nlohmann::ordered_json json_of(const Known& known) {
  const Law& law = known.law;
  const auto records = [](const std::vector<LawRecord>& list) {
    nlohmann::ordered_json out = nlohmann::ordered_json::array();
    for (const LawRecord& record : list) {
      out.push_back({{"number", record.number},
                     {"slug", record.slug},
                     {"verdict", record.verdict},
                     {"reason", record.reason},
                     {"device", record.device}});
    }
    return out;
  };
  return {{"slug", law.slug},
          {"statement", law.statement},
          {"when", law.when.describe()},
          {"claims", law.claim()},
          {"state", known.state.word()},
          {"evidence", law.evidence},
          {"missing_evidence", known.missing},
          {"devices", law.devices},
          {"compilers", law.compilers},
          {"refuted_by", law.refuted_by},
          {"upheld_by", records(known.state.upheld)},
          {"contradicted_by", records(known.state.contradicted)}};
}

void print_table(const std::vector<Known>& all) {
  std::vector<std::vector<std::string>> cells{
      {"law", "state", "claims", "evidence", "upheld by", "contradicted by"}};
  for (const Known& known : all) {
    cells.push_back({known.law.slug, known.state.word(), known.law.claim(),
                     fmt::format("{}", fmt::join(known.law.evidence, ", ")),
                     named(known.state.upheld), named(known.state.contradicted)});
  }
  std::cout << format_cells(cells, TableFormat::kTable);
}

void print_one(const Known& known) {
  const Law& law = known.law;
  const auto line = [](const char* name, const std::string& text) {
    std::cout << fmt::format("{:<13} {}\n", name, visible_line(text));
  };
  std::cout << fmt::format("{}  {}\n", law.slug, known.state.word());
  line("statement", law.statement);
  line("when", law.when.describe());
  line("claims", law.claim());
  line("evidence", fmt::format("{}", fmt::join(law.evidence, ", ")));
  if (!law.devices.empty()) line("devices", fmt::format("{}", fmt::join(law.devices, ", ")));
  if (!law.compilers.empty()) line("compilers", fmt::format("{}", fmt::join(law.compilers, ", ")));
  for (const LawRecord& record : known.state.upheld) line("upheld by", how(record));
  for (const LawRecord& record : known.state.contradicted) line("contradicted", how(record));
  line("refuted by", law.refuted_by);
}

int act(const std::string& asked, const CommonOptions& common) {
  const Workspace workspace(common, Access::kRead);
  const HistoricalEntries historical = told_historical(workspace.root());
  std::vector<Known> all = gather(workspace, historical);
  if (!asked.empty()) {
    std::vector<std::string> names;
    for (const Known& known : all) names.push_back(known.law.slug);
    std::erase_if(all, [&](const Known& known) { return known.law.slug != asked; });
    if (all.empty()) {
      const std::vector<std::string_view> views(names.begin(), names.end());
      throw Error(ErrorKind::kUsage,
                  fmt::format("laws: no law {}{}", asked,
                              suggestion(asked, views, "`assay laws` lists them")));
    }
  }
  bool missing = false;
  for (const Known& known : all) {
    for (const std::string& slug : known.missing) {
      std::cerr << fmt::format("assay: {}:{}: {} rests on {}, and there is no such record\n",
                               kLawsPath, known.law.line, known.law.slug, slug);
      missing = true;
    }
  }
  if (common.json) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const Known& known : all) json.push_back(json_of(known));
    std::cout << json_output(json) << std::endl;
  } else if (all.empty()) {
    std::cerr << fmt::format("assay: no laws yet: people write them into {}\n", kLawsPath);
  } else if (asked.empty()) {
    print_table(all);
  } else {
    print_one(all.front());
  }
  std::cout << std::flush;
  if (missing || !historical.faults.empty()) return static_cast<int>(ErrorKind::kCheckFound);
  return workspace.exit_code();
}

}  // namespace

Action define_laws(CLI::App& app) {
  auto asked = std::make_shared<std::string>();
  app.add_option("LAW", *asked, "one law, in full");
  return [asked](const CommonOptions& common) { return act(*asked, common); };
}

}  // namespace assay
