// Launches of variants on operands that are on the device already, and the lines they add to.
#pragma once

#include <memory>
#include <vector>

#include "kernels/cuda_sweep/device.cuh"
#include "kernels/cuda_sweep/sweep.h"
#include "kernels/matmul/cublaslt.h"
#include "kernels/registry_cuda.h"

namespace assay::sweep {

// A variant of the part that runs, with what is known of it so far.
struct Subject {
  const CudaVariant* variant;
  Line line;
};

class Launcher {
 public:
  explicit Launcher(cudaStream_t stream) : stream_(stream) { need(0); }

  // Room for a matrix of so many elements; whatever is there is poisoned.
  void need(std::size_t matrix_elements);
  // The first bytes of the workspace become NaN again.
  void poison(std::size_t bytes) const;
  void poison() const { poison(workspace_.bytes()); }
  // The vendor's library, opened at the first call; null where there is none.
  CublasLt* blas();

  // Enqueues; a launch that the variant did not count is noted in its line.
  template <typename Args>
  void launch(Subject& subject, const Args& args, int context = 1,
              const std::int32_t* position = nullptr) {
    CudaLaunch cuda{.stream = static_cast<void*>(stream_),
                    .position = position,
                    .context = context,
                    .workspace = workspace_.data(),
                    .workspace_bytes = workspace_.bytes(),
                    .blas = blas_.get()};
    const std::uint64_t before = *subject.variant->launches;
    subject.variant->launch(&args, cuda);
    if (*subject.variant->launches != before + 1) ++subject.line.uncounted;
  }

 private:
  cudaStream_t stream_;
  DeviceArray<std::byte> workspace_;
  std::unique_ptr<CublasLt> blas_;
  bool looked_for_blas_ = false;
};

// The chosen variants of ops that begin with `op`, with empty lines.
std::vector<Subject> subjects_of(const Options& options, std::string_view op, const char* part);

// Runs body(subject) for each subject that has not failed to run, and adds its seconds; an Error
// ends the subject's part.
template <typename Body>
void for_each_subject(std::vector<Subject>& subjects, const Body& body) {
  for (Subject& subject : subjects) {
    if (!subject.line.error.empty() || !subject.line.absent.empty()) continue;
    const Watch watch;
    try {
      body(subject);
    } catch (const Error& error) {
      subject.line.error = error.what();
    }
    subject.line.seconds += watch.seconds();
  }
}

// Runs body(), then reports the subjects' lines. An Error outside a variant's own launches, as
// every call gives after a kernel has died, is noted in each line that has none.
template <typename Body>
void run_and_report(std::vector<Subject>& subjects, const Report& report, const Body& body) {
  if (subjects.empty()) return;
  try {
    body();
  } catch (const Error& error) {
    for (Subject& subject : subjects) {
      if (subject.line.error.empty() && subject.line.absent.empty()) {
        subject.line.error = error.what();
      }
    }
  }
  for (const Subject& subject : subjects) report(subject.line);
}

}  // namespace assay::sweep
