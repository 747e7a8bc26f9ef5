// One request line out, one reply line in, with a watchdog on progress.
//
// All three pipes are served in one poll loop, so neither side can block the other: a request
// larger than a pipe, a worker that fills its standard error, a reply of megabytes. Standard error
// is kept to its last 4 KB. The loop wakes for data at once and for the watchdog, or a
// wish to stop, every 20 ms.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "gates/process/worker_process.h"

namespace assay {

enum class ExchangeEnd {
  kReply,      // a whole line arrived
  kClosed,     // the worker closed its side, or died
  kStalled,    // no progress for the limit
  kTooLong,    // the whole request took longer than its limit
  kStopped,    // the command was asked to end
  kOversized,  // a reply without end
  kUnasked,    // bytes that no request asked for
};

struct ExchangeLimits {
  double stall_s;
  double wall_s;
  const std::function<bool()>& stop;  // empty: never
};

class LineChannel {
 public:
  LineChannel(const WorkerProcess& process, const ProgressPage& progress)
      : process_(process), progress_(progress) {}

  // Sends `request` and a newline; `reply` receives a line without its newline.
  ExchangeEnd exchange(const std::string& request, const ExchangeLimits& limits,
                       std::string& reply);
  // Reads what is left on standard error; after the end of the process, all of it.
  void drain_errors();

  const std::string& error_tail() const { return error_tail_; }
  std::int64_t last_exchange_ns() const { return last_exchange_ns_; }  // CLOCK_MONOTONIC
  static constexpr std::size_t kLongestReply = 64u << 20;
  static constexpr std::size_t kErrorTail = 4096;

 private:
  ExchangeEnd serve(const std::string& request, const ExchangeLimits& limits);
  bool send(const std::string& request, std::size_t& sent);
  bool receive();

  const WorkerProcess& process_;
  const ProgressPage& progress_;
  std::string received_;
  std::size_t line_end_ = std::string::npos;
  std::string error_tail_;
  bool errors_open_ = true;
  std::int64_t last_exchange_ns_ = 0;
};

}  // namespace assay
