// Reading history. `recorder` implements it; gates and commands use it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/record/event.h"
#include "experiments/record/view.h"

namespace assay {

struct ExperimentLabel {
  int number = 0;
  std::string slug;
};

class History {
 public:
  virtual ~History() = default;
  // All experiments by number.
  virtual std::vector<ExperimentLabel> experiments() const = 0;
  // Those that may have a run that has not ended; others are allowed among them.
  virtual std::vector<ExperimentLabel> unended() const { return experiments(); }
  // By slug or number ("7", "0007"); nothing when unknown.
  virtual std::optional<ExperimentLabel> find(const std::string& id) const = 0;
  virtual std::vector<Event> events(const std::string& slug) const = 0;
  // The A/A effects with this key measured at or after `since` (UTC text), oldest first.
  virtual std::vector<AaEffect> aa_history(const std::string& key,
                                           const std::string& since) const = 0;
  // The values of the last green baseline gate that anchored `key`: values["anchor_key"] equals it,
  // and no values["anchor_ns"] says that another anchor was met.
  virtual std::optional<nlohmann::json> anchor(const std::string& key) const = 0;
  // Slugs of experiments that used this alpha key in an attempt.
  virtual std::vector<std::string> alpha_users(const std::string& alpha_key) const = 0;
  // A stored blob (candidate source) by its SHA-256; nothing when absent.
  virtual std::optional<std::string> blob(const std::string& sha256) const = 0;
};

}  // namespace assay
