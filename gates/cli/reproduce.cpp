// assay reproduce ID: an attempt measured again, from its own sources or from the present build.
//
// The result is appended to the record as a replication. The verdict stays what it is, and no pair
// of it is pooled with the attempt's (gates/replicate.h).
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine/core/device.h"
#include "engine/core/error.h"
#include "gates/cli/command.h"
#include "gates/cli/file_text.h"
#include "gates/cli/number_check.h"
#include "gates/cli/rebuilt_worker.h"
#include "gates/cli/recorded_program.h"
#include "gates/cli/workspace.h"
#include "gates/judged_device.h"
#include "gates/process/worker_client.h"
#include "gates/replicate.h"
#include "recorder/text_form.h"

namespace assay {
namespace {

struct Options {
  std::string id, folder;
  int attempt = 0;
  bool as_built = false, keep = false;
  double time_limit_s = 0;
};

std::atomic<bool> stop_asked{false};

extern "C" void end_replication(int signal) {
  stop_asked.store(true);
  std::signal(signal, SIG_DFL);
}

// Of the machine that is to run it. Before anything is built: a GPU that is not here ends it.
std::string device_here(const std::string& worker, BackendKind backend) {
  WorkerClient client({.path = worker});
  return as_device(value_or_throw(client.hello()), backend).device_key;
}

// The present build, where it is the record's code.
void need_same_code(const Replicated& replicated, const std::string& id,
                    const std::string& worker) {
  const std::vector<std::string> other = other_code(replicated, worker);
  if (other.empty()) return;
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: the present build is not the code of its record: {}; leave out "
                          "--as-built to build the recorded commit",
                          id, other.front()));
}

// "COMMIT", "COMMIT-dirty"; empty where the record has none.
std::string tree_of(const nlohmann::json& provenance) {
  if (!provenance.is_object()) return "";
  const auto tree = provenance.find("tree");
  return tree != provenance.end() && tree->is_string() ? tree->get<std::string>() : "";
}

struct Prepared {
  std::string worker, map_text, map_name;
  std::unique_ptr<RebuiltWorker> rebuilt;
  ReplicationOptions options;
};

Prepared prepare(const Options& options, const CommonOptions& common, const std::string& id,
                 const Replicated& replicated, const std::string& root) {
  const BackendKind backend = backend_of_key(replicated.definition.scope.device);
  const std::string& service = replicated.definition.service;
  Prepared ready;
  if (options.as_built) {
    need_same_code(replicated, id, common.worker);
    ready.worker = common.worker;
    ready.map_name = root + "/experiments/" + service;
    ready.map_text = read_text_file(ready.map_name);
    ready.options.how = "as-built";
    return ready;
  }
  if (backend == BackendKind::kCuda) device_here(common.worker, backend);
  ready.rebuilt =
      std::make_unique<RebuiltWorker>(RebuildOrder{.id = id,
                                                   .root = root,
                                                   .tree = tree_of(replicated.provenance),
                                                   .sources = replicated.attempt.opened.sources,
                                                   .backend = backend,
                                                   .folder = options.folder,
                                                   .keep = options.keep});
  ready.worker = ready.rebuilt->worker();
  ready.map_name = ready.rebuilt->folder() + "/experiments/" + service;
  ready.map_text = ready.rebuilt->map_text(service);
  if (ready.map_text.empty()) ready.map_text = read_text_file(root + "/experiments/" + service);
  ready.options.how = "rebuilt";
  const std::vector<std::string> other = other_code(replicated, ready.worker);
  ready.options.same_code = other.empty();
  for (const std::string& line : other) {
    std::cerr << "assay: built with another compiler or other flags: " << line << std::endl;
  }
  return ready;
}

void print(const Workspace& workspace, const ExperimentLabel& label, const RunOutcome& outcome,
           const std::string& record, bool json) {
  const ExperimentView view = workspace.view(label);
  const std::vector<Replication> all = replications(view);
  const AttemptView* judged = view.judged();
  const std::string verdict =
      judged == nullptr
          ? "none"
          : judged->verdict->verdict +
                (judged->verdict->reason.empty() ? "" : "(" + judged->verdict->reason + ")");
  if (json) {
    const Replication& last = all.back();
    std::cout << nlohmann::json{{"number", label.number},
                                {"slug", label.slug},
                                {"run", outcome.run},
                                {"outcome", outcome.outcome},
                                {"message", outcome.message},
                                {"how", last.how},
                                {"same_code", last.same_code},
                                {"attempt", last.attempt},
                                {"stored", nlohmann::json(last.stored)},
                                {"again", nlohmann::json(last.again)},
                                {"verdict", verdict},
                                {"record", record}}
                     .dump(2)
              << std::endl;
    return;
  }
  std::cout << fmt::format("\n{:04} {}  replication {}: {}\n{}\nverdict  stays {}\nrecord   {}\n",
                           label.number, label.slug, all.size(), outcome.outcome, outcome.message,
                           verdict, record)
            << std::flush;
}

RunOutcome measure(const Options& options, const CommonOptions& common,
                   const Replicated& replicated, const Prepared& ready,
                   const ReplicationWorkspace& scratch, Workspace& workspace) {
  RunContext context = workspace.context(common);
  context.workspace = scratch.path();
  if (ready.rebuilt != nullptr) {
    const RecordedRun found =
        run_recorded(ready.rebuilt->program(), replicated, scratch.path(), options.time_limit_s);
    return append_replication(found, replicated, ready.options, context);
  }
  context.worker_path = ready.worker;
  const double limit_s = options.time_limit_s > 0 ? options.time_limit_s : 1e6;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(limit_s);
  context.stop = [end] { return stop_asked.load() || std::chrono::steady_clock::now() > end; };
  return run_replication(replicated, ready.options, context);
}

int act(const Options& options, const CommonOptions& common) {
  if (options.as_built && (options.keep || !options.folder.empty())) {
    throw Error(ErrorKind::kUsage,
                "reproduce: --as-built builds nothing, so --dir and --keep say nothing to it");
  }
  Workspace workspace(common, Access::kWrite);
  const ExperimentLabel label = workspace.experiment(options.id);
  const Replicated replicated = replicated_attempt(workspace.view(label), options.attempt);
  Prepared ready = prepare(options, common, fmt::format("{:04} {}", label.number, label.slug),
                           replicated, workspace.root());
  const std::string device =
      device_here(common.worker, backend_of_key(replicated.definition.scope.device));
  const ReplicationWorkspace scratch(replicated, ready.map_text, ready.map_name, device,
                                     workspace.root());
  std::signal(SIGINT, end_replication);
  std::signal(SIGTERM, end_replication);
  const RunOutcome outcome = measure(options, common, replicated, ready, scratch, workspace);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  print(workspace, label, outcome, workspace.publish(label), common.json);
  return outcome.exit_code;
}

}  // namespace

Action define_reproduce(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("ID", options->id, "the experiment's slug or number")->required();
  app.add_option("--attempt", options->attempt,
                 "which attempt (default: the latest with a verdict)")
      ->type_name("N")
      ->transform(whole_number(1, 2));
  app.add_flag("--as-built", options->as_built,
               "with the present build, where its code is the record's; builds nothing");
  app.add_option("--dir", options->folder,
                 "build in this folder (default: build/reproduce of the workspace)")
      ->type_name("DIR");
  app.add_flag("--keep", options->keep, "leave the folder that was built in");
  app.add_option("--time-limit", options->time_limit_s, "stop after this many seconds of gates")
      ->type_name("S")
      ->check(positive_number(1e6));
  return [options](const CommonOptions& common) { return act(*options, common); };
}

}  // namespace assay
