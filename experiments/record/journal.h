// Appending to history. `recorder` implements it; every call is one committed transaction.
#pragma once

#include <string>

#include "experiments/record/event.h"
#include "experiments/record/view.h"

namespace assay {

class Journal {
 public:
  virtual ~Journal() = default;
  // Allocates the record number of a slug (or returns the one it has).
  virtual int number_for(const std::string& slug) = 0;
  // Opens a run and writes its first event; returns the run's id.
  virtual std::string open_run(const std::string& slug, const RunOpened& opened) = 0;
  virtual void append(const std::string& run, EventKind kind, const nlohmann::json& body) = 0;
  // Reads the experiment, applies `admit`, and appends AttemptOpened where it says kNew (with the
  // ordinal) or kResume/kRedAgain (same ordinal again, so that the run is the attempt's): one
  // transaction. Blobs of sources are stored in it.
  virtual AdmissionResult open_attempt(const std::string& run, const AttemptOpened& attempt,
                                       const std::map<std::string, std::string>& blobs) = 0;
  // Writes RunEnded and seals the run: SHA-256 over the previous seal of the experiment and the
  // canonical JSON of the run's events. Returns the seal.
  virtual std::string end_run(const std::string& run, const RunEnded& ended) = 0;
};

}  // namespace assay
