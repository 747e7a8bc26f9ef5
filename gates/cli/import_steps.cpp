#include "gates/cli/import_steps.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/error.h"
#include "engine/core/sha256.h"
#include "engine/core/whole_file.h"
#include "experiments/record/text_diff.h"
#include "recorder/document.h"

namespace assay {
namespace {

enum class FileState { kBefore, kAfter, kNeither };

FileState state_of(const Intent& intent, const std::optional<std::string>& now) {
  if (now == intent.after_text) return FileState::kAfter;
  return (now ? sha256_hex(*now) : "") == intent.before_sha256 ? FileState::kBefore
                                                               : FileState::kNeither;
}

// What could fail later is done here once, inside the transaction, where it still leaves nothing.
void render_all(const Store& store, const std::string& root, const ImportPlan& plan) {
  for (const std::string& slug : plan.experiments) render_record(store, *store.find(slug), root);
  render_index(store, root);
}

// The second step with these texts; a file without one stays as it is.
void complete(const PendingImport& pending, Store& store, const std::string& root,
              const std::map<std::string, std::string>& texts, const std::string& message) {
  for (const auto& [path, text] : texts) replace_file(root + "/" + path, text, path);
  write_all(store, root);
  store.together([&] {
    for (const Intent& file : pending.body.files) {
      store.append(pending.run, EventKind::kApplied,
                   Applied{file.path, sha256_hex(text_of(root, file.path).value_or(""))});
    }
    store.end_run(pending.run, {"imported", 0, message});
  });
}

// The LANDs that came with an import, for one map.
std::vector<ReturnedLand> lands_of(const PendingImport& pending, const Store& store,
                                   const std::string& path) {
  std::vector<ReturnedLand> lands;
  for (const std::string& slug : pending.body.experiments) {
    const ExperimentView view = fold(store.events(slug));
    const AttemptView* judged = view.judged();
    if (judged == nullptr) continue;
    const auto land = returned_land(view, {judged->verdict_run});
    if (land && land->path == path) lands.push_back(*land);
  }
  return lands;
}

}  // namespace

TakenIn take_in(Store& store, const std::string& root, const ArchivedHistory& history,
                const std::string& archive_sha256, const RunOpened& opened) {
  TakenIn taken;
  store.together([&] {
    const std::size_t known = store.experiments().size();
    taken.history = merge_history(store, history);
    taken.plan = plan_import(taken.history, history, root);
    taken.anything = store.experiments().size() > known || taken.history.effects > 0 ||
                     !taken.plan.experiments.empty() || !taken.plan.files.empty();
    if (!taken.anything) return;
    render_all(store, root, taken.plan);
    const std::string run = store.open_run("", opened);
    store.append(run, EventKind::kImported,
                 Imported{archive_sha256, taken.plan.experiments, taken.plan.files});
  });
  return taken;
}

std::optional<PendingImport> pending_import(const Store& store) {
  for (const Store::StoredRun& run : store.unfinished_runs()) {
    if (!run.slug.empty()) continue;
    for (const Event& event : store.run_events(run.id)) {
      if (event.kind == EventKind::kImported) return PendingImport{run.id, event.body};
    }
  }
  return std::nullopt;
}

void finish_import(const PendingImport& pending, Store& store, const std::string& root) {
  std::map<std::string, std::string> texts;
  for (const Intent& file : pending.body.files) {
    const std::optional<std::string> now = text_of(root, file.path);
    if (state_of(file, now) == FileState::kNeither) {
      const std::string slug = pending.body.experiments.front();
      std::string diff =
          unified_diff(now.value_or(""), file.after_text, "in the file", "as imported");
      while (diff.ends_with('\n')) diff.pop_back();
      throw Error(
          ErrorKind::kUsage,
          fmt::format("{0}: an import was cut short, and the file is neither what it was before "
                      "nor what it should become. Settle it with `assay apply {1}` (a map gets the "
                      "landed rows, another file stays as it is) or `assay apply {1} --discard` "
                      "(stays as it is)\n{2}",
                      file.path, slug, diff));
    }
    texts[file.path] = file.after_text;
  }
  complete(pending, store, root, texts, "archive " + pending.body.archive_sha256);
}

void settle_import(const PendingImport& pending, Store& store, const std::string& root,
                   bool discard) {
  std::map<std::string, std::string> texts;
  std::string settled;
  for (const Intent& file : pending.body.files) {
    const std::optional<std::string> now = text_of(root, file.path);
    if (state_of(file, now) != FileState::kNeither) {
      texts[file.path] = file.after_text;
      continue;
    }
    settled += (settled.empty() ? "; settled by hand: " : ", ") + file.path;
    const std::vector<ReturnedLand> lands = lands_of(pending, store, file.path);
    if (discard || lands.empty()) continue;
    std::vector<std::string> changes;
    texts[file.path] = with_returned_lands(now.value_or(""), lands, lands, changes);
  }
  complete(pending, store, root, texts, "archive " + pending.body.archive_sha256 + settled);
}

}  // namespace assay
