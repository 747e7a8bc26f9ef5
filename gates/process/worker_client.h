// One worker process, seen from the runner: requests out, replies or faults back.
//
// A fault (crash, hang, a death by a signal from outside, a reply that is not of the protocol) is a
// value, since gates record it. A hang is the absence of *progress*: the worker counts work units
// in a shared page, and the client kills the whole process group when the count stands still for
// `stall_limit_s`, or when a request outlasts `wall_limit_s`. A command that is asked to end early
// says so in `stop`: no request is sent any more, and a worker that is still at one is killed. No
// worker outlives its runner.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "engine/core/error.h"
#include "engine/protocol/messages.h"

namespace assay {

struct WorkerOptions {
  std::string path;           // of assay-worker
  double stall_limit_s = 20;  // no progress for this long is a hang
  double wall_limit_s = 600;  // backstop for one request
  int nice = 0;
  std::function<bool()> stop = {};  // asked every 20 ms; empty: never
};

enum class FaultKind {
  kCrash,     // died of a signal of its own making, or exited
  kHang,      // stood still; killed by the client
  kKilled,    // SIGKILL or SIGTERM that the client did not send
  kStopped,   // the command was asked to end; killed by the client
  kProtocol,  // a reply that cannot be read
  kRefused,   // the worker answered with an error
};
std::string to_string(FaultKind kind);

struct WorkerFault {
  FaultKind kind = FaultKind::kCrash;
  ErrorKind error_kind = ErrorKind::kInternal;  // for kRefused
  std::string request;                          // the request under way
  std::string detail;                           // "signal 11 (Segmentation fault) in `work`"
  std::string stderr_tail;                      // the last 4 KB it wrote
};

template <typename T>
using WorkerResult = std::variant<T, WorkerFault>;

class WorkerClient {
 public:
  // Starts the process. Error(kBaseline) when it cannot be started at all.
  explicit WorkerClient(const WorkerOptions& options);
  ~WorkerClient();  // kills the process group and reaps
  WorkerClient(WorkerClient&&) noexcept;
  WorkerClient& operator=(WorkerClient&&) noexcept;

  WorkerResult<HelloReply> hello();
  WorkerResult<LoadReply> load(const LoadRequest& request);
  WorkerResult<TokenizeReply> tokenize(const TokenizeRequest& request);
  WorkerResult<DetokenizeReply> detokenize(const DetokenizeRequest& request);
  WorkerResult<WorkReply> work(const WorkRequest& request);
  WorkerResult<PlanReply> plan(const WorkRequest& request);
  WorkerResult<ProfileReply> profile(const WorkRequest& request);
  WorkerResult<KernelCasesReply> kernel_cases(const KernelCasesRequest& request);
  WorkerResult<HealthReply> health();

  int pid() const;
  // Wall time of the last request by the runner's own clock, ns.
  std::int64_t last_request_ns() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The value, or Error: kRefused keeps the worker's error kind, kStopped is kInconclusive, every
// other fault is kBaseline. For commands that need a worker but judge nothing.
template <typename T>
T value_or_throw(WorkerResult<T> result);
[[noreturn]] void throw_fault(const WorkerFault& fault);

template <typename T>
T value_or_throw(WorkerResult<T> result) {
  if (const auto* fault = std::get_if<WorkerFault>(&result)) throw_fault(*fault);
  return std::get<T>(std::move(result));
}

}  // namespace assay
