// A worker as a process: started in a group of its own, ended with the whole group.
//
// Between fork and exec only async-signal-safe calls run, since the runner may have threads. The
// child asks the kernel for SIGKILL when its parent dies, so that it cannot outlive a runner that
// was killed itself; the request belongs to the *thread* that started it, which must therefore live
// as long. posix_spawn was rejected: it cannot ask for that signal.
//
// Invariants
//  1. All descriptors here are closed on exec; the child gets exactly 0, 1, 2 and the progress page
//  as 3.
//  2. The group is killed before its leader is reaped, so its id cannot belong to anybody else yet.
#pragma once

#include <cstdint>
#include <string>

namespace assay {

// A file descriptor that is closed with its owner.
class OwnedFd {
 public:
  OwnedFd() = default;
  explicit OwnedFd(int fd) : fd_(fd) {}
  ~OwnedFd() { reset(); }
  OwnedFd(OwnedFd&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  OwnedFd& operator=(OwnedFd&& other) noexcept;
  int get() const { return fd_; }
  void reset();

 private:
  int fd_ = -1;
};

// A page shared with the worker. Its first 8 bytes are an unsigned count of finished work units in
// the machine's byte order; the worker adds to it, the runner only reads.
class ProgressPage {
 public:
  ProgressPage();  // Error(kBaseline) when memory cannot be had
  ~ProgressPage();
  ProgressPage(const ProgressPage&) = delete;
  ProgressPage& operator=(const ProgressPage&) = delete;
  std::uint64_t count() const;
  int fd() const { return fd_.get(); }
  static constexpr std::size_t kBytes = 4096;

 private:
  OwnedFd fd_;  // an anonymous file
  void* page_ = nullptr;
};

// How a process ended.
struct ProcessEnd {
  bool by_signal = false;
  int value = 0;             // signal number, or exit status
  bool by_us = false;        // we had sent the signal
  std::string text() const;  // "signal 11 (Segmentation fault)", "exit status 3"
};

class WorkerProcess {
 public:
  // Runs `path --progress /proc/self/fd/3`. Error(kBaseline) when it cannot be started.
  WorkerProcess(const std::string& path, const ProgressPage& progress, int nice);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  int pid() const { return pid_; }
  int requests() const { return requests_.get(); }  // write end, non-blocking
  int replies() const { return replies_.get(); }    // read end, non-blocking
  int errors() const { return errors_.get(); }      // read end, non-blocking

  // Waits up to `grace_s` for the process to end by itself, then kills the group in any case.
  // Reaps.
  ProcessEnd end(double grace_s);

 private:
  int pid_ = -1;
  bool reaped_ = false;
  ProcessEnd end_;
  OwnedFd requests_, replies_, errors_;
};

}  // namespace assay
