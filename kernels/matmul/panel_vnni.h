// Panels times token rows with 512-bit vpdpbusd. For AVX-512 VNNI files only.
//
// Sixteen weight rows stand in the lanes; kTokens rows of activations share each loaded word of
// weights. Per 32-block and token: 8 products, one conversion and three to five float operations.
// Term::add adds one 32-block's terms to the sums of kTokens tokens; how it forms them is the
// contract of kernels/matvec/README.md.
#pragma once

#include "kernels/matmul/matmul.h"
#include "kernels/matmul/panel_formats.h"
#include "kernels/matmul/panel_tokens.h"
#include "kernels/ranges.h"

namespace assay {
namespace {

// One 32-block of consecutive token rows.
struct TokenBlocks {
  const std::int8_t* q;
  const float* d;
  const std::int32_t* sums;
  std::int64_t blocks;  // from one token's to the next token's

  TokenBlocks(const PanelTokens& x, std::int64_t token, std::int64_t block, int words)
      : q(x.q + (token * x.blocks + block) * 32),
        d(x.d + token * x.blocks + block),
        sums(x.sums + (token * x.blocks + block) * words),
        blocks(x.blocks) {}
  __m512i word(int token, int g) const {
    std::int32_t four;
    __builtin_memcpy(&four, q + token * blocks * 32 + 4 * g, 4);
    return _mm512_set1_epi32(four);
  }
  __m512 scale(int token) const { return _mm512_set1_ps(d[token * blocks]); }
  __m512i sum(int token, int words, int i) const {
    return _mm512_set1_epi32(sums[token * blocks * words + i]);
  }
};

// dots[i] += products of word rows [begin, end).
template <int kTokens>
inline void add_products(__m512i* dots, const PanelBlock<16>& w, const TokenBlocks& x, int begin,
                         int end) {
  for (int g = begin; g < end; ++g) {
    const __m512i codes = _mm512_load_si512(w.codes[g]);
    for (int i = 0; i < kTokens; ++i) {
      dots[i] = _mm512_dpbusd_epi32(dots[i], codes, x.word(i, g));
    }
  }
}

// (scale * dot - low * sum) * d.
struct MinTerm {
  using Sums = FloatSums;
  template <int kTokens>
  static void add(__m512* sums, const MinPanelBlock<16>& w, const TokenBlocks& x) {
    __m512i dots[kTokens];
    for (__m512i& dot : dots) dot = _mm512_setzero_si512();
    add_products<kTokens>(dots, w, x, 0, 8);
    const __m512 scale = _mm512_load_ps(w.scale);
    const __m512 low = _mm512_load_ps(w.low);
    for (int i = 0; i < kTokens; ++i) {
      const __m512 high = _mm512_mul_ps(scale, _mm512_cvtepi32_ps(dots[i]));
      const __m512 less = _mm512_mul_ps(low, _mm512_castsi512_ps(x.sum(i, 1, 0)));
      const __m512 term = _mm512_mul_ps(_mm512_sub_ps(high, less), x.scale(i));
      sums[i] = _mm512_add_ps(sums[i], term);
    }
  }
};

// (scale * dot) * d, codes with an offset.
template <int kOffset>
struct OffsetTerm {
  using Sums = OffsetSums<kOffset>;
  template <int kTokens>
  static void add(__m512* sums, const PanelBlock<16>& w, const TokenBlocks& x) {
    __m512i dots[kTokens];
    for (int i = 0; i < kTokens; ++i) dots[i] = x.sum(i, 1, 0);
    add_products<kTokens>(dots, w, x, 0, 8);
    const __m512 scale = _mm512_load_ps(w.scale);
    for (int i = 0; i < kTokens; ++i) {
      const __m512 high = _mm512_mul_ps(scale, _mm512_cvtepi32_ps(dots[i]));
      sums[i] = _mm512_add_ps(sums[i], _mm512_mul_ps(high, x.scale(i)));
    }
  }
};

// (scale * (half0 * dot0 + half1 * dot1)) * d, codes with an offset.
template <int kOffset>
struct HalvesTerm {
  using Sums = HalfOffsetSums<kOffset>;
  template <int kTokens>
  static void add(__m512* sums, const HalvesPanelBlock<16>& w, const TokenBlocks& x) {
    __m512i first[kTokens];
    __m512i second[kTokens];
    scaled_half<kTokens, 0>(first, w, x);
    scaled_half<kTokens, 1>(second, w, x);
    const __m512 scale = _mm512_load_ps(w.scale);
    for (int i = 0; i < kTokens; ++i) {
      const __m512i dot = _mm512_add_epi32(first[i], second[i]);
      const __m512 high = _mm512_mul_ps(scale, _mm512_cvtepi32_ps(dot));
      sums[i] = _mm512_add_ps(sums[i], _mm512_mul_ps(high, x.scale(i)));
    }
  }
  template <int kTokens, int kHalf>
  static void scaled_half(__m512i* dots, const HalvesPanelBlock<16>& w, const TokenBlocks& x) {
    for (int i = 0; i < kTokens; ++i) dots[i] = x.sum(i, 2, kHalf);
    add_products<kTokens>(dots, w, x, 4 * kHalf, 4 * kHalf + 4);
    const __m512i scale = _mm512_load_si512(w.half[kHalf]);
    for (int i = 0; i < kTokens; ++i) dots[i] = _mm512_mullo_epi32(dots[i], scale);
  }
};

// Partial sums of one token that wait for the visits to come, joined as the contract says.
struct alignas(64) Waiting {
  float one[16];   // of the last even visit
  float two[16];   // of visits 0 and 1, or 4 and 5
  float four[16];  // of visits 0 to 3
};

// Visits [begin, end) of kTokens token rows; the last one stores y[i * n + 0..15], lanes outside
// `rows` excepted.
template <typename Term, int kTokens, typename Panel>
inline void visit_panel(const Panel* panel, const PanelOrder& order, int begin, int end,
                        const PanelTokens& x, std::int64_t token, Waiting* waiting, float* y,
                        std::int64_t n, __mmask16 rows) {
  for (int visit = begin; visit < end; ++visit) {
    __m512 sums[kTokens];
    for (__m512& s : sums) s = _mm512_setzero_ps();
    for (int at = order.begin[visit]; at < order.begin[visit + 1]; ++at) {
      Term::template add<kTokens>(sums, panel[at], TokenBlocks(x, token, at, Term::Sums::kWords));
    }
    for (int i = 0; i < kTokens; ++i) {
      Waiting& wait = waiting[token + i];
      if (visit % 2 == 0) {
        _mm512_store_ps(wait.one, sums[i]);
        continue;
      }
      const __m512 pair = _mm512_add_ps(_mm512_load_ps(wait.one), sums[i]);
      if (visit % 4 == 1) {
        _mm512_store_ps(wait.two, pair);
        continue;
      }
      const __m512 both = _mm512_add_ps(_mm512_load_ps(wait.two), pair);
      if (visit == 3) {
        _mm512_store_ps(wait.four, both);
      } else {
        const __m512 all = _mm512_add_ps(_mm512_load_ps(wait.four), both);
        _mm512_mask_storeu_ps(y + (token + i) * n, rows, all);
      }
    }
  }
}

}  // namespace

template <typename Format, typename Term, int kTokens>
static void run_panel_matmul(const MatmulArgs& args, Launch& launch) {
  using Panel = typename Format::template Panel<16>;
  constexpr int kWords = Term::Sums::kWords;
  constexpr std::int64_t kRunBytes = 512 << 10;   // of activations: half of a second-level cache
  constexpr std::int64_t kVisitBytes = 24 << 10;  // of the panel: half of a first-level cache
  const std::int64_t blocks = args.k / 32;
  const PanelOrder order(static_cast<int>(blocks));
  const std::int64_t panel_bytes = static_cast<std::int64_t>(sizeof(Panel)) * blocks;
  std::int64_t run = kRunBytes / args.k / kTokens * kTokens;
  run = run < 4 * kTokens ? 4 * kTokens : run;
  run = run < args.t ? run : args.t;
  int visits = 8;
  while (visits > 1 && panel_bytes * visits / 8 > kVisitBytes) visits /= 2;
  for_ranges(launch, args.n, 16, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t waiting_bytes = static_cast<std::int64_t>(sizeof(Waiting)) * run;
    auto* memory = static_cast<std::byte*>(
        thread_scratch(panel_bytes + waiting_bytes + PanelTokens::bytes(run, blocks, kWords)));
    auto* panel = reinterpret_cast<Panel*>(memory);
    auto* waiting = reinterpret_cast<Waiting*>(memory + panel_bytes);
    const PanelTokens x(memory + panel_bytes + waiting_bytes, run, blocks);
    for (std::int64_t token = 0; token < args.t; token += run) {
      const std::int64_t count = args.t - token < run ? args.t - token : run;
      x.fill<typename Term::Sums>(args.xq, token, token + count, order);
      for (std::int64_t r = begin; r < end; r += 16) {
        pack_panel<Format, 16>(args.weights, r, args.n, args.k, order, panel);
        const auto rows = static_cast<__mmask16>(end - r < 16 ? (1 << (end - r)) - 1 : 0xffff);
        float* y = args.y + token * args.n + r;
        for (int visit = 0; visit < 8; visit += visits) {
          std::int64_t i = 0;
          for (; i + kTokens <= count; i += kTokens) {
            visit_panel<Term, kTokens>(panel, order, visit, visit + visits, x, i, waiting, y,
                                       args.n, rows);
          }
          for (; i < count; ++i) {
            visit_panel<Term, 1>(panel, order, visit, visit + visits, x, i, waiting, y, args.n,
                                 rows);
          }
        }
      }
    }
  });
}

}  // namespace assay
