#include "engine/tokenizer/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/core/error.h"
#include "engine/tokenizer/control_texts.h"
#include "engine/tokenizer/fragments.h"

namespace assay {
namespace {

constexpr std::string_view kModel = "tokenizer.ggml.model";
constexpr std::string_view kAddBos = "tokenizer.ggml.add_bos_token";
constexpr std::string_view kAddEos = "tokenizer.ggml.add_eos_token";
constexpr std::string_view kBos = "tokenizer.ggml.bos_token_id";
constexpr std::string_view kEos = "tokenizer.ggml.eos_token_id";
// Where a SentencePiece file does not say: what its trainer gives them.
constexpr int kSentencePieceBos = 1;
constexpr int kSentencePieceEos = 2;

[[noreturn]] void fail(const GgufFile& file, std::string_view key, const std::string& problem,
                       std::string_view remedy = "convert the model again") {
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: metadata \"{}\": {}: {}", file.name(), key, problem, remedy));
}

// A token id from the metadata, or `otherwise`; -1 where that is beyond the vocabulary.
int find_id(const GgufFile& file, std::string_view key, int vocab, int otherwise = -1) {
  const std::optional<std::uint32_t> id = file.find_u32(key);
  if (!id) return otherwise < vocab ? otherwise : -1;
  if (*id >= static_cast<std::uint32_t>(vocab)) {
    fail(file, key, fmt::format("is {}, the vocabulary has {} tokens", *id, vocab));
  }
  return static_cast<int>(*id);
}

}  // namespace

std::optional<Tokenizer> Tokenizer::from_gguf(const GgufFile& file) {
  const std::string_view model = file.find_string(kModel).value_or("none");
  if (model == "none" || model == "no_vocab") return std::nullopt;
  if (model == "gpt2") {
    Vocabulary vocabulary(file, TokenSpelling::kByteLetters);
    BytePair encoder(file, vocabulary);
    return Tokenizer(file, std::move(vocabulary), std::move(encoder));
  }
  if (model == "llama") {
    Vocabulary vocabulary(file, TokenSpelling::kSentencePiece);
    SentencePiece encoder(file, vocabulary);
    return Tokenizer(file, std::move(vocabulary), std::move(encoder));
  }
  fail(file, kModel, fmt::format("is {}, the known ones are \"gpt2\", \"llama\"", quoted(model)),
       "use a model with one of them");
}

Tokenizer::Tokenizer(const GgufFile& file, Vocabulary vocabulary, Encoder encoder)
    : vocabulary_(std::move(vocabulary)), encoder_(std::move(encoder)) {
  read_bounds(file);
  read_ends(file);
}

void Tokenizer::read_bounds(const GgufFile& file) {
  const auto* byte_pair = std::get_if<BytePair>(&encoder_);
  bos_ = find_id(file, kBos, vocab(), byte_pair != nullptr ? -1 : kSentencePieceBos);
  eos_ = find_id(file, kEos, vocab(), byte_pair != nullptr ? -1 : kSentencePieceEos);
  const bool bos_by_kind = byte_pair == nullptr || byte_pair->adds_bos();
  add_bos_ = file.find_bool(kAddBos).value_or(bos_by_kind);
  add_eos_ = file.find_bool(kAddEos).value_or(false);
  if (add_bos_ && bos_ < 0) {
    fail(file, kAddBos,
         file.has(kAddBos) ? "is true, but there is no bos_token_id"
                           : "is missing, which means true for this tokeniser, but there is no "
                             "bos_token_id");
  }
  if (add_eos_ && eos_ < 0) fail(file, kAddEos, "is true, but there is no eos_token_id");
}

void Tokenizer::read_ends(const GgufFile& file) {
  const int end_of_turn = find_id(file, "tokenizer.ggml.eot_token_id", vocab());
  const int end_of_message = find_id(file, "tokenizer.ggml.eom_token_id", vocab());
  for (const int end : {eos_, end_of_turn, end_of_message}) {
    if (end >= 0) ends_.push_back(end);
  }
  for (const SpecialToken& special : vocabulary_.specials()) {
    if (ends_text(special.text)) ends_.push_back(special.id);
  }
  std::sort(ends_.begin(), ends_.end());
  ends_.erase(std::unique(ends_.begin(), ends_.end()), ends_.end());
}

std::vector<std::int32_t> Tokenizer::encode(std::string_view text, bool special) const {
  std::vector<std::int32_t> out;
  for (const Fragment& fragment : cut_at_specials(text, vocabulary_.specials(), special)) {
    if (fragment.token >= 0) {
      out.push_back(fragment.token);
    } else {
      std::visit([&](const auto& encoder) { encoder.encode(fragment.text, vocabulary_, out); },
                 encoder_);
    }
  }
  return out;
}

std::vector<std::int32_t> Tokenizer::enclose(std::vector<std::int32_t> tokens) const {
  if (add_bos_) tokens.insert(tokens.begin(), bos_);
  if (add_eos_) tokens.push_back(eos_);
  return tokens;
}

std::string_view Tokenizer::token_bytes(std::int32_t token) const {
  if (token < 0 || token >= vocab()) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("token {} is not in the vocabulary: ids go from 0 to {}", token, vocab() - 1));
  }
  return vocabulary_.bytes(token);
}

std::string Tokenizer::decode(std::span<const std::int32_t> tokens) const {
  std::string text;
  for (const std::int32_t token : tokens) text += token_bytes(token);
  return text;
}

}  // namespace assay
