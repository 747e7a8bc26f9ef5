// The tracer of a program that was built without a CUDA compiler: it cannot be opened.
#include "engine/core/error.h"
#include "engine/worker/kernel_trace.h"

namespace assay {

struct KernelTrace::State {};

KernelTrace::KernelTrace(std::unique_ptr<State> state) : state_(std::move(state)) {}
KernelTrace::~KernelTrace() = default;

std::unique_ptr<KernelTrace> KernelTrace::open() {
  throw Error(ErrorKind::kEnvironment, "profile: this build has no CUDA side");
}

void KernelTrace::start() {}
KernelRecords KernelTrace::stop() {
  return {};
}

}  // namespace assay
