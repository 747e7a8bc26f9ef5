#include "gates/process/worker_client.h"

#include <fmt/format.h>
#include <signal.h>

#include <optional>

#include "gates/process/line_channel.h"
#include "gates/process/worker_process.h"

namespace assay {
namespace {

// How long a worker whose pipe closed may take to be gone by itself.
constexpr double kExitGrace_s = 2.0;

// A mapped file that has become shorter gives SIGBUS.
constexpr const char* kChanged = ": the model file may have been changed or cut short meanwhile";

struct NoFields {};
void to_json(nlohmann::json& json, const NoFields&) {
  json = nlohmann::json::object();
}

std::string request_line(const std::string& name, nlohmann::json fields) {
  fields["request"] = name;
  try {
    return fields.dump();
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorKind::kUsage, fmt::format("request `{}`: a text in it is not UTF-8", name));
  }
}

std::string beginning(const std::string& line) {
  constexpr std::size_t kShown = 80;
  return line.size() <= kShown ? line : line.substr(0, kShown) + "...";
}

}  // namespace

struct WorkerClient::State {
  explicit State(const WorkerOptions& chosen)
      : options(chosen), process(chosen.path, progress, chosen.nice), channel(process, progress) {}

  template <typename Reply>
  WorkerResult<Reply> ask(const std::string& name, const nlohmann::json& fields);
  WorkerFault no_reply(ExchangeEnd end, const std::string& name);
  WorkerFault died(const std::string& name);
  WorkerFault stop(FaultKind kind, const std::string& name, const std::string& detail);

  WorkerOptions options;
  ProgressPage progress;
  WorkerProcess process;
  LineChannel channel;
  std::optional<WorkerFault> gone;  // the fault that ended the process
};

// Ends the process, if it still lives, and remembers why it is gone.
WorkerFault WorkerClient::State::stop(FaultKind kind, const std::string& name,
                                      const std::string& detail) {
  process.end(0);
  channel.drain_errors();
  gone = WorkerFault{kind, ErrorKind::kInternal, name, detail, channel.error_tail()};
  return *gone;
}

WorkerFault WorkerClient::State::died(const std::string& name) {
  const ProcessEnd end = process.end(kExitGrace_s);
  if (end.by_us) {
    return stop(FaultKind::kProtocol, name,
                fmt::format("closed its output in `{}` and went on running", name));
  }
  const bool outside = end.by_signal && (end.value == SIGKILL || end.value == SIGTERM);
  const bool changed = end.by_signal && end.value == SIGBUS;
  return stop(outside ? FaultKind::kKilled : FaultKind::kCrash, name,
              fmt::format("{} in `{}`{}", end.text(), name, changed ? kChanged : ""));
}

WorkerFault WorkerClient::State::no_reply(ExchangeEnd end, const std::string& name) {
  switch (end) {
    case ExchangeEnd::kStopped:
      return stop(FaultKind::kStopped, name, fmt::format("stopped in `{}`", name));
    case ExchangeEnd::kStalled:
      return stop(FaultKind::kHang, name,
                  fmt::format("no progress for {} s in `{}`", options.stall_limit_s, name));
    case ExchangeEnd::kTooLong:
      return stop(FaultKind::kHang, name,
                  fmt::format("`{}` took longer than {} s", name, options.wall_limit_s));
    case ExchangeEnd::kOversized:
      return stop(FaultKind::kProtocol, name,
                  fmt::format("the reply to `{}` is longer than {} MiB", name,
                              LineChannel::kLongestReply >> 20));
    case ExchangeEnd::kUnasked:
      return stop(FaultKind::kProtocol, name, fmt::format("more than one line around `{}`", name));
    case ExchangeEnd::kClosed:
    case ExchangeEnd::kReply:
      break;
  }
  return died(name);
}

template <typename Reply>
WorkerResult<Reply> WorkerClient::State::ask(const std::string& name,
                                             const nlohmann::json& fields) {
  if (gone) return *gone;
  std::string line;
  const ExchangeEnd end =
      channel.exchange(request_line(name, fields),
                       {options.stall_limit_s, options.wall_limit_s, options.stop}, line);
  if (end != ExchangeEnd::kReply) return no_reply(end, name);
  try {
    const nlohmann::json reply = nlohmann::json::parse(line);
    if (reply.contains("error")) {
      const nlohmann::json& error = reply.at("error");
      return WorkerFault{FaultKind::kRefused, static_cast<ErrorKind>(error.at("kind").get<int>()),
                         name, error.at("message").get<std::string>(), channel.error_tail()};
    }
    if (reply.at("reply") == name) return reply.get<Reply>();
  } catch (const nlohmann::json::exception&) {
    // Said below.
  }
  return stop(FaultKind::kProtocol, name,
              fmt::format("not a reply to `{}`: {}", name, beginning(line)));
}

WorkerClient::WorkerClient(const WorkerOptions& options)
    : state_(std::make_unique<State>(options)) {}
WorkerClient::~WorkerClient() = default;
WorkerClient::WorkerClient(WorkerClient&&) noexcept = default;
WorkerClient& WorkerClient::operator=(WorkerClient&&) noexcept = default;

WorkerResult<HelloReply> WorkerClient::hello() {
  WorkerResult<HelloReply> result = state_->ask<HelloReply>("hello", NoFields{});
  const auto* reply = std::get_if<HelloReply>(&result);
  if (reply == nullptr || reply->protocol == kProtocolVersion) return result;
  return state_->stop(
      FaultKind::kProtocol, "hello",
      fmt::format("speaks protocol {}; this program speaks {}", reply->protocol, kProtocolVersion));
}

WorkerResult<LoadReply> WorkerClient::load(const LoadRequest& request) {
  return state_->ask<LoadReply>("load", request);
}
WorkerResult<TokenizeReply> WorkerClient::tokenize(const TokenizeRequest& request) {
  return state_->ask<TokenizeReply>("tokenize", request);
}
WorkerResult<DetokenizeReply> WorkerClient::detokenize(const DetokenizeRequest& request) {
  return state_->ask<DetokenizeReply>("detokenize", request);
}
WorkerResult<WorkReply> WorkerClient::work(const WorkRequest& request) {
  return state_->ask<WorkReply>("work", request);
}
WorkerResult<PlanReply> WorkerClient::plan(const WorkRequest& request) {
  return state_->ask<PlanReply>("plan", request);
}
WorkerResult<ProfileReply> WorkerClient::profile(const WorkRequest& request) {
  return state_->ask<ProfileReply>("profile", request);
}
WorkerResult<KernelCasesReply> WorkerClient::kernel_cases(const KernelCasesRequest& request) {
  return state_->ask<KernelCasesReply>("kernel_cases", request);
}
WorkerResult<HealthReply> WorkerClient::health() {
  return state_->ask<HealthReply>("health", NoFields{});
}

int WorkerClient::pid() const {
  return state_->process.pid();
}
std::int64_t WorkerClient::last_request_ns() const {
  return state_->channel.last_exchange_ns();
}

}  // namespace assay
