// assay query: one row per experiment, filtered; or any SQL that only reads.
//
// A statement is ended by its time limit, or by Ctrl-C, even where the shell had told the program
// to ignore that.
#include <atomic>
#include <csignal>
#include <iostream>
#include <memory>

#include "engine/core/error.h"
#include "gates/cli/command.h"
#include "gates/cli/filter_names.h"
#include "gates/cli/number_check.h"
#include "gates/cli/told_historical.h"
#include "gates/cli/workspace.h"
#include "recorder/catalog.h"
#include "recorder/historical_document.h"
#include "recorder/query.h"
#include "recorder/search_words.h"
#include "recorder/visible_text.h"

namespace assay {
namespace {

constexpr double kMostSeconds = 1e6;

struct Options {
  QueryFilter filter;
  std::string sql;
  std::string format;
  double time_limit_s = Store::SqlLimits().seconds;
  std::vector<const CLI::Option*> filters;  // those of the command line that narrow the rows
  const CLI::Option* sql_given = nullptr;
  const CLI::Option* limit_given = nullptr;
  const CLI::Option* format_given = nullptr;
};

std::atomic<bool> stop_asked{false};

// The first signal ends the statement; a second one ends the program.
extern "C" void ask_to_end(int signal) {
  stop_asked.store(true);
  std::signal(signal, SIG_DFL);
}

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorKind::kUsage, "query: " + why);
}

// What can be said of the options before a workspace is opened.
void check_options(const Options& options, const CommonOptions& common) {
  if (common.json && options.format_given->count() > 0 && options.format != "json") {
    refuse("--json and --format " + options.format + " contradict each other: give one of them");
  }
  const bool sql = options.sql_given->count() > 0;
  if (sql && options.sql.find_first_not_of(" \t\r\n;") == std::string::npos) {
    refuse("--sql: there is no statement; give one SELECT, or leave --sql out");
  }
  for (const CLI::Option* filter : options.filters) {
    if (filter->count() == 0) continue;
    if (sql) {
      refuse(filter->get_name() +
             " narrows the table of experiments and says nothing to --sql: put the condition into "
             "the statement, or leave one of them out");
    }
    if (filter->as<std::string>().empty()) {
      refuse(filter->get_name() + " is empty; give a value, or leave it out");
    }
  }
  if (!sql && options.limit_given->count() > 0) {
    refuse("--time-limit is for --sql; the table of experiments needs none");
  }
  if (!options.filter.text.empty() && search_terms(options.filter.text).empty()) {
    refuse("--text " + visible_line(options.filter.text) + ": there is no word in it");
  }
  check_fixed_filters(options.filter);
}

int answer_sql(const Options& options, const Workspace& workspace, TableFormat format) {
  std::signal(SIGINT, ask_to_end);
  std::signal(SIGTERM, ask_to_end);
  const auto rows =
      workspace.store().sql(options.sql, {.seconds = options.time_limit_s, .stop = &stop_asked});
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  std::cout << format_answer(rows, format) << std::flush;
  return workspace.exit_code();
}

int act(const Options& options, const CommonOptions& common) {
  check_options(options, common);
  const TableFormat format = parse_format(common.json                          ? "json"
                                          : options.format_given->count() == 0 ? "table"
                                                                               : options.format);
  std::future<NotesFolder> looking;
  if (!options.filter.text.empty()) looking = look_at_notes(find_workspace(common));
  Workspace workspace(common, Access::kRead);
  if (options.sql_given->count() > 0) return answer_sql(options, workspace, format);
  const HistoricalEntries historical = told_historical(workspace.root());
  const std::optional<NotesFolder> notes =
      looking.valid() ? std::optional(looking.get()) : std::nullopt;
  const bool whole = historical.faults.empty() && (!notes || told_unreadable(*notes));
  const Catalog catalog(workspace.store(), workspace.root(), notes ? notes->stamps : std::nullopt,
                        historical_catalog(historical.entries));
  check_filter_names(options.filter, catalog);
  const std::vector<QueryRow> rows = catalog.find(options.filter);
  std::cout << format_rows(rows, format, !options.filter.text.empty()) << std::flush;
  if (rows.empty() && format == TableFormat::kTable) {
    std::cerr << (workspace.store().experiments().empty()
                      ? "assay: no experiments yet: `assay propose FILE` makes the first\n"
                  : options.filter.text.empty()
                      ? "assay: no experiment matches\n"
                      : "assay: no experiment matches; words are whole ones: buffer* finds "
                        "buffering, too\n");
  }
  return whole ? workspace.exit_code() : static_cast<int>(ErrorKind::kCheckFound);
}

}  // namespace

Action define_query(CLI::App& app) {
  auto options = std::make_shared<Options>();
  QueryFilter& filter = options->filter;
  const auto add_filter = [&](const char* name, std::string& value, const char* help,
                              const char* type) {
    options->filters.push_back(app.add_option(name, value, help)->type_name(type));
  };
  add_filter("--lever", filter.lever, "only this lever", "LEVER");
  add_filter("--op", filter.op, "only levers of this op", "OP");
  add_filter("--verdict", filter.verdict, "LAND or REVERT", "VERDICT");
  add_filter("--gate", filter.gate, "red at this gate, or GATE=OUTCOME", "GATE");
  add_filter("--model", filter.model, "workloads on this model", "MODEL");
  add_filter("--state", filter.state,
             "proposed, open, landed, reverted, closed, measured, unreached or historical",
             "STATE");
  add_filter("--since", filter.since, "not older than this date (YYYY-MM-DD)", "DATE");
  add_filter("--gpu", filter.gpu, "attempts on this GPU or processor, by a part of its name",
             "GPU");
  add_filter("--text", filter.text,
             "all these words, in anything written of it; begin* and \"several words\" work, too",
             "WORDS");
  options->format_given =
      app.add_option("--format", options->format, "table, json, csv or md")->type_name("FORMAT");
  options->sql_given =
      app.add_option("--sql", options->sql,
                     "a SELECT over label, run, event, or the views experiments, attempts, pairs")
          ->type_name("SELECT");
  options->limit_given =
      app.add_option("--time-limit", options->time_limit_s,
                     "end a statement that has no answer after this many seconds (default 60)")
          ->type_name("S")
          ->check(positive_number(kMostSeconds));
  return [options](const CommonOptions& common) { return act(*options, common); };
}

}  // namespace assay
