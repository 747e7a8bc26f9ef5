// Whatever `check` finds, the line says what to do about it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <sstream>

#include "gates/cli/driven_program.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr const char* kJson = "results/records/0001-tile.json";
constexpr const char* kRecord = "results/records/0001-tile.md";

struct Fault {
  const char* what;
  std::function<void(const TestWorkspace&)> make;
};

void replace_in(const TestWorkspace& workspace, const std::string& path, const std::string& what,
                const std::string& with) {
  std::string text = read_text(workspace.path(path));
  ASSERT_NE(text.find(what), std::string::npos) << what;
  write_text(workspace.path(path), text.replace(text.find(what), what.size(), with));
}

Fault sql(const char* what, const std::string& statement) {
  return {what, [statement](const TestWorkspace& workspace) {
            tamper(workspace.database(),
                   "PRAGMA foreign_keys = OFF; DROP TRIGGER event_no_update; DROP TRIGGER "
                   "event_no_delete; DROP TRIGGER blob_no_update; DROP TRIGGER run_no_delete; DROP "
                   "TRIGGER label_no_update; DROP TRIGGER label_no_delete; DROP TRIGGER "
                   "run_seal_once; " +
                       statement);
          }};
}

Fault edit(const char* what, const std::string& path, const std::string& from,
           const std::string& to) {
  return {what, [=](const TestWorkspace& workspace) { replace_in(workspace, path, from, to); }};
}

Fault remove(const std::string& path) {
  return {"a file that is gone",
          [path](const TestWorkspace& workspace) { fs::remove(workspace.path(path)); }};
}

Fault write(const char* what, const std::string& path, const std::string& text) {
  return {what, [=](const TestWorkspace& workspace) {
            fs::create_directories(fs::path(workspace.path(path)).parent_path());
            write_text(workspace.path(path), text);
          }};
}

Fault copy(const std::string& from, const std::string& to) {
  return {"a copy", [=](const TestWorkspace& workspace) {
            fs::copy_file(workspace.path(from), workspace.path(to));
          }};
}

const std::vector<Fault>& faults() {
  static const std::vector<Fault> all{
      sql("a changed event",
          "UPDATE event SET body = replace(body, '\"red\"', '\"green\"') WHERE idx > 1"),
      sql("an event that is no JSON", "UPDATE event SET body = '{' WHERE kind = 'gate-result'"),
      sql("an event that is gone", "DELETE FROM event WHERE kind = 'verdict'"),
      sql("an end that is gone", "DELETE FROM event WHERE kind = 'run-ended'"),
      sql("a run that is gone", "DELETE FROM run WHERE ordinal = 1"),
      sql("an ordinal", "UPDATE run SET ordinal = 7 WHERE ordinal = 2"),
      sql("a label's slug", "UPDATE label SET slug = 'ghost'"),
      {"a label that is gone, and the record from which it would come back",
       [](const TestWorkspace& workspace) {
         sql("", "DELETE FROM label").make(workspace);
         fs::remove(workspace.path(kJson));
       }},
      sql("every source", "UPDATE blob SET zstd = x'00'"),
      sql("sources exchanged", "UPDATE blob SET zstd = (SELECT max(zstd) FROM blob)"),
      {"the catalog",
       [](const TestWorkspace& workspace) {
         EXPECT_EQ(workspace.assay({"query"}).code, 0);
         tamper(workspace.database(), "UPDATE catalog SET verdict = 'LAND'");
       }},
      edit("a document", kRecord, "Attempt 2", "Attempt 1"),
      edit("the index", "results/index.md", "1 experiment", "2 experiments"),
      edit("a record", kJson, "\"seconds\": 0.25", "\"seconds\": 0.26"),
      edit("a field", kJson, "\"number\": 1,", "\"extra\": 1,\n  \"number\": 1,"),
      edit("a kind", kJson, "\"gate-result\"", "\"gate-resolution\""),
      edit("a version", kJson, "\"version\": 1", "\"version\": 2"),
      edit("the calibrations", "results/calibrations.json", "\"host\": \"", "\"host\": \"x"),
      remove(kJson),
      remove(kRecord),
      remove("results/index.md"),
      remove("results/calibrations.json"),
      copy(kJson, "results/records/0001-tile copy.json"),
      copy(kRecord, "results/records/0001-tile copy.md"),
      copy(kRecord, "results/records/0002-other.md"),
      write("a stray record", "results/records/0009-stray.json", "{\n"),
      write("notes of nobody", "experiments/notes/nobody.md", "x\n"),
      write("notes that are no text", "experiments/notes/tile.md", "a \xff\n"),
      write("an edited definition", "experiments/definitions/tile.yaml", "slug: tile\n"),
      write("a merge conflict", "experiments/notes/tile.md",
            "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n"),
      write("an unknown name", "experiments/notes/tile.md", "## Lessons\n\n{{nosuch}}\n"),
  };
  return all;
}

bool says_what_to_do(const std::string& line) {
  constexpr const char* kWords[] = {"`assay ",   "git checkout", "move ",        "; restore ",
                                    "; update ", "; mend ",      "did you mean", "write it anew"};
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](const char* word) { return line.find(word) != std::string::npos; });
}

TEST(Hints, EveryFindingSaysWhatToDo) {
  for (const Fault& fault : faults()) {
    const TestWorkspace workspace;
    {
      Store store(workspace.database());
      play_proposal(store, "tile", definition_text("tile"));
      play_red_run(store, "tile", "f1");
      play_red_run(store, "tile", "f2");
      play_calibration(store, "cpu/embedded");
    }
    ASSERT_EQ(workspace.assay({"index"}).code, 0);
    ASSERT_EQ(workspace.assay({"check"}).code, 0);
    fault.make(workspace);
    const Finished check = workspace.assay({"check"});
    EXPECT_EQ(check.code, 3) << fault.what << "\n" << check.out << check.err;
    std::istringstream lines(check.out);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("check: ")) continue;
      EXPECT_TRUE(says_what_to_do(line)) << fault.what << "\n" << line;
    }
  }
}

}  // namespace
}  // namespace assay
