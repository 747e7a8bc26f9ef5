#include "gates/process/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "engine/core/error.h"

namespace assay {
namespace {

constexpr int kProgressFd = 3;

[[noreturn]] void fail(const std::string& what) {
  throw Error(ErrorKind::kBaseline, fmt::format("worker: {}: {}", what, std::strerror(errno)));
}

// Moves a descriptor above those that the child is given, so that no dup2 there can overwrite it.
OwnedFd above_standard(int fd) {
  OwnedFd low(fd);
  OwnedFd high(fcntl(fd, F_DUPFD_CLOEXEC, 10));
  if (high.get() < 0) fail("no file descriptor left");
  return high;
}

struct Pipe {
  OwnedFd read_end, write_end;
};

Pipe make_pipe() {
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC) != 0) fail("no pipe");
  OwnedFd second(ends[1]);
  Pipe pipe;
  pipe.read_end = above_standard(ends[0]);
  pipe.write_end = above_standard(fcntl(second.get(), F_DUPFD_CLOEXEC, 10));
  return pipe;
}

void set_nonblocking(int fd) {
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

struct ChildSetup {
  const char* path;
  char* const* argv;
  int input, output, error, progress, report;
  int nice;
  pid_t parent;
};

[[noreturn]] void give_up(int report) {
  const int number = errno;
  const ssize_t written = write(report, &number, sizeof number);
  _exit(written == sizeof number ? 127 : 126);
}

// In the child, between fork and exec: async-signal-safe calls only.
[[noreturn]] void become_worker(const ChildSetup& setup) {
  setpgid(0, 0);
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) give_up(setup.report);
  if (getppid() != setup.parent) _exit(126);  // the runner died before the request was in place
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD}) {
    sigaction(signal, &standard, nullptr);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (setup.nice != 0) setpriority(PRIO_PROCESS, 0, setup.nice);
  if (dup2(setup.input, 0) < 0 || dup2(setup.output, 1) < 0 || dup2(setup.error, 2) < 0 ||
      dup2(setup.progress, kProgressFd) < 0) {
    give_up(setup.report);
  }
  execv(setup.path, setup.argv);
  give_up(setup.report);
}

// Reads the child's error number; 0 when exec closed the pipe.
int start_error(int report) {
  int number = 0;
  ssize_t got;
  do {
    got = read(report, &number, sizeof number);
  } while (got < 0 && errno == EINTR);
  return got == sizeof number ? number : 0;
}

bool has_ended(pid_t pid) {
  siginfo_t info = {};
  return waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == pid;
}

void sleep_ms(long milliseconds) {
  const timespec pause = {0, milliseconds * 1'000'000};
  nanosleep(&pause, nullptr);
}

}  // namespace

OwnedFd& OwnedFd::operator=(OwnedFd&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = other.fd_;
    other.fd_ = -1;
  }
  return *this;
}

void OwnedFd::reset() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

ProgressPage::ProgressPage() {
  const int fd = memfd_create("assay-progress", MFD_CLOEXEC);
  if (fd < 0) fail("no memory for the progress page");
  fd_ = above_standard(fd);
  if (ftruncate(fd_.get(), kBytes) != 0) fail("no memory for the progress page");
  page_ = mmap(nullptr, kBytes, PROT_READ, MAP_SHARED, fd_.get(), 0);
  if (page_ == MAP_FAILED) fail("no memory for the progress page");
}

ProgressPage::~ProgressPage() {
  munmap(page_, kBytes);
}

std::uint64_t ProgressPage::count() const {
  return __atomic_load_n(static_cast<const std::uint64_t*>(page_), __ATOMIC_RELAXED);
}

std::string ProcessEnd::text() const {
  if (!by_signal) return fmt::format("exit status {}", value);
  return fmt::format("signal {} ({})", value, strsignal(value));
}

WorkerProcess::WorkerProcess(const std::string& path, const ProgressPage& progress, int nice) {
  Pipe input = make_pipe();
  Pipe output = make_pipe();
  Pipe error = make_pipe();
  Pipe report = make_pipe();
  std::string program = path;
  std::string option = "--progress";
  std::string page = fmt::format("/proc/self/fd/{}", kProgressFd);
  const std::array<char*, 4> argv = {program.data(), option.data(), page.data(), nullptr};
  const ChildSetup setup = {program.c_str(),
                            argv.data(),
                            input.read_end.get(),
                            output.write_end.get(),
                            error.write_end.get(),
                            progress.fd(),
                            report.write_end.get(),
                            nice,
                            getpid()};
  pid_ = fork();
  if (pid_ < 0) fail("fork");
  if (pid_ == 0) become_worker(setup);
  setpgid(pid_, pid_);  // here too: whoever comes first
  report.write_end.reset();
  if (const int number = start_error(report.read_end.get()); number != 0) {
    end(1.0);
    throw Error(ErrorKind::kBaseline,
                fmt::format("worker {}: cannot be started: {}; build the program assay-worker, or "
                            "name another file",
                            path, std::strerror(number)));
  }
  requests_ = std::move(input.write_end);
  replies_ = std::move(output.read_end);
  errors_ = std::move(error.read_end);
  for (const int fd : {requests_.get(), replies_.get(), errors_.get()}) set_nonblocking(fd);
}

WorkerProcess::~WorkerProcess() {
  end(0);
}

ProcessEnd WorkerProcess::end(double grace_s) {
  if (reaped_) return end_;
  for (int waited_ms = 0; !has_ended(pid_) && waited_ms < grace_s * 1000; waited_ms += 2) {
    sleep_ms(2);
  }
  end_.by_us = !has_ended(pid_);
  kill(-pid_, SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  reaped_ = true;
  end_.by_signal = WIFSIGNALED(status);
  end_.value = end_.by_signal ? WTERMSIG(status) : WEXITSTATUS(status);
  return end_;
}

}  // namespace assay
