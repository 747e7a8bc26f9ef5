#include "engine/tokenizer/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/core/error.h"
#include "engine/tokenizer/utf8.h"

namespace assay {
namespace {

constexpr std::string_view kModel = "tokenizer.ggml.model";
constexpr std::string_view kPre = "tokenizer.ggml.pre";
constexpr std::string_view kMerges = "tokenizer.ggml.merges";
// Control tokens that end a turn or a document in chat models of this family.
constexpr std::array<std::string_view, 2> kEndTexts{"<|im_end|>", "<|endoftext|>"};

[[noreturn]] void fail(const GgufFile& file, std::string_view key, const std::string& problem,
                       std::string_view remedy) {
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: metadata \"{}\": {}: {}", file.name(), key, problem, remedy));
}

// A token id from the metadata, or -1.
int find_id(const GgufFile& file, std::string_view key, int vocab) {
  const std::optional<std::uint32_t> id = file.find_u32(key);
  if (!id) return -1;
  if (*id >= static_cast<std::uint32_t>(vocab)) {
    fail(file, key, fmt::format("is {}, the vocabulary has {} tokens", *id, vocab),
         "convert the model again");
  }
  return static_cast<int>(*id);
}

// A stretch of the text: plain, or a special token that was found there.
struct Fragment {
  std::string_view text;
  std::int32_t token = -1;
};

// Cuts every occurrence of `special` out of the plain fragments.
std::vector<Fragment> cut_out(const std::vector<Fragment>& fragments, const SpecialToken& special) {
  std::vector<Fragment> result;
  for (const Fragment& fragment : fragments) {
    std::string_view rest = fragment.text;
    std::size_t at = fragment.token < 0 ? rest.find(special.text) : std::string_view::npos;
    while (at != std::string_view::npos) {
      if (at > 0) result.push_back({rest.substr(0, at)});
      result.push_back({rest.substr(at, special.text.size()), special.id});
      rest.remove_prefix(at + special.text.size());
      at = rest.find(special.text);
    }
    if (!rest.empty()) result.push_back({rest, fragment.token});
  }
  return result;
}

}  // namespace

std::optional<Tokenizer> Tokenizer::from_gguf(const GgufFile& file) {
  const std::string_view model = file.find_string(kModel).value_or("none");
  if (model == "none" || model == "no_vocab") return std::nullopt;
  if (model != "gpt2") {
    fail(file, kModel, fmt::format("is {}, the known ones are \"gpt2\"", quoted(model)),
         "use a model with one of them");
  }
  const std::string_view pre = file.get_string(kPre);
  std::optional<Pretokenizer> pretokenizer = Pretokenizer::named(pre);
  if (!pretokenizer) {
    fail(file, kPre,
         fmt::format("is {}, the known ones are {}", quoted(pre), Pretokenizer::known_names()),
         "use a model with one of them");
  }
  return Tokenizer(file, *std::move(pretokenizer));
}

Tokenizer::Tokenizer(const GgufFile& file, Pretokenizer pretokenizer)
    : vocabulary_(file), pretokenizer_(std::move(pretokenizer)) {
  read_merges(file);
  read_special_ids(file);
}

void Tokenizer::read_merges(const GgufFile& file) {
  const Vocabulary::Ids ids = Vocabulary::ids_by_text(file);
  const std::vector<std::string_view> lines = file.get_strings(kMerges);
  merges_.reserve(lines.size());
  const auto id_of = [&](const std::string& text, std::size_t rank) {
    const auto found = ids.find(text);
    if (found == ids.end()) {
      fail(file, kMerges,
           fmt::format("entry {} {} needs the token {}, which is not in the vocabulary", rank,
                       quoted(lines[rank]), quoted(text)),
           "convert the model again");
    }
    return found->second;
  };
  for (std::size_t rank = 0; rank < lines.size(); ++rank) {
    const std::string_view line = lines[rank];
    const std::size_t space = line.find(' ', 1);
    if (space == std::string_view::npos || space + 1 == line.size()) {
      fail(file, kMerges,
           fmt::format("entry {} is {}, not two tokens with a space between them", rank,
                       quoted(line)),
           "convert the model again");
    }
    const std::string left(line.substr(0, space));
    const std::string right(line.substr(space + 1));
    merges_.add(id_of(left, rank), id_of(right, rank), static_cast<std::int32_t>(rank),
                id_of(left + right, rank));
  }
}

void Tokenizer::read_special_ids(const GgufFile& file) {
  bos_ = find_id(file, "tokenizer.ggml.bos_token_id", vocab());
  eos_ = find_id(file, "tokenizer.ggml.eos_token_id", vocab());
  add_bos_ = file.find_bool("tokenizer.ggml.add_bos_token").value_or(false);
  if (add_bos_ && bos_ < 0) {
    fail(file, "tokenizer.ggml.add_bos_token", "is true, but there is no bos_token_id",
         "convert the model again");
  }
  const int end_of_turn = find_id(file, "tokenizer.ggml.eot_token_id", vocab());
  if (eos_ >= 0) ends_.push_back(eos_);
  if (end_of_turn >= 0) ends_.push_back(end_of_turn);
  for (const SpecialToken& special : vocabulary_.specials()) {
    if (std::find(kEndTexts.begin(), kEndTexts.end(), special.text) != kEndTexts.end()) {
      ends_.push_back(special.id);
    }
  }
}

std::vector<std::int32_t> Tokenizer::encode(std::string_view text, bool special) const {
  std::vector<Fragment> fragments;
  if (!text.empty()) fragments.push_back({text});
  for (const SpecialToken& token : vocabulary_.specials()) {
    if (special || token.always) fragments = cut_out(fragments, token);
  }
  std::vector<std::int32_t> out;
  for (const Fragment& fragment : fragments) {
    if (fragment.token >= 0) {
      out.push_back(fragment.token);
    } else {
      encode_plain(fragment.text, out);
    }
  }
  return out;
}

void Tokenizer::encode_plain(std::string_view text, std::vector<std::int32_t>& out) const {
  const std::string repaired = repair_utf8(text);
  for (const std::string_view word : pretokenizer_.split(repaired)) {
    std::vector<std::int32_t> tokens;
    tokens.reserve(word.size());
    for (const char c : word) {
      tokens.push_back(vocabulary_.byte_token(static_cast<std::uint8_t>(c)));
    }
    merges_.apply(std::move(tokens), out);
  }
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

bool Tokenizer::ends_text(std::int32_t token) const {
  return std::find(ends_.begin(), ends_.end(), token) != ends_.end();
}

}  // namespace assay
