#include "engine/tokenizer/sentencepiece.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <queue>
#include <string>

#include "engine/core/error.h"
#include "engine/tokenizer/sentencepiece_text.h"

namespace assay {
namespace {

constexpr std::string_view kScores = "tokenizer.ggml.scores";
constexpr std::string_view kTokens = "tokenizer.ggml.tokens";
constexpr std::size_t kNone = ~std::size_t{0};

[[noreturn]] void fail(const GgufFile& file, std::string_view key, const std::string& problem) {
  throw Error(ErrorKind::kUsage, fmt::format("{}: metadata \"{}\": {}: convert the model again",
                                             file.name(), key, problem));
}

// As the first byte of a character says; 1 for one that starts none.
std::size_t declared_length(char first) {
  const auto byte = static_cast<std::uint8_t>(first);
  return byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

// A stretch of the text that is one token, or on the way to one.
struct Piece {
  std::size_t begin = 0;
  std::size_t size = 0;  // 0: merged into its left neighbour
  std::size_t before = kNone;
  std::size_t next = kNone;
};

struct Candidate {
  float score;
  std::size_t left, right;  // pieces
  std::size_t size;         // of both, when it was queued

  // For a queue whose top is the highest score, then the leftmost.
  bool operator<(const Candidate& other) const {
    return score < other.score || (score == other.score && left > other.left);
  }
};

std::vector<Piece> characters(std::string_view text) {
  std::vector<Piece> pieces;
  pieces.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = std::min(declared_length(text[at]), text.size() - at);
    const std::size_t i = pieces.size();
    at += size;
    pieces.push_back({.begin = at - size,
                      .size = size,
                      .before = i > 0 ? i - 1 : kNone,
                      .next = at < text.size() ? i + 1 : kNone});
  }
  return pieces;
}

// Merges until no two neighbours make a token.
void merge(std::string_view text, const Vocabulary& vocabulary, const std::vector<float>& scores,
           std::vector<Piece>& pieces) {
  std::priority_queue<Candidate> queue;
  const auto consider = [&](std::size_t left) {
    if (left == kNone || pieces[left].next == kNone) return;
    const std::size_t right = pieces[left].next;
    const std::size_t size = pieces[left].size + pieces[right].size;
    if (size > vocabulary.longest_text()) return;
    const std::int32_t token = vocabulary.find(text.substr(pieces[left].begin, size));
    if (token >= 0) queue.push({scores[static_cast<std::size_t>(token)], left, right, size});
  };
  for (std::size_t i = 0; i < pieces.size(); ++i) consider(i);
  while (!queue.empty()) {
    const Candidate best = queue.top();
    queue.pop();
    Piece& left = pieces[best.left];
    Piece& right = pieces[best.right];
    // Sizes only grow, so an equal sum means that neither changed meanwhile.
    if (left.size == 0 || right.size == 0 || left.size + right.size != best.size) continue;
    left.size += right.size;
    right.size = 0;
    left.next = right.next;
    if (right.next != kNone) pieces[right.next].before = best.left;
    consider(left.before);
    consider(best.left);
  }
}

}  // namespace

SentencePiece::SentencePiece(const GgufFile& file, const Vocabulary& vocabulary)
    : scores_(file.get_floats(kScores)),
      space_prefix_(file.find_bool("tokenizer.ggml.add_space_prefix").value_or(true)) {
  if (scores_.size() != static_cast<std::size_t>(vocabulary.size())) {
    fail(file, kScores,
         fmt::format("has {} entries for {} tokens", scores_.size(), vocabulary.size()));
  }
  for (std::size_t i = 0; i < scores_.size(); ++i) {
    if (std::isnan(scores_[i])) fail(file, kScores, fmt::format("entry {} is not a number", i));
  }
  for (int byte = 0; byte < 256; ++byte) {
    const auto value = static_cast<std::uint8_t>(byte);
    const char c = static_cast<char>(byte);
    std::int32_t token = vocabulary.find(text_of_byte(value));
    if (token < 0) token = vocabulary.find({&c, 1});
    if (token < 0) {
      fail(file, kTokens,
           fmt::format("has no token \"{}\" for byte 0x{:02x}", text_of_byte(value), byte));
    }
    byte_tokens_[value] = token;
  }
}

void SentencePiece::encode(std::string_view text, const Vocabulary& vocabulary,
                           std::vector<std::int32_t>& out) const {
  const std::string escaped = spaces_to_marks((space_prefix_ ? " " : "") + std::string(text));
  std::vector<Piece> pieces = characters(escaped);
  merge(escaped, vocabulary, scores_, pieces);
  for (const Piece& piece : pieces) {
    if (piece.size == 0) continue;
    const std::string_view whole = std::string_view(escaped).substr(piece.begin, piece.size);
    const std::int32_t token = vocabulary.find(whole);
    if (token >= 0) {
      out.push_back(token);
    } else {
      for (const char c : whole) out.push_back(byte_tokens_[static_cast<std::uint8_t>(c)]);
    }
  }
}

}  // namespace assay
