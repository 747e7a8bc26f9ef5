#include "kernels/attention_decode/attention_case.h"

#include <algorithm>
#include <cmath>

#include "engine/core/half.h"
#include "kernels/attention_decode/attention_decode.h"
#include "kernels/error_budget.h"

namespace assay {
namespace {

constexpr int kSpare = 3;  // unused positions at the end of the cache

float sign(CaseRandom& random, float magnitude) {
  return random.next() % 2 == 0 ? magnitude : -magnitude;
}

// What attention sees of a real model's giants: a few channels of Q near 57, a few of V near 138.
float draw_q(CaseRandom& random, DataKind kind, std::size_t i, std::size_t head_dim) {
  if (kind == DataKind::kGiant) return i % 91 == 45 ? sign(random, 57) : random.normal();
  if (kind == DataKind::kExact) return i % head_dim == i / head_dim % head_dim ? 8.0f : 0.0f;
  return random.draw(kind, i);
}

float draw_k(CaseRandom& random, DataKind kind, std::size_t i) {
  if (kind == DataKind::kGiant) return random.normal();
  if (kind == DataKind::kZero) return random.draw(kind, i) * 0x1p112f;  // zeros, f16 subnormals
  return random.draw(kind, i);
}

float draw_v(CaseRandom& random, DataKind kind, std::size_t i, int kv_head) {
  if (kind == DataKind::kGiant) return i % 1543 == 700 ? sign(random, 138) : random.normal();
  if (kind == DataKind::kExact && kv_head == 0) return 0.5f;
  return draw_k(random, kind, i);
}

}  // namespace

AttentionCase::AttentionCase(const CaseSpec& spec)
    : decode_(spec.dim("t") == 0),
      t_(std::max(spec.dim("t"), 1)),
      past_(decode_ ? spec.dim("nkv") - 1 : spec.dim("past")),
      heads_(spec.dim("heads")),
      kv_heads_(heads_ / spec.dim("group")),
      head_dim_(spec.dim("d")),
      positions_(past_ + t_),
      half_(spec.reads == ActivationForm::kHalf),
      scale_(static_cast<float>(1 / std::sqrt(static_cast<double>(head_dim_)))),
      out_(static_cast<std::size_t>(t_) * static_cast<std::size_t>(heads_ * head_dim_) * 4) {
  const int pad = spec.dim("pad");
  if (spec.dim("planes") != 0) {
    position_stride_ = head_dim_ + pad;
    head_stride_ = (positions_ + kSpare) * position_stride_ + pad;
  } else {
    head_stride_ = head_dim_ + pad;
    position_stride_ = kv_heads_ * head_stride_ + pad;
  }
  draw(spec);
}

void AttentionCase::draw(const CaseSpec& spec) {
  CaseRandom random(spec.seed);
  const auto d = static_cast<std::size_t>(head_dim_);
  q_.resize(static_cast<std::size_t>(t_ * heads_) * d);
  for (std::size_t i = 0; i < q_.size(); ++i) q_[i] = draw_q(random, spec.kind, i, d);
  const auto cache = static_cast<std::size_t>(cache_at(positions_ + kSpare, kv_heads_));
  k_.assign(cache, 0xffff);  // NaN
  v_.assign(cache, 0xffff);
  const auto valid = static_cast<std::size_t>(kv_heads_ * positions_) * d;
  exact_k_.reserve(valid);
  exact_v_.reserve(valid);
  for (int h = 0; h < kv_heads_; ++h) {
    for (int p = 0; p < positions_; ++p) {
      for (std::size_t i = 0; i < d; ++i) {
        const auto at = static_cast<std::size_t>(cache_at(p, h)) + i;
        k_[at] = float_to_half(draw_k(random, spec.kind, exact_k_.size()));
        v_[at] = float_to_half(draw_v(random, spec.kind, exact_v_.size(), h));
        exact_k_.push_back(half_to_float(k_[at]));
        exact_v_.push_back(half_to_float(v_[at]));
      }
    }
  }
}

AttentionPrefillArgs AttentionCase::arguments() {
  return {.q = q_.data(),
          .k_cache = k_.data(),
          .v_cache = v_.data(),
          .position_stride = position_stride_,
          .head_stride = head_stride_,
          .out = out_.as<float>(),
          .t = t_,
          .past = past_,
          .heads = heads_,
          .kv_heads = kv_heads_,
          .head_dim = head_dim_,
          .scale = scale_};
}

void AttentionCase::launch(LaunchFunction function, Launch& launch) {
  const AttentionPrefillArgs prefill = arguments();
  if (!decode_) {
    function(&prefill, launch);
    return;
  }
  const AttentionDecodeArgs decode{.q = prefill.q,
                                   .k_cache = prefill.k_cache,
                                   .v_cache = prefill.v_cache,
                                   .position_stride = position_stride_,
                                   .head_stride = head_stride_,
                                   .out = prefill.out,
                                   .nkv = positions_,
                                   .heads = heads_,
                                   .kv_heads = kv_heads_,
                                   .head_dim = head_dim_,
                                   .scale = scale_};
  function(&decode, launch);
}

std::vector<double> AttentionCase::values() const {
  const auto* out = out_.as<float>();
  return {out, out + out_.size() / sizeof(float)};
}

void AttentionCase::exact_row(const float* q, int kv_head, int count, double* value,
                              double* budget) const {
  const auto d = static_cast<std::size_t>(head_dim_);
  const std::size_t first = static_cast<std::size_t>(kv_head * positions_) * d;
  std::vector<double> weight(static_cast<std::size_t>(count));
  double widest = 0;  // max_j sum |q k_j|
  for (std::size_t j = 0; j < weight.size(); ++j) {
    const double* k = exact_k_.data() + first + j * d;
    double score = 0;
    double magnitude = 0;
    for (std::size_t i = 0; i < d; ++i) {
      score += q[i] * k[i];
      magnitude += std::fabs(q[i] * k[i]);
    }
    weight[j] = score * scale_;
    widest = std::max(widest, magnitude);
  }
  const double top = *std::max_element(weight.begin(), weight.end());
  double total = 0;
  for (double& w : weight) total += w = std::exp(w - top);
  const double factor = attention_error_factor(half_, scale_, head_dim_, count, widest);
  std::fill(value, value + d, 0.0);
  std::fill(budget, budget + d, 0.0);
  for (std::size_t j = 0; j < weight.size(); ++j) {
    const double* v = exact_v_.data() + first + j * d;
    const double p = weight[j] / total;
    for (std::size_t i = 0; i < d; ++i) {
      value[i] += p * v[i];
      budget[i] += p * std::fabs(v[i]);
    }
  }
  for (std::size_t i = 0; i < d; ++i) {
    budget[i] = attention_budget(budget[i], factor, count);
  }
}

void AttentionCase::expected(std::vector<double>& value, std::vector<double>& budget) const {
  value.resize(q_.size());
  budget.resize(q_.size());
  const int group = heads_ / kv_heads_;
  for (int i = 0; i < t_; ++i) {
    for (int h = 0; h < heads_; ++h) {
      const std::int64_t at = (static_cast<std::int64_t>(i) * heads_ + h) * head_dim_;
      exact_row(q_.data() + at, h / group, past_ + i + 1, value.data() + at, budget.data() + at);
    }
  }
}

CaseCost attention_cost(const CaseSpec& spec) {
  const bool decode = spec.dim("t") == 0;
  const double t = std::max(spec.dim("t"), 1);
  const double past = decode ? spec.dim("nkv") - 1 : spec.dim("past");
  const double heads = spec.dim("heads");
  const double d = spec.dim("d");
  const double kv = 2 * (past + t) * (heads / spec.dim("group")) * d * 2;  // f16 K and V, once
  const double rows = 2 * t * heads * d * 4;                               // Q in, out
  const double pairs = t * (past + (t + 1) / 2) * heads;                   // query and position
  return {kv + rows, pairs * 4 * d};
}

std::unique_ptr<BoundCase> bind_attention(const CaseSpec& spec) {
  return std::make_unique<AttentionCase>(spec);
}

}  // namespace assay
