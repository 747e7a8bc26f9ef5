// For tests: a folder that goes away, and histories played through the Journal as commands would.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "recorder/store.h"

namespace assay {

class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// A valid definition; `title` may be hostile.
std::string definition_text(const std::string& slug, const std::string& title = "KV tile length");

// Sealed run with the proposal.
void play_proposal(Store& store, const std::string& slug, const std::string& definition);

// An open run with an attempt of this fingerprint; its source is stored as a blob.
std::string open_attempt_run(Store& store, const std::string& slug, const std::string& fingerprint,
                             AdmissionResult* result = nullptr);

// A whole run that is red at identity, ended with exit 10. Returns the run.
std::string play_red_run(Store& store, const std::string& slug, const std::string& fingerprint);

struct PlayedTiming {
  std::string verdict = "LAND";
  std::string reason;
  double effect = 0.12;  // of every pair, about
  int pairs = 4;
};
// A whole run with all gates green, timing, looks and a verdict.
std::string play_timed_run(Store& store, const std::string& slug, const std::string& fingerprint,
                           const PlayedTiming& timing);

// A sealed run that calibrates; returns the effect that it journaled.
AaEffect play_calibration(Store& store, const std::string& key);

// Runs a statement on the file behind the store's back.
void tamper(const std::string& database, const std::string& sql);
std::string read_text(const std::string& path);
void write_text(const std::string& path, const std::string& text);

}  // namespace assay
