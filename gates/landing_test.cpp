// A LAND's change of the service map, with the program gone at every step, and with files that are
// not what they were.
#include "gates/landing.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "engine/core/error.h"
#include "engine/core/whole_file.h"
#include "experiments/service_map.h"
#include "gates/simulated_workspace.h"

namespace assay {
namespace {

using Lines = std::vector<std::string>;
const std::string kCandidate = SimulatedWorkspace::kCandidate;
struct Killed {};

// A workspace in which `unroll-two` has landed, its intent not applied yet.
class Landing : public testing::Test {
 protected:
  Landing() {
    before = lab.service_map();
    lab.propose();
    run = lab.journal.open_run("unroll-two", {"run", "assay run", nullptr});
    AttemptOpened attempt;
    attempt.fingerprint = "f";
    attempt.candidate = {{"rms_norm", kCandidate}};
    attempt.code_hashes = {{kCandidate, "c0de"}, {SimulatedWorkspace::kIncumbent, "ba5e"}};
    lab.journal.open_attempt(run, attempt, {});
    const Scope scope{.device = "cpu-avx2", .when_key = ""};
    after = emit(with_landed(parse_service_map(before, "map"), "cpu-avx2", scope, "rms_norm",
                             kCandidate, "unroll-two"));
    VerdictBody verdict;
    verdict.attempt = 1;
    verdict.verdict = "LAND";
    verdict.intents = {{"experiments/in_service.yaml", sha256_hex(before), after}};
    lab.journal.append(run, EventKind::kVerdict, verdict);
  }

  OpenIntent intent() const { return open_intents(lab.journal).at(0); }
  void apply() { apply_intent(intent(), lab.path(), lab.journal); }
  void die_at(EventKind kind) {
    lab.journal.on_event = [kind](const Event& event) {
      if (event.kind == kind) throw Killed();
    };
  }
  void expect_done(const std::string& text, const std::string& message) {
    EXPECT_EQ(lab.service_map(), text);
    EXPECT_TRUE(open_intents(lab.journal).empty());
    const ExperimentView view = lab.view();
    EXPECT_EQ(view.state, ExperimentState::kLanded);
    EXPECT_TRUE(view.applied);
    ASSERT_EQ(lab.events(EventKind::kApplied).size(), 1U);
    EXPECT_EQ(lab.events(EventKind::kApplied)[0].body.at("after_sha256"), sha256_hex(text));
    ASSERT_TRUE(view.runs.back().ended);
    EXPECT_EQ(view.runs.back().ended->outcome, "landed");
    EXPECT_EQ(view.runs.back().ended->message, message);
  }
  // Names in the folder of the map: a temporary must not stay.
  Lines files() const {
    Lines names;
    for (const auto& entry : std::filesystem::directory_iterator(lab.path() + "/experiments")) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

  SimulatedWorkspace lab;
  std::string run, before, after;
};

// The file is as it was, and what the intent would make of it is more than the LAND's own row.
TEST_F(Landing, AnIntentThatChangesAnotherRowIsRefused) {
  OpenIntent forged = intent();
  const std::size_t at = forged.intent.after_text.find("rope.cpu.avx2");
  forged.intent.after_text.replace(at, 13, "rope.cpu.portable");
  try {
    apply_intent(forged, lab.path(), lab.journal);
    FAIL() << "must throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_EQ(std::string(error.what()),
              lab.service_path() +
                  ": what unroll-two would make of it differs in more than its own rows. Settle it "
                  "with `assay apply unroll-two` (writes these rows into it) or `assay apply "
                  "unroll-two --discard` (it stays as it is)");
  }
  EXPECT_EQ(lab.service_map(), before);
  settle_intent(forged, lab.path(), lab.journal, false);
  EXPECT_EQ(lab.service_map(), after);
}

TEST_F(Landing, ALinkedMapStaysALink) {
  const std::string target = lab.path() + "/map.yaml";
  std::filesystem::rename(lab.service_path(), target);
  std::filesystem::create_symlink("../map.yaml", lab.service_path());
  apply();
  EXPECT_TRUE(std::filesystem::is_symlink(lab.service_path()));
  EXPECT_EQ(read_whole(target), after);
}

TEST_F(Landing, FileAsBefore) {
  apply();
  expect_done(after, "applied to experiments/in_service.yaml");
  EXPECT_NE(before, after);
  EXPECT_EQ(files(), Lines{"in_service.yaml"});
}

TEST_F(Landing, GoneAfterTheFileWasRenamedIntoPlace) {
  replace_file(lab.service_path(), after);
  EXPECT_EQ(intent().run, run);
  apply();
  expect_done(after, "applied to experiments/in_service.yaml");
}

TEST_F(Landing, GoneWhileAppliedIsWritten) {
  // The hook throws once the event counts as committed: only the run's end is missing then.
  die_at(EventKind::kApplied);
  EXPECT_THROW(apply(), Killed);
  lab.journal.on_event = nullptr;
  EXPECT_EQ(lab.service_map(), after);
  EXPECT_TRUE(open_intents(lab.journal).empty());
  EXPECT_TRUE(lab.view().applied);
}

TEST_F(Landing, FileAsNeitherIsLeftAloneWithBothTextsShown) {
  std::string edited = before;
  edited.replace(edited.find("rope.cpu.avx2"), 13, "rope.cpu.portable");
  write_whole(lab.service_path(), edited);
  try {
    apply();
    FAIL() << "must throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), 2);
    EXPECT_EQ(error.what(),
              lab.service_path() +
                  ": unroll-two landed, but the file is neither what it was before nor what it "
                  "should become. Settle it with `assay apply unroll-two` (writes the landed row "
                  "into it) or `assay apply unroll-two --discard`.\n--- in the file\n" +
                  edited + "--- as landed\n" + after);
  }
  EXPECT_EQ(lab.service_map(), edited);
  EXPECT_EQ(open_intents(lab.journal).size(), 1U);
  EXPECT_TRUE(lab.events(EventKind::kApplied).empty());
}

TEST_F(Landing, SettledByHandPutsTheRowIntoTheFileAsItIs) {
  std::string edited = before;
  edited.replace(edited.find("rope.cpu.avx2"), 13, "rope.cpu.portable");
  write_whole(lab.service_path(), edited);
  settle_intent(intent(), lab.path(), lab.journal, false);
  ServiceMap expected = parse_service_map(edited, "edited");
  expected.devices.at("cpu-avx2").at("rms_norm").at(0).row.variant = kCandidate;
  expected.devices.at("cpu-avx2").at("rms_norm").at(0).by = "unroll-two";
  expect_done(emit(expected),
              "settled by hand: the landed row put into experiments/in_service.yaml");
}

TEST_F(Landing, DiscardedKeepsTheFile) {
  const std::string edited = before + "# a note\n";
  write_whole(lab.service_path(), edited);
  settle_intent(intent(), lab.path(), lab.journal, true);
  expect_done(edited, "settled by hand: experiments/in_service.yaml kept as it is");
}

TEST_F(Landing, ReadOnlyFolder) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  const std::string folder = lab.path() + "/experiments";
  ASSERT_EQ(chmod(folder.c_str(), 0555), 0);
  EXPECT_THROW(apply(), Error);
  chmod(folder.c_str(), 0755);
  EXPECT_EQ(lab.service_map(), before);
  apply();
  expect_done(after, "applied to experiments/in_service.yaml");
}

TEST_F(Landing, PlaceThatAFolderHolds) {
  std::filesystem::remove(lab.service_path());
  std::filesystem::create_directory(lab.service_path());
  EXPECT_THROW(replace_file(lab.service_path(), after), Error);
  EXPECT_EQ(files(), Lines{"in_service.yaml"}) << "no temporary stays";
}

TEST_F(Landing, FullDiskChangesNothing) {
  // A limit of its own on the size of files, in a child: write() then fails as on a full disk.
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100, 100};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      apply();
    } catch (const Error& error) {
      const std::string expected =
          lab.service_path() +
          ": cannot be written: File too large; the old file is unchanged. Free space or make its "
          "folder writable, then repeat the command";
      _exit(error.what() == expected ? 2 : 9);
    }
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_EQ(lab.service_map(), before);
  EXPECT_EQ(files(), Lines{"in_service.yaml"});
  apply();
  expect_done(after, "applied to experiments/in_service.yaml");
}

}  // namespace
}  // namespace assay
