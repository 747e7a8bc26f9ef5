#include "engine/generate/check_work.h"

#include <fmt/format.h>

#include "engine/backend/row/draw_arithmetic.h"
#include "engine/core/error.h"

namespace assay {
namespace {

constexpr double kHighestTemperature = 100;

[[noreturn]] void refuse(const std::string& text) {
  throw Error(ErrorKind::kUsage, "work: " + text);
}

void check_tokens(const char* field, const std::vector<std::int32_t>& tokens, int vocab) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] >= 0 && tokens[i] < vocab) continue;
    refuse(fmt::format("{}[{}] is {}; tokens of this model are 0..{}", field, i, tokens[i],
                       vocab - 1));
  }
}

void check_sampling(const WorkRequest& request, int vocab) {
  // Written so that a NaN is refused, too.
  if (!(request.temperature >= 0 && request.temperature <= kHighestTemperature)) {
    refuse(fmt::format("temperature is {}; expected 0 (the likeliest token) to {}",
                       request.temperature, kHighestTemperature));
  }
  if (request.temperature > 0 && vocab > draw_arithmetic::kMostTokens) {
    refuse(
        fmt::format("temperature is {}, but tokens are drawn from at most {}, and this model has "
                    "{}; expected 0",
                    request.temperature, draw_arithmetic::kMostTokens, vocab));
  }
  if (request.top_k < 0) {
    refuse(fmt::format("top_k is {}; expected 0 (all tokens) or more", request.top_k));
  }
  if (!(request.top_p > 0 && request.top_p <= 1)) {
    refuse(fmt::format("top_p is {}; expected above 0, at most 1", request.top_p));
  }
  if (request.seed < 0) refuse(fmt::format("seed is {}; expected 0 or more", request.seed));
}

}  // namespace

void check_work(const WorkRequest& request, int vocab, int context, int max_rows) {
  if (request.phase != "prefill" && request.phase != "decode") {
    refuse(fmt::format("phase is '{}'; expected 'prefill' or 'decode'", request.phase));
  }
  if (request.prompt.empty()) refuse("prompt is empty; at least one token is needed");
  if (request.steps < 0) refuse(fmt::format("steps is {}; expected 0 or more", request.steps));
  if (request.chunk < 0 || request.chunk > max_rows) {
    refuse(fmt::format("chunk is {}; expected 0 (for {}) or 1..{}", request.chunk, max_rows,
                       max_rows));
  }
  if (request.prompt.size() > static_cast<std::size_t>(context)) {
    refuse(fmt::format("the prompt has {} tokens; the context holds {} positions",
                       request.prompt.size(), context));
  }
  const std::int64_t end = static_cast<std::int64_t>(request.prompt.size()) + request.steps;
  if (end > context) {
    refuse(fmt::format("{} prompt tokens and {} steps need {} positions; the context holds {}",
                       request.prompt.size(), request.steps, end, context));
  }
  if (!request.forced.empty() && request.forced.size() != static_cast<std::size_t>(request.steps)) {
    refuse(fmt::format("forced has {} tokens for {} steps; expected none or one for each",
                       request.forced.size(), request.steps));
  }
  if (request.logits && request.dir.empty()) {
    refuse("logits are asked for, but dir, the folder to write them to, is empty");
  }
  check_sampling(request, vocab);
  check_tokens("prompt", request.prompt, vocab);
  check_tokens("forced", request.forced, vocab);
}

}  // namespace assay
