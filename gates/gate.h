// What every gate is given, and what it answers.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "experiments/op_facts.h"
#include "gates/arm.h"
#include "gates/prompts.h"
#include "gates/subject.h"

namespace assay {

struct GateInput {
  const Subject& subject;
  const RunOptions& options;
  const RunContext& context;
  std::string run;   // the journal's run
  OpFacts facts;     // of the changed ops together
  LoadRequest load;  // model, threads and context of the primary workload; no service
  LoadReply model;   // as the arm in service loads it
  WorkerOptions worker;
};

// What later gates need from earlier ones.
struct GateMemory {
  LoadReply model;
  std::string baseline_digest;  // of the timed request of the primary workload, baseline arm
  std::map<std::string, std::string> timed_digests;  // describe(workload) -> digest that passed
  std::int64_t request_ns = 0;  // median time of the timed request, baseline arm
  double anchor_ns = 0;         // what it is held against: its anchor on this host
};

// A baseline that is this much slower than its anchor is not the instrument it was.
inline constexpr double kAnchorTolerance = 0.10;

// The load request of one arm: the same model, this selection.
LoadRequest load_with(const GateInput& input, const ServiceSelection& service);

// Each gate in its own file. They return what they found; ArmFault passes through them.
GateResult gate_preflight(const GateInput& input);
GateResult gate_baseline(const GateInput& input, GateMemory& memory);
GateResult gate_identity(const GateInput& input, GateMemory& memory);
GateResult gate_parity(const GateInput& input);
GateResult gate_margin(const GateInput& input, const GateMemory& memory);

// Liveness: the launches that an arm counted against those the reference planned. Empty when equal,
// else one line that says which variant ran how often instead of how often.
std::string liveness_fault(const PlanReply& plan, const WorkReply& reply);

}  // namespace assay
