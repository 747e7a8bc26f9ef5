// What Linux says of this machine, as short texts for people. What cannot be read is empty.
#pragma once

#include <string>

namespace assay {

struct MachineFacts {
  int cores = 0;
  std::string features;   // the instruction sets that kernels here ask for: "avx2 f16c fma ..."
  std::string governor;   // "performance"
  std::string frequency;  // "2.9 GHz now, at most 3.5 GHz"
  std::string load;       // "0.42 over the last minute"
  std::string memory;     // "15.6 GiB, 12.1 GiB free"
  std::string gpu;        // device nodes of a GPU driver
};

MachineFacts machine_facts();

// The program's path when a shell would find it; else empty.
std::string find_program(const std::string& name);

}  // namespace assay
