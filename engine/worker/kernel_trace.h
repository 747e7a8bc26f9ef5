// Records of the kernels that this process runs on a GPU, one by one, from the driver's tracer
// (CUPTI).
//
// Each record says which variant's launcher enqueued the kernel. Names cannot say it: mechanisms
// share kernels (`separate` compounds are other ops' kernels) and the vendor's library has its own.
// So the tracer is called back at every call into the driver, and at every node that a capture
// makes, and asks which launch counter rose last (launch_watch.h). A replayed graph's kernels carry
// the numbers of its nodes. Rejected: marks in the launchers, which would change the code that is
// traced.
//
// CUPTI is no dependency of the build's result: dlopen looks for it, and only open() does. Open
// before the CUDA work of a load, and start before it, too: what is captured untraced cannot be
// told apart.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/worker/launch_watch.h"

namespace assay {

struct TracedKernel {
  std::string name;  // demangled
  std::int64_t start_ns = 0, end_ns = 0;
  int registers = 0;                          // per thread
  int static_shared = 0, dynamic_shared = 0;  // bytes per block
  std::array<int, 3> grid = {}, block = {};
  std::uint64_t replay = 0;  // which launch of a graph it belongs to; 0: launched by itself
  WatchedLaunch launch;      // of cuda_registry()
};

struct KernelRecords {
  std::vector<TracedKernel> kernels;  // by rising start
  std::uint64_t dropped = 0;          // records that were lost or have no times
};

class KernelTrace {
 public:
  // One at a time. Error(kEnvironment) where CUPTI cannot be loaded, lacks a function or refuses.
  static std::unique_ptr<KernelTrace> open();
  ~KernelTrace();
  KernelTrace(const KernelTrace&) = delete;
  KernelTrace& operator=(const KernelTrace&) = delete;

  void start();          // forgets what was recorded; may be called again
  KernelRecords stop();  // waits for the device

  struct State;

 private:
  explicit KernelTrace(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace assay
