// What the parts of assay-cuda-replay share: how they are asked, and how they answer.
//
// Kernels are held against fp64 elsewhere (kernels/cuda_sweep, conformance). The parts here ask
// about the engine around them: does the replay of a graph do what eager launches do, wherever the
// memory lies; are the bits the same a thousand times over and however a prompt is cut; are the
// tensors that a GPU generates the host's; and are both backends equally near to the truth. A check
// says in one line what it saw; the seconds behind it are for whoever plans a run, and judge
// nothing.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace assay::replay {

struct Options {
  std::string parts = "abcdef";
  std::string model;     // a GGUF file for e and f besides the embedded model; empty: none
  int threads = 1;       // of the host
  bool host = false;     // only what needs no GPU: the host's halves of d and f
  bool fused = false;    // compound ops by their fused kernels
  bool sampled = false;  // part d: only some layers, on a slow host
  bool asks_for(char part) const { return parts.find(part) != std::string::npos; }
};

struct Outcome {
  bool ok = true;
  bool judged = true;    // false: a figure for the reader, right or wrong it is not
  std::string sentence;  // what was seen, with its figures
  std::vector<std::pair<std::string, double>> figures = {};
};

struct Line {
  char part;
  std::string check;
  Outcome outcome;
  double seconds = 0;
  bool failed() const { return outcome.judged && !outcome.ok; }
};

class Report {
 public:
  explicit Report(std::function<void(const Line&)> print) : print_(std::move(print)) {}
  // Runs a check and prints its line. What it throws makes a failed line, and the next check runs.
  void line(char part, const std::string& check, const std::function<Outcome()>& run);
  const std::vector<Line>& lines() const { return lines_; }

 private:
  std::function<void(const Line&)> print_;
  std::vector<Line> lines_;
};

void check_graphs(const Options& options, Report& report);   // a
void check_repeats(const Options& options, Report& report);  // b
void check_chunks(const Options& options, Report& report);   // c
void check_synth(const Options& options, Report& report);    // d
void check_decode(const Options& options, Report& report);   // e
void check_prefill(const Options& options, Report& report);  // f

}  // namespace assay::replay
