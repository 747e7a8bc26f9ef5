// assay close ID --as HOW --because TEXT: ends an experiment that needs no (further) attempt.
//
//   closed     by analysis; no code was judged      unreached  what it depended on never came
//   measured   numbers were wanted, no change       reverted   the second attempt is given up
#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "engine/core/error.h"
#include "gates/cli/command.h"
#include "gates/cli/workspace.h"

namespace assay {
namespace {

struct Options {
  std::string id, as, because;
};

void refuse_where_wrong(const std::string& slug, const ExperimentView& view,
                        const std::string& as) {
  if (view.state != ExperimentState::kProposed && view.state != ExperimentState::kOpen) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{} is {} already; what was learned since goes into `assay note {}`",
                            slug, to_string(view.state), slug));
  }
  if (as == "reverted" && view.judged() == nullptr) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{} has no judged attempt to give up after; for an experiment without "
                            "a verdict use --as closed or --as unreached",
                            slug));
  }
}

int act(const Options& options, const CommonOptions& common) {
  if (options.because.find_first_not_of(" \t\n") == std::string::npos) {
    throw Error(ErrorKind::kUsage, "close: --because needs a reason: it stands in the record");
  }
  Workspace workspace(common, Access::kWrite);
  const ExperimentLabel label = workspace.experiment(options.id);
  refuse_where_wrong(label.slug, workspace.view(label), options.as);
  Store& store = workspace.store();
  store.together([&] {
    const std::string run = store.open_run(
        label.slug, {.command = "close", .argv = common.argv, .provenance = light_provenance()});
    store.append(run, EventKind::kClosed, Closed{.as = options.as, .because = options.because});
    store.end_run(run, {.outcome = "closed", .exit_code = 0, .message = options.because});
  });
  const std::string record = workspace.publish(label);
  std::cout << fmt::format("{:04} {} is now {}\nrecord  {}\n", label.number, label.slug,
                           to_string(workspace.view(label).state), record);
  return 0;
}

}  // namespace

Action define_close(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("ID", options->id, "the experiment's slug or number")->required();
  app.add_option("--as", options->as, "closed, unreached, measured or reverted")
      ->required()
      ->check(CLI::IsMember({"closed", "unreached", "measured", "reverted"}));
  app.add_option("--because", options->because, "why, in a sentence")
      ->type_name("TEXT")
      ->required();
  return [options](const CommonOptions& common) { return act(*options, common); };
}

}  // namespace assay
