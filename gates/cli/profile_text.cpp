#include "gates/cli/profile_text.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

#include "kernels/variant.h"

namespace assay {
namespace {

// An op that does more than this for a byte is held against a ceiling of FLOP.
constexpr double kFlopBound = 100;

bool by_flops(const ProfiledVariant& variant) {
  return variant.flops > kFlopBound * variant.bytes;
}

// FLOP/s or bytes/s; the vendor's library has a ceiling of its own.
double ceiling_of(const ProfiledVariant& variant, const DeviceCeilings& ceilings) {
  if (!by_flops(variant)) return ceilings.bytes_per_s;
  const auto name = parse_variant_id(variant.variant);
  const bool vendor = name && name->mechanism == "cublaslt";
  return vendor ? ceilings.gemm_flops : ceilings.mma_flops;
}

double work_of(const ProfiledVariant& variant) {
  return by_flops(variant) ? variant.flops : variant.bytes;
}

// "38.1 MB", "1.2 GFLOP"
std::string amount(double value, const char* unit) {
  const char* prefixes[] = {"", "k", "M", "G", "T"};
  int at = 0;
  while (value >= 1000 && at < 4) {
    value /= 1000;
    ++at;
  }
  return fmt::format("{:.{}f} {}{}", value, at == 0 ? 0 : 1, prefixes[at], unit);
}

// "28", "27.5"
std::string per_step(double count) {
  return count == std::floor(count) ? fmt::format("{:.0f}", count) : fmt::format("{:.1f}", count);
}

std::map<std::string, std::int64_t> time_by_variant(const ProfileReply& reply) {
  std::map<std::string, std::int64_t> times;
  for (const ProfiledKernel& kernel : reply.kernels) times[kernel.variant] += kernel.total_ns;
  return times;
}

std::int64_t kernel_time(const ProfileReply& reply) {
  std::int64_t sum = 0;
  for (const ProfiledKernel& kernel : reply.kernels) sum += kernel.total_ns;
  return sum;
}

std::uint64_t kernel_count(const ProfileReply& reply) {
  std::uint64_t sum = 0;
  for (const ProfiledKernel& kernel : reply.kernels) sum += kernel.launches;
  return sum;
}

// Per launch, rate, share of the ceiling.
std::vector<std::string> rate_cells(const ProfiledVariant& variant, std::int64_t ns,
                                    const DeviceCeilings* ceilings) {
  const double work = work_of(variant);
  if (variant.planned == 0 || ns <= 0 || work <= 0) return {"", "", ""};
  const double rate = work / (static_cast<double>(ns) / 1e9);
  return {amount(work / static_cast<double>(variant.planned), by_flops(variant) ? "FLOP" : "B"),
          fmt::format("{:.2f} {}", rate / 1e12, by_flops(variant) ? "TFLOP/s" : "TB/s"),
          ceilings == nullptr
              ? ""
              : fmt::format("{:.0f} %", 100 * rate / ceiling_of(variant, *ceilings))};
}

std::string ms(double seconds) {
  return fmt::format("{:.3f} ms", 1e3 * seconds);
}

// What the prediction takes: amounts at their ceilings.
std::string basis(const ProfileReply& reply) {
  bool bytes = false;
  bool flops = false;
  for (const ProfiledVariant& variant : reply.variants) (by_flops(variant) ? flops : bytes) = true;
  if (!flops) return "bytes at the ceiling";
  return bytes ? "bytes and FLOP at their ceilings" : "FLOP at their ceilings";
}

std::string prediction_line(const ProfileView& view) {
  const double measured =
      static_cast<double>(view.reply.untraced.elapsed_ns) / 1e9 / static_cast<double>(view.steps);
  if (view.ceilings == nullptr) {
    return fmt::format("predicted {}: none, since the device has no ceiling here; measured {}\n",
                       view.step, ms(measured));
  }
  return fmt::format("predicted {} {} from {} + {} kernels x {:.2f} us; measured {}\n", view.step,
                     ms(predicted_step_s(view)), basis(view.reply),
                     per_step(static_cast<double>(kernel_count(view.reply)) / view.steps),
                     1e6 * view.ceilings->kernel_s, ms(measured));
}

std::string ceiling_line(const ProfileView& view) {
  if (view.ceilings == nullptr) {
    return fmt::format("unknown device: no ceiling ({} was not measured)\n", view.device);
  }
  return fmt::format(
      "ceilings of {}: {:.2f} TB/s read, {:.0f} TFLOP/s vendor GEMM, {:.0f} TFLOP/s "
      "mma.sync; what stays in the L2 cache may exceed the first\n",
      view.device, view.ceilings->bytes_per_s / 1e12, view.ceilings->gemm_flops / 1e12,
      view.ceilings->mma_flops / 1e12);
}

std::string time_lines(const ProfileView& view) {
  const ProfileReply& reply = view.reply;
  const auto part = [&](std::int64_t ns) {
    return ms(static_cast<double>(ns) / 1e9 / static_cast<double>(view.steps));
  };
  const double traced = static_cast<double>(reply.traced.elapsed_ns);
  const double untraced = static_cast<double>(reply.untraced.elapsed_ns);
  const double overhead = untraced > 0 ? 100 * (traced / untraced - 1) : 0;
  return fmt::format(
      "a {}: span {} of which kernels {}, gaps {}, waiting for the host {}; sum over kernels {}\n"
      "wall time of a {}: {} untraced, {} traced ({:+.1f} %)\n",
      view.step, part(reply.span_ns), part(reply.busy_ns), part(reply.gap_ns), part(reply.wait_ns),
      part(kernel_time(reply)), view.step, part(reply.untraced.elapsed_ns),
      part(reply.traced.elapsed_ns), overhead);
}

}  // namespace

std::string short_kernel_name(std::string_view kernel, std::size_t most) {
  std::string name(kernel);
  if (name.starts_with("void ")) name.erase(0, 5);
  // The list of arguments: the last bracket of depth 0, which a cast inside <> is not.
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    if (name[i] == '(' && depth == 0 && i > 0 && name[i - 1] != ':') {
      name.resize(i);
      break;
    }
  }
  const std::string root = "assay::";
  for (std::size_t at = name.find(root); at != std::string::npos; at = name.find(root, at)) {
    name.erase(at, root.size());
  }
  if (name.size() <= most) return name;
  const std::size_t tail = (most - 3) / 3;
  return name.substr(0, most - 3 - tail) + "..." + name.substr(name.size() - tail);
}

std::vector<std::vector<std::string>> profile_cells(const ProfileView& view) {
  std::vector<std::vector<std::string>> cells = {{"op", "variant", "kernel",
                                                  "launches/" + view.step, "us", "share",
                                                  "a launch", "rate", "of ceiling"}};
  const std::map<std::string, std::int64_t> times = time_by_variant(view.reply);
  const double all = static_cast<double>(kernel_time(view.reply));
  std::map<std::string, const ProfiledVariant*> variants;
  for (const ProfiledVariant& variant : view.reply.variants) variants[variant.variant] = &variant;
  std::set<std::string> said;
  for (const ProfiledKernel& kernel : view.reply.kernels) {
    const std::string op = kernel.variant.substr(0, kernel.variant.find('.'));
    const double total = static_cast<double>(kernel.total_ns);
    const double count = static_cast<double>(kernel.launches);
    std::vector<std::string> row = {
        op.empty() ? "-" : op,
        kernel.variant.empty() ? "-" : kernel.variant.substr(op.size() + 1),
        short_kernel_name(kernel.kernel),
        per_step(count / view.steps),
        fmt::format("{:.2f}", total / 1e3 / count),
        fmt::format("{:.1f} %", 100 * total / all)};
    const auto variant = variants.find(kernel.variant);
    const bool first = said.insert(kernel.variant).second;
    const std::vector<std::string> rates =
        first && variant != variants.end()
            ? rate_cells(*variant->second, times.at(kernel.variant), view.ceilings)
            : std::vector<std::string>{"", "", ""};
    row.insert(row.end(), rates.begin(), rates.end());
    cells.push_back(std::move(row));
  }
  return cells;
}

double predicted_step_s(const ProfileView& view) {
  if (view.ceilings == nullptr) return 0;
  double seconds = static_cast<double>(kernel_count(view.reply)) * view.ceilings->kernel_s;
  for (const ProfiledVariant& variant : view.reply.variants) {
    seconds += work_of(variant) / ceiling_of(variant, *view.ceilings);
  }
  return seconds / view.steps;
}

std::string profile_lines(const ProfileView& view) {
  return ceiling_line(view) + time_lines(view) + prediction_line(view);
}

}  // namespace assay
