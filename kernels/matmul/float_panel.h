// Panels of float weights: rows side by side in the lanes, partial sum by partial sum. For AVX2 and
// AVX-512 files only.
//
// As panel.h, for f32, f16 and bf16 weights with f32 activations: element i of a row belongs to
// partial sum i mod 8, so a panel holds the elements 0, 8, 16, ... of kRows rows, then 4, 12, 20,
// ..., in the order of the visits. Activations are rearranged in the same way once per run of
// tokens.
#pragma once

#include <cstddef>

#include "kernels/matmul/matmul.h"
#include "kernels/matmul/panel.h"
#include "kernels/matmul/panel_visits.h"
#include "kernels/matvec/avx2_float.h"
#include "kernels/ranges.h"

namespace assay {
namespace {

// Where the elements of partial sum `lane` begin, in units of k / 8.
inline int visit_of(int lane) {
  constexpr int kVisit[8] = {0, 4, 2, 6, 1, 5, 3, 7};  // the order is its own inverse
  return kVisit[lane];
}

// Rows [first, first + kRows) -> panel (8, k / 8, kRows); rows from n on repeat the last one.
template <int kRows, typename Weight>
inline void pack_floats(const Weight* weights, std::int64_t first, std::int64_t n, std::int64_t k,
                        float* panel) {
  for (int part = 0; part < kRows / 8; ++part) {
    const Weight* rows[8];
    for (int r = 0; r < 8; ++r) {
      const std::int64_t row = first + 8 * part + r;
      rows[r] = weights + (row < n ? row : n - 1) * k;
    }
    for (std::int64_t i = 0; i < k; i += 8) {
      __m256i in[8];
      __m256i words[8];
      for (int r = 0; r < 8; ++r) in[r] = _mm256_castps_si256(load_eight(rows[r] + i));
      transpose_8x8(in, words);
      for (int lane = 0; lane < 8; ++lane) {
        float* to = panel + (visit_of(lane) * (k / 8) + i / 8) * kRows + 8 * part;
        _mm256_store_ps(to, _mm256_castsi256_ps(words[lane]));
      }
    }
  }
}

// Token rows x (count, k) -> to (count, 8, k / 8).
inline void arrange_tokens(const float* x, std::int64_t count, std::int64_t k, float* to) {
  for (std::int64_t token = 0; token < count; ++token) {
    for (std::int64_t i = 0; i < k; ++i) {
      to[token * k + visit_of(static_cast<int>(i % 8)) * (k / 8) + i / 8] = x[token * k + i];
    }
  }
}

// One visit of kTokens token rows: elements of the panel and of each token lie one after another.
template <typename Lanes, int kTokens>
inline void visit_floats(int visit, const float* panel, const float* x, std::int64_t k,
                         std::int64_t token, Waiting<Lanes::kRows>* waiting,
                         const PanelOutput& out) {
  const std::int64_t length = k / 8;
  const float* w = panel + visit * length * Lanes::kRows;
  const float* from = x + token * k + visit * length;
  typename Lanes::Floats sums[kTokens];
  for (auto& sum : sums) sum = Lanes::zero_floats();
  for (std::int64_t s = 0; s < length; ++s) {
    const auto weight = Lanes::load_floats(w + s * Lanes::kRows);
    for (int i = 0; i < kTokens; ++i) {
      sums[i] = Lanes::add(sums[i], Lanes::mul(weight, Lanes::broadcast(from[i * k + s])));
    }
  }
  join_visit<Lanes, kTokens>(visit, sums, token, waiting, out);
}

// Tokens [token, end), kTokens at a time, what is left over in halves of that.
template <typename Lanes, int kTokens>
inline void visit_float_tokens(int visit, const float* panel, const float* x, std::int64_t k,
                               std::int64_t token, std::int64_t end, Waiting<Lanes::kRows>* waiting,
                               const PanelOutput& out) {
  for (; token + kTokens <= end; token += kTokens) {
    visit_floats<Lanes, kTokens>(visit, panel, x, k, token, waiting, out);
  }
  if constexpr (kTokens > 1) {
    visit_float_tokens<Lanes, kTokens / 2>(visit, panel, x, k, token, end, waiting, out);
  }
}

}  // namespace

template <typename Lanes, typename Weight, int kTokens>
static void run_float_panel_matmul(const MatmulArgs& args, Launch& launch) {
  constexpr int kRows = Lanes::kRows;
  constexpr std::int64_t kRunBytes = 512 << 10;  // of activations: half of a second-level cache
  const std::int64_t k = args.k;
  std::int64_t run = kRunBytes / (k * 4) / kTokens * kTokens;
  run = run < 4 * kTokens ? 4 * kTokens : run;
  run = run < args.t ? run : args.t;
  const std::int64_t panel_bytes = k * kRows * 4;
  const std::int64_t waiting_bytes = static_cast<std::int64_t>(sizeof(Waiting<kRows>)) * run;
  for_ranges(launch, args.n, kRows, [&](std::int64_t begin, std::int64_t end) {
    auto* memory =
        static_cast<std::byte*>(thread_scratch(panel_bytes + waiting_bytes + run * k * 4));
    auto* panel = reinterpret_cast<float*>(memory);
    auto* waiting = reinterpret_cast<Waiting<kRows>*>(memory + panel_bytes);
    auto* x = reinterpret_cast<float*>(memory + panel_bytes + waiting_bytes);
    for (std::int64_t token = 0; token < args.t; token += run) {
      const std::int64_t count = args.t - token < run ? args.t - token : run;
      arrange_tokens(args.x + token * k, count, k, x);
      for (std::int64_t r = begin; r < end; r += kRows) {
        pack_floats<kRows>(static_cast<const Weight*>(args.weights), r, args.n, k, panel);
        const PanelOutput out{args.y + token * args.n + r, args.n,
                              static_cast<int>(end - r < kRows ? end - r : kRows)};
        for (int visit = 0; visit < 8; ++visit) {
          visit_float_tokens<Lanes, kTokens>(visit, panel, x, k, 0, count, waiting, out);
        }
      }
    }
  });
}

}  // namespace assay
