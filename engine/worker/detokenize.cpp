// `detokenize`: tokens to bytes. The reply is base64, since a token may end inside a character.
#include "engine/core/base64.h"
#include "engine/core/error.h"
#include "engine/worker/worker.h"

namespace assay {

DetokenizeReply Worker::detokenize(const DetokenizeRequest& request) {
  const LoadedModel& model = loaded("detokenize");
  if (!model.tokenizer) {
    throw Error(ErrorKind::kUsage, "detokenize: this model has no vocabulary");
  }
  return {.text_base64 = to_base64(model.tokenizer->decode(request.tokens))};
}

}  // namespace assay
