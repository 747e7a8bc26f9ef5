// Part f: how far prefill is from the truth, on the GPU and on the CPU.
//
// The truth: the same model with its matrices dequantised to f32, run by the CPU, whose variants
// for f32 weights multiply exact weights by unquantised activations. The CPU's prefill rounds
// activations to 8 bits, the GPU's rounds activations and weights to f16; both then read the output
// matrix with the decode path's 8 bits. By mean KL over the rows of some texts, the GPU's must not
// be further away than the CPU's.
#include <fmt/format.h>

#include <memory>

#include "engine/replay/agreement.h"
#include "engine/replay/cuda_service.h"
#include "engine/replay/replay.h"
#include "engine/replay/subject.h"
#include "engine/replay/texts.h"

namespace assay::replay {
namespace {

constexpr int kPiece = 256;  // tokens of a text, at most
constexpr int kLeastRows = 512;
constexpr double kSlack = 1e-6;  // nats

std::span<const float> logits_of_row(Backend& backend, int row) {
  backend.output(row);
  return backend.logits();
}

Outcome compare_with_truth(const Options& options, const std::string& name) {
  Subject subject(name, options.threads);
  const auto exact = Subject::dequantised(subject, options.threads);
  const auto truth = exact->on_cpu(kPiece, options.threads);
  const auto cpu = subject.on_cpu(kPiece, options.threads);
  std::unique_ptr<Backend> cuda;
  if (!options.host) cuda = subject.on_cuda(cuda_service(options.fused), kPiece);
  Agreement of_cpu;
  Agreement of_cuda;
  for (const std::vector<std::int32_t>& text : text_tokens(subject.file(), kPiece)) {
    for (Backend* backend : {truth.get(), cpu.get(), cuda.get()}) {
      if (backend != nullptr) backend->prefill(text, 0);
    }
    for (int row = 0; row < static_cast<int>(text.size()); ++row) {
      const std::span<const float> base = logits_of_row(*truth, row);
      of_cpu.add(base, logits_of_row(*cpu, row));
      if (cuda) of_cuda.add(base, logits_of_row(*cuda, row));
    }
  }
  const bool powered = of_cpu.rows >= kLeastRows && of_cpu.nonfinite == 0 && of_cpu.mean_kl() > 0;
  Outcome outcome{.ok = powered,
                  .judged = !options.host,
                  .sentence = fmt::format("CPU: {}", to_string(of_cpu)),
                  .figures = {{"rows", of_cpu.rows}, {"cpu_mean_kl", of_cpu.mean_kl()}}};
  if (!cuda) return outcome;
  outcome.ok = powered && of_cuda.nonfinite == 0 && of_cuda.rows == of_cpu.rows &&
               of_cuda.mean_kl() <= of_cpu.mean_kl() + kSlack;
  outcome.sentence =
      fmt::format("mean KL from the truth: GPU {:.4e}, CPU {:.4e}; GPU: {}; {}", of_cuda.mean_kl(),
                  of_cpu.mean_kl(), to_string(of_cuda), outcome.sentence);
  outcome.figures.emplace_back("cuda_mean_kl", of_cuda.mean_kl());
  return outcome;
}

}  // namespace

void check_prefill(const Options& options, Report& report) {
  const auto check = [&](const std::string& model) {
    report.line('f', fmt::format("{}, prefill and the truth", model),
                [&] { return compare_with_truth(options, model); });
  };
  check("embedded");
  if (!options.model.empty()) check(options.model);
}

}  // namespace assay::replay
