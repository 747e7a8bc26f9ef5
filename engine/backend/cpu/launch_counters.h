// What was launched between two moments, by the variants' own counters.
//
// The counters live beside the launchers and only ever rise; a snapshot at the start of a stretch
// of work and one difference at its end say what ran, whoever launched it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace assay {

class LaunchCounters {
 public:
  LaunchCounters();  // takes the snapshot
  // Variant id -> launches since construction; variants that did not run are absent.
  std::map<std::string, std::uint64_t> since() const;

 private:
  std::vector<std::uint64_t> before_;
};

}  // namespace assay
