// Part c: a long prompt however it is cut, and what tells prefill from decode.
//
// Prefill bits must not depend on the cut: not those of the last row's logits, and not those of the
// cache, which later steps read. Between two cuts the memory is filled with NaN, so that nothing
// left by the one can serve the other. The last tokens as decode steps are another path with other
// roundings: how far it is from prefill is reported and judged by nobody.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "engine/backend/cuda/cuda_inspection.h"
#include "engine/replay/agreement.h"
#include "engine/replay/byte_digest.h"
#include "engine/replay/cuda_service.h"
#include "engine/replay/replay.h"
#include "engine/replay/subject.h"
#include "engine/replay/walk.h"

namespace assay::replay {
namespace {

constexpr char kPart = 'c';
constexpr const char* kModel = "synth:qwen2.5-7b-q4_k_m";
constexpr int kPrompt = 3314;
constexpr int kTail = 64;  // rows that are cut off one by one, or decoded

struct Digests {
  std::string cache;   // every layer's keys and values at the prompt's positions
  std::string logits;  // of the prompt's last row
  bool operator==(const Digests&) const = default;
};

class Prompt {
 public:
  explicit Prompt(const Options& options)
      : subject_(kModel, options.threads),
        tokens_(drawn_tokens(kPrompt, subject_.hyper().vocab, 31)),
        backend_(subject_.on_cuda(cuda_service(options.fused), kPrompt)) {}

  // Chunks of `rows`, and behind `whole_until` of one row.
  Outcome cut(int rows, int whole_until) {
    dynamic_cast<CudaInspection&>(*backend_).poison();
    int chunks = 0;
    int last_rows = 0;
    for (int first = 0; first < kPrompt; first += last_rows) {
      last_rows = first < whole_until ? std::min(rows, whole_until - first) : 1;
      prefill(first, last_rows);
      ++chunks;
    }
    const Digests digests{.cache = digest_of_cache(),
                          .logits = digest_of_row(*backend_, last_rows - 1)};
    if (expected_.cache.empty()) expected_ = digests;
    const bool same = digests == expected_;
    const std::uint64_t nonfinite = backend_->nonfinite();
    return {.ok = same && nonfinite == 0,
            .judged = true,
            .sentence = fmt::format("{} chunks: cache {}, last row {}{}; {} values not finite",
                                    chunks, digests.cache, digests.logits,
                                    same ? "" : ", NOT those of the whole prompt", nonfinite),
            .figures = {{"chunks", chunks}}};
  }

  Outcome decoded_tail() {
    prefill(0, kPrompt);
    std::vector<std::vector<float>> of_prefill;
    for (int row = kPrompt - kTail; row < kPrompt; ++row) of_prefill.push_back(logits(row));
    dynamic_cast<CudaInspection&>(*backend_).poison();
    prefill(0, kPrompt - kTail);
    Agreement agreement;
    double last_kl = 0;
    for (int i = 0; i < kTail; ++i) {
      const int position = kPrompt - kTail + i;
      backend_->decode(tokens_[static_cast<std::size_t>(position)], position);
      const std::vector<float> of_decode = logits(0);
      const std::vector<float>& row = of_prefill[static_cast<std::size_t>(i)];
      agreement.add(row, of_decode);
      if (i == kTail - 1) last_kl = kl_divergence(row, of_decode);
    }
    return {.ok = true,
            .judged = false,
            .sentence = fmt::format("KL(prefill || decode) of the last row {:.3e}; {}", last_kl,
                                    to_string(agreement)),
            .figures = {{"last_kl", last_kl},
                        {"mean_kl", agreement.mean_kl()},
                        {"flips", agreement.flips},
                        {"rows", agreement.rows}}};
  }

 private:
  void prefill(int first, int rows) {
    backend_->prefill(
        std::span(tokens_).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(rows)),
        first);
  }

  std::vector<float> logits(int row) {
    backend_->output(row);
    const std::span<const float> values = backend_->logits();
    return {values.begin(), values.end()};
  }

  std::string digest_of_cache() {
    ByteDigest digest;
    dynamic_cast<CudaInspection&>(*backend_).read_cache(
        kPrompt, [&](std::span<const std::uint16_t> layer) { digest.add(std::as_bytes(layer)); });
    return digest.hex();
  }

  Subject subject_;
  std::vector<std::int32_t> tokens_;
  std::unique_ptr<Backend> backend_;
  Digests expected_;
};

}  // namespace

void check_chunks(const Options& options, Report& report) {
  std::unique_ptr<Prompt> prompt;
  const auto check = [&](const std::string& what, const std::function<Outcome()>& run) {
    report.line(kPart, fmt::format("{}, a prompt of {} {}", kModel, kPrompt, what), run);
  };
  check("whole", [&] {
    prompt = std::make_unique<Prompt>(options);
    return prompt->cut(kPrompt, kPrompt);
  });
  if (report.lines().back().failed()) return;
  check("in chunks of 512", [&] { return prompt->cut(512, kPrompt); });
  check("in chunks of 7", [&] { return prompt->cut(7, kPrompt); });
  check(fmt::format("whole but for {} single rows", kTail),
        [&] { return prompt->cut(kPrompt, kPrompt - kTail); });
  check(fmt::format("with {} rows decoded", kTail), [&] { return prompt->decoded_tail(); });
}

}  // namespace assay::replay
