// `assay model quantize`: a model file in another mixture, and what was done to say aloud.
#pragma once

#include <functional>
#include <string>

namespace assay {

struct QuantizeCommand {
  std::string in;    // a file, or "embedded"
  std::string out;   // must not exist
  std::string type;  // a mixture's name
  int threads = 1;
  bool json = false;
  std::function<bool()> stop = {};  // asked now and then; empty: never
};

// Prints what was written, and on standard error every tensor type that could not be had.
// Error(kUsage) with nothing written.
void run_quantize(const QuantizeCommand& command);

}  // namespace assay
