// `tokenize`: text to tokens by the model's own vocabulary.
#include "engine/worker/worker.h"

#include "engine/core/error.h"

namespace assay {

TokenizeReply Worker::tokenize(const TokenizeRequest& request) {
  const LoadedModel& model = loaded("tokenize");
  if (!model.tokenizer) {
    throw Error(ErrorKind::kUsage, "tokenize: this model has no vocabulary; give tokens instead");
  }
  return {.tokens = model.tokenizer->encode(request.text, request.special)};
}

}  // namespace assay
