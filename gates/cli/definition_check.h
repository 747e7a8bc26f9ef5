// What `check` says of frozen definitions: the earlier work that they name is of this history, and
// the author's file still says what was frozen.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "experiments/record/view.h"
#include "gates/cli/workspace.h"

namespace assay {

// Whether no other text may be proposed any more: something came of this one.
bool is_settled(const ExperimentView& view);

class DefinitionCheck {
 public:
  explicit DefinitionCheck(const Workspace& workspace);
  // Lines that say what is wrong and what to do; for any thread.
  std::vector<std::string> faults(const ExperimentLabel& label, const ExperimentView& view) const;

 private:
  std::vector<std::string> unknown_references(const std::string& name,
                                              const std::string& text) const;

  std::string edited(const ExperimentLabel& label, std::string frozen) const;

  std::string root_;
  // Nothing where a record or an entry could not be read: what is named may be that one.
  std::optional<std::set<std::string>> experiments_, historical_;
};

}  // namespace assay
