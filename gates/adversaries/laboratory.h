// Where adversaries meet the real runner: the gates, the recorder's store on disk and worker
// processes, as `assay run` has them, on a lever that is worth exactly its bar.
//
// Only the worker is simulated: it claims times that follow from a seed, so nothing is waited for.
// Its noise lies between processes (each keeps an offset for life) and between requests. The A/A
// history says next to nothing, so that the pairs' own spread is the standard error: with a history
// that is wide everybody lands less.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gates/simulated_workspace.h"
#include "recorder/store.h"

namespace assay::adversaries {

inline constexpr double kBar = 0.05;
// t(A) / t(B) - 1 of the lever: the bar itself, the hardest case that must not land.
inline constexpr double kOnTheBar = 1 / (1 + kBar);

class Laboratory {
 public:
  Laboratory();

  // Another experiment of the same lever: an empty database, and other noise.
  void begin(std::uint64_t seed);
  // Proposes the definition as it stands.
  void propose();

  // True after an event that was just committed: the run is asked to stop, as by Ctrl-C.
  using Watch = std::function<bool(EventKind kind, const nlohmann::json& body)>;
  // `assay run` of the definition's slug, in this process.
  RunOutcome run(const Watch& watch = {});
  // The same in a process of its own that dies of SIGKILL once it has committed `commits` events;
  // true when it ended before that.
  bool run_and_kill(int commits);

  // What a person can read with `assay query` or `show`.
  ExperimentView view() const { return view_of(workspace.definition().slug); }
  ExperimentView view_of(const std::string& slug) const;
  std::vector<Event> events(const std::string& slug) const;
  // D of each pair of the A/B so far that counts, less the bar.
  std::vector<double> beyond_the_bar() const;
  // Another build of the worker: the code is the same, the program is not.
  void rebuild_worker();

  SimulatedWorkspace workspace;   // definition, options and worker of the next run
  std::vector<std::string> said;  // by the last run

 private:
  RunOutcome run_with(Store& store,
                      const std::function<void(EventKind, const nlohmann::json&)>& saw,
                      const std::function<bool()>& stop);
  void end_dead_runs(Store& store) const;
  std::string database() const;

  std::uint64_t seed_ = 0;
};

// What must hold of an experiment, whoever ran it: every pair that was committed is pooled or named
// as set aside, no look restarts, the plan is frozen once, an attempt spends no more than its
// alpha, and every verdict follows from what is stored. One line for each that does not.
std::vector<std::string> broken_rules(const Laboratory& lab, const std::string& slug);

}  // namespace assay::adversaries
