// Parity: is each kernel right by itself?
//
// A relation gate cannot see a fault that both sides share, so every changed op is also compared
// with its fp64 reference: generated cases of all data kinds (mild, outlier, giant, exact, zero),
// outputs poisoned before each launch, guard regions around them, several launches per case that
// must agree. The reference values and budgets come from a worker that does not run the candidate.
// For class bitwise the candidate's output bytes must moreover equal those of the variant in
// service.
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <span>

#include "gates/gate.h"
#include "gates/scratch_folder.h"

namespace assay {
namespace {

constexpr int kRepeats = 3;

template <typename T>
std::vector<T> read_array(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw Error(ErrorKind::kBaseline, path + ": the worker left no such file");
  std::vector<T> data(static_cast<std::size_t>(file.tellg()) / sizeof(T));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(data.data()),
            static_cast<std::streamsize>(data.size() * sizeof(T)));
  return data;
}

// What one worker said of one op's cases.
struct CaseRun {
  KernelCasesReply reply;
  std::vector<char> outputs;
  std::vector<double> values, budgets;
};

// `judged`: the variant whose operands the reference's values speak of.
CaseRun run_cases(Arm& arm, const std::string& op, const std::string& variant,
                  const std::string& judged) {
  const ScratchFolder folder;
  KernelCasesRequest request;
  request.op = op;
  request.variant = variant;
  if (variant.empty()) request.reads = reads_of(judged);
  request.dir = folder.path();
  request.repeat = kRepeats;
  CaseRun run;
  run.reply = arm.kernel_cases(request);
  run.values = read_array<double>(folder.path() + "/values.f64");
  if (variant.empty()) {
    run.budgets = read_array<double>(folder.path() + "/budgets.f64");
  } else {
    run.outputs = read_array<char>(folder.path() + "/outputs.bin");
  }
  return run;
}

struct OpParity {
  std::string reason, sentence;  // empty: green
  double worst = 0;              // largest |error| / budget
  std::string worst_case;
  std::size_t cases = 0;
};

OpParity red(OpParity parity, const std::string& reason, const std::string& sentence) {
  parity.reason = reason;
  parity.sentence = sentence;
  return parity;
}

// How far one case's values are from what is expected.
struct Deviation {
  double worst = 0;           // largest |error| / budget; infinite where no error is allowed
  std::size_t differing = 0;  // values that are not the expected ones
  std::size_t first = 0;      // index of the first whose error has no ratio: NaN, or a budget of 0
};

Deviation deviation(std::span<const double> value, std::span<const double> expected,
                    std::span<const double> budget) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  Deviation all;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] == expected[i]) continue;
    ++all.differing;
    const double error = std::fabs(value[i] - expected[i]);
    const double ratio = budget[i] > 0 && !std::isnan(error) ? error / budget[i] : kNone;
    if (ratio == kNone && all.worst < kNone) all.first = i;
    all.worst = std::max(all.worst, ratio);
  }
  return all;
}

// Why a case beyond its budget is red, for people.
std::string beyond_budget(const Deviation& found, std::span<const double> value,
                          std::span<const double> expected, std::span<const double> budget) {
  if (std::isfinite(found.worst)) {
    return fmt::format("error is {:.3g} times its budget", found.worst);
  }
  const std::string first = fmt::format("value {} is {:.9g} instead of {:.9g}", found.first + 1,
                                        value[found.first], expected[found.first]);
  if (!std::isfinite(value[found.first]) || budget[found.first] > 0) return first;
  return fmt::format("no error is allowed here, and {} of {} values differ; {}", found.differing,
                     value.size(), first);
}

template <typename T>
std::span<const T> slice(const std::vector<T>& all, std::uint64_t offset, std::uint64_t count) {
  if (offset + count > all.size()) {
    throw Error(ErrorKind::kBaseline, "a worker's case points beyond the array that it wrote");
  }
  return std::span<const T>(all).subspan(offset, count);
}

OpParity compare_op(const OpChange& change, const CaseRun& reference, const CaseRun& baseline,
                    const CaseRun& candidate) {
  OpParity parity;
  parity.cases = candidate.reply.cases.size();
  const std::size_t count = reference.reply.cases.size();
  if (count == 0 || parity.cases != count || baseline.reply.cases.size() != count) {
    throw Error(ErrorKind::kBaseline, change.op + ": the workers disagree on the list of cases");
  }
  for (std::size_t i = 0; i < count; ++i) {
    const KernelCase& expected = reference.reply.cases[i];
    const KernelCase& got = candidate.reply.cases[i];
    const KernelCase& served = baseline.reply.cases[i];
    const std::string at = change.op + " " + got.name + ": ";
    if (got.launches != kRepeats) {
      return red(parity, "not-live",
                 fmt::format("{}{} ran {} times, planned {}", at, change.candidate, got.launches,
                             kRepeats));
    }
    if (!got.guards_intact) return red(parity, "parity", at + "wrote outside its output");
    if (!got.repeatable) return red(parity, "parity", at + "two launches gave different bits");
    const auto value = slice(candidate.values, got.values_offset, got.values);
    const auto right = slice(reference.values, expected.values_offset, expected.values);
    const auto budget = slice(reference.budgets, expected.values_offset, expected.values);
    if (value.size() != right.size()) {
      throw Error(ErrorKind::kBaseline, at + "the workers disagree on the number of values");
    }
    const Deviation found = deviation(value, right, budget);
    if (found.worst > parity.worst || parity.worst_case.empty()) {
      parity.worst = found.worst;
      parity.worst_case = got.name;
    }
    if (found.worst > 1) {
      return red(parity, "parity", at + beyond_budget(found, value, right, budget));
    }
    const auto a = slice(baseline.outputs, served.output_offset, served.output_bytes);
    const auto b = slice(candidate.outputs, got.output_offset, got.output_bytes);
    if (a.size() != b.size() || std::memcmp(a.data(), b.data(), a.size()) != 0) {
      return red(parity, "parity", at + "bits differ from in-service " + change.incumbent);
    }
  }
  for (const auto& [id, times] : candidate.reply.counts) {
    if (id != change.candidate && times != 0) {
      return red(parity, "not-live",
                 fmt::format("{}: {} ran {} times, planned 0", change.op, id, times));
    }
  }
  return parity;
}

}  // namespace

GateResult gate_parity(const GateInput& input) {
  const Subject& subject = input.subject;
  GateResult result{.gate = "parity",
                    .outcome = "green",
                    .reason = "",
                    .sentence = "",
                    .values = nlohmann::json::object(),
                    .seconds = 0};
  Arm reference(ArmRole::kReference, input.worker, load_with(input, subject.baseline));
  Arm baseline(ArmRole::kBaseline, input.worker, load_with(input, subject.baseline));
  Arm candidate(ArmRole::kCandidate, input.worker, load_with(input, subject.baseline));
  std::size_t cases = 0;
  double worst = 0;
  for (const OpChange& change : subject.changes) {
    const CaseRun expected = run_cases(reference, change.op, "", change.candidate);
    const CaseRun served = run_cases(baseline, change.op, change.incumbent, "");
    const CaseRun got = run_cases(candidate, change.op, change.candidate, "");
    const OpParity parity = compare_op(change, expected, served, got);
    result.values[change.op] = {{"cases", parity.cases},
                                {"worst_error_over_budget", parity.worst},
                                {"worst_case", parity.worst_case}};
    if (!parity.reason.empty()) {
      result.outcome = "red";
      result.reason = parity.reason;
      result.sentence = parity.sentence;
      return result;
    }
    cases += parity.cases;
    worst = std::max(worst, parity.worst);
  }
  result.sentence = fmt::format(
      "{} cases: largest error {:.2f} of its budget, bits equal to in-service", cases, worst);
  return result;
}

}  // namespace assay
