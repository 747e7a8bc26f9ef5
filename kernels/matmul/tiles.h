// How a matmul is cut: tiles of kTileRows weight rows by groups of token rows.
//
// A tile's weights stay in the first two cache levels while all token groups pass over them. One
// output is always computed inside one call, so neither the tile, nor the group, nor the number of
// threads can change a bit.
#pragma once

#include <cstdint>

#include "kernels/matmul/matmul.h"
#include "kernels/ranges.h"

namespace assay {

inline constexpr int kTileRows = 16;    // weight rows
inline constexpr int kTileTokens = 32;  // token rows, a multiple of every group

// body(first_row, end_row, first_token, end_token) over tiles that cover (n, t).
template <typename Body>
static inline void for_tiles(const MatmulArgs& args, Launch& launch, const Body& body) {
  const std::int64_t token_tiles = (args.t + kTileTokens - 1) / kTileTokens;
  const std::int64_t row_tiles = (args.n + kTileRows - 1) / kTileRows;
  for_ranges(launch, row_tiles * token_tiles, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t tile = begin; tile < end; ++tile) {
      const int row = static_cast<int>(tile / token_tiles) * kTileRows;
      const int token = static_cast<int>(tile % token_tiles) * kTileTokens;
      body(row, row + kTileRows < args.n ? row + kTileRows : args.n, token,
           token + kTileTokens < args.t ? token + kTileTokens : args.t);
    }
  });
}

}  // namespace assay
