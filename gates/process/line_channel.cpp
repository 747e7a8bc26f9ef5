#include "gates/process/line_channel.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>

namespace assay {
namespace {

constexpr int kTickMs = 20;
constexpr std::size_t kReadBytes = 64u << 10;

std::int64_t monotonic_ns() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

// Holds SIGPIPE back from this thread, and swallows the one that a write to a dead worker raises.
// The process's own disposition is left alone: it belongs to the program.
class PipeSignalBlocked {
 public:
  PipeSignalBlocked() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~PipeSignalBlocked() {
    const timespec no_wait = {0, 0};
    if (!was_pending_) {
      while (sigtimedwait(&pipe_, nullptr, &no_wait) == SIGPIPE) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  PipeSignalBlocked(const PipeSignalBlocked&) = delete;
  PipeSignalBlocked& operator=(const PipeSignalBlocked&) = delete;

 private:
  sigset_t pipe_, before_;
  bool was_pending_ = false;
};

bool try_again() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

}  // namespace

ExchangeEnd LineChannel::exchange(const std::string& request, const ExchangeLimits& limits,
                                  std::string& reply) {
  const PipeSignalBlocked blocked;
  const std::int64_t start = monotonic_ns();
  const ExchangeEnd end = serve(request + "\n", limits);
  last_exchange_ns_ = monotonic_ns() - start;
  if (end != ExchangeEnd::kReply) return end;
  const bool unasked = line_end_ + 1 != received_.size();
  reply = received_.substr(0, line_end_);
  received_.clear();
  line_end_ = std::string::npos;
  return unasked ? ExchangeEnd::kUnasked : ExchangeEnd::kReply;
}

ExchangeEnd LineChannel::serve(const std::string& request, const ExchangeLimits& limits) {
  if (!receive()) return ExchangeEnd::kClosed;
  if (!received_.empty()) return ExchangeEnd::kUnasked;
  const std::int64_t start = monotonic_ns();
  std::int64_t moved = start;
  std::uint64_t count = progress_.count();
  std::size_t sent = 0;
  while (true) {
    if (limits.stop && limits.stop()) return ExchangeEnd::kStopped;
    const bool writing = sent < request.size();
    std::array<pollfd, 3> watched = {pollfd{process_.replies(), POLLIN, 0},
                                     pollfd{errors_open_ ? process_.errors() : -1, POLLIN, 0},
                                     pollfd{writing ? process_.requests() : -1, POLLOUT, 0}};
    poll(watched.data(), watched.size(), kTickMs);
    if (watched[1].revents != 0) drain_errors();
    if (writing && watched[2].revents != 0 && !send(request, sent)) return ExchangeEnd::kClosed;
    if (watched[0].revents != 0) {
      const bool open = receive();
      if (line_end_ != std::string::npos) return ExchangeEnd::kReply;
      if (!open) return ExchangeEnd::kClosed;
      if (received_.size() > kLongestReply) return ExchangeEnd::kOversized;
    }
    const std::int64_t now = monotonic_ns();
    if (const std::uint64_t latest = progress_.count(); latest != count) {
      count = latest;
      moved = now;
    }
    if (static_cast<double>(now - moved) > limits.stall_s * 1e9) return ExchangeEnd::kStalled;
    if (static_cast<double>(now - start) > limits.wall_s * 1e9) return ExchangeEnd::kTooLong;
  }
}

// False when nobody reads any more.
bool LineChannel::send(const std::string& request, std::size_t& sent) {
  const ssize_t wrote = write(process_.requests(), request.data() + sent, request.size() - sent);
  if (wrote >= 0) {
    sent += static_cast<std::size_t>(wrote);
    return true;
  }
  return try_again();
}

// Reads what is there, up to one line or the longest reply. False at the end of the stream.
bool LineChannel::receive() {
  std::array<char, kReadBytes> buffer;
  while (line_end_ == std::string::npos && received_.size() <= kLongestReply) {
    const ssize_t got = read(process_.replies(), buffer.data(), buffer.size());
    if (got == 0) return false;
    if (got < 0) return try_again();
    const std::size_t searched = received_.size();
    received_.append(buffer.data(), static_cast<std::size_t>(got));
    line_end_ = received_.find('\n', searched);
  }
  return true;
}

void LineChannel::drain_errors() {
  std::array<char, kReadBytes> buffer;
  while (errors_open_) {
    const ssize_t got = read(process_.errors(), buffer.data(), buffer.size());
    if (got < 0) {
      errors_open_ = try_again();
      break;
    }
    if (got == 0) errors_open_ = false;
    error_tail_.append(buffer.data(), static_cast<std::size_t>(got));
    if (error_tail_.size() > kErrorTail) error_tail_.erase(0, error_tail_.size() - kErrorTail);
  }
}

}  // namespace assay
