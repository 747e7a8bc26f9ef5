#include "gates/cli/recorded_program.h"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include "engine/core/error.h"
#include "gates/cli/child_process.h"
#include "gates/cli/file_text.h"
#include "recorder/text_form.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// The frozen text without `supersedes`: the fresh workspace has no earlier experiment.
std::string definition_for(const Replicated& replicated) {
  std::istringstream lines(replicated.definition.text);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("supersedes:")) text += line + "\n";
  }
  return text;
}

std::vector<Event> last_run_in(const std::string& workspace, const std::string& slug) {
  const std::string stem = record_stem({1, slug});
  const std::string path = workspace + "/results/records/" + stem + ".json";
  if (!fs::exists(path)) return {};
  const auto record = read_record_text(read_text_file(path), stem);
  for (auto run = record.runs.rbegin(); run != record.runs.rend(); ++run) {
    if (run->second.empty() || run->second.front().kind != EventKind::kRunOpened) continue;
    if (run->second.front().body.get<RunOpened>().command == "run") return run->second;
  }
  return {};
}

bool is_judging(const Event& event) {
  return event.kind == EventKind::kGateResult && event.body.value("gate", "") != "behaviour";
}

// What its verdict says; nothing where it gave none.
std::optional<Finding> finding_in(const std::vector<Event>& events) {
  for (const Event& event : events) {
    if (event.kind == EventKind::kVerdict) return finding_of(event.body.get<VerdictBody>());
  }
  return std::nullopt;
}

RunEnded end_of(const std::vector<Event>& events) {
  if (!events.empty() && events.back().kind == EventKind::kRunEnded) {
    return events.back().body.get<RunEnded>();
  }
  return {"killed", static_cast<int>(ErrorKind::kInconclusive), "it ended before its run did"};
}

}  // namespace

RecordedRun run_recorded(const std::string& program, const Replicated& replicated,
                         const std::string& workspace, double time_limit_s) {
  const std::string& slug = replicated.definition.slug;
  const std::string file = workspace + "/experiments/definitions/" + slug + ".yaml";
  fs::create_directories(fs::path(file).parent_path());
  fs::create_directories(workspace + "/results/records");
  write_new_file(file, definition_for(replicated));
  const int proposed = run_child({program, "propose", file, "--workspace", workspace});
  if (proposed != 0) {
    throw Error(ErrorKind::kUsage,
                fmt::format("the program of that commit does not take the definition of {} (exit "
                            "{}): see what it says above",
                            slug, proposed));
  }
  std::vector<std::string> words{program, "run", slug, "--workspace", workspace};
  for (const auto& [op, variant] : replicated.attempt.opened.candidate) {
    words.insert(words.end(), {"--candidate", variant});
  }
  if (time_limit_s > 0) {
    words.insert(words.end(), {"--time-limit", fmt::format("{}", time_limit_s)});
  }
  RecordedRun found;
  found.exit_code = run_child(words);
  found.events = last_run_in(workspace, slug);
  if (!found.events.empty()) return found;
  throw Error(found.exit_code == 13 ? ErrorKind::kEnvironment : ErrorKind::kUsage,
              fmt::format("the program of that commit could not run {} (exit {}): see what it says "
                          "above",
                          slug, found.exit_code));
}

RunOutcome append_replication(const RecordedRun& found, const Replicated& replicated,
                              const ReplicationOptions& options, const RunContext& context) {
  RunOpened opened = found.events.front().body.get<RunOpened>();
  opened.command = kReproduce;
  opened.argv = context.argv;
  opened.provenance["replicates"] = {{"attempt", replicated.attempt.opened.ordinal},
                                     {"fingerprint", replicated.attempt.opened.fingerprint},
                                     {"how", options.how},
                                     {"same_code", options.same_code}};
  const Finding stored = finding_of(*replicated.attempt.verdict);
  const std::optional<Finding> again = finding_in(found.events);
  std::size_t last_gate = 0;
  for (std::size_t i = 0; i < found.events.size(); ++i) {
    if (is_judging(found.events[i])) last_gate = i;
  }
  const std::string run = context.journal.open_run(replicated.definition.slug, opened);
  for (std::size_t i = 1; i < found.events.size(); ++i) {
    const Event& event = found.events[i];
    const bool taken = event.kind == EventKind::kGateResult ||
                       event.kind == EventKind::kPlanFrozen || event.kind == EventKind::kSample;
    if (!taken) continue;
    nlohmann::json body = event.body;
    if (again && i == last_gate) {
      if (!body["values"].is_object()) body["values"] = nlohmann::json::object();
      body["values"]["stored"] = stored;
      body["values"]["again"] = *again;
    }
    context.journal.append(run, event.kind, body);
  }
  RunEnded ended = end_of(found.events);
  if (again) ended = compare(stored, *again).ended();
  context.journal.end_run(run, ended);
  return {ended.exit_code, ended.outcome, ended.message, run};
}

}  // namespace assay
