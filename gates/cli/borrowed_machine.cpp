#include "gates/cli/borrowed_machine.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "gates/landing.h"
#include "recorder/document.h"

namespace assay {

namespace fs = std::filesystem;

BorrowedMachine::BorrowedMachine() {
  fs::create_directories(path("results"));
  lab.calibrated();
  Store store(path("results/assay.db"));
  for (const Event& event : lab.journal.log) {
    if (event.kind != EventKind::kCalibrated) continue;
    AaEffect effect = event.body.get<AaEffect>();
    effect.id = store.open_run("", {"calibrate", "assay calibrate", nullptr});
    store.append(effect.id, EventKind::kCalibrated, effect);
    store.end_run(effect.id, {"calibrated", 0, ""});
  }
}

ExperimentState BorrowedMachine::run() {
  const Definition definition = lab.definition();
  Store store(path("results/assay.db"));
  if (store.events(definition.slug).empty())
    play_proposal(store, definition.slug, lab.definition_text);
  const RunContext context{store,
                           store,
                           lab.path(),
                           lab.worker(),
                           "assay run " + definition.slug,
                           [](const std::string&) {},
                           [] { return false; }};
  run_experiment(definition, lab.options, context);
  for (const OpenIntent& open : open_intents(store)) apply_intent(open, lab.path(), store);
  write_all(store, lab.path());
  return fold(store.events(definition.slug)).state;
}

ExperimentState BorrowedMachine::run_unroll_two(double factor) {
  lab.set(SimulatedWorkspace::kCandidate, "factor", factor);
  return run();
}

ExperimentState BorrowedMachine::run_tile(const std::string& slug, const std::string& variant,
                                          double factor) {
  const std::string before = lab.definition_text;
  lab.redefine("slug: unroll-two", "slug: " + slug);
  lab.redefine("lever: rms_norm.unroll", "lever: attention_prefill.tkv");
  lab.redefine("{rms_norm: \"" + std::string(SimulatedWorkspace::kCandidate) + "\"}",
               "{attention_prefill: \"" + variant + "\"}");
  lab.set(variant, "factor", factor);
  const ExperimentState state = run();
  lab.definition_text = before;
  return state;
}

std::string BorrowedMachine::exported(const std::string& name) const {
  const Finished done = assay({"export", name});
  EXPECT_EQ(done.code, 0) << done.err;
  return path(name);
}

std::map<std::string, std::string> files_of(const std::string& root) {
  std::map<std::string, std::string> files;
  for (const char* folder : {"experiments", "results"}) {
    if (!fs::exists(fs::path(root) / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(root) / folder)) {
      const std::string name = entry.path().filename().string();
      if (!entry.is_regular_file() || name.starts_with("assay.")) continue;
      files[fs::relative(entry.path(), root).string()] = read_text(entry.path().string());
    }
  }
  return files;
}

}  // namespace assay
