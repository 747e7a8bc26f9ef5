// assay query: one row per experiment, filtered; or any SQL that only reads.
#include <algorithm>
#include <iostream>
#include <memory>

#include "engine/core/error.h"
#include "gates/cli/command.h"
#include "gates/cli/workspace.h"
#include "recorder/query.h"

namespace assay {
namespace {

struct Options {
  QueryFilter filter;
  std::string sql;
  std::string format;
};

// "2026-11-29" or a longer UTC text that begins so.
void check_since(const std::string& since) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const bool good = since.size() >= 10 && since[4] == '-' && since[7] == '-' &&
                    std::all_of(since.begin(), since.begin() + 4, digit) && digit(since[5]) &&
                    digit(since[6]) && digit(since[8]) && digit(since[9]);
  if (since.empty() || good) return;
  throw Error(ErrorKind::kUsage,
              "query: --since " + since + ": write a date as YYYY-MM-DD, 2026-11-29 for example");
}

int act(const Options& options, const CommonOptions& common) {
  if (common.json && !options.format.empty() && options.format != "json") {
    throw Error(ErrorKind::kUsage, "query: --json and --format " + options.format +
                                       " contradict each other: give one of them");
  }
  const TableFormat format = parse_format(common.json              ? "json"
                                          : options.format.empty() ? "table"
                                                                   : options.format);
  check_since(options.filter.since);
  Workspace workspace(common, Access::kRead);
  if (!options.sql.empty()) {
    std::cout << format_cells(workspace.store().sql(options.sql), format) << std::flush;
    return 0;
  }
  const std::vector<QueryRow> rows = query(workspace.store(), options.filter);
  std::cout << format_rows(rows, format) << std::flush;
  if (rows.empty() && format == TableFormat::kTable) {
    std::cerr << (workspace.store().experiments().empty()
                      ? "assay: no experiments yet: `assay propose FILE` makes the first\n"
                      : "assay: no experiment matches\n");
  }
  return 0;
}

}  // namespace

Action define_query(CLI::App& app) {
  auto options = std::make_shared<Options>();
  QueryFilter& filter = options->filter;
  app.add_option("--lever", filter.lever, "only this lever")->type_name("LEVER");
  app.add_option("--op", filter.op, "only levers of this op")->type_name("OP");
  app.add_option("--verdict", filter.verdict, "LAND or REVERT")
      ->check(CLI::IsMember({"LAND", "REVERT"}));
  app.add_option("--gate", filter.gate, "red at this gate")->type_name("GATE");
  app.add_option("--model", filter.model, "workloads on this model")->type_name("MODEL");
  app.add_option("--state", filter.state,
                 "proposed, open, landed, reverted, closed, measured or unreached")
      ->check(CLI::IsMember(
          {"proposed", "open", "landed", "reverted", "closed", "measured", "unreached"}));
  app.add_option("--since", filter.since, "not older than this date (YYYY-MM-DD)")
      ->type_name("DATE");
  app.add_option("--text", filter.text, "these words in the record")->type_name("TEXT");
  app.add_option("--format", options->format, "table, json, csv or md")->type_name("FORMAT");
  app.add_option("--sql", options->sql,
                 "a SELECT over label, run, event, or the views experiments, attempts, pairs")
      ->type_name("SELECT");
  return [options](const CommonOptions& common) { return act(*options, common); };
}

}  // namespace assay
