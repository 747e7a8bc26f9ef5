// The sweep's fp64 references, draws and copies against the host's, before anything leans on them.
//
// Cases of the host (kernels/reference.h) give operands, values and budgets; the device's
// references get the same operands. The running form of decode attention is also held, at every
// length, against the plain form of rows.
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/attention_decode/attention_case.h"
#include "kernels/blocks.h"
#include "kernels/cuda_sweep/exact_attention.cuh"
#include "kernels/cuda_sweep/exact_linear.cuh"
#include "kernels/cuda_sweep/sweep.h"
#include "kernels/cuda_sweep/weights.cuh"
#include "kernels/halve_activations/row_scale.h"
#include "kernels/matmul/matmul.h"
#include "kernels/matvec/linear_case.h"
#include "kernels/matvec/matvec.h"
#include "kernels/operands.h"

namespace assay::sweep {
namespace {

// What the two fp64 ways may differ by: a millionth of the budget in value, 1e-9 of it in the
// budget.
void hold(Line& line, const std::string& where, const std::vector<double>& value,
          const std::vector<double>& budget, const std::vector<double>& host_value,
          const std::vector<double>& host_budget) {
  ++line.cases;
  if (value.size() != host_value.size()) {
    line.error = where + ": " + std::to_string(value.size()) + " values, the host has " +
                 std::to_string(host_value.size());
    return;
  }
  for (std::size_t i = 0; i < value.size(); ++i) {
    const double wide = host_budget[i];
    const double off = std::fabs(value[i] - host_value[i]);
    const double off_budget = std::fabs(budget[i] - wide);
    double ratio = std::max(off / (1e-6 * wide), off_budget / (1e-9 * wide));
    if (off == 0 && off_budget == 0) ratio = 0;
    if (!std::isfinite(ratio)) ratio = std::numeric_limits<double>::infinity();
    ++line.values;
    if (ratio > 1) ++line.beyond;
    if (ratio <= line.worst) continue;
    line.worst = ratio;
    line.where = where + " value " + std::to_string(i);
  }
}

template <typename T>
DeviceArray<T> upload(const T* host, std::size_t count) {
  return DeviceArray<T>(std::span<const T>(host, count));
}

// A launch function that keeps the arguments it was given.
template <typename Args>
struct Kept {
  static inline Args args;
  static void take(const void* given, Launch&) { args = *static_cast<const Args*>(given); }
};

CaseSpec spec_of(DataKind kind, std::vector<std::pair<std::string, int>> dims) {
  return {.name = "", .kind = kind, .dims = std::move(dims), .seed = 9};
}

// Calls reference(value, budget) with room for `count` values and holds what it left against
// `bound`.
template <typename Reference>
void hold_case(Line& line, const std::string& where, const BoundCase& bound, std::size_t count,
               cudaStream_t stream, const Reference& reference) {
  const DeviceArray<double> value(count);
  const DeviceArray<double> budget(count);
  reference(value.data(), budget.data());
  std::vector<double> host_value;
  std::vector<double> host_budget;
  bound.expected(host_value, host_budget);
  hold(line, where, value.fetch(stream), budget.fetch(stream), host_value, host_budget);
}

constexpr int kN = 33;
constexpr int kK = 768;
constexpr int kT = 9;

void check_matvec(const DTypeTraits& type, DataKind kind, Line& line, const Stream& stream) {
  LinearCase bound(type.dtype, spec_of(kind, {{"n", kN}, {"k", kK}}));
  ThreadPool pool(1);
  Launch launch{pool};
  bound.launch(Kept<MatvecArgs>::take, launch);
  const MatvecArgs& args = Kept<MatvecArgs>::args;
  const auto weights = upload(static_cast<const std::byte*>(args.weights), bound.weights().size());
  const bool floats = is_float(type.dtype);
  const auto x = upload(args.x, floats ? kK : 0);
  const auto q = upload<std::int8_t>(args.xq.q, floats ? 0 : kK);
  const auto d = upload<float>(args.xq.d, floats ? 0 : kK / 32);
  hold_case(line, std::string(type.name) + " " + std::string(to_string(kind)), bound, kN, stream,
            [&](double* value, double* budget) {
              exact_matvec({.dtype = type.dtype,
                            .weights = weights.data(),
                            .n = kN,
                            .k = kK,
                            .x = x.data(),
                            .xq = {q.data(), d.data(), nullptr},
                            .value = value,
                            .budget = budget},
                           stream);
            });
}

void check_matmul(const DTypeTraits& type, DataKind kind, Line& line, const Stream& stream) {
  CaseSpec spec = spec_of(kind, {{"n", kN}, {"k", kK}, {"t", kT}});
  spec.reads = ActivationForm::kHalf;
  LinearCase bound(type.dtype, spec);
  ThreadPool pool(1);
  Launch launch{pool};
  bound.launch(Kept<MatmulArgs>::take, launch);
  const MatmulArgs& args = Kept<MatmulArgs>::args;
  const auto weights = upload(static_cast<const std::byte*>(args.weights), bound.weights().size());
  const auto halves = upload<std::uint16_t>(args.xh.h, kT * kK);
  const auto scales = upload<float>(args.xh.scale, kT);
  std::vector<int> rows(kT);
  for (int i = 0; i < kT; ++i) rows[static_cast<std::size_t>(i)] = i;
  const auto rows_on_device = upload(rows.data(), rows.size());
  hold_case(line, std::string(type.name) + " " + std::string(to_string(kind)), bound, kT * kN,
            stream, [&](double* value, double* budget) {
              exact_half_matmul({.dtype = type.dtype,
                                 .weights = weights.data(),
                                 .n = kN,
                                 .k = kK,
                                 .xh = {halves.data(), scales.data()},
                                 .rows = rows_on_device.data(),
                                 .count = kT,
                                 .value = value,
                                 .budget = budget},
                                stream);
            });
}

// An attention case's operands on the device.
struct OnDevice {
  explicit OnDevice(const AttentionPrefillArgs& given)
      : args(given),
        q(upload(given.q, static_cast<std::size_t>(given.t) *
                              static_cast<std::size_t>(given.heads * given.head_dim))),
        k(upload(given.k_cache, operands::cache_bytes(given, given.past + given.t) / 2)),
        v(upload(given.v_cache, operands::cache_bytes(given, given.past + given.t) / 2)) {}
  Cache cache() const {
    return {k.data(),         v.data(),      args.position_stride,
            args.head_stride, args.kv_heads, args.head_dim};
  }
  AttentionPrefillArgs args;
  DeviceArray<float> q;
  DeviceArray<std::uint16_t> k;
  DeviceArray<std::uint16_t> v;
};

void check_rows(DataKind kind, bool half, int head_dim, Line& line, const Stream& stream) {
  CaseSpec spec = spec_of(kind, {{"t", kT},
                                 {"past", 21},
                                 {"heads", 6},
                                 {"group", 3},
                                 {"d", head_dim},
                                 {"pad", 8},
                                 {"planes", half ? 1 : 0}});
  if (half) spec.reads = ActivationForm::kHalf;
  AttentionCase bound(spec);
  const OnDevice operands(bound.arguments());
  hold_case(line, "d=" + std::to_string(head_dim) + " " + std::string(to_string(kind)), bound,
            operands.q.size(), stream, [&](double* value, double* budget) {
              exact_rows({.q = operands.q.data(),
                          .cache = operands.cache(),
                          .rows = kT,
                          .past = operands.args.past,
                          .heads = operands.args.heads,
                          .scale = operands.args.scale,
                          .half = half,
                          .value = value,
                          .budget = budget},
                         stream);
            });
}

constexpr int kLength = 77;

// The last length against the host, then all lengths against rows of the same queries.
void check_prefixes(DataKind kind, int head_dim, Line& line, const Stream& stream) {
  AttentionCase bound(spec_of(
      kind,
      {{"nkv", kLength}, {"heads", 6}, {"group", 3}, {"d", head_dim}, {"pad", 8}, {"planes", 0}}));
  const OnDevice operands(bound.arguments());
  const std::size_t row = operands.q.size();
  std::vector<int> row_of(kLength);
  std::vector<float> host_q = operands.q.fetch(stream);
  std::vector<float> repeated;
  for (int i = 0; i < kLength; ++i) {
    row_of[static_cast<std::size_t>(i)] = i;
    repeated.insert(repeated.end(), host_q.begin(), host_q.end());
  }
  const auto rows = upload(row_of.data(), row_of.size());
  const auto queries = upload(repeated.data(), repeated.size());
  const DeviceArray<double> value(kLength * row);
  const DeviceArray<double> budget(kLength * row);
  const int heads = operands.args.heads;
  const PrefixScratch scratch(heads, kLength);
  exact_prefixes({operands.q.data(), operands.cache(), kLength, heads, operands.args.scale,
                  rows.data(), value.data(), budget.data()},
                 scratch, stream);
  const std::vector<double> values = value.fetch(stream);
  const std::vector<double> budgets = budget.fetch(stream);
  std::vector<double> host_value;
  std::vector<double> host_budget;
  bound.expected(host_value, host_budget);
  const std::string where = "d=" + std::to_string(head_dim) + " " + std::string(to_string(kind));
  const auto last = static_cast<std::ptrdiff_t>((kLength - 1) * row);
  hold(line, where + " last", {values.begin() + last, values.end()},
       {budgets.begin() + last, budgets.end()}, host_value, host_budget);
  exact_rows({queries.data(), operands.cache(), kLength, 0, heads, operands.args.scale, false,
              value.data(), budget.data()},
             stream);
  hold(line, where + " all", values, budgets, value.fetch(stream), budget.fetch(stream));
}

// Drawn activations, quantised and halved, against the host's definitions: bits.
void check_activations(Data data, Line& line, const Stream& stream) {
  const DeviceArray<float> x(kT * kK);
  const DeviceArray<std::int8_t> q(kT * kK);
  const DeviceArray<float> d(kT * kK / 32);
  const DeviceArray<std::int16_t> sum(kT * kK / 32);
  const DeviceArray<std::uint16_t> halves(kT * kK);
  const DeviceArray<float> scales(kT);
  draw_activations(data, 3, kT, kK, x.data(), stream);
  quantize(x.data(), kT, kK, {q.data(), d.data(), sum.data()}, stream);
  halve(x.data(), kT, kK, {halves.data(), scales.data()}, stream);
  const std::vector<float> host = x.fetch(stream);
  const QuantizedStorage expected = reference_quantize(host);
  if (expected.nonfinite != 0) ++line.beyond;
  line.different += q.fetch(stream) != expected.q;
  line.different += d.fetch(stream) != expected.d;
  line.different += sum.fetch(stream) != expected.sum;
  const std::vector<std::uint16_t> got = halves.fetch(stream);
  const std::vector<float> got_scales = scales.fetch(stream);
  for (std::size_t row = 0; row < kT; ++row) {
    float amax = 0;
    for (std::size_t i = 0; i < kK; ++i) amax = std::max(amax, std::fabs(host[row * kK + i]));
    const float scale = half_row_scale(amax);
    line.different += got_scales[row] != scale;
    for (std::size_t i = row * kK; i < (row + 1) * kK; ++i) {
      line.different += got[i] != float_to_half(host[i] / scale);
    }
  }
  line.values += host.size();
  ++line.cases;
}

// Drawn weights: valid, of the deviation that is asked for, and the same bytes as planes.
void check_weights(const DTypeTraits& type, Line& line, const Stream& stream) {
  const Weights weights(type.dtype, {kN, kK}, 5, stream);
  const std::size_t bytes = kN * row_bytes(type.dtype, kK);
  std::vector<std::byte> raw(bytes);
  std::vector<std::byte> planes(bytes);
  std::vector<std::byte> host_planes(bytes);
  stream.wait();
  const auto fetch = [&](std::vector<std::byte>& to, WeightLayout layout) {
    cuda::check(cudaMemcpy(to.data(), weights.in(layout), bytes, cudaMemcpyDeviceToHost),
                "copy of weights");
  };
  fetch(raw, WeightLayout::kRaw);
  double squares = 0;
  for (int i = 0; i < kN * kK; ++i) {
    const std::byte* row = raw.data() + static_cast<std::size_t>(i / kK) * (bytes / kN);
    const WeightParts parts = weight_parts(type.dtype, row, i % kK);
    squares += (parts.product - parts.offset) * (parts.product - parts.offset);
  }
  const double variance = squares / kN;  // times k: 1 where the deviation is 1 / sqrt(k)
  if (!(variance > 0.2 && variance < 5)) ++line.beyond;
  if (weights.has_planes()) {
    fetch(planes, WeightLayout::kPlanes);
    to_planes(type.dtype, raw.data(), static_cast<std::int64_t>(bytes) / type.block_bytes,
              host_planes.data());
    line.different += planes != host_planes;
  }
  line.values += kN * kK;
  ++line.cases;
  if (line.where.empty() && line.failed()) {
    line.where = std::string(type.name) + ", variance times k " + std::to_string(variance);
  }
}

template <typename Body>
void checked(const Report& report, const char* name, const Body& body) {
  Line line;
  line.variant = name;
  line.part = "references";
  const Watch watch;
  try {
    body(line);
  } catch (const Error& error) {
    line.error = error.what();
  }
  line.seconds = watch.seconds();
  report(line);
}

constexpr DataKind kKinds[] = {DataKind::kMild, DataKind::kOutlier, DataKind::kExact};

}  // namespace

void check_references(const Report& report) {
  const Stream stream;
  checked(report, "drawn activations", [&](Line& line) {
    for (const Data data :
         {Data::kMild, Data::kOutlier, Data::kExact, Data::kLarge, Data::kGiant}) {
      check_activations(data, line, stream);
    }
  });
  checked(report, "drawn weights", [&](Line& line) {
    for (const DTypeTraits& type : all_dtypes()) check_weights(type, line, stream);
  });
  checked(report, "fp64 matvec", [&](Line& line) {
    for (const DTypeTraits& type : all_dtypes()) {
      for (const DataKind kind : kKinds) check_matvec(type, kind, line, stream);
    }
  });
  checked(report, "fp64 matmul", [&](Line& line) {
    for (const DTypeTraits& type : all_dtypes()) {
      for (const DataKind kind : kKinds) check_matmul(type, kind, line, stream);
    }
  });
  checked(report, "fp64 attention of rows", [&](Line& line) {
    for (const DataKind kind : {DataKind::kMild, DataKind::kGiant, DataKind::kExact}) {
      for (const int head_dim : {40, 64, 128, 256}) {
        check_rows(kind, true, head_dim, line, stream);
        check_rows(kind, false, head_dim, line, stream);
      }
    }
  });
  checked(report, "fp64 attention of prefixes", [&](Line& line) {
    for (const DataKind kind : {DataKind::kMild, DataKind::kGiant, DataKind::kExact}) {
      for (const int head_dim : {64, 128}) check_prefixes(kind, head_dim, line, stream);
    }
  });
}

}  // namespace assay::sweep
