#include "gates/trace_liveness.h"

#include <fmt/format.h>

#include <map>

namespace assay {
namespace {

// What the launchers counted in the work that was traced.
Counts counted(const WorkReply& work) {
  Counts counts = work.decode_counts;
  if (!work.prefill_reused) {
    for (const auto& [id, count] : work.prefill_counts) counts[id] += count;
  }
  return counts;
}

}  // namespace

std::string trace_fault(const ProfileReply& profile) {
  if (profile.dropped != 0) {
    return fmt::format(
        "the tracer lost {} records, so nothing can be compared: profile fewer steps",
        profile.dropped);
  }
  if (profile.untraced.digest != profile.traced.digest) {
    return fmt::format("tracing changed the logits: digest {} untraced, {} traced",
                       profile.untraced.digest, profile.traced.digest);
  }
  Counts counts = counted(profile.traced);
  for (const ProfiledVariant& variant : profile.variants) {
    const std::uint64_t claimed = counts[variant.variant];
    if (variant.planned != claimed) {
      return fmt::format("{}: the map plans {} launches, its counter says {}", variant.variant,
                         variant.planned, claimed);
    }
    if (variant.traced != claimed) {
      return fmt::format("{}: its counter says {} launches, the trace shows {}", variant.variant,
                         claimed, variant.traced);
    }
    counts.erase(variant.variant);
  }
  for (const auto& [id, count] : counts) {
    if (count != 0) {
      return fmt::format("{}: its counter says {} launches, the map plans none", id, count);
    }
  }
  return profile.variants.empty() ? "the trace shows no kernel" : "";
}

std::string replay_fault(const ProfileReply& replayed, const ProfileReply& eager) {
  if (replayed.traced.digest != eager.traced.digest) {
    return fmt::format("the logits differ: digest {} replayed, {} launched one by one",
                       replayed.traced.digest, eager.traced.digest);
  }
  std::map<std::string, const ProfiledVariant*> others;
  for (const ProfiledVariant& variant : eager.variants) others[variant.variant] = &variant;
  for (const ProfiledVariant& variant : replayed.variants) {
    const auto at = others.find(variant.variant);
    const std::uint64_t launches = at == others.end() ? 0 : at->second->traced;
    const std::uint64_t kernels = at == others.end() ? 0 : at->second->kernels;
    if (variant.traced != launches || variant.kernels != kernels) {
      return fmt::format(
          "{}: {} kernels in {} launches replayed, {} kernels in {} launches one by one",
          variant.variant, variant.kernels, variant.traced, kernels, launches);
    }
    others.erase(variant.variant);
  }
  if (!others.empty()) {
    return fmt::format("{}: no launch replayed, {} one by one", others.begin()->first,
                       others.begin()->second->traced);
  }
  return "";
}

}  // namespace assay
