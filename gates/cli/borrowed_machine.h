// For tests of export and import: a workspace elsewhere, with a database, in which experiments are
// really run (on simulated workers) and really land.
#pragma once

#include <map>
#include <string>

#include "gates/cli/driven_program.h"
#include "gates/simulated_workspace.h"

namespace assay {

class BorrowedMachine {
 public:
  // A/A effects of the workloads, as `calibrate` stores them.
  BorrowedMachine();
  // Proposes and runs rms_norm's second point, ten percent faster or slower than in service; the
  // map, records and index are as the command leaves them. The state that it ended in.
  ExperimentState run_unroll_two(double factor = 0.9);
  // The same with a tile of the prefill attention, of 64 or of 128, as `slug`.
  ExperimentState run_tile(const std::string& slug, const std::string& variant,
                           double factor = 0.9);

  Finished assay(const std::vector<std::string>& arguments) const {
    return run_assay(lab.path(), arguments);
  }
  // `assay export` into this file, which must work.
  std::string exported(const std::string& name = "history.assay") const;
  std::string path(const std::string& relative) const { return lab.path() + "/" + relative; }

  SimulatedWorkspace lab;

 private:
  ExperimentState run();
};

// Every file below these folders of a workspace but databases and locks: path -> text.
std::map<std::string, std::string> files_of(const std::string& root);

}  // namespace assay
