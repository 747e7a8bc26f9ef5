#include "gates/cli/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

extern char** environ;

namespace assay {
namespace {

std::vector<char*> pointers_of(const std::vector<std::string>& arguments) {
  std::vector<char*> pointers;
  for (const std::string& argument : arguments)
    pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

constexpr std::array<int, 3> kPassedOn = {SIGTERM, SIGHUP, SIGINT};
volatile std::sig_atomic_t companion = 0;

void pass_on(int signal) {
  if (companion > 0) ::kill(static_cast<pid_t>(companion), signal);
}

// Signals are passed on while it lives; those that this program ignores stay ignored.
class PassedSignals {
 public:
  PassedSignals() {
    sigset_t passed;
    sigemptyset(&passed);
    for (const int signal : kPassedOn) sigaddset(&passed, signal);
    sigprocmask(SIG_BLOCK, &passed, &mask_);
    struct sigaction action {};
    action.sa_handler = pass_on;
    for (std::size_t i = 0; i < kPassedOn.size(); ++i) {
      sigaction(kPassedOn[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) sigaction(kPassedOn[i], &action, nullptr);
    }
  }
  ~PassedSignals() {
    companion = 0;
    restore();
  }
  PassedSignals(const PassedSignals&) = delete;
  PassedSignals& operator=(const PassedSignals&) = delete;

  void unblock() const { sigprocmask(SIG_SETMASK, &mask_, nullptr); }
  void restore() const {
    for (std::size_t i = 0; i < kPassedOn.size(); ++i) {
      sigaction(kPassedOn[i], &before_[i], nullptr);
    }
    unblock();
  }

 private:
  sigset_t mask_{};
  std::array<struct sigaction, kPassedOn.size()> before_{};
};

}  // namespace

int run_companion(const std::vector<std::string>& arguments) {
  std::vector<char*> pointers = pointers_of(arguments);
  const pid_t parent = getpid();
  const PassedSignals signals;
  const pid_t child = fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(0);  // killed before that was set
    signals.restore();
    execv(pointers[0], pointers.data());
    _exit(127);
  }
  if (child < 0) return 127;
  companion = child;
  signals.unblock();
  return wait_for(child);
}

int run_child(const std::vector<std::string>& arguments, bool keep_output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (!keep_output) posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  std::vector<char*> pointers = pointers_of(arguments);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, pointers[0], &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return failed != 0 ? 127 : wait_for(child);
}

std::string first_line_of(const std::vector<std::string>& arguments) {
  std::array<int, 2> pipe_ends{};
  if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> pointers = pointers_of(arguments);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, pointers[0], &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_ends[1]);
  std::string text;
  std::array<char, 512> buffer{};
  ssize_t got = 0;
  while (failed == 0 && (got = read(pipe_ends[0], buffer.data(), buffer.size())) > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  close(pipe_ends[0]);
  if (failed != 0 || wait_for(child) == 127) return {};
  return text.substr(0, text.find('\n'));
}

}  // namespace assay
