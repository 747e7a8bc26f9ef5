#include "kernels/matvec/linear_case.h"

#include <algorithm>
#include <cmath>

#include "engine/core/half.h"
#include "kernels/blocks.h"
#include "kernels/error_budget.h"
#include "kernels/halve_activations/row_scale.h"
#include "kernels/matmul/matmul.h"
#include "kernels/matvec/matvec.h"

namespace assay {
namespace {

// A weight row in fp64: w = product - offset, apart, because kernels round the two apart.
struct ExactRow {
  std::vector<double> product;  // (k)
  std::vector<double> offset;   // (k), zero for most types
};

void read_row(DType dtype, const std::byte* row, int k, ExactRow& out) {
  out.product.assign(static_cast<std::size_t>(k), 0.0);
  out.offset.assign(static_cast<std::size_t>(k), 0.0);
  for (int i = 0; i < k; ++i) {
    const WeightParts parts = weight_parts(dtype, row, i);
    out.product[static_cast<std::size_t>(i)] = parts.product;
    out.offset[static_cast<std::size_t>(i)] = parts.offset;
  }
}

ExactDot float_dot(const ExactRow& row, const float* x) {
  ExactDot dot;
  for (std::size_t i = 0; i < row.product.size(); ++i) {
    const double term = row.product[i] * x[i];
    dot.value += term;
    dot.magnitude += std::fabs(term);
  }
  return dot;
}

ExactDot quantized_dot(const ExactRow& row, const QuantizedRows& x) {
  ExactDot dot;
  for (std::size_t b = 0; b < row.product.size() / 32; ++b) {
    double product = 0;
    double offset = 0;
    for (std::size_t i = b * 32; i < b * 32 + 32; ++i) {
      product += row.product[i] * x.q[i];
      offset += row.offset[i] * x.q[i];
    }
    const double d = x.d[b];
    dot.value += d * (product - offset);
    dot.magnitude += std::fabs(d * product) + std::fabs(d * offset);
  }
  return dot;
}

// Halves times weights that were rounded to halves, as tensor cores multiply them.
ExactDot half_dot(const ExactRow& row, const HalfRows& x) {
  ExactDot dot;
  for (std::size_t i = 0; i < row.product.size(); ++i) {
    const auto weight = static_cast<float>(row.product[i] - row.offset[i]);
    const double term = static_cast<double>(half_to_float(float_to_half(weight))) *
                        half_to_float(x.h[i]) * *x.scale;
    dot.value += term;
    dot.magnitude += std::fabs(term);
  }
  return dot;
}

// Exact data: one-hot, constant and power-of-two rows in turn; other kinds as drawn.
void draw_activations(const CaseSpec& spec, CaseRandom& random, int t, int k, float* x) {
  for (int i = 0; i < t; ++i) {
    float* row = x + static_cast<std::int64_t>(i) * k;
    const int form = static_cast<int>((spec.seed + static_cast<std::uint64_t>(i)) % 3);
    const auto hot = static_cast<int>(random.next() % static_cast<std::uint64_t>(k));
    for (int c = 0; c < k; ++c) {
      row[c] = random.draw(spec.kind, static_cast<std::size_t>(i) * static_cast<std::size_t>(k) +
                                          static_cast<std::size_t>(c));
      if (spec.kind == DataKind::kExact && form == 0) row[c] = c == hot ? 127.0f : 0.0f;
      if (spec.kind == DataKind::kExact && form == 1) row[c] = 0.5f;
    }
  }
}

}  // namespace

LinearCase::LinearCase(DType dtype, const CaseSpec& spec)
    : dtype_(dtype),
      matvec_(spec.dim("t") == 0),
      n_(spec.dim("n")),
      k_(spec.dim("k")),
      t_(std::max(spec.dim("t"), 1)),
      reads_(spec.reads),
      weights_(static_cast<std::size_t>(n_) * row_bytes(dtype, static_cast<std::size_t>(k_))),
      x_(static_cast<std::size_t>(t_) * static_cast<std::size_t>(k_)),
      y_(static_cast<std::size_t>(t_) * static_cast<std::size_t>(n_) * sizeof(float)) {
  CaseRandom random(spec.seed);
  random.fill_weights(dtype, n_, k_, weights_.data());
  draw_activations(spec, random, t_, k_, x_.data());
  xq_ = reference_quantize(x_);
  if (reads_ == ActivationForm::kHalf) halve();
}

void LinearCase::halve() {
  halves_.resize(x_.size());
  half_scales_.resize(static_cast<std::size_t>(t_));
  for (int i = 0; i < t_; ++i) {
    const std::size_t at = static_cast<std::size_t>(i) * static_cast<std::size_t>(k_);
    float amax = 0;
    for (int c = 0; c < k_; ++c) {
      amax = std::max(amax, std::fabs(x_[at + static_cast<std::size_t>(c)]));
    }
    const float scale = half_row_scale(amax);
    half_scales_[static_cast<std::size_t>(i)] = scale;
    for (std::size_t c = at; c < at + static_cast<std::size_t>(k_); ++c) {
      halves_[c] = float_to_half(x_[c] / scale);
    }
  }
}

HalfRows LinearCase::halved_row(int token) {
  if (reads_ != ActivationForm::kHalf) return {};
  return {halves_.data() + static_cast<std::int64_t>(token) * k_, half_scales_.data() + token};
}

QuantizedRows LinearCase::quantized_row(int token) {
  if (is_float(dtype_)) return {nullptr, nullptr, nullptr};
  const std::int64_t at = static_cast<std::int64_t>(token) * k_;
  return {xq_.q.data() + at, xq_.d.data() + at / 32, xq_.sum.data() + at / 32};
}

void LinearCase::launch_row(LaunchFunction function, Launch& launch, int token, bool matvec,
                            float* y) {
  const float* x = is_float(dtype_) ? x_.data() + static_cast<std::int64_t>(token) * k_ : nullptr;
  if (matvec) {
    const MatvecArgs args{
        .weights = weights_.data(), .x = x, .xq = quantized_row(token), .y = y, .n = n_, .k = k_};
    function(&args, launch);
    return;
  }
  const MatmulArgs args{.weights = weights_.data(),
                        .x = x,
                        .xq = quantized_row(token),
                        .y = y,
                        .t = 1,
                        .n = n_,
                        .k = k_,
                        .xh = halved_row(token)};
  function(&args, launch);
}

void LinearCase::launch(LaunchFunction function, Launch& launch) {
  if (matvec_) {
    launch_row(function, launch, 0, true, y_.as<float>());
    return;
  }
  const MatmulArgs args{.weights = weights_.data(),
                        .x = is_float(dtype_) ? x_.data() : nullptr,
                        .xq = quantized_row(0),
                        .y = y_.as<float>(),
                        .t = t_,
                        .n = n_,
                        .k = k_,
                        .xh = halved_row(0)};
  function(&args, launch);
}

std::vector<double> LinearCase::values() const {
  const auto* y = y_.as<float>();
  return {y, y + y_.size() / sizeof(float)};
}

void LinearCase::expected(std::vector<double>& value, std::vector<double>& budget) const {
  const auto rows = static_cast<std::size_t>(n_);
  const auto columns = static_cast<std::size_t>(k_);
  const auto tokens = static_cast<std::size_t>(t_);
  value.assign(tokens * rows, 0.0);
  budget.assign(tokens * rows, 0.0);
  auto* self = const_cast<LinearCase*>(this);
  ExactRow row;
  for (std::size_t r = 0; r < rows; ++r) {
    read_row(dtype_, weights_.data() + r * row_bytes(dtype_, columns), k_, row);
    for (std::size_t i = 0; i < tokens; ++i) {
      const int token = static_cast<int>(i);
      const bool half = reads_ == ActivationForm::kHalf;
      const ExactDot dot = half               ? half_dot(row, self->halved_row(token))
                           : is_float(dtype_) ? float_dot(row, x_.data() + i * columns)
                                              : quantized_dot(row, self->quantized_row(token));
      value[i * rows + r] = dot.value;
      budget[i * rows + r] =
          half ? half_linear_budget(k_, dot) : linear_budget(is_float(dtype_), k_, dot);
    }
  }
}

CaseCost linear_cost(DType dtype, const CaseSpec& spec) {
  const double n = spec.dim("n");
  const double k = spec.dim("k");
  const double t = std::max(spec.dim("t"), 1);
  const bool halves = spec.reads == ActivationForm::kHalf;
  const double activation_bytes = halves ? 2 : is_float(dtype) ? 4 : 1 + 6.0 / 32;
  const double row = static_cast<double>(row_bytes(dtype, static_cast<std::size_t>(k)));
  return {n * row + t * k * activation_bytes + t * n * 4, 2 * n * k * t};
}

}  // namespace assay
