// `detokenize`: tokens to bytes. The reply is base64, since a token may end inside a character.
#include <openssl/evp.h>

#include "engine/core/error.h"
#include "engine/worker/worker.h"

namespace assay {
namespace {

std::string base64(const std::string& bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                     reinterpret_cast<const unsigned char*>(bytes.data()),
                                     static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

}  // namespace

DetokenizeReply Worker::detokenize(const DetokenizeRequest& request) {
  const LoadedModel& model = loaded("detokenize");
  if (!model.tokenizer) {
    throw Error(ErrorKind::kUsage, "detokenize: this model has no vocabulary");
  }
  return {.text_base64 = base64(model.tokenizer->decode(request.tokens))};
}

}  // namespace assay
