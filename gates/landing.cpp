#include "gates/landing.h"

#include <fmt/format.h>

#include "engine/core/error.h"
#include "engine/core/sha256.h"
#include "engine/core/whole_file.h"
#include "experiments/service_map.h"

namespace assay {
namespace {

std::string text_in(const std::string& path) {
  return read_whole_file(path).value_or("");
}

[[noreturn]] void refuse_claimless(const OpenIntent& open) {
  throw Error(ErrorKind::kUsage,
              fmt::format("{}; it changes no map: `assay apply {} --discard` leaves {} as it is",
                          open.fault, open.slug, open.intent.path));
}

}  // namespace

std::vector<OpenIntent> open_intents(const History& history) {
  std::vector<OpenIntent> open;
  // An intent is settled in the run of its verdict, which is open until then.
  for (const ExperimentLabel& label : history.unended()) {
    const ExperimentView view = fold(history.events(label.slug));
    const AttemptView* judged = view.judged();
    if (judged == nullptr || view.applied || judged->verdict->intents.empty()) continue;
    OpenIntent intent{label.slug, judged->verdict_run, judged->verdict->intents.front(), {}, ""};
    try {
      intent.claim = land_claim(view);
    } catch (const Error& error) {
      intent.fault = error.what();
    }
    open.push_back(std::move(intent));
  }
  return open;
}

void settle_intent(const OpenIntent& open, const std::string& workspace, Journal& journal,
                   bool discard) {
  const std::string path = workspace + "/" + open.intent.path;
  std::string text = text_in(path);
  if (!discard) {
    if (!open.claim) refuse_claimless(open);
    text = emit(with_claim(parse_service_map(text, path), *open.claim));
    replace_linked_file(path, text);
  }
  journal.append(open.run, EventKind::kApplied, Applied{open.intent.path, sha256_hex(text)});
  journal.end_run(open.run, {"landed", 0, settlement_message(open.intent.path, discard)});
}

void record_settlement(const LandClaim& claim, const std::string& text, bool kept,
                       const RunOpened& opened, Journal& journal) {
  const std::string run = journal.open_run(claim.slug, opened);
  journal.append(run, EventKind::kApplied, Applied{claim.path, sha256_hex(text)});
  journal.end_run(run, {"landed", 0, settlement_message(claim.path, kept)});
}

void apply_intent(const OpenIntent& open, const std::string& workspace, Journal& journal) {
  if (!open.claim) refuse_claimless(open);
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
  if (before) {
    if (emit(with_claim(parse_service_map(now, path), *open.claim)) != open.intent.after_text) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}: what {} would make of it differs in more than its own rows. "
                              "Settle it with `assay apply {}` (writes these rows into it) or "
                              "`assay apply {} --discard` (it stays as it is)",
                              path, open.slug, open.slug, open.slug));
    }
    replace_linked_file(path, open.intent.after_text);
  }
  journal.append(open.run, EventKind::kApplied, Applied{open.intent.path, after_sha256});
  journal.end_run(open.run, {"landed", 0, "applied to " + open.intent.path});
}

}  // namespace assay
