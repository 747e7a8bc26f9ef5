// The loops of a matmul over panels. For AVX2 and AVX-512 files only.
//
// A thread takes panels of Lanes::kRows weight rows. Activations are cut into runs that fit half of
// a second-level cache; a panel is unpacked once per run and read in pieces of whole partial sums
// that fit half of a first-level cache, each piece by all tokens of the run, kTokens at a time.
#pragma once

#include <cstddef>

#include "kernels/matmul/matmul.h"
#include "kernels/matmul/panel_formats.h"
#include "kernels/matmul/panel_visits.h"
#include "kernels/ranges.h"

namespace assay {
namespace {

// Visits [begin, end) of kTokens token rows; the last visit stores the outputs.
template <typename Lanes, typename Term, int kTokens, typename Panel>
inline void visit_panel(const Panel* panel, const PanelOrder& order, int begin, int end,
                        const PanelTokens& x, std::int64_t token, Waiting<Lanes::kRows>* waiting,
                        const PanelOutput& out) {
  for (int visit = begin; visit < end; ++visit) {
    typename Lanes::Floats sums[kTokens];
    for (auto& sum : sums) sum = Lanes::zero_floats();
    for (int at = order.begin[visit]; at < order.begin[visit + 1]; ++at) {
      Term::template add<Lanes, kTokens>(sums, panel[at],
                                         TokenBlocks(x, token, at, Term::Sums::kWords));
    }
    join_visit<Lanes, kTokens>(visit, sums, token, waiting, out);
  }
}

// Tokens [token, end), kTokens at a time, what is left over in halves of that.
template <typename Lanes, typename Term, int kTokens, typename Panel>
inline void visit_tokens(const Panel* panel, const PanelOrder& order, int begin, int stop,
                         const PanelTokens& x, std::int64_t token, std::int64_t end,
                         Waiting<Lanes::kRows>* waiting, const PanelOutput& out) {
  for (; token + kTokens <= end; token += kTokens) {
    visit_panel<Lanes, Term, kTokens>(panel, order, begin, stop, x, token, waiting, out);
  }
  if constexpr (kTokens > 1) {
    visit_tokens<Lanes, Term, kTokens / 2>(panel, order, begin, stop, x, token, end, waiting, out);
  }
}

// How a matmul is cut.
struct PanelCut {
  std::int64_t run;  // tokens
  int visits;        // partial sums of a piece: 8, 4, 2 or 1

  PanelCut(std::int64_t k, std::int64_t t, std::int64_t tile, std::int64_t panel_bytes) {
    constexpr std::int64_t kRunBytes = 512 << 10;
    constexpr std::int64_t kPieceBytes = 24 << 10;
    run = kRunBytes / k / tile * tile;
    run = run < 4 * tile ? 4 * tile : run;
    run = run < t ? run : t;
    visits = 8;
    while (visits > 1 && panel_bytes * visits / 8 > kPieceBytes) visits /= 2;
  }
};

}  // namespace

template <typename Lanes, typename Format, int kTokens>
static void run_panel_matmul(const MatmulArgs& args, Launch& launch) {
  constexpr int kRows = Lanes::kRows;
  using Panel = typename Format::template Panel<kRows>;
  using Term = typename Format::Term;
  using Sums = typename Term::Sums;
  const std::int64_t blocks = args.k / 32;
  const std::int64_t panel_bytes = static_cast<std::int64_t>(sizeof(Panel)) * blocks;
  const PanelOrder order(static_cast<int>(blocks));
  const PanelCut cut(args.k, args.t, kTokens, panel_bytes);
  const std::int64_t waiting_bytes = static_cast<std::int64_t>(sizeof(Waiting<kRows>)) * cut.run;
  for_ranges(launch, args.n, kRows, [&](std::int64_t begin, std::int64_t end) {
    auto* memory = static_cast<std::byte*>(thread_scratch(
        panel_bytes + waiting_bytes + PanelTokens::bytes(cut.run, blocks, Sums::kWords)));
    auto* panel = reinterpret_cast<Panel*>(memory);
    auto* waiting = reinterpret_cast<Waiting<kRows>*>(memory + panel_bytes);
    const PanelTokens x(memory + panel_bytes + waiting_bytes, cut.run, blocks);
    for (std::int64_t token = 0; token < args.t; token += cut.run) {
      const std::int64_t count = args.t - token < cut.run ? args.t - token : cut.run;
      x.fill<Sums>(args.xq, token, token + count, order);
      for (std::int64_t r = begin; r < end; r += kRows) {
        pack_panel<Format, kRows>(args.weights, r, args.n, args.k, order, panel);
        const PanelOutput out{args.y + token * args.n + r, args.n,
                              static_cast<int>(end - r < kRows ? end - r : kRows)};
        for (int visit = 0; visit < 8; visit += cut.visits) {
          const int stop = visit + cut.visits;
          visit_tokens<Lanes, Term, kTokens>(panel, order, visit, stop, x, 0, count, waiting, out);
        }
      }
    }
  });
}

}  // namespace assay
