// Text from outside (titles, notes, sources, what a worker said) is shown as text by every command
// that shows it: nothing in it acts on a terminal, a renderer of Markdown or a reader of JSON.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/core/printable.h"
#include "engine/core/sha256.h"
#include "gates/cli/driven_program.h"
#include "recorder/markdown_code.h"

namespace assay {
namespace {

struct HostileCase {
  std::string name, text;
};

std::vector<HostileCase> cases() {
  return {
      {"html", "<script>alert(1)</script><img src=x onerror=y> &amp; <!-- -->"},
      {"markdown", "# head\n\n[link](http://evil) ![i](http://evil/i.png) | a | b |\n---\n* * *"},
      {"fences", "```\n````\n~~~ ``` ` `` [x](http://evil) <script>"},
      {"ansi",
       "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b[2J \x9b"
       "31m \b\b\r gone"},
      {"sql", "'; DROP TABLE event; --\" OR 1=1; SELECT * FROM label WHERE \"a\" = 'b"},
      {"bidi", "\u202eesrever\u202c \u2066isolate\u2069 \u200fmark \u061c"},
      {"invalid", std::string("\xff\xfe \xc0\xaf \xed\xa0\x80 \xf5 cut \xe2\x82") + '\0' + "after"},
      {"names", "{{ab.effect}} {{{{ }} {{\x1b}} {{<script>}}"},
      {"long", std::string(1 << 20, 'x') + " <script> " + std::string(1 << 10, '[')},
  };
}

// All that a record can hold of somebody else's words.
void play(Store& store, const std::string& slug, const std::string& text) {
  // Where it cannot be a title in YAML, it stands in the definition all the same.
  play_proposal(store, slug,
                first_not_utf8(text) ? definition_text(slug) + "\n# " + text + "\n"
                                     : definition_text(slug, text));
  const std::string run =
      store.open_run(slug, {"run", "assay run " + text, {{"device", text}, {"host", text}}});
  AttemptOpened attempt;
  attempt.fingerprint = "f-" + slug;
  attempt.candidate = {{"rope", "rope.cpu.portable"}};
  const std::string sha256 = sha256_hex(text), other = sha256_hex("other");
  attempt.sources = {{"kernels/rope/cpu_portable.cpp", sha256},
                     {"in-service:kernels/rope/cpu_portable.cpp", other}};
  store.open_attempt(run, attempt, {{sha256, text}, {other, "other"}});
  store.append(run, EventKind::kGateResult,
               GateResult{"identity", "red", "identity", text, {{text, text}}, 0.1});
  VerdictBody verdict;
  verdict.attempt = 1;
  verdict.verdict = "REVERT";
  verdict.reason = "identity";
  store.append(run, EventKind::kVerdict, verdict);
  store.end_run(run, {"red", 10, text});
}

// Control characters, bytes that are not UTF-8, and what turns the direction of text.
std::string what_acts(const std::string& shown) {
  for (const unsigned char c : shown) {
    if (c < 0x20 && c != '\n' && c != '\t' && c != '\r') return "control " + std::to_string(c);
    if (c == 0x7f) return "delete";
  }
  if (const auto at = first_not_utf8(shown)) return "not UTF-8 at " + std::to_string(*at);
  for (const char* turn : {"\u202a", "\u202b", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068"}) {
    if (shown.find(turn) != std::string::npos) return "a turn of direction";
  }
  return "";
}

std::string what_acts_in_markdown(const std::string& shown) {
  const std::vector<bool> code = code_in(shown);
  for (const char* live : {"<script", "<img", "](http", "\n# head"}) {
    for (std::size_t at = shown.find(live); at != std::string::npos;
         at = shown.find(live, at + 1)) {
      const bool escaped = at > 0 && shown[at - 1] == '\\';
      if (!code[at] && !escaped) return std::string(live) + " at " + std::to_string(at);
    }
  }
  return what_acts(shown);
}

TEST(HostileText, IsShownAsTextByEveryCommand) {
  for (const HostileCase& hostile : cases()) {
    SCOPED_TRACE(hostile.name);
    const TestWorkspace workspace;
    {
      Store store(workspace.database());
      play(store, "one", hostile.text);
      play_proposal(store, "two", definition_text("two"));
    }
    write_text(workspace.path("experiments/notes/one.md"),
               "# Notes\n\n## Lessons\n\n" + hostile.text +
                   "\n\n## Corrections\n\n2026-11-30 (x): it "
                   "said \"" +
                   hostile.text + "\"; correct is: " + hostile.text + "\n\n## " +
                   hostile.text.substr(0, 100) + "\n\nx\n");
    const Finished index = workspace.assay({"index"});
    EXPECT_EQ(what_acts(index.out + index.err), "");
    // Names in braces are a fault of notes, which is told, and written once they are gone.
    EXPECT_EQ(index.code, hostile.name == "names" ? 2 : 0) << index.err.substr(0, 2000);
    if (hostile.name == "names") {
      write_text(workspace.path("experiments/notes/one.md"), "## Lessons\n\n`{{ab.effect}}`\n");
      ASSERT_EQ(workspace.assay({"index"}).code, 0);
    }
    for (const char* path : {"results/index.md", "results/records/0001-one.md"}) {
      EXPECT_EQ(what_acts_in_markdown(read_text(workspace.path(path))), "") << path;
    }
    const std::string json = read_text(workspace.path("results/records/0001-one.json"));
    EXPECT_TRUE(nlohmann::json::accept(json));
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"report", "one"}, {"query", "--format", "md"}}) {
      const Finished done = workspace.assay(words);
      EXPECT_EQ(done.code, 0) << words[0] << done.err;
      EXPECT_EQ(what_acts_in_markdown(done.out), "") << words[0];
    }
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"show", "one"},
                                               {"show", "one", "--values"},
                                               {"query"},
                                               {"query", "--format", "csv"},
                                               {"query", "--text", "a"},
                                               {"check"},
                                               {"ledger"},
                                               {"export", "x.assay"}}) {
      const Finished done = workspace.assay(words);
      EXPECT_EQ(what_acts(done.out + done.err), "") << words[0];
    }
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"show", "one", "--json"},
                                               {"show", "one", "--values", "--json"},
                                               {"query", "--json"},
                                               {"check", "--json"}}) {
      const Finished done = workspace.assay(words);
      EXPECT_TRUE(nlohmann::json::accept(done.out)) << words[0] << done.err;
      for (const unsigned char c : done.out) ASSERT_FALSE(c < 0x20 && c != '\n') << words[0];
      if (words[0] == "show" && words.size() == 3) continue;  // to a pipe: the record's own bytes
      for (const unsigned char c : done.out) ASSERT_LT(c, 0x7f) << words[0];
    }
    // As a question, it is a question.
    const Finished asked = workspace.assay({"query", "--text", hostile.text.substr(0, 1000)});
    EXPECT_EQ(what_acts(asked.out + asked.err), "");
    EXPECT_EQ(Store(workspace.database()).experiments().size(), 2u);
  }
}

TEST(HostileText, IsNoCampaignAndNoSlug) {
  for (const HostileCase& hostile : cases()) {
    if (hostile.name == "long") continue;
    SCOPED_TRACE(hostile.name);
    const TestWorkspace workspace;
    std::string quoted =
        nlohmann::json(hostile.text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    const std::string file = workspace.path("experiments/definitions/one.yaml");
    write_text(file, definition_text("one") + "campaign: " + quoted + "\n");
    const Finished done = workspace.assay({"propose", file});
    EXPECT_EQ(done.code, 2);
    EXPECT_EQ(what_acts(done.out + done.err), "");
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"renumber", hostile.text.c_str()},
                                               {"report", hostile.text.c_str()},
                                               {"merge", hostile.text.c_str()}}) {
      const Finished asked = workspace.assay(words);
      EXPECT_EQ(asked.code, 2) << words[0] << asked.out;
      EXPECT_EQ(what_acts(asked.out + asked.err), "") << words[0];
    }
  }
}

// What is wrong with a committed record is told in its own words.
TEST(HostileText, ShowsAsTextInWhatIsSaidOfFiles) {
  const TestWorkspace workspace;
  {
    Store store(workspace.database());
    play_proposal(store, "one", definition_text("one"));
  }
  ASSERT_EQ(workspace.assay({"index"}).code, 0);
  const std::string path = workspace.path("results/records/0001-one.json");
  const std::string whole = read_text(path);
  const auto in_place = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    text.replace(text.find(from), from.size(), to);
    write_text(path, text);
  };
  const std::string acts = "\\u001b[31mRED\\u001b]0;title\\u0007\\u009b2J";
  write_text(workspace.path("results/records/\x1b[31m\xff.json"), "{}");
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"\"slug\": \"one\"", "\"slug\": \"" + acts + "\""},
           {"\"kind\": \"run-opened\"", "\"kind\": \"" + acts + "\""},
           {"\"blobs\": {}", "\"blobs\": {\"" + acts + "\": \"\"}"}}) {
    in_place(from, to);
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {"query"}, {"check"}, {"check", "--json"}, {"note", "one", "x"}}) {
      const Finished done = workspace.assay(words);
      EXPECT_EQ(done.code, 3) << words[0] << done.err;
      EXPECT_EQ(what_acts(done.out + done.err), "") << words[0] << ": " << to;
      if (words.size() == 2) EXPECT_TRUE(nlohmann::json::accept(done.out)) << done.out;
    }
  }
}

}  // namespace
}  // namespace assay
