#include "gates/landing.h"

#include <fmt/format.h>

#include "engine/core/error.h"
#include "engine/core/sha256.h"
#include "engine/core/whole_file.h"
#include "experiments/definition.h"
#include "experiments/service_map.h"

namespace assay {
namespace {

constexpr const char* kSettled = "settled by hand: ";
constexpr const char* kKept = " kept as it is";

std::string text_in(const std::string& path) {
  return read_whole_file(path).value_or("");
}

}  // namespace

std::vector<OpenIntent> open_intents(const History& history) {
  std::vector<OpenIntent> open;
  for (const ExperimentLabel& label : history.experiments()) {
    const ExperimentView view = fold(history.events(label.slug));
    const AttemptView* judged = view.judged();
    if (judged == nullptr || view.applied || judged->verdict->intents.empty()) continue;
    open.push_back({label.slug, judged->verdict_run, judged->verdict->intents.front()});
  }
  return open;
}

bool kept_the_file(const RunEnded& ended) {
  return ended.message.starts_with(kSettled) && ended.message.ends_with(kKept);
}

void settle_intent(const OpenIntent& open, const std::string& workspace, const History& history,
                   Journal& journal, bool discard) {
  const std::string path = workspace + "/" + open.intent.path;
  if (discard) {
    journal.append(open.run, EventKind::kApplied,
                   Applied{open.intent.path, sha256_hex(text_in(path))});
    journal.end_run(open.run, {"landed", 0, kSettled + open.intent.path + kKept});
    return;
  }
  const ExperimentView view = fold(history.events(open.slug));
  const Definition definition = parse_definition(view.proposal.definition, open.slug);
  const AttemptView& judged = *view.judged();
  ServiceMap map = parse_service_map(text_in(path), path);
  const ServiceMap landed = parse_service_map(open.intent.after_text, path);
  for (const auto& [op, variant] : judged.opened.candidate) {
    for (const auto& [key, ops] : landed.devices) {
      const auto rows = ops.find(op);
      if (rows == ops.end()) continue;
      for (const MapRow& row : rows->second) {
        if (row.row.variant == variant && row.by == open.slug) {
          map = with_landed(map, key, definition.scope, op, variant, open.slug);
        }
      }
    }
  }
  const std::string text = emit(map);
  replace_file(path, text);
  journal.append(open.run, EventKind::kApplied, Applied{open.intent.path, sha256_hex(text)});
  journal.end_run(open.run,
                  {"landed", 0, kSettled + ("the landed row put into " + open.intent.path)});
}

void apply_intent(const OpenIntent& open, const std::string& workspace, Journal& journal) {
  const std::string path = workspace + "/" + open.intent.path;
  const std::string now = text_in(path);
  const std::string after_sha256 = sha256_hex(open.intent.after_text);
  const bool before = sha256_hex(now) == open.intent.before_sha256;
  if (!before && now != open.intent.after_text) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("{}: {} landed, but the file is neither what it was before nor what it "
                    "should become. Settle it with `assay apply {}` (writes the landed row "
                    "into it) or `assay apply {} --discard`.\n--- in the file\n{}--- as landed\n{}",
                    path, open.slug, open.slug, open.slug, now, open.intent.after_text));
  }
  if (before) replace_file(path, open.intent.after_text);
  journal.append(open.run, EventKind::kApplied, Applied{open.intent.path, after_sha256});
  journal.end_run(open.run, {"landed", 0, "applied to " + open.intent.path});
}

}  // namespace assay
