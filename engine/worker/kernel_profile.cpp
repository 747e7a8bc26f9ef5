#include "engine/worker/kernel_profile.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace assay {
namespace {

constexpr std::string_view kRoot = "assay::";
constexpr std::string_view kShared = "cuda";  // helpers that mechanisms share

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// "rope_cuda_pairs" of "void assay::rope_cuda_pairs::rotate<2>(assay::RopeArgs)"; empty for kernels
// that are not ours. Only the function's own name counts, which comes before any bracket.
std::string_view namespace_of(std::string_view kernel) {
  const std::string_view head = kernel.substr(0, kernel.find_first_of("<("));
  const std::size_t at = head.find(kRoot);
  if (at == std::string_view::npos || (at > 0 && (is_word(head[at - 1]) || head[at - 1] == ':'))) {
    return {};
  }
  const std::string_view rest = head.substr(at + kRoot.size());
  const std::size_t end = rest.find("::");
  return end == std::string_view::npos ? std::string_view("(none)") : rest.substr(0, end);
}

bool begins_with_words(std::string_view symbol, std::string_view words) {
  return symbol.starts_with(words) &&
         (symbol.size() == words.size() || symbol[words.size()] == '_');
}

// The symbol begins with the namespace, as it is or without the type between the op and "_cuda":
// "matvec_q4k_cuda_warp_rows1" is a point of "matvec_cuda_warp".
bool is_point_of(std::string_view symbol, std::string_view space) {
  if (begins_with_words(symbol, space)) return true;
  const std::size_t op_end = space.find("_cuda");
  const std::size_t at = symbol.find("_cuda");
  if (op_end == std::string_view::npos || at == std::string_view::npos) return false;
  return begins_with_words(symbol.substr(0, at), space.substr(0, op_end)) &&
         begins_with_words(symbol.substr(at + 1), space.substr(op_end + 1));
}

using KernelKey = std::pair<std::string, std::string>;  // variant, kernel

void add_kernel(const TracedKernel& record, ProfiledKernel& kernel) {
  const std::int64_t ns = record.end_ns - record.start_ns;
  if (kernel.launches == 0) {
    kernel.kernel = record.name;
    kernel.registers = record.registers;
    kernel.static_shared = record.static_shared;
    kernel.dynamic_shared = record.dynamic_shared;
    kernel.grid.assign(record.grid.begin(), record.grid.end());
    kernel.block.assign(record.block.begin(), record.block.end());
    kernel.min_ns = kernel.max_ns = ns;
  }
  ++kernel.launches;
  kernel.total_ns += ns;
  kernel.min_ns = std::min(kernel.min_ns, ns);
  kernel.max_ns = std::max(kernel.max_ns, ns);
}

// Busy time and idle time; kernels may overlap.
class Timeline {
 public:
  explicit Timeline(ProfileReply& reply) : reply_(reply) {}
  void add(const TracedKernel& record, bool begins_pass) {
    if (begins_pass) ++reply_.passes;
    if (first_) {
      begin_ = covered_ = record.start_ns;
      first_ = false;
    }
    if (record.start_ns > covered_) {
      (begins_pass ? reply_.wait_ns : reply_.gap_ns) += record.start_ns - covered_;
      covered_ = record.start_ns;
    }
    if (record.end_ns > covered_) {
      reply_.busy_ns += record.end_ns - covered_;
      covered_ = record.end_ns;
    }
    reply_.span_ns = covered_ - begin_;
  }

 private:
  ProfileReply& reply_;
  bool first_ = true;
  std::int64_t begin_ = 0;
  std::int64_t covered_ = 0;  // until when the device was seen busy
};

}  // namespace

bool is_of_a_mechanism(std::string_view kernel, std::span<const std::string> symbols) {
  const std::string_view space = namespace_of(kernel);
  if (space.empty() || space == kShared) return true;
  return std::any_of(symbols.begin(), symbols.end(),
                     [&](const std::string& symbol) { return is_point_of(symbol, space); });
}

ProfileReply add_up(const KernelRecords& records, const ProfiledRegistry& registry) {
  ProfileReply reply;
  reply.dropped = records.dropped;
  std::map<std::string, bool> of_mechanism;  // by name: a name recurs often
  std::map<KernelKey, ProfiledKernel> kernels;
  std::map<std::string, ProfiledVariant> variants;
  // A captured launch comes again with each replay.
  std::set<std::tuple<std::uint64_t, WatchedLaunch>> launches;
  Timeline timeline(reply);
  for (const TracedKernel& record : records.kernels) {
    const auto [known, fresh] = of_mechanism.try_emplace(record.name);
    if (fresh) known->second = is_of_a_mechanism(record.name, registry.symbols);
    const bool belongs = known->second && record.launch.variant >= 0;
    const std::string id =
        belongs ? registry.ids.at(static_cast<std::size_t>(record.launch.variant)) : std::string();
    timeline.add(record, id.starts_with("embed."));
    ProfiledKernel& kernel = kernels[{id, record.name}];
    add_kernel(record, kernel);
    kernel.variant = id;
    if (!belongs) continue;
    ProfiledVariant& variant = variants[id];
    variant.variant = id;
    ++variant.kernels;
    if (launches.emplace(record.replay, record.launch).second) ++variant.traced;
  }
  for (auto& [key, kernel] : kernels) reply.kernels.push_back(std::move(kernel));
  std::stable_sort(reply.kernels.begin(), reply.kernels.end(),
                   [](const auto& a, const auto& b) { return a.total_ns > b.total_ns; });
  for (auto& [id, variant] : variants) reply.variants.push_back(std::move(variant));
  return reply;
}

}  // namespace assay
