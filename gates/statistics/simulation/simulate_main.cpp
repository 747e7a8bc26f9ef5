// assay-simulate: how often the A/B lands what it should and what it should not, by simulation.
//
//   assay-simulate [--experiments N] [--scenario NAME] [--json FILE]
//   assay-simulate --stored FILE
//
// Prints one Markdown table per section. Exit 0, 1 when a bound is broken, 2 for wrong usage. The
// same arguments give the same output, whatever the number of cores.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>

#include "engine/core/error.h"
#include "gates/statistics/simulation/stored_runs.h"
#include "gates/statistics/simulation/suite.h"

namespace assay::simulation {
namespace {

// Rules on pairs that were measured.
int judge_stored(const std::string& path) {
  for (const Table& table : stored_sections(read_stored_runs(path))) {
    std::printf("%s\n", table.markdown().c_str());
  }
  return 0;
}

int simulate(const SuiteOptions& options, const std::string& json_path) {
  std::ofstream
      json_file;  // opened first, so that nobody waits for minutes to learn of a wrong path
  if (!json_path.empty()) json_file.open(json_path);
  const auto cannot_write = [&] {
    return Error(ErrorKind::kUsage, json_path + ": cannot be written; is its folder there?");
  };
  if (!json_file) throw cannot_write();
  const std::vector<Table> tables = run_suite(options);
  std::vector<std::string> broken;
  std::size_t bounds = 0;
  for (const Table& table : tables) {
    std::printf("%s\n", table.markdown().c_str());
    for (const std::string& sentence : table.broken()) broken.push_back(sentence);
    for (const Row& row : table.rows) {
      for (const auto& figure : row.figures) bounds += figure && figure->bound != Bound::kShown;
    }
  }
  for (const std::string& sentence : broken) std::printf("broken: %s\n", sentence.c_str());
  std::printf("%zu bounds, %zu broken; %d experiments per cell\n", bounds, broken.size(),
              options.experiments);
  if (!json_path.empty()) {
    const nlohmann::json json = {
        {"experiments", options.experiments}, {"scenario", options.scenario}, {"tables", tables}};
    json_file << json.dump(1) << '\n';
    json_file.close();
    if (!json_file) throw cannot_write();
  }
  return broken.empty() ? 0 : 1;
}

}  // namespace
}  // namespace assay::simulation

int main(int argc, char** argv) {
  CLI::App app{
      "Simulates the A/B: false LANDs, LAND rates, weak designs, adversaries, other rules.",
      "assay-simulate"};
  assay::simulation::SuiteOptions options;
  std::string json_path;
  std::string stored_path;
  app.add_option("--experiments", options.experiments, "per cell; fewer widen the bounds")
      ->check(CLI::Range(100, 10'000'000))
      ->capture_default_str();
  app.add_option("--scenario", options.scenario, "only this one");
  app.add_option("--json", json_path, "write the tables to this file as well");
  app.add_option("--stored", stored_path,
                 "no simulation: the rules on runs of scripts/gpu/planted_effects.py")
      ->excludes("--experiments", "--scenario", "--json");
  try {
    app.parse(argc, argv);
    if (!stored_path.empty()) return assay::simulation::judge_stored(stored_path);
    return assay::simulation::simulate(options, json_path);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(assay::ErrorKind::kUsage);
  } catch (const assay::Error& error) {
    std::fprintf(stderr, "assay-simulate: %s\n", error.what());
    return error.exit_code();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "assay-simulate: %s\n", error.what());
    return static_cast<int>(assay::ErrorKind::kInternal);
  }
}
