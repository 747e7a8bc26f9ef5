// `tokenize`: text to tokens by the model's own vocabulary.
#include "engine/worker/worker.h"

#include <utility>

#include "engine/core/error.h"

namespace assay {

TokenizeReply Worker::tokenize(const TokenizeRequest& request) {
  const LoadedModel& model = loaded("tokenize");
  if (!model.tokenizer) {
    throw Error(ErrorKind::kUsage, "tokenize: this model has no vocabulary; give tokens instead");
  }
  std::vector<std::int32_t> tokens = model.tokenizer->encode(request.text, request.special);
  if (request.enclose) tokens = model.tokenizer->enclose(std::move(tokens));
  return {.tokens = std::move(tokens)};
}

}  // namespace assay
