// People who want a LAND of a lever that is worth no more than its bar, and what they can do with
// the program: each plays one experiment (or as many as the rules give away) through the real
// runner.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gates/adversaries/laboratory.h"

namespace assay::adversaries {

struct Played {
  bool crossed = false;  // a look was above the bar: before confirmation
  bool landed = false;
  int runs = 0;
  std::vector<std::string> refused;  // what the runner said where it did not go along
  std::vector<std::string> broken;   // see broken_rules: empty, or the runner has a hole
};

struct Adversary {
  std::string_view name;
  int attempts;  // whose alpha they may spend
  Played (*play)(Laboratory& lab, std::uint64_t seed);
};

// Runs once, as a control.
Played honest(Laboratory& lab, std::uint64_t seed);
// Stops the run when it likes and reads the numbers; as long as they do not promise much, asks for
// another plan.
Played peeking(Laboratory& lab, std::uint64_t seed);
// Kills the run with SIGKILL at any moment, and runs again.
Played killing(Laboratory& lab, std::uint64_t seed);
// Asks under another name: before the verdict, and after it with `supersedes`.
Played renaming(Laboratory& lab, std::uint64_t seed);
// Changes a comment: the same machine code, other sources and another build of the worker.
Played commenting(Laboratory& lab, std::uint64_t seed);

const std::vector<Adversary>& adversaries();

// The experiment's pairs so far lie this far above the bar that going on is better than starting
// over.
bool is_promising(const Laboratory& lab);

}  // namespace assay::adversaries
