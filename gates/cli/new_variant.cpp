// assay new variant ID --from ID: a variant that builds and passes its tests, because it still is
// its model; and a definition that waits for a hypothesis.
#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>

#include "engine/core/error.h"
#include "gates/cli/command.h"
#include "gates/cli/variant_scaffold.h"
#include "gates/cli/workspace.h"

namespace assay {
namespace {

struct Options {
  std::string id, from;
};

int act(const Options& options, const CommonOptions& common) {
  const std::string root = find_workspace(common);
  if (!std::filesystem::exists(root + "/kernels/cpu_sources.cmake")) {
    throw Error(ErrorKind::kUsage,
                root +
                    ": this workspace holds no kernels/, so there is nothing to add a variant to: "
                    "go into a checkout of the sources, or name one with --workspace");
  }
  const VariantPlan plan = plan_variant(root, options.id, options.from);
  write_plan(root, plan);
  for (const PlannedFile& file : plan.files) {
    std::cout << fmt::format("{}  {}\n", file.fresh ? "new    " : "changed", file.path);
  }
  std::cout << fmt::format(
      "next     change the code in {}\n"
      "         check the edges and the summary in variants.cpp: they are those of {}\n"
      "         write the hypothesis in {}\n"
      "         build assay and assay-worker (`assay` has the list of variants, the worker their "
      "code),\n"
      "         then `assay propose {}`\n",
      plan.mechanism_file, options.from, plan.definition_file, plan.definition_file);
  return 0;
}

}  // namespace

Action define_new_variant(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("ID", options->id, "the new variant: op.backend.mechanism[key=value,...]")
      ->required();
  app.add_option("--from", options->from, "the variant to start from")->type_name("ID")->required();
  return [options](const CommonOptions& common) { return act(*options, common); };
}

}  // namespace assay
