#include "gates/adversaries/laboratory.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>

#include "engine/core/error.h"
#include "engine/core/sha256.h"
#include "gates/gate_ab.h"
#include "gates/landing.h"
#include "gates/statistics/ledger.h"
#include "gates/statistics/pair_value.h"

namespace assay::adversaries {
namespace {

constexpr double kLaunchNoise = 0.02;   // uniform, of a process for life
constexpr double kRequestNoise = 0.01;  // uniform, of a request
constexpr double kHistorySd = 0.0005;

// The store's Journal; says what it has committed.
class WatchedJournal : public Journal {
 public:
  using Saw = std::function<void(EventKind, const nlohmann::json&)>;
  WatchedJournal(Journal& into, Saw saw) : into_(into), saw_(std::move(saw)) {}

  int number_for(const std::string& slug) override { return into_.number_for(slug); }
  std::string open_run(const std::string& slug, const RunOpened& opened) override {
    std::string run = into_.open_run(slug, opened);
    saw_(EventKind::kRunOpened, opened);
    return run;
  }
  void append(const std::string& run, EventKind kind, const nlohmann::json& body) override {
    into_.append(run, kind, body);
    saw_(kind, body);
  }
  AdmissionResult open_attempt(const std::string& run, const AttemptOpened& attempt,
                               const std::map<std::string, std::string>& blobs) override {
    AdmissionResult result = into_.open_attempt(run, attempt, blobs);
    saw_(EventKind::kAttemptOpened, attempt);
    return result;
  }
  std::string end_run(const std::string& run, const RunEnded& ended) override {
    std::string seal = into_.end_run(run, ended);
    saw_(EventKind::kRunEnded, ended);
    return seal;
  }

 private:
  Journal& into_;
  Saw saw_;
};

}  // namespace

Laboratory::Laboratory() {
  workspace.scenario["noise"] = kRequestNoise;
  workspace.scenario["launch_noise"] = kLaunchNoise;
  workspace.set(SimulatedWorkspace::kCandidate, "factor", kOnTheBar);
}

std::string Laboratory::database() const {
  return fmt::format("{}/history-{}.db", workspace.path(), seed_);
}

void Laboratory::begin(std::uint64_t seed) {
  for (const char* part : {"", "-wal", "-shm"}) std::filesystem::remove(database() + part);
  seed_ = seed;
  workspace.scenario["seed"] = seed;
  workspace.save();
  Store store(database());
  store.together([&] { workspace.calibrated(store, kHistorySd); });
  store.together([&] { workspace.propose(store); });
}

void Laboratory::propose() {
  Store store(database());
  store.together([&] { workspace.propose(store); });
}

// As every command that writes does at its start.
void Laboratory::end_dead_runs(Store& store) const {
  const std::vector<OpenIntent> landing = open_intents(store);
  for (const Store::StoredRun& run : store.unfinished_runs()) {
    const bool waits = std::any_of(landing.begin(), landing.end(),
                                   [&](const OpenIntent& open) { return open.run == run.id; });
    if (!waits) store.end_run(run.id, {"killed", -1, "the process ended before the run did"});
  }
}

RunOutcome Laboratory::run_with(Store& store,
                                const std::function<void(EventKind, const nlohmann::json&)>& saw,
                                const std::function<bool()>& stop) {
  end_dead_runs(store);
  WatchedJournal journal(store, saw);
  said.clear();
  const RunContext context{store,
                           journal,
                           workspace.path(),
                           workspace.worker(),
                           "assay run",
                           [this](const std::string& line) { said.push_back(line); },
                           stop};
  try {
    return run_experiment(workspace.definition(), workspace.options, context);
  } catch (const Error& error) {
    return {error.exit_code(), "thrown", error.what(), ""};
  }
}

RunOutcome Laboratory::run(const Watch& watch) {
  Store store(database());
  bool stop = false;
  return run_with(
      store,
      [&](EventKind kind, const nlohmann::json& body) {
        stop = stop || (watch && watch(kind, body));
      },
      [&] { return stop; });
}

bool Laboratory::run_and_kill(int commits) {
  const pid_t child = fork();
  if (child == 0) {
    Store store(database());
    int seen = 0;
    run_with(
        store,
        [&](EventKind, const nlohmann::json&) {
          if (++seen == commits) raise(SIGKILL);
        },
        [] { return false; });
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status);
}

ExperimentView Laboratory::view_of(const std::string& slug) const {
  return fold(Store(database()).events(slug));
}

std::vector<Event> Laboratory::events(const std::string& slug) const {
  return Store(database()).events(slug);
}

std::vector<double> Laboratory::beyond_the_bar() const {
  std::vector<double> values;
  const ExperimentView now = view();
  if (now.attempts.empty()) return values;
  const std::vector<PairSample>& samples = now.attempts.back().samples;
  for (const PairSample& sample : samples) {
    if (sample.stage != "ab" || sample.environment != samples.back().environment) continue;
    values.push_back(pair_value(sample.labels, sample.worker_ns) - std::log1p(kBar));
  }
  return values;
}

void Laboratory::rebuild_worker() {
  std::ofstream(workspace.worker(), std::ios::binary | std::ios::app) << "another build";
  workspace.manifest.worker_sha256 = sha256_file(workspace.worker());
  workspace.save();
}

namespace {

int pairs_in(std::span<const PairSample> samples) {
  return static_cast<int>(std::count_if(samples.begin(), samples.end(),
                                        [](const PairSample& one) { return one.stage == "ab"; }));
}

void check_attempt(const AttemptView& attempt, const std::string& at,
                   std::vector<std::string>& broken) {
  const AbPlan plan = attempt.plan->at("plan").get<AbPlan>();
  std::map<std::string, int> ordinals;
  for (const PairSample& sample : attempt.samples) {
    if (sample.ordinal == ordinals[sample.stage]++) continue;
    broken.push_back(
        fmt::format("{}: pair {} of stage {} out of its place", at, sample.ordinal, sample.stage));
  }
  std::size_t look = 0;
  for (const Look& taken : attempt.looks) {
    if (taken.stage != "ab") continue;
    if (look >= plan.looks.size() || taken.pairs != plan.looks[look].pairs) {
      broken.push_back(fmt::format("{}: look {} at {} pairs", at, look + 1, taken.pairs));
    }
    ++look;
  }
  const AbJudgement judged = judge(plan, launch_pairs(attempt.samples));
  const double alpha = ledger_row("", 1, plan, judged).alpha;
  if (alpha > kAttemptAlpha * 1.001) broken.push_back(fmt::format("{}: alpha {}", at, alpha));
  const std::span<const PairSample> samples = attempt.samples;
  const int counted = pairs_in(samples);
  const int pooled = pairs_in(samples.subspan(judged.pooled_from, judged.pooled));
  const bool ends_at_a_change = judged.sentence.starts_with("the environment changed");
  if (!ends_at_a_change && pooled + judged.set_aside != counted) {
    broken.push_back(fmt::format("{}: {} pairs pooled and {} set aside of {}", at, pooled,
                                 judged.set_aside, counted));
  }
}

}  // namespace

std::vector<std::string> broken_rules(const Laboratory& lab, const std::string& slug) {
  const ExperimentView view = lab.view_of(slug);
  std::vector<std::string> broken = recheck_verdicts(view);
  std::size_t pooled = 0;
  for (const AttemptView& attempt : view.attempts) {
    pooled += attempt.samples.size();
    if (!attempt.plan) continue;
    check_attempt(attempt, fmt::format("{} attempt {}", slug, attempt.opened.ordinal), broken);
  }
  std::size_t committed = 0;
  std::size_t plans = 0;
  for (const Event& event : lab.events(slug)) {
    committed += event.kind == EventKind::kSample;
    plans += event.kind == EventKind::kPlanFrozen;
  }
  if (committed != pooled) {
    broken.push_back(
        fmt::format("{}: {} samples committed, {} belong to an attempt", slug, committed, pooled));
  }
  if (plans > view.attempts.size()) broken.push_back(slug + ": a plan was frozen again");
  return broken;
}

}  // namespace assay::adversaries
