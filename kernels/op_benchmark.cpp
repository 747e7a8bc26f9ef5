#include "kernels/op_benchmark.h"

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "engine/core/cpu.h"
#include "kernels/reference.h"
#include "kernels/registry.h"

namespace assay {
namespace {

void run_case(benchmark::State& state, const RegisteredVariant& variant,
              const OpReference& reference, const CaseSpec& spec) {
  const auto bound = reference.bind(spec);
  ThreadPool pool(1);
  Launch launch{pool};
  std::vector<double> value;
  std::vector<double> budget;
  bound->expected(value, budget);
  bound->poison();
  bound->launch(variant.launch, launch);
  if (!(worst_error_ratio(bound->values(), value, budget) <= 1)) {
    state.SkipWithError("the output is outside the error budget");
    return;
  }
  for (auto _ : state) bound->launch(variant.launch, launch);
  const CaseCost cost = reference.cost(spec);
  state.counters["bytes"] = benchmark::Counter(
      cost.bytes, benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1024);
  state.counters["flops"] =
      benchmark::Counter(cost.flops, benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace

int register_op_benchmarks(std::string_view op) {
  const OpReference* reference = find_reference(op);
  int count = 0;
  for (const RegisteredVariant& variant : cpu_registry()) {
    const std::string_view id = variant.info->id;
    if (id.substr(0, id.find('.')) != op || !offers(cpu_level(), variant.info->needs)) continue;
    for (const CaseSpec& spec : reference->cases()) {
      if (!spec.bench) continue;
      const std::string name = std::string(id) + " " + spec.name;
      benchmark::RegisterBenchmark(name.c_str(), [&variant, reference, spec](auto& state) {
        run_case(state, variant, *reference, spec);
      })->Unit(benchmark::kMicrosecond);
      ++count;
    }
  }
  return count;
}

}  // namespace assay
