// Names of faults, and a fault as an Error for commands that judge nothing.
#include <fmt/format.h>

#include "gates/process/worker_client.h"

namespace assay {

std::string to_string(FaultKind kind) {
  switch (kind) {
    case FaultKind::kCrash:
      return "crash";
    case FaultKind::kHang:
      return "hang";
    case FaultKind::kKilled:
      return "killed";
    case FaultKind::kStopped:
      return "stopped";
    case FaultKind::kProtocol:
      return "protocol";
    case FaultKind::kRefused:
      return "refused";
  }
  throw Error(ErrorKind::kInternal, "to_string: unknown FaultKind");
}

void throw_fault(const WorkerFault& fault) {
  if (fault.kind == FaultKind::kRefused) throw Error(fault.error_kind, fault.detail);
  if (fault.kind == FaultKind::kStopped) {
    throw Error(ErrorKind::kInconclusive, fault.detail + "; run again to go on");
  }
  std::string message = fmt::format("worker: {}: {}", to_string(fault.kind), fault.detail);
  if (!fault.stderr_tail.empty()) message += "\nit wrote:\n" + fault.stderr_tail;
  throw Error(ErrorKind::kBaseline, message);
}

}  // namespace assay
