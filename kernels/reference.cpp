#include "kernels/reference.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace assay {
namespace {

constexpr std::size_t kGuard = 64;  // bytes on each side
constexpr std::size_t kAlign = 64;
constexpr int kGuardByte = 0xa5;
constexpr int kPoisonByte = 0xff;  // NaN as f32, f16 and f64

}  // namespace

std::string_view to_string(DataKind kind) {
  switch (kind) {
    case DataKind::kMild:
      return "mild";
    case DataKind::kOutlier:
      return "outlier";
    case DataKind::kGiant:
      return "giant";
    case DataKind::kExact:
      return "exact";
    case DataKind::kZero:
      return "zero";
  }
  return "unknown";
}

int CaseSpec::dim(std::string_view key) const {
  for (const auto& [name_of, value] : dims) {
    if (name_of == key) return value;
  }
  return 0;
}

std::string arithmetic_of(const OpReference& reference, const VariantInfo& variant) {
  std::string text;
  const auto name = parse_variant_id(variant.id);
  for (const auto& [key, value] : name->params) {
    for (const std::string_view decisive : reference.arithmetic) {
      if (key == decisive) text += key + "=" + value + " ";
    }
  }
  return text;
}

double worst_error_ratio(std::span<const double> value, std::span<const double> expected,
                         std::span<const double> budget, std::size_t* at) {
  double worst = 0;
  if (value.size() != expected.size() || value.size() != budget.size()) {
    if (at != nullptr) *at = 0;
    return std::numeric_limits<double>::infinity();
  }
  for (std::size_t i = 0; i < value.size(); ++i) {
    const double error = std::fabs(value[i] - expected[i]);
    double ratio = 0;
    if (value[i] == expected[i]) {
      ratio = 0;  // also equal infinities
    } else if (!std::isfinite(error) || budget[i] == 0) {
      ratio = std::numeric_limits<double>::infinity();
    } else {
      ratio = error / budget[i];
    }
    if (ratio > worst) {
      worst = ratio;
      if (at != nullptr) *at = i;
    }
  }
  return worst;
}

GuardedBuffer::GuardedBuffer(std::size_t bytes)
    : bytes_(bytes), offset_(0), storage_(bytes + 2 * kGuard + kAlign) {
  const auto address = reinterpret_cast<std::uintptr_t>(storage_.data()) + kGuard;
  offset_ = kGuard + (kAlign - address % kAlign) % kAlign;
  poison();
}

void GuardedBuffer::poison() {
  std::memset(storage_.data() + offset_ - kGuard, kGuardByte, bytes_ + 2 * kGuard);
  if (bytes_ != 0) std::memset(data(), kPoisonByte, bytes_);
}

bool GuardedBuffer::intact() const {
  const std::byte* low = storage_.data() + offset_ - kGuard;
  const std::byte* high = data() + bytes_;
  for (std::size_t i = 0; i < kGuard; ++i) {
    if (low[i] != std::byte{kGuardByte} || high[i] != std::byte{kGuardByte}) return false;
  }
  return true;
}

}  // namespace assay
