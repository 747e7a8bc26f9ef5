#include "engine/tokenizer/merges.h"

#include <queue>
#include <tuple>
#include <utility>

namespace assay {
namespace {

constexpr std::size_t kNone = ~std::size_t{0};
constexpr std::int32_t kGone = kNoToken;  // a token that was merged into its left neighbour

struct Candidate {
  std::int32_t rank;
  std::size_t position;  // of the left token
  std::int32_t left;     // the tokens as they were when it was queued
  std::int32_t right;
  std::int32_t merged;

  // For a queue whose top is the lowest rank, then the leftmost.
  bool operator<(const Candidate& other) const {
    return std::tie(rank, position) > std::tie(other.rank, other.position);
  }
};

}  // namespace

void MergeTable::add(std::int32_t left, std::int32_t right, std::int32_t rank,
                     std::int32_t merged) {
  merges_.emplace(pair_of(left, right), Merge{rank, merged});
}

const MergeTable::Merge* MergeTable::find(std::int32_t left, std::int32_t right) const {
  const auto found = merges_.find(pair_of(left, right));
  return found == merges_.end() ? nullptr : &found->second;
}

void MergeTable::apply(std::vector<std::int32_t> word, std::vector<std::int32_t>& out) const {
  const std::size_t n = word.size();
  std::vector<std::size_t> next(n);  // position of the right neighbour
  std::vector<std::size_t> before(n);
  for (std::size_t i = 0; i < n; ++i) {
    next[i] = i + 1 < n ? i + 1 : kNone;
    before[i] = i > 0 ? i - 1 : kNone;
  }
  std::priority_queue<Candidate> queue;
  const auto consider = [&](std::size_t i) {
    if (i == kNone || next[i] == kNone) return;
    const Merge* merge = find(word[i], word[next[i]]);
    if (merge != nullptr) {
      queue.push({merge->rank, i, word[i], word[next[i]], merge->merged});
    }
  };
  for (std::size_t i = 0; i < n; ++i) consider(i);
  while (!queue.empty()) {
    const Candidate best = queue.top();
    queue.pop();
    const std::size_t i = best.position;
    const std::size_t j = word[i] == best.left ? next[i] : kNone;
    if (j == kNone || word[j] != best.right) continue;  // changed meanwhile
    word[i] = best.merged;
    word[j] = kGone;
    next[i] = next[j];
    if (next[j] != kNone) before[next[j]] = i;
    consider(before[i]);
    consider(i);
  }
  for (const std::int32_t token : word) {
    if (token != kGone) out.push_back(token);
  }
}

}  // namespace assay
