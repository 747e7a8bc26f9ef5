// One case of attention_decode or attention_prefill: operands, fp64 values, budgets.
//
// The cache holds NaN wherever a row must not look: positions past the last, pads between heads and
// between positions. Values are those of the f32 Q and the f16 K and V that a kernel receives.
//
// Budget, with u = 2^-24, d = head_dim, n positions: a score is off by at most
// E = scale u (1 + sqrt(d)) max_j sum|q k_j| (Q is scaled in f32), and the output by
// B = (2 E + u sqrt(n) + 4 u) sum p|v|: a score's error acts on a weight and on the sum of weights.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "kernels/attention_prefill/attention_prefill.h"
#include "kernels/reference.h"

namespace assay {

class AttentionCase : public BoundCase {
 public:
  // dims: heads, group, d (head_dim), pad, planes (1: heads are the outer dimension of the cache);
  // decode: nkv; prefill: t, past.
  explicit AttentionCase(const CaseSpec& spec);

  void poison() override { out_.poison(); }
  void launch(LaunchFunction function, Launch& launch) override;
  std::span<const std::byte> output() const override { return {out_.data(), out_.size()}; }
  std::vector<double> values() const override;
  void expected(std::vector<double>& value, std::vector<double>& budget) const override;
  bool guards_intact() const override { return out_.intact(); }

  // For tests: the arguments, to launch variations of the case, and the scale, to plant a fault.
  AttentionPrefillArgs arguments();
  void set_scale(float scale) { scale_ = scale; }

 private:
  void draw(const CaseSpec& spec);
  std::int64_t cache_at(int position, int kv_head) const {
    return position * position_stride_ + kv_head * head_stride_;
  }
  // fp64 output and budget of one row of q (head_dim) that sees `count` positions.
  void exact_row(const float* q, int kv_head, int count, double* value, double* budget) const;

  bool decode_;
  int t_;
  int past_;
  int heads_;
  int kv_heads_;
  int head_dim_;
  int positions_;  // that hold K and V
  bool half_;      // the budget is for Q and probabilities rounded to halves
  std::int64_t position_stride_;
  std::int64_t head_stride_;
  float scale_;
  std::vector<float> q_;          // (t, heads, head_dim)
  std::vector<std::uint16_t> k_;  // f16 by cache_at
  std::vector<std::uint16_t> v_;
  std::vector<double> exact_k_;  // (kv_heads, positions, head_dim)
  std::vector<double> exact_v_;
  GuardedBuffer out_;  // (t, heads, head_dim)
};

// The tile length decides the bits (kernels/online_softmax.h), and so does the number of splits.
inline constexpr std::string_view kAttentionArithmetic[] = {"tkv", "splits"};

std::unique_ptr<BoundCase> bind_attention(const CaseSpec& spec);
CaseCost attention_cost(const CaseSpec& spec);

}  // namespace assay
