// Part e: a decode step on the GPU against the same step on the CPU.
//
// Both multiply the same quantised weights by the same quantised activations; only orders of
// addition differ. But a code of an activation that lies on an edge may be decided by that order,
// and a flipped code is a whole step, so logits move by far more than a rounding. How far is
// harmless? As far as the GPU moves from itself when its sums are cut elsewhere: 32 and 128 splits
// of attention in place of 64, two rows of a matvec per warp in place of one. A flip of the best
// token must have been a call closer than twice that drift. All sides are fed the same texts token
// by token from an empty cache, so that none reads another path's keys.
#include <fmt/format.h>

#include <array>
#include <memory>

#include "engine/replay/agreement.h"
#include "engine/replay/cuda_service.h"
#include "engine/replay/replay.h"
#include "engine/replay/subject.h"
#include "engine/replay/texts.h"

namespace assay::replay {
namespace {

constexpr char kPart = 'e';
constexpr int kPiece = 256;  // tokens of a text, at most
constexpr int kLeastRows = 512;

std::span<const float> logits_of_step(Backend& backend) {
  backend.output(0);
  return backend.logits();
}

struct Reorder {
  std::string name;
  std::unique_ptr<Backend> backend;
  Agreement agreement;  // base: the map in service
};

class Decode {
 public:
  Decode(const Options& options, const std::string& model)
      : subject_(model, options.threads),
        texts_(text_tokens(subject_.file(), kPiece)),
        cpu_(subject_.on_cpu(kPiece, options.threads)) {
    const ServiceSelection service = cuda_service(options.fused);
    cuda_ = subject_.on_cuda(service, kPiece);
    const auto reorder = [&](const char* name, const ServiceSelection& map) {
      reorders_.push_back({name, subject_.on_cuda(map, kPiece), {}});
    };
    reorder("32 splits", with_splits(service, 32));
    reorder("128 splits", with_splits(service, 128));
    reorder("2 rows", with_matvec_rows(service, 2));
  }

  Outcome run() {
    for (const std::vector<std::int32_t>& text : texts_) {
      for (std::size_t i = 0; i < text.size(); ++i) step(text[i], static_cast<int>(i));
    }
    double drift = 0;
    std::string drifts;
    bool finite = against_cpu_.nonfinite == 0;
    for (const Reorder& reorder : reorders_) {
      const Agreement& agreement = reorder.agreement;
      drift = std::max(drift, agreement.drift);
      finite = finite && agreement.nonfinite == 0;
      drifts += fmt::format("; {}: {} rows of other bits, {} flips, drift {:.4f}, mean KL {:.3e}",
                            reorder.name, agreement.different, agreement.flips, agreement.drift,
                            agreement.mean_kl());
    }
    const bool close = against_cpu_.flips == 0 || against_cpu_.widest_flip <= 2 * drift;
    return {.ok = finite && close && against_cpu_.rows >= kLeastRows,
            .judged = true,
            .sentence = fmt::format("{}; allowed margin of a flip {:.4f}{}",
                                    to_string(against_cpu_), 2 * drift, drifts),
            .figures = {{"rows", against_cpu_.rows},
                        {"flips", against_cpu_.flips},
                        {"widest_flip", against_cpu_.widest_flip},
                        {"drift", drift},
                        {"largest_difference", against_cpu_.largest_difference},
                        {"mean_kl", against_cpu_.mean_kl()}}};
  }

 private:
  void step(std::int32_t token, int position) {
    cuda_->decode(token, position);
    for (Reorder& reorder : reorders_) reorder.backend->decode(token, position);
    cpu_->decode(token, position);
    const std::span<const float> base = logits_of_step(*cuda_);
    against_cpu_.add(base, logits_of_step(*cpu_));
    for (Reorder& reorder : reorders_) {
      reorder.agreement.add(base, logits_of_step(*reorder.backend));
    }
  }

  Subject subject_;
  std::vector<std::vector<std::int32_t>> texts_;
  std::unique_ptr<Backend> cpu_, cuda_;
  std::vector<Reorder> reorders_;
  Agreement against_cpu_;  // base: the GPU with the map in service
};

}  // namespace

void check_decode(const Options& options, Report& report) {
  const auto check = [&](const std::string& model) {
    report.line(kPart, fmt::format("{}, decode on the GPU and on the CPU", model),
                [&] { return Decode(options, model).run(); });
  };
  check("embedded");
  if (!options.model.empty()) check(options.model);
}

}  // namespace assay::replay
