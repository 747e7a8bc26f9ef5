// `kernel_cases`: one op's generated cases, through a variant or through the fp64 reference.
//
// With a variant: each case is poisoned and launched `repeat` times; the output of the first launch
// goes to outputs.bin as raw bytes and to values.f64 as numbers, and every later one must have the
// same bits. Without: values.f64 and budgets.f64 hold what the reference expects and permits. The
// two come from two workers, so that a candidate's build cannot bend its own yardstick.
#include <fmt/format.h>
#include <cstring>

#include "engine/backend/cpu/cpu_here.h"
#include "engine/backend/cuda/cuda_device.h"
#include "engine/backend/cuda/cuda_here.h"
#include "engine/core/error.h"
#include "engine/generate/array_file.h"
#include "engine/worker/worker.h"
#include "kernels/cuda_stage.h"
#include "kernels/reference.h"
#include "kernels/registry.h"

namespace assay {
namespace {

void check_request(const KernelCasesRequest& request) {
  if (request.dir.empty()) {
    throw Error(ErrorKind::kUsage, "kernel_cases: dir, the folder for the arrays, is empty");
  }
  if (request.repeat < 1 || request.repeat > 10000) {
    throw Error(ErrorKind::kUsage,
                fmt::format("kernel_cases: repeat is {}; expected 1..10000", request.repeat));
  }
}

const OpReference& reference_of(const std::string& op) {
  if (const OpReference* reference = find_reference(op)) return *reference;
  throw Error(ErrorKind::kUsage, fmt::format("kernel_cases: no op is called '{}'", op));
}

// A variant of either backend, as cases launch it.
struct CaseLauncher {
  LaunchFunction function;
  const std::uint64_t* launches;
  ActivationForm reads;
  std::unique_ptr<CudaStage> stage;  // null on the CPU
};

CaseLauncher launcher_of(const std::string& op, const std::string& id) {
  const auto name = parse_variant_id(id);
  if (!name || name->backend != to_string(BackendKind::kCuda)) {
    const VariantInfo& info = runnable_variant("kernel_cases", op, id, cpu_here(cpu_level()));
    const RegisteredVariant& variant = *find_cpu_variant(info.id);
    return {variant.launch, variant.launches, info.reads, nullptr};
  }
  const CudaDevice gpu = cuda_device_here();
  if (gpu.capability == 0) throw Error(ErrorKind::kEnvironment, "kernel_cases: " + gpu.why);
  const VariantInfo& info = runnable_variant("kernel_cases", op, id, cuda_here(gpu.capability));
  const CudaVariant& variant = *find_cuda_variant(info.id);
  auto stage = std::make_unique<CudaStage>(variant);
  const LaunchFunction function = stage->function();
  return {function, variant.launches, info.reads, std::move(stage)};
}

// Of both registries, so that no variant runs unseen.
LaunchCounts counted_by_all() {
  LaunchCounts counts = counted_by(cpu_registry());
  counts.merge(counted_by(cuda_registry()));
  return counts;
}

ActivationForm form_named(const std::string& reads) {
  if (reads.empty()) return ActivationForm::kOfType;
  if (reads == "half") return ActivationForm::kHalf;
  throw Error(ErrorKind::kUsage,
              fmt::format("kernel_cases: reads is '{}'; expected '' or 'half'", reads));
}

// The op's cases for variants that read their activations in this form.
std::vector<CaseSpec> cases_for(const OpReference& reference, ActivationForm reads) {
  std::vector<CaseSpec> specs = reference.cases();
  for (CaseSpec& spec : specs) spec.reads = reads;
  return specs;
}

struct FirstOutput {
  std::vector<std::byte> bytes;  // as the kernel wrote them
  std::vector<double> values;
};

KernelCase run_case(BoundCase& bound, const CaseLauncher& variant, int repeat, Launch& launch,
                    FirstOutput& first) {
  KernelCase result;
  const std::uint64_t before = *variant.launches;
  for (int round = 0; round < repeat; ++round) {
    bound.poison();
    bound.launch(variant.function, launch);
    result.guards_intact = result.guards_intact && bound.guards_intact() &&
                           (launch.stage == nullptr || launch.stage->canaries_intact());
    const std::span<const std::byte> bytes = bound.output();
    if (round == 0) {
      first.bytes.assign(bytes.begin(), bytes.end());
      first.values = bound.values();
    } else if (std::memcmp(first.bytes.data(), bytes.data(), bytes.size()) != 0) {
      result.repeatable = false;
    }
  }
  result.launches = *variant.launches - before;
  return result;
}

void run_variant(const OpReference& reference, const CaseLauncher& variant,
                 const KernelCasesRequest& request, ThreadPool& pool, ProgressCounter& progress,
                 KernelCasesReply& reply) {
  ArrayFile outputs(request.dir + "/outputs.bin");
  ArrayFile values(request.dir + "/values.f64");
  Launch launch{pool, variant.stage.get()};
  FirstOutput first;
  for (const CaseSpec& spec : cases_for(reference, variant.reads)) {
    const std::unique_ptr<BoundCase> bound = reference.bind(spec);
    KernelCase result = run_case(*bound, variant, request.repeat, launch, first);
    result.name = spec.name;
    result.output_offset = outputs.append(std::as_bytes(std::span(first.bytes)));
    result.output_bytes = first.bytes.size();
    result.values_offset = values.append(std::as_bytes(std::span(first.values))) / sizeof(double);
    result.values = first.values.size();
    reply.cases.push_back(std::move(result));
    progress.bump();
  }
  outputs.close();
  values.close();
}

void run_reference(const OpReference& reference, const KernelCasesRequest& request,
                   ProgressCounter& progress, KernelCasesReply& reply) {
  ArrayFile values(request.dir + "/values.f64");
  ArrayFile budgets(request.dir + "/budgets.f64");
  for (const CaseSpec& spec : cases_for(reference, form_named(request.reads))) {
    std::vector<double> value;
    std::vector<double> budget;
    reference.bind(spec)->expected(value, budget);
    KernelCase result;
    result.name = spec.name;
    result.values_offset = values.append(std::as_bytes(std::span(value))) / sizeof(double);
    result.values = value.size();
    budgets.append(std::as_bytes(std::span(budget)));
    reply.cases.push_back(std::move(result));
    progress.bump();
  }
  values.close();
  budgets.close();
}

}  // namespace

KernelCasesReply Worker::kernel_cases(const KernelCasesRequest& request) {
  check_request(request);
  const OpReference& reference = reference_of(request.op);
  KernelCasesReply reply;
  const LaunchCounts before = counted_by_all();
  if (request.variant.empty()) {
    run_reference(reference, request, progress_, reply);
  } else {
    const CaseLauncher variant = launcher_of(request.op, request.variant);
    ThreadPool pool(model_ ? model_->backend->threads() : threads_for(0));
    run_variant(reference, variant, request, pool, progress_, reply);
  }
  reply.counts = launches_since(before, counted_by_all());
  return reply;
}

}  // namespace assay
