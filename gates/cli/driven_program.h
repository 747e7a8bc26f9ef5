// For tests: the built program `assay`, run as a user would, in a workspace that goes away.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "recorder/played_history.h"

namespace assay {

struct Finished {
  int code = -1;
  std::string out, err;
};

// Runs `assay` with these arguments in `folder`; `environment` adds to or replaces variables.
Finished run_assay(const std::string& folder, const std::vector<std::string>& arguments,
                   const std::map<std::string, std::string>& environment = {});

// A folder with the project's own service map, nothing proposed.
class TestWorkspace {
 public:
  TestWorkspace();
  const std::string& root() const { return folder_.path(); }
  std::string path(const std::string& relative) const { return root() + "/" + relative; }
  std::string database() const { return path("results/assay.db"); }
  Finished assay(const std::vector<std::string>& arguments,
                 const std::map<std::string, std::string>& environment = {}) const {
    return run_assay(root(), arguments, environment);
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace assay
