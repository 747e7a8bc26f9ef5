// `assay model synth`: the bytes that `-m synth:SHAPE-QUANT` has in memory, as a file that other
// engines can load.
#pragma once

#include <functional>
#include <string>

namespace assay {

struct SynthCommand {
  std::string name;  // SHAPE-QUANT[@SEED]
  std::string out;   // must not exist
  bool json = false;
  std::function<bool()> stop = {};  // asked now and then; empty: never
};

// Prints what was written. Error(kUsage) with nothing written.
void run_synth(const SynthCommand& command);

}  // namespace assay
