// Byte-pair merges: which two neighbouring tokens become one, and in which order.
//
// A word starts as one token per byte. As long as two neighbours have a merge, the one of lowest
// rank (leftmost among equals) is applied. Neighbours form a linked list and candidates wait in a
// priority queue; a candidate whose tokens changed meanwhile is dropped when it comes up. That is
// O(n log n); searching all pairs after each merge would be quadratic, and a word may be a
// megabyte of one letter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace assay {

// Stands in a word for a byte without a token.
inline constexpr std::int32_t kNoToken = -1;

class MergeTable {
 public:
  void reserve(std::size_t merges) { merges_.reserve(merges); }
  // Of two merges of one pair the first added counts.
  void add(std::int32_t left, std::int32_t right, std::int32_t rank, std::int32_t merged);
  // Merges the tokens of one word and appends the result, without kNoToken, to `out`.
  void apply(std::vector<std::int32_t> word, std::vector<std::int32_t>& out) const;

 private:
  struct Merge {
    std::int32_t rank;
    std::int32_t merged;
  };
  // Spreads both ids over all bits; the identity would cluster neighbouring ids.
  struct PairHash {
    std::size_t operator()(std::uint64_t pair) const {
      pair *= 0x9e3779b97f4a7c15u;
      return static_cast<std::size_t>(pair ^ pair >> 32);
    }
  };
  static std::uint64_t pair_of(std::int32_t left, std::int32_t right) {
    return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 |
           static_cast<std::uint32_t>(right);
  }
  const Merge* find(std::int32_t left, std::int32_t right) const;

  std::unordered_map<std::uint64_t, Merge, PairHash> merges_;
};

}  // namespace assay
