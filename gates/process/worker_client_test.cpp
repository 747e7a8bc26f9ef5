#include "gates/process/worker_client.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>

namespace assay {
namespace {

const std::string kFakeWorker = std::string(ASSAY_BIN) + "/assay_fake_worker";

WorkerOptions quick() {
  WorkerOptions options;
  options.path = kFakeWorker;
  options.stall_limit_s = 0.4;
  options.wall_limit_s = 30;
  return options;
}

LoadRequest behave(const std::string& how) {
  LoadRequest request;
  request.model = how;
  return request;
}

WorkerFault fault_of(WorkerClient& client, const std::string& how) {
  const WorkerResult<LoadReply> result = client.load(behave(how));
  if (const auto* fault = std::get_if<WorkerFault>(&result)) return *fault;
  ADD_FAILURE() << how << ": a reply, no fault";
  return {};
}

// Gone: no such process, or only a zombie that nobody of ours has to reap.
bool is_gone(pid_t pid) {
  if (kill(pid, 0) != 0) return errno == ESRCH;
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(stat, text);
  const std::size_t end = text.rfind(')');
  return end == std::string::npos || text.compare(end, 3, ") Z") == 0;
}

bool soon_gone(pid_t pid) {
  for (int i = 0; i < 500 && !is_gone(pid); ++i) usleep(10'000);
  return is_gone(pid);
}

std::string start_failure(const std::string& path) {
  WorkerOptions options = quick();
  options.path = path;
  try {
    WorkerClient client(options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBaseline);
    return error.what();
  }
  return "started";
}

TEST(WorkerClient, AnswersInOrder) {
  WorkerClient client(quick());
  EXPECT_EQ(value_or_throw(client.hello()).program, "fake");
  LoadRequest load = behave("plain");
  load.threads = 7;
  EXPECT_EQ(value_or_throw(client.load(load)).threads, 7);
  EXPECT_EQ(value_or_throw(client.health()).served, 0u);
  EXPECT_GT(client.last_request_ns(), 0);
  EXPECT_GT(client.pid(), 0);
}

TEST(WorkerClient, AWishToStopEndsAWorkerThatIsWaitedFor) {
  WorkerOptions options = quick();
  options.stall_limit_s = 600;
  int asked = 0;
  options.stop = [&] { return ++asked > 5; };
  WorkerClient client(options);
  const pid_t pid = client.pid();
  const WorkerFault fault = fault_of(client, "hang");
  EXPECT_EQ(fault.kind, FaultKind::kStopped);
  EXPECT_EQ(fault.detail, "stopped in `load`");
  EXPECT_TRUE(is_gone(pid));
  try {
    throw_fault(fault);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInconclusive);
    EXPECT_STREQ(error.what(), "stopped in `load`; run again to go on");
  }
}

TEST(WorkerClient, CarriesARequestLargerThanAPipe) {
  WorkerClient client(quick());
  TokenizeRequest request;
  request.text.assign(3'000'000, 'a');
  EXPECT_EQ(value_or_throw(client.tokenize(request)).tokens, std::vector<std::int32_t>{3'000'000});
}

TEST(WorkerClient, TextThatIsNotUtf8IsBadInput) {
  WorkerClient client(quick());
  TokenizeRequest request;
  request.text = "\xff";
  try {
    client.tokenize(request);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_STREQ(error.what(), "request `tokenize`: a text in it is not UTF-8");
  }
  EXPECT_EQ(value_or_throw(client.hello()).program, "fake");
}

TEST(WorkerClient, StandingStillIsAHangAndEndsTheProcess) {
  WorkerClient client(quick());
  const WorkerFault fault = fault_of(client, "hang");
  EXPECT_EQ(fault.kind, FaultKind::kHang);
  EXPECT_EQ(fault.request, "load");
  EXPECT_EQ(fault.detail, "no progress for 0.4 s in `load`");
  EXPECT_TRUE(is_gone(client.pid()));
}

TEST(WorkerClient, SlowWorkThatProgressesIsNoHang) {
  WorkerClient client(quick());  // 1.5 s of work against a limit of 0.4 s without progress
  EXPECT_EQ(value_or_throw(client.load(behave("slow"))).name, "slow");
}

TEST(WorkerClient, ProgressWithoutEndHitsTheWallLimit) {
  WorkerOptions options = quick();
  options.wall_limit_s = 0.5;
  WorkerClient client(options);
  const WorkerFault fault = fault_of(client, "endless");
  EXPECT_EQ(fault.kind, FaultKind::kHang);
  EXPECT_EQ(fault.detail, "`load` took longer than 0.5 s");
}

TEST(WorkerClient, DyingOfItsOwnSignalIsACrash) {
  WorkerClient client(quick());
  const WorkerFault fault = fault_of(client, "segv");
  EXPECT_EQ(fault.kind, FaultKind::kCrash);
  EXPECT_EQ(fault.detail, "signal 11 (Segmentation fault) in `load`");
}

TEST(WorkerClient, ExitingIsACrash) {
  WorkerClient client(quick());
  const WorkerFault fault = fault_of(client, "exit");
  EXPECT_EQ(fault.kind, FaultKind::kCrash);
  EXPECT_EQ(fault.detail, "exit status 3 in `load`");
}

TEST(WorkerClient, ABusErrorPointsAtTheModelFile) {
  WorkerClient client(quick());
  ASSERT_EQ(kill(client.pid(), SIGBUS), 0);
  const WorkerFault fault = fault_of(client, "plain");
  EXPECT_EQ(fault.kind, FaultKind::kCrash);
  EXPECT_EQ(fault.detail,
            "signal 7 (Bus error) in `load`: the model file may have been changed or cut short "
            "meanwhile");
}

TEST(WorkerClient, ASignalFromOutsideIsToldFromACrash) {
  for (const int signal : {SIGKILL, SIGTERM}) {
    WorkerClient client(quick());
    ASSERT_EQ(kill(client.pid(), signal), 0);
    const WorkerFault fault = fault_of(client, "plain");
    EXPECT_EQ(fault.kind, FaultKind::kKilled) << fault.detail;
    EXPECT_EQ(fault.detail, signal == SIGKILL ? "signal 9 (Killed) in `load`"
                                              : "signal 15 (Terminated) in `load`");
  }
}

TEST(WorkerClient, AWorkerThatIsGoneStaysGoneForTheSameReason) {
  WorkerClient client(quick());
  fault_of(client, "exit");
  const WorkerFault again = fault_of(client, "plain");
  EXPECT_EQ(again.kind, FaultKind::kCrash);
  EXPECT_EQ(again.detail, "exit status 3 in `load`");
}

TEST(WorkerClient, WhatIsNoReplyIsAProtocolFault) {
  const std::pair<const char*, const char*> cases[] = {
      {"garbage", "not a reply to `load`: Segment 7 done, all fine"},
      {"other reply", "not a reply to `load`: {\"reply\":\"work\"}"},
      {"two lines", "more than one line around `load`"},
      {"huge", "the reply to `load` is longer than 64 MiB"},
      {"close", "closed its output in `load` and went on running"}};
  for (const auto& [how, detail] : cases) {
    WorkerOptions options = quick();
    options.stall_limit_s = 20;
    WorkerClient client(options);
    const WorkerFault fault = fault_of(client, how);
    EXPECT_EQ(fault.kind, FaultKind::kProtocol) << how;
    EXPECT_EQ(fault.detail, detail) << how;
    EXPECT_TRUE(is_gone(client.pid())) << how;
  }
}

TEST(WorkerClient, ARefusalKeepsItsKindAndTheWorkerLives) {
  WorkerClient client(quick());
  const WorkerFault fault = fault_of(client, "refuse");
  EXPECT_EQ(fault.kind, FaultKind::kRefused);
  EXPECT_EQ(fault.error_kind, ErrorKind::kUsage);
  EXPECT_EQ(fault.detail, "no such model: refuse");
  EXPECT_EQ(value_or_throw(client.load(behave("plain"))).name, "plain");
}

TEST(WorkerClient, AFloodOfErrorsBlocksNobodyAndLeavesItsTail) {
  WorkerOptions options = quick();
  options.stall_limit_s = 20;
  WorkerClient client(options);
  EXPECT_EQ(value_or_throw(client.load(behave("stderr"))).name, "stderr");
  const WorkerFault fault = fault_of(client, "exit");
  EXPECT_EQ(fault.stderr_tail.size(), 4096u);
  EXPECT_EQ(fault.stderr_tail.substr(4096 - 11), "line 39999\n");
}

pid_t child_named_in(const std::string& error_text) {
  return static_cast<pid_t>(
      std::strtol(error_text.c_str() + std::string("child ").size(), nullptr, 10));
}

TEST(WorkerClient, ChildrenOfAWorkerGoWithIt) {
  for (const char* how : {"fork and exit", "fork and hang"}) {
    WorkerOptions options = quick();
    options.stall_limit_s = 1;
    WorkerClient client(options);
    const WorkerFault fault = fault_of(client, how);
    ASSERT_EQ(fault.stderr_tail.substr(0, 6), "child ") << how << ": " << fault.detail;
    EXPECT_TRUE(soon_gone(child_named_in(fault.stderr_tail))) << how;
  }
}

TEST(WorkerClient, ItsEndLeavesNoZombie) {
  pid_t pid = 0;
  {
    WorkerClient client(quick());
    pid = client.pid();
    value_or_throw(client.hello());
  }
  EXPECT_EQ(kill(pid, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST(WorkerClient, MovingKeepsTheProcess) {
  WorkerClient first(quick());
  const int pid = first.pid();
  WorkerClient second(std::move(first));
  EXPECT_EQ(second.pid(), pid);
  EXPECT_EQ(value_or_throw(second.hello()).program, "fake");
}

TEST(WorkerClient, AKilledRunnerLeavesNoWorker) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t runner = fork();
  ASSERT_GE(runner, 0);
  if (runner == 0) {  // a runner that is busy with a worker that hangs
    WorkerOptions options = quick();
    options.stall_limit_s = 600;
    WorkerClient client(options);
    const int pid = client.pid();
    if (write(ends[1], &pid, sizeof pid) != sizeof pid) _exit(1);
    client.load(behave("hang"));
    _exit(0);
  }
  int worker = 0;
  ASSERT_EQ(read(ends[0], &worker, sizeof worker), static_cast<ssize_t>(sizeof worker));
  EXPECT_FALSE(is_gone(worker));
  ASSERT_EQ(kill(runner, SIGKILL), 0);
  waitpid(runner, nullptr, 0);
  EXPECT_TRUE(soon_gone(worker));
  close(ends[0]);
  close(ends[1]);
}

TEST(WorkerClient, AFileThatCannotRunIsNamed) {
  EXPECT_EQ(start_failure("/nonexistent/assay-worker"),
            "worker /nonexistent/assay-worker: cannot be started: No such file or directory; build "
            "the program assay-worker, or name another file");
  char path[] = "/tmp/assay_not_a_program_XXXXXX";
  const int fd = mkstemp(path);
  ASSERT_GE(fd, 0);
  close(fd);
  EXPECT_EQ(start_failure(path), std::string("worker ") + path +
                                     ": cannot be started: Permission denied; build the program "
                                     "assay-worker, or name another file");
  unlink(path);
}

TEST(ThrowFault, KeepsTheKindOfARefusalOnly) {
  WorkerFault fault{FaultKind::kRefused, ErrorKind::kUsage, "load", "no such model", "noise"};
  try {
    throw_fault(fault);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_STREQ(error.what(), "no such model");
  }
  fault.kind = FaultKind::kCrash;
  try {
    throw_fault(fault);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBaseline);
    EXPECT_STREQ(error.what(), "worker: crash: no such model\nit wrote:\nnoise");
  }
}

}  // namespace
}  // namespace assay
