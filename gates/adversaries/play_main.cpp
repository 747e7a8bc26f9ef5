// assay-adversaries: how often the real runner lands a lever that is worth exactly its bar, with
// somebody at the shell who wants it to.
//
//   assay-adversaries [--repeat N] [--from SEED] [--adversary NAME]
//
// Prints a Markdown table: of N experiments each, how many crossed the bar at a look, how many
// landed after the confirmation, with exact (Clopper and Pearson) 95 % intervals. Exit 0; 1 when a
// rule was broken, or when more landed than a rate of the alpha given to them explains (p < 0.001);
// 2 for wrong usage. It takes about half a second of processor time per experiment.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <boost/math/distributions/binomial.hpp>
#include <chrono>
#include <cstdio>

#include "engine/core/error.h"
#include "gates/adversaries/adversary.h"
#include "gates/statistics/plan.h"

namespace assay::adversaries {
namespace {

struct Options {
  int repeat = 200;
  std::uint64_t from = 1;
  std::string adversary;
};

struct Counts {
  int experiments = 0, crossed = 0, landed = 0, runs = 0, refused = 0;
  std::vector<std::string> broken;
};

std::string share(int count, int of) {
  using boost::math::binomial_distribution;
  const double low = binomial_distribution<>::find_lower_bound_on_p(of, count, 0.025);
  const double high = binomial_distribution<>::find_upper_bound_on_p(of, count, 0.025);
  return fmt::format("{} ({:.2f} %, {:.2f} to {:.2f})", count, 100.0 * count / of,
                     100 * (count == 0 ? 0 : low), 100 * (count == of ? 1 : high));
}

// Whether so many crossings are beyond what these attempts' alpha gives by chance.
bool too_many(const Counts& counts, int attempts) {
  const boost::math::binomial_distribution<> chance(counts.experiments, kAttemptAlpha * attempts);
  return counts.crossed > 0 && cdf(complement(chance, counts.crossed - 1)) < 0.001;
}

Counts play(const Adversary& adversary, const Options& options) {
  Counts counts;
  for (int i = 0; i < options.repeat; ++i) {
    Laboratory lab;
    const std::uint64_t seed = options.from + static_cast<std::uint64_t>(i);
    const Played played = adversary.play(lab, seed);
    ++counts.experiments;
    counts.crossed += played.crossed ? 1 : 0;
    counts.landed += played.landed ? 1 : 0;
    counts.runs += played.runs;
    counts.refused += static_cast<int>(played.refused.size());
    for (const std::string& line : played.broken) {
      counts.broken.push_back(fmt::format("{}, seed {}: {}", adversary.name, seed, line));
    }
  }
  return counts;
}

int play_all(const Options& options) {
  std::printf(
      "| adversary | experiments | runs | refused | crossed (95 %% interval) | landed |\n"
      "|---|---:|---:|---:|---:|---:|\n");
  int exit_code = 0;
  bool known = options.adversary.empty();
  for (const Adversary& adversary : adversaries()) {
    if (!options.adversary.empty() && adversary.name != options.adversary) continue;
    known = true;
    const Counts counts = play(adversary, options);
    std::printf("| %s | %d | %d | %d | %s | %s |\n", std::string(adversary.name).c_str(),
                counts.experiments, counts.runs, counts.refused,
                share(counts.crossed, counts.experiments).c_str(),
                share(counts.landed, counts.experiments).c_str());
    std::fflush(stdout);
    for (const std::string& line : counts.broken) std::printf("broken: %s\n", line.c_str());
    if (!counts.broken.empty() || too_many(counts, adversary.attempts)) exit_code = 1;
  }
  if (known) return exit_code;
  std::string names;
  for (const Adversary& adversary : adversaries()) {
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", adversary.name);
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("there is no adversary \"{}\"; there are {}", options.adversary, names));
}

}  // namespace
}  // namespace assay::adversaries

int main(int argc, char** argv) {
  CLI::App app{"Plays adversaries against the real runner.", "assay-adversaries"};
  assay::adversaries::Options options;
  app.add_option("--repeat", options.repeat, "experiments of each")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--from", options.from, "seed of the first")->capture_default_str();
  app.add_option("--adversary", options.adversary, "only this one");
  try {
    app.parse(argc, argv);
    return assay::adversaries::play_all(options);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(assay::ErrorKind::kUsage);
  } catch (const assay::Error& error) {
    std::fprintf(stderr, "assay-adversaries: %s\n", error.what());
    return error.exit_code();
  }
}
