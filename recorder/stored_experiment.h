// One experiment as it is stored, read from the database once for all that is made from it, or
// checked of it: its record, its document, its seals, its verdicts. For one thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "recorder/store.h"

namespace assay {

class StoredExperiment {
 public:
  StoredExperiment(const Store& store, const std::string& slug)
      : store_(store), runs_(store.run_texts(slug)) {}

  const std::vector<Store::RunTexts>& runs() const { return runs_; }
  // What Store::events gives, or throws, but for the samples, which sample_of() reads; made when
  // first asked for.
  const std::vector<Event>& events();
  // Those of sealed runs; they live as long as this.
  std::span<const Event> sealed_events();

 private:
  const Store& store_;
  std::vector<Store::RunTexts> runs_;
  std::optional<std::vector<Event>> events_, sealed_;
};

}  // namespace assay
